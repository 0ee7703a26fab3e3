/* SPDX-License-Identifier: Apache-2.0 */
/* T0's receiver: answers each request with a reply of the same size. */
#include "request.h"
#include "signalbox/task.h"

void slave(void)
{
    for (;;) {
        static const uint32_t requests[] = {1, REQUEST};
        union sb_signal *request = sb_receive(requests);
        union sb_signal *reply = sb_alloc(sb_size(request), REPLY);
        sb_addr to = sb_sender(request);
        sb_free(&request);
        SB_IGNORE(sb_send(&reply, to));
    }
}
