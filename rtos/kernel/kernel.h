/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_KERNEL_H
#define SB_KERNEL_KERNEL_H
/** @file
 *  What the kernel's files share. Names end in _locked where the caller holds port_lock. */
#include <stddef.h>

#include "config.h"
#include "ready.h"
#include "signalbox/config_types.h"
#include "signalbox/port.h"
#include "signalbox/probe.h"
#include "timer_queue.h"
#include "waiters.h"

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
#define SB_SERVICE_MUTEX_LOCK 9
#define SB_SERVICE_MUTEX_UNLOCK 10
#define SB_SERVICE_FLAGS_SET 11
#define SB_SERVICE_FLAGS_WAIT 12
#define SB_SERVICE_MQ_SEND 13
#define SB_SERVICE_MQ_RECEIVE 14
#define SB_SERVICE_COND_WAIT 15
#define SB_SERVICE_COND_SIGNAL 16
#define SB_SERVICE_RWLOCK_LOCK 17
#define SB_SERVICE_RWLOCK_UNLOCK 18
#define SB_SERVICE_START 19
#define SB_SERVICE_STOP 20
#define SB_SERVICE_PRIORITY 21
#define SB_SERVICE_YIELD 22

static inline void sb_check(bool holds, enum sb_err err, const char *label)
{
    if (SB_CHECKED && !holds) {
        sb_fatal(err, label);
    }
}

/* ---- schedule.c */

/** Run the most urgent task, which is not the caller. The slow half of sb_reschedule_locked. */
void sb_switch_locked(struct sb_node *node);

/** What a switch does beside switching, at the levels that call hooks. */
void sb_switch_hooked_locked(struct sb_node *node, struct sb_task *from, struct sb_task *to);

/** The same behind the probe switch_begin, with `from` the running task and `to` the most urgent one. */
static inline void sb_switch_begun_locked(struct sb_node *node, struct sb_task *from, struct sb_task *to)
{
    if (SB_HOOKED) {
        sb_switch_hooked_locked(node, from, to);
    }
    node->current = to;
    node->self = to;
    port_switch(from, to);
    /* Here somebody has switched back to `from`: what this stack remembers is the task that now runs. */
    SB_PROBE_NOP(switch_end, from);
}

/** The same with `from` the running task and `to` the most urgent one, inside of the caller: saves a call where that counts. */
static inline void sb_switch_here_locked(struct sb_node *node, struct sb_task *from, struct sb_task *to)
{
    SB_PROBE(switch_begin, from);
    sb_switch_begun_locked(node, from, to);
}

/** The interrupt task `task` has something to do. Runs it before returning, unless something as urgent runs. */
void sb_activate_locked(struct sb_node *node, struct sb_task *task);

/** Others run until somebody wakes `task`, the caller, which has left the ready queue; at most `timeout_ticks`.
 *  The answer is why the wait ended. */
enum sb_err sb_rest_locked(struct sb_node *node, struct sb_task *task, uint32_t timeout_ticks);

/** The running task leaves the ready queue for `list`; sb_rest_locked follows. */
void sb_join_locked(struct sb_node *node, struct sb_wait_list *list);

/** Wait in `list`, at most `timeout_ticks`. Whoever takes a task out of the list calls sb_leave_locked. */
enum sb_err sb_wait_in_locked(struct sb_node *node, struct sb_wait_list *list, uint32_t timeout_ticks);

/** The slow halves of sb_wake_locked and sb_wake_switch_locked: do what the flags of the task want. */
void sb_wake_flagged_locked(struct sb_node *node, struct sb_task *task);
void sb_wake_switch_flagged_locked(struct sb_node *node, struct sb_task *task);

/** A task that waits in a list leaves it by time or death: whoever minds is told. */
void sb_withdraw_locked(struct sb_node *node, struct sb_task *task);

/** `task` has this priority from now on, wherever it is. A ready task goes behind the others of its level; the running one
 *  stays in front if `in_front`. */
void sb_priority_apply_locked(struct sb_node *node, struct sb_task *task, uint32_t priority, bool in_front);

/** The priority of `task`: its own, or a more urgent one that its mutexes lend it. */
static inline uint32_t sb_priority_due(const struct sb_node *node, const struct sb_task *task)
{
    const uint32_t lent = task->owned != NULL ? node->locks->lent(task) : SB_PRIORITIES;
    return lent < task->base_priority ? lent : task->base_priority;
}

/** Let the most urgent task run. Cheap if that is the caller. */
static inline void sb_reschedule_locked(struct sb_node *node)
{
    if (node->next != node->current && node->held == 0) {
        sb_switch_locked(node);
    }
}

/** In the ready queue from now on. */
static inline void sb_ready_locked(struct sb_node *node, struct sb_task *task)
{
    task->state = SB_STATE_READY;
    sb_ready_append(&node->ready, task);
    if (task->priority < node->next->priority) {
        node->next = task;
    }
}

/** After sb_ready_locked: the task's class, if it wants to know. */
static inline void sb_tell_class_locked(struct sb_node *node, struct sb_task *task)
{
    if ((task->flags & SB_TASK_WATCHED) != 0) {
        task->config->task_class->woken(node, task);
    }
}

/** End the wait of `task`, which knows the reason from `wake`. */
static inline void sb_wake_locked(struct sb_node *node, struct sb_task *task, enum sb_err reason)
{
    task->wake = (int8_t)reason;
    if (task->flags == 0) {
        sb_ready_locked(node, task);
    } else {
        sb_wake_flagged_locked(node, task);
    }
}

/** As sb_wake_locked, then sb_reschedule_locked. Every call of the quick path is the last: nothing must outlive it. */
static inline void sb_wake_switch_locked(struct sb_node *node, struct sb_task *task, enum sb_err reason)
{
    task->wake = (int8_t)reason;
    if (task->flags == 0) {
        sb_ready_locked(node, task);
        sb_reschedule_locked(node);
    } else {
        sb_wake_switch_flagged_locked(node, task);
    }
}

/** Take `task` out of the list in which it waits; it is woken next. */
static inline void sb_leave_locked(struct sb_task *task)
{
    sb_waiters_remove(task->waits, task);
    task->waits = NULL;
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

/** Whether the caller is a task and not interrupted. */
static inline bool sb_in_task(const struct sb_node *node)
{
    return (node->held & SB_HELD_INTERRUPT) == 0;
}

/** Why the caller cannot wait for `timeout_ticks` (not 0), SB_OK if it can. At every level: an interrupt task that waited
 *  would leave with the interrupted task. */
static inline enum sb_err sb_wait_possible(const struct sb_node *node, uint32_t timeout_ticks)
{
    if (!sb_in_task(node)) {
        return SB_ERR_CONTEXT;
    }
    return timeout_ticks == SB_FOREVER || node->tick_hz != 0 ? SB_OK : SB_ERR_NO_TICK;
}

/** Whether the caller may wait: no interrupt task, not interrupted, and the others can run. */
static inline bool sb_may_wait(const struct sb_node *node)
{
    return (node->held & SB_HELD_INTERRUPT) == 0 && node->held <= node->config->cooperative * SB_HELD_ONE;
}

/* ---- time.c */

/** `entry` expires `ticks` ticks after the running one; longer ones than SB_TIMEOUT_TICKS_MAX are cut. */
void sb_timer_arm_locked(struct sb_node *node, struct sb_timer_entry *entry, uint32_t ticks);

/** `entry` expires `ticks` ticks after `from`, which lies between now_tick and the running one. */
void sb_timer_arm_from_locked(struct sb_node *node, struct sb_timer_entry *entry, uint32_t from,
                              uint32_t ticks);

/** The tick that it is. */
static inline uint32_t sb_now_locked(const struct sb_node *node)
{
    return node->clock != NULL ? node->clock->now() : node->timers.now_tick;
}

/* ---- task.c */

/** The task whose address differs from the node's base by `difference`, if the slot exists. On 32-bit targets the product by the
 *  size of a task is two masked shifts of the difference, side by side. */
static inline struct sb_task *sb_task_at(const struct sb_node *node, uint32_t difference)
{
    if (sizeof(struct sb_task) == 80) {
        const uint32_t bytes = ((difference >> 4) & ~63u) + ((difference >> 6) & ~15u);
        return (struct sb_task *)(void *)((uint8_t *)node->tasks + bytes);
    }
    return &node->tasks[difference >> 10];
}

/** The local living task with this address, NULL if there is none. */
static inline struct sb_task *sb_task_local(const struct sb_node *node, sb_addr addr)
{
    const uint32_t difference = addr ^ node->addr_base;
    if (difference >> 10 >= node->task_count) { /* of a remote address: not below 4096 */
        return NULL;
    }
    struct sb_task *task = sb_task_at(node, difference);
    return task->addr == addr ? task : NULL;
}

/** Addresses of tasks that were never restarted. */
#define SB_FIRST_GENERATION 1u

/** A new life of `task`, which is dead, with the address `addr`. It does not run yet. */
void sb_task_make(struct sb_node *node, struct sb_task *task, sb_addr addr,
                  const struct sb_task_config *config);

/** What was made runs, or waits for sb_task_start if it is configured so. */
void sb_task_launch_locked(struct sb_node *node, struct sb_task *task);

/** What was made runs. */
void sb_task_begin_locked(struct sb_node *node, struct sb_task *task);

/* ---- names.c */

/** The node that a task's full name means, and the rest of the name; SB_ERR_NOT_FOUND (negative): there is no such node. */
int32_t sb_name_split(const struct sb_node_config *config, const char *name, const char **task_name);

/* ---- mutex.c */

struct sb_mutex;

/** Out of the holder's list, to the most urgent waiter, who is woken with `reason`. */
void sb_mutex_pass_on_locked(struct sb_node *node, struct sb_mutex *mutex, enum sb_err reason);

/* ---- pool.c */

struct sb_pool_config;

void sb_pool_init(struct sb_pool *pool, const struct sb_pool_config *config);

/** Give a block back, without probe and checks. */
void sb_pool_return(struct sb_signal_header *header);

/** Give back everything that `task`, which is dead, owns. */
void sb_pool_reclaim(struct sb_node *node, const struct sb_task *task);

/** Whether nobody has written behind the signal's last byte (checked level). */
bool sb_signal_end_intact(const struct sb_signal_header *header);

/** `sig` is a signal with this mark whose end is intact. */
void sb_signal_verify(const union sb_signal *sig, uint32_t mark, const char *label);

static inline void sb_signal_check(const union sb_signal *sig, uint32_t mark, const char *label)
{
    if (SB_CHECKED) {
        sb_signal_verify(sig, mark, label);
    }
}

#endif
