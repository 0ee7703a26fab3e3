// SPDX-License-Identifier: Apache-2.0
// Tile 0 sends a packet of each length to each other tile, which sleeps until it is whole, and answers with the cycles that it took.

#include "tile.h"

uint32_t lengths[] = {2, 3, 9, 40, 64};
uint32_t latency[sizeof lengths / sizeof lengths[0]][TILES];
uint32_t places[TILES];

/** Read the clock and write the packet's last flit: both lie in one cache line, so nothing comes between them. */
static __attribute__((noinline, aligned(32))) uint32_t send_last(void)
{
    uint32_t now;
    __asm__ volatile("csrr %0, mcycle\n"
                     "sw %0, 8(%1)\n"
                     : "=&r"(now)
                     : "r"(NI)
                     : "memory");
    return now;
}

/** Sleep until a packet is whole, and read the clock. */
static __attribute__((noinline, aligned(32))) uint32_t sleep_until_packet(void)
{
    uint32_t now;
    __asm__ volatile("wfi\n"
                     "csrr %0, mcycle\n"
                     : "=r"(now)
                     :
                     : "memory");
    return now;
}

static void send(uint32_t tile, uint32_t length)
{
    NI->head = to_tile(tile);
    for (uint32_t i = 1; i + 1 < length; i++) {
        NI->data = tile * 1000u + i;
    }
    send_last();
}

/** Take a packet; gives its last flit. */
static uint32_t take(uint32_t tile)
{
    uint32_t length = NI->rx_length;
    expect(NI->data == to_tile(hartid()), 1);
    for (uint32_t i = 1; i + 1 < length; i++) {
        expect(NI->data == tile * 1000u + i, 2);
    }
    return NI->data;
}

static void answer_packets(uint32_t self)
{
    NI->enable = 1;
    __asm__ volatile("csrs mie, %0" : : "r"(1u << 16));
    for (;;) {
        uint32_t now = sleep_until_packet();
        if (NI->rx_packets == 0) {
            continue;
        }
        NI->pending = 1;
        uint32_t length = NI->rx_length;
        uint32_t sent = take(self);
        NI->head = to_tile(0);
        NI->data = length;
        NI->last = now - sent;
    }
}

static uint32_t measure(uint32_t tile, uint32_t length)
{
    send(tile, length);
    while (NI->rx_packets == 0) {
    }
    expect(NI->data == to_tile(0), 3);
    expect(NI->data == length, 4);
    return NI->data;
}

void tile_main(void)
{
    uint32_t self = hartid();
    expect(NI->node == to_tile(self), 5);
    expect(NI->size == (4u << 16 | 4u), 6);
    if (self != 0) {
        answer_packets(self);
    }
    while (cycle() < 5000u) {
    }
    for (uint32_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        for (uint32_t tile = 1; tile < TILES; tile++) {
            measure(tile, lengths[k]); // fills the caches
            latency[k][tile] = measure(tile, lengths[k]);
        }
    }
    pass();
}
