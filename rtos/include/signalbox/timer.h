/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_TIMER_H
#define SIGNALBOX_TIMER_H
/** @file
 *  Time. The kernel's tick is the unit of timeouts; it exists only if the configuration gives tick_hz. Either it
 *  interrupts every time, or, tickless, only when something is due (clock = &sb_tickless): then nothing interrupts while
 *  nobody waits. Without it the hardware timer of the core is free for the application (its line, SB_TIMER_IRQ, can be
 *  given to an interrupt task).
 *
 *  Tick numbers wrap; they are compared by their difference. Timeouts above SB_TIMEOUT_TICKS_MAX are cut to it, but for
 *  SB_FOREVER. */
#include <stdint.h>

#include "signalbox/err.h"

/** Longest finite timeout. */
#define SB_TIMEOUT_TICKS_MAX 0x7fffffffu

struct sb_clock;

/** A clock instead of a tick. */
extern const struct sb_clock sb_tickless;

/** Ticks since start; wraps. 0 with the tick off.   Context: any */
uint32_t sb_ticks(void);

/** Clock cycles of this core since its reset.   Context: any */
uint64_t sb_cycles(void);

/** Ticks per second, 0: off.   Context: any */
uint32_t sb_tick_hz(void);

/** Sleep until the ticks-th tick from now; 0 returns at once.
 *  Context: priority task.   Errors: SB_ERR_NO_TICK; SB_ERR_CONTEXT; SB_ERR_WOKEN by sb_task_wake.
 *  Asserts: (checked) `delay-context`. */
SB_MUST_USE enum sb_err sb_delay(uint32_t ticks);

/** Sleep until tick number `tick`: for loops that must not drift.
 *  Context: waiting.   Errors: SB_ERR_NO_TICK; SB_ERR_CONTEXT; SB_ERR_WOKEN; SB_ERR_TIMEOUT  it has passed already (by less than 2^31 ticks): the call
 *  returns at once.   Asserts: (checked) `delay-context`.                                              [TIME-003] */
SB_MUST_USE enum sb_err sb_delay_until(uint32_t tick);

/* The hardware timer (drivers/timer). Instants are counts of SB_TIMER_HZ since the platform's reset. */

/** Now, on the timer of `core`.   Context: any */
uint64_t sb_timer_count(uint32_t core);

/** Raise the timer line of `core` at the absolute instant `at_count`, and until it is set later or stopped.
 *  An earlier setting is replaced; never raises in between.   Context: any, interrupts of that timer masked or
 *  the caller its only user */
void sb_timer_set(uint32_t core, uint64_t at_count);

/** Lower the line and never raise it.   Context: any */
void sb_timer_stop(uint32_t core);

#endif
