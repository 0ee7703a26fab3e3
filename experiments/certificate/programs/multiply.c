/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications, low and high halves, signed and unsigned: a filter in fixed point and a 64-bit generator. */
#include "cert.h"

static int32_t taps[16], history[16];

uint32_t cert_run(void)
{
    uint32_t seed = 21;
    uint64_t state = 0x853c49e6748fea9bull;
    for (uint32_t i = 0; i < 16; i++)
        taps[i] = (int32_t)cert_random(&seed) >> 4;
    CERT_MARK();
    int32_t level = 0;
    for (uint32_t n = 0; n < 40; n++) {
        history[n & 15] = (int32_t)(cert_random(&seed) >> (n & 15));
        for (uint32_t i = 0; i < 16; i++)
            level += (int32_t)(((int64_t)taps[i] * history[(n - i) & 15]) >> 31) + taps[i] * 3;
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        level ^= (int32_t)(state >> 32);
    }
    CERT_MARK();
    return (uint32_t)level;
}
