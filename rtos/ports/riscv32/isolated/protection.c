/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Physical memory protection of domains. Entries, the first that matches decides:
 *
 *      0, 1   lowest bytes of the task's stack: nothing (the guard)
 *      2, 3   code and constants of all domains: reading, executing
 *      4..    regions of the domain: its memory, shared pools, devices: reading, writing
 *
 *  Whatever no entry matches user mode does not reach. No entry binds machine mode. The entries belong to the task that was in
 *  user mode last; another one loads its own on the way out. */
#include "config.h"
#include "signalbox/isolation.h"
#include "signalbox/port.h"

#include <stddef.h>

#define TOR 0x08u
#define NAPOT 0x18u
#define READ 1u
#define WRITE 2u
#define EXECUTE 4u
#define FIRST_REGION 4u

/** User mode's wfi is an illegal instruction: only the kernel may put the core to sleep. */
#define MSTATUS_TW 0x200000u

_Static_assert(offsetof(struct sb_user, stack) == 4 && offsetof(struct sb_user, stack_bytes) == 8 &&
                   offsetof(struct sb_user, tls) == 12,
               "enter.S reads them");

extern const uint8_t __sb_user_text[];
extern const uint8_t __sb_user_text_end[];

/** Whose entries are in force. */
const struct sb_user *port_user_loaded;

void port_isolation_start(void);
void port_user_load(const struct sb_user *user);

SB_COLD void port_isolation_start(void)
{
    __asm__ volatile("csrw mscratch, zero\n"
                     "csrw mcounteren, zero\n"
                     "csrw pmpaddr0, %0\n"
                     "csrw pmpaddr1, %0\n"
                     "csrw pmpaddr2, %0\n"
                     "csrw pmpaddr3, %1\n"
                     "csrs mstatus, %2" ::"r"((uintptr_t)__sb_user_text >> 2),
                     "r"((uintptr_t)__sb_user_text_end >> 2), "r"(MSTATUS_TW)
                     : "memory");
}

/** The address register of a naturally aligned power of two. */
static inline uint32_t napot(const struct sb_region *region)
{
    return (uint32_t)((uintptr_t)region->base >> 2) | (region->bytes / 8u - 1u);
}

/** Region `i`, where the system's largest domain has so many. */
#define REGION(entry)                                                                                       \
    if (SB_CFG_DOMAIN_REGIONS > (entry)-FIRST_REGION) {                                                     \
        __asm__ volatile("csrw pmpaddr" #entry ", %0" ::"r"(napot(&domain->region[(entry)-FIRST_REGION]))); \
    }

/** Configuration of entries 4 * word to 4 * word + 3. */
static inline uint32_t config_of(uint32_t regions, uint32_t word)
{
    const uint32_t all = (NAPOT | READ | WRITE) * 0x01010101u;
    const uint32_t first = 4u * (word - 1u);
    const uint32_t here = regions > first ? regions - first : 0;
    return here >= 4u ? all : all & ((1u << 8u * here) - 1u);
}

void port_user_load(const struct sb_user *user)
{
    const struct sb_domain *domain = user->domain;
    const uint32_t regions = domain->region_count;
    port_user_loaded = user;
    __asm__ volatile("csrw pmpaddr0, %0\n"
                     "csrw pmpaddr1, %1" ::"r"((uintptr_t)user->stack >> 2),
                     "r"(((uintptr_t)user->stack + SB_CFG_USER_GUARD_BYTES) >> 2));
    REGION(4)
    REGION(5)
    REGION(6)
    REGION(7)
    REGION(8)
    REGION(9)
    REGION(10)
    REGION(11)
    REGION(12)
    REGION(13)
    REGION(14)
    REGION(15)
    /* Addresses first: some processors look at them only when a configuration is written. */
    if (SB_CFG_DOMAIN_REGIONS > 8u) {
        __asm__ volatile("csrw pmpcfg3, %0" ::"r"(config_of(regions, 3)));
    }
    if (SB_CFG_DOMAIN_REGIONS > 4u) {
        __asm__ volatile("csrw pmpcfg2, %0" ::"r"(config_of(regions, 2)));
    }
    __asm__ volatile("csrw pmpcfg1, %0\n"
                     "csrw pmpcfg0, %1" ::"r"(config_of(regions, 1)),
                     "r"((TOR | READ | EXECUTE) << 24 | (SB_CFG_USER_GUARD_BYTES > 0 ? TOR << 8 : 0)));
}

uint32_t port_user_pc(const void *frame)
{
    return *(const uint32_t *)(const void *)((const uint8_t *)frame + 64);
}
