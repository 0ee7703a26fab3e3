/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Images that must end with a fatal message and code 4. FATAL_CASE: 0 stack overflow (checked level), 1
 *  access to an address where nothing is, 2 overflow of the interrupt stack. */
#include <stddef.h>
#include <stdint.h>

#include "signalbox/hooks.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
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
    }
}

void test_interrupt(void)
{
    (void)fill_stack((uintptr_t)__stack_bottom);
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
    default:
        *(volatile uint32_t *)0x02000000u = 1; /* the line of isr_line */
        SB_IGNORE(sb_delay(2));
        break;
    }
    port_finish(0);
}
