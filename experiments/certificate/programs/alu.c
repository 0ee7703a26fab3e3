/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic and logic in registers: three mixing functions and a carry-propagating sum. */
#include "cert.h"

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c)
{
    a = (a - b - c) ^ (c + 0x9e37u);
    b = (b - c - a) ^ (a | 0x55u);
    c = (c - a - b) ^ (b & 0x7ffu);
    return a + b + c + (a < b) + ((int32_t)b < (int32_t)c);
}

uint32_t cert_run(void)
{
    uint32_t sum = 1, low = 7, high = 0;
    CERT_MARK();
    for (uint32_t i = 0; i < 1000; i++) {
        sum = mix(sum, i, low);
        const uint32_t next = low + sum;
        high += next < low;
        low = next ^ high;
    }
    CERT_MARK();
    return sum ^ low ^ high;
}
