/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Pools against a model: which blocks are out, how many of each class, and that nobody writes into another's
 *  block. */
#include <stddef.h>

#include "check.h"
#include "signalbox/pool.h"
#include "world.h"

#define HELD 24u

static struct {
    union sb_signal *sig;
    uint32_t size_bytes;
    uint32_t class_index; /* 0, 1 of pool 0; 2: pool 1 */
    uint8_t pattern;
} held[HELD];

static const uint32_t capacity[3] = {16, 4, 2};

static void fill(uint32_t i)
{
    for (uint32_t k = 4; k < held[i].size_bytes; k++) {
        held[i].sig->bytes[k] = held[i].pattern;
    }
}

static uint32_t damaged(uint32_t i)
{
    uint32_t wrong = 0;
    for (uint32_t k = 4; k < held[i].size_bytes; k++) {
        wrong += held[i].sig->bytes[k] != held[i].pattern;
    }
    return wrong;
}

static void against_model(void)
{
    struct world *world = world_make(0);
    world_boot(world);
    memset(held, 0, sizeof held);
    uint32_t used[3] = {0};
    uint32_t used_max[3] = {0};
    uint32_t refused[3] = {0};
    for (uint32_t step = 0; step < check_rounds(100000) && check_failed() == 0; step++) {
        const uint32_t i = check_random(HELD);
        if (held[i].sig != NULL) {
            EQUAL(damaged(i), 0);
            EQUAL(held[i].sig->signo, i + 1000);
            EQUAL(sb_size(held[i].sig), held[i].size_bytes);
            sb_free(&held[i].sig);
            EQUAL(held[i].sig == NULL, true);
            used[held[i].class_index]--;
            continue;
        }
        const bool second = check_random(4) == 0;
        const uint32_t size = 4 + check_random(second ? 6 : 126);
        const uint32_t class_index = second ? 2 : size > 32;
        const bool fits = size <= (second ? 8 : 128);
        union sb_signal *sig = sb_alloc_from(second, size, i + 1000);
        EQUAL(sig != NULL, fits && used[class_index] < capacity[class_index]);
        if (sig != NULL) {
            EQUAL((uintptr_t)sig % 8, 0);
            held[i].sig = sig;
            held[i].size_bytes = size;
            held[i].class_index = class_index;
            held[i].pattern = (uint8_t)check_random(256);
            fill(i);
            used[class_index]++;
            if (used[class_index] > used_max[class_index]) {
                used_max[class_index] = used[class_index];
            }
        } else if (fits) {
            refused[class_index]++;
        }
    }
    for (uint32_t c = 0; c < 3; c++) {
        struct sb_pool_status status;
        EQUAL(sb_pool_status(c / 2, c % 2, &status), SB_OK);
        EQUAL(status.in_use, used[c]);
        EQUAL(status.in_use_max, used_max[c]);
        EQUAL(status.refused, refused[c]);
        EQUAL(status.blocks, capacity[c]);
    }
    world_free(world);
}

static void sizes(void)
{
    EQUAL(SB_SIGNAL_HEADER_BYTES, sizeof(struct sb_signal_header));
    EQUAL(SB_POOL_STRIDE(4) - SB_SIGNAL_HEADER_BYTES, 8);
    EQUAL(SB_POOL_STRIDE(5) - SB_SIGNAL_HEADER_BYTES, 16);
    EQUAL(SB_POOL_STRIDE(12) - SB_SIGNAL_HEADER_BYTES, 16);
    EQUAL(SB_POOL_STRIDE(13) - SB_SIGNAL_HEADER_BYTES, 24);
}

void suite_pools(void)
{
    check_run("block sizes", sizes);
    check_run("pools against a model", against_model);
}
