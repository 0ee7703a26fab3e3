/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_ISOLATION_H
#define SIGNALBOX_ISOLATION_H
/** @file
 *  Domains: tasks that run in user mode and reach only their own memory, the pools mapped in it, the devices granted to it
 *  and, by their public names, the kernel's calls. What is in no domain runs in machine mode, as ever: it is trusted.
 *
 *  A task that does what it may not (access, instruction, argument of a call) is ended as sb_task_kill ends it; the error
 *  hook is told, a line is on the console, and the node goes on. docs/isolation.md has the picture.
 *
 *  Nothing of this is in the image of a node without domains. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"

struct sb_node;
struct sb_pool_config;
struct sb_signal_header;
struct sb_task;
union sb_signal;

/* ---- for trusted tasks */

/** Why a task of a domain was ended. */
struct sb_isolation_report {
    sb_addr task;
    const char *name;
    const char *domain;
    const char *label; /**< the exception's name, or the label of the call's violation */
    uint32_t cause;    /**< as in mcause; 8 for a call */
    uint32_t pc;       /**< of the instruction; of a call: of its trap */
    uint32_t address;  /**< as in mtval; of a call: the argument that was wrong, or its number */
};

/** Tasks of domains ended so far because of what they did; *out (may be NULL): the last one.   Context: any */
uint32_t sb_isolation_stopped(struct sb_isolation_report *out);

/** Signals that found no block in the pool of the domain that they were for: each was freed, and its sender has
 *  SB_ERR_MEMORY.   Context: any */
uint32_t sb_isolation_refused(void);

/* ---- written by the build */

/** Regions that a domain may have beside the program: its memory, shared pools, devices. */
#define SB_DOMAIN_REGIONS_MAX 12u

/** A power of two of bytes, naturally aligned. */
struct sb_region {
    const void *base;
    uint32_t bytes;
};

/** A semaphore, mutex, ... of a domain: what the domain has is only its number and place; the object is the kernel's. */
struct sb_user_object;

struct sb_domain {
    const char *name;
    uint32_t pools;        /**< bit n: pool n is mapped */
    uint32_t pool;         /**< that sb_alloc takes from, and into which signals are copied */
    uint32_t most_urgent;  /**< priority that its tasks may have */
    uint32_t region_count; /**< at least 1 */
    uint32_t
        memory_count; /**< so many of them are memory: the domain's own, shared pools; the others are devices */
    uint32_t object_count;
    struct sb_user_object *objects;
    struct sb_region region[SB_DOMAIN_REGIONS_MAX];
};

/** What a task of a domain has beside its struct sb_task_config, whose entry is sb_user_entry and whose stack is the one that
 *  the kernel's calls run on. */
struct sb_user {
    void (*entry)(void);
    uint8_t *stack; /**< lowest address */
    uint32_t stack_bytes;
    void *tls; /**< thread-local words of the C library */
    const struct sb_domain *domain;
};

/** Behind each of those kernel stacks. */
struct sb_user_tail {
    const struct sb_user *user;
    void *frame; /**< where the port keeps its registers while it is not in user mode */
    uint32_t reserved[2];
};

struct sb_isolation_config {
    const struct sb_user *const *users; /**< by index of the configured tasks; NULL: trusted */
    struct sb_signal_header *headers;   /**< one for each block of all pools: no domain reaches them */
    uint32_t header_count;
    uint32_t mapped_pools; /**< bit n: pool n is mapped in some domain */
};

extern const struct sb_isolation_config sb_isolation_config;

/** Memory of the kernel for `count` objects of a domain. */
#define SB_USER_OBJECT_BYTES 72u

/** Entry of every task of a domain. */
void sb_user_entry(void);

/* ---- what the kernel asks */

/** Before the first task: who is who.   Context: boot */
void sb_isolation_start(void);

/** Number of the first header of class `index` of the pool with this configuration. */
uint32_t sb_isolation_first_header(const struct sb_pool_config *config, uint32_t index);

/** The header of a signal wherever its pool lies; fatal `signal-header` if that is none. */
struct sb_signal_header *sb_isolation_header_of(const union sb_signal *sig);

/** The number that finds the header again, beside the signal. */
void sb_isolation_number(struct sb_signal_header *header);

/** Whether some domain can write the signal. */
bool sb_isolation_mapped(const struct sb_node *node, const struct sb_signal_header *header);

/** A signal that the addressee can reach: this one or a copy, whose original is freed. NULL: there is no room for a copy; the
 *  signal is freed and counted. */
struct sb_signal_header *sb_isolation_deliverable(struct sb_node *node, struct sb_signal_header *header);

/** A violation of preconditions: ends the caller if that is a task of a domain, else returns. */
void sb_isolation_violation(enum sb_err err, const char *label);

/* ---- what the port asks */

/** The running task has trapped in user mode, not by a call.   Context: its kernel stack, interrupts unmasked */
_Noreturn void sb_isolation_fault(uint32_t cause, uint32_t pc, uint32_t address);
/** It has made a call that does not exist. */
_Noreturn void sb_isolation_no_call(void);

/** By number: what the kernel does for a call. */
extern void (*const sb_isolation_calls[])(void);

/* ---- what the port does */

/** Run user->entry in user mode until it returns. Keeps the place of its registers in *frame. */
void port_user_enter(const struct sb_user *user, void **frame);
/** What call number 0 does: port_user_enter returns. */
void port_user_exit(void);
/** pc and number of the call that is being made, from its registers. */
uint32_t port_user_pc(const void *frame);

#endif
