/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Names over links: sb_remote_hunt in the caller's context, the rest in RLNH's.
 *
 *  A hunt is one signal. The hunter allocates it, RLNH keeps it as the pending entry, and it comes back as the
 *  result: exactly one result per hunt, no other memory.
 *
 *     hunter                  RLNH                                   RLNH of the peer
 *     request ------------->  pending; QUERY NAME (cookie)  =>       looks the name up
 *     (waits)                 pending? found by cookie      <=       PUBLISH (cookie, address)
 *     result  <-------------  out of pending
 *
 *  With the tick on everything pending is asked again with each heartbeat, so a name may also appear later.
 *  With the tick off it must exist when it is asked for; tasks of this version exist from the start.
 *
 *  Timeout: the hunter takes its request out of `pending` itself and is done. If it is not there, RLNH has not
 *  seen it yet or has just answered: the hunter marks it cancelled and waits for it, RLNH answers a cancelled
 *  request at once.
 *  A signal that hunts (sb_hunt_signal) is a request that knows it and has nobody waiting: it stays pending over a loss of
 *  the link, until its owner's death is noticed at the next question.
 *  Link down: all others that are pending for the link come back with SB_ERR_LINK_DOWN. Before the first connection
 *  they stay pending. */
#include <string.h>

#include "link_node.h"

#include "names_wire.h"
#include "signalbox/remote.h"
#include "signalbox/timer.h"

static bool attach_again(struct sb_link *link);

static struct sb_hunt_request *request_of(const union sb_signal *sig)
{
    return (struct sb_hunt_request *)(void *)(uintptr_t)sig;
}

static struct sb_name_frame *frame_of(const union sb_signal *sig)
{
    return (struct sb_name_frame *)(void *)(uintptr_t)sig;
}

static bool has_cookie(const union sb_signal *sig, const void *cookie)
{
    return request_of(sig)->cookie == *(const uint32_t *)cookie;
}

static bool has_unit(const union sb_signal *sig, const void *unit)
{
    return request_of(sig)->unit == *(const uint32_t *)unit;
}

/** Somebody waits for the answer. A signal that hunts goes on when the link comes back. */
static bool is_waited_for(const union sb_signal *sig, const void *unit)
{
    return has_unit(sig, unit) && request_of(sig)->hunting == NULL;
}

static union sb_signal *take_pending(uint32_t cookie)
{
    uint32_t saved = port_lock();
    union sb_signal *sig = sb_signal_queue_take(&sb_link_node_here()->hunts, has_cookie, &cookie);
    port_unlock(saved);
    return sig;
}

/** A request for a name on the node of `link`, not sent yet; NULL: no block. */
static union sb_signal *request_new(struct sb_link *link, const char *task_name, union sb_signal *hunting)
{
    struct sb_link_node *here = sb_link_node_here();
    uint32_t name_bytes = (uint32_t)strlen(task_name) + 1u;
    union sb_signal *sig = sb_alloc_nil((uint32_t)sizeof(struct sb_hunt_request) + name_bytes, SB_SIGNO_HUNT);
    if (sig == NULL) {
        return NULL;
    }
    struct sb_hunt_request *request = request_of(sig);
    uint32_t saved = port_lock();
    request->cookie = ++here->hunt_cookie;
    port_unlock(saved);
    request->unit = link->unit;
    request->result = SB_ERR_TIMEOUT;
    request->found = SB_ADDR_NONE;
    request->cancelled = 0;
    request->hunting = hunting;
    memcpy(request->name, task_name, name_bytes);
    return sig;
}

/** Where to ask, or why nobody can be asked. */
static enum sb_err link_for(uint32_t node, const char *task_name, struct sb_link **out)
{
    *out = sb_link_node_here() != NULL ? sb_link_to(node) : NULL;
    if (*out == NULL) {
        return SB_ERR_LINK_DOWN;
    }
    return strlen(task_name) > SB_NAME_CHARS_MAX ? SB_ERR_NOT_FOUND : SB_OK;
}

enum sb_err sb_remote_hunt(uint32_t node, const char *task_name, uint32_t timeout_ticks, sb_addr *out)
{
    static const uint32_t result_only[] = {1, SB_SIGNO_HUNT_RESULT};
    struct sb_link *link;
    enum sb_err err = link_for(node, task_name, &link);
    if (err != SB_OK) {
        return err;
    }
    if (timeout_ticks != 0 && timeout_ticks != SB_FOREVER && sb_tick_hz() == 0) {
        return SB_ERR_NO_TICK;
    }
    union sb_signal *sig = request_new(link, task_name, NULL);
    if (sig == NULL) {
        return SB_ERR_MEMORY;
    }
    struct sb_hunt_request *request = request_of(sig);
    uint32_t cookie = request->cookie;
    sb_link_forward(&sig, sb_link_node_here()->rlnh);

    sig = sb_receive_timeout(result_only, timeout_ticks);
    if (sig == NULL) {
        sig = take_pending(cookie);
    }
    if (sig == NULL) {
        /* The request is still allocated: RLNH has it, or it lies in this task's queue. */
        uint32_t saved = port_lock();
        request->cancelled = 1;
        port_unlock(saved);
        sig = sb_receive(result_only);
    }
    request = request_of(sig);
    err = (enum sb_err)request->result;
    if (err == SB_OK) {
        *out = request->found;
    }
    sb_free(&sig);
    return err;
}

SB_COLD enum sb_err sb_remote_hunt_signal(uint32_t node, const char *task_name, union sb_signal *sig)
{
    struct sb_link *link;
    enum sb_err err = link_for(node, task_name, &link);
    if (err != SB_OK) {
        return err;
    }
    union sb_signal *request = request_new(link, task_name, sig);
    if (request == NULL) {
        return SB_ERR_MEMORY;
    }
    sb_link_forward(&request, sb_link_node_here()->rlnh);
    return SB_OK;
}

/** A signal that hunts, and has come to its end. The hunter may have died. */
static void answer_hunting(union sb_signal *sig, sb_addr found)
{
    sb_hunt_answer(request_of(sig)->hunting, found, sb_sender(sig));
    sb_free(&sig);
}

/** Back to the hunter. If it has died, the kernel frees the signal. */
static void answer(union sb_signal *sig, enum sb_err result, sb_addr found)
{
    struct sb_hunt_request *request = request_of(sig);
    if (request->hunting != NULL) {
        answer_hunting(sig, found);
        return;
    }
    request->signo = SB_SIGNO_HUNT_RESULT;
    request->result = (int32_t)result;
    request->found = found;
    sb_link_forward(&sig, sb_sender(sig));
}

static union sb_signal *frame_new(struct sb_link *link, enum sb_name_kind kind, const char *name)
{
    uint32_t name_bytes = (uint32_t)strlen(name) + 1u;
    union sb_signal *sig =
        sb_alloc_nil((uint32_t)sizeof(struct sb_name_frame) + name_bytes, SB_SIGNO_NAME_FRAME);
    if (sig == NULL) {
        link->counters.no_buffer++;
        return NULL;
    }
    struct sb_name_frame *frame = frame_of(sig);
    frame->kind = (uint32_t)kind;
    frame->cookie = 0;
    frame->addr = SB_ADDR_NONE;
    frame->status = 0;
    frame->unit = 0;
    memcpy(frame->name, name, name_bytes);
    return sig;
}

/** Put a request into `pending` and ask the peer, if it listens. */
static void pend(union sb_signal *sig)
{
    struct sb_link_node *here = sb_link_node_here();
    struct sb_hunt_request *request = request_of(sig);
    struct sb_link *link = &here->ends[request->unit];
    union sb_signal *query = NULL;
    if (request->hunting != NULL && sb_task_name(sb_sender(sig)) == NULL) {
        sb_free(&request->hunting); /* its owner has died */
        sb_free(&sig);
        return;
    }
    if (link->names_ready) {
        query = frame_new(link, SB_NAME_QUERY, request->name);
        if (query == NULL && request->hunting == NULL) {
            answer(sig, SB_ERR_MEMORY, SB_ADDR_NONE);
            return;
        }
        frame_of(query)->cookie = request->cookie;
    }
    uint32_t saved = port_lock();
    bool cancelled = request->cancelled != 0;
    if (!cancelled) {
        sb_signal_queue_push(&here->hunts, sig);
    }
    port_unlock(saved);
    if (cancelled) {
        answer(sig, SB_ERR_TIMEOUT, SB_ADDR_NONE);
        if (query != NULL) {
            sb_free(&query);
        }
    } else if (query != NULL) {
        (void)link->manager->transmit(link, &query);
    }
}

void sb_names_request(union sb_signal *sig)
{
    pend(sig);
}

void sb_names_ask(struct sb_link *link)
{
    if (link->attach_due && link->names_ready) {
        link->attach_due = attach_again(link);
    }
    struct sb_link_node *here = sb_link_node_here();
    struct sb_signal_queue waiting;
    sb_signal_queue_init(&waiting);
    for (;;) {
        uint32_t saved = port_lock();
        union sb_signal *sig = sb_signal_queue_take(&here->hunts, has_unit, &link->unit);
        port_unlock(saved);
        if (sig == NULL) {
            break;
        }
        sb_signal_queue_push(&waiting, sig);
    }
    for (union sb_signal *sig = sb_signal_queue_pop(&waiting); sig != NULL;
         sig = sb_signal_queue_pop(&waiting)) {
        pend(sig);
    }
}

static void send_init(struct sb_link *link)
{
    union sb_signal *sig = frame_new(link, SB_NAME_INIT, "");
    link->init_due = sig == NULL;
    if (sig != NULL) {
        frame_of(sig)->status = SB_NAMES_VERSION;
        (void)link->manager->transmit(link, &sig);
    }
}

void sb_names_connected(struct sb_link *link)
{
    send_init(link);
}

/** Whoever attached to a task of the peer's node, or to `task` of it, is told. */
static void tell_lost(const struct sb_link *link, sb_addr task)
{
    const struct sb_attach_rules *rules = port_node()->attach_rules;
    if (rules != NULL) {
        rules->lost(link->config->peer_node, task);
    }
}

void sb_names_lost(struct sb_link *link)
{
    struct sb_link_node *here = sb_link_node_here();
    for (;;) {
        uint32_t saved = port_lock();
        union sb_signal *sig = sb_signal_queue_take(&here->hunts, is_waited_for, &link->unit);
        port_unlock(saved);
        if (sig == NULL) {
            break;
        }
        answer(sig, SB_ERR_LINK_DOWN, SB_ADDR_NONE);
    }
    tell_lost(link, SB_ADDR_NONE);
}

/* ---- supervision
 *
 *     who attaches             RLNH                    RLNH of the peer
 *     attached; ATTACH ----->  names agreed?     =>    the task lives: the frame, now UNPUBLISH, is left with the kernel
 *                                                      (sb_attach) and comes back when it dies; it is dead: goes back at once
 *                 <----------  UNPUBLISH         <=
 *
 *  Before names are agreed nothing is sent; then ATTACH is sent for all that are attached. A link that is lost ends all
 *  attachments over it, so each connection begins without any. */

SB_COLD enum sb_err sb_remote_attach(sb_addr victim)
{
    struct sb_link_node *here = sb_link_node_here();
    struct sb_link *link = here != NULL ? sb_link_to(sb_addr_node(victim)) : NULL;
    if (link == NULL || !link->connected) {
        return SB_ERR_LINK_DOWN;
    }
    union sb_signal *sig = frame_new(link, SB_NAME_ATTACH, "");
    if (sig == NULL) {
        return SB_ERR_MEMORY;
    }
    frame_of(sig)->signo = SB_SIGNO_FRAME_OUT;
    frame_of(sig)->addr = victim;
    frame_of(sig)->unit = link->unit;
    sb_link_forward(&sig, here->rlnh);
    return SB_OK;
}

/** An ATTACH of this node, or an UNPUBLISH whose task has died. */
SB_COLD void sb_names_send(union sb_signal *sig)
{
    struct sb_name_frame *frame = frame_of(sig);
    struct sb_link *link = &sb_link_node_here()->ends[frame->unit];
    if (link->names_ready) {
        frame->signo = SB_SIGNO_NAME_FRAME;
        (void)link->manager->transmit(link, &sig);
        return;
    }
    if (frame->kind == SB_NAME_ATTACH && !link->connected) {
        tell_lost(link, frame->addr);
    }
    sb_free(&sig);
}

/** The victim on the peer's node whose attachment has the greatest reference below *last, which becomes *last; so all are
 *  found once, whatever comes and goes meanwhile. SB_ADDR_NONE: no more. */
static sb_addr next_victim(const struct sb_link *link, uint32_t *last)
{
    const struct sb_signal_header *best = NULL;
    sb_addr victim = SB_ADDR_NONE;
    uint32_t saved = port_lock();
    for (const struct sb_signal_header *at = port_node()->attached; at != NULL; at = at->next) {
        if (sb_addr_node(at->sender) == link->config->peer_node && at->mark < *last &&
            (best == NULL || at->mark > best->mark)) {
            best = at;
        }
    }
    if (best != NULL) {
        *last = best->mark;
        victim = best->sender;
    }
    port_unlock(saved);
    return victim;
}

/** Names are agreed: ask for what was attached before. True: no memory, to be tried again. */
static bool attach_again(struct sb_link *link)
{
    uint32_t last = UINT32_MAX;
    sb_addr victim;
    while ((victim = next_victim(link, &last)) != SB_ADDR_NONE) {
        union sb_signal *sig = frame_new(link, SB_NAME_ATTACH, "");
        if (sig == NULL) {
            return true;
        }
        frame_of(sig)->addr = victim;
        (void)link->manager->transmit(link, &sig);
    }
    return false;
}

/** Whether this node watches the task already for the peer of this link. */
SB_COLD static bool is_watched(const struct sb_link *link, sb_addr task)
{
    const sb_addr rlnh = sb_link_node_here()->rlnh;
    uint32_t saved = port_lock();
    const struct sb_signal_header *at = port_node()->attached;
    while (at != NULL && !(at->addressee == rlnh && at->sender == task &&
                           ((const struct sb_name_frame *)(const void *)(at + 1))->unit == link->unit)) {
        at = at->next;
    }
    port_unlock(saved);
    return at != NULL;
}

/** True: the frame goes back at once, for the task is dead. Otherwise it is used up. */
SB_COLD static bool rx_attach(struct sb_link *link, union sb_signal **sig)
{
    struct sb_name_frame *frame = frame_of(*sig);
    const sb_addr task = frame->addr;
    if (task == SB_ADDR_NONE || sb_addr_node(task) != port_node()->config->node) {
        link->counters.bad_name_frame++;
        sb_free(sig);
        return false;
    }
    frame->kind = SB_NAME_UNPUBLISH;
    frame->status = 1;
    if (sb_task_name(task) == NULL) {
        return true;
    }
    if (is_watched(link, task) || task == sb_self()) {
        sb_free(sig);
        return false;
    }
    frame->signo = SB_SIGNO_FRAME_OUT;
    SB_IGNORE(sb_attach(task, sig, NULL)); /* with a signal of the caller's it needs no memory */
    return false;
}

SB_COLD static bool rx_unpublish(struct sb_link *link, struct sb_name_frame *frame)
{
    if (sb_addr_node(frame->addr) != link->config->peer_node) {
        link->counters.bad_name_frame++;
        return false;
    }
    link->counters.peer_undeliverable += frame->status == 0;
    tell_lost(link, frame->addr);
    frame->kind = SB_NAME_UNPUBLISH_ACK;
    return true;
}

/** A task that is not here (any more): say so to who sends to it. */
void sb_names_dead(union sb_signal *sig)
{
    const struct sb_link_event *event = (const struct sb_link_event *)(const void *)sig;
    struct sb_link *link = &sb_link_node_here()->ends[event->unit];
    union sb_signal *frame = link->names_ready ? frame_new(link, SB_NAME_UNPUBLISH, "") : NULL;
    if (frame != NULL) {
        frame_of(frame)->addr = event->addr;
        (void)link->manager->transmit(link, &frame);
    }
    sb_free(&sig);
}

static bool name_is_terminated(const union sb_signal *sig)
{
    uint32_t room = sb_size(sig) - (uint32_t)sizeof(struct sb_name_frame);
    uint32_t limit = room < SB_NAME_CHARS_MAX + 1u ? room : SB_NAME_CHARS_MAX + 1u;
    return memchr(frame_of(sig)->name, 0, limit) != NULL;
}

/** True: the frame goes back as the reply it has become. */
static bool rx_query(struct sb_link *link, union sb_signal *sig)
{
    struct sb_name_frame *frame = frame_of(sig);
    if (!name_is_terminated(sig)) {
        link->counters.bad_name_frame++;
        return false;
    }
    frame->addr = sb_task_lookup(frame->name);
    if (frame->addr == SB_ADDR_NONE) {
        link->counters.unknown_names++;
        return false;
    }
    frame->kind = SB_NAME_PUBLISH;
    return true;
}

static void rx_publish(struct sb_link *link, const struct sb_name_frame *frame)
{
    if (frame->addr == SB_ADDR_NONE || sb_addr_node(frame->addr) != link->config->peer_node) {
        link->counters.bad_name_frame++;
        return;
    }
    /* Not pending: its hunter has given up. */
    union sb_signal *request = take_pending(frame->cookie);
    if (request != NULL) {
        answer(request, SB_OK, frame->addr);
    }
}

void sb_names_frame(union sb_signal *sig)
{
    struct sb_name_frame *frame = frame_of(sig);
    struct sb_link *link = &sb_link_node_here()->ends[frame->unit];
    bool reply = false;
    if (link->init_due && link->connected) {
        send_init(link);
    }
    switch (frame->kind) {
    case SB_NAME_INIT:
        frame->kind = SB_NAME_INIT_REPLY;
        frame->status = frame->status == SB_NAMES_VERSION ? 0 : 1;
        reply = true;
        break;
    case SB_NAME_INIT_REPLY:
        if (frame->status == 0 && link->connected) {
            link->names_ready = true;
            link->attach_due = attach_again(link);
            sb_names_ask(link);
        } else {
            link->counters.bad_name_frame++;
        }
        break;
    case SB_NAME_QUERY:
        reply = rx_query(link, sig);
        break;
    case SB_NAME_PUBLISH:
        rx_publish(link, frame);
        break;
    case SB_NAME_UNPUBLISH:
        reply = rx_unpublish(link, frame);
        break;
    case SB_NAME_ATTACH:
        if (!rx_attach(link, &sig)) {
            return;
        }
        reply = true;
        break;
    case SB_NAME_UNPUBLISH_ACK:
        break;
    default:
        link->counters.bad_name_frame++;
        break;
    }
    if (reply) {
        (void)link->manager->transmit(link, &sig);
    } else {
        sb_free(&sig);
    }
}
