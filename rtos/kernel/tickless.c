/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  A clock instead of a tick: the port's alarm. In a file of its own, so that a node with a tick does not carry it. */
#include "kernel.h"

const struct sb_clock sb_tickless = {
    .start = port_alarm_start,
    .now = port_alarm_now,
    .alarm = port_alarm_set,
};
