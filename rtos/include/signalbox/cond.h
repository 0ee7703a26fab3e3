/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_COND_H
#define SIGNALBOX_COND_H
/** @file
 *  Condition variables: wait, with a mutex released meanwhile, until somebody says that something has changed. Look at the
 *  condition again after each wait: another task may have had the mutex in between. */
#include <stdint.h>

#include "signalbox/err.h"
#include "signalbox/mutex.h"
#include "signalbox/wait_list.h"

/** Set up with sb_cond_init; fields are the kernel's. */
struct sb_cond {
    struct sb_wait_list waiters;
};

/** Context: any, before its first use.   Asserts: (checked) `cond-null`.                                [CND-001] */
void sb_cond_init(struct sb_cond *cond);

/** Release `mutex`, however often it is locked, and wait for sb_cond_signal, at most `timeout_ticks`; in one step, so that
 *  no signal is missed. Then lock the mutex as often again, without time limit.
 *  Context: waiting, the holder of `mutex`.   Time: as sb_mutex_unlock, linear in the waiters, as sb_mutex_lock.
 *  Errors:  SB_ERR_TIMEOUT    nobody signalled in time; the mutex is locked
 *           SB_ERR_ABANDONED  the mutex is locked, its last owner died holding it
 *           SB_ERR_NO_TICK    finite timeout with the tick off: did not wait
 *           SB_ERR_ARGUMENT   the caller does not hold the mutex: did not wait
 *           SB_ERR_DEADLOCK   the mutex's holder waits for the caller: the mutex is not locked
 *  Asserts: (checked) `cond-context`; `cond-null`.                                                      [CND-002] */
SB_MUST_USE enum sb_err sb_cond_wait(struct sb_cond *cond, struct sb_mutex *mutex, uint32_t timeout_ticks);

/** Wake the most urgent waiter, if there is one.
 *  Context: any.   Time: O(1).   Asserts: (checked) `cond-null`.                                        [CND-003] */
void sb_cond_signal(struct sb_cond *cond);

/** Wake all waiters.
 *  Context: any.   Time: linear in the waiters, one critical section.   Asserts: (checked) `cond-null`. [CND-004] */
void sb_cond_broadcast(struct sb_cond *cond);

#endif
