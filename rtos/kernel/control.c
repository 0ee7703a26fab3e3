/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Who may run, and how urgently: start, stop, priorities, yield. */
#include "kernel.h"
#include "signalbox/config_types.h"

/** Let the most urgent task run, as sb_reschedule_locked; the caller in any case if it cannot go on itself. */
static void reschedule_from_locked(struct sb_node *node)
{
    if ((node->held & SB_HELD_INTERRUPT) == 0 && node->current->state != SB_STATE_READY) {
        sb_switch_locked(node);
    } else {
        sb_reschedule_locked(node);
    }
}

static void halt_locked(struct sb_node *node, struct sb_task *task)
{
    task->flags |= SB_TASK_HALTED;
    if (task->kind == SB_TASK_INTERRUPT) {
        if (task->config->irq >= 0) {
            port_irq_disable((uint32_t)task->config->irq);
        }
        if (task->state == SB_STATE_READY) {
            sb_ready_remove(&node->interrupts, task);
        }
        if (task->state != SB_STATE_RUNNING) { /* if it runs, its end does this */
            task->state = SB_STATE_STOPPED;
        }
    } else if (task->state == SB_STATE_READY) {
        sb_ready_remove(&node->ready, task);
        task->state = SB_STATE_STOPPED;
        node->next = sb_most_urgent_locked(node);
        reschedule_from_locked(node);
    }
}

enum sb_err sb_task_stop(sb_addr addr)
{
    SB_PROBE(kernel_enter, SB_SERVICE_STOP);
    struct sb_node *node = port_node();
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, addr);
    if (task == NULL) {
        err = SB_ERR_DEAD;
    } else if (task->stops == UINT8_MAX) {
        err = SB_ERR_FULL;
    } else if (task->stops++ == 0) {
        halt_locked(node, task);
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_STOP);
    return err;
}

enum sb_err sb_task_wake(sb_addr addr)
{
    struct sb_node *node = port_node();
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, addr);
    if (task == NULL) {
        err = SB_ERR_DEAD;
    } else if (task->state != SB_STATE_DELAYED) {
        err = SB_ERR_ARGUMENT;
    } else {
        sb_wake_switch_locked(node, task, SB_ERR_WOKEN);
    }
    port_unlock(state);
    return err;
}

static void resume_locked(struct sb_node *node, struct sb_task *task)
{
    const bool fresh = (task->flags & SB_TASK_NEW) != 0;
    task->flags &= (uint8_t) ~(SB_TASK_HALTED | SB_TASK_NEW);
    if (fresh) {
        sb_task_begin_locked(node, task);
    } else if (task->kind == SB_TASK_INTERRUPT) {
        if (task->state == SB_STATE_STOPPED) {
            task->state = SB_STATE_IDLE;
        }
        if (task->config->irq >= 0) {
            port_irq_enable((uint32_t)task->config->irq);
        }
        sb_activate_locked(node, task); /* what has come meanwhile was not counted */
        return;
    } else if (task->state == SB_STATE_STOPPED) {
        sb_wake_locked(node, task, (enum sb_err)task->wake);
    }
    sb_reschedule_locked(node);
}

enum sb_err sb_task_start(sb_addr addr)
{
    SB_PROBE(kernel_enter, SB_SERVICE_START);
    struct sb_node *node = port_node();
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, addr);
    if (task == NULL) {
        err = SB_ERR_DEAD;
    } else if (task->stops == 0) {
        err = SB_ERR_ARGUMENT;
    } else if (--task->stops == 0) {
        resume_locked(node, task);
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_START);
    return err;
}

enum sb_err sb_task_priority_set(sb_addr addr, uint32_t priority)
{
    SB_PROBE(kernel_enter, SB_SERVICE_PRIORITY);
    struct sb_node *node = port_node();
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, addr);
    if (task == NULL) {
        err = SB_ERR_DEAD;
    } else if (priority >= SB_PRIORITIES || task->kind == SB_TASK_INTERRUPT) {
        err = SB_ERR_ARGUMENT;
    } else {
        task->base_priority = (uint8_t)priority;
        sb_priority_apply_locked(node, task, sb_priority_due(node, task), false);
        sb_reschedule_locked(node);
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_PRIORITY);
    return err;
}

/** The most urgent of all, where something may have held it back. */
static void yield_slowly_locked(struct sb_node *node)
{
    (void)sb_ready_rotate(&node->ready, node->current);
    node->next = sb_most_urgent_locked(node);
    if (node->next != node->current && sb_may_wait(node)) {
        sb_switch_locked(node);
    }
}

void sb_yield(void)
{
    SB_PROBE(kernel_enter, SB_SERVICE_YIELD);
    struct sb_node *node = port_node();
    sb_check(sb_may_wait(node), SB_ERR_CONTEXT, "yield-context");
    const uint32_t state = port_lock();
    struct sb_task *task = node->current;
    struct sb_task *next = task->next;
    if (node->held != 0) {
        yield_slowly_locked(node);
    } else if (next != task) {
        /* Nothing is held back, so the caller is the front of the most urgent level: who stands behind it is next. */
        node->ready.first[task->priority] = next;
        node->next = next;
        sb_switch_here_locked(node, task, next);
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_YIELD);
}

void sb_preemption_off(void)
{
    struct sb_node *node = port_node();
    const uint32_t state = port_lock();
    node->held += SB_HELD_ONE;
    port_unlock(state);
}

void sb_preemption_on(void)
{
    struct sb_node *node = port_node();
    sb_check(node->held >= SB_HELD_ONE, SB_ERR_CONTEXT, "preemption-on");
    const uint32_t state = port_lock();
    node->held -= SB_HELD_ONE;
    sb_reschedule_locked(node);
    port_unlock(state);
}
