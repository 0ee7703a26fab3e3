/* SPDX-License-Identifier: Apache-2.0 */
/* An exception of a node whose application has multiplications and divisions that its core does not have. An illegal
   instruction is given to sb_port_multiply with all registers, on the stack of who executed it; if it is one of them, its result
   has been put among the registers and what follows it is executed. Anything else ends the node as ever.
   Interrupts stay masked, and what is called here has no such instruction itself. */

    .equ ILLEGAL, 2
    .equ TRAP_FRAME, 80 /* what the entry has taken of the stack; a0 is its first word */
    .equ FRAME, 128 /* a word for each register; that of x0 is not used */

    .section .text.sb_trap_exception, "ax"
    .globl sb_trap_exception
    .type sb_trap_exception, @function
sb_trap_exception:
    addi a0, a0, -ILLEGAL
    bnez a0, other
    lw a0, 0(sp)
    addi sp, sp, TRAP_FRAME - FRAME
    sw x1, 4(sp)
    sw x3, 12(sp)
    sw x4, 16(sp)
    sw x5, 20(sp)
    sw x6, 24(sp)
    sw x7, 28(sp)
    sw x8, 32(sp)
    sw x9, 36(sp)
    sw x10, 40(sp)
    sw x11, 44(sp)
    sw x12, 48(sp)
    sw x13, 52(sp)
    sw x14, 56(sp)
    sw x15, 60(sp)
    sw x16, 64(sp)
    sw x17, 68(sp)
    sw x18, 72(sp)
    sw x19, 76(sp)
    sw x20, 80(sp)
    sw x21, 84(sp)
    sw x22, 88(sp)
    sw x23, 92(sp)
    sw x24, 96(sp)
    sw x25, 100(sp)
    sw x26, 104(sp)
    sw x27, 108(sp)
    sw x28, 112(sp)
    sw x29, 116(sp)
    sw x30, 120(sp)
    sw x31, 124(sp)
    addi t0, sp, FRAME
    sw t0, 8(sp)
    mv a0, sp
    csrr a1, mepc
    call sb_port_multiply
    beqz a0, unknown
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    lw x1, 4(sp)
    lw x3, 12(sp)
    lw x4, 16(sp)
    lw x5, 20(sp)
    lw x6, 24(sp)
    lw x7, 28(sp)
    lw x8, 32(sp)
    lw x9, 36(sp)
    lw x10, 40(sp)
    lw x11, 44(sp)
    lw x12, 48(sp)
    lw x13, 52(sp)
    lw x14, 56(sp)
    lw x15, 60(sp)
    lw x16, 64(sp)
    lw x17, 68(sp)
    lw x18, 72(sp)
    lw x19, 76(sp)
    lw x20, 80(sp)
    lw x21, 84(sp)
    lw x22, 88(sp)
    lw x23, 92(sp)
    lw x24, 96(sp)
    lw x25, 100(sp)
    lw x26, 104(sp)
    lw x27, 108(sp)
    lw x28, 112(sp)
    lw x29, 116(sp)
    lw x30, 120(sp)
    lw x31, 124(sp)
    lw sp, 8(sp) /* the instruction may have written it */
    mret
other:
    addi a0, a0, ILLEGAL
    tail sb_trap_fatal
unknown:
    li a0, ILLEGAL
    tail sb_trap_fatal
    .size sb_trap_exception, . - sb_trap_exception
