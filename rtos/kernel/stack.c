/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"
#include "stack_mark.h"

int32_t sb_stack_used(sb_addr addr)
{
    const struct sb_task *task = sb_task_local(port_node(), addr);
    if (task == NULL) {
        return SB_ERR_DEAD;
    }
    if (task->kind == SB_TASK_INTERRUPT) {
        return SB_ERR_ARGUMENT;
    }
    if (!SB_HOOKED) {
        return SB_ERR_NOT_FOUND;
    }
    const uint32_t *word = (const uint32_t *)(const void *)task->stack;
    uint32_t unused = 0;
    while (unused < task->stack_bytes && word[unused / sizeof *word] == SB_STACK_PAINT) {
        unused += (uint32_t)sizeof *word;
    }
    return (int32_t)(task->stack_bytes - unused);
}
