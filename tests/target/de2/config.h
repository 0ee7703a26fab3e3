/* SPDX-License-Identifier: Apache-2.0 */
/* As generated, for a compile check on de2-dual; its makefile gives the level. */
#ifndef SB_CONFIG_H
#define SB_CONFIG_H
#ifndef __ASSEMBLER__
#include <stdint.h>
#endif

/* Check level: 0 release, 1 hooks, 2 checked. */
#ifndef SB_CFG_LEVEL
#define SB_CFG_LEVEL 2
#endif
#define SB_CFG_NAME "node0"
#define SB_CFG_NODE 0u
#define SB_CFG_NODES 2u
/* Kernel tick; 0: off. */
#define SB_CFG_TICK_HZ 0u
/* Lowest bytes of each stack, which nothing may write (physical memory protection); 0: no guard. */
#define SB_CFG_GUARD_BYTES 0
#define SB_CFG_HAVE_LINKS 1

#endif
