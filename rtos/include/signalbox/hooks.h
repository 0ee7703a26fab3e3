/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_HOOKS_H
#define SIGNALBOX_HOOKS_H
/** @file
 *  Check levels and hooks, after OSEck's three libraries (osek-linx 2.2.7).
 *
 *    release  fatal invariants only (exhausted pool, unhandled exception); hooks are not called
 *    hooks    adds the swap, create, kill, error and deadline hooks, and paints stacks
 *    checked  adds preconditions, end marks of signals, stack marks at each switch, contexts, list walks
 *
 *  A violation calls the error hook with a stable label, then ends the node (port_fatal). A hook runs with
 *  interrupts off, on the stack of whoever caused it, and calls nothing that waits or switches. */
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"

#define SB_LEVEL_RELEASE 0
#define SB_LEVEL_HOOKS 1
#define SB_LEVEL_CHECKED 2

/** NULL: none. */
struct sb_hooks {
    void (*swap)(sb_addr from, sb_addr to); /**< before each switch between priority tasks (idle included) */
    void (*create)(sb_addr task);           /**< a task has come into being; before it runs first */
    void (*kill)(sb_addr task);             /**< a task is about to die */
    void (*error)(enum sb_err err,
                  const char *label); /**< before the node ends, or a call fails for a caller's bug */
    void (*deadline)(sb_addr task,
                     uint32_t misses); /**< a periodic task has missed its deadline, for the misses-th time */
};

/** Set the hooks of this node; replaces all. To see the creation of tasks, give them in the
 *  configuration instead. Context: any. */
void sb_hooks_set(const struct sb_hooks *hooks);

/** Tell the error hook (hooks and checked levels) of a failure that is survived.   Context: any */
void sb_report(enum sb_err err, const char *label);

/** A caller's bug that a call without a result cannot answer: as sb_fatal at the checked level, else as sb_report, and the
 *  call has done nothing.   Context: any */
void sb_violation(enum sb_err err, const char *label);

/** A violation that services and applications find: the error hook is told, then the node ends with this label.
 *  Context: any */
_Noreturn void sb_fatal(enum sb_err err, const char *label);

#endif
