/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"
#include "signalbox/timer.h"

uint32_t sb_ticks(void)
{
    return port_node()->timers.now_tick;
}

uint32_t sb_tick_hz(void)
{
    return port_node()->tick_hz;
}

void sb_tick(void)
{
    struct sb_node *node = port_node();
    struct sb_task *task;
    const uint32_t state = port_lock();
    node->timers.now_tick++;
    while ((task = sb_timer_queue_due(&node->timers)) != NULL) {
        if (task->state == SB_STATE_WAIT_SEM) {
            sb_sem_forget_locked(task);
        }
        node->counters.timeouts++;
        sb_wake_locked(node, task, SB_ERR_TIMEOUT);
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
    if (!sb_timeout_possible(node, ticks)) {
        return SB_ERR_NO_TICK;
    }
    const uint32_t state = port_lock();
    SB_IGNORE(sb_wait_locked(node, node->self, SB_STATE_DELAYED, ticks));
    port_unlock(state);
    return SB_OK;
}
