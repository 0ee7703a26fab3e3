/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_TARGET_TEST_H
#define SB_TARGET_TEST_H
/** @file
 *  Tests on a target. `main` (priority 16) runs them one after the other; the helper tasks run functions that
 *  it sends them. */
#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "signalbox/hooks.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"

#define SIG_RUN 1000u

struct run {
    uint32_t signo;
    void (*body)(void);
};

struct numbered {
    uint32_t signo;
    uint32_t value;
};

union sb_signal {
    uint32_t signo;
    struct run run;
    struct numbered numbered;
};

/** One comparison; a failure says where. */
void test_equal(uint32_t got, uint32_t want, const char *what, const char *file, int line);
#define EQUAL(got, want) test_equal((uint32_t)(got), (uint32_t)(want), #got, __FILE__, __LINE__)

/** Let the helper `name` run `body`: at once if it is more urgent than the caller. */
void test_run_on(const char *name, void (*body)(void));

/** Let every other task run until it waits. */
void test_rest(void);

/** Pass `ticks` ticks. After the first group the hardware's tick is off and only this makes time go by: so
 *  the tests are exact also on a machine that lags behind its clock. */
void test_pass(uint32_t ticks);

/** What happened, in order, as characters. */
void test_log(char c);
void test_log_expect(const char *want, const char *file, int line);
#define LOG_EXPECT(want) test_log_expect(want, __FILE__, __LINE__)

/** What the interrupt task `name` does when activated; NULL: nothing. */
void test_on_interrupt(const char *name, void (*body)(void));

/** Number of signals of the system pool that somebody owns. */
uint32_t test_in_use(void);

/** Checked level: `body` must call the error hook with `label`. */
void test_violation(void (*body)(void), const char *label, const char *file, int line);
#define VIOLATION(body, label) test_violation(body, label, __FILE__, __LINE__)

/** What the hooks have seen. */
struct test_hook_counts {
    uint32_t swaps;
    uint32_t creates;
    uint32_t kills;
    uint32_t errors;
    uint32_t misses;
    sb_addr swap_from;
    sb_addr swap_to;
    sb_addr killed;
    const char *label;
};
extern struct test_hook_counts test_hook_counts;

/** Fills all registers that a task owns with patterns, spins, answers how many have changed. */
uint32_t test_registers_keep(uint32_t rounds);

/* The groups. */
void test_names(void);
void test_real_time(void);
void test_scheduling(void);
void test_tasks(void);
void test_signals(void);
void test_time(void);
void test_pools(void);
void test_semaphores(void);
void test_locks(void);
void test_services(void);
void test_interrupts(void);
void test_hooks_and_end(void);
void test_violations(void);

#endif
