/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Timeouts between the tick and the server: a due one goes to the end of the server's list, and the server is woken. */
#include "signalbox/timeout.h"

#include "kernel.h"
#include "signalbox/sem.h"

static void expire(struct sb_node *node, struct sb_timer_entry *entry)
{
    struct sb_timeout *timeout = (struct sb_timeout *)(void *)entry;
    timeout->armed = timeout->period_ticks != 0;
    if (timeout->armed) {
        sb_timer_arm_from_locked(node, entry, entry->due_tick, timeout->period_ticks);
    }
    if (timeout->due++ == 0) {
        timeout->next_due = NULL;
        if (node->timeouts.first == NULL) {
            node->timeouts.first = timeout;
        } else {
            node->timeouts.last->next_due = timeout;
        }
        node->timeouts.last = timeout;
    }
    SB_IGNORE(sb_fsem_signal(node->timeouts.server)); /* a dead one finds the list when it is restarted */
}

/** Nothing of this timeout will be called any more. True: something would have been. */
static bool cancel_locked(struct sb_node *node, struct sb_timeout *timeout)
{
    const bool running = timeout->armed || timeout->due != 0;
    if (timeout->armed) {
        sb_timer_queue_remove(&node->timers, &timeout->timer);
        timeout->armed = false;
    }
    if (timeout->due != 0) {
        struct sb_timeout *previous = NULL;
        struct sb_timeout *at = node->timeouts.first;
        while (at != timeout) {
            previous = at;
            at = at->next_due;
        }
        if (previous != NULL) {
            previous->next_due = timeout->next_due;
        } else {
            node->timeouts.first = timeout->next_due;
        }
        if (node->timeouts.last == timeout) {
            node->timeouts.last = previous;
        }
        timeout->due = 0;
    }
    return running;
}

void sb_timeout_init(struct sb_timeout *timeout, void (*callback)(void *argument), void *argument)
{
    sb_check(timeout != NULL && callback != NULL, SB_ERR_ARGUMENT, "timeout-null");
    *timeout = (struct sb_timeout){.timer.expire = expire, .callback = callback, .argument = argument};
}

enum sb_err sb_timeout_start(struct sb_timeout *timeout, uint32_t ticks, uint32_t period_ticks)
{
    struct sb_node *node = port_node();
    sb_check(timeout != NULL, SB_ERR_ARGUMENT, "timeout-null");
    if (ticks == 0 || ticks > SB_TIMEOUT_TICKS_MAX || period_ticks > SB_TIMEOUT_TICKS_MAX) {
        return SB_ERR_ARGUMENT;
    }
    if (node->tick_hz == 0) {
        return SB_ERR_NO_TICK;
    }
    if (node->timeouts.server == SB_ADDR_NONE) {
        return SB_ERR_NOT_FOUND;
    }
    const uint32_t state = port_lock();
    (void)cancel_locked(node, timeout);
    timeout->period_ticks = period_ticks;
    timeout->armed = true;
    sb_timer_arm_locked(node, &timeout->timer, ticks);
    port_unlock(state);
    return SB_OK;
}

enum sb_err sb_timeout_cancel(struct sb_timeout *timeout)
{
    sb_check(timeout != NULL, SB_ERR_ARGUMENT, "timeout-null");
    const uint32_t state = port_lock();
    const bool running = cancel_locked(port_node(), timeout);
    port_unlock(state);
    return running ? SB_OK : SB_ERR_NOT_FOUND;
}

void sb_timeout_serve(void)
{
    port_node()->timeouts.server = sb_self();
}

struct sb_timeout *sb_timeout_take(void)
{
    struct sb_node *node = port_node();
    const uint32_t state = port_lock();
    struct sb_timeout *timeout = node->timeouts.first;
    node->timeouts.calling = timeout;
    if (timeout != NULL) {
        node->timeouts.first = timeout->next_due;
        if (--timeout->due != 0) { /* it is late: behind the others, for its next period */
            timeout->next_due = NULL;
            if (node->timeouts.first == NULL) {
                node->timeouts.first = timeout;
            } else {
                node->timeouts.last->next_due = timeout;
            }
            node->timeouts.last = timeout;
        }
    }
    port_unlock(state);
    return timeout;
}
