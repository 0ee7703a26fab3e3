/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  With the hardware's tick. It may come late (QEMU keeps to the host's clock, more or less), never early;
 *  and late ticks are made up for. So nothing here counts ticks exactly; that is in timing.c. */
#include "platform.h"
#include "signalbox/port.h"
#include "signalbox/timer.h"
#include "test.h"

static volatile bool stop;
static uint32_t lost;

static void spin_until_stop(void)
{
    test_log('s');
    while (!stop) {
    }
    test_log('e');
}

static void hold_registers(void)
{
    while (!stop) {
        lost += test_registers_keep(2000);
    }
}

/** The tick takes the processor from a task that never gives it. */
static void preemption(void)
{
    stop = false;
    test_run_on("low", spin_until_stop);
    EQUAL(sb_delay(3), SB_OK);
    test_log('t');
    stop = true;
    test_rest();
    LOG_EXPECT("ste");
}

/** Two tasks hold patterns in all registers while ticks switch between them. */
static void registers(void)
{
    stop = false;
    test_run_on("low", hold_registers);
    for (uint32_t i = 0; i < 20; i++) {
        EQUAL(sb_delay(1), SB_OK);
        lost += test_registers_keep(20000);
    }
    stop = true;
    test_rest();
    EQUAL(lost, 0);
}

/** Ticks are never early, and however late, they catch up with the hardware's timer. */
static void pace(void)
{
    const uint32_t period = SB_TIMER_HZ / SB_CFG_TICK_HZ;
    const uint64_t start = sb_timer_count(0);
    const uint32_t ticks = sb_ticks();
    EQUAL(sb_delay(10), SB_OK);
    EQUAL(sb_ticks() - ticks >= 10, true);
    EQUAL(sb_timer_count(0) >= (uint64_t)sb_ticks() * period, true);
    while (sb_ticks() - ticks < (sb_timer_count(0) - start) / period) {
    }
}

void test_real_time(void)
{
    test_rest();
    pace();
    preemption();
    registers();
    port_irq_disable(SB_TIMER_IRQ);
    const uint32_t ticks = sb_ticks();
    test_pass(2);
    EQUAL(sb_ticks() - ticks, 2);
}
