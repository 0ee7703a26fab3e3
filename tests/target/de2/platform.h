/* SPDX-License-Identifier: Apache-2.0 */
/* As generated from the platform `de2-dual`, for a node on core 0. */
#ifndef SB_PLATFORM_H
#define SB_PLATFORM_H

#define SB_PLATFORM_NAME "de2-dual"
#define SB_CLOCK_HZ 50000000u
#define SB_CORES 2u

/* Caches of this core. A line of 1 byte means that there is no data cache. */
#define SB_CACHE_LINE_BYTES 32
#define SB_DCACHE_BYTES 4096u
#define SB_ICACHE_BYTES 8192u
/* Data caches are kept coherent by hardware: they need no maintenance. */
#define SB_COHERENT 0
/* An address with this bit set bypasses the data cache; 0 where there is no such window. */
#define SB_BYPASS_BIT 0x80000000u

/* Timer: 64-bit COUNT and COMPARE; line SB_TIMER_IRQ of its core is high while COUNT >= COMPARE. */
#define SB_TIMER_HZ 50000000u
#define SB_TIMER_COUNT(core) (0x10001000u + 0x20u * (core))
#define SB_TIMER_COMPARE(core) (0x10001008u + 0x20u * (core))
#define SB_TIMER_IRQ 7

/* Console: a 16550 with byte registers. Line 0 means that it is polled. */
#define SB_UART_BASE(core) (0x10000000u + 0x100u * (core))
#define SB_UART_IRQ 17

/* Test finisher: a word 0x5555 passes, 0x3333 | code << 16 fails. */
#define SB_FINISHER_BASE 0x00100000u

/* Pulse interrupts between cores: ipending at +0, iclear at +4. */
#define SB_HAVE_PULSE 1
#define SB_PULSE_BASE(core) (0x10002000u + 0x10u * (core))
#define SB_PULSE_IRQ 16

/* Without them: a core's software interrupt rings, and a word for each core holds what is pending. */
#define SB_HAVE_MSIP 0

/* Hardware mutexes: MUTEX at +0, RESET at +4. */
#define SB_HAVE_MUTEX 1
#define SB_MUTEX_COUNT 2u
#define SB_MUTEX_BASE(i) (0x10003000u + 0x8u * (i))

#endif
