/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The same seeded sequence of requests for a pool and for a heap: random size, random lives, so random occupancy. Only the
 *  allocation is measured, after the same one has been made and undone: a line that is not in the cache would be the cache's cost and
 *  not the allocator's. Statistics of the caller: 10,000 figures go out as they are. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "config.h"
#include "signalbox/heap.h"
#include "signalbox/pool.h"
#include "signalbox/port.h"
#include "signalbox/signal.h"

#define LIVES 64u
#define REQUESTS_MAX 10000u
#define SIZE_MIN 4u
#define SIZE_MAX_ASKED 384u
#define HEAP_BYTES 32768u

union sb_signal {
    uint32_t signo;
    uint32_t words[96];
};

/** What the experiment reads: cycles of each allocation, and how many blocks were in use at it. */
struct {
    uint32_t requests;
    uint32_t clock_cost;
    uint16_t pool[REQUESTS_MAX];
    uint16_t heap[REQUESTS_MAX];
    uint16_t in_use[REQUESTS_MAX];
    uint16_t size[REQUESTS_MAX];
} results;

static _Alignas(8) uint8_t memory[HEAP_BYTES];
static struct sb_heap heap;
static uint32_t random_state;

/** xorshift32 (G. Marsaglia, "Xorshift RNGs", 2003). */
static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

struct life {
    union sb_signal *sig;
    void *block;
};

static struct life lives[LIVES];
static uint32_t living;

static void end_life(uint32_t i)
{
    sb_free(&lives[i].sig);
    sb_heap_free(&heap, lives[i].block);
    lives[i] = lives[--living];
}

/** Touch what the next allocation touches: first blocks of the class and the list are lines like any other. */
static void warm_pool(uint32_t size)
{
    union sb_signal *sig = sb_alloc_nil(size, 1);
    if (sig != NULL) {
        sb_free(&sig);
    }
}

static void warm_heap(uint32_t size)
{
    sb_heap_free(&heap, sb_heap_alloc(&heap, size));
}

void main_task(void)
{
    const uint32_t requests = sb_param_requests < REQUESTS_MAX ? sb_param_requests : REQUESTS_MAX;
    random_state = sb_param_seed != 0 ? sb_param_seed : 1;
    if (sb_heap_init(&heap, memory, sizeof memory) != SB_OK) {
        port_finish(1);
    }
    results.clock_cost = clock_cost();
    const uint32_t state = port_lock();
    uint32_t wanted = 0; /* how many shall live: wanders, so that every occupancy is met */
    for (uint32_t i = 0; i < requests;) {
        if (i % 64 == 0) {
            wanted = next_random() % LIVES;
        }
        while (living > wanted) {
            end_life(next_random() % living);
        }
        const uint32_t size = SIZE_MIN + next_random() % (SIZE_MAX_ASKED - SIZE_MIN + 1);
        warm_pool(size);
        uint32_t start = now();
        union sb_signal *sig = sb_alloc_nil(size, 1);
        const uint32_t pool_cycles = now() - start;
        warm_heap(size);
        start = now();
        void *block = sb_heap_alloc(&heap, size);
        const uint32_t heap_cycles = now() - start;
        results.in_use[i] = (uint16_t)living;
        if (sig == NULL || block == NULL) {
            /* The class is exhausted: not an allocation. */
            if (sig != NULL) {
                sb_free(&sig);
            }
            sb_heap_free(&heap, block);
            if (living > 0) {
                end_life(next_random() % living);
            }
            continue;
        }
        results.pool[i] = (uint16_t)(pool_cycles - results.clock_cost);
        results.heap[i] = (uint16_t)(heap_cycles - results.clock_cost);
        results.size[i] = (uint16_t)size;
        i++;
        lives[living++] = (struct life){sig, block};
    }
    port_unlock(state);
    results.requests = requests;
    printf("%lu requests\n", (unsigned long)requests);
    port_finish(0);
}
