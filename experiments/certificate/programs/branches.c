/* SPDX-License-Identifier: Apache-2.0 */
/* Branches that nobody can foresee, taken and not, forward and backward: steps of Collatz and a decision tree. */
#include "cert.h"

static uint32_t steps(uint32_t n)
{
    uint32_t count = 0;
    while (n != 1) {
        n = (n & 1) ? n + n + n + 1 : n >> 1;
        count++;
    }
    return count;
}

static uint32_t tree(uint32_t x)
{
    if (x & 1) {
        if (x & 2)
            return (x & 4) ? 1 : 20;
        if (x & 8)
            return 300;
        return (x & 16) ? 4000 : 5;
    }
    if ((int32_t)x < 0)
        return 60;
    if (x > 0x40000000u)
        return (x & 32) ? 700 : 8000;
    return 9;
}

uint32_t cert_run(void)
{
    uint32_t seed = 99, sum = 0;
    CERT_MARK();
    for (uint32_t i = 1; i < 40; i++)
        sum += steps(i);
    for (uint32_t i = 0; i < 500; i++)
        sum += tree(cert_random(&seed));
    CERT_MARK();
    return sum;
}
