/* SPDX-License-Identifier: Apache-2.0 */
/* Trusted: lets the tasks of domain a do what they may not, looks at how each ends, and that nothing else has changed. */
#include "messages.h"

#include <stdio.h>
#include <string.h>

#include "config.h"
#include "signalbox/isolation.h"
#include "signalbox/mutex.h"
#include "signalbox/pool.h"
#include "signalbox/port.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

#define CALL 8u
#define HERE 0xffffffffu /* the report's address is the one that was given */

static const uint32_t answers[] = {1, SIG_ANSWER};
static uint32_t failures;
static uint32_t hooked;
static const char *hook_label;
static volatile uint32_t secret = 0x5ec2e7; /* the kernel's, for a domain */
static struct sb_mutex kernel_object;
extern uint8_t __sb_domain_b[];

static void error_hook(enum sb_err err, const char *label)
{
    hooked += err == SB_ERR_DENIED;
    hook_label = label;
}

#define EXPECT(got, want)                                                                           \
    do {                                                                                            \
        const uint32_t got_ = (uint32_t)(got);                                                      \
        const uint32_t want_ = (uint32_t)(want);                                                    \
        if (got_ != want_) {                                                                        \
            failures++;                                                                             \
            printf("%s:%d: %s is %#lx, want %#lx\n", __FILE__, __LINE__, #got, (unsigned long)got_, \
                   (unsigned long)want_);                                                           \
        }                                                                                           \
    } while (0)

struct trial {
    enum crime what;
    uint32_t cause;
    const char *label;
    uint32_t address; /* that the attacker is given */
    uint32_t reported;
};

/** Restart `name` and give it a job. It is less urgent: it runs while this task waits. */
static sb_addr ask(const char *name, sb_addr last, uint32_t what, uint32_t address, uint32_t value)
{
    sb_addr task = SB_ADDR_NONE;
    EXPECT(sb_task_restart(last, &task), SB_OK);
    while (sb_task_start(task) == SB_OK) { /* it is configured to wait for this */
    }
    EXPECT(sb_task_lookup(name), task);
    union sb_signal *sig = sb_alloc(sizeof(struct job), SIG_JOB);
    sig->job.what = what;
    sig->job.address = address;
    sig->job.value = value;
    EXPECT(sb_send(&sig, task), SB_OK);
    return task;
}

static uint32_t answer(uint32_t ticks)
{
    union sb_signal *sig = sb_receive_timeout(answers, ticks);
    const uint32_t value = sig != NULL ? sig->job.value : 0xaaaaaaaau;
    if (sig != NULL) {
        sb_free(&sig);
    }
    return value;
}

static uint32_t in_use(uint32_t pool)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < sb_pool_classes(pool); i++) {
        struct sb_pool_status status;
        EXPECT(sb_pool_status(pool, i, &status), SB_OK);
        sum += status.in_use;
    }
    return sum;
}

static sb_addr attacker_addr;

static void try_crimes(void)
{
    const uint32_t own = (uint32_t)(uintptr_t)&secret;
    const uint32_t node = (uint32_t)(uintptr_t)port_node();
    const uint32_t code = (uint32_t)(uintptr_t)sb_task_kill;
    const uint32_t theirs = (uint32_t)(uintptr_t)__sb_domain_b;
    const struct trial trials[] = {
        {READ_KERNEL, 5, "load access fault", own, HERE},
        {WRITE_KERNEL, 7, "store access fault", own, HERE},
        {READ_NEIGHBOUR, 5, "load access fault", theirs, HERE},
        {WRITE_NEIGHBOUR, 7, "store access fault", theirs + 256u, HERE},
        {READ_KERNEL_STACK, 5, "load access fault", (uint32_t)(uintptr_t)port_node()->current->stack, HERE},
        {JUMP_INTO_KERNEL, 1, "instruction access fault", code, HERE},
        {JUMP_INTO_OWN_DATA, 1, "instruction access fault", 0, 0},
        {WRITE_CODE, 7, "store access fault", (uint32_t)(uintptr_t)strlen, HERE},
        {WRITE_DEVICE, 7, "store access fault", 0x00100000, HERE},
        {READ_NOWHERE, 5, "load access fault", 0, 0x40000000},
        {OVERFLOW_STACK, 7, "stack overflow", 0, 0},
        {READ_CSR, 2, "illegal instruction", 0, 0},
        {WRITE_CSR, 2, "illegal instruction", 0, 0},
        {WRITE_PROTECTION, 2, "illegal instruction", 0, 0},
        {READ_CYCLE, 2, "illegal instruction", 0, 0},
        {DO_MRET, 2, "illegal instruction", 0, 0},
        {DO_WFI, 2, "illegal instruction", 0, 0},
        {DO_EBREAK, 3, "breakpoint", 0, 0},
        {CALL_UNKNOWN, CALL, "call-number", 0, 0},
        {CALL_NEGATIVE, CALL, "call-number", 0, 0},
        {SEND_NULL, CALL, "signal-pointer", 0, 0},
        {SEND_KERNEL_POINTER, CALL, "signal-pointer", node, HERE},
        {SEND_NO_SIGNAL, CALL, "signal-not-owned", 0, 0},
        {SEND_FORGED_NUMBER, CALL, "signal-not-owned", 0, 0},
        {FREE_TWICE, CALL, "signal-not-owned", 0, 0},
        {FREE_OVERWRITTEN_END, CALL, "signal-end-mark", 0, 0},
        {SIZE_OF_FOREIGN, CALL, "signal-pointer", theirs + 64u, HERE},
        {ALLOC_TOO_SMALL, CALL, "alloc-size", 0, 3},
        {ALLOC_TOO_LARGE, CALL, "alloc-exhausted", 0, 4096},
        {ALLOC_EXHAUSTED, CALL, "alloc-exhausted", 0, 100},
        {ALLOC_FOREIGN_POOL, CALL, "pool-unknown", 0, 2},
        {RECEIVE_KERNEL_LIST, CALL, "call-pointer", own, HERE},
        {RECEIVE_LONG_LIST, CALL, "call-selection", 0, 0},
        {PRINT_KERNEL, CALL, "call-text", own, HERE},
        {NAME_WITHOUT_END, CALL, "call-text", 0, 0},
        {RESULT_INTO_KERNEL, CALL, "call-pointer", own, HERE},
        {RESULT_INTO_CODE, CALL, "call-pointer", 0, 0},
        {SEM_WITHOUT_INIT, CALL, "object-unknown", 0, 0},
        {SEM_FORGED_NUMBER, CALL, "object-unknown", 0, 0},
        {SEM_IN_KERNEL, CALL, "call-pointer", (uint32_t)(uintptr_t)&kernel_object, HERE},
        {SEM_AS_MUTEX, CALL, "object-unknown", 0, 0},
        {UNLOCK_NOT_OWNED, CALL, "mutex-not-owned", 0, 0},
        {CEILING_TOO_URGENT, CALL, "mutex-ceiling", 0, 3},
        {QUEUE_IN_KERNEL, CALL, "call-pointer", own, HERE},
        {FATAL, CALL, "task-fatal", 0, 0},
        {TOO_MANY_OBJECTS, CALL, "object-too-many", 0, 0},
    };
    EXPECT(sizeof trials / sizeof *trials, CRIMES);
    for (uint32_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const struct trial *t = &trials[i];
        const bool needs_checks =
            t->what == FREE_OVERWRITTEN_END || t->what == UNLOCK_NOT_OWNED || t->what == OVERFLOW_STACK;
        if (needs_checks && SB_CFG_LEVEL < SB_LEVEL_CHECKED) {
            continue;
        }
        const uint32_t before = failures;
        const uint32_t count = sb_isolation_stopped(NULL);
        attacker_addr = ask("attacker", attacker_addr, t->what, t->address, 0);
        uint32_t said = 0xaaaaaaaau;
        for (uint32_t tick = 0; tick < 200 && sb_isolation_stopped(NULL) == count && said == 0xaaaaaaaau;
             tick++) {
            said = answer(1);
        }
        EXPECT(secret, 0x5ec2e7);
        if (said != 0xaaaaaaaau) {
            failures++;
            printf("crime %lu went through\n", (unsigned long)t->what);
            continue;
        }
        SB_IGNORE(sb_delay(1)); /* it ends after it is counted */
        struct sb_isolation_report report = {0};
        EXPECT(sb_isolation_stopped(&report), count + 1u);
        EXPECT(report.task, attacker_addr);
        EXPECT(sb_task_name(attacker_addr), NULL);
        EXPECT(report.cause, t->cause);
        EXPECT(strcmp(report.label, t->label), 0);
        if (SB_CFG_LEVEL >= SB_LEVEL_HOOKS) {
            EXPECT(strcmp(hook_label, t->label), 0);
            EXPECT(hooked, count + 1u);
        }
        EXPECT(strcmp(report.name, "attacker") | strcmp(report.domain, "a"), 0);
        if (t->reported != 0) {
            EXPECT(report.address, t->reported == HERE ? t->address : t->reported);
        }
        EXPECT(in_use(1) + in_use(2) + in_use(3), 0);
        if (failures != before) {
            printf("crime %lu: %s, cause %lu\n", (unsigned long)t->what, report.label,
                   (unsigned long)report.cause);
        }
    }
}

static void good(void)
{
    attacker_addr = ask("attacker", attacker_addr, CRIMES, 0, 0);
    EXPECT(answer(5000), 0);
    attacker_addr = ask("attacker", attacker_addr, CRIMES + 1, 0, 0);
    EXPECT(answer(5000), 101); /* copied, both ways */
    attacker_addr = ask("attacker", attacker_addr, CRIMES + 2, 0, 0);
    EXPECT(answer(5000), 100); /* the block itself */
    attacker_addr = ask("attacker", attacker_addr, CRIMES + 3, 0, 0);
    EXPECT(answer(5000), 6); /* pool b has four blocks */
    EXPECT(sb_isolation_refused(), 6);
    EXPECT(sb_isolation_stopped(NULL), 0);
    sb_addr task;
    EXPECT(sb_task_restart(sb_task_lookup("neighbour"), &task), SB_OK); /* its queue is freed with it */
    EXPECT(in_use(0) + in_use(1) + in_use(2) + in_use(3), 0);
}

/** The holder of a mutex dies of a fault: who waits gets it, and knows. */
static void inherit(void)
{
    attacker_addr = ask("attacker", attacker_addr, CRIMES + 4, (uint32_t)(uintptr_t)&secret, 0);
    EXPECT(answer(5000), -SB_ERR_ABANDONED);
}

static void fuzz(void)
{
    const uint32_t calls = sb_param_calls;
    uint32_t seed = sb_param_seed;
    uint32_t lives = 0;
    sb_addr fuzzer = sb_task_lookup("fuzzer");
    const sb_addr trusted = sb_task_lookup("trusted");
    printf("fuzz: seed %lu, %lu calls\n", (unsigned long)seed, (unsigned long)calls);
    for (uint32_t done = 0; done < calls; done += 20u) {
        seed = seed * 1664525u + 1013904223u;
        fuzzer = ask("fuzzer", fuzzer, 0, seed, 20);
        SB_IGNORE(sb_delay(2));
        lives++;
        union sb_signal *sig;
        while ((sig = sb_receive_timeout((const uint32_t[]){0}, 0)) != NULL) {
            sb_free(&sig); /* it may write to anybody */
        }
        EXPECT(secret, 0x5ec2e7);
        EXPECT(sb_task_lookup("trusted"), trusted);
    }
    /* Whatever lay around goes back with those who had it. */
    SB_IGNORE(sb_task_kill(fuzzer));
    static const char *const names[] = {"attacker", "partner", "neighbour", "beat"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        SB_IGNORE(sb_task_kill(sb_task_lookup(names[i])));
    }
    EXPECT(in_use(1) + in_use(2) + in_use(3), 0);
    printf("fuzz: %lu lives, %lu ended\n", (unsigned long)lives, (unsigned long)sb_isolation_stopped(NULL));
}

void supervisor(void)
{
    static const struct sb_hooks hooks = {.error = error_hook};
    sb_hooks_set(&hooks);
    attacker_addr = sb_task_lookup("attacker");
    SB_IGNORE(sb_delay(12));
    good();
    try_crimes();
    inherit();
    if (sb_param_calls != 0) {
        fuzz();
    }
    printf("isolation: %lu failures, %lu ended\n", (unsigned long)failures,
           (unsigned long)sb_isolation_stopped(NULL));
    port_finish(failures != 0);
}

/** Bystander: loses nothing. */
void trusted(void)
{
    for (;;) {
        union sb_signal *sig = sb_receive((const uint32_t[]){0});
        sb_free(&sig);
    }
}
