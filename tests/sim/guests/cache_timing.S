# SPDX-License-Identifier: Apache-2.0
# de2-dual, one core, data in the SRAM (16 bit, one cycle a beat). Each MEASURE leaves in `seen` how many cycles its
# instructions took, with the 4 of reading mcycle. All runs twice, so that the code is in the instruction cache; the lines are
# flushed in between.
.equ UNCACHED, 0x80000000
.equ SRAM, 0x00480000
.equ CACHE, 4096

.macro MEASURE slot, one, two=nop0
    csrr  s10, mcycle
    \one
    .ifnc "\two", "nop0"
    \two
    .endif
    csrr  s11, mcycle
    sub   s11, s11, s10
    sw    s11, 4 * \slot(s9)
.endm
.macro FLUSH base, offset
    li    a0, SRAM + \offset
    .insn i 0x0F, 2, x0, x10, 2   # cbo.flush (a0)
.endm

.globl _start
_start:
    la    s9, seen
    li    t0, UNCACHED
    or    s9, s9, t0
    li    s8, 2
again:
    .irp  line, 0, 32, 64, 128, 160, 192, 256, 4096+64, 4096+160, 4096+256
    FLUSH SRAM, \line
    .endr
    li    s0, SRAM
    li    s1, SRAM + 32
    li    s2, SRAM + 64
    li    s3, SRAM + 64 + CACHE
    li    s4, SRAM + 128
    li    s5, SRAM + 160
    li    s6, SRAM + 160 + CACHE
    li    s7, SRAM + 192
    lw    t0, 0(s0)
    MEASURE 0, "lw t0, 0(s0)"                       # hit
    MEASURE 1, "lw t0, 0(s1)"                       # miss, clean victim
    MEASURE 2, "sw t0, 0(s2)"                       # store miss
    MEASURE 3, "sw t0, 4(s2)"                       # store to the same line
    MEASURE 4, "lw t0, 0(s3)"                       # miss, dirty victim
    MEASURE 5, "lw t0, 0(s4)", "lw t1, 28(s4)"      # miss, then another word of the line
    sw    t0, 0(s5)
    MEASURE 6, "lw t0, 0(s6)", "lw t1, 0(s7)"       # miss with dirty victim, then another miss
    li    s5, SRAM + 256
    li    s6, SRAM + 256 + CACHE
    sw    t0, 0(s5)
    MEASURE 7, "lw t0, 0(s6)", "fence"              # miss with dirty victim, then a fence
    addi  s8, s8, -1
    bnez  s8, again
    li    a0, 0x5555
    li    a1, 0x100000
    sw    a0, 0(a1)
0:  j     0b
.data
.balign 32
.globl seen
seen: .space 64
