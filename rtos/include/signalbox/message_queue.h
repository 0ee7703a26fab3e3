/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_MESSAGE_QUEUE_H
#define SIGNALBOX_MESSAGE_QUEUE_H
/** @file
 *  Message queues: messages of one size are copied through a ring that many tasks share; where one task owns the mailbox
 *  and messages differ, signals are better. A queue without room (capacity 0) is a rendezvous: each sender waits for a
 *  receiver. The most urgent waiter is served first, on both ends. They do not cross nodes. */
#include <stdint.h>

#include "signalbox/err.h"
#include "signalbox/wait_list.h"

/** Memory of a ring. */
#define SB_MQ_BYTES(message_bytes, capacity) ((uint32_t)(message_bytes) * (uint32_t)(capacity))

/** Set up with sb_mq_init; fields are the kernel's. */
struct sb_mq {
    struct sb_wait_list receivers;
    struct sb_wait_list senders;
    uint8_t *memory;
    uint32_t message_bytes;
    uint32_t capacity;
    uint32_t count;
    uint32_t first; /**< place of the oldest message */
};

/** `memory`: SB_MQ_BYTES(message_bytes, capacity), no alignment needed; NULL for capacity 0.
 *  Context: any, before its first use.
 *  Errors:  SB_ERR_SIZE  messages of 0 bytes, memory missing, or more than 2^32-1 bytes altogether
 *  Asserts: (checked) `mq-null`.                                                                        [MSQ-001] */
SB_MUST_USE enum sb_err sb_mq_init(struct sb_mq *queue, void *memory, uint32_t message_bytes,
                                   uint32_t capacity);

/** Copy the message behind all others; waits while the queue is full, at most `timeout_ticks` (0 tries once).
 *  Context: any for 0, waiting otherwise.   Time: O(message_bytes), one critical section; with waiting also linear in the
 *  waiters.
 *  Errors:  SB_ERR_TIMEOUT, SB_ERR_NO_TICK
 *  Asserts: (checked) `mq-context`; `mq-null`.                                                          [MSQ-002] */
SB_MUST_USE enum sb_err sb_mq_send(struct sb_mq *queue, const void *message, uint32_t timeout_ticks);

/** As sb_mq_send, ahead of all others in the ring.                                                      [MSQ-003] */
SB_MUST_USE enum sb_err sb_mq_send_front(struct sb_mq *queue, const void *message, uint32_t timeout_ticks);

/** Copy the first message out; waits while there is none, at most `timeout_ticks` (0 tries once).
 *  Context, time, errors, asserts as sb_mq_send.                                                        [MSQ-004] */
SB_MUST_USE enum sb_err sb_mq_receive(struct sb_mq *queue, void *message, uint32_t timeout_ticks);

/** Messages in the ring now.   Context: any */
uint32_t sb_mq_count(const struct sb_mq *queue);

#endif
