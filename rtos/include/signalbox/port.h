/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_PORT_H
#define SIGNALBOX_PORT_H
/** @file
 *  What the kernel needs from a processor. A port implements this and nothing else; on hosts the unit tests
 *  bring their own.
 *
 *  The kernel decides who runs, the port acts. All tasks rest in one form: a call of port_switch that has not
 *  returned. A task preempted by an interrupt rests in the same form: the interrupt's exit calls the kernel on
 *  the task's own stack. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/err.h"
#include "signalbox/node.h"

/* ---- the node and its critical sections (inline: they are on every path) */

#if defined(__riscv)

extern struct sb_node sb_node;

/** The state of the node that runs here. */
static inline struct sb_node *port_node(void)
{
    return &sb_node;
}

/** Mask interrupts; the answer goes to port_unlock of the same function. */
static inline uint32_t port_lock(void)
{
    uint32_t state;
    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(state)::"memory");
    return state;
}

/** Back to the state at port_lock. */
static inline void port_unlock(uint32_t state)
{
    __asm__ volatile("csrs mstatus, %0" ::"r"(state & 8u) : "memory");
}

#elif defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__)

extern struct sb_node sb_node;

/** The state of the node that runs here. */
static inline struct sb_node *port_node(void)
{
    return &sb_node;
}

/** BASEPRI while masked: levels 1 to 7 wait, level 0 is not the kernel's. Three bits are what each processor has. */
#define SB_PORT_MASKED 0x20u

/** Mask interrupts; the answer goes to port_unlock of the same function. */
static inline uint32_t port_lock(void)
{
    uint32_t state;
    __asm__ volatile("mrs %0, basepri\n\tmsr basepri, %1" : "=&r"(state) : "r"(SB_PORT_MASKED) : "memory");
    return state;
}

/** Back to the state at port_lock. */
static inline void port_unlock(uint32_t state)
{
    __asm__ volatile("msr basepri, %0" ::"r"(state) : "memory");
}

#else

extern _Thread_local struct sb_node *port_node_here;

static inline struct sb_node *port_node(void)
{
    return port_node_here;
}

uint32_t port_lock(void);
void port_unlock(uint32_t state);

#endif

/* ---- contexts */

/** Prepare `task` so that the first switch to it calls sb_task_main() on its own stack, interrupts masked. */
void port_context_init(struct sb_task *task);

/** Save the callee's registers on the current stack and the stack pointer in from->sp, load those of `to`.
 *  Returns when somebody switches back.   Context: interrupts masked, never in interrupt context */
void port_switch(struct sb_task *from, struct sb_task *to);

/** Load the context of `to`; the boot context is given up.   Context: interrupts masked */
_Noreturn void port_start(struct sb_task *to);

/** Call `body` on the interrupt stack, interrupts masked, and come back.   Context: a task, interrupts masked
 */
void port_call_interrupt(void (*body)(void));

/** Call `body`, of an interrupt task of this priority (1..31), with those lines unmasked that activate more urgent
 *  interrupt tasks or have handlers; they call sb_interrupt_nested. Come back masked.   Context: interrupt context, masked
 */
void port_call_nesting(void (*body)(void), uint32_t priority);

/** Unmask interrupts in a task that runs for the first time. */
void port_unmask(void);

/** Body of the idle task: waits for interrupts, never returns. */
_Noreturn void port_idle(void);

/** Stack of the idle task. */
void *port_idle_stack(uint32_t *stack_bytes);

/* ---- interrupts */

/** Call `handler` in interrupt context, masked, when line `bit` (0..31 of mip) is pending; enables the line.
 *  NULL disables it. The handler may call everything that interrupt tasks may. It polls no queue and no fast
 *  semaphore: it has none. */
void port_irq_connect(uint32_t bit, void (*handler)(void));

/** Activate the interrupt task `task` when line `bit` is pending; enables the line. NULL disables it. */
void port_irq_connect_task(uint32_t bit, struct sb_task *task);

/** Let line `bit` interrupt; or not. */
void port_irq_enable(uint32_t bit);
void port_irq_disable(uint32_t bit);

/** Start the tick: calls sb_tick() tick_hz times a second from interrupt context. Called once at start if the
 *  tick is on and not tickless. */
void port_tick_start(uint32_t tick_hz);

/** The functions of sb_tickless: tick 0 is now, sb_alarm() is called from interrupt context when the tick that
 *  port_alarm_set was given has come, at once if it has passed, and then not again until the next setting. */
void port_alarm_start(uint32_t tick_hz);
uint32_t port_alarm_now(void);
void port_alarm_set(uint32_t tick);

/* ---- end of the node */

/** Say why and end the machine with a failure (code SB_FATAL_CODE). Safe in every context. */
_Noreturn void port_fatal(const char *label);

/** End the machine: 0 pass, otherwise a failure with this code. */
_Noreturn void port_finish(uint32_t code);

#define SB_FATAL_CODE 4u

/* ---- core, time, memory */

/** The core that runs this. */
uint32_t port_core(void);

/** Clock cycles of this core since its reset. */
uint64_t port_cycles(void);

/** Write back the dirty lines of the range, keep them.   Whoever writes, cleans. */
void port_cache_clean(const void *start, uint32_t size_bytes);
/** Write back and drop. */
void port_cache_flush(const void *start, uint32_t size_bytes);
/** Drop without writing back. The range is whole lines: whatever else lies in them is lost.   Whoever reads,
 *  invalidates. */
void port_cache_invalidate(const void *start, uint32_t size_bytes);

/** The same memory past the data cache, and back; the address itself where no cache is. */
void *port_uncached(const void *cached);
void *port_cached(const void *uncached);

/** Order every access before the call ahead of every access behind it, for other cores and devices. */
void port_barrier(void);

/* ---- what the kernel offers to the port */

/** First thing on a new task's stack. */
_Noreturn void sb_task_main(void);

/** Bring the node up: tasks, pools, tick, lines; then run the most urgent task.   Context: boot, interrupts
 *  masked */
_Noreturn void sb_start(const struct sb_node_config *config);

/** The first half of sb_start: afterwards node->next is the task to run. Hosts go on in their own way. */
void sb_node_init(const struct sb_node_config *config);

/** Put an interrupt task among those that the next sb_interrupt runs.   Context: interrupts masked */
void sb_interrupt_activate(struct sb_task *task);

/** In interrupt context: call `handler` (NULL: none), then everything that is activated. True: the port must
 *  call sb_interrupt_switch() on the stack of the interrupted task before it goes back there.   Context:
 *  interrupts masked */
SB_MUST_USE bool sb_interrupt(void (*handler)(void));

/** As sb_interrupt_activate(task), then sb_interrupt(NULL), and quicker.   Context: interrupts masked */
SB_MUST_USE bool sb_interrupt_task(struct sb_task *task);

/** As sb_interrupt, while the body of an interrupt task is interrupted: what is more urgent runs.   Context: interrupts
 *  masked */
void sb_interrupt_nested(void (*handler)(void));

/** Leave the interrupted task for a more urgent one; returns when it is its turn again.   Context: interrupts
 *  masked */
void sb_interrupt_switch(void);

/** An interrupt that nobody is connected with. */
void sb_interrupt_spurious(void);

/** One tick has passed.   Context: interrupt */
void sb_tick(void);

/** The tick of port_alarm_set has come.   Context: interrupt */
void sb_alarm(void);

#endif
