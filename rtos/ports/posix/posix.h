/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_POSIX_H
#define SB_POSIX_H
/** @file
 *  What the files of this port share. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/node.h"

/* ---- context.c */

struct sb_posix_context;

/** The boot context becomes one that can be left; the interrupt stack is made. */
void sb_posix_contexts_init(void);

/** Call `body` on the interrupt stack. */
void sb_posix_on_interrupt_stack(void (*body)(void));

/* ---- lines.c */

/** A line may have become raised: look at them all, now or when interrupts are unmasked.   Context: any */
void sb_posix_look(void);

void sb_posix_lines_init(void);

/* ---- timer.c, doorbell.c: whether their line is high.   Context: any */

bool sb_posix_timer_raised(void);
bool sb_posix_bell_raised(void);

void sb_posix_timer_init(void);

/** Join the memory that the launcher has made, as the core that it says; alone if there is none. */
void sb_posix_shared_init(void);

/** Signals of the timer and of doorbells: a debugger passes these two on without stopping. */
#define SB_POSIX_SIGNAL_TIMER SIGALRM
#define SB_POSIX_SIGNAL_BELL SIGURG

#endif
