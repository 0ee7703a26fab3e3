/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINK_SIGNAL_QUEUE_H
#define LINK_SIGNAL_QUEUE_H
/** @file
 *  Queues of signals that a link owns, linked by the signals' own headers: no memory, no limit. The caller
 *  sees to it that one queue is used by one context at a time. */
#include <stddef.h>

#include "signalbox/node.h"

static inline void sb_signal_queue_init(struct sb_signal_queue *queue)
{
    queue->first = NULL;
    queue->last = NULL;
}

static inline void sb_signal_queue_push(struct sb_signal_queue *queue, union sb_signal *sig)
{
    struct sb_signal_header *header = sb_signal_header_of(sig);
    header->next = NULL;
    if (queue->first == NULL) {
        queue->first = header;
    } else {
        queue->last->next = header;
    }
    queue->last = header;
}

/** NULL: empty. */
static inline union sb_signal *sb_signal_queue_pop(struct sb_signal_queue *queue)
{
    struct sb_signal_header *header = queue->first;
    if (header == NULL) {
        return NULL;
    }
    queue->first = header->next;
    return sb_signal_of(header);
}

/** Take out the first signal of `queue` that `wanted` accepts; NULL: there is none. */
static inline union sb_signal *
sb_signal_queue_take(struct sb_signal_queue *queue,
                     bool (*wanted)(const union sb_signal *sig, const void *what), const void *what)
{
    struct sb_signal_header *before = NULL;
    for (struct sb_signal_header *header = queue->first; header != NULL;
         before = header, header = header->next) {
        if (!wanted(sb_signal_of(header), what)) {
            continue;
        }
        if (before == NULL) {
            queue->first = header->next;
        } else {
            before->next = header->next;
        }
        if (header->next == NULL) {
            queue->last = before;
        }
        return sb_signal_of(header);
    }
    return NULL;
}

/** Addresses as they go onto the wire. A signal that has no addressee yet is RLNH's own, for the RLNH of the peer. */
static inline sb_addr sb_signal_to(const union sb_signal *sig)
{
    return sb_signal_header_of(sig)->addressee;
}

static inline sb_addr sb_signal_from(const union sb_signal *sig)
{
    struct sb_signal_header *header = sb_signal_header_of(sig);
    return header->addressee == SB_ADDR_NONE ? SB_ADDR_NONE : header->sender;
}

#endif
