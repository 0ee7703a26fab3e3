/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications and divisions of corner cases and of pseudo-random numbers: their cycles, and their results against
   identities that need neither. An interrupt task does the same at odd times. */
#include <stdbool.h>
#include <stdio.h>

#include "config.h"
#include "platform.h"
#include "signalbox/port.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

#define RANDOM_PAIRS 40u
#define ACTIVATIONS 100u
#define CORNERS (sizeof corner / sizeof corner[0])

static const uint32_t corner[] = {0,          1,          2,          3,         7,
                                  0x7fff,     0x8000,     0xffff,     0x10000,   0x7fffffff,
                                  0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
static uint32_t seed = 1;
static uint32_t wrong;
static volatile uint32_t activations;

static inline uint32_t now(void)
{
    uint32_t cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles)::"memory");
    return cycles;
}

static uint32_t random_word(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

/** Neither the compiler nor its library may see what the operands are. */
static inline uint32_t opaque(uint32_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

static uint64_t slow_product(uint32_t a, uint32_t b)
{
    uint64_t sum = 0;
    for (uint64_t shifted = a; b != 0; shifted += shifted, b >>= 1) {
        sum += (b & 1u) != 0 ? shifted : 0;
    }
    return sum;
}

struct cost {
    uint32_t least;
    uint32_t most;
};

static struct cost product32;
static struct cost product64;
static struct cost quotient;
static struct cost remainder_of;
static struct cost signed_quotient;

static void note(struct cost *cost, uint32_t cycles)
{
    cost->least = cost->most == 0 || cycles < cost->least ? cycles : cost->least;
    cost->most = cycles > cost->most ? cycles : cost->most;
}

static inline void must(bool holds)
{
    wrong += holds ? 0 : 1;
}

#define TIMED(cost, type, name, expression) \
    const uint32_t begin_##name = now();    \
    const type name = (expression);         \
    note(cost, now() - begin_##name)

/** All operations on a pair. With `measured` their cycles count. */
static void pair(uint32_t first, uint32_t second, bool measured)
{
    static struct cost nowhere;
    const uint32_t a = opaque(first);
    const uint32_t b = opaque(second);
    TIMED(measured ? &product32 : &nowhere, uint32_t, low, a * b);
    TIMED(measured ? &product64 : &nowhere, uint64_t, wide, (uint64_t)a * b);
    must(wide == slow_product(a, b));
    must(low == (uint32_t)wide);
    const int64_t wide_signed = (int64_t)(int32_t)a * (int32_t)b;
    const uint32_t high = (uint32_t)(wide >> 32) - ((a >> 31) != 0 ? b : 0) - ((b >> 31) != 0 ? a : 0);
    must((uint32_t)((uint64_t)wide_signed >> 32) == high);
    if (b == 0) {
        return; /* C leaves it open */
    }
    TIMED(measured ? &quotient : &nowhere, uint32_t, q, a / b);
    TIMED(measured ? &remainder_of : &nowhere, uint32_t, r, a % b);
    must(r < b && slow_product(q, b) + r == a);
    if (a == 0x80000000u && b == 0xffffffffu) {
        return; /* and this */
    }
    TIMED(measured ? &signed_quotient : &nowhere, int32_t, sq, (int32_t)a / (int32_t)b);
    const int32_t sr = (int32_t)a % (int32_t)b;
    must((uint32_t)slow_product((uint32_t)sq, b) + (uint32_t)sr == a);
    must(sr == 0 || (sr < 0) == ((int32_t)a < 0));
}

static void show(const char *name, const struct cost *cost, uint32_t nothing)
{
    printf("%-24s %5lu %5lu\n", name, (unsigned long)(cost->least - nothing),
           (unsigned long)(cost->most - nothing));
}

/** In the middle of the task's pairs, at odd times. */
void isr_task(void)
{
    activations++;
    pair(random_word(), activations, false);
    if (activations < ACTIVATIONS) {
        sb_timer_set(port_core(), sb_timer_count(port_core()) + 500u + (random_word() & 0xfffu));
    } else {
        sb_timer_stop(port_core());
    }
}

void main_task(void)
{
    const uint32_t start = now();
    const uint32_t nothing = now() - start;
    for (uint32_t i = 0; i < CORNERS; i++) {
        for (uint32_t k = 0; k < CORNERS; k++) {
            pair(corner[i], corner[k], true);
        }
    }
    for (uint32_t i = 0; i < RANDOM_PAIRS; i++) {
        pair(random_word(), random_word() >> (i & 31u), true);
    }
    sb_timer_set(port_core(), sb_timer_count(port_core()) + 500u);
    while (activations < ACTIVATIONS) {
        pair(opaque(0x9e3779b9u), opaque(activations), false);
    }
    printf("cycles of                least  most\n");
    show("32 = 32 * 32", &product32, nothing);
    show("64 = 32 * 32", &product64, nothing);
    show("unsigned division", &quotient, nothing);
    show("unsigned remainder", &remainder_of, nothing);
    show("signed division", &signed_quotient, nothing);
    printf("%lu wrong, %lu activations\n", (unsigned long)wrong, (unsigned long)activations);
    port_finish(wrong == 0 && activations == ACTIVATIONS ? 0 : 1);
}
