/* SPDX-License-Identifier: Apache-2.0
 * Start-up of a certificate program: Ibex starts 0x80 behind its boot address, so all do. Clears what C relies on, runs
 * the program, leaves its result, and tells the finisher. The traps that a program provokes on purpose go to
 * cert_trap (first word of the image, which Ibex's vector table wants there). */
    .section .start, "ax"
    .option push
    .option norvc
    .globl _vector
_vector:
    j cert_trap
#ifdef CERT_TWO
    .org 16 * 4
    j cert_interrupt
#endif
    .balign 0x80
    .option pop
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
#ifdef CERT_TWO
    /* The second core waits until the first has cleared what C relies on. */
    csrr a0, mhartid
    beqz a0, 5f
    li a1, 4096
    sub sp, sp, a1
    la a1, cert_go
6:  lw a0, 0(a1)
    beqz a0, 6b
    j cert_second
5:
#endif
    la a0, __bss_start
    la a1, __bss_end
1:  bgeu a0, a1, 2f
    sw zero, 0(a0)
    addi a0, a0, 4
    j 1b
2:
#ifdef CERT_TWO
    la a0, cert_go
    sw a0, 0(a0)
#endif
    call cert_run
    la a1, cert_result
    sw a0, 0(a1)
    li a1, 0x00100000
    li a0, 0x5555
    sw a0, 0(a1)
3:  j 3b

    .weak cert_trap
    .balign 4
cert_trap:
    li a1, 0x00100000
    li a0, 0x00013333
    sw a0, 0(a1)
4:  j 4b

    /* Not among what is cleared: that would be seen as a mark. */
    .data
    .balign 4
    .globl cert_mark, cert_result
cert_mark: .4byte 0
cert_result: .4byte 0
#ifdef CERT_TWO
cert_go: .4byte 0
#endif
