/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_HOST_WORLD_H
#define SB_HOST_WORLD_H
/** @file
 *  Nodes for tests: tables made at run time, a log of what happened, and tasks whose bodies the test chooses.
 */
#include "host_port.h"

#define WORLD_TASKS 12u

union sb_signal {
    uint32_t signo;
    struct {
        uint32_t signo;
        uint32_t value;
    } numbered;
    uint8_t bytes[128];
};

struct world {
    struct host_node host;
    struct sb_node_config config;
    struct sb_task_config tasks[WORLD_TASKS];
    struct sb_task task_state[WORLD_TASKS];
    struct sb_pool_config pools[2];
    struct sb_pool pool_state[2];
    uint8_t *pool_memory[2];
    uint8_t *stacks;
    char log[256];
    uint32_t log_length;
};

/** A node `index` of two, tick on, without tasks; pool 0: 32 bytes × 16, 128 × 4; pool 1: 8 × 2. Selected. */
struct world *world_make(uint16_t index);
/** Add a task; the answer is its index. */
uint32_t world_task(struct world *world, const char *name, uint8_t priority, void (*entry)(void));
/** Add an interrupt task, `irq` -1 or its line. */
uint32_t world_interrupt(struct world *world, const char *name, uint8_t priority, int8_t irq,
                         void (*entry)(void));
/** Memory for pool 0 anew: its sizes have been changed. */
void world_pool_memory(struct world *world);
void world_boot(struct world *world);
void world_free(struct world *world);

/** Add the task "z" (priority 31), which does what world_by_task asks for. */
uint32_t world_servant(struct world *world);
/** What `call` answers, called in interrupt context, or by the servant; then everybody runs. The node idles before. */
enum sb_err world_by_interrupt(enum sb_err (*call)(sb_addr task), sb_addr task);
enum sb_err world_by_task(enum sb_err (*call)(sb_addr task), sb_addr task);

/** The selected world's log; reading empties it. */
void world_log(char c);
const char *world_log_take(void);

/** Signals in use, all pools. */
uint32_t world_in_use(void);

/** The selected world. */
struct world *world_here(void);
void world_select(struct world *world);

#endif
