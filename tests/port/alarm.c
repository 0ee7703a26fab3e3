/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  port_alarm_*: a clock that interrupts only when something is due. */
#include "suite.h"

#define TICK_HZ 1000u
#define PERIOD (SB_TIMER_HZ / TICK_HZ)

static volatile uint32_t came;
static volatile uint32_t came_at;

static void on_alarm(void)
{
    came_at = port_alarm_now();
    came++;
}

/** No alarm within so many ticks. */
static uint32_t none_within(uint32_t ticks)
{
    const uint32_t before = came;
    const uint32_t start = port_alarm_now();
    const uint64_t count = sb_timer_count(port_core());
    while (port_alarm_now() - start < ticks && sb_timer_count(port_core()) - count < 2u * SB_TIMER_HZ) {
    }
    return came - before;
}

static void on_time(void)
{
    for (uint32_t ahead = 1; ahead <= 12; ahead++) {
        const uint32_t before = came;
        const uint32_t state = port_lock();
        const uint32_t due = port_alarm_now() + ahead;
        port_alarm_set(due);
        port_unlock(state);
        WAIT_FOR(came == before + 1);
        TRUE((int32_t)(came_at - due) >= 0); /* never early */
    }
    EQUAL(none_within(3), 0); /* and not again */
    test_group("on time");
}

static void passed(void)
{
    for (uint32_t back = 0; back < 4; back++) {
        const uint32_t before = came;
        const uint32_t state = port_lock();
        port_alarm_set(port_alarm_now() - back);
        test_linger();
        EQUAL(came, before); /* masked */
        port_unlock(state);
        WAIT_FOR(came == before + 1);
    }
    EQUAL(none_within(2), 0);
    test_group("passed already");
}

static void replaced(void)
{
    /* By an earlier one. */
    uint32_t before = came;
    uint32_t due = port_alarm_now() + 2;
    port_alarm_set(due + 1000);
    port_alarm_set(due);
    WAIT_FOR(came == before + 1);
    TRUE((int32_t)(came_at - due) >= 0 && came_at - due < 500u);

    /* By a later one: the first never comes. */
    before = came;
    due = port_alarm_now() + 8;
    const uint32_t state = port_lock();
    port_alarm_set(port_alarm_now() + 3);
    port_alarm_set(due);
    port_unlock(state);
    WAIT_FOR(came == before + 1);
    TRUE((int32_t)(came_at - due) >= 0);
    EQUAL(none_within(2), 0);
    test_group("replaced");
}

static void set_again(void)
{
    if (came < 200) {
        port_alarm_set(port_alarm_now() + came % 2u);
    }
    came++;
}

/** From its own interrupt, for the running tick (at once) or the next. */
static void from_inside(void)
{
    came = 0;
    test_on_tick = set_again;
    const uint32_t start = port_alarm_now();
    port_alarm_set(start + 1);
    WAIT_FOR(came == 201);
    TRUE(port_alarm_now() - start >= 100);
    test_on_tick = on_alarm;
    EQUAL(none_within(2), 0);
    test_group("from inside");
}

/** The clock goes on while nothing is due, and for longer than the hardware's counter may. */
static void pace(void)
{
    const uint64_t count = sb_timer_count(port_core());
    const uint32_t first = port_alarm_now();
    uint32_t last = first;
    uint32_t backwards = 0;
    while (sb_timer_count(port_core()) - count < TEST_LONG_COUNTS) {
        const uint32_t now = port_alarm_now();
        backwards += (int32_t)(now - last) < 0;
        last = now;
    }
    EQUAL(backwards, 0);
    const uint32_t ticks = port_alarm_now() - first;
    const uint32_t counts = (uint32_t)((sb_timer_count(port_core()) - count) / PERIOD);
    TRUE(ticks + 1 >= TEST_LONG_COUNTS / PERIOD && ticks <= counts + 1);

    /* On a host that lags it may have come when the first wait ends; but not before it is due. */
    const uint32_t before = came;
    const uint32_t due = port_alarm_now() + TEST_LONG_COUNTS / PERIOD;
    port_alarm_set(due);
    (void)none_within(TEST_LONG_COUNTS / PERIOD - 2);
    WAIT_FOR(came == before + 1);
    TRUE((int32_t)(came_at - due) >= 0);
    test_group("pace");
}

void test_main(void)
{
    test_on_tick = on_alarm;
    port_alarm_start(TICK_HZ);
    EQUAL(port_alarm_now(), 0);
    EQUAL(none_within(5), 0); /* none was set */
    on_time();
    passed();
    replaced();
    from_inside();
    pace();
    test_end();
}
