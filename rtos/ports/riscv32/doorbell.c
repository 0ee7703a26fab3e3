/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Doorbells by pulse-interrupt blocks (osek-linx 3.7.2.2): a write to a core's ipending sets bits, a write
 *  to iclear clears them. A platform without the blocks has no doorbells: using one does not link. */
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

#endif
