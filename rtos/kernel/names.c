/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Who is called what. */
#include <string.h>

#include "kernel.h"
#include "signalbox/config_types.h"
#include "signalbox/remote.h"

sb_addr sb_self(void)
{
    return port_node()->self->addr;
}

SB_COLD sb_addr sb_task_lookup(const char *name)
{
    const struct sb_node *node = port_node();
    for (uint32_t i = 0; i < node->task_count; i++) {
        const struct sb_task *task = &node->tasks[i];
        const sb_addr addr = task->addr;
        if (addr != SB_ADDR_NONE && strcmp(task->config->name, name) == 0) {
            return addr;
        }
    }
    return SB_ADDR_NONE;
}

const char *sb_task_name(sb_addr addr)
{
    const struct sb_task *task = sb_task_local(port_node(), addr);
    return task != NULL ? task->config->name : NULL;
}

int32_t sb_task_priority(sb_addr addr)
{
    const struct sb_task *task = sb_task_local(port_node(), addr);
    return task != NULL ? task->priority : SB_ERR_DEAD;
}

/** Index of the node whose name is the first `length` characters, node_count if there is none. */
SB_COLD static uint32_t node_lookup(const struct sb_node_config *config, const char *name, size_t length)
{
    uint32_t i = 0;
    while (i < config->node_count &&
           (strncmp(config->node_names[i], name, length) != 0 || config->node_names[i][length] != '\0')) {
        i++;
    }
    return i;
}

SB_COLD int32_t sb_name_split(const struct sb_node_config *config, const char *name, const char **task_name)
{
    const char *slash = strchr(name, '/');
    *task_name = slash != NULL ? slash + 1 : name;
    if (slash == NULL) {
        return config->node;
    }
    const uint32_t index = node_lookup(config, name, (size_t)(slash - name));
    return index < config->node_count ? (int32_t)index : (int32_t)SB_ERR_NOT_FOUND;
}

SB_COLD static enum sb_err hunt(const char *name, uint32_t timeout_ticks, sb_addr *out)
{
    const struct sb_node_config *config = port_node()->config;
    const char *task_name;
    const int32_t index = sb_name_split(config, name, &task_name);
    *out = SB_ADDR_NONE;
    if (index < 0) {
        return (enum sb_err)index;
    }
    if (index != config->node) {
        return sb_remote_hunt((uint32_t)index, task_name, timeout_ticks, out);
    }
    *out = sb_task_lookup(task_name);
    return *out != SB_ADDR_NONE ? SB_OK : SB_ERR_NOT_FOUND;
}

SB_COLD enum sb_err sb_hunt(const char *name, uint32_t timeout_ticks, sb_addr *out)
{
    SB_PROBE(kernel_enter, SB_SERVICE_HUNT);
    sb_check(name != NULL && out != NULL, SB_ERR_ARGUMENT, "hunt-null");
    const enum sb_err err = hunt(name, timeout_ticks, out);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_HUNT);
    return err;
}

SB_COLD int32_t sb_pool_lookup(const char *name)
{
    const struct sb_node_config *config = port_node()->config;
    for (uint32_t i = 0; i < config->pool_count; i++) {
        if (config->pools[i].name != NULL && strcmp(config->pools[i].name, name) == 0) {
            return (int32_t)i;
        }
    }
    return SB_ERR_NOT_FOUND;
}
