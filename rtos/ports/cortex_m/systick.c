/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  A timer of 64 bits with compare (timer.h) from SysTick, which counts 24 bits down: time is a sequence of segments, each
 *  LOAD + 1 cycles long. `base` is the count at which the running one began.
 *
 *      VAL   3 2 1 0 7 6 5 4 3 2 1 0 7       COUNTFLAG rises, and SysTick interrupts, where VAL becomes 0
 *      count         base+0 1 2 ...          so VAL 0 is the first cycle of a segment, LOAD the second
 *
 *  COUNTFLAG goes with the reading of CSR, which is in `fold` alone. So it does not matter when the exception is taken.
 *
 *  An instant behind the end of the running segment needs only a new LOAD, for the next one: that is exact, and a tick, whose
 *  segments are all alike, writes nothing. An instant before it means to begin a new segment now by a write to VAL; the
 *  cycles between reading and writing are taken as SETUP_CYCLES, which is right without wait states and otherwise a few
 *  cycles too little for each such setting. */
#include "systick.h"

#include "platform.h"
#include "registers.h"
#include "signalbox/port.h"
#include "signalbox/timer.h"

#define SEGMENT_MAX 0x1000000u
/** Shorter segments would end before they are set up. */
#define SEGMENT_MIN 32u
#define SETUP_CYCLES 2u
#define NEVER UINT64_MAX

static uint64_t base;
static uint32_t segment; /* length of the running one */
static uint32_t reload;  /* of the next one: LOAD + 1 */
static uint64_t compare = NEVER;

/** Cycles of the running segment until now.   Context: masked */
static uint32_t fold(void)
{
    uint32_t value = SYST_CVR;
    if ((SYST_CSR & SYST_CSR_COUNTFLAG) != 0) {
        base += segment;
        segment = reload;
        value = SYST_CVR;
        return value == 0 ? 0 : segment - value;
    }
    /* 0 without the flag: it is about to rise. */
    return segment - value;
}

static uint64_t count(void)
{
    const uint32_t passed = fold();
    return base + passed;
}

/** End the running segment; this one and the next ones are so long. */
static void begin_segment(uint32_t cycles)
{
    const uint32_t passed = fold();
    SYST_RVR = cycles - 1u;
    const uint32_t left = SYST_CVR;
    SYST_CVR = 0;
    /* More is left than before: the segment has ended in between, a few cycles ago. */
    base += (left <= segment - passed ? segment - left : segment) + SETUP_CYCLES;
    segment = cycles;
    reload = cycles;
    while (SYST_CVR == 0) {
    }
}

/** The next segments are so long. If the running one is about to end, the hardware might take the old length for the next
 *  and this file the new one: then it ends now. */
static void set_reload(uint32_t cycles)
{
    if (reload == cycles) {
        return;
    }
    if (segment - fold() < SEGMENT_MIN) {
        begin_segment(cycles);
    } else {
        reload = cycles;
        SYST_RVR = cycles - 1u;
    }
}

static uint32_t clamp(uint64_t cycles)
{
    return cycles < SEGMENT_MIN ? SEGMENT_MIN : cycles > SEGMENT_MAX ? SEGMENT_MAX : (uint32_t)cycles;
}

/** A segment ends at `compare`, or on the way there. */
static void aim(void)
{
    const uint64_t now = count();
    const uint64_t end = base + segment;
    if (compare <= now) {
        ICSR = ICSR_PENDSTSET;
    } else if (compare < end) {
        begin_segment(clamp(compare - now));
    } else if (compare > end) {
        set_reload(clamp(compare - end));
    }
}

SB_COLD void sb_systick_start(void)
{
    segment = SEGMENT_MAX;
    reload = SEGMENT_MAX;
    SYST_RVR = SEGMENT_MAX - 1u;
    SYST_CVR = 0;
    SYST_CSR = SYST_CSR_ENABLE | SYST_CSR_TICKINT | SYST_CSR_CLKSOURCE;
    while (SYST_CVR == 0) {
    }
}

bool sb_systick_interrupt(void)
{
    if (count() >= compare) {
        return true;
    }
    if (compare != NEVER) {
        aim();
    }
    return false;
}

void sb_systick_again(void)
{
    if (count() >= compare) {
        ICSR = ICSR_PENDSTSET;
    }
}

uint64_t sb_timer_count(uint32_t core)
{
    (void)core;
    const uint32_t state = port_lock();
    const uint64_t now = count();
    port_unlock(state);
    return now;
}

void sb_timer_set(uint32_t core, uint64_t at_count)
{
    (void)core;
    const uint32_t state = port_lock();
    compare = at_count;
    ICSR = ICSR_PENDSTCLR;
    aim();
    port_unlock(state);
}

void sb_timer_stop(uint32_t core)
{
    (void)core;
    const uint32_t state = port_lock();
    compare = NEVER;
    set_reload(SEGMENT_MAX);
    port_unlock(state);
}

uint64_t port_cycles(void)
{
    return sb_timer_count(0);
}
