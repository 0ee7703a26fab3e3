/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "platform.h"
#include "signalbox/config_types.h"
#include "signalbox/pool.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "test.h"

static uint32_t passed;
static uint32_t failed;

static char log_text[64];
static uint32_t log_length;

static struct {
    const char *name;
    void (*body)(void);
} interrupt_bodies[] = {{"isr_hot", NULL}, {"isr_cold", NULL}, {"isr_line", NULL}};

static jmp_buf *violation_exit;

/* ---- hooks */

struct test_hook_counts test_hook_counts;

static void swap_hook(sb_addr from, sb_addr to)
{
    test_hook_counts.swaps++;
    test_hook_counts.swap_from = from;
    test_hook_counts.swap_to = to;
}

static void create_hook(sb_addr task)
{
    (void)task;
    test_hook_counts.creates++;
}

static void kill_hook(sb_addr task)
{
    test_hook_counts.kills++;
    test_hook_counts.killed = task;
}

static void deadline_hook(sb_addr task, uint32_t misses)
{
    (void)task;
    test_hook_counts.misses = misses;
}

static void error_hook(enum sb_err err, const char *label)
{
    (void)err;
    test_hook_counts.errors++;
    test_hook_counts.label = label;
    if (violation_exit != NULL) {
        longjmp(*violation_exit, 1);
    }
}

extern const struct sb_hooks test_hooks;
const struct sb_hooks test_hooks = {.swap = swap_hook,
                                    .create = create_hook,
                                    .kill = kill_hook,
                                    .error = error_hook,
                                    .deadline = deadline_hook};

/* ---- checks */

void test_equal(uint32_t got, uint32_t want, const char *what, const char *file, int line)
{
    if (got == want) {
        passed++;
        return;
    }
    failed++;
    printf("%s:%d: %s is %lu (%#lx), want %lu (%#lx)\n", file, line, what, (unsigned long)got,
           (unsigned long)got, (unsigned long)want, (unsigned long)want);
}

void test_log(char c)
{
    if (log_length < sizeof log_text - 1) {
        log_text[log_length++] = c;
    }
}

void test_log_expect(const char *want, const char *file, int line)
{
    log_text[log_length] = '\0';
    if (strcmp(log_text, want) == 0) {
        passed++;
    } else {
        failed++;
        printf("%s:%d: order is \"%s\", want \"%s\"\n", file, line, log_text, want);
    }
    log_length = 0;
}

void test_violation(void (*body)(void), const char *label, const char *file, int line)
{
    jmp_buf here;
    test_hook_counts.label = "none";
    if (setjmp(here) == 0) {
        violation_exit = &here;
        body();
    }
    violation_exit = NULL;
    port_unmask();
    if (strcmp(test_hook_counts.label, label) == 0) {
        passed++;
    } else {
        failed++;
        printf("%s:%d: label is %s, want %s\n", file, line, test_hook_counts.label, label);
    }
}

uint32_t test_in_use(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < sb_pool_classes(0); i++) {
        struct sb_pool_status status;
        EQUAL(sb_pool_status(0, i, &status), SB_OK);
        sum += status.in_use;
    }
    return sum;
}

/* ---- helpers */

void test_run_on(const char *name, void (*body)(void))
{
    union sb_signal *sig = sb_alloc(sizeof(struct run), SIG_RUN);
    sig->run.body = body;
    EQUAL(sb_send(&sig, sb_task_lookup(name)), SB_OK);
}

void test_helper(void)
{
    static const uint32_t selection[] = {1, SIG_RUN};
    for (;;) {
        union sb_signal *sig = sb_receive(selection);
        void (*body)(void) = sig->run.body;
        sb_free(&sig);
        if (body == NULL) {
            return;
        }
        body();
    }
}

void test_on_interrupt(const char *name, void (*body)(void))
{
    for (uint32_t i = 0; i < sizeof interrupt_bodies / sizeof *interrupt_bodies; i++) {
        if (strcmp(interrupt_bodies[i].name, name) == 0) {
            interrupt_bodies[i].body = body;
        }
    }
}

void test_interrupt(void)
{
    const char *name = sb_task_name(sb_self());
    for (uint32_t i = 0; i < sizeof interrupt_bodies / sizeof *interrupt_bodies; i++) {
        if (strcmp(interrupt_bodies[i].name, name) == 0 && interrupt_bodies[i].body != NULL) {
            interrupt_bodies[i].body();
        }
    }
}

void test_clock(void)
{
    EQUAL(sb_fsem_wait_timeout(0), SB_OK);
    sb_tick();
}

void test_pass(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        EQUAL(sb_fsem_signal(sb_task_lookup("clock")), SB_OK);
    }
}

static void wake_main(void)
{
    EQUAL(sb_fsem_signal(sb_task_lookup("main")), SB_OK);
}

void test_rest(void)
{
    test_run_on("floor", wake_main);
    sb_fsem_wait();
}

void test_main(void)
{
    static const struct {
        const char *name;
        void (*body)(void);
    } groups[] = {
        {"names", test_names},           {"real time", test_real_time},   {"scheduling", test_scheduling},
        {"tasks", test_tasks},           {"signals", test_signals},       {"time", test_time},
        {"pools", test_pools},           {"semaphores", test_semaphores}, {"locks", test_locks},
        {"services", test_services},     {"interrupts", test_interrupts}, {"hooks", test_hooks_and_end},
        {"violations", test_violations},
    };
    static const char *const levels[] = {"release", "hooks", "checked"};
    printf("kernel test, level %s\n", levels[SB_CFG_LEVEL]);
    for (uint32_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const uint32_t before = failed;
        groups[i].body();
        EQUAL(test_in_use(), 0);
        printf("%s %s\n", failed == before ? "ok  " : "FAIL", groups[i].name);
    }
    printf("%lu passed, %lu failed\n", (unsigned long)passed, (unsigned long)failed);
    port_finish(failed == 0 ? 0 : 1);
}
