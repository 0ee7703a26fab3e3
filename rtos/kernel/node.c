/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The beginning of a node. */
#include <string.h>

#include "kernel.h"
#include "signalbox/config_types.h"

SB_COLD static void idle_create(struct sb_node *node)
{
    static const struct sb_task_config config = {
        .name = "idle", .kind = SB_TASK_IDLE, .priority = SB_PRIORITIES, .irq = -1};
    struct sb_task_config with_stack = config;
    with_stack.stack = port_idle_stack(&with_stack.stack_bytes);
    /* The address after the last table entry: nobody can send to it, and it is nobody else's. */
    sb_task_make(node, &node->idle, node->addr_base | (node->task_count << 10) | SB_FIRST_GENERATION,
                 &with_stack);
    node->idle.config = &config;
    node->idle.state = SB_STATE_READY;
}

SB_COLD void sb_node_init(const struct sb_node_config *config)
{
    struct sb_node *node = port_node();
    memset(node, 0, sizeof *node);
    node->config = config;
    node->addr_base = sb_addr_make(config->node, 0, 0);
    node->tick_hz = config->tick_hz;
    node->held = config->cooperative ? SB_HELD_ONE : 0;
    node->level = SB_PRIORITIES;
    node->tasks = config->task_state;
    node->task_count = config->task_count + config->spare_tasks;
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
    if (config->tick_hz != 0) {
        node->clock = config->clock;
        if (node->clock != NULL) {
            node->clock->start(config->tick_hz);
        } else {
            port_tick_start(config->tick_hz);
        }
    }
    for (uint32_t i = 0; i < config->task_count; i++) {
        sb_task_make(node, &node->tasks[i], sb_addr_make(config->node, i, SB_FIRST_GENERATION),
                     &config->tasks[i]);
    }
    for (uint32_t i = 0; i < config->task_count; i++) {
        sb_task_launch_locked(node, &node->tasks[i]);
    }
}

SB_COLD _Noreturn void sb_start(const struct sb_node_config *config)
{
    sb_node_init(config);
    struct sb_node *node = port_node();
    node->current = node->next;
    node->self = node->next;
    port_start(node->next);
}

SB_COLD void sb_hooks_set(const struct sb_hooks *hooks)
{
    const uint32_t state = port_lock();
    port_node()->hooks = *hooks;
    port_unlock(state);
}
