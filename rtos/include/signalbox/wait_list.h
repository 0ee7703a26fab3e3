/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_WAIT_LIST_H
#define SIGNALBOX_WAIT_LIST_H
/** @file
 *  Waiting tasks of a semaphore, mutex, ...: the most urgent first, FIFO inside a level. Kernel's own. */
#include <stddef.h>

struct sb_node;
struct sb_task;
struct sb_wait_list;

struct sb_wait_list {
    struct sb_task *first;
    struct sb_task *last;
    /** Tasks have left the list by time or death, or have changed their places. NULL: nobody minds.
     *  Context: interrupts masked */
    void (*changed)(struct sb_node *node, struct sb_wait_list *list);
};

static inline void sb_wait_list_init(struct sb_wait_list *list,
                                     void (*changed)(struct sb_node *node, struct sb_wait_list *list))
{
    list->first = NULL;
    list->last = NULL;
    list->changed = changed;
}

#endif
