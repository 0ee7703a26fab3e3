/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "signalbox/sem.h"
#include "signalbox/timeout.h"

void sb_timeout_task(void)
{
    sb_timeout_serve();
    for (;;) {
        struct sb_timeout *timeout;
        while ((timeout = sb_timeout_take()) != NULL) {
            timeout->callback(timeout->argument);
        }
        sb_fsem_wait();
    }
}
