/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_TIMER_QUEUE_H
#define SB_KERNEL_TIMER_QUEUE_H
/** @file
 *  Tasks whose wait ends at a tick, in the order of their ticks. Arming walks the list (at most the tasks of
 *  the node, each of which is in it at most once); taking out is O(1). Instants are compared by their
 *  difference, so the counter may wrap. */
#include <stddef.h>

#include "signalbox/node.h"

/** Longest finite timeout; longer ones are cut to it. */
#define SB_TIMEOUT_TICKS_MAX 0x7fffffffu

static inline void sb_timer_queue_arm(struct sb_timer_queue *queue, struct sb_task *task,
                                      uint32_t timeout_ticks)
{
    const uint32_t ticks = timeout_ticks <= SB_TIMEOUT_TICKS_MAX ? timeout_ticks : SB_TIMEOUT_TICKS_MAX;
    struct sb_task *previous = NULL;
    struct sb_task *next = queue->first;
    while (next != NULL && next->due_tick - queue->now_tick <= ticks) {
        previous = next;
        next = next->timer_next;
    }
    task->due_tick = queue->now_tick + ticks;
    task->timer_previous = previous;
    task->timer_next = next;
    task->timing = true;
    if (next != NULL) {
        next->timer_previous = task;
    }
    if (previous != NULL) {
        previous->timer_next = task;
    } else {
        queue->first = task;
    }
}

static inline void sb_timer_queue_remove(struct sb_timer_queue *queue, struct sb_task *task)
{
    struct sb_task *previous = task->timer_previous;
    struct sb_task *next = task->timer_next;
    task->timing = false;
    if (next != NULL) {
        next->timer_previous = previous;
    }
    if (previous != NULL) {
        previous->timer_next = next;
    } else {
        queue->first = next;
    }
}

/** Take out and answer the first task that is due now, NULL if none is. */
static inline struct sb_task *sb_timer_queue_due(struct sb_timer_queue *queue)
{
    struct sb_task *task = queue->first;
    if (task == NULL || task->due_tick != queue->now_tick) {
        return NULL;
    }
    sb_timer_queue_remove(queue, task);
    return task;
}

#endif
