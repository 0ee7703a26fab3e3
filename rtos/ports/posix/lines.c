/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Interrupts. A signal says only "look": which lines are high is asked of those who raise them, so two signals that become
 *  one lose nothing. While interrupts are masked the handler notes it, and whoever unmasks looks. Masking is a flag of this
 *  process: it costs no system call, and the signal mask never changes. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "platform.h"
#include "posix.h"
#include "signalbox/port.h"

#define LINES 32u
#define ALL_LINES 0xffffffffu

static struct {
    void (*handler)(void);
    struct sb_task *task;
} lines[LINES];

static uint32_t enabled_lines;

/** Lines that may interrupt an interrupt task of each priority, and those that may interrupt what runs now. */
static uint32_t urgent_lines[SB_PRIORITIES];
static uint32_t allowed_lines = ALL_LINES;

/** A body runs in port_call_nesting: whoever interrupts it comes back to it. */
static bool nesting;

static volatile sig_atomic_t masked = 1;
static volatile sig_atomic_t look;

/** What deliver() works on: it has no parameters, because it changes stacks. */
static void (*taken_handler)(void);
static bool leave;

static uint32_t raised(void)
{
    return (sb_posix_timer_raised() ? 1u << SB_TIMER_IRQ : 0u) |
           (sb_posix_bell_raised() ? 1u << SB_PULSE_IRQ : 0u);
}

static void deliver(void)
{
    leave = sb_interrupt(taken_handler);
}

/** Everything that is raised and may interrupt now.   Context: masked */
static void dispatch(void)
{
    uint32_t now;
    while ((now = raised() & enabled_lines & allowed_lines) != 0) {
        void (*handler)(void) = NULL;
        for (uint32_t line = 0; line < LINES; line++) {
            if ((now >> line & 1u) == 0) {
                continue;
            }
            if (lines[line].task != NULL) {
                sb_interrupt_activate(lines[line].task);
            } else if (lines[line].handler == NULL) {
                port_irq_disable(line);
                sb_interrupt_spurious();
            } else if (handler == NULL) {
                handler = lines[line].handler; /* another one: the next time round */
            }
        }
        if (nesting) {
            sb_interrupt_nested(handler);
            continue;
        }
        taken_handler = handler;
        sb_posix_on_interrupt_stack(deliver);
        if (leave) {
            sb_interrupt_switch();
        }
    }
}

static void unmask(void)
{
    for (;;) {
        atomic_signal_fence(memory_order_seq_cst);
        masked = 0;
        atomic_signal_fence(memory_order_seq_cst);
        if (look == 0) {
            return;
        }
        masked = 1;
        atomic_signal_fence(memory_order_seq_cst);
        look = 0;
        dispatch();
    }
}

void sb_posix_look(void)
{
    look = 1;
    if (masked == 0) {
        masked = 1;
        unmask();
    }
}

static void on_signal(int number)
{
    const int error = errno;
    (void)number;
    sb_posix_look();
    errno = error;
}

void sb_posix_lines_init(void)
{
    /* Never blocked, not even in its own handler, which may leave for another task and come back late. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SB_POSIX_SIGNAL_TIMER, &action, NULL);
    (void)sigaction(SB_POSIX_SIGNAL_BELL, &action, NULL);
}

/* ---- port.h */

uint32_t port_lock(void)
{
    const uint32_t state = masked == 0;
    masked = 1;
    atomic_signal_fence(memory_order_seq_cst);
    return state;
}

void port_unlock(uint32_t state)
{
    if (state != 0) {
        unmask();
    }
}

void port_unmask(void)
{
    unmask();
}

_Noreturn void port_idle(void)
{
    for (;;) {
        (void)pause();
    }
}

void port_irq_enable(uint32_t bit)
{
    const uint32_t state = port_lock();
    enabled_lines |= 1u << bit;
    look = 1;
    port_unlock(state);
}

void port_irq_disable(uint32_t bit)
{
    const uint32_t state = port_lock();
    enabled_lines &= ~(1u << bit);
    port_unlock(state);
}

static void rank_lines(void)
{
    for (uint32_t priority = 0; priority < SB_PRIORITIES; priority++) {
        urgent_lines[priority] = 0;
        for (uint32_t line = 0; line < LINES; line++) {
            const struct sb_task *task = lines[line].task;
            if (task != NULL ? task->priority < priority : lines[line].handler != NULL && priority > 0) {
                urgent_lines[priority] |= 1u << line;
            }
        }
    }
}

static void connect(uint32_t bit, void (*handler)(void), struct sb_task *task)
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

void port_irq_connect(uint32_t bit, void (*handler)(void))
{
    connect(bit, handler, NULL);
}

void port_irq_connect_task(uint32_t bit, struct sb_task *task)
{
    connect(bit, NULL, task);
}

void port_call_nesting(void (*body)(void), uint32_t priority)
{
    const uint32_t outer_lines = allowed_lines;
    const bool outer = nesting;
    allowed_lines = urgent_lines[priority];
    nesting = true;
    look = 1;
    unmask();
    body();
    masked = 1;
    atomic_signal_fence(memory_order_seq_cst);
    nesting = outer;
    allowed_lines = outer_lines;
    look = 1; /* what was not allowed may be now */
}
