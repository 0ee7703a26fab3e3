// SPDX-License-Identifier: Apache-2.0
// Tile 5 never reads; all others fill the network with packets to it, sleep until there is room, and wait for ever.

#include "tile.h"

void tile_main(void)
{
    if (hartid() == 5) {
        return;
    }
    NI->tx_want = 8;
    NI->enable = 2;
    __asm__ volatile("csrs mie, %0" : : "r"(1u << 18));
    for (;;) {
        while (NI->tx_room < 8) {
            __asm__ volatile("wfi");
            NI->pending = 2;
        }
        NI->head = to_tile(5);
        for (uint32_t i = 0; i < 6; i++) {
            NI->data = i;
        }
        NI->last = 0;
    }
}
