/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Heap, device memory, timeout server. */
#include <stddef.h>
#include <stdlib.h>

#include "check.h"
#include "signalbox/device_memory.h"
#include "signalbox/heap.h"
#include "signalbox/sem.h"
#include "signalbox/timeout.h"
#include "signalbox/timer.h"
#include "world.h"

/* ---- heap */

#define HEAP_BYTES 16384u
#define SLOTS 64u

static _Alignas(64) uint8_t heap_memory[HEAP_BYTES + 64];
static struct sb_heap heap;

static struct {
    uint8_t *memory;
    uint32_t bytes;
    uint8_t value;
} slots[SLOTS];

static void fill(uint32_t i, uint8_t *memory, uint32_t bytes)
{
    slots[i].memory = memory;
    slots[i].bytes = bytes;
    slots[i].value = (uint8_t)check_random(256);
    memset(memory, slots[i].value, bytes);
}

/** The first `bytes` of a slot are as they were written. */
static bool kept(uint32_t i, const uint8_t *memory, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes; k++) {
        if (memory[k] != slots[i].value) {
            return false;
        }
    }
    return true;
}

static uint32_t some_bytes(void)
{
    const uint32_t kind = check_random(10);
    return kind < 6 ? 1 + check_random(64) : kind < 9 ? 1 + check_random(700) : 1 + check_random(HEAP_BYTES);
}

/** Within the guarantee no request is refused: a free block of 9/8 of it exists. */
static void must_serve(const void *got, uint32_t bytes)
{
    struct sb_heap_status status;
    if (got == NULL) {
        sb_heap_status(&heap, &status);
        EQUAL((uint64_t)status.largest_free_bytes * 8 < ((uint64_t)bytes + 7) * 9 + 64, true);
    }
}

static void heap_against_model(void)
{
    memset(slots, 0, sizeof slots);
    EQUAL(sb_heap_init(&heap, heap_memory, HEAP_BYTES), SB_OK);
    struct sb_heap_status status;
    sb_heap_status(&heap, &status);
    const uint32_t all = status.largest_free_bytes;
    uint32_t moved = 0;
    uint32_t refused = 0;
    for (uint32_t step = 0; step < check_rounds(60000) && check_failed() == 0; step++) {
        const uint32_t i = check_random(SLOTS);
        const uint32_t bytes = some_bytes();
        if (slots[i].memory == NULL) {
            uint8_t *got = check_random(4) ? sb_heap_alloc(&heap, bytes) : sb_heap_calloc(&heap, 1, bytes);
            must_serve(got, bytes);
            refused += got == NULL;
            if (got != NULL) {
                EQUAL((uintptr_t)got % 8, 0);
                EQUAL(got >= heap_memory && got + bytes <= heap_memory + HEAP_BYTES, true);
                fill(i, got, bytes);
            }
        } else {
            EQUAL(kept(i, slots[i].memory, slots[i].bytes), true); /* nobody else has written here */
            if (check_random(3) == 0) {
                const uint32_t common = bytes < slots[i].bytes ? bytes : slots[i].bytes;
                uint8_t *got = sb_heap_realloc(&heap, slots[i].memory, bytes);
                if (got != NULL) {
                    EQUAL(kept(i, got, common), true);
                    moved += got != slots[i].memory;
                    fill(i, got, bytes);
                } else {
                    must_serve(got, bytes);
                    EQUAL(kept(i, slots[i].memory, slots[i].bytes), true);
                }
            } else {
                sb_heap_free(&heap, slots[i].memory);
                slots[i].memory = NULL;
            }
        }
        if (step % 16 == 0) {
            EQUAL(sb_heap_intact(&heap), true);
        }
    }
    EQUAL(moved > 0 && refused > 0, true);
    for (uint32_t i = 0; i < SLOTS; i++) {
        sb_heap_free(&heap, slots[i].memory);
    }
    EQUAL(sb_heap_intact(&heap), true);
    sb_heap_status(&heap, &status);
    EQUAL(status.used_bytes, 0);
    EQUAL(status.blocks, 0);
    EQUAL(status.largest_free_bytes, all); /* everything has grown together again */
    EQUAL(status.used_bytes_max > HEAP_BYTES / 2, true);
}

/** Three blocks of each combination of small sizes, freed in each order: all of it comes back. */
static void heap_exhaustive(void)
{
    static const uint32_t sizes[] = {1, 8, 9, 56, 64, 72, 500};
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (uint32_t code = 0; code < 7 * 7 * 7 && check_failed() == 0; code++) {
        for (uint32_t order = 0; order < 6; order++) {
            void *blocks[3];
            EQUAL(sb_heap_init(&heap, heap_memory, 2048), SB_OK);
            blocks[0] = sb_heap_alloc(&heap, sizes[code % 7]);
            blocks[1] = sb_heap_alloc(&heap, sizes[code / 7 % 7]);
            blocks[2] = sb_heap_alloc(&heap, sizes[code / 49]);
            EQUAL(blocks[0] != NULL && blocks[1] != NULL && sb_heap_intact(&heap), true);
            for (uint32_t i = 0; i < 3; i++) {
                sb_heap_free(&heap, blocks[orders[order][i]]);
                EQUAL(sb_heap_intact(&heap), true);
            }
            EQUAL(heap.used_bytes, 0);
        }
    }
}

static void heap_edges(void)
{
    EQUAL(sb_heap_init(&heap, NULL, 4096), SB_ERR_ARGUMENT);
    EQUAL(sb_heap_init(&heap, heap_memory + 4, 4096), SB_ERR_ARGUMENT);
    EQUAL(sb_heap_init(&heap, heap_memory, SB_HEAP_BYTES_MIN - 1), SB_ERR_SIZE);
    EQUAL(sb_heap_init(&heap, heap_memory, SB_HEAP_BYTES_MAX + 1), SB_ERR_SIZE);
    EQUAL(sb_heap_init(&heap, heap_memory, SB_HEAP_BYTES_MIN), SB_OK);
    EQUAL(sb_heap_alloc(&heap, 0) == NULL, true);
    EQUAL(sb_heap_alloc(&heap, UINT32_MAX) == NULL, true);
    EQUAL(sb_heap_alloc(&heap, SB_HEAP_BYTES_MAX) == NULL, true);
    EQUAL(sb_heap_calloc(&heap, 65536, 65537) == NULL, true); /* the product is 65536 with 32 bits */
    EQUAL(sb_heap_calloc(&heap, 0, 4) == NULL, true);
    uint8_t *a = sb_heap_realloc(&heap, NULL, 10);
    uint8_t *b = sb_heap_calloc(&heap, 3, 5);
    EQUAL(a != NULL && b != NULL, true);
    for (uint32_t i = 0; i < 15; i++) {
        EQUAL(b[i], 0);
    }
    EQUAL(sb_heap_realloc(&heap, b, 40) == b, true); /* into what is free behind it */
    EQUAL(sb_heap_realloc(&heap, b, 4) == b, true);
    memset(a, 7, 10);
    uint8_t *moved = sb_heap_realloc(&heap, a, 20); /* b is in the way */
    EQUAL(moved != a && moved[9] == 7, true);
    EQUAL(sb_heap_realloc(&heap, moved, 10000) == NULL, true);
    EQUAL(moved[9], 7);
    EQUAL(sb_heap_realloc(&heap, moved, 0) == NULL, true);
    sb_heap_free(&heap, b);
    sb_heap_free(&heap, NULL);
    EQUAL(sb_heap_intact(&heap), true);
    EQUAL(heap.blocks, 0);
    struct sb_heap_status status;
    sb_heap_status(&heap, &status);
    EQUAL(status.refused, 5 + 1);
}

static void (*violating)(void);

static void violate(void)
{
    EQUAL(sb_heap_init(&heap, heap_memory, 4096), SB_OK);
    violating();
    world_log('!');
}

static void expect_violation(void (*body)(void), const char *label)
{
    if (SB_CFG_LEVEL < SB_LEVEL_CHECKED) {
        return;
    }
    struct world *world = world_make(0);
    violating = body;
    world_task(world, "task", 0, violate);
    world_boot(world);
    host_run();
    TEXT(host_fatal_label, label);
    world_free(world);
}

static void free_heap_twice(void)
{
    void *a = sb_heap_alloc(&heap, 20);
    void *b = sb_heap_alloc(&heap, 20);
    sb_heap_free(&heap, a);
    sb_heap_free(&heap, a);
    sb_heap_free(&heap, b);
}

static void free_heap_twice_merged(void)
{
    void *a = sb_heap_alloc(&heap, 20);
    void *b = sb_heap_alloc(&heap, 20);
    void *c = sb_heap_alloc(&heap, 20);
    sb_heap_free(&heap, a);
    sb_heap_free(&heap, b); /* one with a now */
    sb_heap_free(&heap, b);
    sb_heap_free(&heap, c);
}

static void overwrite_heap(void)
{
    uint8_t *a = sb_heap_alloc(&heap, 24);
    uint8_t *b = sb_heap_alloc(&heap, 24);
    memset(a, 0xff, 32);
    sb_heap_free(&heap, b);
}

static void overwrite_own_end(void)
{
    uint8_t *a = sb_heap_alloc(&heap, 24);
    uint8_t *b = sb_heap_alloc(&heap, 24);
    memset(a, 0xff, 32);
    sb_heap_free(&heap, a);
    sb_heap_free(&heap, b);
}

static void free_elsewhere(void)
{
    static _Alignas(8) uint8_t other[64];
    sb_heap_free(&heap, other + 16);
}

static void heap_violations(void)
{
    expect_violation(free_heap_twice, "heap-free-twice");
    expect_violation(free_heap_twice_merged, "heap-free-twice");
    expect_violation(overwrite_heap, "heap-overwritten");
    expect_violation(overwrite_own_end, "heap-overwritten");
    expect_violation(free_elsewhere, "heap-not-a-block");
}

/* ---- device memory */

static void device_memory(void)
{
    static _Alignas(SB_DM_ALIGN) uint8_t memory[4 * SB_DM_STRIDE(100)];
    static uint16_t books[4];
    struct sb_dm_pool pool;
    void *got[4];
    memset(memory, 0x5a, sizeof memory);
    EQUAL(SB_DM_STRIDE(100), 128);
    EQUAL(sb_dm_init(&pool, memory + 8, 100, 4, books), SB_ERR_ARGUMENT);
    EQUAL(sb_dm_init(&pool, NULL, 100, 4, books), SB_ERR_ARGUMENT);
    EQUAL(sb_dm_init(&pool, memory, 100, 4, NULL), SB_ERR_ARGUMENT);
    EQUAL(sb_dm_init(&pool, memory, 0, 4, books), SB_ERR_SIZE);
    EQUAL(sb_dm_init(&pool, memory, UINT32_MAX, 4, books), SB_ERR_SIZE);
    EQUAL(sb_dm_init(&pool, memory, 100, 0, books), SB_ERR_SIZE);
    EQUAL(sb_dm_init(&pool, memory, 100, 65535, books), SB_ERR_SIZE);
    EQUAL(sb_dm_init(&pool, memory, 1u << 20, 65534, books), SB_ERR_SIZE);
    EQUAL(sb_dm_init(&pool, memory, 100, 4, books), SB_OK);
    for (uint32_t i = 0; i < 4; i++) {
        got[i] = sb_dm_alloc(&pool);
        EQUAL((uintptr_t)got[i] % SB_DM_ALIGN, 0);
    }
    EQUAL(sb_dm_alloc(&pool) == NULL, true);
    EQUAL(pool.refused, 1);
    EQUAL(sb_dm_free(&pool, got[2]), SB_OK);
    EQUAL(sb_dm_free(&pool, got[2]), SB_ERR_ARGUMENT);
    EQUAL(sb_dm_free(&pool, (uint8_t *)got[1] + 32), SB_ERR_ARGUMENT);
    EQUAL(sb_dm_free(&pool, memory + sizeof memory), SB_ERR_ARGUMENT);
    EQUAL(sb_dm_free(&pool, NULL), SB_ERR_ARGUMENT);
    EQUAL(sb_dm_free(&pool, got[0]), SB_OK);
    EQUAL(sb_dm_alloc(&pool) == got[0], true); /* the warmest */
    EQUAL(sb_dm_alloc(&pool) == got[2], true);
    EQUAL(pool.in_use, 4);
    EQUAL(pool.in_use_max, 4);
    for (uint32_t i = 0; i < sizeof memory; i++) {
        EQUAL(memory[i], 0x5a); /* buffers are not touched */
    }
}

/* ---- timeout server */

static struct sb_timeout timeouts[3];
static char names[] = "abc";

static void note(void *argument)
{
    world_log(*(char *)argument);
}

static void ask(void);
static void (*asked)(void);

static void ask(void)
{
    for (uint32_t i = 0; i < 3; i++) {
        sb_timeout_init(&timeouts[i], note, &names[i]);
    }
    for (;;) {
        sb_fsem_wait();
        asked();
    }
}

static void wake_client(void)
{
    EQUAL(sb_fsem_signal(sb_task_lookup("client")), SB_OK);
}

static void as_client(void (*body)(void))
{
    asked = body;
    host_interrupt(wake_client);
}

static const char *pass(uint32_t ticks)
{
    while (ticks-- > 0) {
        world_log('.');
        host_interrupt(sb_tick);
    }
    return world_log_take();
}

static void start_three(void)
{
    EQUAL(sb_timeout_start(&timeouts[0], 3, 0), SB_OK);
    EQUAL(sb_timeout_start(&timeouts[1], 1, 2), SB_OK);
    EQUAL(sb_timeout_start(&timeouts[2], 3, 3), SB_OK);
}

static void cancel_b(void)
{
    EQUAL(sb_timeout_cancel(&timeouts[1]), SB_OK);
    EQUAL(sb_timeout_cancel(&timeouts[1]), SB_ERR_NOT_FOUND);
    EQUAL(sb_timeout_cancel(&timeouts[0]), SB_ERR_NOT_FOUND); /* has been called */
    EQUAL(sb_timeout_start(&timeouts[2], 1, 0), SB_OK);       /* modified */
}

static void bad_timeouts(void)
{
    EQUAL(sb_timeout_start(&timeouts[0], 0, 0), SB_ERR_ARGUMENT);
    EQUAL(sb_timeout_start(&timeouts[0], 0x80000000u, 0), SB_ERR_ARGUMENT);
    EQUAL(sb_timeout_start(&timeouts[0], 1, 0x80000000u), SB_ERR_ARGUMENT);
    EQUAL(sb_timeout_start(&timeouts[0], 0x7fffffffu, 0x7fffffffu), SB_OK);
    EQUAL(sb_timeout_cancel(&timeouts[0]), SB_OK);
}

static void timeout_server(void)
{
    struct world *world = world_make(0);
    world_task(world, "server", 5, sb_timeout_task);
    world_task(world, "client", 9, ask);
    world_boot(world);
    host_run();
    as_client(start_three);
    TEXT(pass(7), ".b..acb..b.c.b");
    as_client(cancel_b);
    TEXT(pass(9), ".c........");
    as_client(bad_timeouts);
    EQUAL(port_node()->timers.first == NULL, true);
    world_free(world);
}

static enum sb_err stop_server(sb_addr task)
{
    return sb_task_stop(task);
}

/** A server that is late calls for each period, in turn; a cancelled call does not come. */
static void late_server(void)
{
    struct world *world = world_make(0);
    world_task(world, "server", 5, sb_timeout_task);
    world_task(world, "client", 9, ask);
    world_boot(world);
    host_run();
    const sb_addr server = sb_task_lookup("server");
    as_client(start_three);
    EQUAL(world_by_interrupt(stop_server, server), SB_OK);
    TEXT(pass(6), "......");
    EQUAL(world_by_interrupt(sb_task_start, server), SB_OK);
    TEXT(world_log_take(), "bacbcb");
    EQUAL(world_by_interrupt(stop_server, server), SB_OK);
    TEXT(pass(1), ".");
    asked = NULL;
    as_client(cancel_b);
    EQUAL(world_by_interrupt(sb_task_start, server), SB_OK);
    TEXT(pass(3), ".c..");
    world_free(world);
}

static void no_server(void)
{
    sb_timeout_init(&timeouts[0], note, names);
    EQUAL(sb_timeout_start(&timeouts[0], 1, 0), SB_ERR_NOT_FOUND);
    world_log('n');
}

static void no_tick(void)
{
    sb_timeout_init(&timeouts[0], note, names);
    EQUAL(sb_timeout_start(&timeouts[0], 1, 0), SB_ERR_NO_TICK);
    world_log('t');
}

static void without(void)
{
    struct world *world = world_make(0);
    world_task(world, "client", 9, no_server);
    world_boot(world);
    host_run();
    TEXT(world_log_take(), "n");
    world_free(world);
    world = world_make(0);
    world->config.tick_hz = 0;
    world_task(world, "client", 9, no_tick);
    world_boot(world);
    host_run();
    TEXT(world_log_take(), "t");
    world_free(world);
}

void suite_services(void)
{
    struct world *world = world_make(0); /* the heap masks interrupts of some node */
    world_boot(world);
    check_run("heap against a model", heap_against_model);
    check_run("heap: three blocks of all sizes in all orders", heap_exhaustive);
    check_run("heap: edges", heap_edges);
    check_run("device memory", device_memory);
    world_free(world);
    check_run("heap: violations", heap_violations);
    check_run("timeout server", timeout_server);
    check_run("timeout server: late, cancelled", late_server);
    check_run("timeouts without server or tick", without);
}
