/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_DEVICE_MEMORY_H
#define SIGNALBOX_DEVICE_MEMORY_H
/** @file
 *  Device-memory buffers: of one size, typically the largest frame of a medium, each of whole cache lines that nothing else
 *  shares. The allocator keeps its books elsewhere and never touches a buffer, so what a device has written is not hidden or
 *  overwritten by a line of the processor's. Whoever gives a buffer to a device or takes it back maintains the cache
 *  (port_cache_*).   Source: osek-linx 2.2.4.4 */
#include <stdint.h>

#include "signalbox/err.h"

/** Alignment of buffers: a line of the largest supported cache. */
#define SB_DM_ALIGN 32u

/** Memory that one buffer takes. */
#define SB_DM_STRIDE(buffer_bytes) (((uint32_t)(buffer_bytes) + SB_DM_ALIGN - 1u) & ~(SB_DM_ALIGN - 1u))

/** Set up with sb_dm_init; fields are the allocator's. */
struct sb_dm_pool {
    uint8_t *memory;
    uint16_t *next; /**< per buffer: the next free one, or that it is taken */
    uint32_t stride_bytes;
    uint16_t count;
    uint16_t first_free;
    uint16_t in_use;
    uint16_t in_use_max;
    uint32_t refused;
};

/** `memory`: count * SB_DM_STRIDE(buffer_bytes), aligned to SB_DM_ALIGN. `books`: count elements.
 *  Context: any, before its first use.
 *  Errors:  SB_ERR_ARGUMENT  memory or books missing, or memory not aligned
 *           SB_ERR_SIZE      the core's cache has longer lines than SB_DM_ALIGN; no buffers, more than 65534, of 0 bytes, or more than 2^32-1 bytes altogether
 *  Source:  osek-linx 2.2.4.4                                                                           [DMB-001] */
SB_MUST_USE enum sb_err sb_dm_init(struct sb_dm_pool *pool, void *memory, uint32_t buffer_bytes,
                                   uint32_t count, uint16_t *books);

/** A buffer, NULL if all are taken.   Context: any.   Time: O(1), one critical section.                 [DMB-002] */
SB_MUST_USE void *sb_dm_alloc(struct sb_dm_pool *pool);

/** Give a buffer back.   Context: any.   Time: O(1), one critical section.
 *  Errors:  SB_ERR_ARGUMENT  not a buffer of this pool, or not taken: nothing happens                   [DMB-003] */
SB_MUST_USE enum sb_err sb_dm_free(struct sb_dm_pool *pool, void *buffer);

#endif
