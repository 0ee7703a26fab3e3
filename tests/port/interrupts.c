/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Lines, handlers, interrupt tasks, nesting; leaving the interrupted task. */
#include "suite.h"

static volatile uint32_t taken;
static volatile uint32_t depth_seen;
static volatile uint32_t running_seen;

static void take(void)
{
    test_line_lower();
    depth_seen = test_depth();
    running_seen = test_running();
    taken++;
}

/* ---- lines */

static void lines(void)
{
    port_irq_connect(TEST_LINE, take);
    for (uint32_t i = 1; i <= 20; i++) {
        test_line_raise();
        WAIT_FOR(taken == i);
    }
    test_linger();
    EQUAL(taken, 20); /* once for each */
    EQUAL(test_counts.interrupts, 20);
    EQUAL(depth_seen, 1);
    EQUAL(running_seen, TASK_MAIN);

    port_irq_disable(TEST_LINE);
    test_line_raise();
    test_linger();
    EQUAL(taken, 20);
    port_irq_enable(TEST_LINE); /* it still waits */
    WAIT_FOR(taken == 21);

    port_irq_connect(TEST_LINE, NULL);
    test_line_raise();
    test_linger();
    EQUAL(taken, 21);
    test_line_lower();

    /* Enabled with nobody connected: counted once, then closed. */
    port_irq_enable(TEST_LINE);
    test_line_raise();
    WAIT_FOR(test_counts.spurious == 1);
    test_linger();
    EQUAL(test_counts.spurious, 1);
    test_line_lower();
    port_irq_connect(TEST_LINE, take);
    test_line_raise();
    WAIT_FOR(taken == 22);
    port_irq_connect(TEST_LINE, NULL);
}

/* ---- a handler is masked */

static volatile uint32_t timer_came;
static volatile uint32_t came_inside;

static void timer_comes(void)
{
    test_timer_lower();
    timer_came++;
}

static void raise_timer_inside(void)
{
    test_line_lower();
    const uint32_t before = timer_came;
    test_timer_raise(0);
    test_linger();
    came_inside = timer_came - before;
    taken++;
}

static void masked_handler(void)
{
    taken = 0;
    timer_came = 0;
    port_irq_connect(SB_TIMER_IRQ, timer_comes);
    port_irq_connect(TEST_LINE, raise_timer_inside);
    test_line_raise();
    WAIT_FOR(taken == 1 && timer_came == 1);
    EQUAL(came_inside, 0);
    port_irq_connect(SB_TIMER_IRQ, NULL);
    port_irq_connect(TEST_LINE, NULL);
}

/* ---- an interrupt task of a line */

static void body_of_line(void)
{
    test_line_lower();
    depth_seen = test_depth();
    taken++;
}

static void interrupt_task(void)
{
    taken = 0;
    test_interrupt_body[MIDDLE] = body_of_line;
    port_irq_connect_task(TEST_LINE, &test_interrupt_task[MIDDLE]);
    for (uint32_t i = 1; i <= 5; i++) {
        test_line_raise();
        WAIT_FOR(taken == i);
        EQUAL(depth_seen, 1);
    }
    port_irq_connect_task(TEST_LINE, NULL);
    test_line_raise();
    test_linger();
    EQUAL(taken, 5);
    test_line_lower();

    /* Its priority 0: runs masked. */
    test_priority(MIDDLE, 0);
    port_irq_connect_task(TEST_LINE, &test_interrupt_task[MIDDLE]);
    test_line_raise();
    WAIT_FOR(taken == 6);
    port_irq_connect_task(TEST_LINE, NULL);
    test_priority(MIDDLE, PRIORITY_MIDDLE);
}

/* ---- leaving */

static void leave_for_other(void)
{
    test_line_lower();
    test_leave_for(TASK_OTHER);
    taken++;
}

static volatile uint32_t lost;
static volatile uint32_t visits;

static void keep_and_return(void)
{
    visits++;
    lost += test_registers_keep(3);
    test_switch(TASK_MAIN);
}

/** The interrupted task is left for another and comes back with every register, many times. */
static void leaving(void)
{
    taken = 0;
    visits = 0;
    test_body[TASK_OTHER] = keep_and_return;
    test_switch(TASK_OTHER); /* whatever it did before */
    port_irq_connect(TEST_LINE, leave_for_other);
    const uint32_t visits_before = visits;
    for (uint32_t i = 1; i <= 20; i++) {
        test_line_raise();
        WAIT_FOR(visits == visits_before + i);
    }
    EQUAL(taken, 20);
    EQUAL(test_running(), TASK_MAIN);
    port_irq_connect(TEST_LINE, NULL);
    EQUAL(lost, 0);
}

static void timer_leaves(void)
{
    test_timer_lower();
    test_leave_for(TASK_OTHER);
    taken++;
}

/** The same at whatever instruction the timer comes to. */
static void leaving_anywhere(void)
{
    taken = 0;
    port_irq_connect(SB_TIMER_IRQ, timer_leaves);
    for (uint32_t i = 1; i <= 200; i++) {
        test_timer_raise(i);
        EQUAL(test_registers_keep(TEST_SPINS), 0);
        WAIT_FOR(taken == i);
    }
    EQUAL(lost, 0);
    port_irq_connect(SB_TIMER_IRQ, NULL);
}

void test_interrupts(void)
{
    test_counts.interrupts = 0;
    lines();
    masked_handler();
    interrupt_task();
    leaving();
    leaving_anywhere();
    test_group("interrupts");
}
