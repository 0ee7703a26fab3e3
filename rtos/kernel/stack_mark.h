/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_STACK_MARK_H
#define SB_KERNEL_STACK_MARK_H
/** @file
 *  Checked level: stacks are painted when tasks are made; the lowest words are compared at each switch. */
#include "kernel.h"

#define SB_STACK_PAINT 0x5b5b5b5bu
#define SB_STACK_MARK_WORDS 4u

static inline void sb_stack_paint(const struct sb_task *task)
{
    uint32_t *word = (uint32_t *)(void *)task->stack;
    for (uint32_t i = 0; i < task->stack_bytes / sizeof *word; i++) {
        word[i] = SB_STACK_PAINT;
    }
}

/** The task that leaves: has it ever written over the end of its stack? */
static inline void sb_stack_check(const struct sb_task *task)
{
    const uint32_t *word = (const uint32_t *)(const void *)task->stack;
    for (uint32_t i = 0; i < SB_STACK_MARK_WORDS; i++) {
        sb_check(word[i] == SB_STACK_PAINT, SB_ERR_CORRUPT, "stack-overflow");
    }
}

/** The task that comes: does its saved context lie in its stack? */
static inline void sb_stack_check_resting(const struct sb_task *task)
{
    const uint8_t *sp = task->sp;
    sb_check(sp > task->stack && sp <= task->stack + task->stack_bytes, SB_ERR_CORRUPT, "stack-pointer");
}

#endif
