/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from system.toml for the node `left`. */
#include "config.h"

#include "platform.h"
#include "signalbox/config_types.h"
#include "signalbox/link.h"

__attribute__((section(".sb_params"), used)) volatile const uint32_t sb_param_size_bytes = 16u;
__attribute__((section(".sb_params"), used)) volatile const uint32_t sb_param_threshold = 4294967295u;

void worker(void);
void clock(void);
void sb_rlnh_task(void);
void sb_cm_rx_task(void);
void sb_link_driver_task(void);
static SB_CONFIG_ALIGN uint8_t stack_0[1008]; /* first.of-all */
static SB_CONFIG_ALIGN uint8_t stack_1[2048]; /* second */
static SB_CONFIG_ALIGN uint8_t stack_2[4096]; /* rlnh */
static SB_CONFIG_ALIGN uint8_t stack_3[4096]; /* cm_rx */

static const struct sb_task_config tasks[] = {
    {.name = "first.of-all", .entry = worker, .kind = SB_TASK_PRIORITY, .priority = 12, .irq = -1,
     .stack = stack_0, .stack_bytes = sizeof stack_0},
    {.name = "clock", .entry = clock, .kind = SB_TASK_INTERRUPT, .priority = 3, .irq = 17},
    {.name = "second", .entry = worker, .kind = SB_TASK_PRIORITY, .priority = 31, .irq = -1,
     .stack = stack_1, .stack_bytes = sizeof stack_1},
    {.name = "rlnh", .entry = sb_rlnh_task, .kind = SB_TASK_PRIORITY, .priority = 9, .irq = -1,
     .stack = stack_2, .stack_bytes = sizeof stack_2},
    {.name = "cm_rx", .entry = sb_cm_rx_task, .kind = SB_TASK_PRIORITY, .priority = 10, .irq = -1,
     .stack = stack_3, .stack_bytes = sizeof stack_3},
    {.name = "drv", .entry = sb_link_driver_task, .kind = SB_TASK_INTERRUPT, .priority = 0, .irq = 16},
};
static struct sb_task task_state[6];

static SB_CONFIG_ALIGN uint8_t pool_0[SB_POOL_BYTES(16, 32) + SB_POOL_BYTES(64, 16) + SB_POOL_BYTES(256, 4)];

static SB_CONFIG_ALIGN uint8_t pool_1[SB_POOL_BYTES(1024, 2)];

static const struct sb_pool_config pools[] = {
    {.memory = pool_0, .memory_bytes = sizeof pool_0, .classes = 3,
     .block_bytes = {16, 64, 256},
     .block_count = {32, 16, 4}},
    {.memory = pool_1, .memory_bytes = sizeof pool_1, .classes = 1,
     .block_bytes = {1024},
     .block_count = {2}},
};
static struct sb_pool pool_state[2];

extern uint8_t __sb_shared_base[];
extern const struct sb_link_manager sb_manager_cm_ptp;
extern const struct sb_link_driver sb_driver_shm_ack;
static SB_CONFIG_ALIGN uint8_t dm_0[4 * SB_DM_BUFFER_BYTES(1024)];

static const struct sb_link_config links[] = {
    {.name = "left-right", .peer_node = 1, .peer_core = 1, .side = 0,
     .doorbell_bit = 0, .cached = true, .mtu_bytes = 1024,
     .dm_buffers = 4, .dm_memory = dm_0, .dm_memory_bytes = sizeof dm_0,
     .area = __sb_shared_base + 0x0u, .area_bytes = 0x40000u,
     .manager = &sb_manager_cm_ptp, .driver = &sb_driver_shm_ack},
};

static const char *const node_names[] = {"left", "right"};

const struct sb_node_config sb_node_config = {
    .node = SB_CFG_NODE,
    .node_count = SB_CFG_NODES,
    .node_names = node_names,
    .tick_hz = SB_CFG_TICK_HZ,
    .task_count = sizeof tasks / sizeof *tasks,
    .tasks = tasks,
    .task_state = task_state,
    .pool_count = sizeof pools / sizeof *pools,
    .pools = pools,
    .pool_state = pool_state,
    .link_count = sizeof links / sizeof *links,
    .links = links,
};
