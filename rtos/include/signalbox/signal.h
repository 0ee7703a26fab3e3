/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_SIGNAL_H
#define SIGNALBOX_SIGNAL_H
/** @file
 *  Signals: messages in pool blocks that change owner.
 *
 *  An application defines `union sb_signal` for itself; the first member is the number:
 *
 *      union sb_signal { uint32_t signo; struct start_motor start; ... };
 *
 *  A signal has exactly one owner: the task that allocated or received it, then, from send to receive, the
 *  kernel. Locally nothing is copied. Signals of one sender reach one addressee in the order of their sends.
 *
 *  A selection list is `{n, no, ...}`: n numbers that the caller wants. `{0}` wants all. A negative count,
 *  written with SB_SELECT_EXCEPT(n), wants all except these. The list must stay valid until the call returns.
 */
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"

union sb_signal;

/** First element of a negative list of n numbers: everything except them. */
#define SB_SELECT_EXCEPT(n) ((uint32_t) - (n))

/** Timeout that never ends. */
#define SB_FOREVER 0xffffffffu

/** Allocate a signal of `size_bytes` (at least 4, the number included) from the node's system pool. Never
 *  NULL. Context: any; never blocks.   Time: O(1), one critical section. Asserts: `alloc-exhausted` no block
 *  of the fitting class is free (fatal at every level, the error hook first); `alloc-size` larger than every
 *  class or less than 4. Source:  osek-linx 2.2.4.2 */
union sb_signal *sb_alloc(uint32_t size_bytes, uint32_t signo);

/** As sb_alloc, but NULL when no block of the fitting class is free or none is large enough. */
SB_MUST_USE union sb_signal *sb_alloc_nil(uint32_t size_bytes, uint32_t signo);

/** As sb_alloc_nil, from pool number `pool` of this node (0 is the system pool).
 *  Asserts: `pool-unknown` (checked) no such pool. */
SB_MUST_USE union sb_signal *sb_alloc_from(uint32_t pool, uint32_t size_bytes, uint32_t signo);

/** Give *sig back to its pool; *sig becomes NULL.
 *  Context: any.   Time: O(1), one critical section.
 *  Asserts: (checked) `free-null`; `signal-not-owned`; `signal-end-mark` written beyond its size. */
void sb_free(union sb_signal **sig);

/** Send *sig to `to`. Always consumes: ownership passes to the kernel and *sig becomes NULL.
 *  Context: any; never blocks. A more urgent receiver runs before the call returns.
 *  Time:    O(1), one critical section, plus the length of the receiver's selection list if it waits with
 *  one. Errors:  SB_ERR_DEAD  the addressee is known to be gone or never was; the signal is freed and counted.
 *           SB_ERR_MEMORY  (domains) the addressee's domain has no block for a copy; the signal is freed and counted.
 *           Remote addressees: SB_OK says that the signal is queued for the link;
 *           SB_ERR_ARGUMENT that its number is 0 or 250 to 255: freed.
 *  Asserts: (checked) `send-null`; `signal-not-owned`; `signal-end-mark`.
 *  Source:  osek-linx 2.2.1 */
SB_MUST_USE enum sb_err sb_send(union sb_signal **sig, sb_addr to);

/** As sb_send, with `from` as the sender that the receiver sees. */
SB_MUST_USE enum sb_err sb_send_from(union sb_signal **sig, sb_addr to, sb_addr from);

/** The first signal in the caller's queue that `selection` wants; waits until there is one. The caller owns
 *  it. Context: priority task. Time:    O(1) for {0}; otherwise linear in queue and list, one element per
 *  critical section. Asserts: (checked) `receive-context` called by an interrupt task; `receive-null`. Source:
 *  osek-linx 2.2.1 */
union sb_signal *sb_receive(const uint32_t *selection);

/** As sb_receive, for at most `timeout_ticks` (0 polls: any context; SB_FOREVER waits). The call ends at the
 *  timeout_ticks-th tick from now. NULL: nothing came. With the tick off, finite timeouts end at once with
 *  NULL and the error hook is told SB_ERR_NO_TICK, label `timeout-no-tick`. */
SB_MUST_USE union sb_signal *sb_receive_timeout(const uint32_t *selection, uint32_t timeout_ticks);

/** As sb_receive_timeout, for the number `signo` alone.                                                [SIG-011] */
SB_MUST_USE union sb_signal *sb_receive_one(uint32_t signo, uint32_t timeout_ticks);

/* The caller owns `sig` in all of these.   Asserts: (checked) `signal-not-owned`: freed or sent already. */

/** Who sent `sig` (its allocator until it has been sent).   Context: any */
sb_addr sb_sender(const union sb_signal *sig);
/** Whom `sig` was sent to; SB_ADDR_NONE until it has been sent.   Context: any */
sb_addr sb_addressee(const union sb_signal *sig);
/** Size asked for at allocation, in bytes, the number included.   Context: any */
uint32_t sb_size(const union sb_signal *sig);
/** Make the caller the sender, as if `sig` had just been allocated by it.   Context: any */
void sb_restore(union sb_signal *sig);

#endif
