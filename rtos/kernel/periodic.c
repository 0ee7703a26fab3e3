/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Periodic tasks: releases and deadlines. One timer entry serves both, for a deadline lies before the next release:
 *
 *      release ──────► deadline ──► release        deadline = period: the release looks at both
 *      busy or pending at the deadline: a miss
 *      busy or pending at a release: an overrun; the job starts when the last one has ended */
#include "kernel.h"
#include "period.h"

static struct sb_period *period_of(const struct sb_task *task)
{
    return task->config->kind == SB_TASK_PERIODIC ? task->config->class_state : NULL;
}

static void missed_locked(struct sb_node *node, struct sb_period *period)
{
    period->misses++;
    node->counters.deadline_misses++;
    if (SB_HOOKED && node->hooks.deadline != NULL) {
        node->hooks.deadline(period->task->addr, period->misses);
    }
}

/** Deadline or release, whichever comes after `from`. */
static void arm_locked(struct sb_node *node, struct sb_period *period, uint32_t from)
{
    const bool separate = period->deadline_ticks < period->period_ticks;
    const uint32_t ticks = period->at_deadline ? period->deadline_ticks
                           : separate          ? period->period_ticks - period->deadline_ticks
                                               : period->period_ticks;
    sb_timer_arm_from_locked(node, &period->timer, from, ticks);
}

static void release_locked(struct sb_node *node, struct sb_period *period, uint32_t tick)
{
    period->period_ticks = period->next_period_ticks;
    period->deadline_ticks = period->next_deadline_ticks;
    period->released_tick = tick;
    period->at_deadline = period->deadline_ticks < period->period_ticks;
    const bool late = period->busy || period->pending != 0;
    period->overruns += late;
    period->pending++;
    if (!late) {
        period->deadline_tick = tick + period->deadline_ticks;
    }
    arm_locked(node, period, tick);
    if (period->task->state == SB_STATE_WAIT_PERIOD) {
        sb_wake_locked(node, period->task, SB_OK);
    }
}

static void expire(struct sb_node *node, struct sb_timer_entry *entry)
{
    struct sb_period *period =
        (struct sb_period *)(void *)((uint8_t *)entry - offsetof(struct sb_period, timer));
    const uint32_t tick = entry->due_tick;
    const bool late = period->busy || period->pending != 0;
    if (period->at_deadline) {
        period->at_deadline = false;
        if (late) {
            missed_locked(node, period);
        }
        arm_locked(node, period, tick);
        return;
    }
    if (late && period->deadline_ticks == period->period_ticks) {
        missed_locked(node, period);
    }
    release_locked(node, period, tick);
}

SB_COLD void sb_period_start(struct sb_node *node, struct sb_task *task)
{
    struct sb_period *period = period_of(task);
    const uint32_t now = sb_now_locked(node);
    period->task = task;
    period->timer.expire = expire;
    period->next_period_ticks = period->period_ticks;
    period->next_deadline_ticks = period->deadline_ticks;
    period->pending = 0;
    period->busy = false;
    period->at_deadline = false;
    period->jobs = 0;
    period->misses = 0;
    period->overruns = 0;
    period->response_ticks_max = 0;
    period->released_tick = now + period->phase_ticks;
    period->deadline_tick = period->released_tick + period->deadline_ticks;
    if (period->phase_ticks == 0) {
        release_locked(node, period, now);
    } else {
        sb_timer_arm_locked(node, &period->timer, period->phase_ticks);
    }
}

SB_COLD void sb_period_end(struct sb_node *node, struct sb_task *task)
{
    sb_timer_queue_remove(&node->timers, &period_of(task)->timer);
}

/** The next release, which may have come already. */
static void next_job_locked(struct sb_node *node, struct sb_task *task, struct sb_period *period)
{
    if (period->pending == 0) {
        SB_IGNORE(sb_wait_locked(node, task, SB_STATE_WAIT_PERIOD, SB_FOREVER));
    } else {
        const uint32_t released = period->released_tick - (period->pending - 1u) * period->period_ticks;
        const uint32_t deadline_tick = released + period->deadline_ticks;
        if (deadline_tick != period->deadline_tick) { /* not the first job, which has its place */
            period->deadline_tick = deadline_tick;
            sb_tell_class_locked(node, task);
            sb_reschedule_locked(node);
        }
    }
    period->pending--;
    period->busy = true;
}

enum sb_err sb_period_wait(void)
{
    struct sb_node *node = port_node();
    struct sb_task *task = node->current;
    struct sb_period *period = period_of(task);
    sb_check(sb_may_wait(node), SB_ERR_CONTEXT, "period-context");
    if (period == NULL || !sb_in_task(node)) {
        return period == NULL ? SB_ERR_ARGUMENT : SB_ERR_CONTEXT;
    }
    const uint32_t state = port_lock();
    if (period->busy) {
        /* The job's own release: of those that have come since, each is pending. */
        const uint32_t released = period->released_tick - period->pending * period->period_ticks;
        const uint32_t response = sb_now_locked(node) - released;
        if (response > period->response_ticks_max) {
            period->response_ticks_max = response;
        }
        period->jobs++;
        period->busy = false;
    }
    next_job_locked(node, task, period);
    port_unlock(state);
    return SB_OK;
}

void sb_period_body(struct sb_task *task)
{
    for (;;) {
        SB_IGNORE(sb_period_wait());
        task->config->entry();
    }
}

const struct sb_task_class sb_periodic = {
    .body = sb_period_body, .start = sb_period_start, .end = sb_period_end};

/** The periodic task with this address, or why there is none. */
static enum sb_err find_locked(const struct sb_node *node, sb_addr addr, struct sb_period **out)
{
    struct sb_task *task = sb_task_local(node, addr);
    *out = task != NULL ? period_of(task) : NULL;
    return task == NULL ? SB_ERR_DEAD : *out == NULL ? SB_ERR_ARGUMENT : SB_OK;
}

SB_COLD enum sb_err sb_period_set(sb_addr addr, uint32_t period_ticks, uint32_t deadline_ticks)
{
    if (period_ticks == 0 || period_ticks > SB_TIMEOUT_TICKS_MAX || deadline_ticks == 0 ||
        deadline_ticks > period_ticks) {
        return SB_ERR_ARGUMENT;
    }
    struct sb_period *period;
    const uint32_t state = port_lock();
    const enum sb_err err = find_locked(port_node(), addr, &period);
    if (err == SB_OK) {
        period->next_period_ticks = period_ticks;
        period->next_deadline_ticks = deadline_ticks;
    }
    port_unlock(state);
    return err;
}

SB_COLD enum sb_err sb_period_status(sb_addr addr, struct sb_period_status *out)
{
    struct sb_period *period;
    const uint32_t state = port_lock();
    const enum sb_err err = find_locked(port_node(), addr, &period);
    if (err == SB_OK) {
        *out = (struct sb_period_status){
            .period_ticks = period->next_period_ticks,
            .deadline_ticks = period->next_deadline_ticks,
            .jobs = period->jobs,
            .misses = period->misses,
            .overruns = period->overruns,
            .response_ticks_max = period->response_ticks_max,
        };
    }
    port_unlock(state);
    return err;
}
