/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_KERNEL_PERIOD_H
#define SB_KERNEL_PERIOD_H
/** @file
 *  What the classes of periodic tasks have in common (periodic.c). */
#include "signalbox/node.h"

void sb_period_body(struct sb_task *task);
void sb_period_start(struct sb_node *node, struct sb_task *task);
void sb_period_end(struct sb_node *node, struct sb_task *task);

#endif
