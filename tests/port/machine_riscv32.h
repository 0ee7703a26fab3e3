/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_PORT_MACHINE_H
#define SB_PORT_MACHINE_H
/** @file
 *  The line that software raises: a pulse interrupt of the own core, or its software interrupt. */
#include <stdbool.h>
#include <stdint.h>

#include "platform.h"
#include "signalbox/port.h"

/** What the calling convention wants of a stack pointer. */
#define TEST_STACK_ALIGN 16u
/** Tasks run on the stacks that they are given. */
#define TEST_STACKS_AS_GIVEN 1
#define TEST_HAVE_DOORBELL 1
/** Rounds of test_registers_keep that last longer than a sweep of the timer; length of the sweep, in counts. */
#define TEST_SPINS 1000u
#define TEST_SWEEP 600u
/** Cycles that pass the end of a register, when it is near; counts longer than a short timer. */
#define TEST_CYCLES_SPAN 0x2000u
#define TEST_LONG_COUNTS (SB_TIMER_HZ / 20u)
/** An exception: nothing answers there. */
#define TEST_EXCEPTION() ((void)*(volatile uint32_t *)0x08000000u)

#if SB_HAVE_PULSE

#define TEST_LINE SB_PULSE_IRQ
#define TEST_DOORBELL_LINE SB_PULSE_IRQ
#define TEST_PULSE ((volatile uint32_t *)(uintptr_t)SB_PULSE_BASE(port_core()))

static inline void test_line_raise(void)
{
    port_barrier();
    TEST_PULSE[0] = 1u << 9;
}

static inline void test_line_lower(void)
{
    port_barrier();
    TEST_PULSE[1] = 1u << 9;
}

#else

#define TEST_LINE SB_MSIP_IRQ
#define TEST_DOORBELL_LINE SB_MSIP_IRQ
#define TEST_MSIP ((volatile uint32_t *)(uintptr_t)SB_MSIP_BASE(port_core()))

static inline void test_line_raise(void)
{
    port_barrier();
    *TEST_MSIP = 1;
    (void)*TEST_MSIP;
}

static inline void test_line_lower(void)
{
    port_barrier();
    *TEST_MSIP = 0;
    (void)*TEST_MSIP;
}

#endif

#define TEST_CSR_READ(name)                                 \
    __extension__({                                         \
        uint32_t value_;                                    \
        __asm__ volatile("csrr %0, " #name : "=r"(value_)); \
        value_;                                             \
    })

/** Let the counter of cycles pass its 32nd bit soon. False: the machine does not carry into the upper half after its lower
 *  half was written (QEMU 7.2), so it cannot be shown there. */
static inline bool test_cycles_near_wrap(void)
{
    const uint32_t high = TEST_CSR_READ(mcycleh);
    __asm__ volatile("csrw mcycle, %0" ::"r"(0xfffffff0u));
    while (TEST_CSR_READ(mcycle) > 0xfffff000u) {
    }
    const bool carries = TEST_CSR_READ(mcycleh) == high + 1u;
    if (carries) {
        __asm__ volatile("csrw mcycle, %0" ::"r"(0xffffff00u));
    }
    return carries;
}

#endif
