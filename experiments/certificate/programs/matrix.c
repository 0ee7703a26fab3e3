/* SPDX-License-Identifier: Apache-2.0 */
/* The product of two matrices of integers. */
#include "cert.h"

#define N 12
static int32_t a[N][N], b[N][N], c[N][N];

uint32_t cert_run(void)
{
    uint32_t seed = 11, sum = 0;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < N; k++) {
            a[i][k] = (int32_t)cert_random(&seed) >> 20;
            b[i][k] = (int32_t)cert_random(&seed) >> 20;
        }
    CERT_MARK();
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++) {
            int32_t s = 0;
            for (uint32_t k = 0; k < N; k++)
                s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
    CERT_MARK();
    for (uint32_t i = 0; i < N; i++)
        sum = sum * 5 + (uint32_t)c[i][N - 1 - i];
    return sum;
}
