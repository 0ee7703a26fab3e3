/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Stands in for the kernel: everything that port.h says a kernel offers, as simple as it can be. */
#include "signalbox/config_types.h"
#include "signalbox/timer.h"
#include "suite.h"

#define NOTHING_RUNS 32u

const struct sb_node_config sb_node_config = {.node = 0, .node_count = 1};

static _Alignas(32) uint8_t stacks[TASKS][TEST_STACK_BYTES];
uint8_t *const test_stack[TASKS] = {stacks[0], stacks[1], stacks[2]};
static const struct sb_task_config configs[TASKS] = {{.name = "main"}, {.name = "other"}, {.name = "third"}};
static const struct sb_task_config interrupt_config = {.name = "interrupt"};
static const struct sb_task_config idle_config = {.name = "idle"};
static struct sb_task tasks[TASKS];

void (*test_body[TASKS])(void);
struct sb_task test_interrupt_task[INTERRUPT_TASKS];
void (*test_interrupt_body[INTERRUPT_TASKS])(void);
volatile struct test_counts test_counts;
void (*test_on_tick)(void);
struct test_birth test_birth[TASKS];

static struct sb_task *volatile leave_for;
static uint32_t activated; /* a bit for each interrupt task */
static uint32_t level = NOTHING_RUNS;
static volatile uint32_t depth;

uint32_t test_running(void)
{
    return (uint32_t)(port_node()->current - tasks) < TASKS ? (uint32_t)(port_node()->current - tasks)
                                                            : TASKS;
}

uint32_t test_depth(void)
{
    return depth;
}

/* ---- contexts */

static void task_init(struct sb_task *task, const struct sb_task_config *config, void *stack,
                      uint32_t size_bytes)
{
    *task = (struct sb_task){.config = config, .stack = stack, .stack_bytes = size_bytes};
    port_context_init(task);
}

_Noreturn void sb_start(const struct sb_node_config *config)
{
    struct sb_node *node = port_node();
    (void)config;
    test_body[TASK_MAIN] = test_main;
    for (uint32_t i = 0; i < TASKS; i++) {
        task_init(&tasks[i], &configs[i], stacks[i], TEST_STACK_BYTES);
    }
    uint32_t idle_bytes = 0;
    void *idle_stack = port_idle_stack(&idle_bytes);
    task_init(&node->idle, &idle_config, idle_stack, idle_bytes);
    static const uint8_t priorities[INTERRUPT_TASKS] = {PRIORITY_URGENT, PRIORITY_MIDDLE, PRIORITY_COLD};
    for (uint32_t i = 0; i < INTERRUPT_TASKS; i++) {
        test_interrupt_task[i] = (struct sb_task){.config = &interrupt_config, .priority = priorities[i]};
    }
    node->current = &tasks[TASK_MAIN];
    node->self = node->current;
    port_start(node->current);
}

static void go_to(struct sb_task *to)
{
    struct sb_node *node = port_node();
    struct sb_task *from = node->current;
    node->current = to;
    node->self = to;
    port_switch(from, to);
}

void test_switch(uint32_t task)
{
    const uint32_t state = port_lock();
    go_to(&tasks[task]);
    port_unlock(state);
}

void test_switch_to_idle(void)
{
    const uint32_t state = port_lock();
    go_to(&port_node()->idle);
    port_unlock(state);
}

void test_leave_for(uint32_t task)
{
    leave_for = &tasks[task];
}

_Noreturn void sb_task_main(void)
{
    const uint32_t self = test_running();
    if (self == TASKS) {
        port_unmask();
        port_idle();
    }
    test_birth[self].stack_pointer = test_stack_pointer();
    if (self != TASK_MAIN) {
        const uint32_t before = test_counts.interrupts;
        test_line_raise(); /* whether a line comes through: nobody may, yet */
        test_linger();
        test_birth[self].taken = test_counts.interrupts != before;
        test_line_lower();
    }
    port_unmask();
    for (;;) {
        test_body[self]();
    }
}

/* ---- interrupts */

void test_priority(uint32_t interrupt_task, uint32_t priority)
{
    test_interrupt_task[interrupt_task].priority = (uint8_t)priority;
}

static void run_activated(void)
{
    const uint32_t outer = level;
    for (;;) {
        uint32_t next = INTERRUPT_TASKS;
        for (uint32_t i = 0; i < INTERRUPT_TASKS; i++) {
            if ((activated >> i & 1u) != 0 && test_interrupt_task[i].priority < outer &&
                (next == INTERRUPT_TASKS ||
                 test_interrupt_task[i].priority < test_interrupt_task[next].priority)) {
                next = i;
            }
        }
        if (next == INTERRUPT_TASKS) {
            break;
        }
        activated &= ~(1u << next);
        level = test_interrupt_task[next].priority;
        if (level == 0) {
            test_interrupt_body[next]();
        } else {
            port_call_nesting(test_interrupt_body[next], level);
        }
    }
    level = outer;
}

void sb_interrupt_activate(struct sb_task *task)
{
    activated |= 1u << (uint32_t)(task - test_interrupt_task);
}

void test_activate(uint32_t interrupt_task)
{
    const uint32_t state = port_lock();
    sb_interrupt_activate(&test_interrupt_task[interrupt_task]);
    if (test_interrupt_task[interrupt_task].priority < level) {
        run_activated();
    }
    port_unlock(state);
}

static void run_as_interrupt(void)
{
    depth++;
    run_activated();
    depth--;
}

void test_activate_from_task(uint32_t interrupt_task)
{
    const uint32_t state = port_lock();
    sb_interrupt_activate(&test_interrupt_task[interrupt_task]);
    port_call_interrupt(run_as_interrupt);
    port_unlock(state);
}

static void call_handler(void (*handler)(void))
{
    if (handler != NULL) {
        const uint32_t outer = level;
        level = 0;
        handler();
        level = outer;
    }
}

bool sb_interrupt(void (*handler)(void))
{
    test_counts.interrupts++;
    test_counts.wrong += depth != 0;
    depth++;
    call_handler(handler);
    run_activated();
    depth--;
    return leave_for != NULL && leave_for != port_node()->current;
}

bool sb_interrupt_task(struct sb_task *task)
{
    sb_interrupt_activate(task);
    return sb_interrupt(NULL);
}

void sb_interrupt_nested(void (*handler)(void))
{
    test_counts.nested++;
    test_counts.wrong += depth == 0;
    depth++;
    call_handler(handler);
    run_activated();
    depth--;
}

void sb_interrupt_switch(void)
{
    struct sb_task *to = leave_for;
    test_counts.wrong += depth != 0 || to == NULL;
    leave_for = NULL;
    go_to(to);
}

void sb_interrupt_spurious(void)
{
    test_counts.spurious++;
}

void sb_tick(void)
{
    test_counts.ticks++;
    test_counts.wrong += depth == 0;
    if (test_on_tick != NULL) {
        test_on_tick();
    }
}

void sb_alarm(void)
{
    test_counts.alarms++;
    test_counts.wrong += depth == 0;
    if (test_on_tick != NULL) {
        test_on_tick();
    }
}

/** Only a task that reads the console waits so; none does here. */
enum sb_err sb_delay(uint32_t ticks)
{
    (void)ticks;
    return SB_ERR_NO_TICK;
}

_Noreturn void sb_fatal(enum sb_err err, const char *label)
{
    (void)err;
    port_fatal(label);
}
