/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Rows 1.1 to 3.7 of tables A1 and A2 of osek-linx. Every row is a function that makes ready, measures one call, and clears
 *  away; a row makes ready, as far as it can, with what rows before it have measured, and never with its own call. First all
 *  rows are measured once, in their order, from cold caches: the published procedure (2.7.2). Then each is measured several
 *  times in a row.
 *
 *  Rows of chapter 2 swap to the task `high`, which stays in the call that the row ends: `high_waits_in` says in which. */
#include <stdbool.h>
#include <stdio.h>

#include "clock.h"
#include "config.h"
#include "place.h"
#include "platform.h"
#include "signalbox/pool.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

#define WARM_RUNS 9u
#define SIGNO 7u
#define OTHER_POOL 1u

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define IRQ_ENABLE 0x04u
#define IRQ_SET 0x0cu
#define IRQ_CLEAR 0x10u
#define PULSE_CLEAR 0x04u

union sb_signal {
    uint32_t signo;
    uint32_t words[8];
};

enum wait { RECEIVE, FSEM, SEM, STOPPED, SET_PRIORITY };

static const uint32_t any[] = {0};
static const uint32_t selected[] = {1, SIGNO};

/** What measured paths touch. */
static struct {
    union sb_signal *sig;
    sb_addr self;
    sb_addr high;
    sb_addr low;
    sb_addr blocked;
    sb_addr software;
    struct sb_sem *sem;
    struct sb_sem high_sem;
    volatile uint32_t sink;
    volatile uint32_t begin;
    volatile uint32_t end;
    volatile enum wait high_waits_in;
    volatile bool wakes_high;
} hot;

/** The value is wanted, and nothing is done with it. */
#define WANTED(value) __asm__ volatile("" ::"r"(value))

#define ROWS 47u

/** What the experiment reads. */
struct {
    uint32_t rows;
    uint32_t warm_runs;
    uint32_t clock_cost;
    uint32_t cold[ROWS];
    uint32_t warm[ROWS][WARM_RUNS];
} results = {ROWS, WARM_RUNS, 0, {0}, {{0}}};

/* ---- chapter 1: calls that do not swap */

#define ROW(name, before, call, after)         \
    static uint32_t name(void)                 \
    {                                          \
        before;                                \
        const uint32_t start = now();          \
        call;                                  \
        const uint32_t cycles = now() - start; \
        after;                                 \
        return cycles;                         \
    }

/* A block of the pool is cut when the free list is empty: each row from a pool has a size that no other takes. What it cuts
 * stays away until the row that wants it on the free list. */
static union sb_signal *cut[4][WARM_RUNS + 1];
static uint32_t cuts[4];

#define KEEP(i) (cut[i][cuts[i]++] = hot.sig)
#define GIVE_BACK(i)                 \
    while (cuts[i] > 0) {            \
        sb_free(&cut[i][--cuts[i]]); \
    }

ROW(alloc_pool, , hot.sig = sb_alloc(32, SIGNO), KEEP(0))
ROW(alloc_list, GIVE_BACK(0), hot.sig = sb_alloc(32, SIGNO), sb_free(&hot.sig))
ROW(alloc_nil_pool, , hot.sig = sb_alloc_nil(64, SIGNO), KEEP(1))
ROW(alloc_nil_list, GIVE_BACK(1), hot.sig = sb_alloc_nil(64, SIGNO), sb_free(&hot.sig))
ROW(s_alloc_pool, , hot.sig = sb_alloc_from(OTHER_POOL, 32, SIGNO), KEEP(2))
ROW(s_alloc_list, GIVE_BACK(2), hot.sig = sb_alloc_from(OTHER_POOL, 32, SIGNO), sb_free(&hot.sig))
ROW(s_alloc_nil_pool, , hot.sig = sb_alloc_from(OTHER_POOL, 64, SIGNO), KEEP(3))
ROW(s_alloc_nil_list, GIVE_BACK(3), hot.sig = sb_alloc_from(OTHER_POOL, 64, SIGNO), sb_free(&hot.sig))
ROW(free_buf, hot.sig = sb_alloc(32, SIGNO), sb_free(&hot.sig), )
/* The signals of both sends wait in the queue for the rows that receive. */
static uint32_t queued;
static void queue_one(void)
{
    if (queued == 0) {
        hot.sig = sb_alloc(32, SIGNO);
        SB_IGNORE(sb_send(&hot.sig, hot.self));
        queued++;
    }
    queued--;
}

static void unqueue(void)
{
    while (queued > 1) {
        hot.sig = sb_receive(any);
        sb_free(&hot.sig);
        queued--;
    }
}

ROW(send, hot.sig = sb_alloc(32, SIGNO), SB_IGNORE(sb_send(&hot.sig, hot.self)), queued++; unqueue())
ROW(send_w_s, hot.sig = sb_alloc(32, SIGNO), SB_IGNORE(sb_send_from(&hot.sig, hot.self, hot.high)), queued++)
ROW(receive, queue_one(), hot.sig = sb_receive(any), sb_free(&hot.sig))
ROW(receive_selected, queue_one(), hot.sig = sb_receive(selected), sb_free(&hot.sig))
ROW(receive_w_tmo, queue_one(), hot.sig = sb_receive_timeout(any, 10), sb_free(&hot.sig))
ROW(sender, hot.sig = sb_alloc(32, SIGNO), WANTED(sb_sender(hot.sig)), sb_free(&hot.sig))
ROW(restore, hot.sig = sb_alloc(32, SIGNO), sb_restore(hot.sig), sb_free(&hot.sig))
ROW(addressee, hot.sig = sb_alloc(32, SIGNO), WANTED(sb_addressee(hot.sig)), sb_free(&hot.sig))
ROW(get_ticks, , WANTED(sb_ticks()), )
ROW(current_process, , WANTED(sb_self()), )
ROW(sigsize, hot.sig = sb_alloc(32, SIGNO), WANTED(sb_size(hot.sig)), sb_free(&hot.sig))
ROW(set_fsem, , SB_IGNORE(sb_fsem_set(1)), )
ROW(wait_fsem, SB_IGNORE(sb_fsem_set(1)), sb_fsem_wait(), )
ROW(signal_fsem, , SB_IGNORE(sb_fsem_signal(hot.self)), )
ROW(get_fsem, , WANTED((uint32_t)sb_fsem_value(hot.self)), SB_IGNORE(sb_fsem_set(0)))
static void need_sem(int32_t count)
{
    if (hot.sem == NULL) {
        hot.sem = sb_sem_create(count);
    }
    hot.sem->count = count;
}

static void need_no_sem(void)
{
    if (hot.sem != NULL) {
        SB_IGNORE(sb_sem_delete(hot.sem));
    }
}

ROW(create_sem, need_no_sem(), hot.sem = sb_sem_create(1), )
ROW(wait_sem, need_sem(1), sb_sem_wait(hot.sem), )
ROW(signal_sem, need_sem(0), SB_IGNORE(sb_sem_signal(hot.sem)), )
ROW(get_sem, need_sem(1), WANTED((uint32_t)sb_sem_value(hot.sem)), )
ROW(kill_sem, need_sem(1), SB_IGNORE(sb_sem_delete(hot.sem)), hot.sem = NULL)
ROW(get_pri, , WANTED((uint32_t)sb_task_priority(hot.self)), )
ROW(set_pri, , SB_IGNORE(sb_task_priority_set(hot.self, 15)), SB_IGNORE(sb_task_priority_set(hot.self, 16)))

/* `low` sleeps in a delay. Woken it is ready and does not run before `main` lets it: what rows 1.34 to 1.36 need. */
static bool low_sleeps = true;

static void let_low_sleep(void)
{
    if (!low_sleeps) {
        SB_IGNORE(sb_task_priority_set(hot.self, 22));
        SB_IGNORE(sb_task_priority_set(hot.self, 16));
        low_sleeps = true;
    }
}

ROW(wake_up, let_low_sleep(), SB_IGNORE(sb_task_wake(hot.low)), low_sleeps = false)
ROW(reset_pool, , SB_IGNORE(sb_pool_reset(OTHER_POOL)), )

static uint32_t stop_ready(void)
{
    if (low_sleeps) {
        SB_IGNORE(sb_task_wake(hot.low));
        low_sleeps = false;
    }
    const uint32_t start = now();
    SB_IGNORE(sb_task_stop(hot.low));
    const uint32_t cycles = now() - start;
    SB_IGNORE(sb_task_start(hot.low));
    return cycles;
}

static bool blocked_stopped;
ROW(
    stop_blocked, if (blocked_stopped) { SB_IGNORE(sb_task_start(hot.blocked)); },
    SB_IGNORE(sb_task_stop(hot.blocked)), blocked_stopped = true)
ROW(
    start_blocked, if (!blocked_stopped) { SB_IGNORE(sb_task_stop(hot.blocked)); },
    SB_IGNORE(sb_task_start(hot.blocked)), blocked_stopped = false)

/* ---- chapter 2: from a call of `main` to the end of the call in which `high` waits */

#define SWAP(name, then, before, call) \
    static uint32_t name(void)         \
    {                                  \
        before;                        \
        hot.high_waits_in = then;      \
        hot.begin = now();             \
        call;                          \
        return hot.end - hot.begin;    \
    }

/* In which call `high` waits next: in that of the next row, or, while a row is repeated, in the same. */
static bool repeats;

SWAP(send_receive, repeats ? RECEIVE : FSEM, hot.sig = sb_alloc(32, SIGNO),
     SB_IGNORE(sb_send(&hot.sig, hot.high)))
SWAP(fsem_fsem, repeats ? FSEM : SEM, , SB_IGNORE(sb_fsem_signal(hot.high)))
SWAP(sem_sem, repeats ? SEM : STOPPED, , SB_IGNORE(sb_sem_signal(&hot.high_sem)))
SWAP(start_stop, repeats ? STOPPED : SET_PRIORITY, , SB_IGNORE(sb_task_start(hot.high)))
SWAP(set_pri_swap, repeats ? SET_PRIORITY : RECEIVE, , SB_IGNORE(sb_task_priority_set(hot.high, 5)))

void high_task(void)
{
    union sb_signal *got;
    for (;;) {
        switch (hot.high_waits_in) {
        case RECEIVE:
            got = sb_receive(any);
            hot.end = now();
            sb_free(&got);
            break;
        case FSEM:
            sb_fsem_wait();
            hot.end = now();
            break;
        case SEM:
            sb_sem_wait(&hot.high_sem);
            hot.end = now();
            break;
        case STOPPED:
            SB_IGNORE(sb_task_stop(hot.high));
            hot.end = now();
            break;
        case SET_PRIORITY:
            SB_IGNORE(sb_task_priority_set(hot.high, 20));
            hot.end = now();
            break;
        }
    }
}

void low_task(void)
{
    for (;;) {
        SB_IGNORE(sb_delay(1000000));
    }
}

void blocked_task(void)
{
    for (;;) {
        sb_fsem_wait();
    }
}

/* ---- chapter 3: interrupts. The line rises when the store behind `begin` has reached the device. */

static void raise_line(void)
{
    REGISTER(SB_IRQ_BLOCK_BASE(0) + IRQ_SET) = 1;
}

void line_isr(void)
{
    hot.end = now();
    REGISTER(SB_IRQ_BLOCK_BASE(0) + IRQ_CLEAR) = 1;
    if (hot.wakes_high) {
        SB_IGNORE(sb_fsem_signal(hot.high));
    }
}

void pulse_isr(void)
{
    hot.end = now();
    REGISTER(SB_PULSE_BASE(0) + PULSE_CLEAR) = 1;
}

void software_isr(void)
{
    hot.end = now();
    union sb_signal *got = sb_receive_timeout(any, 0);
    if (got != NULL) {
        sb_free(&got);
    }
    SB_IGNORE(sb_fsem_wait_timeout(0));
}

/** The device has been served and its line is low again when the read comes back: interrupted here at the latest. */
static void settle(void)
{
    hot.sink = REGISTER(SB_IRQ_BLOCK_BASE(0) + IRQ_ENABLE);
    hot.sink = REGISTER(SB_IRQ_BLOCK_BASE(0) + IRQ_ENABLE);
}

static uint32_t os_interrupt(void)
{
    hot.wakes_high = true;
    hot.high_waits_in = FSEM;
    hot.begin = now();
    raise_line();
    settle();
    hot.wakes_high = false;
    return hot.end - hot.begin;
}

#define INTERRUPT(name, call)       \
    static uint32_t name(void)      \
    {                               \
        hot.begin = now();          \
        call;                       \
        settle();                   \
        return hot.end - hot.begin; \
    }

INTERRUPT(send_wakeup, SB_IGNORE(sb_send(&hot.sig, hot.software)))
INTERRUPT(fsem_wakeup, SB_IGNORE(sb_fsem_signal(hot.software)))
INTERRUPT(small_context, REGISTER(SB_PULSE_BASE(0)) = 1)
INTERRUPT(big_context, raise_line())

static uint32_t send_wakeup_row(void)
{
    hot.sig = sb_alloc(32, SIGNO);
    return send_wakeup();
}

/** What the interrupt takes from the task that it interrupts. The accesses to the device, its body's among them, are measured apart
 *  and taken off. */
static uint32_t overhead(void)
{
    hot.begin = now();
    REGISTER(SB_IRQ_BLOCK_BASE(0) + IRQ_CLEAR) = 1;
    REGISTER(SB_IRQ_BLOCK_BASE(0) + IRQ_CLEAR) = 1;
    settle();
    const uint32_t device = now() - hot.begin;
    hot.begin = now();
    raise_line();
    settle();
    return now() - hot.begin - device + results.clock_cost;
}

/* ---- all of them */

struct row {
    const char *id;
    uint32_t (*measure)(void);
};

static const struct row rows[] = {
    {"1.1", alloc_pool},        {"1.2", alloc_list},     {"1.3", alloc_nil_pool},   {"1.4", alloc_nil_list},
    {"1.5", s_alloc_pool},      {"1.6", s_alloc_list},   {"1.7", s_alloc_nil_pool}, {"1.8", s_alloc_nil_list},
    {"1.9", free_buf},          {"1.10", send},          {"1.11", send_w_s},        {"1.12", receive},
    {"1.13", receive_selected}, {"1.14", receive_w_tmo}, {"1.15", sender},          {"1.16", restore},
    {"1.17", addressee},        {"1.18", get_ticks},     {"1.19", current_process}, {"1.20", sigsize},
    {"1.21", set_fsem},         {"1.22", wait_fsem},     {"1.23", signal_fsem},     {"1.24", get_fsem},
    {"1.25", create_sem},       {"1.26", wait_sem},      {"1.27", signal_sem},      {"1.28", get_sem},
    {"1.29", kill_sem},         {"1.30", get_pri},       {"1.31", set_pri},         {"1.32", wake_up},
    {"1.33", reset_pool},       {"1.34", stop_ready},    {"1.35", stop_blocked},    {"1.36", start_blocked},
    {"2.1", send_receive},      {"2.2", fsem_fsem},      {"2.3", sem_sem},          {"2.4", start_stop},
    {"2.5", set_pri_swap},      {"3.1", os_interrupt},   {"3.3", send_wakeup_row},  {"3.4", fsem_wakeup},
    {"3.5", overhead},          {"3.6", small_context},  {"3.7", big_context},
};

_Static_assert(sizeof rows / sizeof *rows == ROWS, "every row has a place in the results");

static void print(void)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t least = ~0u;
        for (uint32_t run = 0; run < WARM_RUNS; run++) {
            least = results.warm[i][run] < least ? results.warm[i][run] : least;
        }
        printf("%-5s %5lu cold %5lu warm\n", rows[i].id,
               (unsigned long)(results.cold[i] - results.clock_cost),
               (unsigned long)(least - results.clock_cost));
    }
}

/** Lines that start-up has left dirty are written back here and not in a row that happens to replace them. */
static void settle_caches(void)
{
    extern uint8_t image_begin[] __asm__("_start");
    extern uint8_t image_end[] __asm__("__node_end");
    port_cache_clean(image_begin, (uint32_t)(image_end - image_begin));
}

static void main_task(void)
{
    results.clock_cost = clock_cost();
    SB_IGNORE(sb_delay(1)); /* the others come to where they wait; a tick has just passed */
    settle_caches();
    for (uint32_t i = 0; i < ROWS; i++) {
        results.cold[i] = rows[i].measure();
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        SB_IGNORE(sb_delay(1));
        repeats = true;
        (void)rows[i].measure();
        for (uint32_t run = 0; run < WARM_RUNS; run++) {
            repeats = run + 1 < WARM_RUNS;
            results.warm[i][run] = rows[i].measure();
        }
    }
    print();
    port_finish(0);
}

void boot_task(void)
{
    static struct sb_task_config own[4];
    place_avoid(port_node()->config->pools[0].memory, 64);
    place_avoid(&hot, sizeof hot);
    place_avoid_kernel();
    sb_sem_init(&hot.high_sem, 0);
    REGISTER(SB_IRQ_BLOCK_BASE(0) + IRQ_ENABLE) = 1;
    hot.software = sb_task_lookup("software");
    hot.high = place_task(&own[0], "high", high_task, 5);
    sb_preemption_off(); /* nobody measures before all are there */
    hot.self = place_task(&own[1], "main", main_task, 16);
    hot.low = place_task(&own[2], "low", low_task, 20);
    hot.blocked = place_task(&own[3], "blocked", blocked_task, 21);
    sb_preemption_on();
    for (;;) {
        sb_fsem_wait();
    }
}
