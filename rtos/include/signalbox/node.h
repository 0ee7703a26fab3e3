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
#include "signalbox/isolation.h"
#include "signalbox/pool.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"
#include "signalbox/wait_list.h"

struct sb_mutex;
struct sb_node;
struct sb_node_config;
struct sb_pool_config;
struct sb_task_config;
struct sb_timeout;

/** Hidden in front of every signal. The end mark (checked level) follows the signal's last byte. */
struct sb_signal_header {
    struct sb_signal_header *
        next; /**< in a task's queue, in a free list; while a task owns it: that task (sb_signal_owned_by); the
                  link's own while a link owns it */
    struct sb_pool_class *pool_class; /**< where it goes back to */
    sb_addr sender;
    sb_addr addressee;
    uint32_t size_bytes;
    uint32_t mark; /**< SB_SIGNAL_OWNED, SB_SIGNAL_QUEUED or SB_SIGNAL_FREE (checked level) */
#if SB_CFG_ISOLATED
    union sb_signal *body; /**< headers lie apart, where no domain reaches them */
    uint32_t reserved;
#endif
};

#define SB_SIGNAL_OWNED 0x51642d4fu
#define SB_SIGNAL_QUEUED 0x51642d51u
#define SB_SIGNAL_FREE 0x51642d46u

#if SB_CFG_ISOLATED

static inline struct sb_signal_header *sb_signal_header_of(const union sb_signal *sig)
{
    return sb_isolation_header_of(sig);
}

static inline union sb_signal *sb_signal_of(struct sb_signal_header *header)
{
    return header->body;
}

/** The number of a signal: its first word. */
static inline uint32_t *sb_signal_number(struct sb_signal_header *header)
{
    return (uint32_t *)(void *)header->body;
}

#else

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

#endif

/** `task` owns the signal from now on: what its death finds again. A task is no signal, so nothing else looks like it. */
static inline void sb_signal_owned_by(struct sb_signal_header *header, struct sb_task *task)
{
    header->next = (struct sb_signal_header *)(void *)task;
}

/** FIFO of signals. `last` is meaningful only when `first` is not NULL. */
struct sb_signal_queue {
    struct sb_signal_header *first;
    struct sb_signal_header *last;
};

enum sb_task_state {
    SB_STATE_DEAD = 0,
    SB_STATE_STOPPED, /**< could run, but somebody has stopped it; interrupt task: it is not activated */
    SB_STATE_READY,   /**< in the ready queue: running, or could run; interrupt task: activated */
    /* From here on a task waits for what somebody else does; activations of interrupt tasks are taken. */
    SB_STATE_RUNNING,     /**< interrupt task: its body runs */
    SB_STATE_IDLE,        /**< interrupt task: waits for its next activation */
    SB_STATE_WAIT_SIGNAL, /**< in sb_receive */
    SB_STATE_WAIT_FSEM,   /**< in sb_fsem_wait */
    SB_STATE_DELAYED,     /**< in sb_delay */
    SB_STATE_WAIT_PERIOD, /**< periodic task: until its next release */
    SB_STATE_WAIT_LIST,   /**< in the list `waits` of a semaphore, mutex, ... */
};

/** In sb_task.flags: what waking it must look after. */
#define SB_TASK_TIMING 1u  /**< in the timer queue */
#define SB_TASK_HALTED 2u  /**< stopped: does not become ready */
#define SB_TASK_NEW 4u     /**< has been stopped since it was made */
#define SB_TASK_WATCHED 8u /**< its class wants to know when it becomes ready */

/** What waits for an instant. */
struct sb_timer_entry {
    struct sb_timer_entry *next;
    struct sb_timer_entry *previous;
    uint32_t due_tick;
    /** The instant has come; the entry is out of the queue. NULL: the entry is a task's, whose wait ends.
     *  Context: interrupts masked */
    void (*expire)(struct sb_node *node, struct sb_timer_entry *entry);
};

struct sb_task {
    void *sp; /**< saved stack pointer; the port's, at offset 0 */

    /* Place in exactly one ring or list: a level of a ready queue, or the waiters of an object. */
    struct sb_task *next;
    struct sb_task *previous;
    uint8_t state;    /**< enum sb_task_state */
    uint8_t priority; /**< in force: the base priority, or what a mutex lends it */
    uint8_t kind;     /**< enum sb_task_kind */
    uint8_t flags;

    sb_addr addr;

    struct sb_signal_queue queue;
    union {
        const uint32_t *selection; /**< in sb_receive: what it waits for */
        void *wanted;              /**< in a wait list: what the object must know of the wait */
    };
    union {
        struct sb_signal_header *received; /**< handed over by send */
        struct sb_wait_list *waits;        /**< while it waits in a list: which */
    };

    int32_t fsem;

    struct sb_timer_entry timer; /**< end of its wait */

    struct sb_mutex *owned; /**< mutexes that it holds, the last one first */
    uint8_t base_priority;
    uint8_t stops;       /**< how often it is stopped */
    int8_t wake;         /**< why its wait ended, enum sb_err */
    uint16_t generation; /**< of its last address */
    uint16_t slice_left; /**< ticks until its turn ends (round-robin tasks) */

    /* Constant while it lives. */
    const struct sb_task_config *config;
    uint8_t *stack;
    uint32_t stack_bytes;
};

_Static_assert(sizeof(void *) != 4 || sizeof(struct sb_task) == 80,
               "looking up an address multiplies by it: a size of few bits is quicker");

/** One level of a ready queue: a ring of tasks, `first` is the oldest, its `previous` the youngest. */
struct sb_ready_queue {
    uint32_t levels; /**< bit p is set while level p is not empty */
    struct sb_task *first[SB_PRIORITIES];
};

/** Entries by ascending due_tick; equal ones in the order of their arming. */
struct sb_timer_queue {
    struct sb_timer_entry *first;
    uint32_t now_tick; /**< everything up to here has expired; without a tick the clock may be ahead */
};

/** A clock that interrupts only when something is due (tickless.c), instead of a tick. */
struct sb_clock {
    void (*start)(uint32_t tick_hz);
    /** The tick that it is. */
    uint32_t (*now)(void);
    /** Call sb_alarm() when it is `tick`, at once if it is already; replaces the last setting. */
    void (*alarm)(uint32_t tick);
};

/** What a kind of task adds to priority tasks. All functions may be NULL; all but `body` are called with
 *  interrupts masked. */
struct sb_task_class {
    /** What its context does instead of calling the entry once. */
    void (*body)(struct sb_task *task);
    /** It is about to become ready for the first time. */
    void (*start)(struct sb_node *node, struct sb_task *task);
    /** It has become ready, or has changed its level while ready (while SB_TASK_WATCHED is set). */
    void (*woken)(struct sb_node *node, struct sb_task *task);
    /** It dies. */
    void (*end)(struct sb_node *node, struct sb_task *task);
};

/** Who wants to know of beginnings and ends of tasks, if anybody does. Functions may be NULL. */
struct sb_watcher {
    /** The task has been created or restarted; it has its address and its name.   Context: task, preemption off */
    void (*begun)(struct sb_node *node, struct sb_task *task);
    /** `task` was the address of one that has ended.   Context: task, preemption off, before its signals are freed */
    void (*ended)(struct sb_node *node, sb_addr task);
};

#define SB_WATCHERS_MAX 4u

/** What links tell of a peer's node (attach.c), once somebody has attached: `task` SB_ADDR_NONE means all its tasks. */
struct sb_attach_rules {
    void (*lost)(uint32_t node_index, sb_addr task);
};

/** What the kernel needs to know of locks, if there are any (mutex.c): priorities that they lend. */
struct sb_lock_rules {
    /** The most urgent priority that the task's mutexes lend it, SB_PRIORITIES if none does. */
    uint32_t (*lent)(const struct sb_task *task);
    /** The task dies: who waits next for each of its mutexes gets it. */
    void (*abandon)(struct sb_node *node, struct sb_task *task);
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
#if SB_CFG_ISOLATED
    struct sb_signal_header *headers; /**< of its blocks */
#endif
};

#if SB_CFG_ISOLATED

/** Give class `index` of a pool its headers. */
static inline void sb_class_headers(struct sb_pool_class *size_class, const struct sb_pool_config *config,
                                    uint32_t index)
{
    size_class->headers = sb_isolation_config.headers + sb_isolation_first_header(config, index);
}

/** The header of block `index` of the class, which lies at `block`. */
static inline struct sb_signal_header *sb_block_header(const struct sb_pool_class *size_class, uint8_t *block,
                                                       uint32_t index)
{
    (void)block;
    return size_class->headers + index;
}

/** The block is used for the first time. */
static inline void sb_block_begin(struct sb_signal_header *header, uint8_t *block)
{
    header->body = (union sb_signal *)(void *)(block + SB_SIGNAL_HEADER_BYTES);
}

#else

static inline void sb_class_headers(struct sb_pool_class *size_class, const struct sb_pool_config *config,
                                    uint32_t index)
{
    (void)size_class;
    (void)config;
    (void)index;
}

static inline struct sb_signal_header *sb_block_header(const struct sb_pool_class *size_class, uint8_t *block,
                                                       uint32_t index)
{
    (void)size_class;
    (void)index;
    return (struct sb_signal_header *)(void *)block;
}

static inline void sb_block_begin(struct sb_signal_header *header, uint8_t *block)
{
    (void)header;
    (void)block;
}

#endif

struct sb_pool {
    uint32_t classes;
    struct sb_pool_class size_class[SB_POOL_CLASSES_MAX];
};

/** Only grow. */
struct sb_node_counters {
    uint32_t signals_dead;    /**< sent to an addressee that does not exist (any more) */
    uint32_t switches;        /**< between priority tasks, idle included (hooks and checked levels) */
    uint32_t timeouts;        /**< waits that ended by time */
    uint32_t deadline_misses; /**< of periodic tasks */
    uint32_t spurious_irqs;   /**< interrupts of a line without task and handler */
};

/** In sb_node.held. Above them: SB_HELD_ONE for each reason not to preempt (cooperative mode, sb_preemption_off). */
#define SB_HELD_INTERRUPT 1u /**< interrupt tasks or handlers run */
#define SB_HELD_ONE 2u

struct sb_node {
    struct sb_task *current; /**< the task (or idle) whose context is loaded */
    struct sb_task
        *next; /**< the one that should be; equal to current outside of critical sections of tasks */
    struct sb_task *self; /**< who calls: current, or the interrupt task whose body runs */
    uint32_t held;        /**< not 0: a more urgent task that becomes ready waits for its turn */
    uint32_t level;       /**< only interrupt tasks more urgent than this start at once */

    struct sb_task *tasks;
    uint32_t task_count; /**< configured ones, then the spare ones */
    uint32_t addr_base;  /**< node number in its place in an address */
    struct sb_pool *pools;
    uint32_t pool_count;

    struct sb_ready_queue ready;      /**< all but interrupt tasks */
    struct sb_ready_queue interrupts; /**< activated interrupt tasks */
    struct sb_timer_queue timers;
    uint32_t tick_hz;
    const struct sb_clock *clock;      /**< NULL: a tick */
    const struct sb_lock_rules *locks; /**< NULL: there are none */

    struct {
        struct sb_timeout *first; /**< due, not yet called */
        struct sb_timeout *last;
        struct sb_timeout *calling; /**< that the server has taken last, until it takes the next */
        sb_addr server;
    } timeouts;

    struct sb_hooks hooks;
    struct sb_node_counters counters;
    struct sb_task idle;
    const struct sb_node_config *config;

    const struct sb_watcher *watchers[SB_WATCHERS_MAX]; /**< from the front; NULL: no more */
    const struct sb_attach_rules *attach_rules;         /**< NULL: nobody has ever attached */
    struct sb_signal_header *attached;                  /**< left by sb_attach */
    struct sb_signal_header *hunting;                   /**< left by sb_hunt_signal */
    uint32_t reference;                                 /**< of the last attachment or timeout */
    struct sb_signal_header *processes;                 /**< blocks of sb_process_create */
    struct sb_signal_header *requested;                 /**< timeouts of sb_timeout_request */

    void *link; /**< belongs to link/: the kernel sets it to NULL at start and never looks at it again */
};

#endif
