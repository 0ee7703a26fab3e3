/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_PORT_MACHINE_H
#define SB_PORT_MACHINE_H
/** @file
 *  The line that software raises is the doorbell of the own core. Time is the host's: nothing here is counted exactly. */
#include <stdbool.h>
#include <stdint.h>

#include "platform.h"
#include "signalbox/doorbell.h"
#include "signalbox/port.h"

#define TEST_STACK_ALIGN 16u
/** A context has a larger stack than it is given. */
#define TEST_STACKS_AS_GIVEN 0
#define TEST_HAVE_DOORBELL 1
#define TEST_SPINS 30000u
#define TEST_SWEEP 600u
#define TEST_CYCLES_SPAN 1000000u
#define TEST_CYCLES_LATE 1000000000u /* the host runs others, too: a second */
#define TEST_LONG_COUNTS (SB_TIMER_HZ / 20u)
#define TEST_EXCEPTION() ((void)*(volatile uint32_t *)0x08000000u)

#define TEST_LINE SB_PULSE_IRQ
#define TEST_DOORBELL_LINE SB_PULSE_IRQ

static inline void test_line_raise(void)
{
    port_doorbell_ring(port_core(), 9);
}

static inline void test_line_lower(void)
{
    (void)port_doorbell_take();
}

static inline bool test_cycles_near_wrap(void)
{
    return true; /* 64 bits of nanoseconds */
}

#endif
