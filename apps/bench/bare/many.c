/* SPDX-License-Identifier: Apache-2.0 */
/* Work for many cores. Whoever compiles this says how many there are (BENCH_CORES), how many of them work (BENCH_BUSY; the others sleep), where
 * each has words of its own (BENCH_DATA), and whether they miss the cache (BENCH_FAR: the address of memory that is read line by
 * line) or mostly hit it. */
#include <stdint.h>

#ifdef BENCH_FAR
/* One line in about 20 instructions, and each time another. */
static uint32_t work(volatile uint32_t *far, uint32_t sum)
{
    for (uint32_t line = 0; line < 2048; line++) {
        uint32_t value = far[line * 8];
        sum = (sum << 5) + sum + value;
        value = value >> 3 ^ sum;
        sum = (sum << 5) + sum + value;
        value = value >> 3 ^ sum;
        sum = (sum << 5) + sum + value;
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}
#define PLACE (uint32_t *)(uintptr_t)BENCH_FAR
#else
#define WORDS 2048u /* 8 KB, twice the data cache of de2-dual */

/* A checksum over the core's own words. */
static uint32_t work(uint32_t *words, uint32_t sum)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t value = words[i];
        sum = (sum << 1 | sum >> 31) ^ value;
        if (sum & 1u) {
            value += sum;
        }
        words[i] = value;
    }
    return sum;
}
#define PLACE (uint32_t *)(uintptr_t)BENCH_DATA
#endif

void bench(uint32_t core)
{
    while (core >= BENCH_BUSY) {
        __asm__ volatile("wfi");
    }
    uint32_t sum = core;
    for (;;) {
        sum = work(PLACE, sum);
        __asm__ volatile("" : "+r"(sum));
    }
}
