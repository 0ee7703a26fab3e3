/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/port.h"

#include <stddef.h>

#include "config.h"
#include "guard.h"
#include "platform.h"
#include "signalbox/config_types.h"
#include "signalbox/console.h"
#include "signalbox/timer.h"

_Static_assert(offsetof(struct sb_task, sp) == 0, "trap.S finds the stack pointer in a task's first word");
_Static_assert(offsetof(struct sb_task, stack) == 72, "trap.S finds a task's stack at TASK_STACK");

#define INTERRUPT_STACK_MARK 0x5b5b5b5bu

/** Room for a preempted and switched context and a swap hook. */
#define IDLE_STACK_BYTES (512u + SB_CFG_GUARD_BYTES)

/** port_switch's frame; `ra` is its first word. */
#define SWITCH_FRAME_BYTES 64u

#define IRQ_LINES 32u
#define ALL_LINES 0xffffffffu

/** After mret: machine mode, interrupts unmasked. */
#define MSTATUS_TASK 0x1880u
/** Loads and stores have the rights of the mode in MPP. */
#define MSTATUS_MPRV 0x20000u

#define CAUSE_STORE_FAULT 7u

/** Reads of a control register are volatile: their order among each other and other accesses matters. */
#define CSR_READ(name)                                                \
    __extension__({                                                   \
        uint32_t value_;                                              \
        __asm__ volatile("csrr %0, " #name : "=r"(value_)::"memory"); \
        value_;                                                       \
    })

/** Lowest word of the interrupt stack, from the linker script; checked level compares it after each
 *  interrupt. */
extern uint32_t __stack_bottom[];
extern uint8_t __stack_top[];

struct sb_node sb_node;

/** Who is connected with a line. */
static struct {
    void (*handler)(void);
    struct sb_task *task;
} lines[IRQ_LINES];

/** Lines of interrupt tasks, lines of handlers; lines that may interrupt (mie is this, less what is not allowed now). */
static uint32_t task_lines;
static uint32_t handler_lines;
static uint32_t enabled_lines;

/** Lines that may interrupt an interrupt task of each priority, and those that may interrupt what runs now. */
static uint32_t urgent_lines[SB_PRIORITIES];
static uint32_t allowed_lines = ALL_LINES;

/** Lines of interrupt tasks that may interrupt now: what is asked at each interrupt. */
static uint32_t rival_lines;

static uint64_t tick_next;
static uint32_t tick_period;

/* ---- used by boot.S and trap.S */

/** The only hart that may start this image; the others park. -1: each core has its own image, whoever comes
 *  is right. */
#ifdef SB_CFG_CORE
#define BOOT_CORE ((int32_t)SB_CFG_CORE)
#else
#define BOOT_CORE (-1)
#endif
extern const int32_t sb_boot_core;
const int32_t sb_boot_core = BOOT_CORE;

_Noreturn void sb_port_boot(void);
bool sb_port_interrupt(uint32_t cause);
void sb_port_interrupt_nested(uint32_t cause);
extern const char sb_trap_nested[];
_Noreturn void sb_port_exception(uint32_t cause, uint32_t pc, uint32_t address);
void port_isolation_start(void); /* isolated/protection.c */

/** Everything is allowed until the first switch sets a guard. */
SB_COLD static void guard_start(void)
{
    __asm__ volatile("csrw pmpaddr0, %0\n" /* an empty region; QEMU takes one up to address 0 for all */
                     "csrw pmpaddr1, %0\n"
                     "csrw pmpaddr2, %0\n"
                     "csrw pmpcfg0, %1\n"
                     "csrs mstatus, %2" ::"r"(~0u),
                     "r"(SB_PORT_GUARD_ENTRIES), "r"(MSTATUS_MPRV)
                     : "memory");
}

/** Whether `address` lies in the guard of the running task's stack. */
static bool in_guard(uintptr_t address)
{
    const struct sb_task *task = sb_node.current;
    const uintptr_t bottom = task != NULL ? (uintptr_t)task->stack : 0;
    return address >= bottom && address < bottom + SB_CFG_GUARD_BYTES;
}

/** An interrupt saves registers on the task's stack with the rights of machine mode: over a guard, too. */
static inline void check_interrupted_stack(void)
{
    if (SB_CFG_GUARD_BYTES > 0) {
        const uintptr_t kept = (uintptr_t)__stack_top - 16u; /* trap.S */
        const uint8_t *saved = *(const uint8_t *const *)kept;
        if (saved < sb_node.current->stack + SB_CFG_GUARD_BYTES) {
            sb_fatal(SB_ERR_CORRUPT, "stack-overflow");
        }
    }
}

SB_COLD _Noreturn void sb_port_boot(void)
{
    __stack_bottom[0] = INTERRUPT_STACK_MARK;
    if (SB_CFG_GUARD_BYTES > 0) {
        guard_start();
    }
    if (SB_CFG_ISOLATED) {
        port_isolation_start();
        sb_isolation_start();
    }
    sb_start(&sb_node_config);
}

/** Lines of other interrupt tasks that are pending, too. */
static inline uint32_t others_than(uint32_t cause)
{
    return ~(1u << cause) & rival_lines & CSR_READ(mip);
}

/** Their tasks, so that the most urgent one runs first and not the one that the hardware names. */
SB_COLD static void activate(uint32_t others)
{
    for (uint32_t bit = 0; bit < IRQ_LINES; bit++) {
        if ((others >> bit & 1u) != 0) {
            sb_interrupt_activate(lines[bit].task);
        }
    }
}

/** Note whose line it was; the answer is the handler to call, if it has one. */
SB_COLD static void (*take_line(uint32_t cause))(void)
{
    activate(others_than(cause));
    if (lines[cause].task != NULL) {
        sb_interrupt_activate(lines[cause].task);
    } else if (lines[cause].handler == NULL) {
        port_irq_disable(cause);
        sb_interrupt_spurious();
    }
    return lines[cause].handler;
}

static inline void check_interrupt_stack(void)
{
    if (SB_CFG_LEVEL >= SB_LEVEL_CHECKED && __stack_bottom[0] != INTERRUPT_STACK_MARK) {
        port_fatal("interrupt-stack-overflow");
    }
}

/** First: a line of a task, and of nobody else. Second: one of a handler. Third: everything else. */
bool sb_port_interrupt(uint32_t cause)
{
    check_interrupted_stack();
    struct sb_task *task = lines[cause].task;
    void (*handler)(void) = lines[cause].handler;
    bool leave;
    if (others_than(cause) != 0 || (task == NULL && handler == NULL)) {
        leave = sb_interrupt(take_line(cause));
    } else if (task != NULL) {
        leave = sb_interrupt_task(task);
    } else {
        leave = sb_interrupt(handler);
    }
    check_interrupt_stack();
    return leave;
}

void sb_port_interrupt_nested(uint32_t cause)
{
    sb_interrupt_nested(take_line(cause));
    check_interrupt_stack();
}

/* ---- end of the node */

SB_COLD static void put_hex(uint32_t value)
{
    char text[10] = {'0', 'x'};
    for (uint32_t i = 0; i < 8; i++) {
        text[2 + i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15u];
    }
    sb_console_write(text, sizeof text);
}

SB_COLD static void put_place(uint32_t pc, uint32_t address)
{
    sb_console_puts(", pc ");
    put_hex(pc);
    sb_console_puts(", address ");
    put_hex(address);
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

SB_COLD _Noreturn void port_finish(uint32_t code)
{
    (void)port_lock();
    *(volatile uint32_t *)SB_FINISHER_BASE = code == 0 ? 0x5555u : code << 16 | 0x3333u;
    for (;;) {
        __asm__ volatile("wfi");
    }
}

/* Why the node ends, from port_fatal to the exception that it raises. */
static const char *fatal_label;
static uint32_t overflow_pc;
static uint32_t overflow_address;

SB_COLD _Noreturn void port_fatal(const char *label)
{
    /* First the breakpoint, while the registers still say who called: a debugger, or whatever else watches exceptions, sees
     * the callers. The handler prints and finishes. */
    fatal_label = label;
    __asm__ volatile("ebreak" ::: "memory");
    port_finish(SB_FATAL_CODE);
}

SB_COLD _Noreturn void sb_port_exception(uint32_t cause, uint32_t pc, uint32_t address)
{
    static const char *const names[] = {"instruction address misaligned",
                                        "instruction access fault",
                                        "illegal instruction",
                                        "breakpoint",
                                        "load address misaligned",
                                        "load access fault",
                                        "store address misaligned",
                                        "store access fault"};
    if (fatal_label != NULL) {
        sb_console_puts("signalbox: fatal: ");
        sb_console_puts(fatal_label);
        if (overflow_pc != 0) {
            put_place(overflow_pc, overflow_address);
        }
        put_task();
        port_finish(SB_FATAL_CODE);
    }
    if (cause == CAUSE_STORE_FAULT && in_guard(address)) {
        overflow_pc = pc;
        overflow_address = address;
        sb_fatal(SB_ERR_CORRUPT, "stack-overflow");
    }
    sb_console_puts("signalbox: exception: ");
    sb_console_puts(cause < sizeof names / sizeof names[0] ? names[cause] : "other");
    sb_console_puts(", cause ");
    put_hex(cause);
    put_place(pc, address);
    put_task();
    port_finish(SB_FATAL_CODE);
}

/* ---- contexts */

SB_COLD void port_context_init(struct sb_task *task)
{
    uint32_t *frame = (uint32_t *)(void *)(task->stack + task->stack_bytes - SWITCH_FRAME_BYTES);
    frame[0] = (uint32_t)(uintptr_t)sb_task_main;
    task->sp = frame;
}

SB_COLD void *port_idle_stack(uint32_t *stack_bytes)
{
    static _Alignas(16) uint8_t stack[IDLE_STACK_BYTES];
    *stack_bytes = sizeof stack;
    return stack;
}

SB_COLD void port_unmask(void)
{
    __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}

_Noreturn void port_idle(void)
{
    for (;;) {
        __asm__ volatile("wfi");
    }
}

/* ---- interrupts */

static void set_enabled(uint32_t lines_enabled)
{
    enabled_lines = lines_enabled;
    rival_lines = task_lines & lines_enabled & allowed_lines;
    __asm__ volatile("csrw mie, %0" ::"r"(lines_enabled & allowed_lines));
}

SB_COLD void port_irq_enable(uint32_t bit)
{
    const uint32_t state = port_lock();
    set_enabled(enabled_lines | 1u << bit);
    port_unlock(state);
}

SB_COLD void port_irq_disable(uint32_t bit)
{
    const uint32_t state = port_lock();
    set_enabled(enabled_lines & ~(1u << bit));
    port_unlock(state);
}

/** Handlers have no priority: they may interrupt all interrupt tasks but the most urgent ones. */
SB_COLD static void rank_lines(void)
{
    for (uint32_t priority = 0; priority < SB_PRIORITIES; priority++) {
        urgent_lines[priority] = priority > 0 ? handler_lines : 0;
    }
    for (uint32_t bit = 0; bit < IRQ_LINES; bit++) {
        if (lines[bit].task != NULL) {
            for (uint32_t priority = lines[bit].task->priority + 1u; priority < SB_PRIORITIES; priority++) {
                urgent_lines[priority] |= 1u << bit;
            }
        }
    }
}

SB_COLD static void connect(uint32_t bit, void (*handler)(void), struct sb_task *task)
{
    const uint32_t state = port_lock();
    lines[bit].handler = handler;
    lines[bit].task = task;
    task_lines = task != NULL ? task_lines | 1u << bit : task_lines & ~(1u << bit);
    handler_lines = handler != NULL ? handler_lines | 1u << bit : handler_lines & ~(1u << bit);
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
    const uint32_t urgent = urgent_lines[priority];
    if ((urgent & enabled_lines) == 0) {
        body();
        return;
    }
    const uint32_t allowed = allowed_lines;
    const uint32_t pc = CSR_READ(mepc);
    const uint32_t vector = CSR_READ(mtvec);
    allowed_lines = urgent;
    rival_lines = task_lines & enabled_lines & urgent;
    __asm__ volatile("csrw mie, %0\n"
                     "csrw mtvec, %1\n"
                     "csrsi mstatus, 8" ::"r"(urgent & enabled_lines),
                     "r"(sb_trap_nested)
                     : "memory");
    body();
    __asm__ volatile("csrci mstatus, 8" ::: "memory");
    allowed_lines = allowed;
    rival_lines = task_lines & enabled_lines & allowed;
    /* Whoever was interrupted here has left its own return in these. */
    __asm__ volatile("csrw mie, %0\n"
                     "csrw mtvec, %1\n"
                     "csrw mepc, %2\n"
                     "csrs mstatus, %3" ::"r"(allowed & enabled_lines),
                     "r"(vector), "r"(pc), "r"(MSTATUS_TASK)
                     : "memory");
}

/** A late tick is made up for: COMPARE is then still in the past and the line stays raised. */
static void tick_handler(void)
{
    tick_next += tick_period;
    sb_timer_set(port_core(), tick_next);
    sb_tick();
}

SB_COLD void port_tick_start(uint32_t tick_hz)
{
    const uint32_t core = port_core();
    tick_period = SB_TIMER_HZ / tick_hz;
    tick_next = sb_timer_count(core) + tick_period;
    sb_timer_set(core, tick_next);
    port_irq_connect(SB_TIMER_IRQ, tick_handler);
}

/* The alarm: ticks are counted from the timer's count at the last question, so a division of 32 bits is enough. */

static uint64_t alarm_base; /* the count at which tick `alarm_base_tick` began */
static uint32_t alarm_base_tick;

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
    const uint64_t passed = sb_timer_count(port_core()) - alarm_base;
    const uint32_t ticks =
        (passed >> 32) == 0 ? (uint32_t)passed / tick_period : (uint32_t)(passed / tick_period);
    alarm_base += (uint64_t)ticks * tick_period;
    alarm_base_tick += ticks;
    port_unlock(state);
    return alarm_base_tick;
}

void port_alarm_set(uint32_t tick)
{
    const int32_t ahead = (int32_t)(tick - port_alarm_now());
    sb_timer_set(port_core(), ahead > 0 ? alarm_base + (uint64_t)(uint32_t)ahead * tick_period : 0);
}

/* ---- core, time, memory */

uint32_t port_core(void)
{
    return CSR_READ(mhartid);
}

uint64_t port_cycles(void)
{
    uint32_t high;
    uint32_t low;
    do {
        high = CSR_READ(mcycleh);
        low = CSR_READ(mcycle);
    } while (high != CSR_READ(mcycleh));
    return (uint64_t)high << 32 | low;
}

/** Zicbom, written as numbers: the base -march does not name it. `op`: 0 invalidate, 1 clean, 2 flush. Nothing where hardware keeps the
 *  data caches coherent. */
#define CACHE_OP(start, size_bytes, op)                                                    \
    do {                                                                                   \
        if (SB_DCACHE_BYTES > 0 && !SB_COHERENT) {                                         \
            uintptr_t line_ = (uintptr_t)(start) & ~(uintptr_t)(SB_CACHE_LINE_BYTES - 1);  \
            const uintptr_t end_ = (uintptr_t)(start) + (size_bytes);                      \
            for (; line_ < end_; line_ += SB_CACHE_LINE_BYTES) {                           \
                __asm__ volatile(".insn i 0x0f, 2, x0, %0, " #op ::"r"(line_) : "memory"); \
            }                                                                              \
        }                                                                                  \
    } while (0)

void port_cache_clean(const void *start, uint32_t size_bytes)
{
    CACHE_OP(start, size_bytes, 1);
}

void port_cache_flush(const void *start, uint32_t size_bytes)
{
    CACHE_OP(start, size_bytes, 2);
}

void port_cache_invalidate(const void *start, uint32_t size_bytes)
{
    CACHE_OP(start, size_bytes, 0);
}

void *port_uncached(const void *cached)
{
    return (void *)((uintptr_t)cached | SB_BYPASS_BIT);
}

void *port_cached(const void *uncached)
{
    return (void *)((uintptr_t)uncached & ~(uintptr_t)SB_BYPASS_BIT);
}

void port_barrier(void)
{
    __asm__ volatile("fence iorw, iorw" ::: "memory");
}
