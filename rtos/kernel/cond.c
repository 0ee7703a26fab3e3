/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/cond.h"

#include "kernel.h"

void sb_cond_init(struct sb_cond *cond)
{
    sb_check(cond != NULL, SB_ERR_ARGUMENT, "cond-null");
    sb_wait_list_init(&cond->waiters, NULL);
}

/** The caller waits, at the priority that it has without the mutex, and the mutex goes to the next. */
static enum sb_err wait_locked(struct sb_node *node, struct sb_cond *cond, struct sb_mutex *mutex,
                               uint32_t timeout_ticks)
{
    struct sb_task *task = node->current;
    sb_mutex_pass_on_locked(node, mutex, SB_OK);
    const uint32_t priority = sb_priority_due(node, task);
    if (priority != task->priority) {
        sb_priority_apply_locked(node, task, priority, true);
    }
    return sb_wait_in_locked(node, &cond->waiters, timeout_ticks);
}

enum sb_err sb_cond_wait(struct sb_cond *cond, struct sb_mutex *mutex, uint32_t timeout_ticks)
{
    SB_PROBE(kernel_enter, SB_SERVICE_COND_WAIT);
    struct sb_node *node = port_node();
    sb_check(cond != NULL && mutex != NULL, SB_ERR_ARGUMENT, "cond-null");
    sb_check(sb_may_wait(node), SB_ERR_CONTEXT, "cond-context");
    enum sb_err err;
    uint32_t depth = 0;
    const uint32_t state = port_lock();
    if (mutex->owner != node->self) {
        err = SB_ERR_ARGUMENT;
    } else if (timeout_ticks == 0) {
        err = SB_ERR_TIMEOUT;
    } else if ((err = sb_wait_possible(node, timeout_ticks)) == SB_OK) {
        depth = mutex->depth;
        err = wait_locked(node, cond, mutex, timeout_ticks);
    }
    port_unlock(state);
    if (depth != 0) {
        const enum sb_err locked = sb_mutex_lock(mutex);
        if (locked == SB_OK || locked == SB_ERR_ABANDONED) {
            mutex->depth = depth; /* the caller's alone: it holds the mutex */
        }
        err = locked != SB_OK ? locked : err;
    }
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_COND_WAIT);
    return err;
}

static void wake(struct sb_cond *cond, bool all)
{
    SB_PROBE(kernel_enter, SB_SERVICE_COND_SIGNAL);
    struct sb_node *node = port_node();
    sb_check(cond != NULL, SB_ERR_ARGUMENT, "cond-null");
    const uint32_t state = port_lock();
    struct sb_task *task;
    while ((task = cond->waiters.first) != NULL) {
        sb_leave_locked(task);
        sb_wake_locked(node, task, SB_OK);
        if (!all) {
            break;
        }
    }
    sb_reschedule_locked(node);
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_COND_SIGNAL);
}

void sb_cond_signal(struct sb_cond *cond)
{
    wake(cond, false);
}

void sb_cond_broadcast(struct sb_cond *cond)
{
    wake(cond, true);
}
