/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_SEM_H
#define SIGNALBOX_SEM_H
/** @file
 *  Semaphores. Every task has a *fast* semaphore that only it waits for and anybody on its node signals; it
 *  starts at 0. A *counting* semaphore is an object of its own; the most urgent waiter gets it first, FIFO
 *  inside a level. Neither crosses nodes.   Source: osek-linx 2.2.3 */
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"
#include "signalbox/wait_list.h"

/** A counting semaphore. Set up with sb_sem_init; fields are the kernel's. */
struct sb_sem {
    int32_t count;
    struct sb_wait_list waiters;
};

/** Signal the fast semaphore of the local task `task`. An interrupt task is activated.
 *  Context: any.   Time: O(1), one critical section.
 *  Errors:  SB_ERR_DEAD  no such task on this node
 *           SB_ERR_FULL  2^31-1 signals are pending: not counted */
SB_MUST_USE enum sb_err sb_fsem_signal(sb_addr task);

/** Take one from the caller's fast semaphore; waits while there is none.
 *  Context: priority task.   Time: O(1).   Asserts: (checked) `fsem-context`. */
void sb_fsem_wait(void);

/** As sb_fsem_wait, at most `timeout_ticks` (0 polls: any context).
 *  Errors: SB_ERR_TIMEOUT, SB_ERR_NO_TICK */
SB_MUST_USE enum sb_err sb_fsem_wait_timeout(uint32_t timeout_ticks);

/** Let `value` (not negative) be pending on the caller's own fast semaphore.
 *  Context: any.   Errors: SB_ERR_ARGUMENT  negative.   Source: osek-linx A1/1.21 */
SB_MUST_USE enum sb_err sb_fsem_set(int32_t value);

/** As sb_fsem_set, for any local task that does not wait for it.
 *  Context: any.   Errors: SB_ERR_ARGUMENT  negative;  SB_ERR_DEAD  no such task on this node;
 *                          SB_ERR_BUSY  it waits for its fast semaphore: nothing happens                [SEM-011] */
SB_MUST_USE enum sb_err sb_fsem_set_of(sb_addr task, int32_t value);

/** What is pending on the fast semaphore of a local task; -1: the task waits for it; SB_ERR_DEAD (-2): no such task.
 *  Context: any */
int32_t sb_fsem_value(sb_addr task);

/** Make `sem` a semaphore with `count` free units.   Context: any, before its first use */
void sb_sem_init(struct sb_sem *sem, int32_t count);

/** Give one unit back; the most urgent waiter gets it.
 *  Context: any.   Time: O(1), one critical section.   Errors: SB_ERR_FULL  2^31-1 units are free: not
 *  counted */
SB_MUST_USE enum sb_err sb_sem_signal(struct sb_sem *sem);

/** Take one unit; waits while there is none.
 *  Context: priority task.   Time: O(1) without waiting; otherwise linear in the waiters, at most the tasks
 *  of the node. Asserts: (checked) `sem-context`; `sem-null`. */
void sb_sem_wait(struct sb_sem *sem);

/** As sb_sem_wait, at most `timeout_ticks` (0 polls: any context).
 *  Errors: SB_ERR_TIMEOUT, SB_ERR_NO_TICK */
SB_MUST_USE enum sb_err sb_sem_wait_timeout(struct sb_sem *sem, uint32_t timeout_ticks);

/** A semaphore with `count` free units (not negative) in a block of the system pool, NULL if no block is free. It outlives
 *  the caller.
 *  Context: any, before its first use.   Time: as sb_alloc_nil.   Asserts: (checked) `sem-count`.
 *  Source: osek-linx A1/1.25                                                                            [SEM-012] */
SB_MUST_USE struct sb_sem *sb_sem_create(int32_t count);

/** Give the block of a semaphore that sb_sem_create has made back.
 *  Context: any.   Time: O(1).
 *  Errors:  SB_ERR_BUSY      tasks wait for it: nothing happens
 *           SB_ERR_ARGUMENT  NULL; (checked) not made by sb_sem_create, or deleted already
 *  Source:  osek-linx A1/1.29                                                                           [SEM-013] */
SB_MUST_USE enum sb_err sb_sem_delete(struct sb_sem *sem);

/** Free units now.   Context: any */
int32_t sb_sem_value(const struct sb_sem *sem);

#endif
