/* SPDX-License-Identifier: Apache-2.0 */
/* Branches that no predictor foresees: each depends on a bit of a random number. */
#include <stdint.h>

#define STEP(bit)            \
    if (x & (1u << (bit))) { \
        sum += x >> 3;       \
    } else {                 \
        sum ^= x;            \
    }                        \
    __asm__ volatile("" : "+r"(sum))

uint32_t result;

void bench(uint32_t core)
{
    uint32_t x = 0x9e3779b9u + core;
    uint32_t sum = 0;
    for (;;) {
        for (uint32_t i = 0; i < 1000; i++) {
            /* xorshift32 (Marsaglia, 2003) */
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            STEP(2);
            STEP(9);
            STEP(17);
            STEP(30);
        }
        result = sum;
    }
}
