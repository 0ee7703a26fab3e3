/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_KEPT_H
#define SIGNALBOX_KEPT_H
/** @file
 *  Signals that the kernel keeps for somebody, in lists through their own headers: `addressee` says for whom. While a signal
 *  is kept, and until it is received, its `mark` is a reference by which it is found again. An inner contract, of the kernel and
 *  its services. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/err.h"
#include "signalbox/node.h"

/** Whether an entry is the one that is looked for. */
typedef bool sb_kept_test(const struct sb_signal_header *header, uint32_t what);

/** The first signal of the list that passes the test, out of it; NULL if there is none. Linear in the list, one critical
 *  section. */
struct sb_signal_header *sb_kept_take(struct sb_signal_header **list, sb_kept_test *test, uint32_t what);

/** sb_kept_test: kept for the task `what`; kept under the reference `what`. */
sb_kept_test sb_kept_for;
sb_kept_test sb_kept_under;

static inline void sb_kept_add_locked(struct sb_signal_header **list, struct sb_signal_header *header)
{
    header->next = *list;
    *list = header;
}

/** To its addressee, under the name that is in it. */
void sb_kept_deliver(struct sb_node *node, struct sb_signal_header *header);

/** A new reference; not 0, and no mark of a signal. */
uint32_t sb_kept_reference(struct sb_node *node);

/** Free the signal in the caller's queue that was kept under `reference`. SB_ERR_NOT_FOUND: there is none (any more).
 *  Linear in the queue, the lock is open between two elements. */
SB_MUST_USE enum sb_err sb_kept_withdraw(uint32_t reference);

/** From now on `watcher` is told of beginnings and ends. */
void sb_watch(struct sb_node *node, const struct sb_watcher *watcher);

#endif
