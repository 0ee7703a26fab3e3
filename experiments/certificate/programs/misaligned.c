/* SPDX-License-Identifier: Apache-2.0 */
/* Words and halfwords at odd addresses, within a word and across two. Only for cores that make such accesses. */
#include "cert.h"

static uint8_t bytes[256];

uint32_t cert_run(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 31);
    CERT_MARK();
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t word, half;
        __asm__ __volatile__("lw %0, 0(%1)" : "=r"(word) : "r"(bytes + i) : "memory");
        __asm__ __volatile__("lhu %0, 9(%1)" : "=r"(half) : "r"(bytes + i) : "memory");
        sum += word ^ half;
        __asm__ __volatile__("sw %0, 21(%1)" ::"r"(sum), "r"(bytes + i) : "memory");
        __asm__ __volatile__("sh %0, 6(%1)" ::"r"(half), "r"(bytes + i) : "memory");
    }
    CERT_MARK();
    return sum;
}
