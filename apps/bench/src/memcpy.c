/* SPDX-License-Identifier: Apache-2.0 */
/* Copies 4 KB for ever. The first word counts, and must arrive. */
#include <stdint.h>
#include <string.h>

#include "signalbox/port.h"

#define WORDS 1024u

static uint32_t from[WORDS], to[WORDS];

void copy(void)
{
    do {
        from[0]++;
        memcpy(to, from, sizeof to);
        /* The compiler may not keep the copy in its head. */
        __asm__ volatile("" ::: "memory");
    } while (to[0] == from[0]);
    port_finish(1);
}
