/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_H
#define REQUEST_H
#include <stdint.h>

#include "signalbox/signal.h"

#define REQUEST 1u
#define REPLY 2u

union sb_signal {
    uint32_t signo;
};

#endif
