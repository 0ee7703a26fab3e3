/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_KERNEL_H
#define SB_KERNEL_KERNEL_H
/** @file
 *  What the kernel's files share. Names end in _locked where the caller holds port_lock. */
#include <stddef.h>

#include "config.h"
#include "ready.h"
#include "signalbox/port.h"
#include "signalbox/probe.h"
#include "timer_queue.h"

/** The level is a constant, so what a level lacks is not in the image. */
#define SB_HOOKED (SB_CFG_LEVEL >= SB_LEVEL_HOOKS)
#define SB_CHECKED (SB_CFG_LEVEL >= SB_LEVEL_CHECKED)

/** `service` of the probes kernel_enter and kernel_exit. */
#define SB_SERVICE_ALLOC 1
#define SB_SERVICE_FREE 2
#define SB_SERVICE_RESTORE 3
#define SB_SERVICE_FSEM_SIGNAL 4
#define SB_SERVICE_FSEM_WAIT 5
#define SB_SERVICE_SEM_SIGNAL 6
#define SB_SERVICE_SEM_WAIT 7
#define SB_SERVICE_HUNT 8

/** A violation: tell the error hook, then end the node. */
_Noreturn void sb_fatal(enum sb_err err, const char *label);

/** The error hook for what is reported but survived. */
void sb_report(enum sb_err err, const char *label);

static inline void sb_check(bool holds, enum sb_err err, const char *label)
{
    if (SB_CHECKED && !holds) {
        sb_fatal(err, label);
    }
}

/* ---- schedule.c */

/** Run what is activated, then the most urgent task, if that is not the caller. The slow half of
 *  sb_reschedule_locked. */
void sb_switch_locked(struct sb_node *node);

/** The interrupt task `task` has something to do. Runs it before returning unless in interrupt context. */
void sb_activate_locked(struct sb_node *node, struct sb_task *task);

/** Others run until somebody wakes `task`, the caller, which has left the ready queue; at most `timeout_ticks`.
 *  The answer is why the wait ended. */
enum sb_err sb_rest_locked(struct sb_node *node, struct sb_task *task, uint32_t timeout_ticks);

/** Let the most urgent task run. Cheap if that is the caller. */
static inline void sb_reschedule_locked(struct sb_node *node)
{
    if (node->next != node->current && !node->interrupted) {
        sb_switch_locked(node);
    }
}

/** End the wait of `task`, which knows the reason from `wake`. */
static inline void sb_wake_locked(struct sb_node *node, struct sb_task *task, enum sb_err reason)
{
    if (task->timing) {
        sb_timer_queue_remove(&node->timers, task);
    }
    task->wake = reason;
    task->state = SB_STATE_READY;
    sb_ready_append(&node->ready, task);
    if (task->priority < node->next->priority) {
        node->next = task;
    }
}

/** The most urgent ready task, or idle. */
static inline struct sb_task *sb_most_urgent_locked(struct sb_node *node)
{
    struct sb_task *task = sb_ready_first(&node->ready);
    return task != NULL ? task : &node->idle;
}

/** The running task waits in `state`, at most `timeout_ticks`. */
static inline enum sb_err sb_wait_locked(struct sb_node *node, struct sb_task *task, enum sb_task_state state,
                                         uint32_t timeout_ticks)
{
    task->state = (uint8_t)state;
    sb_ready_remove(&node->ready, task);
    return sb_rest_locked(node, task, timeout_ticks);
}

/** Whether a wait of `timeout_ticks` (not 0) can be kept. */
static inline bool sb_timeout_possible(const struct sb_node *node, uint32_t timeout_ticks)
{
    return timeout_ticks == SB_FOREVER || node->tick_hz != 0;
}

/** Whether the caller may wait: a priority task, not interrupted. */
static inline bool sb_may_wait(const struct sb_node *node)
{
    return !node->interrupted && node->self->kind == SB_TASK_PRIORITY;
}

/* ---- task.c */

/** The local living task with this address, NULL if there is none. */
static inline struct sb_task *sb_task_local(const struct sb_node *node, sb_addr addr)
{
    const uint32_t index = (addr ^ node->addr_base) >> 10; /* of a remote address: not below 4096 */
    if (index >= node->task_count || node->tasks[index].addr != addr) {
        return NULL;
    }
    return &node->tasks[index];
}

/* ---- sem.c */

/** Take a waiting task out of its semaphore's list. */
void sb_sem_forget_locked(struct sb_task *task);

/* ---- pool.c */

struct sb_pool_config;

void sb_pool_init(struct sb_pool *pool, const struct sb_pool_config *config);

/** Give a block back, without probe and checks. */
void sb_pool_return(struct sb_signal_header *header);

/** `sig` is a signal with this mark whose end is intact. */
void sb_signal_verify(const union sb_signal *sig, uint32_t mark, const char *label);

static inline void sb_signal_check(const union sb_signal *sig, uint32_t mark, const char *label)
{
    if (SB_CHECKED) {
        sb_signal_verify(sig, mark, label);
    }
}

#endif
