/* SPDX-License-Identifier: Apache-2.0 */
/* Trusted: prints what `client` has measured, and ends the run. */
#include "numbers.h"

#include <stdio.h>

#include "signalbox/port.h"

void printer(void)
{
    static const char *const names[] = {"sb_cycles",
                                        "sb_self",
                                        "alloc",
                                        "free",
                                        "send to oneself",
                                        "receive, one waits",
                                        "semaphore signal + wait",
                                        "mutex lock + unlock",
                                        "yield there and back",
                                        "round trip",
                                        "round trip, other domain",
                                        "round trip, other domain, shared pool"};
    static const uint32_t rows[] = {1, SIG_ROW};
    for (;;) {
        union sb_signal *sig = sb_receive(rows);
        const uint32_t row = sig->times.row;
        if (row >= sizeof names / sizeof *names) {
            port_finish(0);
        }
        printf("%-40s %5lu\n", names[row], (unsigned long)sig->times.cycles);
        sb_free(&sig);
    }
}
