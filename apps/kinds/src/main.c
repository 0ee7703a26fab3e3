/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of task for a fifth of a second: two periods, two that share what is left, one made at run time, a timeout. */
#include <stdbool.h>
#include <stdio.h>

#include "signalbox/config_types.h"
#include "signalbox/pool.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/task.h"
#include "signalbox/timeout.h"
#include "signalbox/timer.h"

static volatile uint32_t turns[2];
static uint32_t calls;
static uint32_t made;

void fast_job(void)
{
}

/** Takes longer than the fast one's period: that one comes first all the same. */
void slow_job(void)
{
    const uint32_t start = sb_ticks();
    while (sb_ticks() - start < 6) {
    }
}

void work(void)
{
    const bool right = *sb_task_name(sb_self()) == 'r';
    for (;;) {
        turns[right]++;
    }
}

static void call(void *argument)
{
    (*(uint32_t *)argument)++;
}

static void made_task(void)
{
    made++;
    sb_fsem_wait();
}

static void check(bool holds, const char *what)
{
    if (!holds) {
        printf("failed: %s\n", what);
        port_finish(1);
    }
}

void main_task(void)
{
    static SB_CONFIG_ALIGN uint8_t stack[1024];
    static const struct sb_task_config config = {.name = "made",
                                                 .entry = made_task,
                                                 .priority = 2,
                                                 .irq = -1,
                                                 .stack = stack,
                                                 .stack_bytes = sizeof stack};
    static struct sb_timeout timeout;
    struct sb_period_status fast;
    struct sb_period_status slow;
    sb_addr task;
    sb_timeout_init(&timeout, call, &calls);
    check(sb_timeout_start(&timeout, 10, 25) == SB_OK, "timeout");
    check(sb_task_create(&config, &task) == SB_OK && made == 1, "create");
    check(sb_task_restart(task, &task) == SB_OK && made == 2, "restart");
    check(sb_pool_lookup("messages") == 0 && sb_pool_lookup("others") == SB_ERR_NOT_FOUND, "pools by name");
    check(sb_delay_until(100) == SB_OK, "delay");
    check(turns[0] > 0 && turns[1] == 0, "a stopped task runs not");
    check(sb_task_start(sb_task_lookup("right")) == SB_OK, "start");
    check(sb_delay_until(201) == SB_OK, "delay");
    check(sb_period_status(sb_task_lookup("fast"), &fast) == SB_OK, "status");
    check(sb_period_status(sb_task_lookup("slow"), &slow) == SB_OK, "status");
    printf("fast: %lu jobs, %lu misses; slow: %lu jobs, %lu misses, %lu ticks at most\n",
           (unsigned long)fast.jobs, (unsigned long)fast.misses, (unsigned long)slow.jobs,
           (unsigned long)slow.misses, (unsigned long)slow.response_ticks_max);
    printf("timeout: %lu calls\n", (unsigned long)calls);
    /* At least: a machine that lags behind its clock wakes this task late. */
    check(fast.jobs >= 41 && slow.jobs >= 10, "jobs");
    check(calls >= 8, "calls");
    check(turns[1] > turns[0] / 4, "both take turns");
    port_finish(0);
}
