/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_SELECT_H
#define SB_KERNEL_SELECT_H
/** @file
 *  Selection lists and signal queues. */
#include <stddef.h>

#include "signalbox/node.h"

/** Whether the list wants the number. Linear in the list. */
static inline bool sb_selected(const uint32_t *selection, uint32_t signo)
{
    const int32_t count = (int32_t)selection[0];
    if (count == 0) {
        return true;
    }
    const bool except = count < 0;
    const uint32_t listed = except ? 0u - (uint32_t)count : (uint32_t)count;
    for (uint32_t i = 1; i <= listed; i++) {
        if (selection[i] == signo) {
            return !except;
        }
    }
    return except;
}

static inline void sb_queue_append(struct sb_signal_queue *queue, struct sb_signal_header *header)
{
    header->next = NULL;
    if (queue->first == NULL) {
        queue->first = header;
    } else {
        queue->last->next = header;
    }
    queue->last = header;
}

/** Take the first signal out; there is one. */
static inline struct sb_signal_header *sb_queue_take(struct sb_signal_queue *queue)
{
    struct sb_signal_header *header = queue->first;
    queue->first = header->next;
    return header;
}

/** Take `header` out, which follows `previous` (NULL: it is the first). */
static inline void sb_queue_remove(struct sb_signal_queue *queue, struct sb_signal_header *previous,
                                   struct sb_signal_header *header)
{
    if (previous == NULL) {
        queue->first = header->next;
    } else {
        previous->next = header->next;
        if (queue->last == header) {
            queue->last = previous;
        }
    }
}

#endif
