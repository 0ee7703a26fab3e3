/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  port_tick_start: so many ticks a second, none early; one that was held up does not hold up those behind it. */
#include "suite.h"

#define TICK_HZ 1000u
#define PERIOD (SB_TIMER_HZ / TICK_HZ)

static uint64_t start;
static volatile uint32_t early;

/** The n-th tick is due n periods after the start. */
static void on_tick(void)
{
    early += sb_timer_count(port_core()) < start + (uint64_t)test_counts.ticks * PERIOD;
}

void test_main(void)
{
    test_on_tick = on_tick;
    start = sb_timer_count(port_core());
    port_tick_start(TICK_HZ);
    const uint64_t end = sb_timer_count(port_core());

    WAIT_FOR(test_counts.ticks >= 50);
    EQUAL(early, 0);
    WAIT_FOR(test_counts.ticks >= (sb_timer_count(port_core()) - end) / PERIOD);
    test_group("pace");

    /* Each second tick is held up for half a period. */
    const uint32_t before = test_counts.ticks;
    const uint64_t from = sb_timer_count(port_core());
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t ticks = test_counts.ticks;
        WAIT_FOR(test_counts.ticks != ticks);
        const uint32_t state = port_lock();
        const uint64_t masked = sb_timer_count(port_core());
        while (sb_timer_count(port_core()) - masked < PERIOD * 3u / 2u) {
        }
        port_unlock(state);
    }
    WAIT_FOR(test_counts.ticks - before >= (sb_timer_count(port_core()) - from) / PERIOD);
    EQUAL(early, 0);
    test_group("held up");

    /* Off and on again by its line. */
    port_irq_disable(SB_TIMER_IRQ);
    const uint32_t off = test_counts.ticks;
    const uint64_t quiet = sb_timer_count(port_core());
    while (sb_timer_count(port_core()) - quiet < PERIOD * 3u / 2u) {
    }
    EQUAL(test_counts.ticks, off);
    port_irq_enable(SB_TIMER_IRQ);
    WAIT_FOR(test_counts.ticks > off);
    test_group("off and on");
    test_end();
}
