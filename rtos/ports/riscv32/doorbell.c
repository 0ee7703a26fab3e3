/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Doorbells by pulse-interrupt blocks (osek-linx 3.7.2.2): a write to a core's ipending sets bits, a write
 *  to iclear clears them. Where there are none but a CLINT, a core's software interrupt rings, and the pending bits are a word
 *  in shared memory that both sides change atomically. A platform without either has no doorbells: using one does
 *  not link. */
#include "platform.h"

#if SB_HAVE_PULSE

#include "signalbox/doorbell.h"
#include "signalbox/port.h"
#include "signalbox/probe.h"

static volatile uint32_t *pulse(uint32_t core)
{
    return (volatile uint32_t *)(uintptr_t)SB_PULSE_BASE(core);
}

#define IPENDING 0
#define ICLEAR 1

void port_doorbell_ring(uint32_t core, uint32_t bit)
{
    SB_PROBE(doorbell_enter, core, bit);
    port_barrier();
    pulse(core)[IPENDING] = 1u << bit;
    SB_PROBE_NOP(doorbell_exit);
}

uint32_t port_doorbell_take(void)
{
    const uint32_t core = port_core();
    const uint32_t bits = pulse(core)[IPENDING];
    pulse(core)[ICLEAR] = bits;
    port_barrier();
    return bits;
}

uint32_t port_doorbell_pending(void)
{
    return pulse(port_core())[IPENDING];
}

#elif SB_HAVE_MSIP

#include "signalbox/doorbell.h"
#include "signalbox/port.h"
#include "signalbox/probe.h"

#include <stdatomic.h>

static _Atomic uint32_t *pending_of(uint32_t core)
{
    return (_Atomic uint32_t *)(uintptr_t)SB_DOORBELL_WORD(core);
}

static volatile uint32_t *msip(uint32_t core)
{
    return (volatile uint32_t *)(uintptr_t)SB_MSIP_BASE(core);
}

/* The bits are set before the line rises, and the line falls before they are taken: a ring in between raises it again. */

void port_doorbell_ring(uint32_t core, uint32_t bit)
{
    SB_PROBE(doorbell_enter, core, bit);
    port_barrier();
    atomic_fetch_or_explicit(pending_of(core), 1u << bit, memory_order_acq_rel);
    port_barrier();
    *msip(core) = 1;
    SB_PROBE_NOP(doorbell_exit);
}

uint32_t port_doorbell_take(void)
{
    const uint32_t core = port_core();
    *msip(core) = 0;
    port_barrier();
    const uint32_t bits = atomic_exchange_explicit(pending_of(core), 0, memory_order_acq_rel);
    port_barrier();
    return bits;
}

uint32_t port_doorbell_pending(void)
{
    return atomic_load_explicit(pending_of(port_core()), memory_order_relaxed);
}

#endif
