/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/port.h"

#include <stddef.h>

#include "board.h"
#include "config.h"
#include "platform.h"
#include "registers.h"
#include "signalbox/config_types.h"
#include "signalbox/console.h"
#include "signalbox/timer.h"
#include "systick.h"

_Static_assert(offsetof(struct sb_task, sp) == 0, "trap.S finds the stack pointer in a task's first word");
_Static_assert(SB_NVIC_LINES % 4 == 0 && SB_TIMER_IRQ == SB_NVIC_LINES,
               "SysTick is the line behind the external ones");

#define INTERRUPT_STACK_MARK 0x5b5b5b5bu

/** Room for a preempted and switched context and a swap hook. */
#define IDLE_STACK_BYTES 512u

/** What port_switch pops: r4 to r11, pc. */
#define SWITCH_FRAME_WORDS 9u

#define LINES (SB_NVIC_LINES + 1u)

/* Levels of priority, the upper three bits of a priority register. 0: SVC and faults, never masked. 1: handlers, and interrupt
 * tasks of priority 0. 2 to 6: interrupt tasks by their rank; if there are more than five priorities, the least urgent ones
 * share the last level and do not interrupt one another. 7: PendSV. */
#define LEVEL_MOST_URGENT 1u
#define LEVEL_FIRST_TASK 2u
#define LEVEL_LAST_TASK 6u
#define LEVEL_PENDSV 7u
#define LEVEL(level) ((uint8_t)((level) << 5))

/** What an exception's return loads: the mode below, on the interrupt stack. */
#define RETURN_TO_HANDLER 0xfffffff1u
#define RETURN_TO_THREAD 0xfffffff9u
/** In an exception's return value: what was interrupted ran in thread mode. */
#define RETURNS_TO_THREAD 8u
#define XPSR_THUMB 0x01000000u
#define XPSR_EXCEPTION 0x1ffu

#define FRAME_PC 6u
#define FRAME_XPSR 7u

/** Of the linker script: the interrupt stack; the memory that a stack can lie in. */
extern uint32_t __stack_bottom[];
extern uint32_t __data_start[];
extern uint32_t __node_end[];

struct sb_node sb_node;

static struct {
    void (*handler)(void);
    struct sb_task *task;
} lines[LINES];

static uint8_t line_level[LINES];

/** BASEPRI while the body of an interrupt task of each priority runs. */
static uint8_t nest_mask[SB_PRIORITIES];

/** A body runs in port_call_nesting: whoever interrupts it comes back to it. */
static bool nesting;

/** SysTick always interrupts, to count; its line only when somebody wants it. */
static bool timer_enabled;

/** The exception in which the processor is as far as its priority goes; number 0: none, or it was given up. */
static struct {
    uint32_t number;
    uint32_t level;
    uint32_t below; /* the exception that it has interrupted; 0: thread mode */
} active;

static uint64_t tick_next;
static uint32_t tick_period;

_Noreturn void sb_port_boot(void);
void sb_port_interrupt(uint32_t exception, const uint32_t *frame, uint32_t exc_return);
_Noreturn void sb_port_exception(uint32_t exception, const uint32_t *frame);
void sb_port_give_up(uint32_t exc_return, uint32_t xpsr);

/* ---- beginning and end */

SB_COLD _Noreturn void sb_port_boot(void)
{
    __stack_bottom[0] = INTERRUPT_STACK_MARK;
    CCR |= CCR_STKALIGN;
    SHCSR |= SHCSR_FAULTS;
    SHPR(EXCEPTION_SVC) = 0;
    SHPR(EXCEPTION_PENDSV) = LEVEL(LEVEL_PENDSV);
    SHPR(EXCEPTION_SYSTICK) = LEVEL(LEVEL_MOST_URGENT);
    for (uint32_t line = 0; line < SB_NVIC_LINES; line++) {
        NVIC_IPR(line) = LEVEL(LEVEL_MOST_URGENT);
    }
    for (uint32_t priority = 0; priority < SB_PRIORITIES; priority++) {
        nest_mask[priority] = LEVEL(LEVEL_PENDSV);
    }
    sb_board_init();
    sb_systick_start();
    sb_start(&sb_node_config);
}

SB_COLD static void put_hex(uint32_t value)
{
    char text[10] = {'0', 'x'};
    for (uint32_t i = 0; i < 8; i++) {
        text[2 + i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15u];
    }
    sb_console_write(text, sizeof text);
}

SB_COLD static void put_task(void)
{
    const struct sb_task *task = sb_node.self;
    if (task != NULL) {
        sb_console_puts(", task ");
        sb_console_puts(task->config->name);
    }
    sb_console_puts("\n");
}

/** Semihosting: SYS_EXIT_EXTENDED, application exit. Without a host that listens the breakpoint is a fault, which comes here
 *  again. */
SB_COLD _Noreturn void port_finish(uint32_t code)
{
    static bool finished;
    const uint32_t why[2] = {0x20026u, code};
    (void)port_lock();
    if (!finished) {
        finished = true;
        register uint32_t operation __asm__("r0") = 0x20u;
        register const uint32_t *argument __asm__("r1") = why;
        __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
    }
    for (;;) {
        __asm__ volatile("wfi");
    }
}

SB_COLD _Noreturn void port_fatal(const char *label)
{
    (void)port_lock();
    sb_console_puts("signalbox: fatal: ");
    sb_console_puts(label);
    put_task();
    port_finish(SB_FATAL_CODE);
}

SB_COLD _Noreturn void sb_port_exception(uint32_t exception, const uint32_t *frame)
{
    static const char *const names[] = {"non-maskable interrupt", "hard fault", "memory fault", "bus fault",
                                        "usage fault"};
    static bool printed;
    const uint32_t status = CFSR;
    if (!printed) {
        printed = true;
        const bool readable = frame >= __data_start && frame + FRAME_XPSR < __node_end;
        sb_console_puts("signalbox: exception: ");
        sb_console_puts(exception - 2u < sizeof names / sizeof *names ? names[exception - 2u] : "other");
        sb_console_puts(", cause ");
        put_hex(status);
        sb_console_puts(", pc ");
        put_hex(readable ? frame[FRAME_PC] : 0);
        sb_console_puts(", address ");
        put_hex((status & CFSR_BFARVALID) != 0 ? BFAR : (status & CFSR_MMARVALID) != 0 ? MMFAR : 0);
        put_task();
    }
    port_finish(SB_FATAL_CODE);
}

/* ---- contexts */

SB_COLD void port_context_init(struct sb_task *task)
{
    uint32_t *frame = (uint32_t *)(void *)(task->stack + task->stack_bytes) - SWITCH_FRAME_WORDS;
    frame[SWITCH_FRAME_WORDS - 1u] = (uint32_t)(uintptr_t)sb_task_main;
    task->sp = frame;
}

SB_COLD void *port_idle_stack(uint32_t *stack_bytes)
{
    static _Alignas(16) uint8_t stack[IDLE_STACK_BYTES];
    *stack_bytes = sizeof stack;
    return stack;
}

void port_unmask(void)
{
    port_unlock(0);
}

_Noreturn void port_idle(void)
{
    for (;;) {
        __asm__ volatile("wfi");
    }
}

/* ---- interrupts */

static inline uint32_t line_of(uint32_t exception)
{
    return exception == EXCEPTION_SYSTICK ? SB_TIMER_IRQ : exception - EXCEPTION_EXTERNAL;
}

static inline void deliver(uint32_t line)
{
    struct sb_task *task = lines[line].task;
    void (*handler)(void) = lines[line].handler;
    if (task == NULL && handler == NULL) {
        port_irq_disable(line);
        sb_interrupt_spurious();
    }
    if (nesting) {
        if (task != NULL) {
            sb_interrupt_activate(task);
        }
        sb_interrupt_nested(handler);
    } else {
        const bool leave = task != NULL ? sb_interrupt_task(task) : sb_interrupt(handler);
        ICSR = leave ? ICSR_PENDSVSET : ICSR_PENDSVCLR;
    }
}

void sb_port_interrupt(uint32_t exception, const uint32_t *frame, uint32_t exc_return)
{
    const uint32_t line = line_of(exception);
    if (line == SB_TIMER_IRQ && (!sb_systick_interrupt() || !timer_enabled)) {
        return;
    }
    const uint32_t outer_number = active.number;
    const uint32_t outer_level = active.level;
    const uint32_t outer_below = active.below;
    active.number = exception;
    active.level = line_level[line];
    active.below = (exc_return & RETURNS_TO_THREAD) != 0 ? 0 : frame[FRAME_XPSR] & XPSR_EXCEPTION;
    deliver(line);
    active.number = outer_number;
    active.level = outer_level;
    active.below = outer_below;
    if (line == SB_TIMER_IRQ && timer_enabled) {
        sb_systick_again();
    }
    if (SB_CFG_LEVEL >= SB_LEVEL_CHECKED && __stack_bottom[0] != INTERRUPT_STACK_MARK) {
        port_fatal("interrupt-stack-overflow");
    }
}

void port_call_nesting(void (*body)(void), uint32_t priority)
{
    const uint32_t mask = nest_mask[priority];
    if (active.number != 0 && LEVEL(active.level) < mask) {
        const uint32_t below = active.below;
        active.number = 0;
        sb_port_give_up(below != 0 ? RETURN_TO_HANDLER : RETURN_TO_THREAD, XPSR_THUMB | below);
    }
    const bool outer = nesting;
    nesting = true;
    port_unlock(mask);
    body();
    (void)port_lock();
    nesting = outer;
}

SB_COLD void port_irq_enable(uint32_t bit)
{
    if (bit == SB_TIMER_IRQ) {
        const uint32_t state = port_lock();
        timer_enabled = true;
        sb_systick_again();
        port_unlock(state);
    } else {
        NVIC_ISER(bit / 32u) = 1u << bit % 32u;
    }
}

SB_COLD void port_irq_disable(uint32_t bit)
{
    if (bit == SB_TIMER_IRQ) {
        timer_enabled = false;
    } else {
        NVIC_ICER(bit / 32u) = 1u << bit % 32u;
        __asm__ volatile("dsb\n\tisb" ::: "memory");
    }
}

static void set_level(uint32_t line, uint32_t level)
{
    line_level[line] = (uint8_t)level;
    if (line == SB_TIMER_IRQ) {
        SHPR(EXCEPTION_SYSTICK) = LEVEL(level);
    } else {
        NVIC_IPR(line) = LEVEL(level);
    }
}

/** Each priority that an interrupt task of a line has gets a level, and what its bodies mask. */
SB_COLD static void rank_lines(void)
{
    uint32_t used = 0; /* a bit for each priority */
    for (uint32_t line = 0; line < LINES; line++) {
        used |= lines[line].task != NULL ? 1u << lines[line].task->priority : 0;
    }
    uint8_t level_of[SB_PRIORITIES];
    uint32_t level = LEVEL_FIRST_TASK;
    for (uint32_t priority = 0; priority < SB_PRIORITIES; priority++) {
        level_of[priority] = (uint8_t)(priority == 0 ? LEVEL_MOST_URGENT : level);
        if (priority > 0 && (used >> priority & 1u) != 0 && level < LEVEL_LAST_TASK) {
            level++;
        }
    }
    for (uint32_t line = 0; line < LINES; line++) {
        set_level(line, lines[line].task != NULL ? level_of[lines[line].task->priority] : LEVEL_MOST_URGENT);
    }
    uint32_t mask = LEVEL_PENDSV;
    for (uint32_t priority = SB_PRIORITIES; priority-- > 0;) {
        mask = (used >> priority & 1u) != 0 ? level_of[priority] : mask;
        nest_mask[priority] = LEVEL(mask);
    }
}

SB_COLD static void connect(uint32_t bit, void (*handler)(void), struct sb_task *task)
{
    const uint32_t state = port_lock();
    lines[bit].handler = handler;
    lines[bit].task = task;
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

/* ---- tick and alarm */

/** A tick is due a period after the last one was due, however late that came. */
static void tick_handler(void)
{
    tick_next += tick_period;
    sb_timer_set(0, tick_next);
    sb_tick();
}

SB_COLD void port_tick_start(uint32_t tick_hz)
{
    tick_period = SB_TIMER_HZ / tick_hz;
    tick_next = sb_timer_count(0) + tick_period;
    sb_timer_set(0, tick_next);
    port_irq_connect(SB_TIMER_IRQ, tick_handler);
}

static uint64_t alarm_base; /* the count at which tick `alarm_base_tick` began */
static uint32_t alarm_base_tick;

static void alarm_handler(void)
{
    sb_timer_stop(0);
    sb_alarm();
}

SB_COLD void port_alarm_start(uint32_t tick_hz)
{
    tick_period = SB_TIMER_HZ / tick_hz;
    alarm_base = sb_timer_count(0);
    port_irq_connect(SB_TIMER_IRQ, alarm_handler);
}

uint32_t port_alarm_now(void)
{
    const uint32_t state = port_lock();
    const uint64_t passed = sb_timer_count(0) - alarm_base;
    const uint32_t ticks =
        (passed >> 32) == 0 ? (uint32_t)passed / tick_period : (uint32_t)(passed / tick_period);
    alarm_base += (uint64_t)ticks * tick_period;
    alarm_base_tick += ticks;
    const uint32_t now = alarm_base_tick;
    port_unlock(state);
    return now;
}

void port_alarm_set(uint32_t tick)
{
    const uint32_t state = port_lock();
    const int32_t ahead = (int32_t)(tick - port_alarm_now());
    sb_timer_set(0, ahead > 0 ? alarm_base + (uint64_t)(uint32_t)ahead * tick_period : 0);
    port_unlock(state);
}

/* ---- core and memory: one core, no data cache */

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
    __asm__ volatile("dmb" ::: "memory");
}
