/* SPDX-License-Identifier: Apache-2.0 */
#include "guest.h"

int main(void)
{
    say("hello\n");
    return 0;
}
