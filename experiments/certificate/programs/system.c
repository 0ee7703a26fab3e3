/* SPDX-License-Identifier: Apache-2.0 */
/* Two cores: messages through shared memory with a doorbell for each direction, then a counter that both increment under a
 * hardware mutex. The first core makes the marks and prints. */
#include "cert.h"

#define CONSOLE (*(volatile uint8_t *)0x10000000)
#define DOORBELL(core) ((volatile uint32_t *)(0x10002000 + 0x10 * (core)))
#define MUTEX (*(volatile uint32_t *)0x10003000)
#define MESSAGES 24u
#define TURNS 40u
#define WORDS 40u

struct mailbox {
    uint32_t words;
    uint32_t data[WORDS];
};
static volatile struct mailbox box[2];
static volatile uint32_t rung[2], counter, turns_done;

/* The doorbell: clear it, and remember that it rang. */
__attribute__((interrupt("machine"), aligned(4), used)) void cert_interrupt(void)
{
    uint32_t me;
    __asm__ __volatile__("csrr %0, mhartid" : "=r"(me));
    DOORBELL(me)[1] = 1;
    rung[me]++;
}

static void enable(void)
{
    extern char _vector[];
    __asm__ __volatile__("csrw mtvec, %0" ::"r"((uint32_t)_vector | 1));
    __asm__ __volatile__("csrw mie, %0" ::"r"(1u << 16));
    __asm__ __volatile__("csrsi mstatus, 8");
}

/* Waits until the doorbell has rung `times` times. A ring between the look and wfi ends wfi at once, because it is pending. */
static void wait_for(uint32_t me, uint32_t times)
{
    for (;;) {
        __asm__ __volatile__("csrci mstatus, 8" ::: "memory");
        if (rung[me] >= times)
            break;
#ifdef CERT_POLLING
        __asm__ __volatile__("csrsi mstatus, 8\nnop\nnop\nnop\nnop" ::: "memory");
#else
        __asm__ __volatile__("wfi\ncsrsi mstatus, 8" ::: "memory");
#endif
    }
    __asm__ __volatile__("csrsi mstatus, 8" ::: "memory");
}

static void take(uint32_t me)
{
    do
        MUTEX = (me + 1) << 16 | 1;
    while (MUTEX >> 16 != me + 1 || (MUTEX & 0xffff) == 0);
}

static void give(uint32_t me)
{
    MUTEX = (me + 1) << 16;
}

static void take_turns(uint32_t me)
{
    for (uint32_t i = 0; i < TURNS; i++) {
        take(me);
        counter += me + 1;
        give(me);
        for (uint32_t k = 0; k < (i & 7) * (me + 1); k++)
            __asm__ __volatile__("nop");
    }
    take(me);
    turns_done++;
    give(me);
}

/* The second core answers each message with its words in reverse, each plus its place. */
__attribute__((noreturn, used)) void cert_second(void)
{
    enable();
    for (uint32_t n = 1; n <= MESSAGES; n++) {
        wait_for(1, n);
        const uint32_t words = box[0].words;
        for (uint32_t i = 0; i < words; i++)
            box[1].data[i] = box[0].data[words - 1 - i] + i;
        box[1].words = words;
        DOORBELL(0)[0] = 1;
    }
    take_turns(1);
    for (;;)
        __asm__ __volatile__("wfi");
}

static void print(uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        CONSOLE = (uint8_t) "0123456789abcdef"[(value >> shift) & 15];
    CONSOLE = '\n';
}

uint32_t cert_run(void)
{
    uint32_t seed = 1234, sum = 0;
    enable();
    CERT_MARK();
    for (uint32_t n = 1; n <= MESSAGES; n++) {
        const uint32_t words = 1 + n * 13 % WORDS;
        for (uint32_t i = 0; i < words; i++)
            box[0].data[i] = cert_random(&seed);
        box[0].words = words;
        DOORBELL(1)[0] = 1;
        wait_for(0, n);
        for (uint32_t i = 0; i < box[1].words; i++)
            sum = sum * 31 + box[1].data[i];
    }
    CERT_MARK();
    print(sum);
    CERT_MARK();
    take_turns(0);
    while (turns_done != 2) {
    }
    CERT_MARK();
    print(counter);
    return sum ^ counter;
}
