/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/process.h"

#include <string.h>

#include "signalbox/config_types.h"
#include "signalbox/kept.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/timeout.h"

#define NAME_CHARS_MAX 31u
#define STACK_BYTES_MAX 0x1000000u
#define PROCESS_SIGNO 0x50726f63u
#define SLICE_SIGNO 0x536c6963u

/** A block: this, then the stack. */
struct process {
    uint32_t signo;
    struct sb_task_config config;
    struct sb_timeout activation; /**< of an interrupt task that has one */
    char name[NAME_CHARS_MAX + 1u];
};

/** Turns of one length, for all that have it. Its timer may run on when the last of them has died, so it stays. */
struct turns {
    uint32_t signo;
    struct sb_slice slice;
};

static struct process *process_of(struct sb_signal_header *header)
{
    return (struct process *)(void *)sb_signal_of(header);
}

static struct turns *turns_of(struct sb_signal_header *header)
{
    return (struct turns *)(void *)sb_signal_of(header);
}

static void give_back(struct sb_signal_header *header)
{
    union sb_signal *sig = sb_signal_of(header);
    sb_free(&sig);
}

static bool is_process(const struct sb_signal_header *header)
{
    return *(const uint32_t *)(const void *)(header + 1) == PROCESS_SIGNO;
}

/** For sb_kept_take: nobody needs the block any more, the timeout server neither. */
static bool is_over(const struct sb_signal_header *header, uint32_t unused)
{
    (void)unused;
    const sb_addr task = header->addressee;
    const struct process *process = (const struct process *)(const void *)(header + 1);
    return is_process(header) && sb_task_name(task) == NULL &&
           port_node()->timeouts.calling != &process->activation && sb_task_forget(task) != SB_ERR_BUSY;
}

static void activate(void *task)
{
    SB_IGNORE(sb_fsem_signal((sb_addr)(uintptr_t)task));
}

/** A task that is activated by time has died. */
static void ended(struct sb_node *node, sb_addr task)
{
    const uint32_t state = port_lock();
    for (struct sb_signal_header *at = node->processes; at != NULL; at = at->next) {
        if (is_process(at) && at->addressee == task) {
            SB_IGNORE(sb_timeout_cancel(&process_of(at)->activation));
        }
    }
    port_unlock(state);
}

static const struct sb_watcher watcher = {.ended = ended};

static enum sb_err activate_every(struct sb_node *node, struct process *process, uint32_t ticks, sb_addr task)
{
    sb_watch(node, &watcher);
    sb_timeout_init(&process->activation, activate, (void *)(uintptr_t)task);
    return sb_timeout_start(&process->activation, ticks, ticks);
}

static void sweep(struct sb_node *node)
{
    struct sb_signal_header *header;
    while ((header = sb_kept_take(&node->processes, is_over, 0)) != NULL) {
        give_back(header);
    }
}

/** A block that no task owns, in the node's list once it is complete. */
static struct sb_signal_header *block(uint32_t bytes, uint32_t signo)
{
    union sb_signal *sig = sb_alloc_nil(bytes, signo);
    if (sig == NULL) {
        return NULL;
    }
    struct sb_signal_header *header = sb_signal_header_of(sig);
    sb_signal_owned_by(header, NULL);
    return header;
}

static void keep(struct sb_node *node, struct sb_signal_header *header)
{
    const uint32_t state = port_lock();
    sb_kept_add_locked(&node->processes, header);
    port_unlock(state);
}

/** Preemption is off: nobody else adds. */
static struct sb_slice *slice_of(struct sb_node *node, uint16_t ticks)
{
    for (struct sb_signal_header *at = node->processes; at != NULL; at = at->next) {
        if (*sb_signal_number(at) == SLICE_SIGNO && turns_of(at)->slice.ticks == ticks) {
            return &turns_of(at)->slice;
        }
    }
    struct sb_signal_header *header = block((uint32_t)sizeof(struct turns), SLICE_SIGNO);
    if (header == NULL) {
        return NULL;
    }
    turns_of(header)->slice = (struct sb_slice){.ticks = ticks};
    keep(node, header);
    return &turns_of(header)->slice;
}

static bool arguments_exist(const struct sb_process_config *config)
{
    return config != NULL && config->name != NULL && config->entry != NULL &&
           strlen(config->name) <= NAME_CHARS_MAX && strchr(config->name, '/') == NULL &&
           (config->kind == SB_TASK_PRIORITY || config->kind == SB_TASK_INTERRUPT ||
            config->kind == SB_TASK_BEST_EFFORT) &&
           (config->kind != SB_TASK_BEST_EFFORT || config->slice_ticks != 0) &&
           (config->kind == SB_TASK_INTERRUPT || config->every_ticks == 0);
}

static bool stack_fits(const struct sb_process_config *config)
{
    return config->kind == SB_TASK_INTERRUPT
               ? config->stack_bytes == 0
               : config->stack_bytes >= SB_STACK_BYTES_MIN && config->stack_bytes <= STACK_BYTES_MAX;
}

static enum sb_err create(struct sb_node *node, const struct sb_process_config *config, sb_addr *out)
{
    const uint32_t stack_bytes = (config->stack_bytes + 15u) & ~15u;
    struct sb_slice *slice = NULL;
    if (config->kind == SB_TASK_BEST_EFFORT && (slice = slice_of(node, config->slice_ticks)) == NULL) {
        return SB_ERR_MEMORY;
    }
    struct sb_signal_header *header =
        block((uint32_t)sizeof(struct process) + 15u + stack_bytes, PROCESS_SIGNO);
    if (header == NULL) {
        return SB_ERR_MEMORY;
    }
    struct process *process = process_of(header);
    memcpy(process->name, config->name, strlen(config->name) + 1u);
    process->config = (struct sb_task_config){
        .name = process->name,
        .entry = config->entry,
        .kind = config->kind,
        .priority = config->priority,
        .irq = config->irq,
        .stopped = config->stopped,
        .stack = stack_bytes != 0 ? (void *)(((uintptr_t)(process + 1) + 15u) & ~(uintptr_t)15u) : NULL,
        .stack_bytes = stack_bytes,
        .task_class = slice != NULL ? &sb_round_robin : NULL,
        .class_state = slice,
    };
    process->activation = (struct sb_timeout){.armed = false};
    enum sb_err err = sb_task_create(&process->config, out);
    if (err != SB_OK) {
        give_back(header);
        return err;
    }
    header->addressee = *out;
    keep(node, header);
    if (config->every_ticks != 0 &&
        (err = activate_every(node, process, config->every_ticks, *out)) != SB_OK) {
        SB_IGNORE(sb_task_kill(*out));
        *out = SB_ADDR_NONE;
    }
    return err;
}

enum sb_err sb_process_create(const struct sb_process_config *config, sb_addr *out)
{
    struct sb_node *node = port_node();
    *out = SB_ADDR_NONE;
    if ((node->held & SB_HELD_INTERRUPT) != 0) {
        return SB_ERR_CONTEXT;
    }
    if (!arguments_exist(config)) {
        return SB_ERR_ARGUMENT;
    }
    if (!stack_fits(config)) {
        return SB_ERR_SIZE;
    }
    sb_preemption_off();
    sweep(node);
    const enum sb_err err = create(node, config, out);
    sb_preemption_on();
    return err;
}
