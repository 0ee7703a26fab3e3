/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Every service of the kernel's core, once. No console: the C library would be larger than the kernel. */
#include <stddef.h>

#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

union sb_signal {
    uint32_t signo;
    uint32_t words[4];
};

static const uint32_t any[] = {0};
static struct sb_sem sem;

void other_task(void)
{
    for (;;) {
        union sb_signal *sig = sb_receive(any);
        SB_IGNORE(sb_sem_signal(&sem));
        SB_IGNORE(sb_fsem_signal(sb_sender(sig)));
        sb_free(&sig);
    }
}

void main_task(void)
{
    sb_sem_init(&sem, 0);
    union sb_signal *sig = sb_alloc(16, 1);
    const sb_addr other = sb_task_lookup("other");
    if (sb_send(&sig, other) != SB_OK || sb_sem_wait_timeout(&sem, 100) != SB_OK) {
        port_finish(1);
    }
    sb_fsem_wait();
    sb_yield();
    if (sb_receive_timeout(any, 2) != NULL || sb_delay(1) != SB_OK || sb_ticks() == 0) {
        port_finish(2);
    }
    if (sb_task_priority_set(other, 18) != SB_OK || sb_task_stop(other) != SB_OK ||
        sb_task_start(other) != SB_OK) {
        port_finish(3);
    }
    port_finish(0);
}
