/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "machine.h"
#include "platform.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "test.h"

static const uint32_t any[] = {0};

static void log_high(void)
{
    test_log('h');
}

static void cold(void)
{
    union sb_signal *sig;
    test_log('c');
    while ((sig = sb_receive_timeout(any, 0)) != NULL) {
        test_log((char)('0' + sig->signo));
        EQUAL(sb_sender(sig), sb_task_lookup("main"));
        sb_free(&sig);
    }
}

static void hot(void)
{
    test_log('x');
    while (sb_fsem_wait_timeout(0) == SB_OK) {
        test_log('f');
    }
}

/** Activates everything while it runs: what is more urgent starts at once, the rest after its end, tasks last. */
static void busy(void)
{
    test_log('[');
    test_run_on("high", log_high);
    union sb_signal *sig = sb_alloc(8, 5);
    EQUAL(sb_send_from(&sig, sb_task_lookup("isr_cold"), sb_task_lookup("main")), SB_OK);
    EQUAL(sb_fsem_signal(sb_task_lookup("isr_hot")), SB_OK);
    EQUAL(sb_fsem_signal(sb_task_lookup("isr_hot")), SB_OK);
    EQUAL(sb_self(), sb_task_lookup("isr_line"));
    test_log(']');
}

static volatile bool line_taken;

static void line(void)
{
    test_line_lower();
    line_taken = true;
    busy();
}

static uint32_t left;

static void again(void)
{
    EQUAL(sb_fsem_wait_timeout(0), SB_OK);
    test_log((char)('0' + left));
    if (--left > 0) {
        EQUAL(sb_fsem_signal(sb_self()), SB_OK);
    }
}

static void software_activation(void)
{
    test_on_interrupt("isr_cold", cold);
    test_on_interrupt("isr_hot", hot);
    test_on_interrupt("isr_line", busy);

    /* Sent to: runs before send returns. */
    union sb_signal *sig = sb_alloc(8, 1);
    test_log('<');
    EQUAL(sb_send(&sig, sb_task_lookup("isr_cold")), SB_OK);
    test_log('>');
    LOG_EXPECT("<c1>");

    /* Signalled: the same. Everything that it starts follows in its order. */
    test_log('<');
    EQUAL(sb_fsem_signal(sb_task_lookup("isr_line")), SB_OK);
    test_log('>');
    LOG_EXPECT("<[xfxf]c5h>");

    /* Activated during its own body: once more. */
    left = 3;
    test_on_interrupt("isr_hot", again);
    EQUAL(sb_fsem_signal(sb_task_lookup("isr_hot")), SB_OK);
    LOG_EXPECT("321");
    test_on_interrupt("isr_hot", hot);
}

static void by_line(void)
{
    test_on_interrupt("isr_line", line);
    test_log('<');
    line_taken = false;
    test_line_raise();
    while (!line_taken) {
    }
    test_log('>');
    LOG_EXPECT("<[xfxf]c5h>");
}

static volatile uint32_t handled;

static void handler(void)
{
    test_line_lower();
    handled++;
    EQUAL(sb_self(), sb_task_lookup("main"));
    test_run_on("high", log_high);
    test_log('i');
}

static void by_handler(void)
{
    port_irq_connect(TEST_LINE, handler);
    test_line_raise();
    while (handled == 0) {
    }
    test_log('m');
    LOG_EXPECT("ihm");

    /* Masked: pending, and taken afterwards. */
    const uint32_t state = port_lock();
    test_line_raise();
    for (volatile uint32_t i = 0; i < 100; i++) {
    }
    EQUAL(handled, 1);
    port_unlock(state);
    while (handled == 1) {
    }
    LOG_EXPECT("ih");

    port_irq_connect(TEST_LINE, NULL);
    test_line_raise();
    for (volatile uint32_t i = 0; i < 100; i++) {
    }
    EQUAL(handled, 2);
    test_line_lower();

    /* A line without anybody: counted and closed. */
    port_irq_enable(TEST_LINE);
    test_line_raise();
    for (volatile uint32_t i = 0; i < 100; i++) {
    }
    EQUAL(port_node()->counters.spurious_irqs, 1);
    test_line_lower();
}

/* ---- nesting: a line interrupts the body of a less urgent interrupt task */

static volatile uint32_t in_body;

/** Of a line, priority 8: the line of the tick, which has a handler, comes through. */
static void wait_for_ticks(void)
{
    test_line_lower();
    const uint32_t start = sb_ticks();
    in_body++;
    while (sb_ticks() - start < 3) {
    }
    EQUAL(sb_self(), sb_task_lookup("isr_line"));
    in_body++;
}

/** The same, not by a line, but sent to: interrupts were masked by the sender's call. */
static void wait_for_a_tick(void)
{
    const uint32_t start = sb_ticks();
    while (sb_ticks() == start) {
    }
    while (sb_fsem_wait_timeout(0) == SB_OK) {
    }
    in_body++;
}

static void nesting(void)
{
    test_on_interrupt("isr_line", wait_for_ticks);
    test_on_interrupt("isr_cold", wait_for_a_tick);
    port_irq_enable(SB_TIMER_IRQ);
    in_body = 0;
    test_line_raise();
    while (in_body < 2) {
    }
    EQUAL(sb_fsem_signal(sb_task_lookup("isr_cold")), SB_OK);
    EQUAL(in_body, 3);
    EQUAL(sb_delay(1), SB_OK); /* the task came back with interrupts on */
    port_irq_disable(SB_TIMER_IRQ);
}

/** Nested interrupts at any instruction change no register. */
static void registers_through_nesting(void)
{
    uint32_t lost = 0;
    test_on_interrupt("isr_line", wait_for_ticks);
    port_irq_enable(SB_TIMER_IRQ);
    for (uint32_t i = 0; i < 5; i++) {
        in_body = 0;
        test_line_raise();
        lost += test_registers_keep(20000);
        while (in_body < 2) {
        }
    }
    port_irq_disable(SB_TIMER_IRQ);
    EQUAL(lost, 0);
}

void test_interrupts(void)
{
    nesting();
    registers_through_nesting();
    test_rest();
    software_activation();
    by_line();
    by_handler();
}
