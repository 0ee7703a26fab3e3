/* SPDX-License-Identifier: Apache-2.0 */
/* As generated, for the kernel's test; only the hooks are the test's own. */
#include "config.h"

#include "machine.h"
#include "platform.h"
#include "signalbox/config_types.h"

void test_main(void);
void test_helper(void);
void test_interrupt(void);
void test_clock(void);

static SB_CONFIG_ALIGN uint8_t stack_0[4096 + SB_CFG_GUARD_BYTES]; /* main */
static SB_CONFIG_ALIGN uint8_t stack_1[2048 + SB_CFG_GUARD_BYTES]; /* high */
static SB_CONFIG_ALIGN uint8_t stack_2[2048 + SB_CFG_GUARD_BYTES]; /* low */
static SB_CONFIG_ALIGN uint8_t stack_3[2048 + SB_CFG_GUARD_BYTES]; /* peer_a */
static SB_CONFIG_ALIGN uint8_t stack_4[2048 + SB_CFG_GUARD_BYTES]; /* peer_b */
static SB_CONFIG_ALIGN uint8_t stack_5[1024 + SB_CFG_GUARD_BYTES]; /* victim_a */
static SB_CONFIG_ALIGN uint8_t stack_6[1024 + SB_CFG_GUARD_BYTES]; /* victim_b */
static SB_CONFIG_ALIGN uint8_t stack_7[1024 + SB_CFG_GUARD_BYTES]; /* victim_c */
static SB_CONFIG_ALIGN uint8_t stack_8[1024 + SB_CFG_GUARD_BYTES]; /* floor */

static const struct sb_task_config tasks[] = {
    {.name = "main",
     .entry = test_main,
     .kind = SB_TASK_PRIORITY,
     .priority = 16,
     .irq = -1,
     .stack = stack_0,
     .stack_bytes = sizeof stack_0},
    {.name = "high",
     .entry = test_helper,
     .kind = SB_TASK_PRIORITY,
     .priority = 5,
     .irq = -1,
     .stack = stack_1,
     .stack_bytes = sizeof stack_1},
    {.name = "low",
     .entry = test_helper,
     .kind = SB_TASK_PRIORITY,
     .priority = 30,
     .irq = -1,
     .stack = stack_2,
     .stack_bytes = sizeof stack_2},
    {.name = "peer_a",
     .entry = test_helper,
     .kind = SB_TASK_PRIORITY,
     .priority = 16,
     .irq = -1,
     .stack = stack_3,
     .stack_bytes = sizeof stack_3},
    {.name = "peer_b",
     .entry = test_helper,
     .kind = SB_TASK_PRIORITY,
     .priority = 16,
     .irq = -1,
     .stack = stack_4,
     .stack_bytes = sizeof stack_4},
    {.name = "victim_a",
     .entry = test_helper,
     .kind = SB_TASK_PRIORITY,
     .priority = 0,
     .irq = -1,
     .stack = stack_5,
     .stack_bytes = sizeof stack_5},
    {.name = "victim_b",
     .entry = test_helper,
     .kind = SB_TASK_PRIORITY,
     .priority = 20,
     .irq = -1,
     .stack = stack_6,
     .stack_bytes = sizeof stack_6},
    {.name = "victim_c",
     .entry = test_helper,
     .kind = SB_TASK_PRIORITY,
     .priority = 10,
     .irq = -1,
     .stack = stack_7,
     .stack_bytes = sizeof stack_7},
    {.name = "floor",
     .entry = test_helper,
     .kind = SB_TASK_PRIORITY,
     .priority = 31,
     .irq = -1,
     .stack = stack_8,
     .stack_bytes = sizeof stack_8},
    {.name = "isr_hot", .entry = test_interrupt, .kind = SB_TASK_INTERRUPT, .priority = 1, .irq = -1},
    {.name = "isr_cold", .entry = test_interrupt, .kind = SB_TASK_INTERRUPT, .priority = 31, .irq = -1},
    {.name = "isr_line", .entry = test_interrupt, .kind = SB_TASK_INTERRUPT, .priority = 8, .irq = TEST_LINE},
    {.name = "clock", .entry = test_clock, .kind = SB_TASK_INTERRUPT, .priority = 2, .irq = -1},
};
static struct sb_task task_state[13 + 3];

static SB_CONFIG_ALIGN uint8_t pool_0[SB_POOL_BYTES(16, 8) + SB_POOL_BYTES(64, 8) + SB_POOL_BYTES(1024, 2)];

static SB_CONFIG_ALIGN uint8_t pool_1[SB_POOL_BYTES(8, 3)];

static const struct sb_pool_config pools[] = {
    {.memory = pool_0,
     .memory_bytes = sizeof pool_0,
     .classes = 3,
     .block_bytes = {16, 64, 1024},
     .block_count = {8, 8, 2}},
    {.memory = pool_1, .memory_bytes = sizeof pool_1, .classes = 1, .block_bytes = {8}, .block_count = {3}},
};
static struct sb_pool pool_state[2];

static const char *const node_names[] = {"node0", "node1", "node2", "test", "node4"};

extern const struct sb_hooks test_hooks;

const struct sb_node_config sb_node_config = {
    .node = SB_CFG_NODE,
    .node_count = SB_CFG_NODES,
    .node_names = node_names,
    .tick_hz = SB_CFG_TICK_HZ,
    .task_count = sizeof tasks / sizeof *tasks,
    .spare_tasks = 3,
    .tasks = tasks,
    .task_state = task_state,
    .pool_count = sizeof pools / sizeof *pools,
    .pools = pools,
    .pool_state = pool_state,
    .hooks = &test_hooks,
};
