/* SPDX-License-Identifier: Apache-2.0 */
/* Shifts of all kinds and all amounts, by constants and by registers. */
#include "cert.h"

static uint32_t rotate(uint32_t x, uint32_t n)
{
    return x << (n & 31) | x >> (-n & 31);
}

uint32_t cert_run(void)
{
    uint32_t x = 0x12345678, sum = 0;
    CERT_MARK();
    for (uint32_t i = 0; i < 500; i++) {
        x = rotate(x, i) + (x << 3) + (x >> 11);
        sum += (uint32_t)((int32_t)x >> (i & 31)) ^ (x >> 17) ^ (x << 1);
    }
    CERT_MARK();
    return x ^ sum;
}
