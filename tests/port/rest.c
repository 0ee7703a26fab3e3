/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Idle and wake, memory, doorbells, the counter of cycles. */
#include "suite.h"

#ifndef TEST_CYCLES_LATE /* a machine that others use too may be late */
#define TEST_CYCLES_LATE 100000u
#endif

/* ---- idle: no wake-up is lost, wherever the interrupt falls */

static volatile uint32_t woken;

static void wake_main(void)
{
    test_timer_lower();
    test_leave_for(TASK_MAIN);
    woken++;
}

void test_idle(void)
{
    /* Whoever sleeps through one sleeps for ever: the run's limit ends it. */
    port_irq_connect(SB_TIMER_IRQ, wake_main);
    for (uint32_t i = 0; i < TEST_SWEEP; i++) {
        const uint32_t state = port_lock();
        test_timer_raise(i);
        test_switch_to_idle();
        port_unlock(state);
        if (woken != i + 1) {
            EQUAL(woken, i + 1);
        }
    }
    EQUAL(woken, TEST_SWEEP);
    EQUAL(test_running(), TASK_MAIN);
    port_irq_connect(SB_TIMER_IRQ, NULL);
    test_group("idle");
}

/* ---- memory */

#define LINE (SB_CACHE_LINE_BYTES > 4 ? SB_CACHE_LINE_BYTES : 32)
#define WORDS (LINE / 4)

static _Alignas(64) volatile uint32_t area[4 * WORDS];

static void fill(volatile uint32_t *words, uint32_t count, uint32_t seed)
{
    for (uint32_t i = 0; i < count; i++) {
        words[i] = seed + i;
    }
}

static uint32_t differing(const volatile uint32_t *words, uint32_t count, uint32_t seed)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += words[i] != seed + i;
    }
    return sum;
}

void test_memory(void)
{
    volatile uint32_t *memory = port_uncached((void *)(uintptr_t)area);
    volatile uint32_t *middle = memory + WORDS;
    TRUE(port_cached((void *)(uintptr_t)memory) == (void *)(uintptr_t)area);
    TRUE(port_uncached(port_cached((void *)(uintptr_t)memory)) == (void *)(uintptr_t)memory);
    port_cache_flush((const void *)(uintptr_t)area, sizeof area);

    /* Who writes, cleans: memory has it. The cache keeps it. */
    fill(area, 4 * WORDS, 100);
    port_cache_clean((const void *)(uintptr_t)area, sizeof area);
    port_barrier();
    EQUAL(differing(memory, 4 * WORDS, 100), 0);
    EQUAL(differing(area, 4 * WORDS, 100), 0);

    /* Who reads, invalidates: the two lines in the middle, and nothing else. */
    fill(middle, 2 * WORDS, 500);
    port_barrier();
    port_cache_invalidate((const void *)(uintptr_t)(area + WORDS), 2 * LINE);
    EQUAL(differing(area + WORDS, 2 * WORDS, 500), 0);
    EQUAL(differing(area, WORDS, 100), 0);
    EQUAL(differing(area + 3 * WORDS, WORDS, 100 + 3 * WORDS), 0);

    /* Flush: what was written is in memory, and the next read is of memory. A range inside of lines takes them whole. */
    fill(area + WORDS, 2 * WORDS, 900);
    port_cache_flush((const void *)(uintptr_t)(area + WORDS + 1), LINE);
    port_barrier();
    EQUAL(differing(middle, 2 * WORDS, 900), 0);
    fill(middle, 2 * WORDS, 1300);
    port_barrier();
    EQUAL(differing(area + WORDS, 2 * WORDS, 1300), 0);

    /* Nothing to do. */
    port_cache_clean((const void *)(uintptr_t)area, 0);
    port_cache_flush((const void *)(uintptr_t)area, 0);
    port_cache_invalidate((const void *)(uintptr_t)area, 0);
    TRUE(port_core() < SB_CORES);
    TRUE(port_core() == port_core());
    test_group("memory");
}

/* ---- doorbells */

#if TEST_HAVE_DOORBELL

#include "signalbox/doorbell.h"

static volatile uint32_t bells;
static volatile uint32_t rings;

static void take_bells(void)
{
    bells = port_doorbell_take();
    rings++;
}

void test_doorbell(void)
{
    const uint32_t core = port_core();
    (void)port_doorbell_take();
    EQUAL(port_doorbell_pending(), 0);
    port_doorbell_ring(core, 3);
    port_doorbell_ring(core, 31);
    port_doorbell_ring(core, 3);
    EQUAL(port_doorbell_pending(), 1u << 3 | 1u << 31);
    port_irq_connect(TEST_DOORBELL_LINE, take_bells); /* it waits */
    WAIT_FOR(rings == 1);
    EQUAL(bells, 1u << 3 | 1u << 31);
    EQUAL(port_doorbell_pending(), 0);
    for (uint32_t i = 0; i < 32; i++) {
        port_doorbell_ring(core, i);
        WAIT_FOR(rings == 2 + i);
        EQUAL(bells, 1u << i);
    }
    test_linger();
    EQUAL(rings, 33);
    port_irq_connect(TEST_DOORBELL_LINE, NULL);
    test_group("doorbell");
}

#else

void test_doorbell(void)
{
}

#endif

/* ---- cycles */

void test_cycles(void)
{
    uint64_t last = port_cycles();
    uint32_t backwards = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const uint64_t now = port_cycles();
        backwards += now < last;
        last = now;
    }
    EQUAL(backwards, 0);

    /* Past whatever the hardware counts in one register. */
    if (!test_cycles_near_wrap()) {
        test_group("cycles (not past the register: this machine cannot show it)");
        return;
    }
    const uint64_t start = port_cycles();
    const uint64_t end = start + TEST_CYCLES_SPAN;
    const uint64_t timer = sb_timer_count(port_core());
    last = start;
    do {
        const uint64_t now = port_cycles();
        backwards += now < last;
        last = now;
    } while (last < end && sb_timer_count(port_core()) - timer < SB_TIMER_HZ);
    EQUAL(backwards, 0);
    TRUE(last >= end);
    TRUE(last < end + TEST_CYCLES_LATE);
    test_group("cycles");
}
