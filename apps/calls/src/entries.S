/* SPDX-License-Identifier: Apache-2.0 */
/* Three trap entries for lines of an interrupt block. Each saves what C may change, finds the handler of the source, calls it
   with the source's number, and goes back. Only how the handler is found differs:

   dispatch_halves    PENDING, then the lowest set bit by halves (osek-linx 2.6.1, "divide and conquer"), then a table
   dispatch_loopless  PENDING, then the lowest set bit without a loop: isolated, multiplied by a de Bruijn number, looked up
   dispatch_hardware  the block has chosen: its HANDLER is the address */
#include "platform.h"

    .equ FRAME, 80
    .equ PENDING, 0x00
    .equ HANDLER, 0x18

    .macro entry name
    .section .text.\name, "ax"
    .balign 64
    .globl \name
    .type \name, @function
\name:
    addi sp, sp, -FRAME
    sw ra, 4(sp)
    sw t0, 8(sp)
    sw t1, 12(sp)
    sw t2, 16(sp)
    sw a0, 0(sp)
    sw a1, 20(sp)
    sw a2, 24(sp)
    sw a3, 28(sp)
    sw a4, 32(sp)
    sw a5, 36(sp)
    sw a6, 40(sp)
    sw a7, 44(sp)
    sw t3, 48(sp)
    sw t4, 52(sp)
    sw t5, 56(sp)
    sw t6, 60(sp)
    li a5, SB_IRQ_BLOCK_BASE(0)
    .endm

    .macro leave name
    lw ra, 4(sp)
    lw t0, 8(sp)
    lw t1, 12(sp)
    lw t2, 16(sp)
    lw a0, 0(sp)
    lw a1, 20(sp)
    lw a2, 24(sp)
    lw a3, 28(sp)
    lw a4, 32(sp)
    lw a5, 36(sp)
    lw a6, 40(sp)
    lw a7, 44(sp)
    lw t3, 48(sp)
    lw t4, 52(sp)
    lw t5, 56(sp)
    lw t6, 60(sp)
    addi sp, sp, FRAME
    mret
    .size \name, . - \name
    .endm

    .macro by_table
    slli a1, a0, 2
    la a2, dispatch_table
    add a1, a1, a2
    lw a1, 0(a1)
    jalr a1
    .endm

    entry dispatch_halves
    lw a0, PENDING(a5)
    call dispatch_by_halves
    by_table
    leave dispatch_halves

    entry dispatch_loopless
    lw a0, PENDING(a5)
    call dispatch_without_loop
    by_table
    leave dispatch_loopless

    entry dispatch_hardware
    lw a1, HANDLER(a5)
    jalr a1
    leave dispatch_hardware
