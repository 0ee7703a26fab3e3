/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_ISOLATION_CALLER_H
#define SB_ISOLATION_CALLER_H
/** @file
 *  Who calls, and what it may reach. */
#include "kernel/kernel.h"

/** From the linker script: code and constants of all domains, and the C library's. */
extern const uint8_t __sb_user_text[];
extern const uint8_t __sb_user_text_end[];

static inline struct sb_user_tail *sb_user_tail_of(const struct sb_task *task)
{
    return (struct sb_user_tail *)(void *)(task->stack + task->stack_bytes);
}

/** NULL: the task with this index is in no domain. */
static inline const struct sb_user *sb_user_by_index(const struct sb_node *node, uint32_t index)
{
    return index < node->config->task_count ? sb_isolation_config.users[index] : NULL;
}

/** The running task, which is in a domain. */
static inline const struct sb_user *sb_caller(void)
{
    return sb_user_tail_of(port_node()->current)->user;
}

/** End the caller: `argument` of its call is wrong. */
_Noreturn void sb_isolation_stop(const char *label, uint32_t argument);

static inline bool sb_within(uintptr_t at, uint32_t bytes, const void *base, uint32_t size)
{
    const uintptr_t offset = at - (uintptr_t)base;
    return offset < size && bytes <= size - offset;
}

/** Whether the domain may write `bytes` (at least 1) from `at` on. Devices are no memory. */
static inline bool sb_writable(const struct sb_domain *domain, const void *at, uint32_t bytes)
{
    for (uint32_t i = 0; i < domain->memory_count; i++) {
        if (sb_within((uintptr_t)at, bytes, domain->region[i].base, domain->region[i].bytes)) {
            return true;
        }
    }
    return false;
}

static inline bool sb_readable(const struct sb_domain *domain, const void *at, uint32_t bytes)
{
    return sb_writable(domain, at, bytes) ||
           sb_within((uintptr_t)at, bytes, __sb_user_text,
                     (uint32_t)((uintptr_t)__sb_user_text_end - (uintptr_t)__sb_user_text));
}

/** The caller may write these aligned words, or ends. */
static inline void sb_need_words(const void *at, uint32_t bytes)
{
    if (((uintptr_t)at & 3u) != 0 || !sb_writable(sb_caller()->domain, at, bytes)) {
        sb_isolation_stop("call-pointer", (uint32_t)(uintptr_t)at);
    }
}

/** The signal's header, if the caller owns the signal; or the caller ends. */
struct sb_signal_header *sb_owned_header(const union sb_signal *sig);

#endif
