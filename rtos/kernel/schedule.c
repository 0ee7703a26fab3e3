/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Who runs. The heart keeps two words: `current`, whose context is loaded, and `next`, the most urgent ready
 *  task. Waking and waiting keep `next` right; this file makes them equal. */
#include "kernel.h"
#include "stack_mark.h"

void sb_switch_locked(struct sb_node *node)
{
    struct sb_task *from = node->current;
    struct sb_task *to = node->next;
    SB_PROBE(switch_begin, from);
    if (SB_HOOKED) {
        if (SB_CHECKED) {
            sb_stack_check(from);
            sb_stack_check_resting(to);
        }
        node->counters.switches++;
        if (node->hooks.swap != NULL) {
            node->hooks.swap(from->addr, to->addr);
        }
    }
    node->current = to;
    node->self = to;
    port_switch(from, to);
    /* Here somebody has switched back to `from`: what this stack remembers is the task that now runs. */
    SB_PROBE_NOP(switch_end, from);
}

enum sb_err sb_rest_locked(struct sb_node *node, struct sb_task *task, uint32_t timeout_ticks)
{
    node->next = sb_most_urgent_locked(node);
    if (timeout_ticks != SB_FOREVER) {
        sb_timer_queue_arm(&node->timers, task, timeout_ticks);
    }
    sb_switch_locked(node);
    return task->wake;
}

_Noreturn void sb_task_main(void)
{
    struct sb_task *task = port_node()->current;
    SB_PROBE_NOP(switch_end, task);
    if (task->kind == SB_TASK_IDLE) {
        port_unmask();
        port_idle();
    }
    port_unmask();
    task->entry();
    SB_IGNORE(sb_task_kill(task->addr));
    sb_fatal(SB_ERR_CORRUPT, "task-end");
}

/** Everything that is activated, the most urgent first, until nothing is. On the interrupt stack, interrupts
 *  masked. */
static void run_interrupts(void)
{
    struct sb_node *node = port_node();
    struct sb_task *task;
    while ((task = sb_ready_first(&node->interrupts)) != NULL) {
        sb_ready_remove(&node->interrupts, task);
        task->state = SB_STATE_RUNNING;
        node->self = task;
        SB_PROBE(isr_enter, task);
        task->entry();
        SB_PROBE(isr_exit, task);
        if (task->state == SB_STATE_RUNNING) {
            task->state = SB_STATE_IDLE;
        }
    }
    node->self = node->current;
}

void sb_interrupt_activate(struct sb_task *task)
{
    if (task->state != SB_STATE_READY) {
        task->state = SB_STATE_READY;
        sb_ready_append(&port_node()->interrupts, task);
    }
}

bool sb_interrupt(void (*handler)(void))
{
    struct sb_node *node = port_node();
    node->interrupted = 1;
    if (handler != NULL) {
        handler();
    }
    run_interrupts();
    node->interrupted = 0;
    return node->next != node->current;
}

void sb_interrupt_switch(void)
{
    sb_switch_locked(port_node());
}

void sb_interrupt_spurious(void)
{
    port_node()->counters.spurious_irqs++;
}

void sb_activate_locked(struct sb_node *node, struct sb_task *task)
{
    sb_interrupt_activate(task);
    if (node->interrupted) {
        return;
    }
    struct sb_task *current = node->current;
    SB_PROBE(switch_begin, current);
    node->interrupted = 1;
    port_call_interrupt(run_interrupts);
    node->interrupted = 0;
    if (node->next != current) {
        sb_switch_locked(node);
    } else {
        SB_PROBE_NOP(switch_end, current);
    }
}
