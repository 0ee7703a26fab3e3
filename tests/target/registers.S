/* SPDX-License-Identifier: Apache-2.0 */
/* uint32_t test_registers_keep(uint32_t rounds)
   Every register but sp, gp, tp gets a pattern of its own (0x01010101 * its number); a counter in memory spins; then
   each is compared. An interrupt, or a task that it lets run, that loses one is found. */
    .text
    .globl test_registers_keep
    .type test_registers_keep, @function

    .macro each operation
    \operation x1, 1
    \operation x5, 5
    \operation x6, 6
    \operation x7, 7
    \operation x8, 8
    \operation x9, 9
    \operation x10, 10
    \operation x11, 11
    \operation x12, 12
    \operation x13, 13
    \operation x14, 14
    \operation x15, 15
    \operation x16, 16
    \operation x17, 17
    \operation x18, 18
    \operation x19, 19
    \operation x20, 20
    \operation x21, 21
    \operation x22, 22
    \operation x23, 23
    \operation x24, 24
    \operation x25, 25
    \operation x26, 26
    \operation x27, 27
    \operation x28, 28
    \operation x29, 29
    .endm

    .macro fill register, number
    li \register, 0x01010101 * \number
    .endm

    .macro compare register, number
    li x31, 0x01010101 * \number
    sub x31, x31, \register
    snez x31, x31
    lw x30, 60(sp)
    add x30, x30, x31
    sw x30, 60(sp)
    .endm

test_registers_keep:
    addi sp, sp, -64
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
    sw a0, 52(sp)
    sw zero, 60(sp)
    each fill
1:  lw x31, 52(sp)
    addi x31, x31, -1
    sw x31, 52(sp)
    li x30, 0x1e1e1e1e
    bnez x31, 1b
    each compare
    lw a0, 60(sp)
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
    addi sp, sp, 64
    ret
    .size test_registers_keep, . - test_registers_keep
