/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The memory that all nodes of a system share, and doorbells. The launcher hands down a file; it is mapped over
 *  __sb_shared_base, behind a page of the port's own. A bell is a bit there and a signal to the process of that core, which may not
 *  have begun: it looks when it has. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "platform.h"
#include "posix.h"
#include "signalbox/doorbell.h"
#include "signalbox/port.h"
#include "signalbox/probe.h"

#define PAGE_BYTES 0x10000u

struct header {
    _Atomic int32_t process[SB_CORES];
    _Atomic uint32_t bells[SB_CORES];
};

/** The port's page, then what links find at __sb_shared_base. One object, so that one mapping covers both. */
extern uint8_t sb_posix_shared[PAGE_BYTES + SB_SHARED_BYTES];
_Alignas(PAGE_BYTES) uint8_t sb_posix_shared[PAGE_BYTES + SB_SHARED_BYTES];
__asm__(".globl __sb_shared_base\n.set __sb_shared_base, sb_posix_shared + 0x10000\n");

static uint32_t own_core;

static struct header *header(void)
{
    return (struct header *)(void *)sb_posix_shared;
}

void sb_posix_shared_init(void)
{
    const char *file = getenv("SIGNALBOX_SHARED_FD");
    const char *core = getenv("SIGNALBOX_CORE");
    own_core = core != NULL ? (uint32_t)strtoul(core, NULL, 10) : 0;
    if (own_core >= SB_CORES) {
        port_fatal("shared-core");
    }
    if (file != NULL && mmap(sb_posix_shared, sizeof sb_posix_shared, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_FIXED, (int)strtol(file, NULL, 10), 0) == MAP_FAILED) {
        port_fatal("shared-memory");
    }
    atomic_store(&header()->process[own_core], (int32_t)getpid());
}

bool sb_posix_bell_raised(void)
{
    return atomic_load(&header()->bells[own_core]) != 0;
}

void port_doorbell_ring(uint32_t core, uint32_t bit)
{
    SB_PROBE(doorbell_enter, core, bit);
    atomic_fetch_or(&header()->bells[core], 1u << bit);
    if (core == own_core) {
        sb_posix_look();
    } else {
        const pid_t process = atomic_load(&header()->process[core]);
        if (process != 0) {
            (void)kill(process, SB_POSIX_SIGNAL_BELL);
        }
    }
    SB_PROBE_NOP(doorbell_exit);
}

uint32_t port_doorbell_take(void)
{
    return atomic_exchange(&header()->bells[own_core], 0);
}

uint32_t port_doorbell_pending(void)
{
    return atomic_load(&header()->bells[own_core]);
}

uint32_t port_core(void)
{
    return own_core;
}
