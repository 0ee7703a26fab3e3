/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of words: a histogram, a prefix sum, a reversal. */
#include "cert.h"

static uint32_t table[64], line[256];

uint32_t cert_run(void)
{
    uint32_t seed = 17, sum = 0;
    CERT_MARK();
    for (uint32_t i = 0; i < 256; i++)
        line[i] = cert_random(&seed);
    for (uint32_t i = 0; i < 256; i++)
        table[line[i] & 63]++;
    for (uint32_t i = 1; i < 256; i++)
        line[i] += line[i - 1];
    for (uint32_t i = 0, k = 255; i < k; i++, k--) {
        const uint32_t t = line[i];
        line[i] = line[k];
        line[k] = t;
    }
    for (uint32_t i = 0; i < 64; i++)
        sum = sum * 3 + table[i];
    CERT_MARK();
    return sum ^ line[100];
}
