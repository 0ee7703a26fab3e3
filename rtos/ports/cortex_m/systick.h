/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_CORTEX_M_SYSTICK_H
#define SB_CORTEX_M_SYSTICK_H
/** @file
 *  What the port asks of its timer, besides timer.h. */
#include <stdbool.h>

/** Start counting.   Context: boot */
void sb_systick_start(void);

/** The counter has come to its end. True: the line of the timer is high.   Context: interrupts masked */
bool sb_systick_interrupt(void);

/** Let SysTick interrupt if the line is high: it was handled, or may interrupt again.   Context: interrupts masked */
void sb_systick_again(void);

#endif
