/* SPDX-License-Identifier: Apache-2.0 */
#include "guest.h"

__attribute__((noinline)) static uint32_t inner(volatile uint32_t *address)
{
    return *address + 1;
}

__attribute__((noinline)) static uint32_t outer(uint32_t address)
{
    uint32_t value = inner((volatile uint32_t *)address);
    __asm__ volatile("");
    return value * 3;
}

int main(void)
{
    say("about to fault\n");
    return (int)outer(0x70000000u);
}
