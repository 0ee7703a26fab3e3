/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  How long a switch takes, and how long it takes from an interrupt to a task, with as many tasks as the parameter says; and
 *  the same with the interrupt at every cycle of a call, so at every boundary between two of its instructions.
 *
 *  The timer raises its line at an exact cycle. What its count reads when mcycle reads 0 is found once (`count_offset`), so that the
 *  instant of an interrupt is known on the clock that everything is measured with. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "clock.h"
#include "config.h"
#include "place.h"
#include "platform.h"
#include "signalbox/config_types.h"
#include "signalbox/mutex.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

#define RUNS 33u
#define WARM_UP 4u
#define SIGNO 7u
#define STACK_BYTES 256u
#define TASKS_MAX 256u
/** The placed ones and `boot`. */
#define OWN_TASKS 4u

/** From the setting of the timer to the call that is to be interrupted. */
#define LEAD 40u
/** Beyond the end of a call: the interrupt then comes after it. */
#define TAIL 80u

union sb_signal {
    uint32_t signo;
    uint32_t words[8];
};

static const uint32_t any[] = {0};

/** What measured paths touch. */
static struct {
    union sb_signal *sig;
    sb_addr self;
    sb_addr high;
    sb_addr peer;
    struct sb_sem sem;
    struct sb_mutex mutex;
    uint32_t count_offset;
    volatile uint32_t begin;
    volatile uint32_t end;
    volatile uint32_t at_isr;
    volatile uint32_t at_high;
    volatile bool by_signal;
    uint32_t cost;
} hot;

/** What the experiment reads. All in cycles, the clock's own cost taken off. */
struct worst {
    uint32_t alone; /**< the call, not interrupted */
    uint32_t with;  /**< the longest that it took with one interrupt in it, the woken task's run included */
    uint32_t isr;   /**< the longest from the line to the interrupt task */
    uint32_t task;  /**< the longest from the line to the task that it wakes */
    uint32_t instants; /**< at which the interrupt came */
};

#define CALLS 12u

struct {
    uint32_t tasks;
    uint32_t runs;
    uint32_t send_receive[RUNS];
    uint32_t yield[RUNS];
    uint32_t fsem_switch[RUNS];
    uint32_t isr[RUNS];
    uint32_t task[RUNS];
    uint32_t calls;
    struct worst worst[CALLS];
} results = {0, RUNS, {0}, {0}, {0}, {0}, {0}, CALLS, {{0}}};

/* ---- tasks that are only there */

static _Alignas(16) uint8_t stacks[TASKS_MAX][STACK_BYTES];
static struct sb_task_config configs[TASKS_MAX];
static char names[TASKS_MAX][4];

static void bystander(void)
{
    for (;;) {
        sb_fsem_wait();
    }
}

/** Every other one is ready, less urgent than all that is measured; the rest wait, at all priorities below the highest. */
static void create_bystanders(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        names[i][0] = 'b';
        names[i][1] = (char)('a' + i / 16);
        names[i][2] = (char)('a' + i % 16);
        const bool ready = i % 2 == 0;
        configs[i] = (struct sb_task_config){
            .name = names[i],
            .entry = bystander,
            .kind = SB_TASK_PRIORITY,
            .priority = (uint8_t)(ready ? 17 + i % 15 : 6 + i % 10),
            .irq = -1,
            .stack = stacks[i],
            .stack_bytes = STACK_BYTES,
        };
        sb_addr addr;
        if (sb_task_create(&configs[i], &addr) != SB_OK) {
            port_finish(2);
        }
    }
}

/* ---- who is woken */

void timer_isr(void)
{
    hot.at_isr = now();
    sb_timer_stop(0);
    SB_IGNORE(sb_fsem_signal(hot.high));
}

void high_task(void)
{
    for (;;) {
        if (hot.by_signal) {
            union sb_signal *got = sb_receive(any);
            hot.end = now();
            sb_free(&got);
        } else {
            sb_fsem_wait();
            hot.at_high = hot.end = now();
        }
    }
}

void peer_task(void)
{
    for (;;) {
        sb_yield();
        hot.end = now();
    }
}

/* ---- the timer's clock */

/** What COUNT reads when mcycle reads 0. Seen by waiting for a line that rises at a known count: of many phases, the one that
 *  is seen first is seen at once. */
static uint32_t find_offset(void)
{
    const uint32_t state = port_lock();
    uint32_t least = ~0u;
    for (uint32_t phase = 0; phase < 32; phase++) {
        const uint32_t at = (uint32_t)sb_timer_count(0) + 400 + phase;
        sb_timer_set(0, at);
        uint32_t pending;
        uint32_t seen;
        do {
            __asm__ volatile("csrr %0, mip\ncsrr %1, mcycle" : "=r"(pending), "=r"(seen)::"memory");
        } while ((pending & 1u << SB_TIMER_IRQ) == 0);
        /* mcycle is read a csr after mip. */
        const uint32_t late = seen - hot.cost - at;
        least = phase == 0 || (int32_t)(late - least) < 0 ? late : least;
    }
    sb_timer_stop(0);
    port_unlock(state);
    return 0u - least;
}

/** Let the line rise when mcycle is `at`. */
static inline void interrupt_at(uint32_t at)
{
    sb_timer_set(0, at + hot.count_offset);
}

/* ---- switches. The first runs warm the caches up; later ones write over them. */

static void switches(void)
{
    hot.by_signal = true;
    SB_IGNORE(sb_fsem_signal(hot.high));
    for (uint32_t i = 0; i < WARM_UP + RUNS; i++) {
        hot.sig = sb_alloc(32, SIGNO);
        hot.begin = now();
        SB_IGNORE(sb_send(&hot.sig, hot.high));
        results.send_receive[i % RUNS] = hot.end - hot.begin - hot.cost;
    }
    hot.by_signal = false;
    hot.sig = sb_alloc(32, SIGNO);
    SB_IGNORE(sb_send(&hot.sig, hot.high));
    for (uint32_t i = 0; i < WARM_UP + RUNS; i++) {
        hot.begin = now();
        SB_IGNORE(sb_fsem_signal(hot.high));
        results.fsem_switch[i % RUNS] = hot.end - hot.begin - hot.cost;
    }
    SB_IGNORE(sb_task_start(hot.peer));
    sb_yield(); /* from now on `peer` waits in its own yield */
    for (uint32_t i = 0; i < WARM_UP + RUNS; i++) {
        hot.begin = now();
        sb_yield();
        results.yield[i % RUNS] = hot.end - hot.begin - hot.cost;
    }
    SB_IGNORE(sb_task_stop(hot.peer));
}

static void interrupts(void)
{
    for (uint32_t i = 0; i < WARM_UP + RUNS; i++) {
        const uint32_t at = now() + 300 + i;
        interrupt_at(at);
        while ((int32_t)(now() - at) < 300) {
        }
        results.isr[i % RUNS] = hot.at_isr - at;
        results.task[i % RUNS] = hot.at_high - at - hot.cost; /* less the clock in the interrupt task */
    }
}

/* ---- an interrupt at every cycle of a call */

static void nothing(void)
{
}
static void do_alloc(void)
{
    hot.sig = sb_alloc(32, SIGNO);
}
static void do_free(void)
{
    sb_free(&hot.sig);
}
static void do_send(void)
{
    SB_IGNORE(sb_send(&hot.sig, hot.self));
}
static void do_receive(void)
{
    hot.sig = sb_receive(any);
}
static void do_fsem(void)
{
    SB_IGNORE(sb_fsem_signal(hot.self));
}
static void do_fsem_wait(void)
{
    sb_fsem_wait();
}
static void do_sem(void)
{
    SB_IGNORE(sb_sem_signal(&hot.sem));
}
static void do_sem_wait(void)
{
    sb_sem_wait(&hot.sem);
}
static void do_switch(void)
{
    SB_IGNORE(sb_fsem_signal(hot.high));
}
static void do_lock(void)
{
    SB_IGNORE(sb_mutex_lock(&hot.mutex));
}
static void do_unlock(void)
{
    SB_IGNORE(sb_mutex_unlock(&hot.mutex));
}
static void do_priority(void)
{
    SB_IGNORE(sb_task_priority_set(hot.self, 15));
    SB_IGNORE(sb_task_priority_set(hot.self, 16));
}
static void do_yield(void)
{
    sb_yield();
}
static void do_stop(void)
{
    SB_IGNORE(sb_task_stop(hot.high));
    SB_IGNORE(sb_task_start(hot.high));
}

static const struct {
    void (*before)(void);
    void (*call)(void);
    void (*after)(void);
} calls[CALLS] = {
    {nothing, do_alloc, do_free},     {do_alloc, do_free, nothing},     {do_alloc, do_send, do_receive},
    {nothing, do_fsem, do_fsem_wait}, {do_fsem, do_fsem_wait, nothing}, {nothing, do_sem, do_sem_wait},
    {nothing, do_switch, nothing},    {nothing, do_lock, do_unlock},    {do_lock, do_unlock, nothing},
    {nothing, do_priority, nothing},  {nothing, do_yield, nothing},     {nothing, do_stop, nothing},
};

static void empty_signal(void)
{
    if (hot.sig != NULL) {
        sb_free(&hot.sig);
    }
}

static uint32_t timed(uint32_t call)
{
    calls[call].before();
    const uint32_t start = now();
    calls[call].call();
    const uint32_t cycles = now() - start - hot.cost;
    calls[call].after();
    empty_signal();
    return cycles;
}

static uint32_t interrupted(uint32_t call, uint32_t instant, struct worst *worst)
{
    calls[call].before();
    const uint32_t at = now() + LEAD + instant;
    interrupt_at(at);
    const uint32_t start = now();
    calls[call].call();
    const uint32_t cycles = now() - start - hot.cost;
    while ((int32_t)(now() - at) < 400) {
    }
    const uint32_t isr = hot.at_isr - at;
    const uint32_t task = hot.at_high - at - hot.cost;
    worst->isr = isr > worst->isr ? isr : worst->isr;
    worst->task = task > worst->task ? task : worst->task;
    calls[call].after();
    empty_signal();
    return cycles;
}

static void worst_cases(void)
{
    for (uint32_t call = 0; call < CALLS; call++) {
        struct worst *worst = &results.worst[call];
        for (uint32_t i = 0; i < 4; i++) {
            worst->alone = timed(call);
            (void)interrupted(call, 0, worst);
        }
        worst->isr = 0;
        worst->task = 0;
        worst->instants = worst->alone + LEAD + TAIL;
        for (uint32_t instant = 0; instant < worst->instants; instant++) {
            const uint32_t cycles = interrupted(call, instant, worst);
            worst->with = cycles > worst->with ? cycles : worst->with;
        }
    }
}

/* ---- all of it */

static uint32_t least(const uint32_t *values)
{
    uint32_t found = ~0u;
    for (uint32_t i = 0; i < RUNS; i++) {
        found = values[i] < found ? values[i] : found;
    }
    return found;
}

static void print(void)
{
    printf("%lu tasks: send-switch-receive %lu, yield %lu, fsem %lu; interrupt to isr %lu, to task %lu\n",
           (unsigned long)results.tasks, (unsigned long)least(results.send_receive),
           (unsigned long)least(results.yield), (unsigned long)least(results.fsem_switch),
           (unsigned long)least(results.isr), (unsigned long)least(results.task));
    for (uint32_t i = 0; i < CALLS; i++) {
        const struct worst *w = &results.worst[i];
        printf("%2lu alone %4lu with %4lu, isr %4lu, task %4lu\n", (unsigned long)i, (unsigned long)w->alone,
               (unsigned long)w->with, (unsigned long)w->isr, (unsigned long)w->task);
    }
}

static void measure(void)
{
    hot.self = sb_self();
    sb_sem_init(&hot.sem, 0);
    sb_mutex_init(&hot.mutex, SB_MUTEX_INHERIT);
    hot.cost = clock_cost();
    hot.count_offset = find_offset();
    switches();
    interrupts();
    worst_cases();
    print();
    port_finish(0);
}

void boot_task(void)
{
    static struct sb_task_config own[3];
    hot.sig = sb_alloc(32, SIGNO);
    place_avoid(hot.sig, sizeof *hot.sig);
    sb_free(&hot.sig);
    place_avoid(&hot, sizeof hot);
    place_avoid_kernel();
    results.tasks = sb_param_tasks < OWN_TASKS ? OWN_TASKS : sb_param_tasks;
    hot.high = place_task(&own[0], "high", high_task, 5);
    sb_preemption_off(); /* nobody measures before all are there */
    const sb_addr main_addr = place_task(&own[1], "main", measure, 16);
    hot.peer = place_task(&own[2], "peer", peer_task, 16);
    SB_IGNORE(sb_task_stop(hot.peer));
    (void)main_addr;
    create_bystanders(results.tasks - OWN_TASKS);
    sb_preemption_on();
    for (;;) {
        sb_fsem_wait();
    }
}
