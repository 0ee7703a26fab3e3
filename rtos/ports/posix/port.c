/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Beginning and end of a node that is a process, its console, and memory without caches. */
#include "signalbox/port.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "config.h"
#include "posix.h"
#include "signalbox/config_types.h"
#include "signalbox/console.h"

static struct sb_node node;
_Thread_local struct sb_node *port_node_here = &node;

/* ---- console: standard input and output */

void sb_console_write(const char *text, uint32_t size_bytes)
{
    while (size_bytes > 0) {
        const ssize_t written = write(STDOUT_FILENO, text, size_bytes);
        if (written <= 0) {
            return;
        }
        text += written;
        size_bytes -= (uint32_t)written;
    }
}

void sb_console_puts(const char *text)
{
    sb_console_write(text, (uint32_t)strlen(text));
}

int sb_console_getc(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    uint8_t c;
    return poll(&input, 1, 0) == 1 && read(STDIN_FILENO, &c, 1) == 1 ? c : -1;
}

static void put_task(void)
{
    if (node.self != NULL) {
        sb_console_puts(", task ");
        sb_console_puts(node.self->config->name);
    }
    sb_console_puts("\n");
}

/* ---- end */

_Noreturn void port_finish(uint32_t code)
{
    (void)port_lock();
    _exit((int)code);
}

_Noreturn void port_fatal(const char *label)
{
    (void)port_lock();
    sb_console_puts("signalbox: fatal: ");
    sb_console_puts(label);
    put_task();
    port_finish(SB_FATAL_CODE);
}

#if !defined(__SANITIZE_ADDRESS__)

static void put_hex(uint64_t value)
{
    char text[18] = {'0', 'x'};
    for (uint32_t i = 0; i < 16; i++) {
        text[2 + i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15u];
    }
    sb_console_write(text, sizeof text);
}

static uint64_t program_counter(const void *context)
{
#if defined(__x86_64__)
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return ((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

static void on_exception(int number, siginfo_t *info, void *context)
{
    (void)port_lock();
    sb_console_puts("signalbox: exception: ");
    sb_console_puts(number == SIGSEGV  ? "segmentation fault"
                    : number == SIGBUS ? "bus error"
                    : number == SIGILL ? "illegal instruction"
                                       : "arithmetic");
    sb_console_puts(", cause ");
    put_hex((uint64_t)info->si_code);
    sb_console_puts(", pc ");
    put_hex(program_counter(context));
    sb_console_puts(", address ");
    put_hex((uint64_t)(uintptr_t)info->si_addr);
    put_task();
    port_finish(SB_FATAL_CODE);
}

/** On a stack of its own: the task's may be what has gone wrong. */
static void exceptions_init(void)
{
    static uint8_t memory[65536];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    struct sigaction action = {.sa_sigaction = on_exception, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaltstack(&stack, NULL);
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        (void)sigaction(numbers[i], &action, NULL);
    }
}

#else

/** The sanitizer reports. */
static void exceptions_init(void)
{
}

#endif

int main(void)
{
    (void)setvbuf(stdout, NULL, _IONBF, 0);
    exceptions_init();
    sb_posix_shared_init();
    sb_posix_timer_init();
    sb_posix_contexts_init();
    sb_posix_lines_init();
    sb_start(&sb_node_config);
}

/* ---- memory: coherent */

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
    atomic_thread_fence(memory_order_seq_cst);
}
