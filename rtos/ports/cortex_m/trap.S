/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors, contexts, entry and exit of interrupts, for ARMv7-M.

   Tasks run in thread mode on PSP, interrupts in handler mode on MSP. A task at rest is a call of port_switch that has not
   returned: r4-r11 and lr on its stack. Switching needs no exception; only a task that an interrupt leaves goes another way:

     interrupt exit: sb_interrupt says "leave"  ->  PendSV pends, and runs when no other exception does
     PendSV:         puts a second frame on the task's stack and returns into it: leave_task, in thread mode, masked
     leave_task:     sb_interrupt_switch(), which rests in port_switch; back here when it is the task's turn again
     svc:            drops its own frame; its return loads the frame that the interrupt once stored

   SVC has level 0, so it works while BASEPRI masks (with PRIMASK it would be a fault).

   An exception keeps out its own and every less urgent level until it returns. So, before it runs the body of a less urgent
   interrupt task, it is given up: sb_port_give_up returns from it to the very place where it is, in the mode below. At its end
   it finds that it is no longer that exception, and returns by svc, too. */

#include "platform.h"

    .syntax unified
    .thumb

    .equ MASKED, 0x20 /* SB_PORT_MASKED of port.h */
    .equ XPSR_THUMB, 0x01000000

    .section .text.vectors, "a"
    .balign 256
    .globl sb_vectors
    .type sb_vectors, %object
sb_vectors:
    .word __stack_top
    .word _start
    .word sb_fault_entry /* NMI */
    .word sb_fault_entry /* hard fault */
    .word sb_fault_entry /* memory management */
    .word sb_fault_entry /* bus */
    .word sb_fault_entry /* usage */
    .word 0
    .word 0
    .word 0
    .word 0
    .word sb_svc_entry
    .word sb_fault_entry /* debug monitor */
    .word 0
    .word sb_pendsv_entry
    .rept 1 + SB_NVIC_LINES /* SysTick, then external lines */
    .word sb_irq_entry
    .endr
    .size sb_vectors, . - sb_vectors

    .macro function name
    .section .text.\name, "ax", %progbits
    .balign 4
    .globl \name
    .type \name, %function
    .thumb_func
\name:
    .endm

/* Reset. Memory is not ready: .data is copied and .bss cleared here. */
    function _start
    movs r0, #MASKED
    msr basepri, r0
    ldr r0, =__data_start
    ldr r1, =__data_end
    ldr r2, =__data_load
1:  cmp r0, r1
    bhs 2f
    ldr r3, [r2], #4
    str r3, [r0], #4
    b 1b
2:  ldr r0, =__bss_start
    ldr r1, =__bss_end
    movs r3, #0
3:  cmp r0, r1
    bhs 4f
    str r3, [r0], #4
    b 3b
4:  bl sb_port_boot
    b .
    .size _start, . - _start

/* Between the first two instructions a more urgent line may still come; it finds nothing begun here. */
    function sb_irq_entry
    mrs r2, basepri
    movs r0, #MASKED
    msr basepri, r0
    mrs r0, ipsr
    mov r1, sp /* the frame, if what was interrupted used this stack */
    push {r0, r2, r4, lr}
    mov r2, lr
    bl sb_port_interrupt
    mrs r1, ipsr
    ldr r0, [sp]
    cmp r0, r1
    bne 1f
    pop {r0, r2, r4, lr}
    msr basepri, r2
    bx lr
1:  mov r4, sp
    svc 0
    .size sb_irq_entry, . - sb_irq_entry

    function sb_svc_entry
    tst lr, #4
    bne 1f
    mov sp, r4 /* of an interrupt that was given up */
    pop {r0, r2, r4, lr}
    msr basepri, r2
    bx lr
1:  mrs r0, psp /* of leave_task, which an unmasked task has called */
    adds r0, #32
    msr psp, r0
    movs r0, #0
    msr basepri, r0
    bx lr
    .size sb_svc_entry, . - sb_svc_entry

    function sb_pendsv_entry
    movs r0, #MASKED
    msr basepri, r0
    mrs r0, psp
    subs r0, #32
    ldr r1, =leave_task
    bic r1, r1, #1
    str r1, [r0, #24]
    mov r1, #XPSR_THUMB
    str r1, [r0, #28]
    msr psp, r0
    bx lr
    .size sb_pendsv_entry, . - sb_pendsv_entry

    function leave_task
    bl sb_interrupt_switch
    svc 0
    .size leave_task, . - leave_task

/* void sb_port_give_up(uint32_t exc_return, uint32_t xpsr): the active exception ends; the caller goes on. */
    function sb_port_give_up
    sub sp, #32
    bic lr, lr, #1
    str lr, [sp, #24]
    str r1, [sp, #28]
    bx r0
    .size sb_port_give_up, . - sb_port_give_up

    function sb_fault_entry
    mrs r0, ipsr
    tst lr, #4
    ite eq
    mrseq r1, msp
    mrsne r1, psp
    b sb_port_exception
    .size sb_fault_entry, . - sb_fault_entry

/* void port_switch(struct sb_task *from, struct sb_task *to) */
    function port_switch
    ldr r2, [r1]
    push {r4-r11, lr}
    str sp, [r0]
    mov sp, r2
    pop {r4-r11, pc}
    .size port_switch, . - port_switch

/* void port_start(struct sb_task *to): from the boot stack, which is the interrupts' from now on */
    function port_start
    ldr r0, [r0]
    msr psp, r0
    movs r1, #2
    ldr r2, =__stack_top
    msr control, r1
    isb
    msr msp, r2
    pop {r4-r11, pc}
    .size port_start, . - port_start

/* void port_call_interrupt(void (*body)(void)): no exception is active, so MSP is empty */
    function port_call_interrupt
    push {r4, lr}
    mrs r4, control
    bic r1, r4, #2
    msr control, r1
    isb
    blx r0
    msr control, r4
    isb
    pop {r4, pc}
    .size port_call_interrupt, . - port_call_interrupt

/* The C library's thread pointer: two words before its thread-local ones, which all tasks share. Changes r0 alone. */
    function __aeabi_read_tp
    ldr r0, =__tls_base - 8
    bx lr
    .size __aeabi_read_tp, . - __aeabi_read_tp
