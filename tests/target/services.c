/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Heap, device memory, timeout server on a target; their cases are in tests/kernel. */
#include <stddef.h>
#include <string.h>

#include "signalbox/config_types.h"
#include "signalbox/device_memory.h"
#include "signalbox/heap.h"
#include "signalbox/timeout.h"
#include "test.h"

static void heap(void)
{
    static _Alignas(8) uint8_t memory[4096];
    static struct sb_heap heap;
    static uint8_t *blocks[20];
    EQUAL(sb_heap_init(&heap, memory, sizeof memory), SB_OK);
    for (uint32_t round = 0; round < 50; round++) {
        for (uint32_t i = 0; i < 20; i++) {
            const uint32_t bytes = 1 + (i * 37 + round * 11) % 120;
            blocks[i] = sb_heap_realloc(&heap, blocks[i], bytes);
            EQUAL(blocks[i] != NULL, true);
            memset(blocks[i], (int)i, bytes);
        }
        for (uint32_t i = round % 3; i < 20; i += 3) {
            EQUAL(blocks[i][0], i);
            sb_heap_free(&heap, blocks[i]);
            blocks[i] = NULL;
        }
    }
    EQUAL(sb_heap_intact(&heap), true);
    for (uint32_t i = 0; i < 20; i++) {
        sb_heap_free(&heap, blocks[i]);
    }
    struct sb_heap_status status;
    sb_heap_status(&heap, &status);
    EQUAL(status.used_bytes, 0);
    EQUAL(status.refused, 0);
}

static void device_memory(void)
{
    static _Alignas(SB_DM_ALIGN) uint8_t memory[2 * SB_DM_STRIDE(1500)];
    static uint16_t books[2];
    struct sb_dm_pool pool;
    EQUAL(sb_dm_init(&pool, memory, 1500, 2, books), SB_OK);
    void *a = sb_dm_alloc(&pool);
    void *b = sb_dm_alloc(&pool);
    EQUAL(a == memory && b == memory + 1504, true);
    EQUAL(sb_dm_alloc(&pool) == NULL, true);
    EQUAL(sb_dm_free(&pool, a), SB_OK);
    EQUAL(sb_dm_free(&pool, a), SB_ERR_ARGUMENT);
    EQUAL(sb_dm_free(&pool, b), SB_OK);
}

static void note(void *argument)
{
    test_log(*(const char *)argument);
}

static void timeouts(void)
{
    static SB_CONFIG_ALIGN uint8_t stack[1024];
    static const struct sb_task_config server = {.name = "timeouts",
                                                 .entry = sb_timeout_task,
                                                 .priority = 3,
                                                 .irq = -1,
                                                 .stack = stack,
                                                 .stack_bytes = sizeof stack};
    static struct sb_timeout once;
    static struct sb_timeout often;
    sb_addr task;
    sb_timeout_init(&once, note, "1");
    sb_timeout_init(&often, note, "n");
    EQUAL(sb_timeout_start(&once, 1, 0), SB_ERR_NOT_FOUND);
    EQUAL(sb_task_create(&server, &task), SB_OK);
    EQUAL(sb_timeout_start(&once, 3, 0), SB_OK);
    EQUAL(sb_timeout_start(&often, 2, 2), SB_OK);
    test_pass(6);
    LOG_EXPECT("n1nn");
    EQUAL(sb_timeout_cancel(&often), SB_OK);
    test_pass(4);
    LOG_EXPECT("");
    EQUAL(sb_task_kill(task), SB_OK);
}

void test_services(void)
{
    heap();
    device_memory();
    timeouts();
}
