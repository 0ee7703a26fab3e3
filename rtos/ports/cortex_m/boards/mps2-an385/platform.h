/* SPDX-License-Identifier: Apache-2.0 */
/* Arm MPS2 with application note 385: Cortex-M3 (DAI 0385; as QEMU's mps2-an385). */
#ifndef SB_PLATFORM_H
#define SB_PLATFORM_H

#define SB_PLATFORM_NAME "mps2-an385"
#define SB_CLOCK_HZ 25000000u
#define SB_CORES 1u

/* No caches. */
#define SB_CACHE_LINE_BYTES 1
#define SB_DCACHE_BYTES 0u
#define SB_ICACHE_BYTES 0u
#define SB_BYPASS_BIT 0x00000000u

/* Lines: external interrupt n is line n; SysTick, the timer, is the one behind them. */
#define SB_NVIC_LINES 32
#define SB_TIMER_HZ SB_CLOCK_HZ
#define SB_TIMER_IRQ 32

/* Console: a CMSDK UART. */
#define SB_UART_BASE(core) 0x40004000u
#define SB_UART_DIVISOR (SB_CLOCK_HZ / 115200u)

#define SB_HAVE_PULSE 0
#define SB_HAVE_MSIP 0
#define SB_HAVE_MUTEX 0

#endif
