/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_ADDR_H
#define SIGNALBOX_ADDR_H
/** @file
 *  Global addresses: home node (bits 31..22), index in the node's task table (21..10), generation (9..0).
 *  Generations start at 1 and make a restarted peer a different peer; so address 0 is nobody. */
#include <stdint.h>

typedef uint32_t sb_addr;

#define SB_ADDR_NONE ((sb_addr)0)
#define SB_ADDR_NODES_MAX 1024u
#define SB_ADDR_INDICES_MAX 4096u
#define SB_ADDR_GENERATION_MAX 1023u

static inline sb_addr sb_addr_make(uint32_t node, uint32_t index, uint32_t generation)
{
    return (node << 22) | ((index & 0xfffu) << 10) | (generation & 0x3ffu);
}

static inline uint32_t sb_addr_node(sb_addr addr)
{
    return addr >> 22;
}

static inline uint32_t sb_addr_index(sb_addr addr)
{
    return (addr >> 10) & 0xfffu;
}

static inline uint32_t sb_addr_generation(sb_addr addr)
{
    return addr & 0x3ffu;
}

#endif
