/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  TLSF. Places are offsets from the heap's memory, so a header is 8 bytes on every machine:
 *
 *      | size and flags | place of the block before || payload ... (free: next, previous in its list) |
 *
 *  The memory begins with the lists' heads, then come the blocks, each behind the other; the last is an allocated one of
 *  size 0, so that every block has one behind it. Two free blocks never meet. */
#include "signalbox/heap.h"

#include <stddef.h>
#include <string.h>

#include "config.h"
#include "signalbox/hooks.h"
#include "signalbox/port.h"

#define HEADER_BYTES 8u
#define ALIGN 8u
#define PAYLOAD_MIN 8u
#define LISTS_LOG2 3u /* eight lists a row */
#define LISTS (1u << LISTS_LOG2)
#define LINEAR_LOG2 6u /* row 0: sizes below 64, in steps of 8; row r: from 2^(5 + r) */
#define FREE 1u        /* in `size` */
#define SIZE_MASK (~7u)
#define NOWHERE 0u /* the heads lie there, no block */

struct block {
    uint32_t size;     /**< of the payload, and FREE */
    uint32_t previous; /**< place of the block before; NOWHERE: this is the first */
    /* Only while free. */
    uint32_t next_free;
    uint32_t previous_free;
};

static struct block *at(const struct sb_heap *heap, uint32_t place)
{
    return (struct block *)(void *)(heap->memory + place);
}

static uint32_t place_of(const struct sb_heap *heap, const struct block *block)
{
    return (uint32_t)((const uint8_t *)block - heap->memory);
}

static uint32_t size_of(const struct block *block)
{
    return block->size & SIZE_MASK;
}

static bool is_free(const struct block *block)
{
    return (block->size & FREE) != 0;
}

static struct block *behind(const struct sb_heap *heap, const struct block *block)
{
    return at(heap, place_of(heap, block) + HEADER_BYTES + size_of(block));
}

static uint32_t *head(const struct sb_heap *heap, uint32_t row, uint32_t list)
{
    return (uint32_t *)(void *)heap->memory + row * LISTS + list;
}

static uint32_t highest_bit(uint32_t word)
{
    return 31u - (uint32_t)__builtin_clz(word);
}

static uint32_t lowest_bit(uint32_t word)
{
    return (uint32_t)__builtin_ctz(word);
}

/** The list of blocks of this size. */
static void list_of(uint32_t size, uint32_t *row, uint32_t *list)
{
    if (size < 1u << LINEAR_LOG2) {
        *row = 0;
        *list = size / ALIGN;
    } else {
        const uint32_t power = highest_bit(size);
        *row = power - LINEAR_LOG2 + 1u;
        *list = size >> (power - LISTS_LOG2) & (LISTS - 1u);
    }
}

/* ---- lists; interrupts masked */

static void list_insert(struct sb_heap *heap, struct block *block)
{
    uint32_t row;
    uint32_t list;
    list_of(size_of(block), &row, &list);
    uint32_t *first = head(heap, row, list);
    block->size |= FREE;
    block->next_free = *first;
    block->previous_free = NOWHERE;
    if (*first != NOWHERE) {
        at(heap, *first)->previous_free = place_of(heap, block);
    }
    *first = place_of(heap, block);
    heap->list_map[row] |= (uint8_t)(1u << list);
    heap->row_map |= 1u << row;
}

static void list_remove(struct sb_heap *heap, struct block *block)
{
    block->size &= ~FREE;
    if (block->next_free != NOWHERE) {
        at(heap, block->next_free)->previous_free = block->previous_free;
    }
    if (block->previous_free != NOWHERE) {
        at(heap, block->previous_free)->next_free = block->next_free;
        return;
    }
    uint32_t row;
    uint32_t list;
    list_of(size_of(block), &row, &list);
    *head(heap, row, list) = block->next_free;
    if (block->next_free == NOWHERE) {
        heap->list_map[row] &= (uint8_t) ~(1u << list);
        if (heap->list_map[row] == 0) {
            heap->row_map &= ~(1u << row);
        }
    }
}

/** A free block of at least `size`, NULL if no list promises one. Sizes are rounded up to the next list's, all of whose
 *  blocks fit: so the first is right. */
static struct block *find(const struct sb_heap *heap, uint32_t size)
{
    uint32_t row;
    uint32_t list;
    if (size >= 1u << LINEAR_LOG2) {
        size += (1u << (highest_bit(size) - LISTS_LOG2)) - 1u;
    }
    list_of(size, &row, &list);
    if (row >= heap->rows) {
        return NULL;
    }
    uint32_t lists = heap->list_map[row] & (0xffu << list);
    if (lists == 0) {
        const uint32_t rows = heap->row_map & (uint32_t)(0xfffffffeull << row);
        if (rows == 0) {
            return NULL;
        }
        row = lowest_bit(rows);
        lists = heap->list_map[row];
    }
    return at(heap, *head(heap, row, lowest_bit(lists)));
}

/* ---- blocks; interrupts masked */

/** Cut what `block`, which is in no list, has above `size` into a free block, if that is worth one; merged with a free one
 *  behind it. */
static void trim(struct sb_heap *heap, struct block *block, uint32_t size)
{
    uint32_t rest = size_of(block) - size;
    if (rest < HEADER_BYTES + PAYLOAD_MIN) {
        return;
    }
    struct block *next = behind(heap, block);
    block->size = size;
    struct block *cut = behind(heap, block);
    if (is_free(next)) {
        list_remove(heap, next);
        rest += HEADER_BYTES + size_of(next);
        next = behind(heap, next);
    }
    cut->size = rest - HEADER_BYTES;
    cut->previous = place_of(heap, block);
    next->previous = place_of(heap, cut);
    list_insert(heap, cut);
}

/** Join `block` with the free one behind it. */
static void swallow(struct sb_heap *heap, struct block *block, struct block *next)
{
    list_remove(heap, next);
    block->size += HEADER_BYTES + size_of(next);
    behind(heap, block)->previous = place_of(heap, block);
}

static void count(struct sb_heap *heap, const struct block *block)
{
    heap->used_bytes += HEADER_BYTES + size_of(block);
    if (heap->used_bytes > heap->used_bytes_max) {
        heap->used_bytes_max = heap->used_bytes;
    }
}

/* ---- the calls */

enum sb_err sb_heap_init(struct sb_heap *heap, void *memory, uint32_t bytes)
{
    if (heap == NULL || memory == NULL || (uintptr_t)memory % ALIGN != 0) {
        return SB_ERR_ARGUMENT;
    }
    if (bytes < SB_HEAP_BYTES_MIN || bytes > SB_HEAP_BYTES_MAX) {
        return SB_ERR_SIZE;
    }
    memset(heap, 0, sizeof *heap);
    heap->memory = memory;
    heap->bytes = bytes & SIZE_MASK;
    heap->rows = highest_bit(heap->bytes) - LINEAR_LOG2 + 2u;
    heap->first_block = heap->rows * LISTS * (uint32_t)sizeof(uint32_t);
    memset(memory, 0, heap->first_block);
    struct block *all = at(heap, heap->first_block);
    all->size = heap->bytes - heap->first_block - 2u * HEADER_BYTES;
    all->previous = NOWHERE;
    struct block *end = behind(heap, all);
    end->size = 0;
    end->previous = heap->first_block;
    list_insert(heap, all);
    return SB_OK;
}

/** What a payload of `bytes` takes, 0 if no heap can have it. */
static uint32_t rounded(uint32_t bytes)
{
    if (bytes == 0 || bytes > SB_HEAP_BYTES_MAX) {
        return 0;
    }
    return (bytes + ALIGN - 1u) & SIZE_MASK;
}

void *sb_heap_alloc(struct sb_heap *heap, uint32_t bytes)
{
    const uint32_t size = rounded(bytes);
    const uint32_t state = port_lock();
    struct block *block = size != 0 ? find(heap, size) : NULL;
    if (block != NULL) {
        list_remove(heap, block);
        trim(heap, block, size);
        heap->blocks++;
        count(heap, block);
    } else {
        heap->refused++;
    }
    port_unlock(state);
    return block != NULL ? (uint8_t *)block + HEADER_BYTES : NULL;
}

void *sb_heap_calloc(struct sb_heap *heap, uint32_t elements, uint32_t bytes)
{
    const uint64_t product = (uint64_t)elements * bytes;
    void *payload = sb_heap_alloc(heap, product <= UINT32_MAX ? (uint32_t)product : UINT32_MAX);
    if (payload != NULL) {
        memset(payload, 0, (size_t)product);
    }
    return payload;
}

static void check(bool holds, const char *label)
{
    if (!holds) {
        sb_fatal(SB_ERR_CORRUPT, label);
    }
}

/** The block of a payload. Checked level: it is one of this heap, allocated, and nobody has written over its ends. */
static struct block *block_of(const struct sb_heap *heap, void *payload)
{
    struct block *block = (struct block *)(void *)((uint8_t *)payload - HEADER_BYTES);
    if (SB_CFG_LEVEL >= SB_LEVEL_CHECKED) {
        const uintptr_t place = (uintptr_t)block - (uintptr_t)heap->memory;
        check(place >= heap->first_block && place < heap->bytes && place % ALIGN == 0, "heap-not-a-block");
        check(size_of(block) <= heap->bytes - place - 2u * HEADER_BYTES, "heap-overwritten");
        check(!is_free(block), "heap-free-twice");
        check(behind(heap, block)->previous == place, "heap-overwritten");
        check(block->previous < place, "heap-overwritten");
    }
    return block;
}

void sb_heap_free(struct sb_heap *heap, void *payload)
{
    if (payload == NULL) {
        return;
    }
    const uint32_t state = port_lock();
    struct block *block = block_of(heap, payload);
    heap->blocks--;
    heap->used_bytes -= HEADER_BYTES + size_of(block);
    struct block *next = behind(heap, block);
    if (is_free(next)) {
        swallow(heap, block, next);
    }
    if (block->previous != NOWHERE && is_free(at(heap, block->previous))) {
        struct block *previous = at(heap, block->previous);
        list_remove(heap, previous);
        previous->size += HEADER_BYTES + size_of(block);
        behind(heap, previous)->previous = place_of(heap, previous);
        block->size |= FREE; /* whoever frees it again is found */
        block = previous;
    }
    list_insert(heap, block);
    port_unlock(state);
}

/** Make room in place. False: there is none, nothing has changed. */
static bool resize(struct sb_heap *heap, struct block *block, uint32_t size)
{
    const uint32_t state = port_lock();
    struct block *next = behind(heap, block);
    const uint32_t room = size_of(block) + (is_free(next) ? HEADER_BYTES + size_of(next) : 0);
    if (size <= room) {
        heap->used_bytes -= HEADER_BYTES + size_of(block);
        if (size > size_of(block)) {
            swallow(heap, block, next);
        }
        trim(heap, block, size);
        count(heap, block);
    }
    port_unlock(state);
    return size <= room;
}

void *sb_heap_realloc(struct sb_heap *heap, void *payload, uint32_t bytes)
{
    if (payload == NULL) {
        return sb_heap_alloc(heap, bytes);
    }
    if (bytes == 0) {
        sb_heap_free(heap, payload);
        return NULL;
    }
    struct block *block = block_of(heap, payload);
    const uint32_t size = rounded(bytes);
    if (size != 0 && resize(heap, block, size)) {
        return payload;
    }
    void *elsewhere = sb_heap_alloc(heap, bytes);
    if (elsewhere != NULL) {
        memcpy(elsewhere, payload, size_of(block));
        sb_heap_free(heap, payload);
    }
    return elsewhere;
}

void sb_heap_status(const struct sb_heap *heap, struct sb_heap_status *out)
{
    const uint32_t state = port_lock();
    *out = (struct sb_heap_status){
        .bytes = heap->bytes - heap->first_block - HEADER_BYTES,
        .used_bytes = heap->used_bytes,
        .used_bytes_max = heap->used_bytes_max,
        .blocks = heap->blocks,
        .refused = heap->refused,
    };
    if (heap->row_map != 0) {
        const uint32_t row = highest_bit(heap->row_map);
        uint32_t place = *head(heap, row, highest_bit(heap->list_map[row]));
        for (; place != NOWHERE; place = at(heap, place)->next_free) {
            const uint32_t size = size_of(at(heap, place));
            out->largest_free_bytes = size > out->largest_free_bytes ? size : out->largest_free_bytes;
        }
    }
    port_unlock(state);
}

bool sb_heap_intact(const struct sb_heap *heap)
{
    uint32_t free_blocks = 0;
    uint32_t blocks = 0;
    uint32_t used = 0;
    uint32_t previous = NOWHERE;
    const struct block *block = at(heap, heap->first_block);
    while (size_of(block) != 0) {
        const uint32_t place = place_of(heap, block);
        if (place + 2u * HEADER_BYTES + size_of(block) > heap->bytes || block->previous != previous ||
            (is_free(block) && previous != NOWHERE && is_free(at(heap, previous)))) {
            return false;
        }
        free_blocks += is_free(block);
        blocks += !is_free(block);
        used += is_free(block) ? 0 : HEADER_BYTES + size_of(block);
        previous = place;
        block = behind(heap, block);
    }
    for (uint32_t i = 0; i < heap->rows * LISTS; i++) {
        uint32_t place = *head(heap, i / LISTS, i % LISTS);
        if ((place != NOWHERE) != (((uint32_t)heap->list_map[i / LISTS] >> i % LISTS & 1u) != 0)) {
            return false;
        }
        for (; place != NOWHERE; place = at(heap, place)->next_free) {
            uint32_t row;
            uint32_t list;
            list_of(size_of(at(heap, place)), &row, &list);
            if (!is_free(at(heap, place)) || row * LISTS + list != i || free_blocks-- == 0) {
                return false;
            }
        }
    }
    return free_blocks == 0 && blocks == heap->blocks && used == heap->used_bytes &&
           place_of(heap, block) + HEADER_BYTES == heap->bytes;
}
