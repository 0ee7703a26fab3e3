/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Beginning and end: of the node, of a task; names. */
#include <string.h>

#include "kernel.h"
#include "select.h"
#include "signalbox/config_types.h"
#include "signalbox/remote.h"
#include "stack_mark.h"

/** Addresses of tasks that were never restarted. */
#define FIRST_GENERATION 1u

/* ---- start */

static void task_create(struct sb_node *node, struct sb_task *task, sb_addr addr,
                        const struct sb_task_config *config)
{
    *task = (struct sb_task){
        .addr = addr,
        .name = config->name,
        .entry = config->entry,
        .kind = config->kind,
        .priority = config->priority,
        .stack = config->stack,
        .stack_bytes = config->stack_bytes,
        .irq = config->irq,
    };
    const char *name = task->name;
    const uint32_t kind = task->kind;
    const uint32_t priority = task->priority;
    SB_PROBE_NOP(task_create, task, name, kind, priority, addr);
    if (task->kind != SB_TASK_INTERRUPT) {
        if (SB_CHECKED) {
            sb_stack_paint(task);
        }
        port_context_init(task);
    }
    if (SB_HOOKED && node->hooks.create != NULL) {
        node->hooks.create(addr);
    }
}

static void task_start(struct sb_node *node, struct sb_task *task)
{
    if (task->kind == SB_TASK_PRIORITY) {
        task->state = SB_STATE_READY;
        sb_ready_append(&node->ready, task);
        return;
    }
    task->state = SB_STATE_IDLE;
    if (task->irq >= 0) {
        port_irq_connect_task((uint32_t)task->irq, task);
    }
}

static void idle_create(struct sb_node *node)
{
    struct sb_task_config config = {
        .name = "idle", .kind = SB_TASK_IDLE, .priority = SB_PRIORITIES, .irq = -1};
    config.stack = port_idle_stack(&config.stack_bytes);
    /* The address after the last table entry: nobody can send to it, and it is nobody else's. */
    task_create(node, &node->idle, node->addr_base | (node->task_count << 10) | FIRST_GENERATION, &config);
    node->idle.state = SB_STATE_READY;
}

void sb_node_init(const struct sb_node_config *config)
{
    struct sb_node *node = port_node();
    memset(node, 0, sizeof *node);
    node->config = config;
    node->addr_base = sb_addr_make(config->node, 0, 0);
    node->tick_hz = config->tick_hz;
    node->tasks = config->task_state;
    node->task_count = config->task_count;
    node->pools = config->pool_state;
    node->pool_count = config->pool_count;
    if (config->hooks != NULL) {
        node->hooks = *config->hooks;
    }
    for (uint32_t i = 0; i < config->pool_count; i++) {
        sb_pool_init(&node->pools[i], &config->pools[i]);
    }
    idle_create(node);
    node->current = &node->idle;
    node->next = &node->idle;
    node->self = &node->idle;
    for (uint32_t i = 0; i < config->task_count; i++) {
        task_create(node, &node->tasks[i], sb_addr_make(config->node, i, FIRST_GENERATION),
                    &config->tasks[i]);
    }
    for (uint32_t i = 0; i < config->task_count; i++) {
        task_start(node, &node->tasks[i]);
    }
    if (config->tick_hz != 0) {
        port_tick_start(config->tick_hz);
    }
    node->next = sb_most_urgent_locked(node);
}

_Noreturn void sb_start(const struct sb_node_config *config)
{
    sb_node_init(config);
    struct sb_node *node = port_node();
    node->current = node->next;
    node->self = node->next;
    port_start(node->next);
}

void sb_hooks_set(const struct sb_hooks *hooks)
{
    const uint32_t state = port_lock();
    port_node()->hooks = *hooks;
    port_unlock(state);
}

/* ---- names */

sb_addr sb_self(void)
{
    return port_node()->self->addr;
}

sb_addr sb_task_lookup(const char *name)
{
    const struct sb_node *node = port_node();
    for (uint32_t i = 0; i < node->task_count; i++) {
        const struct sb_task *task = &node->tasks[i];
        const sb_addr addr = task->addr;
        if (addr != SB_ADDR_NONE && strcmp(task->name, name) == 0) {
            return addr;
        }
    }
    return SB_ADDR_NONE;
}

const char *sb_task_name(sb_addr addr)
{
    const struct sb_task *task = sb_task_local(port_node(), addr);
    return task != NULL ? task->name : NULL;
}

int32_t sb_task_priority(sb_addr addr)
{
    const struct sb_task *task = sb_task_local(port_node(), addr);
    return task != NULL ? task->priority : SB_ERR_DEAD;
}

/** Index of the node whose name is the first `length` characters, node_count if there is none. */
static uint32_t node_lookup(const struct sb_node_config *config, const char *name, size_t length)
{
    uint32_t i = 0;
    while (i < config->node_count &&
           (strncmp(config->node_names[i], name, length) != 0 || config->node_names[i][length] != '\0')) {
        i++;
    }
    return i;
}

static enum sb_err hunt(const char *name, uint32_t timeout_ticks, sb_addr *out)
{
    const struct sb_node_config *config = port_node()->config;
    const char *slash = strchr(name, '/');
    const char *task_name = slash != NULL ? slash + 1 : name;
    *out = SB_ADDR_NONE;
    if (slash != NULL) {
        const uint32_t index = node_lookup(config, name, (size_t)(slash - name));
        if (index == config->node_count) {
            return SB_ERR_NOT_FOUND;
        }
        if (index != config->node) {
            return sb_remote_hunt(index, task_name, timeout_ticks, out);
        }
    }
    *out = sb_task_lookup(task_name);
    return *out != SB_ADDR_NONE ? SB_OK : SB_ERR_NOT_FOUND;
}

enum sb_err sb_hunt(const char *name, uint32_t timeout_ticks, sb_addr *out)
{
    SB_PROBE(kernel_enter, SB_SERVICE_HUNT);
    sb_check(name != NULL && out != NULL, SB_ERR_ARGUMENT, "hunt-null");
    const enum sb_err err = hunt(name, timeout_ticks, out);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_HUNT);
    return err;
}

/* ---- end */

/** Out of whatever the task waits in. */
static void detach_locked(struct sb_node *node, struct sb_task *task)
{
    if (task->timing) {
        sb_timer_queue_remove(&node->timers, task);
    }
    if (task->state == SB_STATE_READY) {
        sb_ready_remove(&node->ready, task);
    } else if (task->state == SB_STATE_WAIT_SEM) {
        sb_sem_forget_locked(task);
    }
    task->state = SB_STATE_DEAD;
}

/** A dead task's signals: nobody adds any more, its address is gone. */
static void queue_free(struct sb_task *task)
{
    if (task->received != NULL) {
        sb_pool_return(task->received);
        task->received = NULL;
    }
    while (task->queue.first != NULL) {
        sb_pool_return(sb_queue_take(&task->queue));
    }
}

enum sb_err sb_task_kill(sb_addr victim)
{
    struct sb_node *node = port_node();
    sb_check(sb_may_wait(node), SB_ERR_CONTEXT, "kill-context");
    if (((victim ^ node->addr_base) >> 22) != 0) {
        return SB_ERR_ARGUMENT;
    }
    enum sb_err err = SB_OK;
    uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, victim);
    const bool self = task == node->current;
    if (task == NULL) {
        err = SB_ERR_DEAD;
    } else if (task->kind != SB_TASK_PRIORITY) {
        err = SB_ERR_ARGUMENT;
    } else {
        if (SB_HOOKED && node->hooks.kill != NULL) {
            node->hooks.kill(victim);
        }
        task->addr = SB_ADDR_NONE;
        if (!self) {
            detach_locked(node, task);
        }
    }
    port_unlock(state);
    if (err != SB_OK) {
        return err;
    }
    queue_free(task);
    if (self) {
        state = port_lock();
        detach_locked(node, task);
        node->next = sb_most_urgent_locked(node);
        sb_switch_locked(node);
        port_unlock(state);
    }
    return SB_OK;
}
