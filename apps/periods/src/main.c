/* SPDX-License-Identifier: Apache-2.0 */
/* Two jobs that need 98 % of the processor: 2.94 of every 6 ticks, 3.92 of every 8. By period the longer one is late, by
 * deadline neither is. */
#include <stdio.h>

#include "signalbox/port.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

#define SUPER_PERIODS 20u

static uint64_t tick_cycles;

/** Work that takes so many hundredths of a tick, interruptions by others not counted: the clock is read in small steps, and
 *  a step that was interrupted counts as little. */
static void work(uint32_t hundredths)
{
    const uint64_t whole = tick_cycles * hundredths / 100u;
    uint64_t done = 0;
    uint64_t last = sb_cycles();
    while (done < whole) {
        const uint64_t now = sb_cycles();
        const uint64_t step = now - last;
        done += step < tick_cycles / 100u ? step : 0;
        last = now;
    }
}

void short_job(void)
{
    work(294);
}

void long_job(void)
{
    work(392);
}

void main_task(void)
{
    static const char *const names[] = {"short", "long"};
    struct sb_period_status before[2];
    struct sb_period_status after[2];
    uint32_t misses = 0;
    SB_IGNORE(sb_delay(1)); /* to the beginning of a tick */
    const uint64_t begin = sb_cycles();
    SB_IGNORE(sb_delay(10));
    tick_cycles = (sb_cycles() - begin) / 10u; /* from here on the jobs work */
    for (uint32_t i = 0; i < 2; i++) {
        SB_IGNORE(sb_period_status(sb_task_lookup(names[i]), &before[i]));
    }
    SB_IGNORE(sb_delay(24u * SUPER_PERIODS));
    for (uint32_t i = 0; i < 2; i++) {
        const sb_addr task = sb_task_lookup(names[i]);
        SB_IGNORE(sb_period_status(task, &after[i]));
        printf("%-5s priority %ld: %lu jobs, %lu misses, at most %lu ticks\n", names[i],
               (long)sb_task_priority(task), (unsigned long)(after[i].jobs - before[i].jobs),
               (unsigned long)(after[i].misses - before[i].misses),
               (unsigned long)after[i].response_ticks_max);
        misses += after[i].misses - before[i].misses;
    }
    printf("%s\n", misses == 0 ? "all deadlines met" : "deadlines missed");
    port_finish(0);
}
