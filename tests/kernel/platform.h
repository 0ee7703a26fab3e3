/* SPDX-License-Identifier: Apache-2.0 */
/* What services ask of a platform, for unit tests on a host. */
#ifndef SB_PLATFORM_H
#define SB_PLATFORM_H

#define SB_CACHE_LINE_BYTES 32

#endif
