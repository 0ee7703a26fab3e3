/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/rwlock.h"

#include "kernel.h"

/** Whether a waiting task wants to write: its `wanted` is the lock, else NULL. */
static bool wants_to_write(const struct sb_task *task)
{
    return task->wanted != NULL;
}

/** Everybody from the front of the list who can have the lock gets it. */
static void grant_locked(struct sb_node *node, struct sb_rwlock *lock)
{
    struct sb_task *task;
    while ((task = lock->waiters.first) != NULL && lock->writer == NULL) {
        if (!wants_to_write(task)) {
            lock->readers++;
        } else if (lock->readers == 0) {
            lock->writer = task;
        } else {
            return;
        }
        sb_leave_locked(task);
        sb_wake_locked(node, task, SB_OK);
    }
}

static void waiters_changed(struct sb_node *node, struct sb_wait_list *list)
{
    grant_locked(node, (struct sb_rwlock *)(void *)list);
}

void sb_rwlock_init(struct sb_rwlock *lock)
{
    sb_check(lock != NULL, SB_ERR_ARGUMENT, "rwlock-null");
    lock->writer = NULL;
    lock->readers = 0;
    sb_wait_list_init(&lock->waiters, waiters_changed);
}

/** Whether the caller can have it at once; if so it has it. */
static bool take_locked(struct sb_rwlock *lock, struct sb_task *task, bool write)
{
    if (lock->writer != NULL || (write && lock->readers != 0)) {
        return false;
    }
    const struct sb_task *first = lock->waiters.first;
    if (first != NULL && first->priority <= task->priority) {
        return false;
    }
    if (write) {
        lock->writer = task;
    } else {
        lock->readers++;
    }
    return true;
}

static enum sb_err acquire(struct sb_rwlock *lock, bool write, uint32_t timeout_ticks)
{
    SB_PROBE(kernel_enter, SB_SERVICE_RWLOCK_LOCK);
    struct sb_node *node = port_node();
    sb_check(lock != NULL, SB_ERR_ARGUMENT, "rwlock-null");
    sb_check(timeout_ticks == 0 ? sb_in_task(node) : sb_may_wait(node), SB_ERR_CONTEXT, "rwlock-context");
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = node->current;
    if (!sb_in_task(node)) {
        err = SB_ERR_CONTEXT;
    } else if (lock->writer == task) {
        err = SB_ERR_DEADLOCK;
    } else if (!take_locked(lock, task, write)) {
        if (timeout_ticks == 0) {
            err = SB_ERR_TIMEOUT;
        } else if ((err = sb_wait_possible(node, timeout_ticks)) == SB_OK) {
            task->wanted = write ? lock : NULL;
            err = sb_wait_in_locked(node, &lock->waiters, timeout_ticks);
        }
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_RWLOCK_LOCK);
    return err;
}

enum sb_err sb_rwlock_read(struct sb_rwlock *lock, uint32_t timeout_ticks)
{
    return acquire(lock, false, timeout_ticks);
}

enum sb_err sb_rwlock_write(struct sb_rwlock *lock, uint32_t timeout_ticks)
{
    return acquire(lock, true, timeout_ticks);
}

enum sb_err sb_rwlock_unlock(struct sb_rwlock *lock)
{
    SB_PROBE(kernel_enter, SB_SERVICE_RWLOCK_UNLOCK);
    struct sb_node *node = port_node();
    sb_check(lock != NULL, SB_ERR_ARGUMENT, "rwlock-null");
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    if (lock->writer == node->self) {
        lock->writer = NULL;
    } else if (lock->readers != 0) {
        lock->readers--;
    } else {
        err = SB_ERR_ARGUMENT;
    }
    if (err == SB_OK) {
        grant_locked(node, lock);
        sb_reschedule_locked(node);
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_RWLOCK_UNLOCK);
    return err;
}
