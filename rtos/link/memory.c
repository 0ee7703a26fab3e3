/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  One node per image: its link state is here. A host process with several nodes brings its own instead of
 *  this file. */
#include "link_node.h"

static struct sb_link_node memory;

struct sb_link_node *sb_link_node_memory(void)
{
    return &memory;
}
