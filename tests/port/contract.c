/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Everything but the tick, the alarm and the end. */
#include "suite.h"

void test_main(void)
{
    test_timer_lower(); /* whatever it is after reset */
    test_line_lower();
    test_contexts();
    test_masks();
    test_interrupts();
    test_nesting();
    test_idle();
    test_memory();
    test_doorbell();
    test_cycles();
    test_end();
}
