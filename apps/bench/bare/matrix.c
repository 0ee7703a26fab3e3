/* SPDX-License-Identifier: Apache-2.0 */
/* The product of two matrices of 32-bit integers, for ever. Three of them are a little more than the data cache of de2-dual holds. */
#include <stdint.h>

#define SIDE 20u

static int32_t a[SIDE][SIDE], b[SIDE][SIDE], product[SIDE][SIDE];

void bench(uint32_t core)
{
    (void)core;
    uint32_t seed = 1;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        seed = seed * 1103515245u + 12345u;
        a[i / SIDE][i % SIDE] = (int32_t)(seed >> 16);
        b[i / SIDE][i % SIDE] = (int32_t)(seed >> 18);
    }
    for (;;) {
        for (uint32_t row = 0; row < SIDE; row++) {
            for (uint32_t column = 0; column < SIDE; column++) {
                int32_t sum = 0;
                for (uint32_t i = 0; i < SIDE; i++) {
                    sum += a[row][i] * b[i][column];
                }
                product[row][column] = sum;
            }
        }
        /* The next product depends on this one, so that none can be left out. */
        a[0][0] = product[SIDE - 1][SIDE - 1] & 0xff;
    }
}
