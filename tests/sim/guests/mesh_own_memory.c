// SPDX-License-Identifier: Apache-2.0
// Each tile counts in a word at the same address with LR/SC and plain stores; nobody sees or breaks another's.

#include "tile.h"

volatile uint32_t counter __attribute__((aligned(64)));
volatile uint32_t done;

void tile_main(void)
{
    uint32_t self = hartid();
    uint32_t rounds = 100u + self;
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t old, failed;
        __asm__ volatile("lr.w %0, (%2)\n"
                         "addi %0, %0, 1\n"
                         "sc.w %1, %0, (%2)\n"
                         : "=&r"(old), "=&r"(failed)
                         : "r"(&counter)
                         : "memory");
        expect(failed == 0, 1);
    }
    expect(counter == rounds, 2);
    done = 1;
    if (self == 0) {
        while (cycle() < 100000u) {
        }
        pass();
    }
}
