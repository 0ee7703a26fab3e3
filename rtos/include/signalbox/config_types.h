/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_CONFIG_TYPES_H
#define SIGNALBOX_CONFIG_TYPES_H
/** @file
 *  What the build tells a node about itself: `config.c` defines one constant `sb_node_config` of these types,
 *  and the memory that it points to. An example is in rtos/include/README.md. All sizes in bytes. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/hooks.h"
#include "signalbox/node.h"
#include "signalbox/pool.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

struct sb_link_manager;
struct sb_link_driver;

/** Alignment of stacks and pool memory in config.c. */
#define SB_CONFIG_ALIGN _Alignas(32)

/** One task. Its index in the table is the index in its address. Must stay while the task lives. */
struct sb_task_config {
    const char *name; /**< unique on the node, at most 31 characters, no slash */
    void (*entry)(
        void); /**< priority and best-effort task: returning ends it; interrupt task: one activation; periodic
                            task: one job */
    uint8_t kind;     /**< enum sb_task_kind, not SB_TASK_IDLE */
    uint8_t priority; /**< 0..31, 0 the most urgent; interrupt tasks have a scale of their own */
    int8_t irq;       /**< interrupt task: bit in mip that activates it; -1: none, and for all others */
    bool stopped;     /**< is created stopped: sb_task_start lets it run */
    void *stack; /**< lowest address, aligned to 16; interrupt task: NULL. The lowest SB_CFG_GUARD_BYTES bytes
                               cannot be written while the task runs */
    uint32_t stack_bytes; /**< a multiple of 16, at least 256; interrupt task: 0 */
    /** What its kind adds: &sb_periodic, &sb_earliest_deadline or &sb_round_robin (task.h); NULL: nothing. So a node without such tasks
     *  does not carry their code. */
    const struct sb_task_class *task_class;
    void *
        class_state; /**< struct sb_period of this task alone; struct sb_slice, shared by tasks of equal slices */
};

/** State of a periodic task; the first three fields are its configuration. */
struct sb_period {
    uint32_t period_ticks;
    uint32_t deadline_ticks; /**< after each release; up to period_ticks */
    uint32_t phase_ticks;    /**< from its start to the first release */
    /* The kernel's. */
    struct sb_timer_entry timer; /**< next deadline or release */
    struct sb_task *task;
    uint32_t released_tick;
    uint32_t deadline_tick; /**< of the job that runs, or comes next */
    uint32_t pending;       /**< releases whose job has not begun */
    bool busy;              /**< a job has begun and not ended */
    bool at_deadline;       /**< the timer runs to the deadline of the last release */
    uint32_t next_period_ticks;
    uint32_t next_deadline_ticks;
    uint32_t jobs;
    uint32_t misses;
    uint32_t overruns;
    uint32_t response_ticks_max;
};

/** Turns of some best-effort tasks; the first field is the configuration. */
struct sb_slice {
    uint32_t ticks; /**< length of a turn, 1..65535 */
    /* The kernel's. */
    struct sb_timer_entry timer;
    bool running;
};

/** Smallest stack. */
#define SB_STACK_BYTES_MIN 256u
/** Highest interrupt line of a task. */
#define SB_IRQ_MAX 31

/** One pool; number 0 is the system pool. */
struct sb_pool_config {
    const char *name;      /**< for sb_pool_lookup; NULL: none */
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
    uint16_t node;                 /**< this node's index in the system */
    uint16_t node_count;           /**< nodes in the system */
    const char *const *node_names; /**< of all nodes, by index */
    uint32_t tick_hz;              /**< kernel tick, 0: off (SB_CFG_TICK_HZ) */
    const struct sb_clock
        *clock;           /**< &sb_tickless: an interrupt only when something is due; NULL: every tick */
    bool cooperative;     /**< tasks run until they wait or yield */
    uint32_t task_count;  /**< tasks that exist from the start */
    uint32_t spare_tasks; /**< room for sb_task_create; with task_count up to 4095 */
    const struct sb_task_config *tasks; /**< by index, task_count elements */
    struct sb_task *task_state;         /**< task_count + spare_tasks elements, zero */
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
