/* SPDX-License-Identifier: Apache-2.0 */
/* Domain b: hands back what it gets, and has a device. */
#include "messages.h"

#include "signalbox/sem.h"
#include "signalbox/task.h"

static const uint32_t echoes[] = {1, SIG_ECHO};
extern volatile uint32_t b_secret; /* as in domain a: names of domains do not meet */
volatile uint32_t b_secret = 0x5ec3e7;

void neighbour(void)
{
    for (;;) {
        union sb_signal *sig = sb_receive(echoes);
        const sb_addr from = sb_sender(sig);
        sig->job.address = (uint32_t)(uintptr_t)sig;
        sig->job.value++;
        SB_IGNORE(sb_send(&sig, from));
        (void)*(volatile uint32_t *)0x00101000u; /* the granted clock */
    }
}
