/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from system.toml for the node `left`. */
#ifndef SB_CONFIG_H
#define SB_CONFIG_H

/* Check level: 0 release, 1 hooks, 2 checked. */
#define SB_CFG_LEVEL 2
#define SB_CFG_NAME "left"
#define SB_CFG_NODE 0u
#define SB_CFG_NODES 2u
/* Kernel tick; 0: off. */
#define SB_CFG_TICK_HZ 100u
/* Lowest bytes of each stack, which nothing may write (physical memory protection); 0: no guard. */
#define SB_CFG_GUARD_BYTES 0
#define SB_CFG_HAVE_LINKS 1

#ifndef __ASSEMBLER__
#include <stdint.h>

/* Parameters. They are read at run time, so that a finished image can be given other values. */
extern volatile const uint32_t sb_param_size_bytes;
extern volatile const uint32_t sb_param_threshold;
#endif

#endif
