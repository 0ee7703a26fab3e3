/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_CONFIG_TYPES_H
#define SIGNALBOX_CONFIG_TYPES_H
/** @file
 *  What the build tells a node about itself: `config.c` defines one constant `sb_node_config` of these types,
 *  and the memory that it points to. An example is in rtos/kernel/README.md. All sizes in bytes. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/hooks.h"
#include "signalbox/node.h"
#include "signalbox/pool.h"
#include "signalbox/task.h"

struct sb_link_manager;
struct sb_link_driver;

/** Alignment of stacks and pool memory in config.c. */
#define SB_CONFIG_ALIGN _Alignas(32)

/** One task. Its index in the table is the index in its address. */
struct sb_task_config {
    const char *name; /**< unique on the node, at most 31 characters, no slash */
    void (*entry)(
        void);    /**< priority task: must not return (returning ends it); interrupt task: one activation */
    uint8_t kind; /**< SB_TASK_PRIORITY or SB_TASK_INTERRUPT */
    uint8_t priority; /**< 0..31, 0 the most urgent; each kind has its own scale */
    int8_t irq;       /**< interrupt task: bit in mip that activates it; -1: none, and for priority tasks */
    void *stack;      /**< priority task: lowest address, aligned to 16; interrupt task: NULL */
    uint32_t stack_bytes; /**< a multiple of 16, at least 256; interrupt task: 0 */
};

/** One pool; number 0 is the system pool. */
struct sb_pool_config {
    void *memory;          /**< aligned to 8 */
    uint32_t memory_bytes; /**< the sum of SB_POOL_BYTES(block_bytes[i], block_count[i]) */
    uint32_t classes;      /**< 1..8 */
    uint32_t block_bytes[SB_POOL_CLASSES_MAX]; /**< ascending; multiples of 4 */
    uint32_t block_count[SB_POOL_CLASSES_MAX];
};

/** One end of a link. The kernel does not look inside.
 *  Manager "cm/ptp" is the object sb_manager_cm_ptp, driver "shm_ack" is sb_driver_shm_ack: '/' becomes '_'.
 */
struct sb_link_config {
    const char *name;     /**< name of the link in the system: "<first node>-<second node>" */
    uint16_t peer_node;   /**< index of the node at the far end */
    uint8_t peer_core;    /**< core that it runs on, for doorbells */
    uint8_t side;         /**< 0: first in `nodes` of the link, 1: second */
    uint8_t doorbell_bit; /**< bit that either end rings at the other: the number of the link in the system */
    bool cached;          /**< buffers = "cached" */
    uint32_t mtu_bytes;   /**< largest frame, headers included */
    uint32_t dm_buffers;  /**< receive buffers */
    void *dm_memory; /**< dm_buffers * SB_DM_BUFFER_BYTES(mtu_bytes), aligned to 32; the node's own memory */
    uint32_t dm_memory_bytes;
    void *area; /**< this link's part of the region that both nodes share; the same address on both ends */
    uint32_t area_bytes;
    const struct sb_link_manager *manager;
    const struct sb_link_driver *driver;
};

/** A receive buffer takes whole lines. */
#define SB_DM_BUFFER_BYTES(mtu_bytes) (((uint32_t)(mtu_bytes) + 31u) & ~31u)

/** A node. */
struct sb_node_config {
    uint16_t node;                      /**< this node's index in the system */
    uint16_t node_count;                /**< nodes in the system */
    const char *const *node_names;      /**< of all nodes, by index */
    uint32_t tick_hz;                   /**< kernel tick, 0: off (SB_CFG_TICK_HZ) */
    uint32_t task_count;                /**< up to 4095 */
    const struct sb_task_config *tasks; /**< by index */
    struct sb_task *task_state;         /**< task_count elements, zero */
    uint32_t pool_count;                /**< at least 1 */
    const struct sb_pool_config *pools; /**< by number */
    struct sb_pool *pool_state;         /**< pool_count elements, zero */
    uint32_t link_count;                /**< ends of links on this node */
    const struct sb_link_config *links; /**< by unit; NULL without links */
    const struct sb_hooks *hooks;       /**< in force from the first task's creation; NULL: none */
};

/** The node that this image starts. Defined in config.c. */
extern const struct sb_node_config sb_node_config;

#endif
