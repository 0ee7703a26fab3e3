/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_WAITERS_H
#define SB_KERNEL_WAITERS_H
/** @file
 *  Wait lists: the most urgent task first, FIFO inside a level. Coming in walks the list (at most the tasks of the
 *  node), going out is O(1). */
#include <stddef.h>

#include "signalbox/node.h"

/** Behind all waiters that are at least as urgent. */
static inline void sb_waiters_insert(struct sb_wait_list *list, struct sb_task *task)
{
    struct sb_task *previous = list->last;
    while (previous != NULL && previous->priority > task->priority) {
        previous = previous->previous;
    }
    struct sb_task *next = previous != NULL ? previous->next : list->first;
    task->previous = previous;
    task->next = next;
    if (previous != NULL) {
        previous->next = task;
    } else {
        list->first = task;
    }
    if (next != NULL) {
        next->previous = task;
    } else {
        list->last = task;
    }
}

static inline void sb_waiters_remove(struct sb_wait_list *list, struct sb_task *task)
{
    if (task->previous != NULL) {
        task->previous->next = task->next;
    } else {
        list->first = task->next;
    }
    if (task->next != NULL) {
        task->next->previous = task->previous;
    } else {
        list->last = task->previous;
    }
}

#endif
