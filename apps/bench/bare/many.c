/* SPDX-License-Identifier: Apache-2.0 */
/* Work for many cores, chosen by `bench_kind`, which the one who builds this sets, as he does BENCH_CORES and BENCH_BUSY: each core
 * works in a place of its own, and those from BENCH_BUSY on sleep. */
#include <stdint.h>

#define WORDS 512u /* 2 KB for each core */

static uint32_t own[BENCH_CORES][WORDS];

/* About 20 instructions for each line read, and each line is another: the caches do not help. */
static uint32_t misses(volatile uint32_t *far, uint32_t sum)
{
    for (uint32_t line = 0; line < 2048; line++) {
        uint32_t value = far[line * 8];
        for (uint32_t i = 0; i < 4; i++) {
            sum = sum * 5 + value;
            value >>= 3;
        }
    }
    return sum;
}

/* A checksum over the core's own words, which its cache holds. */
static uint32_t hits(uint32_t *words, uint32_t sum)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t value = words[i];
        sum = (sum << 1 | sum >> 31) ^ value;
        if (sum & 1) {
            value += sum;
        }
        words[i] = value;
    }
    return sum;
}

void bench(uint32_t core)
{
    while (core >= BENCH_BUSY) {
        __asm__ volatile("wfi");
    }
    uint32_t sum = core;
    for (;;) {
        if (BENCH_MISSES) {
            /* Lines of the code's memory, which nobody writes. */
            sum = misses((volatile uint32_t *)BENCH_FAR, sum);
        } else {
            sum = hits(own[core], sum);
        }
        own[core][0] = sum;
    }
}
