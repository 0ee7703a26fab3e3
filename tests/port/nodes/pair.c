/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Two nodes: one finds the other by its name and sends signals of all sizes up to several frames; each comes back with its
 *  bytes changed. Both nodes wait by blocking alone. */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "signalbox/port.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

#define ROUNDS 300u
#define SIZE_MAX_BYTES 4000u

struct letter {
    uint32_t signo;
    uint32_t size_bytes;
    uint8_t bytes[];
};

union sb_signal {
    uint32_t signo;
    struct letter letter;
};

void pair_task(void);

static const uint32_t any[] = {0};

static void echo(void)
{
    for (;;) {
        union sb_signal *sig = sb_receive(any);
        for (uint32_t i = 0; i < sig->letter.size_bytes; i++) {
            sig->letter.bytes[i] ^= 0xffu;
        }
        const sb_addr to = sb_sender(sig);
        SB_IGNORE(sb_send(&sig, to));
    }
}

static void master(void)
{
    sb_addr peer = SB_ADDR_NONE;
    uint32_t wrong = 0;
    while (sb_hunt("node1/echo", 100, &peer) != SB_OK) {
        SB_IGNORE(sb_delay(1));
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t size_bytes = round * 131u % SIZE_MAX_BYTES;
        union sb_signal *sig = sb_alloc((uint32_t)sizeof(struct letter) + size_bytes, 1000u + round);
        sig->letter.size_bytes = size_bytes;
        memset(sig->letter.bytes, (int)(round & 0xffu), size_bytes);
        wrong += sb_send(&sig, peer) != SB_OK;
        sig = sb_receive(any);
        wrong += sig->signo != 1000u + round || sig->letter.size_bytes != size_bytes;
        for (uint32_t i = 0; i < size_bytes; i++) {
            wrong += sig->letter.bytes[i] != (uint8_t)~round;
        }
        sb_free(&sig);
    }
    printf("%u round trips, %u wrong\n", ROUNDS, (unsigned)wrong);
    port_finish(wrong == 0 ? 0 : 1);
}

void pair_task(void)
{
    if (SB_CFG_NODE == 0) {
        master();
    } else {
        echo();
    }
}
