/* SPDX-License-Identifier: Apache-2.0 */
    .text

/* uint32_t test_registers_keep(uint32_t rounds) */
    .globl test_registers_keep
    .type test_registers_keep, @function

    .macro each operation
    \operation rbx, 1
    \operation rcx, 2
    \operation rdx, 3
    \operation rsi, 4
    \operation rdi, 5
    \operation rbp, 6
    \operation r8, 8
    \operation r9, 9
    \operation r10, 10
    \operation r11, 11
    \operation r12, 12
    \operation r13, 13
    \operation r14, 14
    \operation r15, 15
    .endm
    .macro fill register, number
    mov $(0x01010101 * \number), %\register
    movq %\register, %xmm\number
    .endm
    .macro compare register, number
    cmp $(0x01010101 * \number), %\register
    setne %al
    add %eax, 0(%rsp)
    movq %xmm\number, %\register
    cmp $(0x01010101 * \number), %\register
    setne %al
    add %eax, 0(%rsp)
    .endm

test_registers_keep:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    sub $24, %rsp
    movl $0, 0(%rsp)
    movl %edi, 8(%rsp)
    each fill
1:  decl 8(%rsp)
    jnz 1b
    xor %eax, %eax
    each compare
    mov 0(%rsp), %eax
    add $24, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size test_registers_keep, . - test_registers_keep

/* uint32_t test_registers_across(uint32_t seed, void (*function)(void)) */
    .globl test_registers_across
    .type test_registers_across, @function

    .macro callee operation
    \operation rbx, 1
    \operation rbp, 2
    \operation r12, 3
    \operation r13, 4
    \operation r14, 5
    \operation r15, 6
    .endm
    .macro fill_seeded register, number
    mov $(0x01010101 * \number), %\register
    xor %rdi, %\register
    .endm
    .macro compare_seeded register, number
    xor $(0x01010101 * \number), %\register
    cmp %rcx, %\register
    setne %al
    add %eax, %edx
    .endm

test_registers_across:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    sub $8, %rsp
    mov %edi, %edi
    mov %rdi, 0(%rsp)
    callee fill_seeded
    call *%rsi
    mov 0(%rsp), %rcx
    xor %eax, %eax
    xor %edx, %edx
    callee compare_seeded
    mov %edx, %eax
    add $8, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size test_registers_across, . - test_registers_across

/* uintptr_t test_stack_pointer(void) */
    .globl test_stack_pointer
    .type test_stack_pointer, @function
test_stack_pointer:
    lea 8(%rsp), %rax
    ret
    .size test_stack_pointer, . - test_stack_pointer

    .section .note.GNU-stack, "", @progbits
