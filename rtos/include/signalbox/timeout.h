/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_TIMEOUT_H
#define SIGNALBOX_TIMEOUT_H
/** @file
 *  Timeout server: calls a function when its time has come, once or every period. The calls come from the server, a task
 *  with the entry `sb_timeout_task` and whatever priority the configuration gives it; so a callback may do what a task
 *  may, and delays only what is less urgent and the callbacks behind it. In the tick itself a timeout costs O(1). Periods do
 *  not drift; a callback that comes late is called once for each period that has passed.   Source: osek-linx 2.2.5.1 */
#include <stdint.h>

#include "signalbox/err.h"
#include "signalbox/node.h"
#include "signalbox/signal.h"

/** Set up with sb_timeout_init; fields are the kernel's. */
struct sb_timeout {
    struct sb_timer_entry timer;
    void (*callback)(void *argument);
    void *argument;
    uint32_t period_ticks; /**< 0: once */
    struct sb_timeout *next_due;
    uint32_t due; /**< calls that are due and have not been made; in the server's list while not 0 */
    bool armed;   /**< in the timer queue */
};

/** Context: any, before its first use.   Asserts: (checked) `timeout-null`.                             [TMO-001] */
void sb_timeout_init(struct sb_timeout *timeout, void (*callback)(void *argument), void *argument);

/** Call back at the ticks-th tick from now, then every `period_ticks` (0: not again). What was running of this timeout
 *  before is cancelled first; so this also changes a timeout.
 *  Context: any.   Time: linear in the armed waits, periods and timeouts of the node.
 *  Errors:  SB_ERR_ARGUMENT   ticks is 0; ticks or the period above SB_TIMEOUT_TICKS_MAX
 *           SB_ERR_NO_TICK    the tick is off
 *           SB_ERR_NOT_FOUND  no timeout server has ever run on this node
 *  Asserts: (checked) `timeout-null`.                                                                   [TMO-002] */
SB_MUST_USE enum sb_err sb_timeout_start(struct sb_timeout *timeout, uint32_t ticks, uint32_t period_ticks);

/** No call comes after the return, but one that has begun ends.
 *  Context: any.   Time: linear in the timeouts that are due.
 *  Errors:  SB_ERR_NOT_FOUND  it was not running: a single one has been called, or will not be
 *  Asserts: (checked) `timeout-null`.                                                                   [TMO-003] */
SB_MUST_USE enum sb_err sb_timeout_cancel(struct sb_timeout *timeout);

/* ---- timeouts whose memory the service keeps (a block of the system pool each) */

/** Names one of them; 0: none. */
typedef uint32_t sb_timeout_ref;
#define SB_TIMEOUT_NONE ((sb_timeout_ref)0)

/** As sb_timeout_start with a timeout of the service's own, which goes when it has been called the last time, is withdrawn,
 *  or the caller dies. *ref names it; NULL if nobody will ask.
 *  Context: any.   Time: as sb_timeout_start.
 *  Errors:  as sb_timeout_start;  SB_ERR_MEMORY  no block
 *  Source:  osek-linx 2.2.5.1                                                                           [TMO-004] */
SB_MUST_USE enum sb_err sb_timeout_request(uint32_t ticks, uint32_t period_ticks,
                                           void (*callback)(void *argument), void *argument,
                                           sb_timeout_ref *ref);

/** The caller receives *sig, from itself, at the ticks-th tick from now. Always consumes: *sig becomes NULL, and is freed if
 *  the call fails.   Context, time, errors: as sb_timeout_request                                        [TMO-005] */
SB_MUST_USE enum sb_err sb_timeout_request_signal(uint32_t ticks, union sb_signal **sig, sb_timeout_ref *ref);

/** Let a timeout of the caller come at the ticks-th tick from now instead, and every period_ticks if it is periodic.
 *  Context: any.   Time: linear in the timeouts of the node.
 *  Errors:  SB_ERR_ARGUMENT   ticks is 0 or above SB_TIMEOUT_TICKS_MAX
 *           SB_ERR_NOT_FOUND  it has come already, was withdrawn, or is another task's                  [TMO-006] */
SB_MUST_USE enum sb_err sb_timeout_modify(sb_timeout_ref ref, uint32_t ticks);

/** No call and no signal of this timeout comes any more: a signal that waits in the caller's queue is freed. *ref becomes
 *  SB_TIMEOUT_NONE.
 *  Context: any.   Time: linear in the timeouts of the node, then in the caller's queue.
 *  Errors:  SB_ERR_NOT_FOUND  its signal has been received, it has been called, or there was none        [TMO-007] */
SB_MUST_USE enum sb_err sb_timeout_withdraw(sb_timeout_ref *ref);

/** Body of the server. Never returns.   Context: the entry of a priority task, one per node */
void sb_timeout_task(void);

/** Inner contract of the server: make the caller the server; take the first timeout that is due, NULL if none is. */
void sb_timeout_serve(void);
struct sb_timeout *sb_timeout_take(void);

#endif
