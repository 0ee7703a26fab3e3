/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Message queues. Either senders wait (the ring is full) or receivers (it is empty), never both. */
#include "signalbox/message_queue.h"

#include <string.h>

#include "kernel.h"

/** What a waiting sender has, on its stack. */
struct offer {
    const void *message;
    bool in_front;
};

enum sb_err sb_mq_init(struct sb_mq *queue, void *memory, uint32_t message_bytes, uint32_t capacity)
{
    sb_check(queue != NULL, SB_ERR_ARGUMENT, "mq-null");
    if (message_bytes == 0 || (memory == NULL && capacity != 0) || capacity > UINT32_MAX / message_bytes) {
        return SB_ERR_SIZE;
    }
    *queue = (struct sb_mq){.memory = memory, .message_bytes = message_bytes, .capacity = capacity};
    sb_wait_list_init(&queue->receivers, NULL);
    sb_wait_list_init(&queue->senders, NULL);
    return SB_OK;
}

static uint8_t *place(const struct sb_mq *queue, uint32_t i)
{
    const uint32_t from_end = queue->capacity - queue->first;
    return queue->memory + (i < from_end ? queue->first + i : i - from_end) * queue->message_bytes;
}

/** There is room. */
static void put_locked(struct sb_mq *queue, const void *message, bool in_front)
{
    if (in_front) {
        queue->first = queue->first != 0 ? queue->first - 1 : queue->capacity - 1;
    }
    memcpy(place(queue, in_front ? 0 : queue->count), message, queue->message_bytes);
    queue->count++;
}

static enum sb_err wait_in_locked(struct sb_node *node, struct sb_wait_list *list, void *wanted,
                                  uint32_t timeout_ticks)
{
    if (timeout_ticks == 0) {
        return SB_ERR_TIMEOUT;
    }
    const enum sb_err err = sb_wait_possible(node, timeout_ticks);
    if (err != SB_OK) {
        return err;
    }
    node->current->wanted = wanted;
    return sb_wait_in_locked(node, list, timeout_ticks);
}

static enum sb_err send(struct sb_mq *queue, const void *message, bool in_front, uint32_t timeout_ticks)
{
    SB_PROBE(kernel_enter, SB_SERVICE_MQ_SEND);
    struct sb_node *node = port_node();
    sb_check(queue != NULL && message != NULL, SB_ERR_ARGUMENT, "mq-null");
    sb_check(timeout_ticks == 0 || sb_may_wait(node), SB_ERR_CONTEXT, "mq-context");
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *receiver = queue->receivers.first;
    if (receiver != NULL) {
        memcpy(receiver->wanted, message, queue->message_bytes);
        sb_leave_locked(receiver);
        sb_wake_switch_locked(node, receiver, SB_OK);
    } else if (queue->count < queue->capacity) {
        put_locked(queue, message, in_front);
    } else {
        struct offer offer = {.message = message, .in_front = in_front};
        err = wait_in_locked(node, &queue->senders, &offer, timeout_ticks);
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_MQ_SEND);
    return err;
}

enum sb_err sb_mq_send(struct sb_mq *queue, const void *message, uint32_t timeout_ticks)
{
    return send(queue, message, false, timeout_ticks);
}

enum sb_err sb_mq_send_front(struct sb_mq *queue, const void *message, uint32_t timeout_ticks)
{
    return send(queue, message, true, timeout_ticks);
}

/** There is room for the message of the most urgent sender, or `message` takes it. */
static void admit_locked(struct sb_node *node, struct sb_mq *queue, struct sb_task *sender, void *message)
{
    const struct offer *offer = sender->wanted;
    if (queue->capacity == 0) {
        memcpy(message, offer->message, queue->message_bytes);
    } else {
        put_locked(queue, offer->message, offer->in_front);
    }
    sb_leave_locked(sender);
    sb_wake_switch_locked(node, sender, SB_OK);
}

enum sb_err sb_mq_receive(struct sb_mq *queue, void *message, uint32_t timeout_ticks)
{
    SB_PROBE(kernel_enter, SB_SERVICE_MQ_RECEIVE);
    struct sb_node *node = port_node();
    sb_check(queue != NULL && message != NULL, SB_ERR_ARGUMENT, "mq-null");
    sb_check(timeout_ticks == 0 || sb_may_wait(node), SB_ERR_CONTEXT, "mq-context");
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *sender = queue->senders.first;
    if (queue->count == 0 && sender == NULL) {
        err = wait_in_locked(node, &queue->receivers, message, timeout_ticks);
    } else {
        if (queue->count != 0) {
            memcpy(message, place(queue, 0), queue->message_bytes);
            queue->first = queue->first + 1 < queue->capacity ? queue->first + 1 : 0;
            queue->count--;
        }
        if (sender != NULL) {
            admit_locked(node, queue, sender, message);
        }
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_MQ_RECEIVE);
    return err;
}

uint32_t sb_mq_count(const struct sb_mq *queue)
{
    return queue->count;
}
