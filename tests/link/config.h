/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFIG_H
#define CONFIG_H
/* The nodes of the tests: checked level. Everything else is in host.c. */
#define SB_CFG_LEVEL 2
#define SB_CFG_HAVE_LINKS 1
#endif
