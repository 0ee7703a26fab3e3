/* SPDX-License-Identifier: Apache-2.0 */
/* One to eight harts: atomics, a lock of load-reserved and store-conditional, messages by msip, timers, and the UART's interrupt
 * routed to each hart. Hart 0 speaks; whatever the machine's speed, it says the same. */
#include "virt.h"

#define MOST 8
#define ROUNDS 500

static volatile uint32_t harts;
static volatile uint32_t arguments_wrong;

static volatile uint32_t added, swapped_in, locked, highest, lowest = 0xffffffffu, odd;
static volatile uint32_t lock_word;

static volatile uint32_t hops, last_hop;
static volatile uint32_t ticks[MOST];
static volatile uint32_t claimed[MOST];
static volatile uint32_t unexpected;

static volatile uint32_t arrived, phase;

static uint32_t fetch_add(volatile uint32_t *word, uint32_t value)
{
    return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
}

/* Nobody goes on before all have come. */
static void meet(void)
{
    uint32_t now = phase;
    if (fetch_add(&arrived, 1) + 1 == harts) {
        arrived = 0;
        __atomic_store_n(&phase, now + 1, __ATOMIC_RELEASE);
    } else {
        while (__atomic_load_n(&phase, __ATOMIC_ACQUIRE) == now) {
        }
    }
}

static void lock(void)
{
    uint32_t failed;
    do {
        uint32_t held;
        __asm__ volatile("lr.w.aq %0, (%2)\n"
                         "li %1, 1\n"
                         "bnez %0, 1f\n"
                         "sc.w %1, %3, (%2)\n"
                         "1:"
                         : "=&r"(held), "=&r"(failed)
                         : "r"(&lock_word), "r"(1)
                         : "memory");
    } while (failed != 0);
}

static void unlock(void)
{
    __atomic_store_n(&lock_word, 0, __ATOMIC_RELEASE);
}

static void shared_words(uint32_t hart)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        fetch_add(&added, hart + 1);
        lock();
        locked = locked + 1; /* two accesses that nothing but the lock holds together */
        unlock();
        __asm__ volatile("amomaxu.w zero, %0, (%1)" ::"r"(hart * ROUNDS + i), "r"(&highest) : "memory");
        __asm__ volatile("amominu.w zero, %0, (%1)" ::"r"(hart * ROUNDS + i + 5), "r"(&lowest) : "memory");
        __asm__ volatile("amoxor.w zero, %0, (%1)" ::"r"(1u << hart), "r"(&odd) : "memory");
    }
    uint32_t mine;
    __asm__ volatile("amoor.w %0, %1, (%2)" : "=r"(mine) : "r"(1u << hart), "r"(&swapped_in) : "memory");
}

/* With interrupts off, so that none is taken between the look at the word and the sleep; they are taken here. */
static void sleep_while_below(volatile uint32_t *word, uint32_t value)
{
    while (*word < value) {
        __asm__ volatile("wfi");
        set_csr(mstatus, MSTATUS_MIE);
        clear_csr(mstatus, MSTATUS_MIE);
    }
}

/* A message goes round: each hart that is interrupted interrupts the next one, twice round and back to hart 0. */
static void ring(uint32_t hart)
{
    set_csr(mie, MIE_MSIE);
    meet();
    if (hart == 0) {
        MSIP(1 % harts) = 1;
    }
    sleep_while_below(&hops, 2 * harts);
    clear_csr(mie, MIE_MSIE);
    meet();
}

static uint64_t mtime(void)
{
    uint32_t high, low;
    do {
        high = MTIME_HIGH;
        low = MTIME;
    } while (high != MTIME_HIGH);
    return (uint64_t)high << 32 | low;
}

static void arm(uint32_t hart)
{
    uint64_t at = mtime() + 200 + 50 * hart;
    MTIMECMP_HIGH(hart) = 0xffffffffu;
    MTIMECMP(hart) = (uint32_t)at;
    MTIMECMP_HIGH(hart) = (uint32_t)(at >> 32);
}

static void timers(uint32_t hart)
{
    arm(hart);
    set_csr(mie, MIE_MTIE);
    sleep_while_below(&ticks[hart], 3);
    clear_csr(mie, MIE_MTIE);
    meet();
}

/* The UART's transmitter-empty interrupt goes to one hart after the other. */
static void external(uint32_t hart)
{
    PLIC_THRESHOLD(hart) = 0;
    PLIC_ENABLE(hart) = 0;
    if (hart == 0) {
        PLIC_PRIORITY(SOURCE_UART) = 1;
    }
    set_csr(mie, MIE_MEIE);
    meet();
    for (uint32_t turn = 0; turn < harts; turn++) {
        if (turn == hart) {
            PLIC_ENABLE(hart) = 1u << SOURCE_UART;
            UART(1) = 2;
            sleep_while_below(&claimed[hart], 1);
            PLIC_ENABLE(hart) = 0;
        }
        meet();
    }
    clear_csr(mie, MIE_MEIE);
}

uint32_t handle(uint32_t cause, uint32_t pc)
{
    uint32_t hart = read_csr(mhartid);
    switch (cause) {
    case 0x80000003:
        MSIP(hart) = 0;
        if (hops == 2 * harts) {
            break; /* woken to see that it is over */
        }
        last_hop = hart;
        hops = hops + 1;
        for (uint32_t other = 0; other < harts; other++) {
            if (hops == 2 * harts ? other != hart : other == (hart + 1) % harts) {
                MSIP(other) = 1;
            }
        }
        break;
    case 0x80000007:
        ticks[hart] = ticks[hart] + 1;
        arm(hart);
        break;
    case 0x8000000b: {
        uint32_t source = PLIC_CLAIM(hart);
        if (source == SOURCE_UART) {
            UART(1) = 0; /* the line goes low */
            claimed[hart] = claimed[hart] + 1;
        } else {
            unexpected = source;
        }
        PLIC_CLAIM(hart) = source;
        break;
    }
    default:
        say("unexpected cause ");
        say_hex(cause);
        say(" at ");
        say_hex(pc);
        put('\n');
        finish(2);
    }
    return pc;
}

static void line(const char *what, uint32_t value)
{
    say(what);
    say_number(value);
    put('\n');
}

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* How many nodes cpu@N the device tree has: Devicetree Specification 0.4, chapter 5. */
static uint32_t cpus_of(const uint8_t *tree)
{
    const uint8_t *at = tree + big_endian(tree + 8);
    uint32_t count = 0;
    for (;;) {
        uint32_t token = big_endian(at);
        at += 4;
        if (token == 9) {
            return count;
        }
        if (token == 1) {
            count += at[0] == 'c' && at[1] == 'p' && at[2] == 'u' && at[3] == '@';
            while (*at++ != 0) {
            }
        } else if (token == 3) {
            at += 8 + big_endian(at);
        }
        at = (const uint8_t *)(((uint32_t)at + 3) & ~3u);
    }
}

int main(uint32_t a0, uint32_t a1)
{
    uint32_t hart = read_csr(mhartid);
    if (a0 != hart || *(volatile uint32_t *)a1 != 0xedfe0dd0u) { /* the magic number, big endian */
        fetch_add(&arguments_wrong, 1);
    }
    if (hart == 0) {
        uint32_t seen = cpus_of((const uint8_t *)a1);
        line("harts ", seen);
        harts = seen;
    } else {
        while (harts == 0) {
        }
    }
    meet();
    shared_words(hart);
    meet();
    if (hart == 0) {
        line("arguments wrong ", arguments_wrong);
        line("added ", added);
        line("locked ", locked);
        line("highest ", highest);
        line("lowest ", lowest);
        line("odd ", odd);
        line("or ", swapped_in);
    }
    ring(hart);
    if (hart == 0) {
        line("last hop ", last_hop);
    }
    timers(hart);
    if (hart == 0) {
        for (uint32_t i = 0; i < harts; i++) {
            line("ticks ", ticks[i] >= 3 ? 3 : ticks[i]);
        }
    }
    meet();
    external(hart);
    if (hart == 0) {
        for (uint32_t i = 0; i < harts; i++) {
            line("claimed ", claimed[i]);
        }
        line("unexpected ", unexpected);
        finish(0);
    }
    return 0;
}
