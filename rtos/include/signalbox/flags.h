/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_FLAGS_H
#define SIGNALBOX_FLAGS_H
/** @file
 *  Event flags: 32 bits that tasks wait for, any or all of some. Setting bits releases every waiter that they satisfy, the
 *  most urgent first; one that clears on exit takes its bits away from those behind it. They do not cross nodes. */
#include <stdint.h>

#include "signalbox/err.h"
#include "signalbox/wait_list.h"

/** Set up with sb_flags_init; fields are the kernel's. */
struct sb_flags {
    struct sb_wait_list waiters;
    uint32_t bits;
};

enum sb_flags_mode {
    SB_FLAGS_ANY = 0,       /**< one of the wanted bits is enough */
    SB_FLAGS_ALL = 1,       /**< all wanted bits at the same time */
    SB_FLAGS_ANY_CLEAR = 2, /**< as above; the wanted bits are cleared when the wait ends by them */
    SB_FLAGS_ALL_CLEAR = 3,
};

/** Context: any, before its first use.   Asserts: (checked) `flags-null`.                               [FLG-001] */
void sb_flags_init(struct sb_flags *flags, uint32_t bits);

/** Set `bits`; others stay.
 *  Context: any.   Time: linear in the waiters, one critical section.   Asserts: (checked) `flags-null`. [FLG-002] */
void sb_flags_set(struct sb_flags *flags, uint32_t bits);

/** Clear `bits`; the answer is what was set before.
 *  Context: any.   Time: O(1).   Asserts: (checked) `flags-null`.                                       [FLG-003] */
uint32_t sb_flags_clear(struct sb_flags *flags, uint32_t bits);

/** Wait, at most `timeout_ticks` (0 polls), until `wanted` bits are set as `mode` says. *got (may be NULL): all bits at
 *  that moment, before clearing; after a timeout as they are then.
 *  Context: any for 0, waiting otherwise.   Time: O(1) without waiting; otherwise linear in the waiters.
 *  Errors:  SB_ERR_TIMEOUT, SB_ERR_NO_TICK
 *           SB_ERR_ARGUMENT  no bit is wanted
 *  Asserts: (checked) `flags-context`; `flags-null`.                                                    [FLG-004] */
SB_MUST_USE enum sb_err sb_flags_wait(struct sb_flags *flags, uint32_t wanted, enum sb_flags_mode mode,
                                      uint32_t timeout_ticks, uint32_t *got);

/** The bits now.   Context: any */
uint32_t sb_flags_value(const struct sb_flags *flags);

#endif
