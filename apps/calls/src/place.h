/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CALLS_PLACE_H
#define CALLS_PLACE_H
/** @file
 *  Tasks whose stacks share no lines of a direct-mapped data cache with each other, the interrupt stack, the node's state and the
 *  application's: warm then means that everything hits, wherever the linker has put what. The interrupt stack itself lies beside
 *  the node's state. */
#include <stdbool.h>
#include <stdint.h>

#include "platform.h"
#include "signalbox/config_types.h"
#include "signalbox/port.h"

#define CACHE_BYTES (SB_DCACHE_BYTES > 0 ? SB_DCACHE_BYTES : 16384u)
#define SLOT_BYTES 512u /* what of a stack is used often */
#define SLOTS (CACHE_BYTES / SLOT_BYTES)
#define PLACED_STACK_BYTES 1536u

extern uint8_t place_stack_top[] __asm__("__stack_top");
extern uint8_t place_small_data[] __asm__("__global_pointer$");

#define PLACED_MAX 4u

/* Each stack in a page of its own, of the size of the cache, so that only their tops are chosen by lines. */
static _Alignas(16) uint8_t place_arena[(PLACED_MAX + 1) * CACHE_BYTES];
static uint32_t placed;
static bool place_taken[SLOTS];

/** Nothing is placed over the lines of this. */
static void place_avoid_range(uintptr_t from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += 16) {
        place_taken[(from + i) % CACHE_BYTES / SLOT_BYTES] = true;
    }
    place_taken[(from + bytes - 1) % CACHE_BYTES / SLOT_BYTES] = true;
}

static void place_avoid(const void *from, uint32_t bytes)
{
    place_avoid_range((uintptr_t)from, bytes);
}

/** What the kernel touches often. */
static void place_avoid_kernel(void)
{
    const struct sb_node *node = port_node();
    place_avoid(node, sizeof *node);
    place_avoid(node->tasks, 8 * sizeof *node->tasks);
    place_avoid(node->pools, sizeof *node->pools);
    place_avoid_range((uintptr_t)place_small_data - 2048, 2560); /* the port's lines, among others */
    place_avoid_range((uintptr_t)&sb_node_config - 1024, 1536);  /* constants */
    place_avoid_range((uintptr_t)place_stack_top - SLOT_BYTES, SLOT_BYTES);
}

/** A stack whose top has lines of its own. */
static void *place_stack(void)
{
    for (uint32_t slot = PLACED_STACK_BYTES / SLOT_BYTES - 1; slot < SLOTS; slot++) {
        if (!place_taken[slot]) {
            place_taken[slot] = true;
            const uintptr_t pages =
                ((uintptr_t)place_arena + CACHE_BYTES - 1) & ~(uintptr_t)(CACHE_BYTES - 1);
            uintptr_t top = pages + placed++ * CACHE_BYTES + (slot + 1) * SLOT_BYTES;
            if (top < (uintptr_t)place_arena + PLACED_STACK_BYTES ||
                top > (uintptr_t)place_arena + sizeof place_arena || placed > PLACED_MAX) {
                port_finish(3);
            }
            return (void *)(top - PLACED_STACK_BYTES);
        }
    }
    port_finish(3);
}

/** A task on such a stack, from now on. */
static sb_addr place_task(struct sb_task_config *config, const char *name, void (*entry)(void),
                          uint32_t priority)
{
    *config = (struct sb_task_config){
        .name = name,
        .entry = entry,
        .kind = SB_TASK_PRIORITY,
        .priority = (uint8_t)priority,
        .irq = -1,
        .stack = place_stack(),
        .stack_bytes = PLACED_STACK_BYTES,
    };
    sb_addr addr;
    if (sb_task_create(config, &addr) != SB_OK) {
        port_finish(2);
    }
    return addr;
}

#endif
