/* SPDX-License-Identifier: Apache-2.0 */
/* In and out of user mode. While a task is in user mode, mscratch holds the end of its frame on its kernel stack; in machine mode
   mscratch is 0. A trap from user mode saves there what C does not preserve, and what user mode may have changed (sp, gp, tp).
   A call keeps what a function call keeps; all other registers come back as 0, so that nobody sees what the kernel had in
   them. Behind the frame lies the struct sb_user of the task, behind that the registers of port_user_enter's caller. */
#include "signalbox/user_calls.h"

#define CALL_ONE(name, function) + 1
    .equ CALLS, 0 SB_USER_CALLS(CALL_ONE)

    .equ FRAME, 80 /* as TRAP_FRAME in trap.S, whose places these are; the last ones are padding there */
    .equ FRAME_MEPC, 64
    .equ FRAME_SP, 68
    .equ FRAME_GP, 72
    .equ FRAME_TP, 76
    .equ USER, 80   /* behind the frame */
    .equ SAVED, 96  /* behind that */
    .equ SAVED_BYTES, 64
    .equ CAUSE_CALL, 8
    .equ MSTATUS_TASK, 0x1880
    .equ MSTATUS_MPP, 0x1800

    .section .text.sb_user_trap, "ax"
    .globl sb_user_trap
    .type sb_user_trap, @function
sb_user_trap: /* sp: end of the frame; mscratch: the user's sp */
    addi sp, sp, -FRAME
    sw ra, 4(sp)
    sw t0, 8(sp)
    csrrw t0, mscratch, zero
    sw t0, FRAME_SP(sp)
    csrr t0, mepc
    sw t0, FRAME_MEPC(sp)
    sw gp, FRAME_GP(sp)
    sw tp, FRAME_TP(sp)
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la tp, __tls_base
    csrr t0, mcause
    bltz t0, interrupt
    addi t0, t0, -CAUSE_CALL
    bnez t0, fault

    /* A call: its number in a7, its arguments where C wants them. */
    li t1, CALLS
    bgeu a7, t1, no_call
    slli t1, a7, 2
    la t0, sb_isolation_calls
    add t0, t0, t1
    lw t0, 0(t0)
    csrsi mstatus, 8
    jalr t0
    csrci mstatus, 8
    lw t0, FRAME_MEPC(sp)
    addi t0, t0, 4
    csrw mepc, t0
    lw t1, USER(sp)
    la t0, port_user_loaded
    lw t0, 0(t0)
    beq t0, t1, 1f
    sw a0, 0(sp)
    mv a0, t1
    call port_user_load
    lw a0, 0(sp)
1:  li t0, MSTATUS_MPP
    csrc mstatus, t0
    addi t0, sp, FRAME
    csrw mscratch, t0
    lw ra, 4(sp)
    lw gp, FRAME_GP(sp)
    lw tp, FRAME_TP(sp)
    lw sp, FRAME_SP(sp)
    li t0, 0
    li t1, 0
    li t2, 0
    li a1, 0
    li a2, 0
    li a3, 0
    li a4, 0
    li a5, 0
    li a6, 0
    li a7, 0
    li t3, 0
    li t4, 0
    li t5, 0
    li t6, 0
    mret

fault: /* back to machine mode, where the task ends itself */
    csrr a0, mcause
    lw a1, FRAME_MEPC(sp)
    csrr a2, mtval
    la t0, sb_isolation_fault
1:  csrw mepc, t0
    li t0, MSTATUS_TASK
    csrs mstatus, t0
    mret
no_call:
    mv a0, a7
    la t0, sb_isolation_no_call
    j 1b

interrupt:
    sw a0, 0(sp)
    sw t1, 12(sp)
    sw t2, 16(sp)
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
    andi a0, t0, 31
    la t0, __stack_top - 16
    sw sp, 0(t0)
    mv sp, t0
    call sb_port_interrupt
    lw sp, 0(sp)
    beqz a0, 1f
    call sb_interrupt_switch
1:
to_user: /* all registers from the frame; interrupts masked */
    lw a0, USER(sp)
    la t0, port_user_loaded
    lw t0, 0(t0)
    beq t0, a0, 1f
    call port_user_load
1:  li t0, MSTATUS_MPP
    csrc mstatus, t0
    addi t0, sp, FRAME
    csrw mscratch, t0
    lw t0, FRAME_MEPC(sp)
    csrw mepc, t0
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
    lw gp, FRAME_GP(sp)
    lw tp, FRAME_TP(sp)
    lw sp, FRAME_SP(sp)
    mret
    .size sb_user_trap, . - sb_user_trap

/* void port_user_enter(const struct sb_user *user, void **frame) */
    .section .text.port_user_enter, "ax"
    .globl port_user_enter
    .type port_user_enter, @function
port_user_enter:
    addi sp, sp, -SAVED_BYTES
    sw ra, 0(sp)
    sw s0, 4(sp)
    sw s1, 8(sp)
    sw s2, 12(sp)
    sw s3, 16(sp)
    sw s4, 20(sp)
    sw s5, 24(sp)
    sw s6, 28(sp)
    sw s7, 32(sp)
    sw s8, 36(sp)
    sw s9, 40(sp)
    sw s10, 44(sp)
    sw s11, 48(sp)
    addi sp, sp, -SAVED /* the frame, and the user */
    sw sp, 0(a1)
    sw a0, USER(sp)
    addi t0, sp, FRAME
    mv t1, sp
1:  sw zero, 0(t1)
    addi t1, t1, 4
    bltu t1, t0, 1b
    lw t0, 0(a0) /* entry */
    sw t0, FRAME_MEPC(sp)
    lw t0, 4(a0) /* stack, its size */
    lw t1, 8(a0)
    add t0, t0, t1
    sw t0, FRAME_SP(sp)
    lw t0, 12(a0) /* thread-local words */
    sw t0, FRAME_TP(sp)
    sw gp, FRAME_GP(sp)
    la t0, port_user_return
    sw t0, 4(sp)
    li s0, 0
    li s1, 0
    li s2, 0
    li s3, 0
    li s4, 0
    li s5, 0
    li s6, 0
    li s7, 0
    li s8, 0
    li s9, 0
    li s10, 0
    li s11, 0
    csrci mstatus, 8
    la t0, to_user
    jr t0
    .size port_user_enter, . - port_user_enter

/* void port_user_exit(void): by call number 0, on the frame */
    .globl port_user_exit
    .type port_user_exit, @function
port_user_exit:
    addi sp, sp, SAVED
    lw ra, 0(sp)
    lw s0, 4(sp)
    lw s1, 8(sp)
    lw s2, 12(sp)
    lw s3, 16(sp)
    lw s4, 20(sp)
    lw s5, 24(sp)
    lw s6, 28(sp)
    lw s7, 32(sp)
    lw s8, 36(sp)
    lw s9, 40(sp)
    lw s10, 44(sp)
    lw s11, 48(sp)
    addi sp, sp, SAVED_BYTES
    ret
    .size port_user_exit, . - port_user_exit

/* Where an entry returns to, in user mode. */
    .section .sb_user_text, "ax"
    .globl port_user_return
    .type port_user_return, @function
port_user_return:
    li a7, 0
    ecall
    .size port_user_return, . - port_user_return
