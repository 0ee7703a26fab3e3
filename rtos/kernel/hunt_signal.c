/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Names that do not exist yet. What is kept is a note with the name, which knows the signal; on the way to another node
 *  `link/` keeps it. */
#include <string.h>

#include "kernel.h"
#include "signalbox/attach.h"
#include "signalbox/kept.h"
#include "signalbox/remote.h"

#define NAME_CHARS_MAX 31u

struct note {
    uint32_t signo;
    union sb_signal *sig;
    char name[];
};

static struct note *note_of(struct sb_signal_header *header)
{
    return (struct note *)(void *)sb_signal_of(header);
}

SB_COLD static bool names(const struct sb_signal_header *header, uint32_t task)
{
    const struct note *note = (const struct note *)(const void *)(header + 1);
    const char *name = sb_task_name(task);
    return name != NULL && strcmp(note->name, name) == 0;
}

SB_COLD void sb_hunt_answer(union sb_signal *sig, sb_addr found, sb_addr hunter)
{
    struct sb_signal_header *header = sb_signal_header_of(sig);
    header->sender = found;
    header->addressee = hunter;
    header->mark = SB_SIGNAL_QUEUED;
    sb_kept_deliver(port_node(), header);
}

SB_COLD static void begun(struct sb_node *node, struct sb_task *task)
{
    struct sb_signal_header *header;
    while ((header = sb_kept_take(&node->hunting, names, task->addr)) != NULL) {
        sb_hunt_answer(note_of(header)->sig, task->addr, header->addressee);
        sb_pool_return(header);
    }
}

SB_COLD static void ended(struct sb_node *node, sb_addr task)
{
    struct sb_signal_header *header;
    while ((header = sb_kept_take(&node->hunting, sb_kept_for, task)) != NULL) {
        sb_pool_return(sb_signal_header_of(note_of(header)->sig));
        sb_pool_return(header);
    }
}

static const struct sb_watcher watcher = {.begun = begun, .ended = ended};

/** Nobody has the name now; nobody gets it meanwhile, for preemption is off. */
SB_COLD static enum sb_err keep(struct sb_node *node, const char *name, union sb_signal *sig)
{
    const uint32_t name_bytes = (uint32_t)strlen(name) + 1u;
    if (name_bytes > NAME_CHARS_MAX + 1u) {
        return SB_ERR_NOT_FOUND;
    }
    union sb_signal *memory = sb_alloc_nil((uint32_t)sizeof(struct note) + name_bytes, SB_SIGNO_HUNTED);
    if (memory == NULL) {
        return SB_ERR_MEMORY;
    }
    struct sb_signal_header *header = sb_signal_header_of(memory);
    header->addressee = node->self->addr;
    note_of(header)->sig = sig;
    memcpy(note_of(header)->name, name, name_bytes);
    const uint32_t state = port_lock();
    sb_kept_add_locked(&node->hunting, header);
    port_unlock(state);
    return SB_OK;
}

SB_COLD static enum sb_err hunt_local(struct sb_node *node, const char *name, union sb_signal *sig)
{
    enum sb_err err = SB_OK;
    sb_watch(node, &watcher);
    sb_preemption_off();
    const sb_addr found = sb_task_lookup(name);
    if (found != SB_ADDR_NONE) {
        sb_hunt_answer(sig, found, node->self->addr);
    } else {
        err = keep(node, name, sig);
    }
    sb_preemption_on();
    return err;
}

SB_COLD enum sb_err sb_hunt_signal(const char *name, union sb_signal **sig)
{
    struct sb_node *node = port_node();
    sb_check(name != NULL && sig != NULL && *sig != NULL, SB_ERR_ARGUMENT, "hunt-null");
    union sb_signal *own = *sig;
    sb_signal_check(own, SB_SIGNAL_OWNED, "signal-not-owned");
    *sig = NULL;
    sb_signal_owned_by(sb_signal_header_of(own), NULL); /* from here on the note owns it */
    const char *task_name;
    const int32_t index = sb_name_split(node->config, name, &task_name);
    enum sb_err err = (enum sb_err)index;
    if (index == node->config->node) {
        err = hunt_local(node, task_name, own);
    } else if (index >= 0) {
        err = sb_remote_hunt_signal((uint32_t)index, task_name, own);
    }
    if (err != SB_OK) {
        sb_pool_return(sb_signal_header_of(own));
    }
    return err;
}
