/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Node 1 of T0: answers each request with a reply of equal size. */
#include "t0.h"

void slave(void)
{
    static const uint32_t request_only[] = {1, T0_REQUEST};
    for (;;) {
        union sb_signal *request = sb_receive(request_only);
        union sb_signal *reply = sb_alloc(sb_size(request), T0_REPLY);
        reply->message.number = request->message.number;
        /* An error would mean that no link leads to the sender; then the master misses its reply. */
        (void)(sb_send(&reply, sb_sender(request)) == SB_OK);
        sb_free(&request);
    }
}
