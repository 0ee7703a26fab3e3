/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/sem.h"

#include "kernel.h"

/* ---- fast semaphores */

enum sb_err sb_fsem_signal(sb_addr to)
{
    SB_PROBE(kernel_enter, SB_SERVICE_FSEM_SIGNAL);
    struct sb_node *node = port_node();
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, to);
    if (task == NULL) {
        err = SB_ERR_DEAD;
    } else if (task->state == SB_STATE_WAIT_FSEM) {
        sb_wake_switch_locked(node, task, SB_OK);
    } else {
        if (task->fsem < INT32_MAX) {
            task->fsem++;
        } else {
            err = SB_ERR_FULL;
        }
        if (task->kind == SB_TASK_INTERRUPT) {
            sb_activate_locked(node, task);
        }
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_FSEM_SIGNAL);
    return err;
}

/** Take one if there is one. Only the task itself takes, so what is there stays there. */
static inline bool fsem_take(struct sb_task *task)
{
    if (task->fsem <= 0) {
        return false;
    }
    const uint32_t state = port_lock();
    task->fsem--;
    port_unlock(state);
    return true;
}

/** There was none; there may be one now. */
static enum sb_err fsem_wait_slowly(struct sb_node *node, uint32_t timeout_ticks)
{
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = node->self;
    if (task->fsem > 0) {
        task->fsem--;
    } else if (timeout_ticks == 0) {
        err = SB_ERR_TIMEOUT;
    } else if ((err = sb_wait_possible(node, timeout_ticks)) == SB_OK) {
        err = sb_wait_locked(node, task, SB_STATE_WAIT_FSEM, timeout_ticks);
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_FSEM_WAIT);
    return err;
}

enum sb_err sb_fsem_wait_timeout(uint32_t timeout_ticks)
{
    SB_PROBE(kernel_enter, SB_SERVICE_FSEM_WAIT);
    struct sb_node *node = port_node();
    sb_check(timeout_ticks == 0 || sb_may_wait(node), SB_ERR_CONTEXT, "fsem-context");
    if (fsem_take(node->self)) {
        SB_PROBE_NOP(kernel_exit, SB_SERVICE_FSEM_WAIT);
        return SB_OK;
    }
    return fsem_wait_slowly(node, timeout_ticks);
}

void sb_fsem_wait(void)
{
    SB_IGNORE(sb_fsem_wait_timeout(SB_FOREVER));
}

enum sb_err sb_fsem_set(int32_t value)
{
    if (value < 0) {
        return SB_ERR_ARGUMENT;
    }
    port_node()->self->fsem = value; /* one word: whoever interrupts sees the old or the new */
    return SB_OK;
}

SB_COLD enum sb_err sb_fsem_set_of(sb_addr addr, int32_t value)
{
    if (value < 0) {
        return SB_ERR_ARGUMENT;
    }
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(port_node(), addr);
    enum sb_err err = SB_OK;
    if (task == NULL) {
        err = SB_ERR_DEAD;
    } else if (task->state == SB_STATE_WAIT_FSEM) {
        err = SB_ERR_BUSY;
    } else {
        task->fsem = value;
    }
    port_unlock(state);
    return err;
}

int32_t sb_fsem_value(sb_addr addr)
{
    const struct sb_task *task = sb_task_local(port_node(), addr);
    if (task == NULL) {
        return SB_ERR_DEAD;
    }
    return task->state == SB_STATE_WAIT_FSEM ? -1 : task->fsem;
}

/* ---- counting semaphores */

void sb_sem_init(struct sb_sem *sem, int32_t count)
{
    sem->count = count;
    sb_wait_list_init(&sem->waiters, NULL);
}

enum sb_err sb_sem_signal(struct sb_sem *sem)
{
    SB_PROBE(kernel_enter, SB_SERVICE_SEM_SIGNAL);
    struct sb_node *node = port_node();
    sb_check(sem != NULL, SB_ERR_ARGUMENT, "sem-null");
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = sem->waiters.first;
    if (task != NULL) {
        sb_leave_locked(task);
        sb_wake_switch_locked(node, task, SB_OK);
    } else if (sem->count < INT32_MAX) {
        sem->count++;
    } else {
        err = SB_ERR_FULL;
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_SEM_SIGNAL);
    return err;
}

enum sb_err sb_sem_wait_timeout(struct sb_sem *sem, uint32_t timeout_ticks)
{
    SB_PROBE(kernel_enter, SB_SERVICE_SEM_WAIT);
    struct sb_node *node = port_node();
    sb_check(sem != NULL, SB_ERR_ARGUMENT, "sem-null");
    sb_check(timeout_ticks == 0 || sb_may_wait(node), SB_ERR_CONTEXT, "sem-context");
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    if (sem->count > 0) {
        sem->count--;
    } else if (timeout_ticks == 0) {
        err = SB_ERR_TIMEOUT;
    } else if ((err = sb_wait_possible(node, timeout_ticks)) == SB_OK) {
        err = sb_wait_in_locked(node, &sem->waiters, timeout_ticks);
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_SEM_WAIT);
    return err;
}

void sb_sem_wait(struct sb_sem *sem)
{
    SB_IGNORE(sb_sem_wait_timeout(sem, SB_FOREVER));
}

int32_t sb_sem_value(const struct sb_sem *sem)
{
    return sem->count;
}
