/* SPDX-License-Identifier: Apache-2.0 */
/* A node that is a process: what its images are compiled against. Lines are those of the boards of osek-linx. */
#ifndef SB_PLATFORM_H
#define SB_PLATFORM_H

#define SB_PLATFORM_NAME "posix"
/* Cycles are nanoseconds. */
#define SB_CLOCK_HZ 1000000000u
/* Nodes that can share memory. */
#define SB_CORES 32u

#define SB_CACHE_LINE_BYTES 1
#define SB_DCACHE_BYTES 0u
#define SB_ICACHE_BYTES 0u
#define SB_BYPASS_BIT 0x00000000u

#define SB_TIMER_HZ SB_CLOCK_HZ
#define SB_TIMER_IRQ 7

/* Doorbells (doorbell.h) are pulse interrupts for the kernel. */
#define SB_HAVE_PULSE 1
#define SB_PULSE_IRQ 16
#define SB_HAVE_MSIP 0
#define SB_HAVE_MUTEX 0

/* Memory that all nodes share, at __sb_shared_base. */
#define SB_SHARED_BYTES 0x40000u

#endif
