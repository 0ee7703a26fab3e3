/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Three ways to the handler of one of 32 sources on one line (osek-linx 2.6.1, 2.8.2.2): how many cycles the search for the lowest
 *  set bit takes alone, and how many it is from the store that raises the source to the handler. The entries are in entries.S;
 *  the kernel's own is put back at the end. All caches are warm: each source is raised several times, the last time counts. */
#include <stdio.h>

#include "clock.h"
#include "config.h"
#include "platform.h"
#include "signalbox/port.h"

#define SOURCES 32u
#define DISPATCHERS 3u
#define TIMES 4u

#define REGISTER(offset) (*(volatile uint32_t *)(uintptr_t)(SB_IRQ_BLOCK_BASE(0) + (offset)))
#define ENABLE 0x04u
#define SET 0x0cu
#define CLEAR 0x10u
#define HANDLER_OF(source) (0x80u + 4u * (source))

void dispatch_halves(void);
void dispatch_loopless(void);
void dispatch_hardware(void);
uint32_t dispatch_by_halves(uint32_t pending);
uint32_t dispatch_without_loop(uint32_t pending);

/** What the experiment reads, in cycles. */
struct {
    uint32_t clock_cost;
    uint32_t search[2][SOURCES];            /**< by halves, without a loop */
    uint32_t latency[DISPATCHERS][SOURCES]; /**< by halves, without a loop, hardware */
} results;

static volatile uint32_t at_handler;
static volatile uint32_t served;

/* One handler a source, all alike: the number of the source follows from who is called. */
#define HANDLER(n)                   \
    static void handler_##n(void)    \
    {                                \
        at_handler = now();          \
        served = (n);                \
        REGISTER(CLEAR) = 1u << (n); \
    }
#define HANDLERS(a, b, c, d, e, f, g, h) \
    HANDLER(a) HANDLER(b) HANDLER(c) HANDLER(d) HANDLER(e) HANDLER(f) HANDLER(g) HANDLER(h)
HANDLERS(0, 1, 2, 3, 4, 5, 6, 7)
HANDLERS(8, 9, 10, 11, 12, 13, 14, 15)
HANDLERS(16, 17, 18, 19, 20, 21, 22, 23)
HANDLERS(24, 25, 26, 27, 28, 29, 30, 31)

void (*const dispatch_table[SOURCES])(void) = {
    handler_0,  handler_1,  handler_2,  handler_3,  handler_4,  handler_5,  handler_6,  handler_7,
    handler_8,  handler_9,  handler_10, handler_11, handler_12, handler_13, handler_14, handler_15,
    handler_16, handler_17, handler_18, handler_19, handler_20, handler_21, handler_22, handler_23,
    handler_24, handler_25, handler_26, handler_27, handler_28, handler_29, handler_30, handler_31,
};

/** Number of the lowest set bit: which half is it in, which quarter, ... */
uint32_t dispatch_by_halves(uint32_t pending)
{
    uint32_t number = 0;
    if ((pending & 0xffffu) == 0) {
        number += 16;
        pending >>= 16;
    }
    if ((pending & 0xffu) == 0) {
        number += 8;
        pending >>= 8;
    }
    if ((pending & 0xfu) == 0) {
        number += 4;
        pending >>= 4;
    }
    if ((pending & 0x3u) == 0) {
        number += 2;
        pending >>= 2;
    }
    if ((pending & 0x1u) == 0) {
        number += 1;
    }
    return number;
}

/** The lowest bit alone, times a number in which every window of five bits is another one. */
uint32_t dispatch_without_loop(uint32_t pending)
{
    static const uint8_t position[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                         31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};
    return position[(pending & -pending) * 0x077cb531u >> 27];
}

static void set_vector(void (*entry)(void))
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(entry) : "memory");
}

static uint32_t search_cycles(uint32_t (*search)(uint32_t), uint32_t source)
{
    const uint32_t start = now();
    const uint32_t found = search(1u << source);
    const uint32_t cycles = now() - start - results.clock_cost;
    if (found != source) {
        port_finish(1);
    }
    return cycles;
}

static uint32_t latency_cycles(uint32_t source)
{
    served = SOURCES;
    const uint32_t start = now();
    REGISTER(SET) = 1u << source;
    while (served == SOURCES) {
    }
    if (served != source) {
        port_finish(2);
    }
    return at_handler - start - results.clock_cost;
}

void main_task(void)
{
    uint32_t kernel_vector;
    __asm__ volatile("csrr %0, mtvec" : "=r"(kernel_vector));
    results.clock_cost = clock_cost();
    for (uint32_t source = 0; source < SOURCES; source++) {
        REGISTER(HANDLER_OF(source)) = (uint32_t)(uintptr_t)dispatch_table[source];
    }
    for (uint32_t time = 0; time < TIMES; time++) {
        for (uint32_t source = 0; source < SOURCES; source++) {
            results.search[0][source] = search_cycles(dispatch_by_halves, source);
            results.search[1][source] = search_cycles(dispatch_without_loop, source);
        }
    }

    static void (*const entries[DISPATCHERS])(void) = {dispatch_halves, dispatch_loopless, dispatch_hardware};
    const uint32_t line = 1u << SB_IRQ_BLOCK_IRQ;
    REGISTER(ENABLE) = 0xffffffffu;
    for (uint32_t d = 0; d < DISPATCHERS; d++) {
        const uint32_t state = port_lock();
        set_vector(entries[d]);
        __asm__ volatile("csrs mie, %0" ::"r"(line) : "memory");
        port_unlock(state);
        for (uint32_t time = 0; time < TIMES; time++) {
            for (uint32_t source = 0; source < SOURCES; source++) {
                results.latency[d][source] = latency_cycles(source);
            }
        }
    }
    __asm__ volatile("csrc mie, %0\ncsrw mtvec, %1" ::"r"(line), "r"(kernel_vector) : "memory");

    for (uint32_t d = 0; d < DISPATCHERS; d++) {
        uint32_t sum = 0;
        for (uint32_t source = 0; source < SOURCES; source++) {
            sum += results.latency[d][source];
        }
        printf("dispatcher %lu: mean latency %lu\n", (unsigned long)d, (unsigned long)(sum / SOURCES));
    }
    uint32_t sum = 0;
    uint32_t most = 0;
    for (uint32_t source = 0; source < SOURCES; source++) {
        sum += results.search[0][source];
        most = results.search[0][source] > most ? results.search[0][source] : most;
    }
    printf("by halves: mean %lu, max %lu\n", (unsigned long)(sum / SOURCES), (unsigned long)most);
    port_finish(0);
}
