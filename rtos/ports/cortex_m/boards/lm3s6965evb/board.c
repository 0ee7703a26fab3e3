/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  DS-LM3S6965: system control 5.5, GPIO 8.5, UART 12.6. */
#include "../../board.h"

#include "../../registers.h"
#include "platform.h"

#define RIS SB_REGISTER(0x400fe050u)
#define RIS_PLL_LOCKED (1u << 6)
#define RCC SB_REGISTER(0x400fe060u)
#define RCGC1 SB_REGISTER(0x400fe104u)
#define RCGC2 SB_REGISTER(0x400fe108u)

#define RCC_BYPASS (1u << 11)
/** PLL of 200 MHz from the crystal of 8 MHz, divided by 4. */
#define RCC_PLL_50_MHZ (3u << 23 | 1u << 22 | 0xeu << 6 | 1u)

#define GPIO_A_ALTERNATE SB_REGISTER(0x40004420u)
#define GPIO_A_DIGITAL SB_REGISTER(0x4000451cu)

#define UART(offset) SB_REGISTER(SB_UART_BASE(0) + (offset))

static void clock_50_mhz(void)
{
    RCC = RCC_PLL_50_MHZ | RCC_BYPASS;
    while ((RIS & RIS_PLL_LOCKED) == 0) {
    }
    RCC = RCC_PLL_50_MHZ;
}

void sb_board_init(void)
{
    clock_50_mhz();
    RCGC1 |= 1u; /* UART 0, on the first two pins of port A */
    RCGC2 |= 1u;
    (void)RCGC2;
    GPIO_A_ALTERNATE |= 3u;
    GPIO_A_DIGITAL |= 3u;
    UART(0x30) = 0;
    UART(0x24) = 27; /* 50 MHz / (16 * 115200) = 27 + 8/64 */
    UART(0x28) = 8;
    UART(0x2c) = 0x70; /* eight bits, FIFOs */
    UART(0x30) = 0x301;
}
