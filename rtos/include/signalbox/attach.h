/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_ATTACH_H
#define SIGNALBOX_ATTACH_H
/** @file
 *  Supervision, and names that do not exist yet: a signal is left with the kernel, and comes back as if its victim, or the
 *  task that was looked for, had sent it.
 *
 *      sb_attach(victim, &sig, &ref)       the victim dies            sig arrives, sender is the victim
 *                                          it is dead already         at once
 *                                          the link to it is lost     then, or at once if it is down
 *      sb_detach(&ref)                     sig is freed, also if it has arrived and was not received
 *      sb_hunt_signal("node/task", &sig)   the name exists            sig arrives, sender is the task; at once if it does already
 *
 *  What is left with the kernel dies with the task that left it. A victim that is restarted has died.
 *  Source: osek-linx 3.3.1, 3.3.2 */
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"
#include "signalbox/signal.h"

/** Numbers 250 to 255 are reserved: applications neither choose them nor send them to other nodes. */
#define SB_SIGNO_RESERVED_FIRST 250u
#define SB_SIGNO_RESERVED_LAST 255u
/** Number of the signal that sb_attach makes if it is given none; of the one that hunts make in OSE. */
#define SB_SIGNO_ATTACH 252u
#define SB_SIGNO_HUNTED 251u

/** Names one attachment; 0: none. */
typedef uint32_t sb_attach_ref;
#define SB_ATTACH_NONE ((sb_attach_ref)0)

/** Receive *sig when `victim`, on any node, dies. sig or *sig NULL: a signal that has only the number SB_SIGNO_ATTACH.
 *  Always consumes: *sig becomes NULL. `ref` may be NULL.
 *  Context: any; never blocks.   Time: O(1), and what a send to the caller costs if the victim is dead.
 *  Errors:  SB_ERR_ARGUMENT  nobody (SB_ADDR_NONE), or the caller itself
 *           SB_ERR_MEMORY    no block for a signal of the kernel's own: with no *sig, or to tell the victim's node
 *  Asserts: (checked) `signal-not-owned`; `signal-end-mark`.
 *  Source:  osek-linx 3.3.1                                                                             [ATT-001] */
SB_MUST_USE enum sb_err sb_attach(sb_addr victim, union sb_signal **sig, sb_attach_ref *ref);

/** Undo an sb_attach of the caller; *ref becomes SB_ATTACH_NONE.
 *  Context: any.   Time: linear in the attachments of the node, or in the caller's queue, one element per critical section.
 *  Errors:  SB_ERR_NOT_FOUND  the signal has been received, or the attachment is another task's, or there was none
 *  Asserts: (checked) `detach-null`.                                                                    [ATT-002] */
SB_MUST_USE enum sb_err sb_detach(sb_attach_ref *ref);

/** Receive *sig when a task is called `name`: "task" on this node, "node/task" anywhere. Always consumes.
 *  Context: any; never blocks.   Time: linear in the tasks of the node.
 *  Errors:  SB_ERR_NOT_FOUND  there is no such node, or nobody can have such a long name
 *           SB_ERR_LINK_DOWN  no link leads to that node
 *           SB_ERR_MEMORY     no block for the kernel's own note of the name
 *  Asserts: (checked) `hunt-null`; `signal-not-owned`; `signal-end-mark`.
 *  Source:  osek-linx 3.3.1                                                                             [HUNT-002] */
SB_MUST_USE enum sb_err sb_hunt_signal(const char *name, union sb_signal **sig);

#endif
