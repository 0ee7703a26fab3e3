/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_READY_H
#define SB_KERNEL_READY_H
/** @file
 *  Ready queue: a ring of tasks per level and a bitmap of the levels that are not empty. All O(1).
 *  A running task stays in its ring, at the front; so one that is preempted keeps its place. */
#include <stddef.h>

#include "bits.h"
#include "signalbox/node.h"

/** Behind all tasks of its level. */
static inline void sb_ready_append(struct sb_ready_queue *queue, struct sb_task *task)
{
    struct sb_task *first = queue->first[task->priority];
    if (first == NULL) {
        task->next = task;
        task->previous = task;
        queue->first[task->priority] = task;
        queue->levels |= 1u << task->priority;
    } else {
        struct sb_task *last = first->previous;
        task->next = first;
        task->previous = last;
        last->next = task;
        first->previous = task;
    }
}

static inline void sb_ready_remove(struct sb_ready_queue *queue, struct sb_task *task)
{
    struct sb_task *next = task->next;
    if (next == task) {
        queue->first[task->priority] = NULL;
        queue->levels &= ~(1u << task->priority);
    } else {
        struct sb_task *previous = task->previous;
        previous->next = next;
        next->previous = previous;
        if (queue->first[task->priority] == task) {
            queue->first[task->priority] = next;
        }
    }
}

/** The front of a level goes behind all others of it: true if there are others. A task that is not the front
 *  stays where it is. */
static inline bool sb_ready_rotate(struct sb_ready_queue *queue, const struct sb_task *task)
{
    if (queue->first[task->priority] != task || task->next == task) {
        return false;
    }
    queue->first[task->priority] = task->next;
    return true;
}

/** The oldest task of the most urgent level, NULL if there is none. */
static inline struct sb_task *sb_ready_first(const struct sb_ready_queue *queue)
{
    return queue->levels != 0 ? queue->first[sb_lowest_bit(queue->levels)] : NULL;
}

#endif
