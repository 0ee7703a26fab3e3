/* SPDX-License-Identifier: Apache-2.0 */
/* What calls of the kernel cost in cycles, warm: the least of several runs with interrupts masked outside of the calls that switch. */
#include <stdbool.h>
#include <stdio.h>

#include "config.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

#define RUNS 12u

union sb_signal {
    uint32_t signo;
    uint32_t words[8];
};

static const uint32_t any[] = {0};
static const uint32_t one[] = {1, 7};
static union sb_signal *sig;
static sb_addr self;
static sb_addr high;
static sb_addr isr;
static struct sb_sem sem;
static uint32_t begin;
static uint32_t end;
static bool by_fsem;

static inline uint32_t now(void)
{
    uint32_t cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles)::"memory");
    return cycles;
}

/** What measuring costs by itself. */
static uint32_t nothing(void)
{
    const uint32_t start = now();
    return now() - start;
}

static void report(const char *name, uint32_t (*body)(void))
{
    uint32_t least = ~0u;
    for (uint32_t i = 0; i < RUNS; i++) {
        const uint32_t cycles = body();
        least = cycles < least ? cycles : least;
    }
    printf("%-40s %5lu\n", name, (unsigned long)(least - nothing()));
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

TIMED(alloc_free_list, , sig = sb_alloc(32, 1), sb_free(&sig))
TIMED(free_signal, sig = sb_alloc(32, 1), sb_free(&sig), )
TIMED(send_self, sig = sb_alloc(32, 7), SB_IGNORE(sb_send(&sig, self)), sig = sb_receive(any); sb_free(&sig))
TIMED(receive_any, sig = sb_alloc(32, 7);
      SB_IGNORE(sb_send(&sig, self)), sig = sb_receive(any), sb_free(&sig))
TIMED(receive_one, sig = sb_alloc(32, 7);
      SB_IGNORE(sb_send(&sig, self)), sig = sb_receive(one), sb_free(&sig))
TIMED(fsem_signal_self, , SB_IGNORE(sb_fsem_signal(self)), sb_fsem_wait())
TIMED(fsem_wait_signalled, SB_IGNORE(sb_fsem_signal(self)), sb_fsem_wait(), )
TIMED(sem_signal, , SB_IGNORE(sb_sem_signal(&sem)), sb_sem_wait(&sem))
TIMED(sem_wait, SB_IGNORE(sb_sem_signal(&sem)), sb_sem_wait(&sem), )
TIMED(send_to_isr, sig = sb_alloc(32, 7), SB_IGNORE(sb_send(&sig, isr)), )

static uint32_t send_switch_receive(void)
{
    sig = sb_alloc(32, 7);
    begin = now();
    SB_IGNORE(sb_send(&sig, high));
    return end - begin;
}

static uint32_t fsem_switch(void)
{
    begin = now();
    SB_IGNORE(sb_fsem_signal(high));
    return end - begin;
}

static uint32_t wait_timeout_expired(void)
{
    const uint32_t start = now();
    SB_IGNORE(sb_fsem_wait_timeout(0));
    return now() - start;
}

void high_task(void)
{
    for (;;) {
        if (!by_fsem) {
            union sb_signal *got = sb_receive(any);
            end = now();
            sb_free(&got);
        } else {
            sb_fsem_wait();
            end = now();
        }
    }
}

void isr_task(void)
{
    union sb_signal *got;
    while ((got = sb_receive_timeout(any, 0)) != NULL) {
        sb_free(&got);
    }
}

void main_task(void)
{
    self = sb_self();
    high = sb_task_lookup("high");
    isr = sb_task_lookup("isr");
    sb_sem_init(&sem, 0);
    report("alloc", alloc_free_list);
    report("free", free_signal);
    report("send without switch", send_self);
    report("receive of a queued signal", receive_any);
    report("receive one number", receive_one);
    report("fsem_signal without switch", fsem_signal_self);
    report("fsem_wait, signalled", fsem_wait_signalled);
    report("fsem_wait_timeout(0)", wait_timeout_expired);
    report("sem_signal without waiter", sem_signal);
    report("sem_wait, free", sem_wait);
    report("send to an interrupt task, to its end", send_to_isr);
    report("send + switch + receive", send_switch_receive);
    by_fsem = true;
    (void)send_switch_receive(); /* out of its receive */
    report("fsem_signal + switch + fsem_wait", fsem_switch);
    port_finish(0);
}
