/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_END_MARK_H
#define SB_KERNEL_END_MARK_H
/** @file
 *  Checked level: what stands behind a signal's last byte. */
#include <string.h>

#include "kernel.h"

static const uint8_t sb_end_mark[SB_SIGNAL_TAIL_BYTES] = {0xe5, 0x5e, 0xa1, 0x1a};

static inline uint8_t *sb_end_mark_of(const struct sb_signal_header *header)
{
    return (uint8_t *)(void *)sb_signal_of((struct sb_signal_header *)(uintptr_t)header) + header->size_bytes;
}

/** Whether nobody has written there. */
static inline bool sb_end_intact(const struct sb_signal_header *header)
{
    return memcmp(sb_end_mark_of(header), sb_end_mark, sizeof sb_end_mark) == 0;
}

#endif
