/* SPDX-License-Identifier: Apache-2.0 */
/* The unit tests are compiled once per level; the build gives SB_CFG_LEVEL. */
#ifndef SB_CONFIG_H
#define SB_CONFIG_H

#ifndef SB_CFG_LEVEL
#error "the build gives the check level"
#endif

#endif
