/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Blocks. A class has its own part of the pool's memory and hands it out in order; what comes back goes to
 *  the free list, which is looked at first. So a class touches as little memory as the application ever needed
 *  at once. */
#include <string.h>

#include "end_mark.h"
#include "kernel.h"
#include "signalbox/config_types.h"

SB_COLD void sb_pool_init(struct sb_pool *pool, const struct sb_pool_config *config)
{
    uint8_t *memory = config->memory;
    pool->classes = config->classes;
    for (uint32_t i = 0; i < config->classes; i++) {
        struct sb_pool_class *size_class = &pool->size_class[i];
        size_class->free = NULL;
        size_class->fresh = memory;
        size_class->block_bytes = config->block_bytes[i];
        size_class->blocks = config->block_count[i];
        size_class->fresh_blocks = size_class->blocks;
        size_class->in_use = 0;
        size_class->refused = 0;
        size_class->stride_bytes = SB_POOL_STRIDE(size_class->block_bytes);
        sb_class_headers(size_class, config, i);
        memory += (size_t)size_class->stride_bytes * size_class->blocks;
        sb_check(i == 0 || size_class->block_bytes > size_class[-1].block_bytes, SB_ERR_ARGUMENT,
                 "pool-classes-order");
    }
    /* Classes that do not exist hold everything and have no block. */
    for (uint32_t i = config->classes; i < SB_POOL_CLASSES_MAX; i++) {
        pool->size_class[i] = (struct sb_pool_class){.block_bytes = UINT32_MAX};
    }
    sb_check(memory <= (uint8_t *)config->memory + config->memory_bytes, SB_ERR_ARGUMENT, "pool-memory-size");
}

/** A block of the class, NULL if there is none. */
static inline struct sb_signal_header *class_take(struct sb_pool_class *size_class)
{
    const uint32_t state = port_lock();
    struct sb_signal_header *header = size_class->free;
    if (header != NULL) {
        size_class->free = header->next;
        size_class->in_use++;
    } else if (size_class->fresh_blocks != 0) {
        header =
            sb_block_header(size_class, size_class->fresh, size_class->blocks - size_class->fresh_blocks);
        header->pool_class = size_class;
        sb_block_begin(header, size_class->fresh);
        size_class->fresh += size_class->stride_bytes;
        size_class->fresh_blocks--;
        size_class->in_use++;
    } else {
        size_class->refused++;
    }
    port_unlock(state);
    return header;
}

/** The smallest class that holds `size_bytes`, or the last one. Three comparisons whatever the size and however many classes
 *  there are: allocation takes the same time for all. */
static inline struct sb_pool_class *class_for(struct sb_pool *pool, uint32_t size_bytes)
{
    _Static_assert(SB_POOL_CLASSES_MAX == 8, "three halvings");
    struct sb_pool_class *size_class = pool->size_class;
    size_class += (size_t)(size_bytes > size_class[3].block_bytes) * 4;
    size_class += (size_t)(size_bytes > size_class[1].block_bytes) * 2;
    size_class += (size_t)(size_bytes > size_class[0].block_bytes);
    return size_class;
}

static inline union sb_signal *allocate(struct sb_node *node, struct sb_pool *pool, uint32_t size_bytes,
                                        uint32_t signo)
{
    struct sb_pool_class *size_class = class_for(pool, size_bytes);
    if (size_bytes > size_class->block_bytes) {
        return NULL;
    }
    struct sb_signal_header *header = class_take(size_class);
    if (header == NULL) {
        return NULL;
    }
    struct sb_task *self = node->self;
    sb_signal_owned_by(header, self);
    header->sender = self->addr;
    header->addressee = SB_ADDR_NONE;
    header->size_bytes = size_bytes;
    *sb_signal_number(header) = signo;
    if (SB_CFG_ISOLATED) {
        sb_isolation_number(header);
    }
    if (SB_CHECKED) {
        header->mark = SB_SIGNAL_OWNED;
        memcpy(sb_end_mark_of(header), sb_end_mark, sizeof sb_end_mark);
    }
    return sb_signal_of(header);
}

union sb_signal *sb_alloc(uint32_t size_bytes, uint32_t signo)
{
    SB_PROBE(kernel_enter, SB_SERVICE_ALLOC);
    struct sb_node *node = port_node();
    sb_check(size_bytes >= sizeof signo, SB_ERR_SIZE, "alloc-size");
    union sb_signal *sig = allocate(node, node->pools, size_bytes, signo);
    if (sig == NULL) {
        const struct sb_pool *pool = node->pools;
        const bool too_large = size_bytes > pool->size_class[pool->classes - 1].block_bytes;
        sb_fatal(too_large ? SB_ERR_SIZE : SB_ERR_MEMORY, too_large ? "alloc-size" : "alloc-exhausted");
    }
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_ALLOC);
    return sig;
}

union sb_signal *sb_alloc_from(uint32_t pool, uint32_t size_bytes, uint32_t signo)
{
    SB_PROBE(kernel_enter, SB_SERVICE_ALLOC);
    struct sb_node *node = port_node();
    sb_check(pool < node->pool_count, SB_ERR_ARGUMENT, "pool-unknown");
    sb_check(size_bytes >= sizeof signo, SB_ERR_SIZE, "alloc-size");
    union sb_signal *sig = allocate(node, &node->pools[pool], size_bytes, signo);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_ALLOC);
    return sig;
}

union sb_signal *sb_alloc_nil(uint32_t size_bytes, uint32_t signo)
{
    return sb_alloc_from(0, size_bytes, signo);
}

SB_COLD void sb_signal_verify(const union sb_signal *sig, uint32_t mark, const char *label)
{
    const struct sb_node *node = port_node();
    const struct sb_signal_header *header = sb_signal_header_of(sig);
    /* First: is it a signal? Second: is its owner who it should be? Third: has somebody written behind it? */
    const uintptr_t class_address = (uintptr_t)header->pool_class;
    const uintptr_t pools = (uintptr_t)node->pools;
    sb_check(class_address >= pools && class_address < pools + node->pool_count * sizeof *node->pools,
             SB_ERR_CORRUPT, "signal-header");
    sb_check(header->mark == mark, SB_ERR_ARGUMENT, label);
    sb_check(header->size_bytes <= header->pool_class->block_bytes, SB_ERR_CORRUPT, "signal-header");
    if (!SB_CFG_ISOLATED ||
        !sb_isolation_mapped(port_node(), header)) { /* else a domain could end the node */
        sb_check(sb_end_intact(header), SB_ERR_CORRUPT, "signal-end-mark");
    }
}

static inline void class_give(struct sb_signal_header *header)
{
    struct sb_pool_class *size_class = header->pool_class;
    if (SB_CHECKED) {
        header->mark = SB_SIGNAL_FREE;
    }
    const uint32_t state = port_lock();
    header->next = size_class->free;
    size_class->free = header;
    size_class->in_use--;
    port_unlock(state);
}

void sb_pool_return(struct sb_signal_header *header)
{
    class_give(header);
}

/** The class's blocks that `task` owns go back; one per critical section. */
SB_COLD static void class_reclaim(struct sb_pool_class *size_class, const struct sb_task *task)
{
    uint32_t state = port_lock();
    uint8_t *block = size_class->fresh; /* what is cut from now on is not the dead task's */
    uint32_t cut = size_class->blocks - size_class->fresh_blocks;
    port_unlock(state);
    for (; cut > 0; cut--) {
        block -= size_class->stride_bytes;
        struct sb_signal_header *header = sb_block_header(size_class, block, cut - 1u);
        state = port_lock();
        if (header->next == (const struct sb_signal_header *)(const void *)task) {
            class_give(header);
        }
        port_unlock(state);
    }
}

SB_COLD void sb_pool_reclaim(struct sb_node *node, const struct sb_task *task)
{
    for (uint32_t pool = 0; pool < node->pool_count; pool++) {
        for (uint32_t i = 0; i < node->pools[pool].classes; i++) {
            class_reclaim(&node->pools[pool].size_class[i], task);
        }
    }
}

void sb_free(union sb_signal **sig)
{
    SB_PROBE(kernel_enter, SB_SERVICE_FREE);
    sb_check(sig != NULL && *sig != NULL, SB_ERR_ARGUMENT, "free-null");
    struct sb_signal_header *header = sb_signal_header_of(*sig);
    sb_signal_check(*sig, SB_SIGNAL_OWNED, "signal-not-owned");
    *sig = NULL;
    class_give(header);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_FREE);
}

uint32_t sb_pool_classes(uint32_t pool)
{
    const struct sb_node *node = port_node();
    return pool < node->pool_count ? node->pools[pool].classes : 0;
}

SB_COLD enum sb_err sb_pool_reset(uint32_t number)
{
    struct sb_node *node = port_node();
    if (number >= node->pool_count) {
        return SB_ERR_ARGUMENT;
    }
    struct sb_pool *pool = &node->pools[number];
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    for (uint32_t i = 0; i < pool->classes; i++) {
        err = pool->size_class[i].in_use != 0 ? SB_ERR_BUSY : err;
    }
    for (uint32_t i = 0; err == SB_OK && i < pool->classes; i++) {
        struct sb_pool_class *size_class = &pool->size_class[i];
        size_class->free = NULL;
        size_class->fresh -= size_class->stride_bytes * (size_class->blocks - size_class->fresh_blocks);
        size_class->fresh_blocks = size_class->blocks;
        size_class->refused = 0;
    }
    port_unlock(state);
    return err;
}

SB_COLD enum sb_err sb_pool_status(uint32_t pool, uint32_t class_index, struct sb_pool_status *out)
{
    const struct sb_node *node = port_node();
    if (pool >= node->pool_count || class_index >= node->pools[pool].classes) {
        return SB_ERR_ARGUMENT;
    }
    const struct sb_pool_class *size_class = &node->pools[pool].size_class[class_index];
    const uint32_t state = port_lock();
    out->block_bytes = size_class->block_bytes;
    out->blocks = size_class->blocks;
    out->in_use = size_class->in_use;
    out->in_use_max = size_class->blocks - size_class->fresh_blocks;
    out->refused = size_class->refused;
    port_unlock(state);
    return SB_OK;
}
