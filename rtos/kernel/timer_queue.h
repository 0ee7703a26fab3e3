/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_TIMER_QUEUE_H
#define SB_KERNEL_TIMER_QUEUE_H
/** @file
 *  What ends at a tick, in the order of the ticks. Arming walks the list (at most one entry per task, periodic
 *  task and timeout of the node); taking out is O(1). Instants are compared by their distance from now_tick, so the
 *  counter may wrap. */
#include <stddef.h>

#include "signalbox/node.h"
#include "signalbox/timer.h"

/** Expires `ticks` (1..SB_TIMEOUT_TICKS_MAX) after `from`, which is now_tick or up to as much later. */
static inline void sb_timer_queue_arm(struct sb_timer_queue *queue, struct sb_timer_entry *entry,
                                      uint32_t from, uint32_t ticks)
{
    const uint32_t distance = from - queue->now_tick + ticks;
    struct sb_timer_entry *previous = NULL;
    struct sb_timer_entry *next = queue->first;
    while (next != NULL && next->due_tick - queue->now_tick <= distance) {
        previous = next;
        next = next->next;
    }
    entry->due_tick = from + ticks;
    entry->previous = previous;
    entry->next = next;
    if (next != NULL) {
        next->previous = entry;
    }
    if (previous != NULL) {
        previous->next = entry;
    } else {
        queue->first = entry;
    }
}

static inline void sb_timer_queue_remove(struct sb_timer_queue *queue, struct sb_timer_entry *entry)
{
    struct sb_timer_entry *previous = entry->previous;
    struct sb_timer_entry *next = entry->next;
    if (next != NULL) {
        next->previous = previous;
    }
    if (previous != NULL) {
        previous->next = next;
    } else {
        queue->first = next;
    }
}

/** Take out and answer the first entry that is due at `tick` or before, NULL if none is; now_tick goes with it, to
 *  `tick` in the end. */
static inline struct sb_timer_entry *sb_timer_queue_due(struct sb_timer_queue *queue, uint32_t tick)
{
    struct sb_timer_entry *entry = queue->first;
    if (entry == NULL || entry->due_tick - queue->now_tick > tick - queue->now_tick) {
        queue->now_tick = tick;
        return NULL;
    }
    queue->now_tick = entry->due_tick;
    sb_timer_queue_remove(queue, entry);
    return entry;
}

#endif
