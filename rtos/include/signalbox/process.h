/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_PROCESS_H
#define SIGNALBOX_PROCESS_H
/** @file
 *  Tasks whose memory the service keeps: configuration, name and stack of each lie in one block of the system pool, which
 *  needs a class that is large enough. A task needs a spare slot of the node's table (`spare_tasks`). The block of one that
 *  has died goes back when the next one is created, for until then the dying one may still be on its stack. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"

struct sb_process_config {
    const char *name; /**< is copied; at most 31 characters, no slash */
    void (*entry)(void);
    uint8_t kind;         /**< SB_TASK_PRIORITY, SB_TASK_INTERRUPT or SB_TASK_BEST_EFFORT */
    uint8_t priority;     /**< 0..31 */
    int8_t irq;           /**< interrupt task: bit in mip that activates it; -1: none */
    bool stopped;         /**< waits for sb_task_start */
    uint32_t stack_bytes; /**< is rounded up to 16, from SB_STACK_BYTES_MIN; interrupt task: 0 */
    uint16_t slice_ticks; /**< best-effort task: its turn, 1..65535 */
    uint32_t
        every_ticks; /**< interrupt task: the timeout server activates it so often, with its fast semaphore; 0: never */
};

/** Create a task. It ends by its return or sb_task_kill; sb_task_restart does not find it once its block has gone.
 *  Context: task.   Time: as sb_task_create, and linear in what was created so.
 *  Errors:  SB_ERR_ARGUMENT  no name or entry, a name too long or with a slash; kind, priority, irq that do not exist; a
 *                            best-effort task without turn
 *           SB_ERR_SIZE      stack below SB_STACK_BYTES_MIN or above 2^24; an interrupt task with one
 *           SB_ERR_MEMORY    no block is free, or none is as large
 *           SB_ERR_BUSY, SB_ERR_FULL, SB_ERR_CONTEXT  as sb_task_create
 *           SB_ERR_NO_TICK, SB_ERR_NOT_FOUND  every_ticks without tick, without timeout server          [PROC-001] */
SB_MUST_USE enum sb_err sb_process_create(const struct sb_process_config *config, sb_addr *out);

#endif
