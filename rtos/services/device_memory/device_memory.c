/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/device_memory.h"

#include <stddef.h>

#include "platform.h"
#include "signalbox/port.h"

#define NONE 0xffffu
#define TAKEN 0xfffeu

enum sb_err sb_dm_init(struct sb_dm_pool *pool, void *memory, uint32_t buffer_bytes, uint32_t count,
                       uint16_t *books)
{
    if (pool == NULL || memory == NULL || books == NULL || (uintptr_t)memory % SB_DM_ALIGN != 0) {
        return SB_ERR_ARGUMENT;
    }
    if (SB_CACHE_LINE_BYTES > SB_DM_ALIGN || buffer_bytes == 0 || buffer_bytes > UINT32_MAX - SB_DM_ALIGN ||
        count == 0 || count > TAKEN || SB_DM_STRIDE(buffer_bytes) > UINT32_MAX / count) {
        return SB_ERR_SIZE;
    }
    *pool = (struct sb_dm_pool){.memory = memory,
                                .next = books,
                                .stride_bytes = SB_DM_STRIDE(buffer_bytes),
                                .count = (uint16_t)count};
    for (uint32_t i = 0; i < count; i++) {
        books[i] = i + 1 < count ? (uint16_t)(i + 1) : NONE;
    }
    return SB_OK;
}

void *sb_dm_alloc(struct sb_dm_pool *pool)
{
    void *buffer = NULL;
    const uint32_t state = port_lock();
    const uint16_t i = pool->first_free;
    if (i != NONE) {
        pool->first_free = pool->next[i];
        pool->next[i] = TAKEN;
        pool->in_use++;
        if (pool->in_use > pool->in_use_max) {
            pool->in_use_max = pool->in_use;
        }
        buffer = pool->memory + i * pool->stride_bytes;
    } else {
        pool->refused++;
    }
    port_unlock(state);
    return buffer;
}

enum sb_err sb_dm_free(struct sb_dm_pool *pool, void *buffer)
{
    enum sb_err err = SB_ERR_ARGUMENT;
    const uintptr_t offset = (uintptr_t)buffer - (uintptr_t)pool->memory;
    const uintptr_t i = offset / pool->stride_bytes;
    if (i >= pool->count || offset % pool->stride_bytes != 0) {
        return err;
    }
    const uint32_t state = port_lock();
    if (pool->next[i] == TAKEN) {
        pool->next[i] = pool->first_free;
        pool->first_free = (uint16_t)i;
        pool->in_use--;
        err = SB_OK;
    }
    port_unlock(state);
    return err;
}
