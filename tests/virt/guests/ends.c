/* SPDX-License-Identifier: Apache-2.0 */
/* Ends through the finisher with the word VALUE. */
#include "virt.h"

uint32_t handle(uint32_t cause, uint32_t pc)
{
    (void)cause;
    return pc;
}

int main(void)
{
    FINISHER = VALUE;
    for (;;) {
    }
}
