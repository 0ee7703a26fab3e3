/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Contexts are those of <ucontext.h>. A stack of a configuration is too small for a signal's frame and the C library, so each
 *  context has a larger one with a page below that nobody can touch, made once for each stack of the configuration; in that
 *  lies only where the context is. The signal mask is the same in all (empty): interrupts are masked by a flag. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "posix.h"
#include "signalbox/port.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define FIBERS 1
#else
#define FIBERS 0
#endif

#define STACK_BYTES (256u * 1024u)
#define GUARD_BYTES (64u * 1024u)
#define IDLE_STACK_BYTES 256u

struct sb_posix_context {
    ucontext_t machine;
    struct sb_posix_context *next;
    const uint8_t *key; /* stack of the configuration */
    void *fake_stack;   /* the sanitizer's */
    uint8_t *bottom;
    size_t size_bytes;
};

static struct sb_posix_context *all;
static struct sb_posix_context boot;
static struct sb_posix_context interrupts;
static struct sb_posix_context *running = &boot;

static void (*interrupt_body)(void);
static struct sb_posix_context *interrupted;

static void go(struct sb_posix_context *from, struct sb_posix_context *to)
{
    running = to;
#if FIBERS
    __sanitizer_start_switch_fiber(&from->fake_stack, to->bottom, to->size_bytes);
#endif
    if (swapcontext(&from->machine, &to->machine) != 0) {
        abort();
    }
#if FIBERS
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

/** First thing on a new context. */
static void arrive(void)
{
#if FIBERS
    const void *bottom;
    size_t size_bytes;
    __sanitizer_finish_switch_fiber(NULL, &bottom, &size_bytes);
    if (boot.bottom == NULL) {
        boot.bottom = (uint8_t *)(uintptr_t)bottom;
        boot.size_bytes = size_bytes;
    }
#endif
}

static void task_entry(void)
{
    arrive();
    sb_task_main();
}

/** Lives as long as the process: runs one body after the other. */
static void interrupt_entry(void)
{
    arrive();
    for (;;) {
        interrupt_body();
        go(&interrupts, interrupted);
    }
}

static void make(struct sb_posix_context *context, void (*entry)(void))
{
    if (context->bottom == NULL) {
        uint8_t *memory = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED || mprotect(memory, GUARD_BYTES, PROT_NONE) != 0) {
            port_fatal("stack-memory");
        }
        context->bottom = memory + GUARD_BYTES;
        context->size_bytes = STACK_BYTES;
    }
#if FIBERS
    __asan_unpoison_memory_region(context->bottom, context->size_bytes);
    context->fake_stack = NULL;
#endif
    if (getcontext(&context->machine) != 0) {
        abort();
    }
    context->machine.uc_stack.ss_sp = context->bottom;
    context->machine.uc_stack.ss_size = context->size_bytes;
    context->machine.uc_link = NULL;
    makecontext(&context->machine, entry, 0);
}

void sb_posix_contexts_init(void)
{
    make(&interrupts, interrupt_entry);
}

void sb_posix_on_interrupt_stack(void (*body)(void))
{
    if (running == &interrupts) {
        body();
        return;
    }
    interrupt_body = body;
    interrupted = running;
    go(running, &interrupts);
}

/* ---- port.h */

static struct sb_posix_context *of(const struct sb_task *task)
{
    return *(struct sb_posix_context **)task->sp;
}

void port_context_init(struct sb_task *task)
{
    struct sb_posix_context *context = all;
    while (context != NULL && context->key != task->stack) {
        context = context->next;
    }
    if (context == NULL) {
        context = calloc(1, sizeof *context);
        if (context == NULL) {
            abort();
        }
        context->key = task->stack;
        context->next = all;
        all = context;
    }
    make(context, task_entry);
    struct sb_posix_context **place =
        (struct sb_posix_context **)(void *)(task->stack + task->stack_bytes - 16u);
    *place = context;
    task->sp = place;
}

void port_switch(struct sb_task *from, struct sb_task *to)
{
    go(of(from), of(to));
}

_Noreturn void port_start(struct sb_task *to)
{
    go(&boot, of(to));
    abort();
}

void port_call_interrupt(void (*body)(void))
{
    sb_posix_on_interrupt_stack(body);
}

void *port_idle_stack(uint32_t *stack_bytes)
{
    static _Alignas(16) uint8_t stack[IDLE_STACK_BYTES];
    *stack_bytes = sizeof stack;
    return stack;
}
