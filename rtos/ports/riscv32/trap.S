/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts. A task at rest is a call of port_switch that has not returned: callee-saved registers on its stack,
   stack pointer in its first word. An interrupt saves the caller-saved registers on the stack of the task, the rest of
   C sees to on the interrupt stack; only if another task is to run does the exit call the kernel, on the task's stack,
   which calls port_switch. Interrupts stay masked from entry to mret, so mepc survives unless the task was left; but
   for port_call_nesting, which unmasks lines while mtvec leads to sb_trap_nested: that saves on the interrupt stack,
   mepc too, and never leaves. */

#include "config.h"
#include "guard.h"

    .equ TRAP_FRAME, 80 /* 16 registers, mepc, padding */
    .equ TRAP_MEPC, 64
    .equ SWITCH_FRAME, 64 /* 13 registers, padding */
    .equ MSTATUS_TASK, 0x1880 /* after mret: machine mode, interrupts unmasked */
    .equ MSTATUS_MPP, 0x1800
    .equ TASK_STACK, 72 /* in struct sb_task; port.c asserts it */

    .section .text.sb_trap, "ax"
    .balign 64
    .globl sb_trap_entry
    .type sb_trap_entry, @function
sb_trap_entry:
#if SB_CFG_ISOLATED
    /* In user mode mscratch is the task's kernel stack; in machine mode it is 0. */
    csrrw sp, mscratch, sp
    bnez sp, 1f
    csrrw sp, mscratch, sp
    j 2f
1:  tail sb_user_trap
2:
#endif
    addi sp, sp, -TRAP_FRAME
    sw a0, 0(sp)
    csrr a0, mcause
    bgez a0, exception
    sw ra, 4(sp)
    sw t0, 8(sp)
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
    la t0, __stack_top - 16
    sw sp, 0(t0)
    mv sp, t0
    andi a0, a0, 31
    call sb_port_interrupt
    lw sp, 0(sp)
    bnez a0, leave_task
back_to_task:
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
    addi sp, sp, TRAP_FRAME
    mret
leave_task:
    csrr t0, mepc
    sw t0, TRAP_MEPC(sp)
    call sb_interrupt_switch
    lw t0, TRAP_MEPC(sp)
    csrw mepc, t0
    li t0, MSTATUS_TASK
    csrs mstatus, t0
    j back_to_task
exception: /* a0: mcause; its value before, and where the stack was, on the stack */
    tail sb_trap_exception
    .size sb_trap_entry, . - sb_trap_entry

    .section .text.sb_trap_fatal, "ax"
    .weak sb_trap_exception /* multiply/ may have something better to do */
    .globl sb_trap_fatal
    .type sb_trap_fatal, @function
sb_trap_exception:
sb_trap_fatal: /* ends the node: whatever the stack pointer was, the interrupt stack is good */
    csrr a1, mepc
    csrr a2, mtval
    la sp, __stack_top
    call sb_port_exception
    .size sb_trap_fatal, . - sb_trap_fatal

    .section .text.sb_trap_nested, "ax"
    .balign 32
    .globl sb_trap_nested
    .type sb_trap_nested, @function
sb_trap_nested:
    addi sp, sp, -TRAP_FRAME
    sw a0, 0(sp)
    csrr a0, mcause
    bgez a0, nested_exception
    sw ra, 4(sp)
    sw t0, 8(sp)
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
    csrr t0, mepc
    sw t0, TRAP_MEPC(sp)
    andi a0, a0, 31
    call sb_port_interrupt_nested
    lw t0, TRAP_MEPC(sp)
    csrw mepc, t0
    li t0, MSTATUS_TASK
    csrs mstatus, t0
    tail back_to_task
nested_exception:
    tail exception
    .size sb_trap_nested, . - sb_trap_nested

/* void port_start(struct sb_task *to) */
    .section .text.port_switch, "ax"
    .globl port_start
    .type port_start, @function
port_start:
#if SB_CFG_GUARD_BYTES > 0
    mv a1, a0
#endif
    lw t0, 0(a0)
    j resume
    .size port_start, . - port_start

/* void port_switch(struct sb_task *from, struct sb_task *to)
   The new stack pointer is loaded first: it is there when it is needed. */
    .balign 32
    .globl port_switch
    .type port_switch, @function
port_switch:
    addi sp, sp, -SWITCH_FRAME
    lw t0, 0(a1)
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
    sw sp, 0(a0)
resume:
#if SB_CFG_GUARD_BYTES > 0
    /* The guard of this task's stack. Whoever was left in an interrupt left MPP at machine mode, where no guard holds. */
    lw t1, TASK_STACK(a1)
    li t2, MSTATUS_MPP
    srli t1, t1, 2
    csrw pmpaddr0, t1
    addi t1, t1, SB_CFG_GUARD_BYTES / 4
    csrw pmpaddr1, t1
    li t1, SB_PORT_GUARD_ENTRIES
    csrw pmpcfg0, t1 /* unchanged; QEMU before 8.1 looks at new addresses only now */
    csrc mstatus, t2
#endif
    mv sp, t0
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
    addi sp, sp, SWITCH_FRAME
    ret
    .size port_switch, . - port_switch

/* void port_call_interrupt(void (*body)(void)) */
    .section .text.port_call_interrupt, "ax"
    .globl port_call_interrupt
    .type port_call_interrupt, @function
port_call_interrupt:
    addi sp, sp, -16
    sw ra, 12(sp)
    sw s0, 8(sp)
    mv s0, sp
    la sp, __stack_top
    jalr a0
    mv sp, s0
    lw ra, 12(sp)
    lw s0, 8(sp)
    addi sp, sp, 16
    ret
    .size port_call_interrupt, . - port_call_interrupt
