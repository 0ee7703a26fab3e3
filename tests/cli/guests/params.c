/* SPDX-License-Identifier: Apache-2.0 */
#include "guest.h"

__attribute__((section(".sb_params"), used)) volatile const uint32_t sb_param_letter = 'a';
__attribute__((section(".sb_params"), used)) volatile const uint32_t sb_param_count = 3;

int main(void)
{
    for (uint32_t i = 0; i < sb_param_count; i++) {
        put((char)sb_param_letter);
    }
    put('\n');
    return 0;
}
