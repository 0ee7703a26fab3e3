/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/signal.h"
#include "signalbox/task.h"

union sb_signal {
    uint32_t signo;
    uint32_t words[8];
};

void echo(void)
{
    static const uint32_t any[] = {0};
    for (;;) {
        union sb_signal *sig = sb_receive(any);
        const sb_addr from = sb_sender(sig);
        if (sig->signo == 9) {
            *(volatile uint32_t *)0x00100000u = 0x13333;
        }
        sig->signo = 8;
        sig->words[1] *= 3u;
        SB_IGNORE(sb_send(&sig, from));
    }
}
