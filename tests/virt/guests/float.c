/* SPDX-License-Identifier: Apache-2.0 */
/* Passes when floating point works. */
#include "virt.h"

static volatile float half = 0.5f;

__attribute__((naked, section(".text.start"))) void _start(void)
{
    __asm__ volatile("li t0, 0x2000\ncsrs mstatus, t0\nlui sp, 0x80100\ncall run\n");
}

__attribute__((noreturn)) void run(void)
{
    FINISHER = half * 3.0f == 1.5f ? 0x5555 : 0x13333;
    for (;;) {
    }
}
