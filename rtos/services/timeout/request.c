/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Timeouts in pool blocks. A block is an entry of the node's list and its reference; it belongs to the client, so that the
 *  client's death takes it out of the timer queue before its memory goes. */
#include <stddef.h>

#include "signalbox/kept.h"
#include "signalbox/port.h"
#include "signalbox/task.h"
#include "signalbox/timeout.h"

struct request {
    uint32_t signo;
    struct sb_timeout timeout;
    void (*callback)(void *argument);
    void *argument;
    union sb_signal *sig; /**< NULL: a callback */
};

#define REQUEST_SIGNO 249u
/** Mark of a block that has been withdrawn while the server was calling. */
#define WITHDRAWN 0x576974u

static struct request *request_of(struct sb_signal_header *header)
{
    return (struct request *)(void *)sb_signal_of(header);
}

static void give_back(struct sb_signal_header *header)
{
    union sb_signal *sig = sb_signal_of(header);
    header->mark = SB_SIGNAL_OWNED;
    sb_free(&sig);
}

static bool is_this(const struct sb_signal_header *header, uint32_t reference)
{
    return header->mark == reference;
}

static bool is_callers(const struct sb_signal_header *header, uint32_t reference)
{
    return header->mark == reference && header->addressee == sb_self();
}

/** In the server, which has this timeout (`calling`): whoever withdraws it meanwhile leaves the block to the server. A single
 *  one goes before its callback, which may request another in its block. */
static void expired(void *argument)
{
    struct sb_node *node = port_node();
    const struct request done = *(const struct request *)argument;
    struct sb_signal_header *header = sb_signal_header_of(argument);
    const bool single = done.timeout.period_ticks == 0;
    const uint32_t state = port_lock();
    const uint32_t reference = header->mark;
    const sb_addr client = header->addressee;
    bool is_over = reference == WITHDRAWN;
    if (!is_over && single) {
        (void)sb_kept_take(&node->requested, is_this, reference);
        node->timeouts.calling = NULL;
    }
    port_unlock(state);
    if (single || is_over) {
        give_back(header);
    }
    if (is_over) {
        return;
    }
    if (done.sig != NULL) {
        header = sb_signal_header_of(done.sig);
        header->sender = client;
        header->addressee = client;
        header->mark = reference;
        sb_kept_deliver(node, header);
        return;
    }
    done.callback(done.argument);
    if (!single && header->mark == WITHDRAWN) {
        give_back(header);
    }
}

/** The first request that passes the test goes, out of the timer queue and with all that it has. */
static bool drop(struct sb_node *node, sb_kept_test *test, uint32_t what)
{
    const uint32_t state = port_lock();
    struct sb_signal_header *header = sb_kept_take(&node->requested, test, what);
    if (header != NULL) {
        struct request *request = request_of(header);
        SB_IGNORE(sb_timeout_cancel(&request->timeout));
        if (request->sig != NULL) {
            give_back(sb_signal_header_of(request->sig));
        }
        if (node->timeouts.calling == &request->timeout) {
            header->mark = WITHDRAWN;
        } else {
            give_back(header);
        }
    }
    port_unlock(state);
    return header != NULL;
}

static void ended(struct sb_node *node, sb_addr task)
{
    while (drop(node, sb_kept_for, task)) {
    }
}

static const struct sb_watcher watcher = {.ended = ended};

static enum sb_err start(uint32_t ticks, const struct request *what, uint32_t period_ticks,
                         sb_timeout_ref *ref)
{
    struct sb_node *node = port_node();
    union sb_signal *memory = sb_alloc_nil((uint32_t)sizeof(struct request), REQUEST_SIGNO);
    if (memory == NULL) {
        return SB_ERR_MEMORY;
    }
    struct sb_signal_header *header = sb_signal_header_of(memory);
    struct request *request = request_of(header);
    request->callback = what->callback;
    request->argument = what->argument;
    request->sig = what->sig;
    sb_timeout_init(&request->timeout, expired, request);
    sb_watch(node, &watcher);
    const sb_timeout_ref reference = sb_kept_reference(node);
    if (ref != NULL) {
        *ref = reference;
    }
    const uint32_t state = port_lock();
    header->addressee = node->self->addr;
    header->mark = reference;
    sb_kept_add_locked(&node->requested, header);
    const enum sb_err err = sb_timeout_start(&request->timeout, ticks, period_ticks);
    port_unlock(state);
    if (err != SB_OK) {
        if (ref != NULL) {
            *ref = SB_TIMEOUT_NONE;
        }
        give_back(sb_kept_take(&node->requested, is_this, reference));
    }
    return err;
}

enum sb_err sb_timeout_request(uint32_t ticks, uint32_t period_ticks, void (*callback)(void *argument),
                               void *argument, sb_timeout_ref *ref)
{
    const struct request what = {.callback = callback, .argument = argument};
    if (ref != NULL) {
        *ref = SB_TIMEOUT_NONE;
    }
    return callback != NULL ? start(ticks, &what, period_ticks, ref) : SB_ERR_ARGUMENT;
}

enum sb_err sb_timeout_request_signal(uint32_t ticks, union sb_signal **sig, sb_timeout_ref *ref)
{
    const struct request what = {.sig = *sig};
    *sig = NULL;
    if (ref != NULL) {
        *ref = SB_TIMEOUT_NONE;
    }
    sb_signal_owned_by(sb_signal_header_of(what.sig), NULL); /* the request owns it */
    const enum sb_err err = start(ticks, &what, 0, ref);
    if (err != SB_OK) {
        give_back(sb_signal_header_of(what.sig));
    }
    return err;
}

enum sb_err sb_timeout_modify(sb_timeout_ref ref, uint32_t ticks)
{
    struct sb_node *node = port_node();
    enum sb_err err = SB_ERR_NOT_FOUND;
    const uint32_t state = port_lock();
    struct sb_signal_header *header = sb_kept_take(&node->requested, is_callers, ref);
    if (header != NULL) {
        struct request *request = request_of(header);
        sb_kept_add_locked(&node->requested, header);
        const uint32_t period_ticks = request->timeout.period_ticks;
        if (period_ticks != 0 || node->timeouts.calling != &request->timeout) {
            err = sb_timeout_start(&request->timeout, ticks, period_ticks);
        }
    }
    port_unlock(state);
    return err;
}

enum sb_err sb_timeout_withdraw(sb_timeout_ref *ref)
{
    const sb_timeout_ref reference = *ref;
    *ref = SB_TIMEOUT_NONE;
    return drop(port_node(), is_callers, reference) ? SB_OK : sb_kept_withdraw(reference);
}
