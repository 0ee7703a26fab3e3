/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Periods, turns inside a level, tickless nodes, the tick's wrap. */
#include <stddef.h>

#include "check.h"
#include "kernel.h"
#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "world.h"

static const uint32_t any[] = {0};

static char turn_of;

static void give_turn(void)
{
    const char text[2] = {turn_of, '\0'};
    EQUAL(sb_fsem_signal(sb_task_lookup(text)), SB_OK);
}

/* ---- periods */

static struct sb_period period;
static uint32_t work_ticks; /* of each job */
static uint32_t hook_misses;

static void deadline_hook(sb_addr task, uint32_t misses)
{
    EQUAL(task, sb_task_lookup("p"));
    hook_misses = misses;
}

/** A job: sleeps as long as it would work. */
static void job(void)
{
    world_log('(');
    EQUAL(sb_delay(work_ticks), SB_OK);
    world_log(')');
}

static struct world *periodic_world(uint32_t period_ticks, uint32_t deadline_ticks, uint32_t phase_ticks)
{
    static const struct sb_hooks hooks = {.deadline = deadline_hook};
    struct world *world = world_make(0);
    memset(&period, 0xa5, sizeof period);
    period.period_ticks = period_ticks;
    period.deadline_ticks = deadline_ticks;
    period.phase_ticks = phase_ticks;
    hook_misses = 0;
    world->config.hooks = &hooks;
    world_servant(world);
    const uint32_t p = world_task(world, "p", 4, job);
    world->tasks[p].kind = SB_TASK_PERIODIC;
    world->tasks[p].task_class = &sb_periodic;
    world->tasks[p].class_state = &period;
    world_boot(world);
    host_run();
    return world;
}

static const char *pass(uint32_t ticks)
{
    while (ticks-- > 0) {
        world_log('.');
        host_interrupt(sb_tick);
    }
    return world_log_take();
}

static void periods(void)
{
    work_ticks = 1;
    struct world *world = periodic_world(4, 2, 3);
    struct sb_period_status status;
    TEXT(pass(12), "...(.)...(.)...(.)");
    const sb_addr p = sb_task_lookup("p");
    EQUAL(sb_period_status(p, &status), SB_OK);
    EQUAL(status.jobs, 3);
    EQUAL(status.misses, 0);
    EQUAL(status.response_ticks_max, 1);
    work_ticks = 3; /* past the deadline, not past the period */
    TEXT(pass(8), "...(...).(.");
    EQUAL(sb_period_status(p, &status), SB_OK);
    EQUAL(status.misses, 1);
    EQUAL(status.overruns, 0);
    work_ticks = 6; /* past the period */
    TEXT(pass(20), "..).(......)(......)(.....");
    EQUAL(sb_period_status(p, &status), SB_OK);
    EQUAL(status.overruns >= 2, true);
    EQUAL(hook_misses, SB_CFG_LEVEL >= SB_LEVEL_HOOKS ? status.misses : 0);
    EQUAL(port_node()->counters.deadline_misses, status.misses);
    world_free(world);
}

static void period_changes(void)
{
    work_ticks = 0;
    struct world *world = periodic_world(2, 2, 0);
    const sb_addr p = sb_task_lookup("p");
    TEXT(world_log_take(), "()");
    TEXT(pass(4), "..()..()");
    EQUAL(sb_period_set(p, 3, 3), SB_OK);
    TEXT(pass(8), "..()...()...()");
    EQUAL(sb_period_set(p, 0, 0), SB_ERR_ARGUMENT);
    EQUAL(sb_period_set(p, 3, 4), SB_ERR_ARGUMENT);
    EQUAL(sb_period_set(p, 0x80000000u, 1), SB_ERR_ARGUMENT);
    EQUAL(sb_period_set(p, 0x7fffffffu, 1), SB_OK);
    TEXT(pass(9), "...()......");
    EQUAL(world_by_task(sb_task_kill, p), SB_OK);
    EQUAL(port_node()->timers.first == NULL, true);
    world_free(world);
}

/* ---- turns */

static struct sb_slice slice;

/** Works for a tick at a time: the tick interrupts it at the end of a critical section. */
static bool tick_here;

static bool at_unlock(void)
{
    const bool now = tick_here && (port_node()->held & SB_HELD_INTERRUPT) == 0;
    tick_here = false;
    return now;
}

static uint32_t work_left;

static void worker(void)
{
    while (work_left > 0) {
        work_left--;
        world_log(*sb_task_name(sb_self()));
        tick_here = true;
        port_unlock(port_lock());
    }
}

static void turns_inside_a_level(void)
{
    struct world *world = world_make(0);
    memset(&slice, 0, sizeof slice);
    slice.ticks = 3;
    work_left = 14;
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const names[] = {"a", "b", "c"};
        const uint32_t task = world_task(world, names[i], i < 2 ? 31 : 30, worker);
        world->tasks[task].kind = SB_TASK_BEST_EFFORT;
        world->tasks[task].stopped = i == 2;
        world->tasks[task].task_class = &sb_round_robin;
        world->tasks[task].class_state = &slice;
    }
    host_at_unlock = at_unlock;
    host_inject_handler = sb_tick;
    world_boot(world);
    host_run();
    TEXT(world_log_take(), "aaabbbaaabbbaa");
    host_at_unlock = NULL;
    host_interrupt(sb_tick);
    host_interrupt(sb_tick);
    EQUAL(port_node()->timers.first == NULL, true); /* nobody to take turns: nothing ticks */
    world_free(world);
}

/* ---- tickless */

static void two_waits(void)
{
    EQUAL(sb_receive_timeout(any, 1000) == NULL, true);
    world_log('1');
    EQUAL(sb_delay(5), SB_OK);
    world_log('2');
    EQUAL(sb_delay_until(sb_ticks() + 7), SB_OK);
    world_log('3');
    EQUAL(sb_delay_until(sb_ticks()), SB_OK);
    EQUAL(sb_delay_until(sb_ticks() - 1), SB_ERR_TIMEOUT);
    world_log('4');
    sb_fsem_wait();
    EQUAL(sb_fsem_wait_timeout(100000), SB_OK);
    world_log('5');
    EQUAL(sb_delay(SB_FOREVER - 1), SB_OK); /* cut to the longest */
    world_log('6');
    sb_fsem_wait();
}

static void tickless(void)
{
    struct world *world = world_make(0);
    world->config.clock = &sb_tickless;
    world_task(world, "a", 3, two_waits);
    world_boot(world);
    host_run();
    EQUAL(world->host.alarm_tick, 1000);
    host_pass(999);
    EQUAL(world->host.alarms, 0); /* nothing interrupts before something is due */
    host_pass(1);
    TEXT(world_log_take(), "1");
    EQUAL(world->host.alarms, 1);
    host_pass(12);
    TEXT(world_log_take(), "234");
    EQUAL(world->host.alarms, 3);
    EQUAL(world->host.alarm_set, false);
    host_pass(0x90000000u); /* nobody waits: nothing happens, and the clock goes on */
    EQUAL(world->host.alarms, 3);
    EQUAL(sb_ticks(), 0x90000000u + 1012);
    turn_of = 'a';
    host_interrupt(give_turn);
    EQUAL(world->host.alarm_set, true);
    host_interrupt(give_turn);
    TEXT(world_log_take(), "5");
    host_pass(0x7ffffffeu);
    TEXT(world_log_take(), "");
    host_pass(1);
    TEXT(world_log_take(), "6");
    world_free(world);
}

static void wrap_task(void)
{
    for (;;) {
        EQUAL(sb_delay(3), SB_OK);
        world_log('w');
    }
}

/** Ticks wrap: nothing is early, late or lost. */
static void tick_wrap(void)
{
    struct world *world = world_make(0);
    world_task(world, "a", 3, wrap_task);
    world_boot(world);
    port_node()->timers.now_tick = 0xfffffffbu;
    host_run();
    TEXT(pass(12), "...w...w...w...w");
    EQUAL(sb_ticks(), 7);
    world_free(world);
}

void suite_kinds(void)
{
    check_run("periods, deadlines, overruns", periods);
    check_run("periods change at run time", period_changes);
    check_run("turns inside a level", turns_inside_a_level);
    check_run("tickless: no interrupt but what is due", tickless);
    check_run("the tick wraps", tick_wrap);
}
