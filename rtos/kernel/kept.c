/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/kept.h"

#include "kernel.h"
#include "select.h"

SB_COLD struct sb_signal_header *sb_kept_take(struct sb_signal_header **list, sb_kept_test *test,
                                              uint32_t what)
{
    const uint32_t state = port_lock();
    struct sb_signal_header **link = list;
    while (*link != NULL && !test(*link, what)) {
        link = &(*link)->next;
    }
    struct sb_signal_header *header = *link;
    if (header != NULL) {
        *link = header->next;
    }
    port_unlock(state);
    return header;
}

SB_COLD bool sb_kept_for(const struct sb_signal_header *header, uint32_t what)
{
    return header->addressee == what;
}

SB_COLD bool sb_kept_under(const struct sb_signal_header *header, uint32_t what)
{
    return header->mark == what;
}

SB_COLD void sb_kept_deliver(struct sb_node *node, struct sb_signal_header *header)
{
    const uint32_t state = port_lock();
    struct sb_task *task = sb_task_local(node, header->addressee);
    if (task == NULL) {
        node->counters.signals_dead++;
    } else if (task->state == SB_STATE_WAIT_SIGNAL &&
               sb_selected(task->selection, *sb_signal_number(header))) {
        header->mark = SB_SIGNAL_OWNED;
        task->received = header;
        sb_signal_owned_by(header, task);
        sb_wake_switch_locked(node, task, SB_OK);
    } else {
        sb_queue_append(&task->queue, header);
        if (task->kind == SB_TASK_INTERRUPT) {
            sb_activate_locked(node, task);
        }
    }
    port_unlock(state);
    if (task == NULL) {
        sb_pool_return(header);
    }
}

SB_COLD uint32_t sb_kept_reference(struct sb_node *node)
{
    const uint32_t state = port_lock();
    const uint32_t number = ++node->reference & 0xffffffu;
    port_unlock(state);
    return 0xa7000000u | number;
}

SB_COLD void sb_watch(struct sb_node *node, const struct sb_watcher *watcher)
{
    const uint32_t state = port_lock();
    uint32_t i = 0;
    while (node->watchers[i] != NULL && node->watchers[i] != watcher) {
        i++;
    }
    node->watchers[i] = watcher;
    port_unlock(state);
}

/** Out of the caller's queue; only the caller takes from it, so the lock is open between two elements. */
SB_COLD static struct sb_signal_header *take_queued(struct sb_task *task, uint32_t reference)
{
    uint32_t state = port_lock();
    struct sb_signal_header *previous = NULL;
    struct sb_signal_header *header = task->queue.first;
    while (header != NULL && header->mark != reference) {
        port_unlock(state);
        state = port_lock();
        previous = header;
        header = header->next;
    }
    if (header != NULL) {
        sb_queue_remove(&task->queue, previous, header);
    }
    port_unlock(state);
    return header;
}

SB_COLD enum sb_err sb_kept_withdraw(uint32_t reference)
{
    struct sb_signal_header *header =
        (reference >> 24) == 0xa7u ? take_queued(port_node()->self, reference) : NULL;
    if (header == NULL) {
        return SB_ERR_NOT_FOUND;
    }
    sb_pool_return(header);
    return SB_OK;
}
