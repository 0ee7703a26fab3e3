/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "signalbox/sem.h"

static const char *const node_names[] = {"left", "right"};
static struct world *selected;

static void *room(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (memory == NULL) {
        abort();
    }
    memset(memory, 0xc3, bytes); /* as after power-up: not zero */
    return memory;
}

void world_select(struct world *world)
{
    selected = world;
    host_select(&world->host);
}

struct world *world_here(void)
{
    return selected;
}

struct world *world_make(uint16_t index)
{
    struct world *world = room(sizeof *world);
    memset(&world->config, 0, sizeof world->config);
    world->log_length = 0;
    world->stacks = room((size_t)WORLD_TASKS * HOST_STACK_BYTES);
    world->pools[0] = (struct sb_pool_config){.memory_bytes = SB_POOL_BYTES(32, 16) + SB_POOL_BYTES(128, 4),
                                              .classes = 2,
                                              .block_bytes = {32, 128},
                                              .block_count = {16, 4}};
    world->pools[1] = (struct sb_pool_config){
        .memory_bytes = SB_POOL_BYTES(8, 2), .classes = 1, .block_bytes = {8}, .block_count = {2}};
    for (uint32_t i = 0; i < 2; i++) {
        world->pool_memory[i] = room(world->pools[i].memory_bytes);
        world->pools[i].memory = world->pool_memory[i];
    }
    world->config = (struct sb_node_config){
        .node = index,
        .node_count = 2,
        .node_names = node_names,
        .tick_hz = 1000,
        .tasks = world->tasks,
        .task_state = world->task_state,
        .pool_count = 2,
        .pools = world->pools,
        .pool_state = world->pool_state,
    };
    world_select(world);
    return world;
}

uint32_t world_task(struct world *world, const char *name, uint8_t priority, void (*entry)(void))
{
    const uint32_t i = world->config.task_count++;
    world->tasks[i] = (struct sb_task_config){.name = name,
                                              .entry = entry,
                                              .kind = SB_TASK_PRIORITY,
                                              .priority = priority,
                                              .irq = -1,
                                              .stack = world->stacks + (size_t)i * HOST_STACK_BYTES,
                                              .stack_bytes = HOST_STACK_BYTES};
    return i;
}

uint32_t world_interrupt(struct world *world, const char *name, uint8_t priority, int8_t irq,
                         void (*entry)(void))
{
    const uint32_t i = world->config.task_count++;
    world->tasks[i] = (struct sb_task_config){
        .name = name, .entry = entry, .kind = SB_TASK_INTERRUPT, .priority = priority, .irq = irq};
    return i;
}

static struct {
    enum sb_err (*call)(sb_addr task);
    sb_addr task;
    enum sb_err err;
} wish;

static void grant_wish(void)
{
    wish.err = wish.call(wish.task);
}

static void serve(void)
{
    for (;;) {
        sb_fsem_wait();
        grant_wish();
    }
}

static void wake_servant(void)
{
    SB_IGNORE(sb_fsem_signal(sb_task_lookup("z")));
}

uint32_t world_servant(struct world *world)
{
    return world_task(world, "z", 31, serve);
}

enum sb_err world_by_interrupt(enum sb_err (*call)(sb_addr task), sb_addr task)
{
    wish.call = call;
    wish.task = task;
    host_interrupt(grant_wish);
    return wish.err;
}

enum sb_err world_by_task(enum sb_err (*call)(sb_addr task), sb_addr task)
{
    wish.call = call;
    wish.task = task;
    host_interrupt(wake_servant);
    return wish.err;
}

void world_pool_memory(struct world *world)
{
    free(world->pool_memory[0]);
    world->pool_memory[0] = room(world->pools[0].memory_bytes);
    world->pools[0].memory = world->pool_memory[0];
}

void world_boot(struct world *world)
{
    world_select(world);
    host_boot(&world->config);
}

void world_free(struct world *world)
{
    free(world->pool_memory[0]);
    free(world->pool_memory[1]);
    free(world->stacks);
    free(world);
}

void world_log(char c)
{
    if (selected->log_length < sizeof selected->log - 1) {
        selected->log[selected->log_length++] = c;
    }
}

const char *world_log_take(void)
{
    selected->log[selected->log_length] = '\0';
    selected->log_length = 0;
    return selected->log;
}

uint32_t world_in_use(void)
{
    uint32_t sum = 0;
    for (uint32_t pool = 0; pool < 2; pool++) {
        for (uint32_t i = 0; i < sb_pool_classes(pool); i++) {
            struct sb_pool_status status;
            if (sb_pool_status(pool, i, &status) != SB_OK) {
                abort();
            }
            sum += status.in_use;
        }
    }
    return sum;
}
