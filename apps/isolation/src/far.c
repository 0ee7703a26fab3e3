/* SPDX-License-Identifier: Apache-2.0 */
/* Sends back what it gets. */
#include "numbers.h"

void far_server(void);

void far_server(void)
{
    static const uint32_t any[] = {0};
    for (;;) {
        union sb_signal *sig = sb_receive(any);
        SB_IGNORE(sb_send(&sig, sb_sender(sig)));
    }
}
