/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Tasks made at run time, stopped, started, restarted; periods; turns. Ticks are passed by test_pass. */
#include <stddef.h>

#include "machine.h"
#include "signalbox/config_types.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "test.h"

static SB_CONFIG_ALIGN uint8_t stack_a[1024];
static SB_CONFIG_ALIGN uint8_t stack_b[1024];

static void log_and_wait(void)
{
    test_log('(');
    sb_fsem_wait();
    test_log(')');
    sb_fsem_wait();
}

static void create_and_restart(void)
{
    static const struct sb_task_config config = {.name = "made",
                                                 .entry = log_and_wait,
                                                 .priority = 3,
                                                 .irq = -1,
                                                 .stack = stack_a,
                                                 .stack_bytes = sizeof stack_a};
    sb_addr made;
    sb_addr again;
    sb_addr other;
    EQUAL(sb_task_create(&config, &made), SB_OK);
    LOG_EXPECT("(");
    EQUAL(made, sb_addr_make(3, 13, 1));
    EQUAL(sb_task_lookup("made"), made);
    EQUAL(sb_task_create(&config, &other), SB_ERR_BUSY);
    EQUAL(other, SB_ADDR_NONE);

    EQUAL(sb_task_restart(made, &again), SB_OK);
    LOG_EXPECT("(");
    EQUAL(again, sb_addr_make(3, 13, 2));
    EQUAL(sb_fsem_signal(made), SB_ERR_DEAD);
    EQUAL(sb_task_kill(made), SB_ERR_DEAD);
    EQUAL(sb_task_restart(made, &other), SB_ERR_DEAD);
    EQUAL(sb_fsem_signal(again), SB_OK);
    LOG_EXPECT(")");
    if (SB_CFG_LEVEL >= SB_LEVEL_HOOKS) {
        const int32_t used = sb_stack_used(again);
        EQUAL(!TEST_STACKS_AS_GIVEN || (used >= 64 && used < 1024), true);
    } else {
        EQUAL(sb_stack_used(again), SB_ERR_NOT_FOUND);
    }
    EQUAL(sb_task_kill(again), SB_OK);
    EQUAL(sb_task_restart(again, &made), SB_OK); /* from death */
    LOG_EXPECT("(");
    EQUAL(sb_task_kill(made), SB_OK);
}

static void log_h(void)
{
    test_log('h');
}

static void stop_itself(void)
{
    test_log('[');
    EQUAL(sb_task_stop(sb_self()), SB_OK);
    test_log(']');
}

static void stop_and_start(void)
{
    /* A waiting task: its wait ends, it does not run. */
    const sb_addr high = sb_task_lookup("high");
    EQUAL(sb_task_stop(high), SB_OK);
    EQUAL(sb_task_stop(high), SB_OK);
    test_run_on("high", log_h);
    EQUAL(sb_task_start(high), SB_OK);
    LOG_EXPECT("");
    EQUAL(sb_task_start(high), SB_OK);
    LOG_EXPECT("h");
    EQUAL(sb_task_start(high), SB_ERR_ARGUMENT);

    /* A ready one, and one that stops itself. */
    const sb_addr low = sb_task_lookup("low");
    test_run_on("low", log_h);
    EQUAL(sb_task_stop(low), SB_OK);
    test_rest();
    LOG_EXPECT("");
    EQUAL(sb_task_start(low), SB_OK);
    test_rest();
    LOG_EXPECT("h");
    test_run_on("high", stop_itself);
    LOG_EXPECT("[");
    EQUAL(sb_task_start(high), SB_OK);
    LOG_EXPECT("]");
    EQUAL(sb_task_stop(SB_ADDR_NONE), SB_ERR_DEAD);
    EQUAL(sb_task_start(sb_addr_make(4, 0, 1)), SB_ERR_DEAD);
}

static void yield_peer(void)
{
    test_log('a');
    sb_yield();
    test_log('b');
}

static void priorities(void)
{
    test_run_on("peer_a", yield_peer);
    test_log('1');
    sb_yield();
    test_log('2');
    sb_yield();
    test_log('3');
    LOG_EXPECT("1a2b3");

    EQUAL(sb_task_priority_set(sb_self(), 31), SB_OK);
    test_run_on("low", yield_peer); /* runs now: 30 is more urgent */
    LOG_EXPECT("ab");
    EQUAL(sb_task_priority_set(sb_self(), 16), SB_OK);
    EQUAL(sb_task_priority(sb_self()), 16);

    sb_preemption_off();
    test_run_on("high", yield_peer);
    test_log('-');
    sb_preemption_on();
    LOG_EXPECT("-ab");
}

static struct sb_period period = {.period_ticks = 4, .deadline_ticks = 2};

static void job(void)
{
    test_log('j');
}

static void slow_job(void)
{
    test_log('s');
    sb_fsem_wait();
    test_log('e');
}

static void periods(void)
{
    static struct sb_task_config config = {.name = "job",
                                           .entry = job,
                                           .kind = SB_TASK_PERIODIC,
                                           .priority = 3,
                                           .irq = -1,
                                           .stack = stack_a,
                                           .stack_bytes = sizeof stack_a,
                                           .task_class = &sb_periodic,
                                           .class_state = &period};
    sb_addr task;
    struct sb_period_status status;
    EQUAL(sb_task_create(&config, &task), SB_OK);
    LOG_EXPECT("j");
    test_pass(3);
    LOG_EXPECT("");
    test_pass(1);
    LOG_EXPECT("j");
    test_pass(8);
    LOG_EXPECT("jj");
    EQUAL(sb_period_status(task, &status), SB_OK);
    EQUAL(status.jobs, 4);
    EQUAL(status.misses, 0);
    EQUAL(sb_task_kill(task), SB_OK);

    config.entry = slow_job;
    EQUAL(sb_task_restart(task, &task), SB_OK);
    test_hook_counts.misses = 0;
    test_pass(1);
    EQUAL(sb_fsem_signal(task), SB_OK);
    LOG_EXPECT("se");
    test_pass(3 + 2); /* past the second deadline */
    EQUAL(sb_period_status(task, &status), SB_OK);
    EQUAL(status.misses, 1);
    EQUAL(status.overruns, 0);
    EQUAL(test_hook_counts.misses, SB_CFG_LEVEL >= SB_LEVEL_HOOKS ? 1 : 0);
    test_pass(2); /* past the third release */
    EQUAL(sb_fsem_signal(task), SB_OK);
    LOG_EXPECT("ses"); /* which starts late, at once */
    EQUAL(sb_period_status(task, &status), SB_OK);
    EQUAL(status.overruns, 1);
    EQUAL(status.jobs, 2);
    EQUAL(status.response_ticks_max, 4);
    EQUAL(sb_task_kill(task), SB_OK);
    test_pass(9);
    LOG_EXPECT("");
}

static struct sb_slice slice = {.ticks = 2};
static volatile bool stop;

static void take_turns(void)
{
    while (!stop) {
        test_log(*sb_task_name(sb_self()));
        test_pass(1);
    }
}

static void turns(void)
{
    static struct sb_task_config configs[] = {
        {.name = "p",
         .entry = take_turns,
         .kind = SB_TASK_BEST_EFFORT,
         .priority = 31,
         .irq = -1,
         .stack = stack_a,
         .stack_bytes = sizeof stack_a,
         .task_class = &sb_round_robin,
         .class_state = &slice},
        {.name = "q",
         .entry = take_turns,
         .kind = SB_TASK_BEST_EFFORT,
         .priority = 31,
         .irq = -1,
         .stack = stack_b,
         .stack_bytes = sizeof stack_b,
         .task_class = &sb_round_robin,
         .class_state = &slice},
    };
    sb_addr p;
    sb_addr q;
    stop = false;
    EQUAL(sb_task_create(&configs[0], &p), SB_OK);
    EQUAL(sb_task_create(&configs[1], &q), SB_OK);
    EQUAL(sb_delay(8), SB_OK); /* they are below: only their own calls pass time */
    stop = true;
    LOG_EXPECT("ppqqppqq");
    EQUAL(sb_task_priority_set(sb_self(), 31), SB_OK);
    sb_yield();
    EQUAL(sb_task_priority_set(sb_self(), 16), SB_OK);
    EQUAL(sb_task_lookup("p"), SB_ADDR_NONE);
    EQUAL(sb_task_lookup("q"), SB_ADDR_NONE);
}

void test_tasks(void)
{
    create_and_restart();
    stop_and_start();
    priorities();
    periods();
    turns();
}
