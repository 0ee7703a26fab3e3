/* SPDX-License-Identifier: Apache-2.0 */
/* Copies 4 KB for ever. The first word counts, and must arrive. */
#include <stdint.h>
#include <string.h>

#include "signalbox/port.h"

#define WORDS 1024u

/* Two lines apart, so that source and destination never want the same line of a direct-mapped cache at the same time: what is
 * measured is the usual copy, not the fully colliding one. */
static struct {
    uint32_t from[WORDS];
    uint32_t apart[16];
    uint32_t to[WORDS];
} memory;

void copy(void)
{
    do {
        memory.from[0]++;
        memcpy(memory.to, memory.from, sizeof memory.to);
        /* The compiler may not keep the copy in its head. */
        __asm__ volatile("" ::: "memory");
    } while (memory.to[0] == memory.from[0]);
    port_finish(1);
}
