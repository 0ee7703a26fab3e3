/* SPDX-License-Identifier: Apache-2.0 */
/* From reset to C. The image lies in memory complete: .data needs no copy. Caches are empty after reset. */
    .section .text.boot, "ax"
    .globl _start
    .type _start, @function
_start:
    csrw mie, zero
    .option push
    .option norelax /* gp is not set yet */
    lw t0, sb_boot_core
    csrr t1, mhartid
    bltz t0, 1f
    bne t0, t1, park
1:  la gp, __global_pointer$
    .option pop
    .weak __tls_base /* the C library's errno; one for all tasks */
    la tp, __tls_base
    la sp, __stack_top
    la t0, __bss_start
    la t1, __bss_end
    bgeu t0, t1, 2f
1:  sw zero, 0(t0)
    addi t0, t0, 4
    bltu t0, t1, 1b
2:  la t0, sb_trap_entry
    csrw mtvec, t0
    call sb_port_boot
park:
    wfi
    j park
    .size _start, . - _start
