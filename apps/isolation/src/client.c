/* SPDX-License-Identifier: Apache-2.0 */
/* Measures, and tells `printer`. The same source in both systems. */
#include "numbers.h"

#include "signalbox/mutex.h"
#include "signalbox/pool.h"
#include "signalbox/sem.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

#define RUNS 12u

static const uint32_t any[] = {0};
static struct sb_sem sem;
static struct sb_mutex mutex;
static union sb_signal *sig;
static sb_addr here;
static sb_addr near;
static sb_addr far;
static uint32_t nothing;
static uint32_t pool;

static inline uint32_t now(void)
{
    return (uint32_t)sb_cycles();
}

static void report(uint32_t row, uint32_t (*body)(void))
{
    uint32_t least = ~0u;
    for (uint32_t i = 0; i < RUNS; i++) {
        const uint32_t cycles = body();
        least = cycles < least ? cycles : least;
    }
    sig = sb_alloc(sizeof(union sb_signal), SIG_ROW);
    sig->times.row = row;
    sig->times.cycles = row == 0 ? least : least - nothing;
    nothing = row == 0 ? least : nothing;
    SB_IGNORE(sb_send(&sig, sb_task_lookup("printer")));
}

#define TIMED(name, before, call, after)       \
    static uint32_t name(void)                 \
    {                                          \
        before;                                \
        const uint32_t start = now();          \
        call;                                  \
        const uint32_t cycles = now() - start; \
        after;                                 \
        return cycles;                         \
    }

TIMED(two_clocks, , , )
TIMED(self, , (void)sb_self(), )
TIMED(alloc, , sig = sb_alloc(16, 1), sb_free(&sig))
TIMED(free_, sig = sb_alloc(16, 1), sb_free(&sig), )
TIMED(send_self, sig = sb_alloc(16, 1), SB_IGNORE(sb_send(&sig, here)), sig = sb_receive(any); sb_free(&sig))
TIMED(receive, sig = sb_alloc(16, 1); SB_IGNORE(sb_send(&sig, here)), sig = sb_receive(any), sb_free(&sig))
TIMED(sem_pair, , SB_IGNORE(sb_sem_signal(&sem)); SB_IGNORE(sb_sem_wait_timeout(&sem, 0)), )
TIMED(mutex_pair, , SB_IGNORE(sb_mutex_lock(&mutex)); SB_IGNORE(sb_mutex_unlock(&mutex)), )
TIMED(yields, , sb_yield(), )

/** To a more urgent task and back: two sends, two switches, two receives. */
static uint32_t round_trip(sb_addr to)
{
    sig = sb_alloc_from(pool, 16, SIG_PING);
    const uint32_t start = now();
    SB_IGNORE(sb_send(&sig, to));
    sig = sb_receive(any);
    const uint32_t cycles = now() - start;
    sb_free(&sig);
    return cycles;
}

static uint32_t round_near(void)
{
    return round_trip(near);
}

static uint32_t round_far(void)
{
    return round_trip(far);
}

void client(void)
{
    here = sb_self();
    near = sb_task_lookup("near");
    far = sb_task_lookup("far");
    sb_sem_init(&sem, 0);
    sb_mutex_init(&mutex, SB_MUTEX_INHERIT);
    report(0, two_clocks);
    report(1, self);
    report(2, alloc);
    report(3, free_);
    report(4, send_self);
    report(5, receive);
    report(6, sem_pair);
    report(7, mutex_pair);
    report(8, yields);
    pool = (uint32_t)sb_pool_lookup("a");
    report(9, round_near);
    report(10, round_far);
    pool = (uint32_t)sb_pool_lookup("shared");
    report(11, round_far);
    sig = sb_alloc(sizeof(union sb_signal), SIG_ROW);
    sig->times.row = 12;
    SB_IGNORE(sb_send(&sig, sb_task_lookup("printer")));
}

void peer(void)
{
    for (;;) {
        sb_yield();
    }
}
