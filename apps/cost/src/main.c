/* SPDX-License-Identifier: Apache-2.0 */
/* What calls of the kernel cost in cycles, warm: the least of several runs with interrupts masked outside of the calls that switch. */
#include <stdbool.h>
#include <stdio.h>

#include "config.h"
#include "signalbox/flags.h"
#include "signalbox/heap.h"
#include "signalbox/message_queue.h"
#include "signalbox/mutex.h"
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
static struct sb_mutex mutex;
static struct sb_flags flags;
static struct sb_mq queue;
static struct sb_heap heap;
static uint32_t message[4];
static void *block;

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

TIMED(mutex_lock, , SB_IGNORE(sb_mutex_lock(&mutex)), SB_IGNORE(sb_mutex_unlock(&mutex)))
TIMED(mutex_unlock, SB_IGNORE(sb_mutex_lock(&mutex)), SB_IGNORE(sb_mutex_unlock(&mutex)), )
TIMED(flags_set, , sb_flags_set(&flags, 1), )
TIMED(flags_wait, sb_flags_set(&flags, 1), SB_IGNORE(sb_flags_wait(&flags, 1, SB_FLAGS_ANY_CLEAR, 0, NULL)), )
TIMED(mq_send, , SB_IGNORE(sb_mq_send(&queue, message, 0)), SB_IGNORE(sb_mq_receive(&queue, message, 0)))
TIMED(mq_receive, SB_IGNORE(sb_mq_send(&queue, message, 0)), SB_IGNORE(sb_mq_receive(&queue, message, 0)), )
TIMED(heap_alloc, , block = sb_heap_alloc(&heap, 100), sb_heap_free(&heap, block))
TIMED(heap_free, block = sb_heap_alloc(&heap, 100), sb_heap_free(&heap, block), )
TIMED(stop_waiting, , SB_IGNORE(sb_task_stop(high)), SB_IGNORE(sb_task_start(high)))
TIMED(start_waiting, SB_IGNORE(sb_task_stop(high)), SB_IGNORE(sb_task_start(high)), )

/** Another task of the same level, whose only work is to yield: there and back is two switches. */
static uint32_t yield_twice(void)
{
    const uint32_t start = now();
    sb_yield();
    return now() - start;
}

void peer_task(void)
{
    for (;;) {
        sb_yield();
    }
}

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
    sb_mutex_init(&mutex, SB_MUTEX_INHERIT);
    sb_flags_init(&flags, 0);
    static uint32_t ring[8];
    static _Alignas(8) uint8_t memory[4096];
    if (sb_mq_init(&queue, ring, sizeof message, 2) != SB_OK ||
        sb_heap_init(&heap, memory, sizeof memory) != SB_OK) {
        port_finish(1);
    }
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
    report("mutex_lock, free", mutex_lock);
    report("mutex_unlock, nobody waits", mutex_unlock);
    report("flags_set, nobody waits", flags_set);
    report("flags_wait, set", flags_wait);
    report("mq_send of 16 bytes", mq_send);
    report("mq_receive of 16 bytes", mq_receive);
    report("heap_alloc of 100 bytes", heap_alloc);
    report("heap_free", heap_free);
    report("task_stop, waiting", stop_waiting);
    report("task_start, waiting", start_waiting);
    SB_IGNORE(sb_task_start(sb_task_lookup("peer")));
    report("two yields with a switch each", yield_twice);
    port_finish(0);
}
