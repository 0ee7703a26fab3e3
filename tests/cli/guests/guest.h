/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GUEST_H
#define GUEST_H
#include <stdint.h>

#define UART ((volatile uint8_t *)0x10000000)

static inline void put(char c)
{
    while ((UART[5] & 0x20) == 0) {
    }
    UART[0] = (uint8_t)c;
}

static inline void say(const char *text)
{
    while (*text != '\0') {
        put(*text++);
    }
}

#endif
