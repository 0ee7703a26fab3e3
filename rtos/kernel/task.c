/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Beginning and end of tasks. A slot of the table has one life after the other; each has a generation of its own in its
 *  address, so who holds an old address reaches nobody. */
#include <string.h>

#include "kernel.h"
#include "select.h"
#include "signalbox/config_types.h"
#include "stack_mark.h"

/* ---- beginning */

SB_COLD void sb_task_make(struct sb_node *node, struct sb_task *task, sb_addr addr,
                          const struct sb_task_config *config)
{
    *task = (struct sb_task){
        .addr = addr,
        .state = SB_STATE_STOPPED,
        .kind = config->kind,
        .priority = config->priority,
        .base_priority = config->priority,
        .generation = (uint16_t)sb_addr_generation(addr),
        .stack = config->stack,
        .stack_bytes = config->stack_bytes,
        .config = config,
    };
    const char *name = config->name;
    const uint32_t kind = config->kind;
    const uint32_t priority = config->priority;
    SB_PROBE_NOP(task_create, task, name, kind, priority, addr);
    if (kind != SB_TASK_INTERRUPT) {
        if (SB_HOOKED) {
            sb_stack_paint(task);
        }
        port_context_init(task);
    }
    if (SB_HOOKED && node->hooks.create != NULL) {
        node->hooks.create(addr);
    }
}

SB_COLD void sb_task_begin_locked(struct sb_node *node, struct sb_task *task)
{
    const struct sb_task_config *config = task->config;
    if (config->task_class != NULL && config->task_class->start != NULL) {
        config->task_class->start(node, task);
    }
    if (task->kind != SB_TASK_INTERRUPT) {
        sb_ready_locked(node, task);
        sb_tell_class_locked(node, task);
        return;
    }
    task->state = SB_STATE_IDLE;
    if (config->irq >= 0) {
        port_irq_connect_task((uint32_t)config->irq, task);
    }
}

SB_COLD void sb_task_launch_locked(struct sb_node *node, struct sb_task *task)
{
    if (task->config->stopped) {
        task->stops = 1;
        task->flags = SB_TASK_HALTED | SB_TASK_NEW;
    } else {
        sb_task_begin_locked(node, task);
    }
}

/** The address of the slot's next life. */
SB_COLD static sb_addr next_address(const struct sb_node *node, const struct sb_task *task)
{
    const uint32_t generation =
        task->generation < SB_ADDR_GENERATION_MAX ? task->generation + 1u : SB_FIRST_GENERATION;
    return node->addr_base | (uint32_t)(task - node->tasks) << 10 | generation;
}

SB_COLD static bool stack_valid(const struct sb_task_config *config)
{
    return config->stack != NULL && (uintptr_t)config->stack % 16u == 0 && config->stack_bytes % 16u == 0 &&
           config->stack_bytes >= SB_STACK_BYTES_MIN;
}

SB_COLD static enum sb_err config_check(const struct sb_task_config *config)
{
    if (config == NULL || config->name == NULL || config->entry == NULL ||
        config->priority >= SB_PRIORITIES || config->kind == SB_TASK_IDLE ||
        config->kind > SB_TASK_BEST_EFFORT || config->irq > SB_IRQ_MAX) {
        return SB_ERR_ARGUMENT;
    }
    if (config->kind == SB_TASK_INTERRUPT ? config->stack_bytes != 0 : !stack_valid(config)) {
        return SB_ERR_SIZE;
    }
    if (config->kind == SB_TASK_PERIODIC && (config->task_class == NULL || config->class_state == NULL)) {
        return SB_ERR_ARGUMENT;
    }
    return sb_task_lookup(config->name) == SB_ADDR_NONE ? SB_OK : SB_ERR_BUSY;
}

/** Who watches is told; preemption is off. */
SB_COLD static void tell_begun(struct sb_node *node, struct sb_task *task)
{
    for (uint32_t i = 0; i < SB_WATCHERS_MAX && node->watchers[i] != NULL; i++) {
        if (node->watchers[i]->begun != NULL) {
            node->watchers[i]->begun(node, task);
        }
    }
}

SB_COLD static void tell_ended(struct sb_node *node, sb_addr task)
{
    for (uint32_t i = 0; i < SB_WATCHERS_MAX && node->watchers[i] != NULL; i++) {
        if (node->watchers[i]->ended != NULL) {
            node->watchers[i]->ended(node, task);
        }
    }
}

/** Nobody else runs until the life has begun: the slot is not taken twice, and the name is not given twice. */
SB_COLD static void task_begin(struct sb_node *node, struct sb_task *task,
                               const struct sb_task_config *config, sb_addr *out)
{
    sb_task_make(node, task, next_address(node, task), config);
    *out = task->addr;
    const uint32_t state = port_lock();
    sb_task_launch_locked(node, task);
    port_unlock(state);
    tell_begun(node, task);
}

SB_COLD enum sb_err sb_task_create(const struct sb_task_config *config, sb_addr *out)
{
    struct sb_node *node = port_node();
    sb_check(sb_in_task(node), SB_ERR_CONTEXT, "create-context");
    if (!sb_in_task(node)) {
        return SB_ERR_CONTEXT;
    }
    sb_check(out != NULL, SB_ERR_ARGUMENT, "create-null");
    *out = SB_ADDR_NONE;
    sb_preemption_off();
    enum sb_err err = config_check(config);
    if (err == SB_OK) {
        struct sb_task *task = node->tasks + node->config->task_count;
        const struct sb_task *end = node->tasks + node->task_count;
        while (task < end && task->state != SB_STATE_DEAD) {
            task++;
        }
        if (task < end) {
            task_begin(node, task, config, out);
        } else {
            err = SB_ERR_FULL;
        }
    }
    sb_preemption_on();
    return err;
}

/* ---- end */

/** Out of whatever the task waits in. */
SB_COLD static void detach_locked(struct sb_node *node, struct sb_task *task)
{
    if ((task->flags & SB_TASK_TIMING) != 0) {
        sb_timer_queue_remove(&node->timers, &task->timer);
    }
    if (task->state == SB_STATE_READY) {
        sb_ready_remove(task->kind == SB_TASK_INTERRUPT ? &node->interrupts : &node->ready, task);
    } else if (task->state == SB_STATE_WAIT_LIST) {
        sb_withdraw_locked(node, task);
    }
    task->state = SB_STATE_DEAD;
}

/** Everything that ties a dying task to others, but for its place among the ready ones. */
SB_COLD static void untie_locked(struct sb_node *node, struct sb_task *task)
{
    const struct sb_task_config *config = task->config;
    if (task->owned != NULL) {
        node->locks->abandon(node, task);
    }
    if (config->task_class != NULL && config->task_class->end != NULL && (task->flags & SB_TASK_NEW) == 0) {
        config->task_class->end(node, task);
    }
    if (task->kind == SB_TASK_INTERRUPT && config->irq >= 0) {
        port_irq_connect_task((uint32_t)config->irq, NULL);
    }
}

/** A dead task's signals: nobody adds any more, its address is gone. */
SB_COLD static void queue_free(struct sb_task *task)
{
    while (task->queue.first != NULL) {
        sb_pool_return(sb_queue_take(&task->queue));
    }
}

/** The task with this address dies; preemption is off. Nothing is left of it but, if it is the caller, its place among the
 *  ready tasks. */
SB_COLD static enum sb_err task_end(struct sb_node *node, sb_addr victim)
{
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, victim);
    if (task == NULL) {
        err = SB_ERR_DEAD;
    } else {
        if (SB_HOOKED && node->hooks.kill != NULL) {
            node->hooks.kill(victim);
        }
        task->addr = SB_ADDR_NONE;
        untie_locked(node, task);
        if (task != node->current) {
            detach_locked(node, task);
            node->next = sb_most_urgent_locked(node);
        }
    }
    port_unlock(state);
    if (task != NULL) {
        tell_ended(node, victim);
        queue_free(task);
        sb_pool_reclaim(node, task); /* also what was handed to it and not received */
    }
    return err;
}

SB_COLD enum sb_err sb_task_kill(sb_addr victim)
{
    struct sb_node *node = port_node();
    sb_check(sb_in_task(node), SB_ERR_CONTEXT, "kill-context");
    if (!sb_in_task(node)) {
        return SB_ERR_CONTEXT;
    }
    if (((victim ^ node->addr_base) >> 22) != 0) {
        return SB_ERR_ARGUMENT;
    }
    struct sb_task *self = node->current;
    const bool suicide = victim == self->addr;
    sb_preemption_off();
    const enum sb_err err = task_end(node, victim);
    if (suicide) {
        const uint32_t state = port_lock();
        detach_locked(node, self);
        node->held = node->config->cooperative ? SB_HELD_ONE : 0;
        node->next = sb_most_urgent_locked(node);
        sb_switch_locked(node);
        port_unlock(state);
    }
    sb_preemption_on();
    return err;
}

SB_COLD enum sb_err sb_task_restart(sb_addr task_addr, sb_addr *out)
{
    struct sb_node *node = port_node();
    sb_check(sb_in_task(node), SB_ERR_CONTEXT, "restart-context");
    if (!sb_in_task(node)) {
        return SB_ERR_CONTEXT;
    }
    sb_check(out != NULL, SB_ERR_ARGUMENT, "restart-null");
    *out = SB_ADDR_NONE;
    const uint32_t index = (task_addr ^ node->addr_base) >> 10;
    if (index >= node->task_count) {
        return SB_ERR_ARGUMENT;
    }
    struct sb_task *task = &node->tasks[index];
    if (task == node->current) {
        return SB_ERR_BUSY;
    }
    sb_preemption_off();
    enum sb_err err = SB_OK;
    if (task->generation != sb_addr_generation(task_addr) || task->generation == 0 || task->config == NULL) {
        err = SB_ERR_DEAD;
    } else {
        SB_IGNORE(task_end(node, task_addr)); /* if it is not dead already */
        if (sb_task_lookup(task->config->name) != SB_ADDR_NONE) {
            err = SB_ERR_BUSY;
        } else {
            task_begin(node, task, task->config, out);
        }
    }
    sb_preemption_on();
    return err;
}

SB_COLD enum sb_err sb_task_forget(sb_addr task_addr)
{
    struct sb_node *node = port_node();
    const uint32_t index = (task_addr ^ node->addr_base) >> 10;
    if (index >= node->task_count) {
        return SB_ERR_ARGUMENT;
    }
    struct sb_task *task = &node->tasks[index];
    if (task->generation != sb_addr_generation(task_addr)) {
        return SB_ERR_DEAD;
    }
    if (task->addr != SB_ADDR_NONE || task == node->current) {
        return SB_ERR_BUSY;
    }
    task->config = NULL;
    return SB_OK;
}
