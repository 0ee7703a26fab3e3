/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/flags.h"

#include "kernel.h"

#define ALL 1u
#define CLEAR 2u

/** What a waiting task wants, on its stack. */
struct wish {
    uint32_t wanted;
    uint32_t mode;
    uint32_t got;
};

/** Whether the bits grant the wish; if so they are noted, and cleared if it says so. */
static bool grant(struct sb_flags *flags, struct wish *wish)
{
    const uint32_t set = flags->bits & wish->wanted;
    if ((wish->mode & ALL) != 0 ? set != wish->wanted : set == 0) {
        return false;
    }
    wish->got = flags->bits;
    if ((wish->mode & CLEAR) != 0) {
        flags->bits &= ~wish->wanted;
    }
    return true;
}

void sb_flags_init(struct sb_flags *flags, uint32_t bits)
{
    sb_check(flags != NULL, SB_ERR_ARGUMENT, "flags-null");
    flags->bits = bits;
    sb_wait_list_init(&flags->waiters, NULL);
}

void sb_flags_set(struct sb_flags *flags, uint32_t bits)
{
    SB_PROBE(kernel_enter, SB_SERVICE_FLAGS_SET);
    struct sb_node *node = port_node();
    sb_check(flags != NULL, SB_ERR_ARGUMENT, "flags-null");
    const uint32_t state = port_lock();
    flags->bits |= bits;
    struct sb_task *task = flags->waiters.first;
    while (task != NULL) {
        struct sb_task *next = task->next;
        if (grant(flags, task->wanted)) {
            sb_leave_locked(task);
            sb_wake_locked(node, task, SB_OK);
        }
        task = next;
    }
    sb_reschedule_locked(node);
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_FLAGS_SET);
}

uint32_t sb_flags_clear(struct sb_flags *flags, uint32_t bits)
{
    sb_check(flags != NULL, SB_ERR_ARGUMENT, "flags-null");
    const uint32_t state = port_lock();
    const uint32_t before = flags->bits;
    flags->bits = before & ~bits;
    port_unlock(state);
    return before;
}

enum sb_err sb_flags_wait(struct sb_flags *flags, uint32_t wanted, enum sb_flags_mode mode,
                          uint32_t timeout_ticks, uint32_t *got)
{
    SB_PROBE(kernel_enter, SB_SERVICE_FLAGS_WAIT);
    struct sb_node *node = port_node();
    sb_check(flags != NULL, SB_ERR_ARGUMENT, "flags-null");
    sb_check(timeout_ticks == 0 || sb_may_wait(node), SB_ERR_CONTEXT, "flags-context");
    struct wish wish = {.wanted = wanted, .mode = mode};
    enum sb_err err = SB_OK;
    const uint32_t state = port_lock();
    if (wanted == 0) {
        err = SB_ERR_ARGUMENT;
    } else if (!grant(flags, &wish)) {
        if (timeout_ticks == 0) {
            err = SB_ERR_TIMEOUT;
        } else if ((err = sb_wait_possible(node, timeout_ticks)) == SB_OK) {
            node->current->wanted = &wish;
            err = sb_wait_in_locked(node, &flags->waiters, timeout_ticks);
        }
    }
    if (got != NULL) {
        *got = err == SB_OK ? wish.got : flags->bits;
    }
    port_unlock(state);
    SB_PROBE_NOP(kernel_exit, SB_SERVICE_FLAGS_WAIT);
    return err;
}

uint32_t sb_flags_value(const struct sb_flags *flags)
{
    return flags->bits;
}
