/* SPDX-License-Identifier: Apache-2.0 */
/* All harts begin here and call main with a stack of 4 KB each; what a0 and a1 held at reset are its arguments. */
    .section .text.start, "ax"
    .globl _start
_start:
    csrr t0, mhartid
    slli t0, t0, 12
    la sp, stacks + 4096
    add sp, sp, t0
    la t0, trap
    csrw mtvec, t0
    call main
1:  wfi
    j 1b

/* Saves what the compiler may use and calls `handle(mcause, mepc)`; returns to what that answers. */
    .balign 4
    .globl trap
trap:
    addi sp, sp, -64
    sw ra, 0(sp)
    sw t0, 4(sp)
    sw t1, 8(sp)
    sw t2, 12(sp)
    sw t3, 16(sp)
    sw t4, 20(sp)
    sw t5, 24(sp)
    sw t6, 28(sp)
    sw a0, 32(sp)
    sw a1, 36(sp)
    sw a2, 40(sp)
    sw a3, 44(sp)
    sw a4, 48(sp)
    sw a5, 52(sp)
    sw a6, 56(sp)
    sw a7, 60(sp)
    csrr a0, mcause
    csrr a1, mepc
    call handle
    csrw mepc, a0
    lw ra, 0(sp)
    lw t0, 4(sp)
    lw t1, 8(sp)
    lw t2, 12(sp)
    lw t3, 16(sp)
    lw t4, 20(sp)
    lw t5, 24(sp)
    lw t6, 28(sp)
    lw a0, 32(sp)
    lw a1, 36(sp)
    lw a2, 40(sp)
    lw a3, 44(sp)
    lw a4, 48(sp)
    lw a5, 52(sp)
    lw a6, 56(sp)
    lw a7, 60(sp)
    addi sp, sp, 64
    mret

    .section .bss.stacks, "aw", @nobits
    .balign 16
stacks:
    .skip 9 * 4096
