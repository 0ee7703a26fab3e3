/* SPDX-License-Identifier: Apache-2.0 */
/* test_registers_keep is that of tests/target. */

/* uint32_t test_registers_across(uint32_t seed, void (*function)(void)) */
    .text
    .globl test_registers_across
    .type test_registers_across, @function

    .macro each operation
    \operation s0, 0
    \operation s1, 1
    \operation s2, 2
    \operation s3, 3
    \operation s4, 4
    \operation s5, 5
    \operation s6, 6
    \operation s7, 7
    \operation s8, 8
    \operation s9, 9
    \operation s10, 10
    \operation s11, 11
    .endm

    .macro save register, number
    sw \register, 4 * \number(sp)
    .endm

    .macro restore register, number
    lw \register, 4 * \number(sp)
    .endm

    .macro fill register, number
    li t0, 0x01010101 * (\number + 1)
    xor \register, t0, a0
    .endm

    .macro compare register, number
    li t0, 0x01010101 * (\number + 1)
    xor t0, t0, t1
    sub t0, t0, \register
    snez t0, t0
    add a0, a0, t0
    .endm

test_registers_across:
    addi sp, sp, -80
    sw ra, 48(sp)
    sw gp, 52(sp)
    sw tp, 56(sp)
    sw a0, 60(sp)
    each save
    each fill
    jalr a1
    lw t1, 60(sp)
    li a0, 0
    each compare
    lw t0, 52(sp)
    sub t0, t0, gp
    snez t0, t0
    add a0, a0, t0
    lw t0, 56(sp)
    sub t0, t0, tp
    snez t0, t0
    add a0, a0, t0
    each restore
    lw ra, 48(sp)
    addi sp, sp, 80
    ret
    .size test_registers_across, . - test_registers_across

/* uintptr_t test_stack_pointer(void) */
    .globl test_stack_pointer
    .type test_stack_pointer, @function
test_stack_pointer:
    mv a0, sp
    ret
    .size test_stack_pointer, . - test_stack_pointer
