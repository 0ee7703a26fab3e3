# SPDX-License-Identifier: Apache-2.0
# de2-dual, both cores: cached work, uncached sharing, misses that evict dirty lines, and interrupts that the cores send
# each other through the pulse block while the other runs ahead. Ends after core 0 has taken 50 interrupts.
.equ UNCACHED, 0x80000000
.equ PULSE0, 0x10002000
.equ PULSE1, 0x10002010
.globl _start
_start:
    csrr  s0, mhartid
    la    t0, trap
    csrw  mtvec, t0
    li    t0, 0x10000             # line 16
    csrw  mie, t0
    li    s1, 0                   # interrupts taken
    li    s8, 0
    la    s2, area0
    li    s3, PULSE1
    li    s4, PULSE0 + 4
    beqz  s0, 1f
    la    s2, area1
    li    s3, PULSE0
    li    s4, PULSE1 + 4
1:  csrsi mstatus, 8
    li    s5, 12345
loop:
    li    t0, 1103515245          # a pseudo-random walk over 16 KB
    mul   s5, s5, t0
    addi  s5, s5, 1234
    srli  t1, s5, 18
    andi  t1, t1, -4
    add   t1, t1, s2
    lw    t2, 0(t1)
    add   t2, t2, s5
    sw    t2, 0(t1)
    addi  s8, s8, 1
    andi  t3, s8, 63
    bnez  t3, loop
    li    t4, 1                   # every 64 rounds: ring the other core
    sw    t4, 0(s3)
    bnez  s0, loop
    li    t5, 50
    blt   s1, t5, loop
    li    a0, 0x5555
    li    a1, 0x100000
    sw    a0, 0(a1)
0:  j     0b
.balign 4
trap:
    addi  s1, s1, 1
    li    t6, 1
    sw    t6, 0(s4)
    lw    t6, -4(s4)              # the line is low before the return
    mret
.bss
.balign 4096
area0: .space 16384
area1: .space 16384
