/* SPDX-License-Identifier: Apache-2.0 */
/* As generated, for the kernel's test; its makefile gives the level. */
#ifndef SB_CONFIG_H
#define SB_CONFIG_H
#ifndef __ASSEMBLER__
#include <stdint.h>
#endif

/* Check level: 0 release, 1 hooks, 2 checked. */
#ifndef SB_CFG_LEVEL
#define SB_CFG_LEVEL 2
#endif
#define SB_CFG_NAME "test"
#define SB_CFG_NODE 3u
#define SB_CFG_NODES 5u
/* Kernel tick; 0: off. */
#define SB_CFG_TICK_HZ 1000u
/* Lowest bytes of each stack, which nothing may write (physical memory protection); 0: no guard. */
#ifndef SB_CFG_GUARD_BYTES
#if SB_CFG_LEVEL >= 2
#define SB_CFG_GUARD_BYTES 64
#else
#define SB_CFG_GUARD_BYTES 0
#endif
#endif
#define SB_CFG_HAVE_LINKS 0

#endif
