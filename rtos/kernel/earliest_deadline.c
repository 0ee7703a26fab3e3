/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Periodic tasks by earliest deadline first. They share a level, whose ring is kept in the order of their deadlines: a task
 *  goes to its place when it becomes ready and when its next job begins without a wait. Whoever else is lent the level by a
 *  mutex is behind those that are there, and nothing passes it. */
#include "kernel.h"
#include "period.h"

/** Whether the task, which is in the level, must let a job with this deadline pass. */
static bool is_later(const struct sb_task *task, uint32_t deadline_tick)
{
    if (task->config->task_class != &sb_earliest_deadline) {
        return false;
    }
    const struct sb_period *period = task->config->class_state;
    return (int32_t)(period->deadline_tick - deadline_tick) > 0;
}

/** From the end of its level forwards, past all that are due later. */
static void place(struct sb_node *node, struct sb_task *task)
{
    if (task->state != SB_STATE_READY || task->priority != task->base_priority) {
        return;
    }
    struct sb_ready_queue *queue = &node->ready;
    const uint32_t deadline_tick = ((const struct sb_period *)task->config->class_state)->deadline_tick;
    sb_ready_remove(queue, task);
    struct sb_task *first = queue->first[task->priority];
    if (first == NULL) {
        sb_ready_append(queue, task);
    } else {
        struct sb_task *behind = first; /* who is next in the ring: behind the last one, the first */
        struct sb_task *at = first->previous;
        while (is_later(at, deadline_tick)) {
            behind = at;
            if (at == first) {
                queue->first[task->priority] = task;
                break;
            }
            at = at->previous;
        }
        task->next = behind;
        task->previous = behind->previous;
        behind->previous->next = task;
        behind->previous = task;
    }
    node->next = sb_most_urgent_locked(node);
}

SB_COLD static void deadline_start(struct sb_node *node, struct sb_task *task)
{
    task->flags |= SB_TASK_WATCHED;
    sb_period_start(node, task);
}

const struct sb_task_class sb_earliest_deadline = {
    .body = sb_period_body, .start = deadline_start, .woken = place, .end = sb_period_end};
