/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CALLS_CLOCK_H
#define CALLS_CLOCK_H
/** @file
 *  Cycles, and what reading them costs. */
#include <stdint.h>

/** Nothing moves across it: what is between two of them is what is measured. */
static inline uint32_t now(void)
{
    uint32_t cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles)::"memory");
    return cycles;
}

/** Two readings with nothing between them: the least of several, whose line is in the cache. */
static inline uint32_t clock_cost(void)
{
    uint32_t least = ~0u;
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t start = now();
        const uint32_t cost = now() - start;
        least = cost < least ? cost : least;
    }
    return least;
}

#endif
