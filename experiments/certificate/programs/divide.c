/* SPDX-License-Identifier: Apache-2.0 */
/* Divisions and remainders with operands of all sizes, zero and overflow included; numbers printed in decimal. */
#include "cert.h"

static char digits[16];

static uint32_t decimal(uint32_t v)
{
    uint32_t n = 0, sum = 0;
    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    while (n)
        sum = sum * 7 + (uint32_t)digits[--n];
    return sum;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

uint32_t cert_run(void)
{
    uint32_t seed = 77, sum = 0;
    volatile uint32_t none = 0;
    volatile int32_t least = INT32_MIN;
    CERT_MARK();
    for (uint32_t i = 0; i < 40; i++) {
        const uint32_t a = cert_random(&seed) >> (i & 31), b = cert_random(&seed) >> (31 - (i & 31));
        sum += decimal(a >> 4) + common_divisor(a, b);
        sum += (uint32_t)((int32_t)a / ((int32_t)b | 1)) + (uint32_t)((int32_t)b % ((int32_t)a | 1));
    }
#if defined(__riscv_div) || defined(__riscv_m)
    for (uint32_t i = 1; i < 9; i++) {
        uint32_t by_zero, remainder, overflow;
        __asm__ __volatile__("div %0, %1, %2" : "=r"(by_zero) : "r"(i), "r"(none));
        __asm__ __volatile__("remu %0, %1, %2" : "=r"(remainder) : "r"(i), "r"(none));
        __asm__ __volatile__("div %0, %1, %2" : "=r"(overflow) : "r"(least), "r"(-1));
        sum += by_zero + remainder + overflow;
    }
#endif
    CERT_MARK();
    return sum;
}
