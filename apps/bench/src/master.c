/* SPDX-License-Identifier: Apache-2.0 */
/* Requests without pause from the slave of another node, or of this one where there is no other. */
#include "config.h"
#include "request.h"
#include "signalbox/port.h"
#include "signalbox/task.h"

void master(void)
{
    static const char *const peers[] = {"node1/slave", "node0/slave"};
    sb_addr slave;
    if (sb_hunt(SB_CFG_NODES == 1 ? "slave" : peers[SB_CFG_NODE], SB_FOREVER, &slave) != SB_OK) {
        port_finish(1);
    }
    for (;;) {
        static const uint32_t replies[] = {1, REPLY};
        union sb_signal *sig = sb_alloc(sb_param_size_bytes, REQUEST);
        if (sb_send(&sig, slave) != SB_OK) {
            port_finish(2);
        }
        sig = sb_receive(replies);
        sb_free(&sig);
    }
}
