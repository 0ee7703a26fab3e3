/* SPDX-License-Identifier: Apache-2.0 */
/* Answers each line with its letters in upper case, until a full stop. */
#include "guest.h"

int main(void)
{
    for (;;) {
        if ((UART[5] & 1) == 0) {
            continue;
        }
        char c = (char)UART[0];
        if (c == '.') {
            return 0;
        }
        put(c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
}
