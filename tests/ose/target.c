/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "program.h"
#include "signalbox/port.h"

static uint32_t failed;
static uint32_t passed;

void ose_say(const char *name, uint32_t failed_line)
{
    if (failed_line == 0) {
        passed++;
        printf("ok   %s\n", name);
    } else {
        failed++;
        printf("FAIL %s, program.c:%u\n", name, (unsigned)failed_line);
    }
}

void ose_end(void)
{
    printf("%u passed, %u failed\n", (unsigned)passed, (unsigned)failed);
    port_finish(failed != 0);
}
