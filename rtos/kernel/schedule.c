/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Who runs. The heart keeps two words: `current`, whose context is loaded, and `next`, the most urgent ready
 *  task. Waking and waiting keep `next` right; this file makes them equal. */
#include "kernel.h"
#include "stack_mark.h"

void sb_switch_hooked_locked(struct sb_node *node, struct sb_task *from, struct sb_task *to)
{
    if (SB_CHECKED) {
        sb_stack_check(from);
        sb_stack_check_resting(to);
    }
    node->counters.switches++;
    if (node->hooks.swap != NULL) {
        node->hooks.swap(from->addr, to->addr);
    }
}

void sb_switch_locked(struct sb_node *node)
{
    sb_switch_here_locked(node, node->current, node->next);
}

enum sb_err sb_rest_locked(struct sb_node *node, struct sb_task *task, uint32_t timeout_ticks)
{
    node->next = sb_most_urgent_locked(node);
    if (timeout_ticks != SB_FOREVER) {
        task->flags |= SB_TASK_TIMING;
        sb_timer_arm_locked(node, &task->timer, timeout_ticks);
    }
    SB_PROBE_NOP(switch_begin, task);
    sb_switch_begun_locked(node, task, node->next);
    return (enum sb_err)task->wake;
}

void sb_join_locked(struct sb_node *node, struct sb_wait_list *list)
{
    struct sb_task *task = node->current;
    sb_ready_remove(&node->ready, task);
    task->waits = list;
    task->state = SB_STATE_WAIT_LIST;
    sb_waiters_insert(list, task);
}

enum sb_err sb_wait_in_locked(struct sb_node *node, struct sb_wait_list *list, uint32_t timeout_ticks)
{
    sb_join_locked(node, list);
    return sb_rest_locked(node, node->current, timeout_ticks);
}

void sb_wake_flagged_locked(struct sb_node *node, struct sb_task *task)
{
    if ((task->flags & SB_TASK_TIMING) != 0) {
        task->flags &= (uint8_t)~SB_TASK_TIMING;
        sb_timer_queue_remove(&node->timers, &task->timer);
    }
    if ((task->flags & SB_TASK_HALTED) != 0) {
        task->state = SB_STATE_STOPPED;
        return;
    }
    sb_ready_locked(node, task);
    sb_tell_class_locked(node, task);
}

void sb_wake_switch_flagged_locked(struct sb_node *node, struct sb_task *task)
{
    sb_wake_flagged_locked(node, task);
    sb_reschedule_locked(node);
}

void sb_withdraw_locked(struct sb_node *node, struct sb_task *task)
{
    struct sb_wait_list *list = task->waits;
    sb_leave_locked(task);
    if (list->changed != NULL) {
        list->changed(node, list);
    }
}

void sb_priority_apply_locked(struct sb_node *node, struct sb_task *task, uint32_t priority, bool in_front)
{
    if (task->state == SB_STATE_READY && task->kind != SB_TASK_INTERRUPT) {
        sb_ready_remove(&node->ready, task);
        task->priority = (uint8_t)priority;
        sb_ready_append(&node->ready, task);
        if (in_front && task == node->current) {
            node->ready.first[priority] = task;
        }
        sb_tell_class_locked(node, task);
        node->next = sb_most_urgent_locked(node);
    } else if (task->state == SB_STATE_WAIT_LIST) {
        struct sb_wait_list *list = task->waits;
        sb_waiters_remove(list, task);
        task->priority = (uint8_t)priority;
        sb_waiters_insert(list, task);
        if (list->changed != NULL) {
            list->changed(node, list);
        }
    } else {
        task->priority = (uint8_t)priority;
    }
}

SB_COLD _Noreturn void sb_task_main(void)
{
    struct sb_task *task = port_node()->current;
    SB_PROBE_NOP(switch_end, task);
    if (task->kind == SB_TASK_IDLE) {
        port_unmask();
        port_idle();
    }
    port_unmask();
    const struct sb_task_config *config = task->config;
    if (config->task_class != NULL && config->task_class->body != NULL) {
        config->task_class->body(task);
    } else {
        config->entry();
    }
    SB_IGNORE(sb_task_kill(task->addr));
    sb_fatal(SB_ERR_CORRUPT, "task-end");
}

/* ---- interrupt tasks */

/** The body of an interrupt task that is in no queue, as far as nothing more urgent may come. What the caller says of the
 *  processor (self, level) is its business. */
static inline void run_body(struct sb_node *node, struct sb_task *task)
{
    const uint32_t priority = task->priority;
    task->state = SB_STATE_RUNNING;
    node->self = task;
    node->level = priority;
    SB_PROBE(isr_enter, task);
    if (priority == 0) {
        task->config->entry();
    } else {
        port_call_nesting(task->config->entry, priority);
    }
    SB_PROBE_NOP(isr_exit, task);
    if (task->state == SB_STATE_RUNNING) {
        task->state = task->flags == 0 ? SB_STATE_IDLE : SB_STATE_STOPPED;
    }
}

/** Everything that is activated and more urgent than what runs, the most urgent first. On the interrupt stack, interrupts
 *  masked; while a body runs only as far as nothing more urgent may come. */
static void run_interrupts(void)
{
    struct sb_node *node = port_node();
    struct sb_task *outer = node->self;
    const uint32_t level = node->level;
    struct sb_task *task;
    while ((task = sb_ready_first(&node->interrupts)) != NULL && task->priority < level) {
        sb_ready_remove(&node->interrupts, task);
        run_body(node, task);
    }
    node->level = level;
    node->self = outer;
}

void sb_interrupt_activate(struct sb_task *task)
{
    if (task->state > SB_STATE_READY) {
        task->state = SB_STATE_READY;
        sb_ready_append(&port_node()->interrupts, task);
    }
}

static inline void call_handler(struct sb_node *node, void (*handler)(void))
{
    if (handler != NULL) {
        const uint32_t level = node->level;
        node->level = 0;
        handler();
        node->level = level;
    }
}

/** Interrupt context ends. Nobody has asked the idle task whether it may be preempted. */
static inline bool leave_interrupt(struct sb_node *node, uint32_t held)
{
    node->held = held;
    return node->next != node->current && (held == 0 || node->current == &node->idle);
}

bool sb_interrupt(void (*handler)(void))
{
    struct sb_node *node = port_node();
    const uint32_t held = node->held;
    node->held = held | SB_HELD_INTERRUPT;
    call_handler(node, handler);
    if (node->interrupts.levels != 0) {
        run_interrupts();
    }
    return leave_interrupt(node, held);
}

/** As sb_interrupt_task, where something else is activated or the task's body runs. */
SB_COLD static void run_with_others(struct sb_task *task)
{
    sb_interrupt_activate(task);
    run_interrupts();
}

bool sb_interrupt_task(struct sb_task *task)
{
    struct sb_node *node = port_node();
    const uint32_t held = node->held;
    node->held = held | SB_HELD_INTERRUPT;
    if (node->interrupts.levels == 0 && task->state == SB_STATE_IDLE) {
        /* Nothing else wants to run, so this needs no queue. What was interrupted is a task. */
        run_body(node, task);
        node->level = SB_PRIORITIES;
        node->self = node->current;
        if (node->interrupts.levels != 0) {
            run_interrupts();
        }
    } else {
        run_with_others(task);
    }
    return leave_interrupt(node, held);
}

void sb_interrupt_nested(void (*handler)(void))
{
    call_handler(port_node(), handler);
    run_interrupts();
}

void sb_interrupt_switch(void)
{
    struct sb_node *node = port_node();
    sb_switch_here_locked(node, node->current, node->next);
}

SB_COLD void sb_interrupt_spurious(void)
{
    port_node()->counters.spurious_irqs++;
}

/** The body of the interrupt task that sb_activate_locked has named. */
static void run_named(void)
{
    struct sb_node *node = port_node();
    run_body(node, node->self);
    node->level = SB_PRIORITIES;
    node->self = node->current;
    if (node->interrupts.levels != 0) {
        run_interrupts();
    }
}

void sb_activate_locked(struct sb_node *node, struct sb_task *task)
{
    const uint32_t held = node->held;
    if ((held & SB_HELD_INTERRUPT) != 0 || task->state != SB_STATE_IDLE) {
        sb_interrupt_activate(task);
        if ((held & SB_HELD_INTERRUPT) != 0) {
            run_interrupts();
        }
        return; /* if a task calls: it is stopped, nothing else keeps it from being idle */
    }
    struct sb_task *current = node->current;
    SB_PROBE_NOP(switch_begin, current);
    node->held = held | SB_HELD_INTERRUPT;
    node->self = task;
    port_call_interrupt(run_named);
    node->held = held;
    if (node->next != current && held == 0) {
        sb_switch_locked(node);
    } else {
        SB_PROBE_NOP(switch_end, current);
    }
}
