/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NUMBERS_H
#define NUMBERS_H
#include <stdint.h>

#include "signalbox/signal.h"

union sb_signal {
    uint32_t signo;
    struct {
        uint32_t signo;
        uint32_t end;
        uint32_t row;
        uint32_t cycles;
    } times;
};

enum {
    SIG_PING = 7,
    SIG_PONG,
    SIG_ROW,
};

#endif
