// SPDX-License-Identifier: Apache-2.0
// Every tile sends packets to tile 5, which reads nothing for a long time and then everything: each packet must be there once, in the
// order of its sender, with its contents.

#include "tile.h"

#define PACKETS 12u
#define LENGTH 17u

uint32_t deaf_until = 60000;
uint32_t arrived[TILES];
uint32_t received;
uint32_t full_at;

static void send_all(uint32_t self)
{
    for (uint32_t number = 0; number < PACKETS; number++) {
        while (NI->tx_room < LENGTH) {
        }
        NI->head = to_tile(5);
        NI->data = self;
        NI->data = number;
        for (uint32_t i = 3; i + 1 < LENGTH; i++) {
            NI->data = self * 1000000u + number * 1000u + i;
        }
        NI->last = self ^ number;
    }
}

static void take_one(void)
{
    expect(NI->rx_length == LENGTH, 1);
    expect(NI->data == to_tile(5), 2);
    uint32_t from = NI->data;
    expect(from < TILES && from != 5, 3);
    uint32_t number = NI->data;
    expect(number == arrived[from], 4);
    for (uint32_t i = 3; i + 1 < LENGTH; i++) {
        expect(NI->data == from * 1000000u + number * 1000u + i, 5);
    }
    expect(NI->data == (from ^ number), 6);
    arrived[from]++;
    received++;
}

void tile_main(void)
{
    uint32_t self = hartid();
    if (self != 5) {
        send_all(self);
        return;
    }
    while (NI->status != (1u | 4u | 8u)) {
    }
    full_at = cycle();
    while (cycle() < deaf_until) {
    }
    expect(NI->rx_flits == 128, 7);
    while (received < PACKETS * (TILES - 1u)) {
        while (NI->rx_packets == 0) {
        }
        take_one();
    }
    for (uint32_t wait = 0; wait < 2000u; wait++) {
        expect(NI->rx_flits == 0, 8);
    }
    pass();
}
