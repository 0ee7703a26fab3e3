/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  A port to begin with: copy the folder, then replace each PROCESSOR(...) by what it says. What any processor can share is
 *  there already: the table of lines, the arithmetic of ticks. docs/porting.md has the order of work. */
#include "signalbox/port.h"

#include <stddef.h>

#include "config.h"
#include "platform.h"
#include "signalbox/config_types.h"
#include "signalbox/console.h"
#include "signalbox/doorbell.h"
#include "signalbox/timer.h"

/** What the processor must do here, in words. It stops a port that has not got it. */
#define PROCESSOR(words) __builtin_trap()

/** Room for a preempted and switched context and a swap hook. */
#define IDLE_STACK_BYTES 512u

#define IRQ_LINES 32u

/* ---- 1. the end: first, because it shows whatever else goes wrong */

SB_COLD _Noreturn void port_finish(uint32_t code)
{
    (void)port_lock();
    (void)code;
    PROCESSOR(
        "end the machine with this code: a device of the platform, or a call to the host (semihosting)");
    for (;;) {
    }
}

SB_COLD _Noreturn void port_fatal(const char *label)
{
    const struct sb_task *task = port_node()->self;
    (void)port_lock();
    sb_console_puts("signalbox: fatal: ");
    sb_console_puts(label);
    if (task != NULL) {
        sb_console_puts(", task ");
        sb_console_puts(task->config->name);
    }
    sb_console_puts("\n");
    port_finish(SB_FATAL_CODE);
}

/* Exceptions print "signalbox: exception: NAME, cause 0x..., pc 0x..., address 0x..., task NAME" and end in the same way. */

/* ---- 2. the node and its critical sections: inline in port.h on targets; these are for a host */

_Thread_local struct sb_node *port_node_here;

uint32_t port_lock(void)
{
    PROCESSOR("mask the kernel's interrupts; the answer says whether they were unmasked before");
    return 0;
}

void port_unlock(uint32_t state)
{
    (void)state;
    PROCESSOR("unmask if `state` says that they were unmasked; what has become pending is taken at once");
}

void port_unmask(void)
{
    PROCESSOR("unmask, whatever was before");
}

/* ---- 3. contexts */

/** Reset leads here when there is a stack, .data is copied and .bss is zero. Interrupts are masked. */
_Noreturn void template_boot(void);
SB_COLD _Noreturn void template_boot(void)
{
    static struct sb_node node;
    port_node_here = &node;
    sb_start(&sb_node_config);
}

SB_COLD void port_context_init(struct sb_task *task)
{
    /* The frame that port_switch pops: zeros for the callee's registers, sb_task_main as the return address. The stack
     * pointer behind it is aligned as the calling convention wants it at a function's entry. */
    task->sp = task->stack + task->stack_bytes;
    PROCESSOR("lay the frame of port_switch at the top of the stack and leave its address in task->sp");
}

void port_switch(struct sb_task *from, struct sb_task *to)
{
    (void)from;
    (void)to;
    PROCESSOR(
        "push the callee's registers, from->sp = stack pointer, stack pointer = to->sp, pop; in assembler");
}

_Noreturn void port_start(struct sb_task *to)
{
    (void)to;
    PROCESSOR("the second half of port_switch");
    for (;;) {
    }
}

void port_call_interrupt(void (*body)(void))
{
    (void)body;
    PROCESSOR("stack pointer = top of the interrupt stack, call body, stack pointer as it was");
}

_Noreturn void port_idle(void)
{
    for (;;) {
        /* An interrupt that comes between a test and the wait would be slept through: so there is no test. Whoever is
         * woken runs from the interrupt's exit. */
        PROCESSOR("wait for an interrupt");
    }
}

SB_COLD void *port_idle_stack(uint32_t *stack_bytes)
{
    static _Alignas(16) uint8_t stack[IDLE_STACK_BYTES];
    *stack_bytes = sizeof stack;
    return stack;
}

/* ---- 4. interrupts */

static struct {
    void (*handler)(void);
    struct sb_task *task;
} lines[IRQ_LINES];

static uint32_t enabled_lines;
static uint32_t task_lines;
static uint32_t handler_lines;

/** Lines that may interrupt an interrupt task of each priority, and those that may interrupt what runs now. */
static uint32_t urgent_lines[SB_PRIORITIES];
static uint32_t allowed_lines = 0xffffffffu;
static bool nesting;

/** The entry saves on the stack of what it interrupts all registers that C does not keep, changes to the interrupt stack and
 *  calls this, masked. True: back on the task's stack it calls sb_interrupt_switch() before it goes back to the task. */
bool template_interrupt(uint32_t line);
bool template_interrupt(uint32_t line)
{
    void (*handler)(void) = lines[line].handler;
    if (lines[line].task != NULL) {
        sb_interrupt_activate(lines[line].task);
    } else if (handler == NULL) {
        port_irq_disable(line);
        sb_interrupt_spurious();
    }
    if (nesting) {
        sb_interrupt_nested(handler);
        return false;
    }
    return sb_interrupt(handler);
}

static void set_lines(void)
{
    PROCESSOR("those of enabled_lines & allowed_lines may interrupt, no others");
}

SB_COLD void port_irq_enable(uint32_t bit)
{
    const uint32_t state = port_lock();
    enabled_lines |= 1u << bit;
    set_lines();
    port_unlock(state);
}

SB_COLD void port_irq_disable(uint32_t bit)
{
    const uint32_t state = port_lock();
    enabled_lines &= ~(1u << bit);
    set_lines();
    port_unlock(state);
}

SB_COLD static void rank_lines(void)
{
    for (uint32_t priority = 0; priority < SB_PRIORITIES; priority++) {
        urgent_lines[priority] = priority > 0 ? handler_lines : 0;
        for (uint32_t bit = 0; bit < IRQ_LINES; bit++) {
            if (lines[bit].task != NULL && lines[bit].task->priority < priority) {
                urgent_lines[priority] |= 1u << bit;
            }
        }
    }
}

SB_COLD static void connect(uint32_t bit, void (*handler)(void), struct sb_task *task)
{
    const uint32_t state = port_lock();
    const uint32_t mask = 1u << bit;
    lines[bit].handler = handler;
    lines[bit].task = task;
    task_lines = task != NULL ? task_lines | mask : task_lines & ~mask;
    handler_lines = handler != NULL ? handler_lines | mask : handler_lines & ~mask;
    rank_lines();
    if (handler != NULL || task != NULL) {
        port_irq_enable(bit);
    } else {
        port_irq_disable(bit);
    }
    port_unlock(state);
}

SB_COLD void port_irq_connect(uint32_t bit, void (*handler)(void))
{
    connect(bit, handler, NULL);
}

SB_COLD void port_irq_connect_task(uint32_t bit, struct sb_task *task)
{
    connect(bit, NULL, task);
}

void port_call_nesting(void (*body)(void), uint32_t priority)
{
    const uint32_t outer_lines = allowed_lines;
    const bool outer = nesting;
    allowed_lines = urgent_lines[priority];
    nesting = true;
    set_lines();
    port_unmask();
    body();
    (void)port_lock();
    nesting = outer;
    allowed_lines = outer_lines;
    set_lines();
    PROCESSOR(
        "registers of the processor that the nested entries have changed, such as the place to return to");
}

/* ---- 5. time: a 64-bit count and an instant at which the line SB_TIMER_IRQ rises (timer.h) */

static uint64_t tick_next;
static uint32_t tick_period;
static uint64_t alarm_base; /* the count at which tick `alarm_base_tick` began */
static uint32_t alarm_base_tick;

static void tick_handler(void)
{
    tick_next += tick_period; /* from when it was due, not from now: a late tick does not delay the next */
    sb_timer_set(port_core(), tick_next);
    sb_tick();
}

SB_COLD void port_tick_start(uint32_t tick_hz)
{
    tick_period = SB_TIMER_HZ / tick_hz;
    tick_next = sb_timer_count(port_core()) + tick_period;
    sb_timer_set(port_core(), tick_next);
    port_irq_connect(SB_TIMER_IRQ, tick_handler);
}

static void alarm_handler(void)
{
    sb_timer_stop(port_core());
    sb_alarm();
}

SB_COLD void port_alarm_start(uint32_t tick_hz)
{
    tick_period = SB_TIMER_HZ / tick_hz;
    alarm_base = sb_timer_count(port_core());
    port_irq_connect(SB_TIMER_IRQ, alarm_handler);
}

uint32_t port_alarm_now(void)
{
    const uint32_t state = port_lock();
    const uint32_t ticks = (uint32_t)((sb_timer_count(port_core()) - alarm_base) / tick_period);
    alarm_base += (uint64_t)ticks * tick_period;
    alarm_base_tick += ticks;
    port_unlock(state);
    return alarm_base_tick;
}

void port_alarm_set(uint32_t tick)
{
    const uint32_t state = port_lock();
    const int32_t ahead = (int32_t)(tick - port_alarm_now());
    sb_timer_set(port_core(), ahead > 0 ? alarm_base + (uint64_t)(uint32_t)ahead * tick_period : 0);
    port_unlock(state);
}

uint64_t port_cycles(void)
{
    PROCESSOR("64 bits that never go backwards: a counter of 32 bits is read between two readings of its "
              "upper half");
    return 0;
}

/* ---- 6. core and memory. Where no cache is, and one core, these are what they are here */

uint32_t port_core(void)
{
    return 0;
}

void port_cache_clean(const void *start, uint32_t size_bytes)
{
    (void)start;
    (void)size_bytes;
}

void port_cache_flush(const void *start, uint32_t size_bytes)
{
    (void)start;
    (void)size_bytes;
}

void port_cache_invalidate(const void *start, uint32_t size_bytes)
{
    (void)start;
    (void)size_bytes;
}

void *port_uncached(const void *cached)
{
    return (void *)(uintptr_t)cached;
}

void *port_cached(const void *uncached)
{
    return (void *)(uintptr_t)uncached;
}

void port_barrier(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- 7. doorbells, where there is more than one core: doorbell.h */

void port_doorbell_ring(uint32_t core, uint32_t bit)
{
    (void)core;
    (void)bit;
    PROCESSOR("set the bit, then raise the core's line");
}

uint32_t port_doorbell_take(void)
{
    PROCESSOR("lower the line, then take the bits: a ring in between raises it again");
    return 0;
}

uint32_t port_doorbell_pending(void)
{
    PROCESSOR("the bits, left as they are");
    return 0;
}
