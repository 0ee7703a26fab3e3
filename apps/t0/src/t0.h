/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T0_H
#define T0_H
/** @file
 *  What master and slave say to each other. A message is as large as sb_param_size_bytes says, at least 16 bytes. */
#include <stdint.h>

#include "signalbox/signal.h"

enum { T0_REQUEST = 1, T0_REPLY = 2 };

struct t0_message {
    uint32_t signo;
    uint32_t number; /**< counts requests; the reply repeats it */
};

union sb_signal {
    uint32_t signo;
    struct t0_message message;
};

#endif
