/* SPDX-License-Identifier: Apache-2.0 */
/* Work for many cores. Whoever compiles this says how many there are (BENCH_CORES), how many of them work (BENCH_BUSY; the others sleep), where
 * each has words of its own (BENCH_DATA), and whether they miss the cache (BENCH_FAR: the address of memory that is read line by
 * line) or mostly hit it. Tiles of a network (BENCH_NI: their interface; BENCH_SIDE: of the square mesh) have words of their own, too, and after
 * each turn over them send a packet to the neighbours in x and y and take what has come. */
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
#ifdef BENCH_NI
static uint32_t own[WORDS];
#define PLACE own
#else
#define PLACE (uint32_t *)(uintptr_t)BENCH_DATA
#endif
#endif

#ifdef BENCH_NI
#define FLITS 16u

/** Registers of the interface, in their order. */
struct ni {
    uint32_t head, data, last, status, tx_room, rx_packets, rx_length;
};

static uint32_t exchange(uint32_t core, uint32_t sum)
{
    volatile struct ni *ni = (volatile struct ni *)(uintptr_t)BENCH_NI;
    while (ni->rx_packets != 0) {
        for (uint32_t left = ni->rx_length; left > 0; left--) {
            sum += ni->data;
        }
    }
    const uint32_t x = core % BENCH_SIDE;
    const uint32_t y = core / BENCH_SIDE;
    const uint32_t to[2] = {(x + 1) % BENCH_SIDE << 8 | y, x << 8 | (y + 1) % BENCH_SIDE};
    for (uint32_t i = 0; i < 2 && ni->tx_room >= FLITS; i++) {
        ni->head = to[i];
        for (uint32_t flit = 2; flit < FLITS; flit++) {
            ni->data = sum + flit;
        }
        ni->last = sum;
    }
    return sum;
}
#else
static uint32_t exchange(uint32_t core, uint32_t sum)
{
    (void)core;
    return sum;
}
#endif

void bench(uint32_t core)
{
    while (core >= BENCH_BUSY) {
        __asm__ volatile("wfi");
    }
    uint32_t sum = core;
    for (;;) {
        sum = exchange(core, work(PLACE, sum));
        __asm__ volatile("" : "+r"(sum));
    }
}
