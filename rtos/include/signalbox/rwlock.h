/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_RWLOCK_H
#define SIGNALBOX_RWLOCK_H
/** @file
 *  Reader-writer locks: many readers or one writer. Everybody waits in one list, the most urgent first, FIFO inside a level;
 *  a reader does not pass a writer that waits and is at least as urgent, so neither side starves the other. Nobody lends
 *  priority to holders: there may be many. A lock whose holder dies stays taken. None of it crosses nodes. */
#include <stdint.h>

#include "signalbox/err.h"
#include "signalbox/wait_list.h"

/** Set up with sb_rwlock_init; fields are the kernel's. */
struct sb_rwlock {
    struct sb_wait_list waiters; /* first: it is found from the list */
    struct sb_task *writer;      /**< NULL: none */
    uint32_t readers;
};

/** Context: any, before its first use.   Asserts: (checked) `rwlock-null`.                              [RWL-001] */
void sb_rwlock_init(struct sb_rwlock *lock);

/** Lock for reading; waits, at most `timeout_ticks` (0 tries once). A task that reads already may wait for itself behind a
 *  writer: do not nest.
 *  Context: task for 0, waiting otherwise.   Time: O(1) without waiting; otherwise linear in the waiters.
 *  Errors:  SB_ERR_TIMEOUT, SB_ERR_NO_TICK
 *           SB_ERR_DEADLOCK  the caller is the writer
 *           SB_ERR_CONTEXT   called by an interrupt task
 *  Asserts: (checked) `rwlock-context`; `rwlock-null`.                                                  [RWL-002] */
SB_MUST_USE enum sb_err sb_rwlock_read(struct sb_rwlock *lock, uint32_t timeout_ticks);

/** Lock for writing; otherwise as sb_rwlock_read.                                                       [RWL-003] */
SB_MUST_USE enum sb_err sb_rwlock_write(struct sb_rwlock *lock, uint32_t timeout_ticks);

/** Undo one lock of the caller's: writing if it is the writer, else reading.
 *  Context: task.   Time: linear in the waiters that get it, one critical section.
 *  Errors:  SB_ERR_ARGUMENT  nobody reads, and the caller does not write
 *  Asserts: (checked) `rwlock-null`.                                                                    [RWL-004] */
SB_MUST_USE enum sb_err sb_rwlock_unlock(struct sb_rwlock *lock);

#endif
