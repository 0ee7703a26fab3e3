/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_TASK_H
#define SIGNALBOX_TASK_H
/** @file
 *  Tasks. The table of a node is fixed at build time; every task in it starts when the node starts.
 *
 *  A priority task has a stack and runs until a more urgent one is ready or it waits: 32 levels, 0 the most
 *  urgent, FIFO inside a level. An interrupt task has no stack: its entry is called once per activation, in
 *  interrupt context, and must return. It is activated by its interrupt line, by a signal to it, or by its
 *  fast semaphore. Interrupt tasks are above all priority tasks; the most urgent pending one runs next. They
 *  do not nest in this version. Activations are not counted: several before the body starts are one, so the
 *  body looks at everything that may have happened (line, queue, fast semaphore); one during the body runs it
 *  again. An interrupt task calls nothing that waits; polling is allowed. */
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"

struct sb_task;

#define SB_PRIORITIES 32u

enum sb_task_kind {
    SB_TASK_PRIORITY = 0,
    SB_TASK_INTERRUPT = 1,
    SB_TASK_IDLE = 2, /**< made by the kernel, one per node; waits for interrupts */
};

/** Address of the running task; of the interrupted task in a handler connected with port_irq_connect.
 *  Context: any */
sb_addr sb_self(void);

/** Address of the local task `name`, SB_ADDR_NONE if there is none.
 *  Context: any.   Time: linear in the number of tasks; interrupts stay on. */
sb_addr sb_task_lookup(const char *name);

/** Name of a local living task, NULL if there is none.   Context: any */
const char *sb_task_name(sb_addr task);

/** Priority of a local living task, SB_ERR_DEAD (negative) if there is none.   Context: any */
int32_t sb_task_priority(sb_addr task);

/** Find a task: "task" on this node, "node/task" anywhere. A local name answers at once; a remote one waits
 *  until it appears, at most `timeout_ticks`. Context: priority task for remote names, any for local ones.
 *  Errors:  SB_ERR_NOT_FOUND  local and not in the table, or no such node
 *           SB_ERR_TIMEOUT    the peer did not answer in time
 *           SB_ERR_NO_TICK    finite timeout with the tick off (remote names)
 *           SB_ERR_LINK_DOWN  no link leads to that node */
SB_MUST_USE enum sb_err sb_hunt(const char *name, uint32_t timeout_ticks, sb_addr *out);

/** End a local task. Its queue is freed, its address dies. The caller may end itself: then the call does not
 *  return. A priority task whose entry returns ends in this way. Semaphores that it holds stay taken. Context:
 *  priority task.   Time: linear in the victim's queue, one element per critical section. Errors:  SB_ERR_DEAD
 *  no such task SB_ERR_ARGUMENT  not on this node, or an interrupt task (those cannot be ended in this
 *  version) */
SB_MUST_USE enum sb_err sb_task_kill(sb_addr task);

#endif
