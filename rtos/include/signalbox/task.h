/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_TASK_H
#define SIGNALBOX_TASK_H
/** @file
 *  Tasks. Most are in the node's table and start with the node; others are created in spare slots of the table from
 *  configurations and stacks that the application keeps. No heap.
 *
 *  A priority task has a stack and runs until a more urgent one is ready or it waits: 32 levels, 0 the most urgent, FIFO
 *  inside a level. In cooperative mode (configuration) it runs until it waits or yields.
 *
 *  A periodic task is a priority task whose entry is called once per period (&sb_periodic). A best-effort task shares the
 *  processor with others of its level in turns of some ticks (&sb_round_robin); its level, 31 by custom, is below whatever
 *  has a deadline.
 *
 *  An interrupt task has no stack: its entry is called once per activation, in interrupt context, and must return. It is
 *  activated by its interrupt line, by a signal to it, or by its fast semaphore. Interrupt tasks are above all others and
 *  interrupt less urgent interrupt tasks; handlers (port_irq_connect), the tick among them, interrupt all but those of
 *  priority 0. Activations are not counted: several before the body starts are one, so the body looks at everything that
 *  may have happened (line, queue, fast semaphore); one during the body runs it again. An interrupt task calls nothing
 *  that waits; polling is allowed.
 *
 *  Context "task" means: any but an interrupt task or a handler. "waiting" means: a task that has not called
 *  sb_preemption_off. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"

struct sb_task;

#define SB_PRIORITIES 32u

struct sb_task_class;
struct sb_task_config;

enum sb_task_kind {
    SB_TASK_PRIORITY = 0,
    SB_TASK_INTERRUPT = 1,
    SB_TASK_IDLE = 2, /**< made by the kernel, one per node; waits for interrupts */
    SB_TASK_PERIODIC = 3,
    SB_TASK_BEST_EFFORT = 4,
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

/* ---- beginning and end */

/** Make a task in a spare slot of the table. It runs at once if it is more urgent than the caller, or waits for
 *  sb_task_start if config->stopped. The configuration and its stack must stay until the task has died and is not to be
 *  restarted.
 *  Context: task.   Time: linear in the tasks of the node, preemption off; hooks and checked levels paint the stack.
 *  Errors:  SB_ERR_ARGUMENT  no name or entry; kind, priority or irq that do not exist; periodic without class
 *           SB_ERR_SIZE      stack missing, not aligned to 16, below 256 bytes; an interrupt task with a stack
 *           SB_ERR_BUSY      a living task of the node has this name
 *           SB_ERR_FULL      no spare slot is free
 *  Asserts: (checked) `create-context`; `create-null` no `out`.                                        [TASK-002] */
SB_MUST_USE enum sb_err sb_task_create(const struct sb_task_config *config, sb_addr *out);

/** End a local task. Its queue and the signals that it owns are freed, its mutexes go to their waiters, its address dies. The caller may end itself: then
 *  the call does not return. A priority task whose entry returns ends in this way. Semaphores and
 *  reader-writer locks that it holds stay taken.
 *  Context: task.   Time: linear in the victim's queue and the blocks ever used of all pools, one per critical section,
 *  preemption off.
 *  Errors:  SB_ERR_DEAD      no such task (any more)
 *           SB_ERR_ARGUMENT  not on this node
 *  Asserts: (checked) `kill-context`.                                                                   [TASK-003] */
SB_MUST_USE enum sb_err sb_task_kill(sb_addr task);

/** Begin a task again, from its configuration: a living one is ended first. It gets a new address; who holds the old one
 *  reaches nobody. Addresses of a slot come back after 1023 lives.
 *  Context: task.   Time: as sb_task_kill, then as sb_task_create.
 *  Errors:  SB_ERR_DEAD      `task` is not the last address of its slot, or there was never a task
 *           SB_ERR_ARGUMENT  not on this node
 *           SB_ERR_BUSY      the caller itself, or another task has got its name meanwhile
 *  Asserts: (checked) `restart-context`; `restart-null` no `out`.                                       [TASK-004] */
SB_MUST_USE enum sb_err sb_task_restart(sb_addr task, sb_addr *out);

/** A dead task is not to be restarted: its configuration and its stack may go.
 *  Context: task.   Time: O(1).
 *  Errors:  SB_ERR_DEAD      `task` is not the last address of its slot: another life has begun there
 *           SB_ERR_ARGUMENT  not on this node, or nobody's
 *           SB_ERR_BUSY      it lives, or is the one that runs                                          [TASK-011] */
SB_MUST_USE enum sb_err sb_task_forget(sb_addr task);

/* ---- who may run */

/** Keep a task from running until sb_task_start. A waiting task goes on waiting; when its wait ends it stays stopped.
 *  Stops are counted: n of them need n starts. An interrupt task is not activated meanwhile, and its line is off. The
 *  caller may stop itself.
 *  Context: any; if the caller stops itself: waiting.   Time: O(1).
 *  Errors:  SB_ERR_DEAD  no such task on this node
 *           SB_ERR_FULL  stopped 255 times
 *  Source:  osek-linx A1/1.34, 1.35                                                                     [TASK-005] */
SB_MUST_USE enum sb_err sb_task_stop(sb_addr task);

/** End the sb_delay or sb_delay_until of a task now: it answers SB_ERR_WOKEN.
 *  Context: any.   Time: O(1).
 *  Errors:  SB_ERR_DEAD      no such task on this node
 *           SB_ERR_ARGUMENT  not in a delay
 *  Source:  osek-linx A1/1.32                                                                           [TASK-010] */
SB_MUST_USE enum sb_err sb_task_wake(sb_addr task);

/** Undo one sb_task_stop. The task goes behind the others of its level; an interrupt task is activated once.
 *  Context: any.   Time: O(1).
 *  Errors:  SB_ERR_DEAD      no such task on this node
 *           SB_ERR_ARGUMENT  not stopped
 *  Source:  osek-linx A1/1.36                                                                           [TASK-006] */
SB_MUST_USE enum sb_err sb_task_start(sb_addr task);

/** Give a task another priority. A ready task goes behind the others of its new level, also if it is the old one; a waiting
 *  one to its place in the list. While mutexes lend it a more urgent priority, that stays in force.
 *  Context: any.   Time: O(1); linear in the waiters of each object on the chain if the task waits for one.
 *  Errors:  SB_ERR_DEAD      no such task on this node
 *           SB_ERR_ARGUMENT  priority above 31; an interrupt task
 *  Source:  osek-linx 2.2.2, A1/1.31                                                                    [TASK-007] */
SB_MUST_USE enum sb_err sb_task_priority_set(sb_addr task, uint32_t priority);

/** Let the others of the caller's level run first.
 *  Context: waiting.   Time: O(1).   Asserts: (checked) `yield-context`.                                [TASK-008] */
void sb_yield(void);

/** No other task runs until sb_preemption_on; interrupt tasks and handlers do. Nests. The caller must not wait meanwhile.
 *  Context: task.   Time: O(1) */
void sb_preemption_off(void);
/** Undo one sb_preemption_off; a more urgent task that has become ready runs now.
 *  Asserts: (checked) `preemption-on` without sb_preemption_off. */
void sb_preemption_on(void);

/* ---- periodic tasks */

/** Class of periodic tasks: class_state is a struct sb_period of the task alone. */
extern const struct sb_task_class sb_periodic;

/** The same, by earliest deadline first: such tasks share one level, and the one whose deadline comes first runs; equal
 *  deadlines in the order of their releases. Becoming ready is linear in the ready tasks of the level, with interrupts
 *  masked. Mutexes lend levels, not deadlines: give those that such tasks share a ceiling above their level. A job that
 *  yields goes behind the others.   Source: C. L. Liu, J. W. Layland, JACM 20(1), 1973                   [EDF-001] */
extern const struct sb_task_class sb_earliest_deadline;

/** What a periodic task has done. */
struct sb_period_status {
    uint32_t period_ticks;
    uint32_t deadline_ticks;
    uint32_t jobs;               /**< completed */
    uint32_t misses;             /**< deadlines that came before the job's end */
    uint32_t overruns;           /**< releases that came before the last job's end: that job starts late */
    uint32_t response_ticks_max; /**< from release to end */
};

/** The job is done: wait for the next release. The return of the entry does the same.
 *  Context: waiting, the periodic task itself.   Time: O(1).
 *  Errors:  SB_ERR_ARGUMENT  the caller is not periodic                                                 [TASK-009] */
SB_MUST_USE enum sb_err sb_period_wait(void);

/** Another period and deadline for a periodic task, from its next release on.
 *  Context: any.   Time: O(1).
 *  Errors:  SB_ERR_DEAD      no such task on this node
 *           SB_ERR_ARGUMENT  not periodic; a period of 0 or above 2^31-1; a deadline of 0 or above the period */
SB_MUST_USE enum sb_err sb_period_set(sb_addr task, uint32_t period_ticks, uint32_t deadline_ticks);

/** What a periodic task has done so far.   Context: any.
 *  Errors:  SB_ERR_DEAD, SB_ERR_ARGUMENT as sb_period_set */
SB_MUST_USE enum sb_err sb_period_status(sb_addr task, struct sb_period_status *out);

/* ---- best-effort tasks */

/** Class of tasks that take turns inside their level: class_state is a struct sb_slice, one for all tasks with turns of the
 *  same length. A turn is counted in ticks that find the task running; what is left of it stays over waits. */
extern const struct sb_task_class sb_round_robin;

/* ---- stacks */

/** How much of its stack a task has used at most, in bytes (hooks and checked levels; its own depth only as far as it has
 *  been written).   Context: any.   Time: linear in the unused part.
 *  Errors (negative): SB_ERR_DEAD, SB_ERR_ARGUMENT an interrupt task, SB_ERR_NOT_FOUND release level: nothing is painted */
int32_t sb_stack_used(sb_addr task);

#endif
