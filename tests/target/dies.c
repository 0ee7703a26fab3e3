/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Images that must end with a fatal message and code 4. FATAL_CASE: 0 stack overflow (checked level), 1
 *  access to an address where nothing is, 2 overflow of the interrupt stack. With a guard: 3 a word above it is written,
 *  then its highest word; 4 an interrupt finds the stack pointer in it; 5 a task overflows that an interrupt switched to. */
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "platform.h"
#include "signalbox/hooks.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

void test_main(void);
void test_helper(void);
void test_interrupt(void);
void test_clock(void);

extern uint8_t __stack_bottom[];

extern const struct sb_hooks test_hooks;
const struct sb_hooks test_hooks = {.swap = NULL};

/** Goes down until a frame lies below `end`: over the end of a stack, but not far into what lies there. */
__attribute__((noinline)) static uint32_t fill_stack(uintptr_t end)
{
    volatile uint8_t room[64];
    for (uint32_t i = 0; i < sizeof room; i++) {
        room[i] = (uint8_t)i;
    }
    return (uintptr_t)room > end ? fill_stack(end) + room[1] : room[1];
}

void test_helper(void)
{
    for (;;) {
        sb_fsem_wait();
        (void)fill_stack((uintptr_t)port_node()->current->stack);
    }
}

void test_interrupt(void)
{
    *(volatile uint32_t *)SB_MSIP_BASE(0) = 0;
    if (FATAL_CASE == 2) {
        (void)fill_stack((uintptr_t)__stack_bottom);
    } else if (FATAL_CASE == 5) {
        SB_IGNORE(sb_fsem_signal(sb_task_lookup("high")));
    }
}

/** Raise the line of isr_line, with the stack pointer at `sp`. */
static void interrupt_at(uintptr_t sp)
{
    __asm__ volatile("mv s2, sp\n"
                     "mv sp, %0\n"
                     "sw %1, 0(%2)\n"
                     "li s3, 1000\n"
                     "1: addi s3, s3, -1\n"
                     "bnez s3, 1b\n"
                     "mv sp, s2" ::"r"(sp),
                     "r"(1), "r"(SB_MSIP_BASE(0))
                     : "s2", "s3", "memory");
}

void test_clock(void)
{
}

void test_main(void)
{
    switch (FATAL_CASE) {
    case 0:
        (void)fill_stack((uintptr_t)port_node()->current->stack);
        SB_IGNORE(sb_delay(1));
        break;
    case 1:
        (void)*(volatile uint32_t *)0x08000000u;
        break;
    case 3: {
        volatile uint32_t *guard_end = (uint32_t *)(void *)(port_node()->current->stack + SB_CFG_GUARD_BYTES);
        guard_end[0] = 1;
        guard_end[-1] = 1;
        break;
    }
    case 4:
        interrupt_at((uintptr_t)port_node()->current->stack + 32u);
        break;
    default:
        *(volatile uint32_t *)SB_MSIP_BASE(0) = 1; /* the line of isr_line */
        SB_IGNORE(sb_delay(2));
        break;
    }
    port_finish(0);
}
