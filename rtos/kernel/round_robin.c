/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Turns inside a level. A timer entry comes at every tick while a task of this kind is ready or runs, and ends the turn of
 *  the one that it finds running. When it finds the idle task it rests until such a task becomes ready. */
#include "kernel.h"

static void count_locked(struct sb_node *node, struct sb_timer_entry *entry)
{
    struct sb_slice *slice = (struct sb_slice *)(void *)((uint8_t *)entry - offsetof(struct sb_slice, timer));
    struct sb_task *task = node->current;
    if (task->kind == SB_TASK_IDLE && node->next == task) {
        slice->running = false;
        return;
    }
    sb_timer_arm_from_locked(node, entry, entry->due_tick, 1);
    if (task->state != SB_STATE_READY || task->kind == SB_TASK_IDLE || task->config->class_state != slice ||
        --task->slice_left != 0) {
        return;
    }
    task->slice_left = (uint16_t)slice->ticks;
    if (sb_ready_rotate(&node->ready, task)) {
        node->next = sb_most_urgent_locked(node);
    }
}

static void slice_woken(struct sb_node *node, struct sb_task *task)
{
    struct sb_slice *slice = task->config->class_state;
    if (!slice->running && node->tick_hz != 0) {
        slice->running = true;
        slice->timer.expire = count_locked;
        sb_timer_arm_locked(node, &slice->timer, 1);
    }
}

static void slice_start(struct sb_node *node, struct sb_task *task)
{
    (void)node;
    const struct sb_slice *slice = task->config->class_state;
    task->slice_left = (uint16_t)slice->ticks;
    task->flags |= SB_TASK_WATCHED;
}

const struct sb_task_class sb_round_robin = {.start = slice_start, .woken = slice_woken};
