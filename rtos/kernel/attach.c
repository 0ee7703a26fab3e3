/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Signals that wait for the end of their senders-to-be. The signal itself is the entry of the node's list: `sender` is the
 *  victim, `addressee` who wants to know, `mark` the reference; no other memory is needed. It keeps the reference in the
 *  queue of the one who attached, so that sb_detach finds it there. */
#include "signalbox/attach.h"

#include "kernel.h"
#include "signalbox/kept.h"
#include "signalbox/remote.h"

SB_COLD static bool comes_from(const struct sb_signal_header *header, uint32_t victim)
{
    return header->sender == victim;
}

SB_COLD static bool comes_from_node(const struct sb_signal_header *header, uint32_t node_index)
{
    return sb_addr_node(header->sender) == node_index;
}

SB_COLD static void tell(struct sb_node *node, sb_kept_test *test, uint32_t what)
{
    struct sb_signal_header *header;
    while ((header = sb_kept_take(&node->attached, test, what)) != NULL) {
        sb_kept_deliver(node, header);
    }
}

/** What the dead task has left nobody waits for any more; then those are told that waited for its end. */
SB_COLD static void ended(struct sb_node *node, sb_addr task)
{
    struct sb_signal_header *header;
    while ((header = sb_kept_take(&node->attached, sb_kept_for, task)) != NULL) {
        sb_pool_return(header);
    }
    tell(node, comes_from, task);
}

SB_COLD static void lost(uint32_t node_index, sb_addr task)
{
    if (task != SB_ADDR_NONE) {
        tell(port_node(), comes_from, task);
    } else {
        tell(port_node(), comes_from_node, node_index);
    }
}

static const struct sb_watcher watcher = {.ended = ended};
static const struct sb_attach_rules rules = {.lost = lost};

/** Watch a victim that is alive as far as this node knows. The signal is in the list first: what its node says, or the loss
 *  of the link, finds it. */
SB_COLD static enum sb_err watch_remote(struct sb_node *node, sb_addr victim, uint32_t reference)
{
    const enum sb_err err = sb_remote_attach(victim);
    if (err == SB_OK) {
        return SB_OK;
    }
    if (err != SB_ERR_MEMORY) { /* nothing leads there */
        lost(sb_addr_node(victim), victim);
        return SB_OK;
    }
    struct sb_signal_header *header = sb_kept_take(&node->attached, sb_kept_under, reference);
    if (header != NULL) {
        sb_pool_return(header);
    }
    return SB_ERR_MEMORY;
}

SB_COLD static enum sb_err watch(struct sb_node *node, sb_addr victim, struct sb_signal_header *header,
                                 uint32_t reference)
{
    header->sender = victim;
    header->addressee = node->self->addr;
    node->attach_rules = &rules;
    sb_watch(node, &watcher);
    const bool remote = ((victim ^ node->addr_base) >> 22) != 0;
    const uint32_t state = port_lock();
    header->mark = reference;
    sb_kept_add_locked(&node->attached, header);
    const bool dead = !remote && sb_task_local(node, victim) == NULL;
    port_unlock(state);
    if (remote) {
        return watch_remote(node, victim, reference);
    }
    if (dead) {
        tell(node, comes_from, victim);
    }
    return SB_OK;
}

/** What the caller gave, or a signal of the kernel's own. */
SB_COLD static union sb_signal *signal_of_caller(union sb_signal **sig)
{
    if (sig == NULL || *sig == NULL) {
        return sb_alloc_nil((uint32_t)sizeof(uint32_t), SB_SIGNO_ATTACH);
    }
    union sb_signal *own = *sig;
    sb_signal_check(own, SB_SIGNAL_OWNED, "signal-not-owned");
    *sig = NULL;
    return own;
}

SB_COLD enum sb_err sb_attach(sb_addr victim, union sb_signal **sig, sb_attach_ref *ref)
{
    struct sb_node *node = port_node();
    if (ref != NULL) {
        *ref = SB_ATTACH_NONE;
    }
    union sb_signal *own = signal_of_caller(sig);
    if (own == NULL) {
        return SB_ERR_MEMORY;
    }
    if (victim == SB_ADDR_NONE || victim == node->self->addr) {
        sb_free(&own);
        return SB_ERR_ARGUMENT;
    }
    const sb_attach_ref reference = sb_kept_reference(node);
    if (ref != NULL) {
        *ref = reference; /* before: who is told at once may detach in an interrupt */
    }
    const enum sb_err err = watch(node, victim, sb_signal_header_of(own), reference);
    if (err != SB_OK && ref != NULL) {
        *ref = SB_ATTACH_NONE;
    }
    return err;
}

SB_COLD static bool is_callers(const struct sb_signal_header *header, uint32_t reference)
{
    return header->mark == reference && header->addressee == port_node()->self->addr;
}

SB_COLD enum sb_err sb_detach(sb_attach_ref *ref)
{
    sb_check(ref != NULL, SB_ERR_ARGUMENT, "detach-null");
    const sb_attach_ref reference = *ref;
    *ref = SB_ATTACH_NONE;
    struct sb_signal_header *header = sb_kept_take(&port_node()->attached, is_callers, reference);
    if (header == NULL) {
        return sb_kept_withdraw(reference);
    }
    sb_pool_return(header);
    return SB_OK;
}
