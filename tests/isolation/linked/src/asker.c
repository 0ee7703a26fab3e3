/* SPDX-License-Identifier: Apache-2.0 */
/* In a domain: asks the echo of another node, whose domain is another's; then finds it dead. */
#include <stddef.h>

#include "signalbox/attach.h"
#include "signalbox/console.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

union sb_signal {
    uint32_t signo;
    uint32_t words[8];
};

static uint32_t exchange(sb_addr echo)
{
    static const uint32_t answers[] = {1, 8};
    uint32_t good = 0;
    for (uint32_t i = 0; i < 10; i++) {
        union sb_signal *sig = sb_alloc(sizeof *sig, 7);
        sig->words[1] = i;
        SB_IGNORE(sb_send(&sig, echo));
        sig = sb_receive_timeout(answers, 5000);
        if (sig == NULL) {
            break;
        }
        good += sb_sender(sig) == echo && sig->words[1] == i * 3u && sb_size(sig) == sizeof *sig;
        sb_free(&sig);
    }
    return good;
}

void asker(void)
{
    sb_addr echo = SB_ADDR_NONE;
    uint32_t good = 0;
    if (sb_hunt("right/echo", 5000, &echo) == SB_OK) {
        good = exchange(echo);
    }
    /* Number 9 lets it do what it may not; its death is told over the link. */
    sb_attach_ref ref;
    SB_IGNORE(sb_attach(echo, NULL, &ref));
    union sb_signal *sig = sb_alloc(4, 9);
    SB_IGNORE(sb_send(&sig, echo));
    sig = sb_receive_one(SB_SIGNO_ATTACH, 5000);
    good += sig != NULL && sb_sender(sig) == echo;
    sb_console_puts(good == 11 ? "linked: 10 answers, and its end is told\n" : "linked: failed\n");
    sig = sb_alloc(8, good);
    SB_IGNORE(sb_send(&sig, sb_task_lookup("finish")));
}
