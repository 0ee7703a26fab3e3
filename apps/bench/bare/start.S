/* SPDX-License-Identifier: Apache-2.0 */
/* Every core that starts here has its own stack, by mhartid, and calls bench(mhartid). A trap ends the run with a failure. */
    .section .text.start, "ax"
    .globl _start
_start:
    la t0, trap
    csrw mtvec, t0
    csrr a0, mhartid
    la sp, stacks
    addi t0, a0, 1
    slli t0, t0, BENCH_STACK_SHIFT
    add sp, sp, t0
    call bench
trap:
    li t0, 0x100000
    li t1, 0x13333
    sw t1, 0(t0)
    j trap

    .bss
    .balign 64
    .globl stacks
stacks:
    .space BENCH_CORES << BENCH_STACK_SHIFT
