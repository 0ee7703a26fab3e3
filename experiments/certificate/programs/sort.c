/* SPDX-License-Identifier: Apache-2.0 */
/* Quicksort with insertion sort at the leaves, and a binary search for each element. */
#include "cert.h"

#define N 200
static int32_t data[N];

static void insertion(int32_t *v, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        const int32_t x = v[i];
        int32_t k = i - 1;
        for (; k >= 0 && v[k] > x; k--)
            v[k + 1] = v[k];
        v[k + 1] = x;
    }
}

static void quick(int32_t *v, int32_t n)
{
    while (n > 8) {
        const int32_t pivot = v[n >> 1];
        int32_t i = -1, k = n;
        for (;;) {
            do
                i++;
            while (v[i] < pivot);
            do
                k--;
            while (v[k] > pivot);
            if (i >= k)
                break;
            const int32_t t = v[i];
            v[i] = v[k];
            v[k] = t;
        }
        quick(v, k + 1);
        v += k + 1;
        n -= k + 1;
    }
    insertion(v, n);
}

uint32_t cert_run(void)
{
    uint32_t seed = 4242, sum = 0;
    for (uint32_t i = 0; i < N; i++)
        data[i] = (int32_t)cert_random(&seed);
    CERT_MARK();
    quick(data, N);
    for (uint32_t i = 0; i < N; i += 3) {
        uint32_t low = 0, high = N;
        while (low + 1 < high) {
            const uint32_t middle = (low + high) >> 1;
            if (data[middle] <= data[i])
                low = middle;
            else
                high = middle;
        }
        sum += low;
    }
    CERT_MARK();
    for (uint32_t i = 1; i < N; i++)
        sum += data[i - 1] <= data[i];
    return sum;
}
