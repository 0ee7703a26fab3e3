/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_NODE_H
#define SIGNALBOX_NODE_H
/** @file
 *  The state of one node, all of it: reached through port_node(), a constant address on targets and
 *  thread-local on hosts, so that several nodes live in one host process. Fields are grouped by who writes
 *  them. Applications do not look inside.
 *
 *  Unless said otherwise a field changes only with interrupts masked (port_lock). */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/hooks.h"
#include "signalbox/pool.h"
#include "signalbox/sem.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"

struct sb_node_config;
struct sb_task_config;

/** Hidden in front of every signal. The end mark (checked level) follows the signal's last byte. */
struct sb_signal_header {
    struct sb_signal_header
        *next; /**< in a task's queue, in a free list; the owner's own while a task or link owns it */
    struct sb_pool_class *pool_class; /**< where it goes back to */
    sb_addr sender;
    sb_addr addressee;
    uint32_t size_bytes;
    uint32_t mark; /**< SB_SIGNAL_OWNED, SB_SIGNAL_QUEUED or SB_SIGNAL_FREE (checked level) */
};

#define SB_SIGNAL_OWNED 0x51642d4fu
#define SB_SIGNAL_QUEUED 0x51642d51u
#define SB_SIGNAL_FREE 0x51642d46u

_Static_assert(sizeof(struct sb_signal_header) == SB_SIGNAL_HEADER_BYTES,
               "pool.h states the size of the header");
_Static_assert(sizeof(struct sb_signal_header) % 8u == 0, "signals are aligned to 8");

static inline struct sb_signal_header *sb_signal_header_of(const union sb_signal *sig)
{
    return (struct sb_signal_header *)((uintptr_t)sig - sizeof(struct sb_signal_header));
}

static inline union sb_signal *sb_signal_of(struct sb_signal_header *header)
{
    return (union sb_signal *)(void *)(header + 1);
}

/** The number of a signal: its first word. */
static inline uint32_t *sb_signal_number(struct sb_signal_header *header)
{
    return (uint32_t *)(void *)(header + 1);
}

/** FIFO of signals. `last` is meaningful only when `first` is not NULL. */
struct sb_signal_queue {
    struct sb_signal_header *first;
    struct sb_signal_header *last;
};

enum sb_task_state {
    SB_STATE_DEAD = 0,
    SB_STATE_READY,       /**< in the ready queue: running, or could run; interrupt task: activated */
    SB_STATE_RUNNING,     /**< interrupt task: its body runs */
    SB_STATE_IDLE,        /**< interrupt task: waits for its next activation */
    SB_STATE_WAIT_SIGNAL, /**< in sb_receive */
    SB_STATE_WAIT_FSEM,   /**< in sb_fsem_wait */
    SB_STATE_WAIT_SEM,    /**< in sb_sem_wait, in the semaphore's list */
    SB_STATE_DELAYED,     /**< in sb_delay */
};

struct sb_task {
    void *sp; /**< saved stack pointer; the port's, at offset 0 */

    /* Place in exactly one ring or list: a level of a ready queue, or a semaphore's waiters. */
    struct sb_task *next;
    struct sb_task *previous;
    uint8_t state; /**< enum sb_task_state */
    uint8_t priority;
    uint8_t kind; /**< enum sb_task_kind */
    bool timing;  /**< in the timer queue */

    sb_addr addr;

    struct sb_signal_queue queue;
    const uint32_t *selection;         /**< what it waits for */
    struct sb_signal_header *received; /**< handed over by send */

    int32_t fsem;
    struct sb_sem *sem; /**< the one it waits for */
    enum sb_err wake;   /**< why its wait ended */

    uint32_t due_tick;
    struct sb_task *timer_next;
    struct sb_task *timer_previous;

    /* Constant after start. */
    const char *name;
    void (*entry)(void);
    uint8_t *stack;
    uint32_t stack_bytes;
    int32_t irq;
};

/** One level of a ready queue: a ring of tasks, `first` is the oldest, its `previous` the youngest. */
struct sb_ready_queue {
    uint32_t levels; /**< bit p is set while level p is not empty */
    struct sb_task *first[SB_PRIORITIES];
};

/** Tasks by ascending due_tick; equal ones in the order of their arming. */
struct sb_timer_queue {
    struct sb_task *first;
    uint32_t now_tick;
};

struct sb_pool_class {
    struct sb_signal_header *free;
    uint8_t *fresh; /**< memory not cut yet */
    uint32_t block_bytes;
    uint32_t fresh_blocks; /**< that can still be cut; so blocks - fresh_blocks is the most that were ever in
                              use */
    uint32_t in_use;
    uint32_t refused;
    uint32_t stride_bytes;
    uint32_t blocks;
};

struct sb_pool {
    uint32_t classes;
    struct sb_pool_class size_class[SB_POOL_CLASSES_MAX];
};

/** Only grow. */
struct sb_node_counters {
    uint32_t signals_dead;  /**< sent to an addressee that does not exist (any more) */
    uint32_t switches;      /**< between priority tasks, idle included (hooks and checked levels) */
    uint32_t timeouts;      /**< waits that ended by time */
    uint32_t spurious_irqs; /**< interrupts of a line without task and handler */
};

struct sb_node {
    struct sb_task *current; /**< the priority task (or idle) whose context is loaded */
    struct sb_task
        *next; /**< the one that should be; equal to current outside of critical sections of tasks */
    struct sb_task *self; /**< who calls: current, or the interrupt task whose body runs */
    uint32_t interrupted; /**< 1 while interrupt tasks or handlers run: switches wait for their end */

    struct sb_task *tasks;
    uint32_t task_count;
    uint32_t addr_base; /**< node number in its place in an address */
    struct sb_pool *pools;
    uint32_t pool_count;

    struct sb_ready_queue ready;      /**< priority tasks */
    struct sb_ready_queue interrupts; /**< activated interrupt tasks */
    struct sb_timer_queue timers;
    uint32_t tick_hz;

    struct sb_hooks hooks;
    struct sb_node_counters counters;
    struct sb_task idle;
    const struct sb_node_config *config;

    void *link; /**< belongs to link/: the kernel sets it to NULL at start and never looks at it again */
};

#endif
