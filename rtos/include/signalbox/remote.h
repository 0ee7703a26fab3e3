/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_REMOTE_H
#define SIGNALBOX_REMOTE_H
/** @file
 *  What the kernel asks of `link/`, and the one thing that `link/` needs from the kernel for it. Without
 *  links the kernel's own weak definitions answer. Published structure: the kernel forwards a signal for a
 *  remote addressee to the RLNH task's queue (osek-linx 3.3.2). */
#include "signalbox/addr.h"
#include "signalbox/err.h"
#include "signalbox/signal.h"

/* Implemented by link. */

/** Take over `sig` for an addressee on another node. Sender and addressee are in its header already
 *  (sb_sender, sb_addressee). Always consumes. Context: any (also interrupt tasks), interrupts as the caller
 *  has them; never blocks. Errors:  SB_ERR_DEAD  nothing leads there; the signal is freed. The weak definition
 *  always answers this. */
SB_MUST_USE enum sb_err sb_remote_send(union sb_signal *sig);

/** Resolve "node/task" where node is not this one. `task_name` points behind the slash.
 *  Context: priority task.   Errors: as sb_hunt.   The weak definition answers SB_ERR_LINK_DOWN. */
SB_MUST_USE enum sb_err sb_remote_hunt(uint32_t node, const char *task_name, uint32_t timeout_ticks,
                                       sb_addr *out);

/** As sb_remote_hunt, but `sig` is answered (sb_hunt_answer) when the task exists. SB_OK: taken over; otherwise it stays the
 *  caller's. It goes on over a loss of the link.   Context: any; never blocks.
 *  Errors: SB_ERR_LINK_DOWN, SB_ERR_MEMORY, SB_ERR_NOT_FOUND  the name is too long */
SB_MUST_USE enum sb_err sb_remote_hunt_signal(uint32_t node, const char *task_name, union sb_signal *sig);

/** Have the node of `victim` say when it dies, and when the link to it is lost: node->attach_rules->lost.   Context: any.
 *  Errors: SB_ERR_LINK_DOWN  there is no connection;  SB_ERR_MEMORY  no block for the question */
SB_MUST_USE enum sb_err sb_remote_attach(sb_addr victim);

/* Implemented by the kernel. */

/** Deliver a signal that hunts, as if the task that was `found` had sent it. Consumes.   Context: any */
void sb_hunt_answer(union sb_signal *sig, sb_addr found, sb_addr hunter);

/** Put *sig into the queue of the local task `through`, leaving sender and addressee as they are: `through`
 *  sees by sb_addressee that it is not meant itself. Consumes, *sig becomes NULL. Context: any.   Time: as
 *  sb_send; emits no send probes.   Errors: SB_ERR_DEAD  freed */
SB_MUST_USE enum sb_err sb_signal_forward(union sb_signal **sig, sb_addr through);

#endif
