/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_MUTEX_H
#define SIGNALBOX_MUTEX_H
/** @file
 *  Mutexes. Whoever holds one runs at least as urgently as the most urgent task that waits for it, and so does whoever that
 *  holder waits for (transitive inheritance); or, with a ceiling, at that priority as long as it holds it. A mutex goes
 *  from hand to hand: the most urgent waiter gets it from the unlock, nobody steals it in between. The holder may lock again
 *  and must then unlock as often. When a holder dies the next one gets the mutex and SB_ERR_ABANDONED.
 *
 *  Nothing of this is in an image that sets up no mutex. None of it crosses nodes. */
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"
#include "signalbox/wait_list.h"

/** Ceiling of a mutex without one. */
#define SB_MUTEX_INHERIT 32u

/** Set up with sb_mutex_init; fields are the kernel's. */
struct sb_mutex {
    struct sb_wait_list waiters; /* first: it is found from the list */
    struct sb_task *owner;       /**< NULL: free */
    struct sb_mutex *next_owned; /**< of the same owner */
    uint32_t depth;              /**< how often the owner has locked it */
    uint8_t ceiling;
    uint8_t abandoned; /**< its last owner died holding it */
};

/** Make `mutex` free. `ceiling`: SB_MUTEX_INHERIT, or a priority (0..31) at least as urgent as that of every task that
 *  locks it.
 *  Context: any, before its first use.
 *  Asserts: (checked) `mutex-null`; `mutex-ceiling` above 32.                                          [MTX-001] */
void sb_mutex_init(struct sb_mutex *mutex, uint32_t ceiling);

/** Lock `mutex`; waits while another task holds it.
 *  Context: waiting.   Time: O(1) if free; otherwise linear in its waiters, and those of each object on the chain of holders
 *  that wait (at most the tasks of the node).
 *  Errors:  SB_ERR_ABANDONED  locked, but what it protects may be half changed
 *           SB_ERR_DEADLOCK   the holder waits, over other mutexes, for the caller: not locked
 *           SB_ERR_FULL       locked 2^32-1 times by the caller
 *           SB_ERR_CONTEXT    called by an interrupt task: not locked
 *           SB_ERR_ARGUMENT   the caller's own priority is more urgent than the ceiling: not locked
 *  Asserts: (checked) `mutex-context`; `mutex-null`.                                                   [MTX-002] */
SB_MUST_USE enum sb_err sb_mutex_lock(struct sb_mutex *mutex);

/** As sb_mutex_lock, at most `timeout_ticks` (0 tries once).   Context: task for 0, waiting otherwise.
 *  Errors: further SB_ERR_TIMEOUT, SB_ERR_NO_TICK                                                      [MTX-003] */
SB_MUST_USE enum sb_err sb_mutex_lock_timeout(struct sb_mutex *mutex, uint32_t timeout_ticks);

/** Undo one lock. After the last the most urgent waiter has the mutex, and the caller its own priority.
 *  Context: the task that holds it.   Time: O(1), plus one step per other mutex of the caller.
 *  Errors:  SB_ERR_ARGUMENT  the caller does not hold it
 *  Asserts: (checked) `mutex-null`; `mutex-not-owned`.                                                 [MTX-004] */
SB_MUST_USE enum sb_err sb_mutex_unlock(struct sb_mutex *mutex);

/** Who holds it, SB_ADDR_NONE if nobody.   Context: any */
sb_addr sb_mutex_owner(const struct sb_mutex *mutex);

#endif
