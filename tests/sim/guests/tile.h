/* SPDX-License-Identifier: Apache-2.0 */
/* What a program on a tile of mesh-4x4 needs: registers of its network interface, its place, time, the end of the run. */
#ifndef TILE_H
#define TILE_H

#include <stdint.h>

struct ni {
    uint32_t head, data, last, status, tx_room, rx_packets, rx_length, rx_flits;
    uint32_t enable, pending, tx_want, node, size;
};

#define NI ((volatile struct ni *)0x10004000u)
#define FINISHER ((volatile uint32_t *)0x00100000u)
#define TILES 16u

static inline uint32_t hartid(void)
{
    uint32_t value;
    __asm__ volatile("csrr %0, mhartid" : "=r"(value));
    return value;
}

static inline uint32_t cycle(void)
{
    uint32_t value;
    __asm__ volatile("csrr %0, mcycle" : "=r"(value));
    return value;
}

/** Header of a packet to a tile. */
static inline uint32_t to_tile(uint32_t tile)
{
    return (tile % 4u) << 8 | tile / 4u;
}

static inline void pass(void)
{
    *FINISHER = 0x5555u;
}

static inline void fail(uint32_t code)
{
    *FINISHER = code << 16 | 0x3333u;
    for (;;) {
    }
}

static inline void expect(int condition, uint32_t code)
{
    if (!condition) {
        fail(code);
    }
}

/* Each tile has the whole memory for itself, and the stack at its end. */
__asm__(".section .text.start\n"
        ".globl _start\n"
        "_start:\n"
        "  li sp, 0x00880000\n"
        "  call tile_main\n"
        "1: wfi\n"
        "  j 1b\n"
        ".text\n");

#endif
