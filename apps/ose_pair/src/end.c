/* SPDX-License-Identifier: Apache-2.0 */
/* OSE's programs do not end; this one must. */
#include "signalbox/port.h"

void end(int code);

void end(int code)
{
    port_finish((uint32_t)code);
}
