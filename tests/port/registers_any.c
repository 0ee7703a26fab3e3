/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  For hosts whose registers nobody has written patterns for: the calls happen, nothing is compared. */
#include "suite.h"

uint32_t test_registers_keep(uint32_t rounds)
{
    for (volatile uint32_t i = 0; i < rounds; i++) {
    }
    return 0;
}

uint32_t test_registers_across(uint32_t seed, void (*function)(void))
{
    (void)seed;
    function();
    return 0;
}

uintptr_t test_stack_pointer(void)
{
    return ((uintptr_t)__builtin_frame_address(0) + 15u) & ~(uintptr_t)15u;
}
