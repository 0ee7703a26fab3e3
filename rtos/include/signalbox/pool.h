/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_POOL_H
#define SIGNALBOX_POOL_H
/** @file
 *  Pools: up to eight block sizes, each with its own fixed number of blocks. A signal takes a block of the
 *  smallest class that holds it and of no other: exhaustion of one class does not eat another. A block is cut
 *  from the pool's memory at its first use and comes from the class's free list afterwards.   Source:
 *  osek-linx 2.2.4.2 */
#include <stdint.h>

#include "signalbox/err.h"

#define SB_POOL_CLASSES_MAX 8u

/** Whether the node has domains (isolation.h): the build says so. */
#ifndef SB_CFG_ISOLATED
#define SB_CFG_ISOLATED 0
#endif

/** Bytes that the kernel adds to a block: the hidden header before (with domains only its number), the end mark behind. */
#if SB_CFG_ISOLATED
#define SB_SIGNAL_HEADER_BYTES 8u
#else
#define SB_SIGNAL_HEADER_BYTES ((uint32_t)(16u + 2u * sizeof(void *)))
#endif
#define SB_SIGNAL_TAIL_BYTES 4u

/** Memory of one block that holds signals of up to `block_bytes`; of `count` such blocks. For static arrays,
 *  aligned to 8. */
#define SB_POOL_STRIDE(block_bytes) \
    (SB_SIGNAL_HEADER_BYTES + (((uint32_t)(block_bytes) + SB_SIGNAL_TAIL_BYTES + 7u) & ~7u))
#define SB_POOL_BYTES(block_bytes, count) (SB_POOL_STRIDE(block_bytes) * (uint32_t)(count))

/** One class of a pool, as it is now. */
struct sb_pool_status {
    uint32_t block_bytes;
    uint32_t blocks;     /**< configured */
    uint32_t in_use;     /**< owned by tasks, queues or links */
    uint32_t in_use_max; /**< the most there ever were */
    uint32_t refused;    /**< allocations that found no block */
};

/** Number of classes of pool `pool`, 0 if there is no such pool.   Context: any */
uint32_t sb_pool_classes(uint32_t pool);

/** Number of the pool `name`, SB_ERR_NOT_FOUND (negative) if there is none.   Context: any.   Time: linear in the pools.
 *  Source: osek-linx 2.2.4.2                                                                            [POOL-003] */
int32_t sb_pool_lookup(const char *name);

/** State of one class.   Context: any.
 *  Errors: SB_ERR_ARGUMENT  no such pool or class */
SB_MUST_USE enum sb_err sb_pool_status(uint32_t pool, uint32_t class_index, struct sb_pool_status *out);

/** Make a pool as it was at start, statistics included.   Context: any.   Time: linear in its classes.
 *  Errors: SB_ERR_ARGUMENT  no such pool
 *          SB_ERR_BUSY      signals of it are in use: nothing happens
 *  Source: osek-linx A1/1.33                                                                            [POOL-004] */
SB_MUST_USE enum sb_err sb_pool_reset(uint32_t pool);

#endif
