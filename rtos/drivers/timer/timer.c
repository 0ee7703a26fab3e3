/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The core's timer: 64-bit COUNT and COMPARE, reached by 32-bit accesses; the line is high while COUNT >=
 *  COMPARE. */
#include "signalbox/timer.h"

#include "platform.h"

#define NEVER 0xffffffffu

uint64_t sb_timer_count(uint32_t core)
{
    const volatile uint32_t *count = (const volatile uint32_t *)(uintptr_t)SB_TIMER_COUNT(core);
    uint32_t high;
    uint32_t low;
    do {
        high = count[1];
        low = count[0];
    } while (high != count[1]);
    return (uint64_t)high << 32 | low;
}

/** First: an upper half that never matches. Then either half may change without an instant that nobody asked
 *  for. */
void sb_timer_set(uint32_t core, uint64_t at_count)
{
    volatile uint32_t *compare = (volatile uint32_t *)(uintptr_t)SB_TIMER_COMPARE(core);
    compare[1] = NEVER;
    compare[0] = (uint32_t)at_count;
    compare[1] = (uint32_t)(at_count >> 32);
}

void sb_timer_stop(uint32_t core)
{
    volatile uint32_t *compare = (volatile uint32_t *)(uintptr_t)SB_TIMER_COMPARE(core);
    compare[1] = NEVER;
    compare[0] = NEVER;
}
