/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  port_context_init, port_switch, port_call_interrupt, port_lock. */
#include "suite.h"

static volatile uint32_t taken;

static void take(void)
{
    test_line_lower();
    taken++;
}

/* ---- contexts */

static volatile uint32_t rounds;
static volatile uint32_t lost;

static void to_other(void)
{
    test_switch(TASK_OTHER);
}

static void to_main(void)
{
    test_switch(TASK_MAIN);
}

/** Holds other patterns in its registers than the caller. */
static void other(void)
{
    rounds++;
    lost += test_registers_across(0xa5000000u + rounds, to_main);
}

static void births(void)
{
    port_irq_connect(TEST_LINE, take);
    test_body[TASK_OTHER] = other;
    test_switch(TASK_OTHER);
    EQUAL(rounds, 1);
    EQUAL(test_birth[TASK_OTHER].taken, false);
    for (uint32_t task = 0; task < 2; task++) {
        const uintptr_t sp = test_birth[task].stack_pointer;
        const uintptr_t stack = (uintptr_t)test_stack[task];
        EQUAL(sp % TEST_STACK_ALIGN, 0);
        TRUE(!TEST_STACKS_AS_GIVEN || (sp > stack && sp <= stack + TEST_STACK_BYTES));
    }
}

static void switches(void)
{
    for (uint32_t i = 0; i < 200; i++) {
        EQUAL(test_registers_across(0x5a000000u + i, to_other), 0);
    }
    EQUAL(rounds, 201);
    EQUAL(lost, 0);
}

/** Three contexts: each comes back where it left. OTHER always goes to main. */
static void third(void)
{
    test_log('3');
    test_switch(TASK_OTHER);
    test_log('4');
    test_switch(TASK_MAIN);
}

static void three(void)
{
    test_body[TASK_THIRD] = third;
    test_log('m');
    test_switch(TASK_THIRD);
    test_log('m');
    test_switch(TASK_THIRD);
    test_log('m');
    LOG_EXPECT("m3m4m");
}

/* ---- the interrupt stack */

static uintptr_t interrupt_stack;
static bool came;

static void look_at_stack(void)
{
    interrupt_stack = test_stack_pointer();
    const uint32_t before = taken;
    test_line_raise();
    test_linger();
    came = taken != before;
    test_line_lower();
}

static void call_interrupt(void)
{
    const uint32_t state = port_lock();
    port_call_interrupt(look_at_stack);
    port_unlock(state);
}

static void interrupt_stacks(void)
{
    EQUAL(test_registers_across(0x77000000u, call_interrupt), 0);
    const uintptr_t first = interrupt_stack;
    EQUAL(came, false);
    EQUAL(first % TEST_STACK_ALIGN, 0);
    const uintptr_t mine = test_stack_pointer();
    TRUE(first - mine > TEST_STACK_BYTES && mine - first > 256u);
    EQUAL(test_registers_across(0x78000000u, call_interrupt), 0);
    EQUAL(interrupt_stack, first); /* nothing is left on it */
}

void test_contexts(void)
{
    births();
    switches();
    three();
    interrupt_stacks();
    port_irq_connect(TEST_LINE, NULL);
    test_group("contexts");
}

/* ---- masks */

void test_masks(void)
{
    taken = 0;
    port_irq_connect(TEST_LINE, take);
    const uint32_t outer = port_lock();
    const uint32_t inner = port_lock();
    test_line_raise();
    test_linger();
    EQUAL(taken, 0);
    port_unlock(inner);
    test_linger();
    EQUAL(taken, 0); /* still locked by the outer one */
    port_unlock(outer);
    WAIT_FOR(taken == 1);

    /* Twice in a row: unlocking restores, it does not count. */
    for (uint32_t i = 2; i < 10; i++) {
        const uint32_t state = port_lock();
        test_line_raise();
        EQUAL(taken, i - 1);
        port_unlock(state);
        WAIT_FOR(taken == i);
    }

    /* port_unmask opens whatever was locked. */
    (void)port_lock();
    test_line_raise();
    test_linger();
    EQUAL(taken, 9);
    port_unmask();
    WAIT_FOR(taken == 10);
    port_irq_connect(TEST_LINE, NULL);
    test_group("masks");
}
