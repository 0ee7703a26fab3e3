/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The timer of timer.h, tick and alarm. Counts are nanoseconds of the monotonic clock since the node's start. */
#include <signal.h>
#include <time.h>

#include "platform.h"
#include "posix.h"
#include "signalbox/port.h"
#include "signalbox/timer.h"

#define NEVER UINT64_MAX

static timer_t timer;
static uint64_t start;
static volatile uint64_t compare = NEVER;

static uint64_t clock_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SB_TIMER_HZ + (uint64_t)now.tv_nsec;
}

void sb_posix_timer_init(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SB_POSIX_SIGNAL_TIMER};
    start = clock_now();
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
        port_fatal("timer-create");
    }
}

bool sb_posix_timer_raised(void)
{
    return compare != NEVER && clock_now() - start >= compare;
}

uint64_t sb_timer_count(uint32_t core)
{
    (void)core;
    return clock_now() - start;
}

/** `count` 0 stops the timer, so an instant that has passed is 1. */
static void arm(uint64_t count)
{
    struct itimerspec when = {.it_value = {.tv_sec = 0, .tv_nsec = 0}};
    if (count != NEVER) {
        when.it_value.tv_sec = (time_t)((start + count) / SB_TIMER_HZ);
        when.it_value.tv_nsec = (long)((start + count) % SB_TIMER_HZ);
    }
    (void)timer_settime(timer, TIMER_ABSTIME, &when, NULL);
}

void sb_timer_set(uint32_t core, uint64_t at_count)
{
    (void)core;
    const uint32_t state = port_lock();
    compare = at_count;
    if (sb_posix_timer_raised()) {
        sb_posix_look();
    } else {
        arm(at_count);
    }
    port_unlock(state);
}

void sb_timer_stop(uint32_t core)
{
    (void)core;
    const uint32_t state = port_lock();
    compare = NEVER;
    arm(NEVER);
    port_unlock(state);
}

uint64_t port_cycles(void)
{
    return sb_timer_count(0);
}

/* ---- tick and alarm */

static uint64_t tick_next;
static uint32_t tick_period;
static uint64_t alarm_base; /* the count at which tick `alarm_base_tick` began */
static uint32_t alarm_base_tick;

static void tick_handler(void)
{
    tick_next += tick_period;
    sb_timer_set(0, tick_next);
    sb_tick();
}

void port_tick_start(uint32_t tick_hz)
{
    tick_period = SB_TIMER_HZ / tick_hz;
    tick_next = sb_timer_count(0) + tick_period;
    sb_timer_set(0, tick_next);
    port_irq_connect(SB_TIMER_IRQ, tick_handler);
}

static void alarm_handler(void)
{
    sb_timer_stop(0);
    sb_alarm();
}

void port_alarm_start(uint32_t tick_hz)
{
    tick_period = SB_TIMER_HZ / tick_hz;
    alarm_base = sb_timer_count(0);
    port_irq_connect(SB_TIMER_IRQ, alarm_handler);
}

uint32_t port_alarm_now(void)
{
    const uint32_t state = port_lock();
    const uint64_t ticks = (sb_timer_count(0) - alarm_base) / tick_period;
    alarm_base += ticks * tick_period;
    alarm_base_tick += (uint32_t)ticks;
    const uint32_t now = alarm_base_tick;
    port_unlock(state);
    return now;
}

void port_alarm_set(uint32_t tick)
{
    const uint32_t state = port_lock();
    const int32_t ahead = (int32_t)(tick - port_alarm_now());
    sb_timer_set(0, ahead > 0 ? alarm_base + (uint64_t)(uint32_t)ahead * tick_period : 0);
    port_unlock(state);
}
