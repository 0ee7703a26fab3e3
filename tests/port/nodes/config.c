/* SPDX-License-Identifier: Apache-2.0 */
/* As generated, for either node of the pair. */
#include "config.h"

#include "platform.h"
#include "signalbox/config_types.h"
#include "signalbox/link.h"

void pair_task(void);
void sb_rlnh_task(void);
void sb_cm_rx_task(void);
void sb_link_driver_task(void);

static SB_CONFIG_ALIGN uint8_t stack_0[2048];
static SB_CONFIG_ALIGN uint8_t stack_1[2048];
static SB_CONFIG_ALIGN uint8_t stack_2[2048];

static const struct sb_task_config tasks[] = {
    {.name = SB_CFG_NODE == 0 ? "master" : "echo",
     .entry = pair_task,
     .kind = SB_TASK_PRIORITY,
     .priority = 12,
     .irq = -1,
     .stack = stack_0,
     .stack_bytes = sizeof stack_0},
    {.name = "rlnh",
     .entry = sb_rlnh_task,
     .kind = SB_TASK_PRIORITY,
     .priority = 9,
     .irq = -1,
     .stack = stack_1,
     .stack_bytes = sizeof stack_1},
    {.name = "cm_rx",
     .entry = sb_cm_rx_task,
     .kind = SB_TASK_PRIORITY,
     .priority = 10,
     .irq = -1,
     .stack = stack_2,
     .stack_bytes = sizeof stack_2},
    {.name = "drv",
     .entry = sb_link_driver_task,
     .kind = SB_TASK_INTERRUPT,
     .priority = 0,
     .irq = SB_PULSE_IRQ},
};
static struct sb_task task_state[sizeof tasks / sizeof *tasks];

static SB_CONFIG_ALIGN uint8_t pool_0[SB_POOL_BYTES(128, 32) + SB_POOL_BYTES(4096, 8)];
static const struct sb_pool_config pools[] = {
    {.memory = pool_0,
     .memory_bytes = sizeof pool_0,
     .classes = 2,
     .block_bytes = {128, 4096},
     .block_count = {32, 8}},
};
static struct sb_pool pool_state[1];

extern uint8_t __sb_shared_base[];
extern const struct sb_link_manager sb_manager_cm_ptp;
extern const struct sb_link_driver sb_driver_shm_ack;
static SB_CONFIG_ALIGN uint8_t dm_0[10 * SB_DM_BUFFER_BYTES(1024)];
static const struct sb_link_config links[] = {
    {.name = "node0-node1",
     .peer_node = 1u - SB_CFG_NODE,
     .peer_core = 1u - SB_CFG_NODE,
     .side = SB_CFG_NODE,
     .doorbell_bit = 0,
     .cached = false,
     .mtu_bytes = 1024,
     .dm_buffers = 10,
     .dm_memory = dm_0,
     .dm_memory_bytes = sizeof dm_0,
     .area = __sb_shared_base,
     .area_bytes = SB_SHARED_BYTES,
     .manager = &sb_manager_cm_ptp,
     .driver = &sb_driver_shm_ack},
};
static const char *const node_names[] = {"node0", "node1"};

const struct sb_node_config sb_node_config = {
    .node = SB_CFG_NODE,
    .node_count = SB_CFG_NODES,
    .node_names = node_names,
    .tick_hz = SB_CFG_TICK_HZ,
    .task_count = sizeof tasks / sizeof *tasks,
    .tasks = tasks,
    .task_state = task_state,
    .pool_count = 1,
    .pools = pools,
    .pool_state = pool_state,
    .link_count = 1,
    .links = links,
};
