/* SPDX-License-Identifier: Apache-2.0 */
/* As generated, for either node of the pair; the makefile says which. */
#ifndef SB_CONFIG_H
#define SB_CONFIG_H
#include <stdint.h>

#define SB_CFG_LEVEL 2
#define SB_CFG_NAME "pair"
#define SB_CFG_NODES 2u
#define SB_CFG_TICK_HZ 1000u
#define SB_CFG_HAVE_LINKS 1
#define SB_CFG_GUARD_BYTES 0

#endif
