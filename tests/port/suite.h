/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_PORT_SUITE_H
#define SB_PORT_SUITE_H
/** @file
 *  Tests of a port against port.h alone. No kernel is linked: kernel.c stands in for it with what port.h says that a
 *  kernel offers, and lets a test say what an interrupt does and who runs after it.
 *
 *  A machine brings machine.h: one line that software can raise (TEST_LINE), besides the timer's. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "platform.h"
#include "signalbox/port.h"
#include "signalbox/timer.h"

/* ---- checks */

void test_equal(uint64_t got, uint64_t want, const char *what, const char *file, int line);
#define EQUAL(got, want) test_equal((uint64_t)(got), (uint64_t)(want), #got, __FILE__, __LINE__)
#define TRUE(holds) test_equal((holds) ? 1 : 0, 1, #holds, __FILE__, __LINE__)

/** What happened, in order, as characters. */
void test_log(char c);
void test_log_expect(const char *want, const char *file, int line);
#define LOG_EXPECT(want) test_log_expect(want, __FILE__, __LINE__)

/** Print the result of the group that ends here. */
void test_group(const char *name);

/** Print the sums and end the machine. */
_Noreturn void test_end(void);

/** Wait for `holds`, but not for ever: half a second of the timer. */
#define WAIT_FOR(holds)                                                           \
    do {                                                                          \
        const uint64_t end_ = sb_timer_count(port_core()) + SB_TIMER_HZ / 2u;     \
        while (!(holds) && sb_timer_count(port_core()) < end_) {                  \
        }                                                                         \
        test_equal((holds) ? 1 : 0, 1, "waited for " #holds, __FILE__, __LINE__); \
    } while (0)

/** Long enough for a line that is not masked. */
void test_linger(void);

/* ---- the stand-in for the kernel */

/** Tasks with stacks of their own; the first runs test_main. */
enum { TASK_MAIN, TASK_OTHER, TASK_THIRD, TASKS };
#define TEST_STACK_BYTES 4096u

/** What a task does, again and again; each ends with a switch to somebody else. A new one counts when the old one ends. */
extern void (*test_body[TASKS])(void);

/** Leave the caller for `task`; returns when somebody comes back. */
void test_switch(uint32_t task);
void test_switch_to_idle(void);

/** The task that runs. TASKS: idle. */
uint32_t test_running(void);

/** From a handler or an interrupt task's body: where the interrupt's exit shall go to. */
void test_leave_for(uint32_t task);

/** Interrupt tasks, by their priorities; port_irq_connect_task activates them. */
enum { URGENT, MIDDLE, COLD, INTERRUPT_TASKS };
#define PRIORITY_URGENT 3u
#define PRIORITY_MIDDLE 8u
#define PRIORITY_COLD 31u
extern struct sb_task test_interrupt_task[INTERRUPT_TASKS];
extern void (*test_interrupt_body[INTERRUPT_TASKS])(void);

/** Give an interrupt task another priority, before it is connected. */
void test_priority(uint32_t interrupt_task, uint32_t priority);

/** From a body or handler: the task runs when it is its turn. */
void test_activate(uint32_t interrupt_task);

/** From a task: run it now, as a call of the kernel would. */
void test_activate_from_task(uint32_t interrupt_task);

/** Whether this is interrupt context, and how deep: 0 in a task. */
uint32_t test_depth(void);

/** What the port has told the stand-in. */
struct test_counts {
    uint32_t interrupts; /* sb_interrupt */
    uint32_t nested;     /* sb_interrupt_nested */
    uint32_t spurious;
    uint32_t ticks;
    uint32_t alarms;
    uint32_t wrong; /* calls that must not be, such as sb_interrupt while a body runs */
};
extern volatile struct test_counts test_counts;

/** Called by sb_tick and sb_alarm, if not NULL. */
extern void (*test_on_tick)(void);

/** What the first instructions of a task found. */
struct test_birth {
    uintptr_t stack_pointer;
    bool taken; /* a line came through although the task begins masked */
};
extern struct test_birth test_birth[TASKS];
extern uint8_t *const test_stack[TASKS];

/* ---- assembler of the processor: registers.S */

/** Fill every register that a task owns with patterns, spin, answer how many have changed. */
uint32_t test_registers_keep(uint32_t rounds);

/** Fill the registers that a callee keeps with patterns of `seed`, call `function`, answer how many have changed. */
uint32_t test_registers_across(uint32_t seed, void (*function)(void));

/** The stack pointer of the caller. */
uintptr_t test_stack_pointer(void);

/* ---- lines */

/** The timer's line is the second one that a test can raise: now, or in so many counts. */
static inline void test_timer_raise(uint32_t in_counts)
{
    const uint32_t core = port_core();
    sb_timer_set(core, in_counts == 0 ? 0 : sb_timer_count(core) + in_counts);
}

static inline void test_timer_lower(void)
{
    sb_timer_stop(port_core());
}

/* ---- groups; an image has some of them */

void test_main(void);
void test_contexts(void);
void test_masks(void);
void test_interrupts(void);
void test_nesting(void);
void test_idle(void);
void test_memory(void);
void test_doorbell(void);
void test_cycles(void);

#endif
