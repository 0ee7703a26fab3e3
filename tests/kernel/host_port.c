/* SPDX-License-Identifier: Apache-2.0 */
#include "host_port.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define FIBERS 1
#else
#define FIBERS 0
#endif

/** At the top of a task's stack; task->sp points to it. */
struct context {
    ucontext_t machine;
    void *fake_stack;
    const void *bottom;
    size_t size;
};

_Thread_local struct sb_node *port_node_here;

static struct host_node *here;
static struct context driver;
static struct context *running = &driver;
static struct sb_task *line_task[32];
static void (*pending_handler)(void);
static bool pending;
static jmp_buf boot_failed;

bool (*host_at_unlock)(void);
void (*host_inject_handler)(void);
const char *host_fatal_label;

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "host port: %s\n", what);
        abort();
    }
}

static void go(struct context *from, struct context *to)
{
    running = to;
#if FIBERS
    __sanitizer_start_switch_fiber(&from->fake_stack, to->bottom, to->size);
#endif
    require(swapcontext(&from->machine, &to->machine) == 0, "swapcontext");
#if FIBERS
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

static void entry(void)
{
#if FIBERS
    const void *old_bottom;
    size_t old_size;
    __sanitizer_finish_switch_fiber(NULL, &old_bottom, &old_size);
    if (driver.bottom == NULL) {
        driver.bottom = old_bottom;
        driver.size = old_size;
    }
#endif
    sb_task_main();
}

void host_select(struct host_node *host)
{
    here = host;
    port_node_here = &host->node;
}

void host_boot(const struct sb_node_config *config)
{
    host_fatal_label = NULL;
    here->started = false;
    here->masked = true;
    here->switches = 0;
    here->alarms = 0;
    memset(line_task, 0, sizeof line_task);
    if (setjmp(boot_failed) == 0) {
        sb_node_init(config);
    }
}

void host_run(void)
{
    require(running == &driver, "host_run is for the test, not for its tasks");
    struct sb_node *node = &here->node;
    if (!here->started) {
        here->started = true;
        node->current = node->next;
        node->self = node->next;
    }
    go(&driver, node->current->sp);
}

void host_interrupt(void (*handler)(void))
{
    pending_handler = handler;
    pending = true;
    host_run();
}

void host_raise(uint32_t bit)
{
    require(line_task[bit] != NULL, "nobody is connected with this line");
    sb_interrupt_activate(line_task[bit]);
    host_interrupt(NULL);
}

static void interrupt(void (*handler)(void))
{
    here->masked = true;
    if ((here->node.held & SB_HELD_INTERRUPT) != 0) {
        sb_interrupt_nested(handler);
    } else if (sb_interrupt(handler)) {
        sb_interrupt_switch();
    }
    here->masked = false;
}

void host_stack_reuse(void *stack)
{
#if FIBERS
    __asan_unpoison_memory_region(stack, HOST_STACK_BYTES);
#else
    (void)stack;
#endif
}

/* ---- port.h */

uint32_t port_lock(void)
{
    const uint32_t state = !here->masked;
    here->masked = true;
    return state;
}

void port_unlock(uint32_t state)
{
    if (state != 0) {
        if (host_at_unlock != NULL && running != &driver && host_at_unlock()) {
            interrupt(host_inject_handler);
        }
        here->masked = false;
    }
}

void port_unmask(void)
{
    here->masked = false;
}

void port_context_init(struct sb_task *task)
{
    const size_t size = (sizeof(struct context) + 63u) & ~(size_t)63u;
    struct context *context = (struct context *)(void *)(task->stack + task->stack_bytes - size);
    memset(context, 0, sizeof *context);
    task->sp = context;
    context->bottom = task->stack;
    context->size = task->stack_bytes - size;
    require(getcontext(&context->machine) == 0, "getcontext");
    context->machine.uc_stack.ss_sp = task->stack;
    context->machine.uc_stack.ss_size = context->size;
    context->machine.uc_link = NULL;
    makecontext(&context->machine, entry, 0);
}

void port_switch(struct sb_task *from, struct sb_task *to)
{
    require(here->masked, "port_switch with interrupts on");
    require((here->node.held & SB_HELD_INTERRUPT) == 0, "port_switch in interrupt context");
    require(from->sp == running, "port_switch from a task that does not run");
    here->switches++;
    go(from->sp, to->sp);
}

_Noreturn void port_start(struct sb_task *to)
{
    (void)to;
    require(false, "hosts do not start nodes this way");
    abort();
}

void port_call_interrupt(void (*body)(void))
{
    require(here->masked, "port_call_interrupt with interrupts on");
    body();
}

void port_call_nesting(void (*body)(void), uint32_t priority)
{
    require(here->masked, "port_call_nesting with interrupts on");
    require(priority > 0 && priority == here->node.level, "port_call_nesting with a wrong level");
    here->masked = false;
    body();
    here->masked = true;
}

_Noreturn void port_idle(void)
{
    for (;;) {
        while (pending) {
            pending = false;
            interrupt(pending_handler);
        }
        go(running, &driver);
    }
}

void *port_idle_stack(uint32_t *stack_bytes)
{
    *stack_bytes = HOST_STACK_BYTES;
    return here->idle_stack;
}

void port_irq_connect(uint32_t bit, void (*handler)(void))
{
    (void)bit;
    (void)handler;
}

void port_irq_connect_task(uint32_t bit, struct sb_task *task)
{
    line_task[bit] = task;
}

void port_irq_enable(uint32_t bit)
{
    (void)bit;
}

void port_irq_disable(uint32_t bit)
{
    (void)bit;
}

void port_tick_start(uint32_t tick_hz)
{
    (void)tick_hz;
}

void port_alarm_start(uint32_t tick_hz)
{
    (void)tick_hz;
    here->tick = 0;
    here->alarm_set = false;
}

uint32_t port_alarm_now(void)
{
    return here->tick;
}

void port_alarm_set(uint32_t tick)
{
    here->alarm_set = true;
    here->alarm_tick = tick;
}

static void alarm(void)
{
    here->alarm_set = false;
    here->alarms++;
    sb_alarm();
}

void host_pass(uint32_t ticks)
{
    /* From alarm to alarm: nothing happens between. */
    const uint32_t end = here->tick + ticks;
    while (here->alarm_set && end - here->alarm_tick <= end - here->tick) {
        here->tick = here->alarm_tick;
        host_interrupt(alarm);
    }
    here->tick = end;
}

uint64_t port_cycles(void)
{
    return ++here->cycles;
}

_Noreturn void port_fatal(const char *label)
{
    host_fatal_label = label;
    if (running == &driver) {
        longjmp(boot_failed, 1);
    }
    go(running, &driver);
    abort();
}

_Noreturn void port_finish(uint32_t code)
{
    exit((int)code);
}
