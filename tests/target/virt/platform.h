/* SPDX-License-Identifier: Apache-2.0 */
/* As generated from the platform `virt`, for a node on core 0. */
#ifndef SB_PLATFORM_H
#define SB_PLATFORM_H

#define SB_PLATFORM_NAME "virt"
#define SB_CLOCK_HZ 100000000u
#define SB_CORES 1u

/* Caches of this core. A line of 1 byte means that there is no data cache. */
#define SB_CACHE_LINE_BYTES 1
#define SB_DCACHE_BYTES 0u
#define SB_ICACHE_BYTES 0u
/* Data caches are kept coherent by hardware: they need no maintenance. */
#define SB_COHERENT 0
/* An address with this bit set bypasses the data cache; 0 where there is no such window. */
#define SB_BYPASS_BIT 0x00000000u

/* Timer: 64-bit COUNT and COMPARE; line SB_TIMER_IRQ of its core is high while COUNT >= COMPARE. */
#define SB_TIMER_HZ 10000000u
#define SB_TIMER_COUNT(core) (0x0200BFF8u + 0x0u * (core))
#define SB_TIMER_COMPARE(core) (0x02004000u + 0x8u * (core))
#define SB_TIMER_IRQ 7

/* Console: a 16550 with byte registers. Line 0 means that it is polled. */
#define SB_UART_BASE(core) (0x10000000u + 0x0u * (core))
#define SB_UART_IRQ 0

/* Test finisher: a word 0x5555 passes, 0x3333 | code << 16 fails. */
#define SB_FINISHER_BASE 0x00100000u

/* Pulse interrupts between cores: ipending at +0, iclear at +4. */
#define SB_HAVE_PULSE 0

/* Without them: a core's software interrupt rings, and a word for each core holds what is pending. */
#define SB_HAVE_MSIP 1
#define SB_MSIP_BASE(core) (0x02000000u + 0x0u * (core))
#define SB_MSIP_IRQ 3
#define SB_DOORBELL_WORD(core) (0x87FFF000u + 4u * (core))

/* Hardware mutexes: MUTEX at +0, RESET at +4. */
#define SB_HAVE_MUTEX 0

#endif
