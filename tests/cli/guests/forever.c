/* SPDX-License-Identifier: Apache-2.0 */
#include "guest.h"

int main(void)
{
    say("started\n");
    for (;;) {
        __asm__ volatile("");
    }
}
