/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Mutexes. A task's priority in force is the most urgent of: its base priority, and per mutex that it holds, the ceiling or
 *  the first waiter's priority. Whenever a waiter comes, goes or changes, the holder's priority is found again; if that
 *  changes and the holder waits itself, its place in that list changes, and so on along the chain. The chain ends: lock
 *  refuses to close a circle. */
#include "signalbox/mutex.h"

#include "kernel.h"

static uint32_t lent_by(const struct sb_mutex *mutex)
{
    const uint32_t waiter = mutex->waiters.first != NULL ? mutex->waiters.first->priority : SB_PRIORITIES;
    return waiter < mutex->ceiling ? waiter : mutex->ceiling;
}

static uint32_t lent_to(const struct sb_task *task)
{
    uint32_t priority = SB_PRIORITIES;
    for (const struct sb_mutex *mutex = task->owned; mutex != NULL; mutex = mutex->next_owned) {
        const uint32_t lent = lent_by(mutex);
        priority = lent < priority ? lent : priority;
    }
    return priority;
}

static struct sb_mutex *waited_for(const struct sb_task *task);

/** Find the priority of a holder again; if it waits for a mutex, then that of its holder, and so on. */
static void adjust_locked(struct sb_node *node, struct sb_task *task)
{
    uint32_t priority;
    while ((priority = sb_priority_due(node, task)) != task->priority) {
        const struct sb_mutex *mutex = waited_for(task);
        if (mutex == NULL) {
            sb_priority_apply_locked(node, task, priority, true);
            return;
        }
        sb_waiters_remove(task->waits, task);
        task->priority = (uint8_t)priority;
        sb_waiters_insert(task->waits, task);
        task = mutex->owner;
    }
}

static void waiters_changed(struct sb_node *node, struct sb_wait_list *list)
{
    struct sb_mutex *mutex = (struct sb_mutex *)(void *)list;
    if (mutex->owner != NULL) {
        adjust_locked(node, mutex->owner);
    }
}

static struct sb_mutex *waited_for(const struct sb_task *task)
{
    const bool waits = task->state == SB_STATE_WAIT_LIST && task->waits->changed == waiters_changed;
    return waits ? (struct sb_mutex *)(void *)task->waits : NULL;
}

static void take_locked(struct sb_task *task, struct sb_mutex *mutex)
{
    mutex->owner = task;
    mutex->depth = 1;
    mutex->next_owned = task->owned;
    task->owned = mutex;
}

void sb_mutex_pass_on_locked(struct sb_node *node, struct sb_mutex *mutex, enum sb_err reason)
{
    struct sb_mutex **link = &mutex->owner->owned;
    while (*link != mutex) {
        link = &(*link)->next_owned;
    }
    *link = mutex->next_owned;
    mutex->owner = NULL;
    struct sb_task *next = mutex->waiters.first;
    if (next == NULL) {
        mutex->abandoned = reason != SB_OK;
        return;
    }
    sb_leave_locked(next);
    take_locked(next, mutex);
    next->priority = (uint8_t)sb_priority_due(node, next); /* a ceiling, or who still waits */
    sb_wake_locked(node, next, reason);
}

static void abandon(struct sb_node *node, struct sb_task *task)
{
    while (task->owned != NULL) {
        sb_mutex_pass_on_locked(node, task->owned, SB_ERR_ABANDONED);
    }
}

static const struct sb_lock_rules rules = {.lent = lent_to, .abandon = abandon};

void sb_mutex_init(struct sb_mutex *mutex, uint32_t ceiling)
{
    sb_check(mutex != NULL, SB_ERR_ARGUMENT, "mutex-null");
    sb_check(ceiling <= SB_MUTEX_INHERIT, SB_ERR_ARGUMENT, "mutex-ceiling");
    *mutex = (struct sb_mutex){.ceiling = (uint8_t)ceiling};
    sb_wait_list_init(&mutex->waiters, waiters_changed);
    port_node()->locks = &rules;
}

/** Whether waiting for `mutex` would close a circle. */
static bool leads_to(const struct sb_mutex *mutex, const struct sb_task *task)
{
    while (mutex != NULL && mutex->owner != task) {
        mutex = waited_for(mutex->owner);
    }
    return mutex != NULL;
}

static enum sb_err wait_locked(struct sb_node *node, struct sb_mutex *mutex, uint32_t timeout_ticks)
{
    struct sb_task *task = node->current;
    if (timeout_ticks == 0) {
        return SB_ERR_TIMEOUT;
    }
    if (leads_to(mutex, task)) {
        return SB_ERR_DEADLOCK;
    }
    const enum sb_err err = sb_wait_possible(node, timeout_ticks);
    if (err != SB_OK) {
        return err;
    }
    sb_join_locked(node, &mutex->waiters);
    adjust_locked(node, mutex->owner);
    return sb_rest_locked(node, task, timeout_ticks);
}

static enum sb_err lock_locked(struct sb_node *node, struct sb_mutex *mutex, uint32_t timeout_ticks)
{
    struct sb_task *task = node->current;
    if (mutex->owner == task) {
        if (mutex->depth == UINT32_MAX) {
            return SB_ERR_FULL;
        }
        mutex->depth++;
        return SB_OK;
    }
    if (task->base_priority < mutex->ceiling && mutex->ceiling != SB_MUTEX_INHERIT) {
        return SB_ERR_ARGUMENT;
    }
    if (mutex->owner != NULL) {
        return wait_locked(node, mutex, timeout_ticks);
    }
    const enum sb_err err = mutex->abandoned ? SB_ERR_ABANDONED : SB_OK;
    mutex->abandoned = 0;
    take_locked(task, mutex);
    if (mutex->ceiling < task->priority) {
        adjust_locked(node, task);
    }
    return err;
}

enum sb_err sb_mutex_lock_timeout(struct sb_mutex *mutex, uint32_t timeout_ticks)
{
    SB_PROBE(kernel_enter, SB_SERVICE_MUTEX_LOCK);
    struct sb_node *node = port_node();
    sb_check(mutex != NULL, SB_ERR_ARGUMENT, "mutex-null");
    sb_check(timeout_ticks == 0 ? sb_in_task(node) : sb_may_wait(node), SB_ERR_CONTEXT, "mutex-context");
    const uint32_t state = port_lock();
    const enum sb_err err = sb_in_task(node) ? lock_locked(node, mutex, timeout_ticks) : SB_ERR_CONTEXT;
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_MUTEX_LOCK);
    return err;
}

enum sb_err sb_mutex_lock(struct sb_mutex *mutex)
{
    return sb_mutex_lock_timeout(mutex, SB_FOREVER);
}

enum sb_err sb_mutex_unlock(struct sb_mutex *mutex)
{
    SB_PROBE(kernel_enter, SB_SERVICE_MUTEX_UNLOCK);
    struct sb_node *node = port_node();
    enum sb_err err = SB_OK;
    sb_check(mutex != NULL, SB_ERR_ARGUMENT, "mutex-null");
    sb_check(mutex->owner == node->self, SB_ERR_ARGUMENT, "mutex-not-owned");
    const uint32_t state = port_lock();
    struct sb_task *task = node->self;
    if (mutex->owner != task) {
        err = SB_ERR_ARGUMENT;
    } else if (--mutex->depth == 0) {
        sb_mutex_pass_on_locked(node, mutex, SB_OK);
        adjust_locked(node, task);
        sb_reschedule_locked(node);
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_MUTEX_UNLOCK);
    return err;
}

sb_addr sb_mutex_owner(const struct sb_mutex *mutex)
{
    const uint32_t state = port_lock();
    const sb_addr owner = mutex->owner != NULL ? mutex->owner->addr : SB_ADDR_NONE;
    port_unlock(state);
    return owner;
}
