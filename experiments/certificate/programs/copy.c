/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy as a library writes it: bytes up to an aligned address, words in fours, bytes at the end; and a fill. */
#include "cert.h"

static uint8_t from[1100], to[1100];

__attribute__((noinline)) static void copy(uint8_t *d, const uint8_t *s, uint32_t n)
{
    if ((((uintptr_t)d ^ (uintptr_t)s) & 3) == 0) {
        for (; n && ((uintptr_t)d & 3); n--)
            *d++ = *s++;
        uint32_t *dw = (uint32_t *)(void *)d;
        const uint32_t *sw = (const uint32_t *)(const void *)s;
        for (; n >= 16; n -= 16) {
            const uint32_t a = sw[0], b = sw[1], c = sw[2], e = sw[3];
            dw[0] = a;
            dw[1] = b;
            dw[2] = c;
            dw[3] = e;
            sw += 4;
            dw += 4;
        }
        d = (uint8_t *)dw;
        s = (const uint8_t *)sw;
    }
    for (; n; n--)
        *d++ = *s++;
}

uint32_t cert_run(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 7);
    CERT_MARK();
    copy(to, from, 1024);
    copy(to + 3, from + 7, 501);
    copy(to + 600, from + 1, 200);
    for (uint32_t i = 0; i < sizeof to; i += 4)
        sum = (sum << 1) ^ (sum >> 31) ^ to[i];
    CERT_MARK();
    return sum;
}
