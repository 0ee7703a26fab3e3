/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_HEAP_H
#define SIGNALBOX_HEAP_H
/** @file
 *  Heaps, for what pools cannot foresee: any size, split and merged as needed, in time that does not depend on what was
 *  allocated before. The design is TLSF (M. Masmano, I. Ripoll, A. Crespo, J. Real, "TLSF: a new dynamic memory allocator
 *  for real-time systems", ECRTS 2004): free blocks in lists by size, eight lists to each power of two, two levels of
 *  bitmaps to find a list that is not empty, both neighbours merged at once when a block comes back.
 *
 *  Bounds. alloc and free: O(1), one critical section each. A request is served if a free block of at least 9/8 of its size
 *  exists. A block costs 8 bytes more than asked for, rounded up to 8. The lists take 32 bytes for each power of two of the
 *  heap's size.
 *  Signals never come from a heap.   Source: osek-linx 2.2.4.3                                       [HEAP-001..006] */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/err.h"

/** Smallest and largest memory of a heap. */
#define SB_HEAP_BYTES_MIN 512u
#define SB_HEAP_BYTES_MAX 0x40000000u

/** Set up with sb_heap_init; fields are the heap's. */
struct sb_heap {
    uint8_t *memory; /**< places are counted from here */
    uint32_t bytes;
    uint32_t first_block;
    uint32_t rows;    /**< of lists */
    uint32_t row_map; /**< bit r: row r has a list that is not empty */
    uint8_t list_map[28];
    uint32_t used_bytes;
    uint32_t used_bytes_max;
    uint32_t blocks;
    uint32_t refused;
};

/** A heap as it is now. Bytes count what blocks take, their headers included. */
struct sb_heap_status {
    uint32_t bytes; /**< for blocks */
    uint32_t used_bytes;
    uint32_t used_bytes_max;
    uint32_t largest_free_bytes; /**< that one block could hold */
    uint32_t blocks;             /**< allocated */
    uint32_t refused;            /**< requests that found no block */
};

/** Make a heap of `memory`.
 *  Context: any, before its first use.
 *  Errors:  SB_ERR_SIZE      below SB_HEAP_BYTES_MIN, above SB_HEAP_BYTES_MAX
 *           SB_ERR_ARGUMENT  no memory, or not aligned to 8 */
SB_MUST_USE enum sb_err sb_heap_init(struct sb_heap *heap, void *memory, uint32_t bytes);

/** `bytes` of memory, aligned to 8, with arbitrary content; NULL if there is none, or bytes is 0.   Context: any */
SB_MUST_USE void *sb_heap_alloc(struct sb_heap *heap, uint32_t bytes);

/** Memory for `count` elements of `bytes`, all zero; NULL also if the product is too large.   Context: any.
 *  Time: O(1), then linear in the size, interrupts as the caller has them. */
SB_MUST_USE void *sb_heap_calloc(struct sb_heap *heap, uint32_t count, uint32_t bytes);

/** The same content in `bytes`, in place if the block or the free one behind it is large enough, else elsewhere. `block`
 *  NULL: sb_heap_alloc. bytes 0: sb_heap_free, and NULL. NULL otherwise: there is no memory, and `block` stays as it was.
 *  Context: any.   Time: O(1); linear in the size if it moves, interrupts as the caller has them. */
SB_MUST_USE void *sb_heap_realloc(struct sb_heap *heap, void *block, uint32_t bytes);

/** Give a block back; NULL is allowed.
 *  Context: any.
 *  Asserts: (checked) `heap-not-a-block` not of this heap; `heap-free-twice`; `heap-overwritten` somebody has written behind
 *  this block or the one before it. */
void sb_heap_free(struct sb_heap *heap, void *block);

/** What is used.   Context: any.   Time: linear in the blocks of one list. */
void sb_heap_status(const struct sb_heap *heap, struct sb_heap_status *out);

/** Walk over all blocks and lists: whether everything agrees. For tests and hunts.
 *  Context: nobody else uses the heap.   Time: linear in the blocks. */
bool sb_heap_intact(const struct sb_heap *heap);

#endif
