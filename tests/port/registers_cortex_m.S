/* SPDX-License-Identifier: Apache-2.0 */
    .syntax unified
    .thumb
    .text

/* uint32_t test_registers_keep(uint32_t rounds): r0 to r12, lr and the flags */
    .globl test_registers_keep
    .type test_registers_keep, %function
    .thumb_func
test_registers_keep:
    push {r4-r11, lr}
    sub sp, #12 /* rounds, pattern's sum, and alignment */
    str r0, [sp]
    mov r1, #0x01010101
    mov r2, #0x02020202
    mov r3, #0x03030303
    mov r4, #0x04040404
    mov r5, #0x05050505
    mov r6, #0x06060606
    mov r7, #0x07070707
    mov r8, #0x08080808
    mov r9, #0x09090909
    mov r10, #0x0a0a0a0a
    mov r11, #0x0b0b0b0b
    mov r12, #0x0c0c0c0c
    mov lr, #0x0e0e0e0e
1:  ldr r0, [sp]
    subs r0, #1
    str r0, [sp]
    bne 1b
    movs r0, #0
    .macro compare register, pattern
    cmp \register, #\pattern
    it ne
    addne r0, #1
    .endm
    compare r1, 0x01010101
    compare r2, 0x02020202
    compare r3, 0x03030303
    compare r4, 0x04040404
    compare r5, 0x05050505
    compare r6, 0x06060606
    compare r7, 0x07070707
    compare r8, 0x08080808
    compare r9, 0x09090909
    compare r10, 0x0a0a0a0a
    compare r11, 0x0b0b0b0b
    compare r12, 0x0c0c0c0c
    compare lr, 0x0e0e0e0e
    add sp, #12
    pop {r4-r11, pc}
    .size test_registers_keep, . - test_registers_keep

/* uint32_t test_registers_across(uint32_t seed, void (*function)(void)) */
    .globl test_registers_across
    .type test_registers_across, %function
    .thumb_func
test_registers_across:
    push {r0, r4-r11, lr}
    eor r4, r0, #0x04040404
    eor r5, r0, #0x05050505
    eor r6, r0, #0x06060606
    eor r7, r0, #0x07070707
    eor r8, r0, #0x08080808
    eor r9, r0, #0x09090909
    eor r10, r0, #0x0a0a0a0a
    eor r11, r0, #0x0b0b0b0b
    blx r1
    ldr r1, [sp]
    movs r0, #0
    .macro compare_seeded register, pattern
    eor r2, r1, #\pattern
    cmp r2, \register
    it ne
    addne r0, #1
    .endm
    compare_seeded r4, 0x04040404
    compare_seeded r5, 0x05050505
    compare_seeded r6, 0x06060606
    compare_seeded r7, 0x07070707
    compare_seeded r8, 0x08080808
    compare_seeded r9, 0x09090909
    compare_seeded r10, 0x0a0a0a0a
    compare_seeded r11, 0x0b0b0b0b
    add sp, #4
    pop {r4-r11, pc}
    .size test_registers_across, . - test_registers_across

/* uintptr_t test_stack_pointer(void) */
    .globl test_stack_pointer
    .type test_stack_pointer, %function
    .thumb_func
test_stack_pointer:
    mov r0, sp
    bx lr
    .size test_stack_pointer, . - test_stack_pointer
