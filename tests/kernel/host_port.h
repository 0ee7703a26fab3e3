/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_HOST_PORT_H
#define SB_HOST_PORT_H
/** @file
 *  A port for unit tests on a host: contexts are ucontexts, interrupts are injected by the test, and a
 *  violation ends in a recorded label instead of a dead process. Several nodes can be set up; host_node
 *  selects the one that runs. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/config_types.h"
#include "signalbox/port.h"

/** Enough for sanitizers and printf; config tables of tests use it. */
#define HOST_STACK_BYTES 65536u

/** One node of the test process. */
struct host_node {
    struct sb_node node;
    bool started;
    bool masked;
    uint32_t switches;
    uint32_t tick; /* tickless */
    uint32_t alarm_tick;
    bool alarm_set;
    uint32_t alarms; /* interrupts of the alarm so far */
    uint64_t cycles;
    _Alignas(16) uint8_t idle_stack[HOST_STACK_BYTES];
};

/** Make `host` the node that runs here (port_node()). */
void host_select(struct host_node *host);

/** Initialise the selected node. */
void host_boot(const struct sb_node_config *config);

/** Run the selected node until it idles. A fatal end of the node also comes back here. */
void host_run(void);

/** While the selected node idles: an interrupt with this handler (NULL: only what is activated), then run
 *  until it idles again. */
void host_interrupt(void (*handler)(void));

/** Interrupt task of a line: as if the line were raised. */
void host_raise(uint32_t bit);

/** While the selected node idles: so many ticks of a tickless node go by; its alarms interrupt. */
void host_pass(uint32_t ticks);

/** The stack of a task that has run is written again: tell the sanitizer that nothing lives there. */
void host_stack_reuse(void *stack);

/** Called at each end of a critical section of a task, interrupts masked: the test checks what must hold, and
 *  answers true to have an interrupt there, which calls host_inject_handler. NULL: none. */
extern bool (*host_at_unlock)(void);
extern void (*host_inject_handler)(void);

/** Label of the last port_fatal, NULL if there was none; cleared by host_boot. */
extern const char *host_fatal_label;

#endif
