/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The kernel's calls for tasks of domains, by number. On the caller's kernel stack, in machine mode, interrupts unmasked. Bad
 *  arguments end the caller; what the contract gives an error for gives that error. */
#include "calls.h"

#include <string.h>

#include "caller.h"
#include "kernel/end_mark.h"
#include "signalbox/attach.h"
#include "signalbox/config_types.h"
#include "signalbox/console.h"
#include "signalbox/timer.h"
#include "signalbox/user_calls.h"

/** Longest selection list: it is copied, because it must not change while the kernel reads it. */
#define SELECTION_MAX 32u
/** Longest name, "node/task" with its end. */
#define NAME_BYTES 64u

/* ---- arguments */

/** A text of the caller's, copied. */
static void copy_name(char *name, const char *from)
{
    const struct sb_domain *domain = sb_caller()->domain;
    uint32_t i = 0;
    do {
        if (i == NAME_BYTES || !sb_readable(domain, from + i, 1)) {
            sb_isolation_stop("call-text", (uint32_t)(uintptr_t)from);
        }
        name[i] = *(volatile const char *)(from + i);
    } while (name[i++] != '\0');
}

static void copy_selection(uint32_t *list, const uint32_t *from)
{
    const struct sb_domain *domain = sb_caller()->domain;
    if (((uintptr_t)from & 3u) != 0 || !sb_readable(domain, from, sizeof *from)) {
        sb_isolation_stop("call-pointer", (uint32_t)(uintptr_t)from);
    }
    const int32_t count = *(volatile const int32_t *)(const volatile void *)from;
    list[0] = (uint32_t)count;
    if (count == 0) {
        return;
    }
    const uint32_t numbers = count < 0 ? 0u - (uint32_t)count : (uint32_t)count;
    if (numbers > SELECTION_MAX || !sb_readable(domain, from, (numbers + 1u) * (uint32_t)sizeof *from)) {
        sb_isolation_stop("call-selection", (uint32_t)(uintptr_t)from);
    }
    memcpy(list + 1, from + 1, numbers * sizeof *from);
}

/** The signal at *sig leaves the caller's hands. */
static union sb_signal *take(union sb_signal **sig)
{
    sb_need_words(sig, sizeof *sig);
    union sb_signal *taken = *(union sb_signal *volatile *)sig;
    const struct sb_signal_header *header = sb_owned_header(taken);
    if (SB_CHECKED && !sb_end_intact(header)) {
        sb_isolation_stop("signal-end-mark", (uint32_t)(uintptr_t)taken);
    }
    *sig = NULL;
    return taken;
}

/** Whether a task of this address, dead or alive, belongs to the caller's domain. */
static bool is_ours(sb_addr task)
{
    const struct sb_node *node = port_node();
    const struct sb_user *user = sb_user_by_index(node, (task ^ node->addr_base) >> 10);
    return user != NULL && user->domain == sb_caller()->domain;
}

/* ---- signals */

static union sb_signal *call_alloc_from(uint32_t pool, uint32_t size_bytes, uint32_t signo)
{
    if (pool >= 32u || (sb_caller()->domain->pools >> pool & 1u) == 0) {
        sb_isolation_stop("pool-unknown", pool);
    }
    if (size_bytes < sizeof signo) {
        sb_isolation_stop("alloc-size", size_bytes);
    }
    return sb_alloc_from(pool, size_bytes, signo);
}

static union sb_signal *call_alloc_nil(uint32_t size_bytes, uint32_t signo)
{
    return call_alloc_from(sb_caller()->domain->pool, size_bytes, signo);
}

static union sb_signal *call_alloc(uint32_t size_bytes, uint32_t signo)
{
    union sb_signal *sig = call_alloc_nil(size_bytes, signo);
    if (sig == NULL) {
        sb_isolation_stop("alloc-exhausted", size_bytes);
    }
    return sig;
}

static void call_free(union sb_signal **sig)
{
    union sb_signal *taken = take(sig);
    sb_free(&taken);
}

static enum sb_err call_send(union sb_signal **sig, sb_addr to)
{
    union sb_signal *taken = take(sig);
    return sb_send(&taken, to);
}

static enum sb_err call_send_from(union sb_signal **sig, sb_addr to, sb_addr from)
{
    union sb_signal *taken = take(sig);
    if (!is_ours(from)) {
        sb_free(&taken); /* consumed in any case */
        return SB_ERR_DENIED;
    }
    return sb_send_from(&taken, to, from);
}

static union sb_signal *call_receive_timeout(const uint32_t *selection, uint32_t timeout_ticks)
{
    uint32_t list[1u + SELECTION_MAX];
    copy_selection(list, selection);
    return sb_receive_timeout(list, timeout_ticks);
}

static union sb_signal *call_receive(const uint32_t *selection)
{
    return call_receive_timeout(selection, SB_FOREVER);
}

static sb_addr call_sender(const union sb_signal *sig)
{
    return sb_owned_header(sig)->sender;
}

static sb_addr call_addressee(const union sb_signal *sig)
{
    return sb_owned_header(sig)->addressee;
}

static uint32_t call_size(const union sb_signal *sig)
{
    return sb_owned_header(sig)->size_bytes;
}

static void call_restore(union sb_signal *sig)
{
    (void)sb_owned_header(sig);
    sb_restore(sig);
}

static int32_t call_pool_lookup(const char *from)
{
    char name[NAME_BYTES];
    copy_name(name, from);
    return sb_pool_lookup(name);
}

static enum sb_err call_pool_status(uint32_t pool, uint32_t class_index, struct sb_pool_status *out)
{
    struct sb_pool_status status;
    sb_need_words(out, sizeof *out);
    const enum sb_err err = sb_pool_status(pool, class_index, &status);
    if (err == SB_OK) {
        *out = status;
    }
    return err;
}

/* ---- tasks: those of other domains and trusted ones can be named, sent to and signalled, and nothing else */

static sb_addr call_task_lookup(const char *from)
{
    char name[NAME_BYTES];
    copy_name(name, from);
    return sb_task_lookup(name);
}

static enum sb_err call_hunt(const char *from, uint32_t timeout_ticks, sb_addr *out)
{
    char name[NAME_BYTES];
    copy_name(name, from);
    sb_need_words(out, sizeof *out);
    sb_addr found;
    const enum sb_err err = sb_hunt(name, timeout_ticks, &found);
    *out = found;
    return err;
}

static enum sb_err call_task_kill(sb_addr task)
{
    return is_ours(task) ? sb_task_kill(task) : SB_ERR_DENIED;
}

static enum sb_err call_task_restart(sb_addr task, sb_addr *out)
{
    sb_need_words(out, sizeof *out);
    sb_addr fresh = SB_ADDR_NONE;
    const enum sb_err err = is_ours(task) ? sb_task_restart(task, &fresh) : SB_ERR_DENIED;
    *out = fresh;
    return err;
}

static enum sb_err call_task_stop(sb_addr task)
{
    return is_ours(task) ? sb_task_stop(task) : SB_ERR_DENIED;
}

static enum sb_err call_task_start(sb_addr task)
{
    return is_ours(task) ? sb_task_start(task) : SB_ERR_DENIED;
}

static enum sb_err call_task_wake(sb_addr task)
{
    return is_ours(task) ? sb_task_wake(task) : SB_ERR_DENIED;
}

static enum sb_err call_priority_set(sb_addr task, uint32_t priority)
{
    const bool may = is_ours(task) && priority >= sb_caller()->domain->most_urgent;
    return may ? sb_task_priority_set(task, priority) : SB_ERR_DENIED;
}

static enum sb_err call_period_set(sb_addr task, uint32_t period_ticks, uint32_t deadline_ticks)
{
    return is_ours(task) ? sb_period_set(task, period_ticks, deadline_ticks) : SB_ERR_DENIED;
}

static enum sb_err call_period_status(sb_addr task, struct sb_period_status *out)
{
    struct sb_period_status status;
    sb_need_words(out, sizeof *out);
    const enum sb_err err = sb_period_status(task, &status);
    if (err == SB_OK) {
        *out = status;
    }
    return err;
}

/** Without a signal of the caller's: one from its own pool, not from the kernel's. */
static enum sb_err call_attach(sb_addr victim, union sb_signal **sig, sb_attach_ref *ref)
{
    if (ref != NULL) {
        sb_need_words(ref, sizeof *ref);
    }
    if (sig != NULL) {
        sb_need_words(sig, sizeof *sig);
    }
    union sb_signal *own = sig != NULL && *(union sb_signal *volatile *)sig != NULL
                               ? take(sig)
                               : sb_alloc_from(sb_caller()->domain->pool, sizeof(uint32_t), SB_SIGNO_ATTACH);
    if (own == NULL) {
        return SB_ERR_MEMORY;
    }
    sb_attach_ref made = SB_ATTACH_NONE;
    const enum sb_err err = sb_attach(victim, &own, &made);
    if (ref != NULL) {
        *ref = made;
    }
    return err;
}

static enum sb_err call_detach(sb_attach_ref *ref)
{
    sb_need_words(ref, sizeof *ref);
    sb_attach_ref made = *(volatile sb_attach_ref *)ref;
    *ref = SB_ATTACH_NONE;
    return sb_detach(&made);
}

static void call_cycles(uint64_t *out)
{
    sb_need_words(out, sizeof *out);
    *out = sb_cycles();
}

/* ---- console, end */

static void call_console_write(const char *text, uint32_t size_bytes)
{
    if (size_bytes != 0) {
        if (!sb_readable(sb_caller()->domain, text, size_bytes)) {
            sb_isolation_stop("call-text", (uint32_t)(uintptr_t)text);
        }
        sb_console_write(text, size_bytes);
    }
}

static void call_console_puts(const char *text)
{
    const struct sb_domain *domain = sb_caller()->domain;
    uint32_t length = 0;
    while (sb_readable(domain, text + length, 1) && text[length] != '\0') {
        length++;
    }
    if (!sb_readable(domain, text + length, 1)) {
        sb_isolation_stop("call-text", (uint32_t)(uintptr_t)text);
    }
    sb_console_write(text, length);
}

static void call_fatal(void)
{
    sb_isolation_stop("task-fatal", 0);
}

/* ---- by number */

#define CALL_POINTER(name, function) (void (*)(void)) function,

void (*const sb_isolation_calls[])(void) = {SB_USER_CALLS(CALL_POINTER)};

#define CALL_ONE(name, function) +1
_Static_assert(sizeof sb_isolation_calls / sizeof *sb_isolation_calls == 0 SB_USER_CALLS(CALL_ONE),
               "as the port counts");
