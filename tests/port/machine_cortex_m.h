/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_PORT_MACHINE_H
#define SB_PORT_MACHINE_H
/** @file
 *  The line that software raises: an external interrupt that no device has, pending by NVIC_ISPR. */
#include <stdbool.h>
#include <stdint.h>

#include "platform.h"
#include "signalbox/port.h"
#include "signalbox/timer.h"

#define TEST_STACK_ALIGN 8u
#define TEST_STACKS_AS_GIVEN 1
#define TEST_HAVE_DOORBELL 0
#define TEST_SPINS 1500u
#define TEST_SWEEP 600u
/** SysTick has 24 bits. */
#define TEST_CYCLES_SPAN 0x1001000u
#define TEST_LONG_COUNTS (0x1000000u / 2u * 3u)
/** An exception. The boards of QEMU answer everywhere, so it is no access to nowhere. */
#define TEST_EXCEPTION() __asm__ volatile("udf #0")

#define TEST_LINE 30u

static inline void test_line_raise(void)
{
    __asm__ volatile("dmb" ::: "memory");
    *(volatile uint32_t *)0xe000e200u = 1u << TEST_LINE;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

static inline void test_line_lower(void)
{
    __asm__ volatile("dmb" ::: "memory");
    *(volatile uint32_t *)0xe000e280u = 1u << TEST_LINE;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

static inline bool test_cycles_near_wrap(void)
{
    return true; /* a segment of the counter is short enough to wait for */
}

#endif
