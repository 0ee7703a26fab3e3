/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Send and receive. A signal for a task that waits for it is handed over; otherwise it goes to the end of
 *  the task's queue, from which only its owner takes. So the owner may walk the queue with a lock per element:
 *  what it has passed does not change. */
#include "kernel.h"
#include "select.h"
#include "signalbox/remote.h"

/** The addressee is remote or does not exist. */
static enum sb_err send_elsewhere(struct sb_node *node, struct sb_signal_header *header)
{
    if (((header->addressee ^ node->addr_base) >> 22) != 0) {
        return sb_remote_send(sb_signal_of(header));
    }
    node->counters.signals_dead++;
    sb_pool_return(header);
    return SB_ERR_DEAD;
}

/** Give the signal to the task, and the processor if that is more urgent. */
static inline void deliver_locked(struct sb_node *node, struct sb_task *task, struct sb_signal_header *header)
{
    if (task->state == SB_STATE_WAIT_SIGNAL && sb_selected(task->selection, *sb_signal_number(header))) {
        task->received = header;
        sb_signal_owned_by(header, task);
        sb_wake_switch_locked(node, task, SB_OK);
        return;
    }
    if (SB_CHECKED) {
        header->mark = SB_SIGNAL_QUEUED;
    }
    sb_queue_append(&task->queue, header);
    if (task->kind == SB_TASK_INTERRUPT) {
        sb_activate_locked(node, task);
    }
}

enum sb_err sb_send_from(union sb_signal **sig, sb_addr to, sb_addr from)
{
    struct sb_node *node = port_node();
    sb_check(sig != NULL && *sig != NULL, SB_ERR_ARGUMENT, "send-null");
    struct sb_signal_header *header = sb_signal_header_of(*sig);
    const uint32_t signo = *sb_signal_number(header);
    const uint32_t size_bytes = header->size_bytes;
    SB_PROBE(send_call, from, to, signo, size_bytes, sb_signal_of(header));
    sb_signal_check(*sig, SB_SIGNAL_OWNED, "signal-not-owned");
    *sig = NULL;
    header->sender = from;
    header->addressee = to;
    if (SB_CFG_ISOLATED) {
        header = sb_isolation_deliverable(node, header);
        if (header == NULL) {
            SB_PROBE_NOP(send_return, from, to);
            return SB_ERR_MEMORY;
        }
    }
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, to);
    if (task != NULL) {
        deliver_locked(node, task, header);
    }
    port_unlock(state);
    if (task == NULL) {
        err = send_elsewhere(node, header);
    }
    SB_PROBE_NOP(send_return, from, to);
    return err;
}

/* One body for both, here and below: what the caches hold is worth more than a jump. */
enum sb_err sb_send(union sb_signal **sig, sb_addr to)
{
    return sb_send_from(sig, to, port_node()->self->addr);
}

enum sb_err sb_signal_forward(union sb_signal **sig, sb_addr through)
{
    struct sb_node *node = port_node();
    sb_check(sig != NULL && *sig != NULL, SB_ERR_ARGUMENT, "send-null");
    sb_signal_check(*sig, SB_SIGNAL_OWNED, "signal-not-owned");
    struct sb_signal_header *header = sb_signal_header_of(*sig);
    *sig = NULL;
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, through);
    if (task != NULL) {
        deliver_locked(node, task, header);
    } else {
        node->counters.signals_dead++;
    }
    port_unlock(state);
    if (task == NULL) {
        sb_pool_return(header);
        return SB_ERR_DEAD;
    }
    return SB_OK;
}

/** Walk the queue for a wanted signal; interrupts may pass between two elements. Comes back with the lock
 *  held, so that a caller who found nothing can wait without missing one. */
static struct sb_signal_header *search_locked(struct sb_task *task, const uint32_t *selection,
                                              uint32_t *state)
{
    struct sb_signal_header *previous = NULL;
    struct sb_signal_header *header = task->queue.first;
    while (header != NULL && !sb_selected(selection, *sb_signal_number(header))) {
        previous = header;
        if (header->next != NULL) {
            port_unlock(*state);
            *state = port_lock();
        }
        header = header->next;
    }
    if (header != NULL) {
        sb_queue_remove(&task->queue, previous, header);
    }
    return header;
}

union sb_signal *sb_receive_timeout(const uint32_t *selection, uint32_t timeout_ticks)
{
    struct sb_node *node = port_node();
    struct sb_task *task = node->self;
    const sb_addr self = task->addr;
    SB_PROBE(receive_call, self);
    sb_check(selection != NULL, SB_ERR_ARGUMENT, "receive-null");
    sb_check(timeout_ticks == 0 || sb_may_wait(node), SB_ERR_CONTEXT, "receive-context");
    uint32_t state = port_lock();
    struct sb_signal_header *header = task->queue.first;
    if (header != NULL) {
        if (selection[0] == 0) {
            header = sb_queue_take(&task->queue);
        } else {
            header = search_locked(task, selection, &state);
        }
        if (header != NULL) {
            sb_signal_owned_by(header, task);
        }
    }
    if (header == NULL && timeout_ticks != 0) {
        const enum sb_err err = sb_wait_possible(node, timeout_ticks);
        if (err == SB_OK) {
            task->selection = selection;
            SB_IGNORE(sb_wait_locked(node, task, SB_STATE_WAIT_SIGNAL, timeout_ticks));
            header = task->received;
            task->received = NULL;
        } else {
            sb_report(err, err == SB_ERR_CONTEXT ? "receive-context" : "timeout-no-tick");
        }
    }
    port_unlock(state);
    if (header == NULL) {
        SB_PROBE_NOP(receive_return, 0, self, 0, 0, 0);
        return NULL;
    }
    if (SB_CHECKED) {
        header->mark = SB_SIGNAL_OWNED;
    }
    union sb_signal *sig = sb_signal_of(header);
    sb_signal_check(sig, SB_SIGNAL_OWNED, "signal-not-owned");
    const sb_addr from = header->sender;
    const uint32_t signo = *sb_signal_number(header);
    const uint32_t size_bytes = header->size_bytes;
    SB_PROBE_NOP(receive_return, from, self, signo, size_bytes, sig);
    return sig;
}

union sb_signal *sb_receive(const uint32_t *selection)
{
    return sb_receive_timeout(selection, SB_FOREVER);
}

union sb_signal *sb_receive_one(uint32_t signo, uint32_t timeout_ticks)
{
    const uint32_t selection[] = {1, signo};
    return sb_receive_timeout(selection, timeout_ticks);
}

sb_addr sb_sender(const union sb_signal *sig)
{
    sb_signal_check(sig, SB_SIGNAL_OWNED, "signal-not-owned");
    return sb_signal_header_of(sig)->sender;
}

sb_addr sb_addressee(const union sb_signal *sig)
{
    sb_signal_check(sig, SB_SIGNAL_OWNED, "signal-not-owned");
    return sb_signal_header_of(sig)->addressee;
}

uint32_t sb_size(const union sb_signal *sig)
{
    sb_signal_check(sig, SB_SIGNAL_OWNED, "signal-not-owned");
    return sb_signal_header_of(sig)->size_bytes;
}

void sb_restore(union sb_signal *sig)
{
    SB_PROBE(kernel_enter, SB_SERVICE_RESTORE);
    sb_signal_check(sig, SB_SIGNAL_OWNED, "signal-not-owned");
    struct sb_signal_header *header = sb_signal_header_of(sig);
    header->sender = port_node()->self->addr;
    header->addressee = SB_ADDR_NONE;
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_RESTORE);
}
