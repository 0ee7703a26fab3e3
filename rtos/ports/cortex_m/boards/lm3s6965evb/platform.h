/* SPDX-License-Identifier: Apache-2.0 */
/* Luminary (TI) LM3S6965 evaluation kit: Cortex-M3 (DS-LM3S6965; as QEMU's lm3s6965evb). */
#ifndef SB_PLATFORM_H
#define SB_PLATFORM_H

#define SB_PLATFORM_NAME "lm3s6965evb"
#define SB_CLOCK_HZ 50000000u
#define SB_CORES 1u

/* No caches. */
#define SB_CACHE_LINE_BYTES 1
#define SB_DCACHE_BYTES 0u
#define SB_ICACHE_BYTES 0u
#define SB_BYPASS_BIT 0x00000000u

/* Lines: external interrupt n is line n; SysTick, the timer, is the one behind them. */
#define SB_NVIC_LINES 44
#define SB_TIMER_HZ SB_CLOCK_HZ
#define SB_TIMER_IRQ 44

/* Console: a PL011. */
#define SB_UART_BASE(core) 0x4000c000u

#define SB_HAVE_PULSE 0
#define SB_HAVE_MSIP 0
#define SB_HAVE_MUTEX 0

#endif
