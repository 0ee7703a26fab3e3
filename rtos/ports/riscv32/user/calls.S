/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's calls as tasks of a domain make them: under their public names, linked into each domain and seen by it alone. */
#include "signalbox/user_calls.h"

    .set number, 0
    .macro user_call name
    .section .text.\name, "ax"
    .globl \name
    .type \name, @function
\name:
    li a7, number
    ecall
    ret
    .size \name, . - \name
    .set number, number + 1
    .endm

#define CALL(name, function) user_call name;

    SB_USER_CALLS(CALL)
