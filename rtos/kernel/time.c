/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Time goes by in sb_tick, or in sb_alarm where a clock interrupts only when something is due. */
#include "signalbox/timer.h"

#include "kernel.h"

uint32_t sb_ticks(void)
{
    return sb_now_locked(port_node());
}

uint32_t sb_tick_hz(void)
{
    return port_node()->tick_hz;
}

uint64_t sb_cycles(void)
{
    return port_cycles();
}

void sb_timer_arm_from_locked(struct sb_node *node, struct sb_timer_entry *entry, uint32_t from,
                              uint32_t ticks)
{
    sb_timer_queue_arm(&node->timers, entry, from,
                       ticks <= SB_TIMEOUT_TICKS_MAX ? ticks : SB_TIMEOUT_TICKS_MAX);
    if (node->clock != NULL && node->timers.first == entry) {
        node->clock->alarm(entry->due_tick);
    }
}

void sb_timer_arm_locked(struct sb_node *node, struct sb_timer_entry *entry, uint32_t ticks)
{
    sb_timer_arm_from_locked(node, entry, sb_now_locked(node), ticks);
}

/** The wait of the task that `entry` belongs to ends by time. */
static void wait_expire_locked(struct sb_node *node, struct sb_timer_entry *entry)
{
    struct sb_task *task = (struct sb_task *)(void *)((uint8_t *)entry - offsetof(struct sb_task, timer));
    task->flags &= (uint8_t)~SB_TASK_TIMING;
    if (task->state == SB_STATE_WAIT_LIST) {
        sb_withdraw_locked(node, task);
    }
    node->counters.timeouts++;
    sb_wake_locked(node, task, SB_ERR_TIMEOUT);
}

static void advance_locked(struct sb_node *node, uint32_t tick)
{
    struct sb_timer_entry *entry;
    while ((entry = sb_timer_queue_due(&node->timers, tick)) != NULL) {
        if (entry->expire == NULL) {
            wait_expire_locked(node, entry);
        } else {
            entry->expire(node, entry);
        }
    }
}

void sb_tick(void)
{
    struct sb_node *node = port_node();
    const uint32_t state = port_lock();
    advance_locked(node, node->timers.now_tick + 1);
    port_unlock(state);
}

void sb_alarm(void)
{
    struct sb_node *node = port_node();
    const uint32_t state = port_lock();
    advance_locked(node, node->clock->now());
    if (node->timers.first != NULL) {
        node->clock->alarm(node->timers.first->due_tick);
    }
    port_unlock(state);
}

enum sb_err sb_delay(uint32_t ticks)
{
    struct sb_node *node = port_node();
    sb_check(sb_may_wait(node), SB_ERR_CONTEXT, "delay-context");
    if (ticks == 0) {
        return SB_OK;
    }
    const enum sb_err err = sb_wait_possible(node, ticks);
    if (err != SB_OK) {
        return err;
    }
    const uint32_t state = port_lock();
    const enum sb_err reason = sb_wait_locked(node, node->self, SB_STATE_DELAYED, ticks);
    port_unlock(state);
    return reason == SB_ERR_TIMEOUT ? SB_OK : reason;
}

enum sb_err sb_delay_until(uint32_t tick)
{
    struct sb_node *node = port_node();
    sb_check(sb_may_wait(node), SB_ERR_CONTEXT, "delay-context");
    enum sb_err err = sb_wait_possible(node, 1);
    if (err != SB_OK) {
        return err;
    }
    const uint32_t state = port_lock();
    const uint32_t ticks = tick - sb_now_locked(node);
    if (ticks == 0 || ticks > SB_TIMEOUT_TICKS_MAX) {
        err = ticks == 0 ? SB_OK : SB_ERR_TIMEOUT;
    } else {
        err = sb_wait_locked(node, node->self, SB_STATE_DELAYED, ticks);
        err = err == SB_ERR_TIMEOUT ? SB_OK : err;
    }
    port_unlock(state);
    return err;
}
