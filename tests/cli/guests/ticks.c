/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps through 2,500 timer interrupts, touching nothing but the timer, and then passes. */
#include <stdint.h>

#define MTIME_LOW (*(volatile uint32_t *)0x0200bff8)
#define MTIMECMP_LOW (*(volatile uint32_t *)0x02004000)
#define MTIMECMP_HIGH (*(volatile uint32_t *)0x02004004)

int main(void)
{
    __asm__ volatile("csrw mie, %0" ::"r"(1u << 7)); /* wakes wfi; mstatus.MIE stays 0 */
    for (uint32_t i = 0; i < 2500; i++) {
        MTIMECMP_HIGH = 0;
        MTIMECMP_LOW = MTIME_LOW + 1000;
        __asm__ volatile("wfi");
    }
    return 0;
}
