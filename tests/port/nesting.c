/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  port_call_nesting: while the body of an interrupt task runs, exactly those lines come through that are more urgent.
 *
 *  MIDDLE (8) is of TEST_LINE; URGENT is of the timer's line, with priority 3 or, to be less urgent than MIDDLE, 20;
 *  COLD (31) has no line. */
#include "suite.h"

static volatile uint32_t middle_done;
static volatile uint32_t urgent_done;
static volatile uint32_t cold_done;

static void urgent(void)
{
    test_timer_lower();
    test_log('u');
    urgent_done++;
}

static void middle(void)
{
    test_line_lower();
    test_log('m');
    middle_done++;
}

static void connect(uint32_t priority_of_timer)
{
    middle_done = 0;
    urgent_done = 0;
    cold_done = 0;
    test_interrupt_body[URGENT] = urgent;
    test_interrupt_body[MIDDLE] = middle;
    test_priority(URGENT, priority_of_timer);
    port_irq_connect_task(SB_TIMER_IRQ, &test_interrupt_task[URGENT]);
    port_irq_connect_task(TEST_LINE, &test_interrupt_task[MIDDLE]);
}

static void disconnect(void)
{
    port_irq_connect_task(SB_TIMER_IRQ, NULL);
    port_irq_connect_task(TEST_LINE, NULL);
}

/* ---- the timer interrupts MIDDLE's body */

static void middle_calls_urgent(void)
{
    test_line_lower();
    test_log('[');
    const uint32_t nested = test_counts.nested;
    test_timer_raise(0);
    WAIT_FOR(urgent_done == 1);
    EQUAL(test_counts.nested, nested + 1);
    EQUAL(test_depth(), 1);
    test_log(']');
    middle_done++;
}

static void more_urgent(void)
{
    connect(PRIORITY_URGENT);
    test_interrupt_body[MIDDLE] = middle_calls_urgent;
    test_line_raise();
    WAIT_FOR(middle_done == 1);
    LOG_EXPECT("[u]");
    disconnect();
}

/* ---- the timer does not: its task is less urgent; neither does MIDDLE's own line */

static void middle_is_not_interrupted(void)
{
    test_line_lower();
    test_log('[');
    const uint32_t nested = test_counts.nested;
    test_timer_raise(0);
    if (middle_done == 0) {
        test_line_raise();
    }
    test_linger();
    EQUAL(test_counts.nested, nested);
    test_log(']');
    middle_done++;
}

static void less_urgent(void)
{
    connect(20);
    test_interrupt_body[MIDDLE] = middle_is_not_interrupted;
    test_line_raise();
    WAIT_FOR(middle_done == 2 && urgent_done >= 1);
    LOG_EXPECT("[][]u");
    disconnect();
    test_timer_lower();
}

/* ---- both at once: the more urgent one first, whatever the hardware thinks of their lines */

static void both_at_once(uint32_t priority_of_timer)
{
    connect(priority_of_timer);
    const uint32_t state = port_lock();
    test_line_raise();
    test_timer_raise(0);
    test_linger();
    EQUAL(middle_done + urgent_done, 0);
    port_unlock(state);
    WAIT_FOR(middle_done == 1 && urgent_done == 1);
    disconnect();
}

/* ---- a handler comes through any body */

static volatile uint32_t handled;

static void handler(void)
{
    test_timer_lower();
    test_log('h');
    handled++;
}

static void middle_waits_for_handler(void)
{
    test_line_lower();
    test_log('[');
    test_timer_raise(0);
    WAIT_FOR(handled == 1);
    test_log(']');
    middle_done++;
}

static void handler_nests(void)
{
    connect(PRIORITY_URGENT);
    port_irq_connect_task(SB_TIMER_IRQ, NULL);
    port_irq_connect(SB_TIMER_IRQ, handler);
    test_interrupt_body[MIDDLE] = middle_waits_for_handler;
    test_line_raise();
    WAIT_FOR(middle_done == 1);
    LOG_EXPECT("[h]");
    port_irq_connect(SB_TIMER_IRQ, NULL);
    disconnect();
}

/* ---- a less urgent body, run by a line's interrupt or by a task's call, does not keep that line out */

static void cold(void)
{
    test_log('<');
    test_timer_raise(0);
    WAIT_FOR(urgent_done == 1);
    const uint32_t before = middle_done;
    test_line_raise();
    WAIT_FOR(middle_done == before + 1);
    test_log('>');
    cold_done++;
}

static void middle_activates_cold(void)
{
    test_line_lower();
    test_log('m');
    if (middle_done == 0) {
        test_activate(COLD);
    }
    middle_done++;
}

static void cold_of_line(void)
{
    connect(20);
    test_interrupt_body[MIDDLE] = middle_activates_cold;
    test_interrupt_body[COLD] = cold;
    test_line_raise();
    WAIT_FOR(cold_done == 1);
    LOG_EXPECT("m<um>");
    EQUAL(test_running(), TASK_MAIN);
    test_line_raise(); /* and the line is as it was */
    WAIT_FOR(middle_done == 3);
    LOG_EXPECT("m");
    disconnect();
}

static void cold_of_task(void)
{
    connect(20);
    test_interrupt_body[COLD] = cold;
    test_activate_from_task(COLD);
    EQUAL(cold_done, 1);
    LOG_EXPECT("<um>");
    EQUAL(test_depth(), 0);
    disconnect();
}

/** The body of MIDDLE, run by a task's call: its line waits, also after something more urgent has been and gone. */
static void middle_keeps_its_line_out(void)
{
    test_log('[');
    test_timer_raise(0);
    WAIT_FOR(urgent_done == 1);
    test_interrupt_body[MIDDLE] = middle;
    const uint32_t nested = test_counts.nested;
    test_line_raise();
    test_linger();
    EQUAL(test_counts.nested, nested);
    test_log(']');
}

static void still_masked(void)
{
    connect(PRIORITY_URGENT);
    test_interrupt_body[MIDDLE] = middle_keeps_its_line_out;
    test_activate_from_task(MIDDLE);
    WAIT_FOR(middle_done == 1);
    LOG_EXPECT("[u]m");
    disconnect();
}

/** Three deep: COLD is interrupted by the timer's task, whose body by MIDDLE. Each goes back to where it was. */
static void urgent_is_interrupted(void)
{
    test_timer_lower();
    test_log('(');
    test_line_raise();
    WAIT_FOR(middle_done == 1);
    EQUAL(test_depth(), 2);
    test_log(')');
    urgent_done++;
}

static void middle_deep(void)
{
    test_line_lower();
    test_log((char)('0' + test_depth()));
    middle_done++;
}

static void cold_deep(void)
{
    test_log('<');
    test_timer_raise(0);
    WAIT_FOR(urgent_done == 1);
    EQUAL(test_depth(), 1);
    test_log('>');
    cold_done++;
}

static void three_deep(void)
{
    connect(20);
    test_interrupt_body[URGENT] = urgent_is_interrupted;
    test_interrupt_body[MIDDLE] = middle_deep;
    test_interrupt_body[COLD] = cold_deep;
    const uint32_t before = test_counts.nested;
    test_activate_from_task(COLD);
    EQUAL(test_counts.nested, before + 2);
    LOG_EXPECT("<(3)>");
    disconnect();
}

/* ---- the interrupted task keeps its registers, and is left properly, from any depth and at any instruction */

static volatile uint32_t visits;
static volatile uint32_t lost;

static void visit(void)
{
    visits++;
    lost += test_registers_keep(3);
    test_switch(TASK_MAIN);
}

static void middle_slow(void)
{
    test_line_lower();
    lost += test_registers_keep(TEST_SPINS / 4);
    if ((middle_done & 1u) != 0) {
        test_leave_for(TASK_OTHER);
    }
    if ((middle_done & 2u) != 0) {
        test_activate(COLD);
    }
    middle_done++;
}

static void urgent_quick(void)
{
    test_timer_lower();
    if ((urgent_done & 3u) == 3u) {
        test_leave_for(TASK_OTHER);
    }
    urgent_done++;
}

static void cold_slow(void)
{
    lost += test_registers_keep(TEST_SPINS / 8);
    cold_done++;
}

/** The timer comes at each count behind the line: at each instruction of entry, body and exit, where counts are cycles. */
static void anywhere(uint32_t priority_of_timer)
{
    connect(priority_of_timer);
    test_interrupt_body[URGENT] = urgent_quick;
    test_interrupt_body[MIDDLE] = middle_slow;
    test_interrupt_body[COLD] = cold_slow;
    test_body[TASK_OTHER] = visit;
    for (uint32_t i = 1; i <= TEST_SWEEP; i++) {
        test_timer_raise(i);
        test_line_raise();
        const uint32_t changed = test_registers_keep(TEST_SPINS);
        if (changed != 0) {
            EQUAL(changed, 0);
        }
        WAIT_FOR(urgent_done == i && middle_done == i);
    }
    WAIT_FOR(cold_done == TEST_SWEEP / 2);
    EQUAL(lost, 0);
    TRUE(visits > 0);
    EQUAL(test_running(), TASK_MAIN);
    disconnect();
}

void test_nesting(void)
{
    more_urgent();
    less_urgent();
    both_at_once(PRIORITY_URGENT);
    LOG_EXPECT("um");
    both_at_once(20);
    LOG_EXPECT("mu");
    handler_nests();
    cold_of_line();
    cold_of_task();
    still_masked();
    three_deep();
    anywhere(PRIORITY_URGENT);
    anywhere(20);
    test_priority(URGENT, PRIORITY_URGENT);
    test_group("nesting");
}
