# SPDX-License-Identifier: Apache-2.0
# de2-dual, two cores, two words in one line. Both cores bring the line in; core 0 stores to its word and cleans; core 1 stores to
# the other word and cleans: its line still has the old word of core 0 and destroys the new one. Stages are uncached.
# `lost` is what memory has of core 0's word in the end.
.equ UNCACHED, 0x80000000
.globl _start
_start:
    csrr  t0, mhartid
    la    s0, mine
    la    s1, stage
    li    t1, UNCACHED
    or    s1, s1, t1
    la    s2, lost
    or    s2, s2, t1
    lw    a0, 0(s0)               # both have the line
    bnez  t0, core1
1:  lw    a1, 0(s1)
    li    a2, 1
    bne   a1, a2, 1b
    li    a0, 11
first:
    sw    a0, 0(s0)
    mv    a0, s0
    .insn i 0x0F, 2, x0, x10, 1   # cbo.clean (a0)
    li    a1, 2
    sw    a1, 0(s1)
1:  lw    a1, 0(s1)
    li    a2, 3
    bne   a1, a2, 1b
    or    a0, s0, t1
    lw    a0, 0(a0)               # 5 again
    sw    a0, 0(s2)
    li    a0, 0x5555
    li    a1, 0x100000
    sw    a0, 0(a1)
0:  j     0b

core1:
    li    a1, 1
    sw    a1, 0(s1)
1:  lw    a1, 0(s1)
    li    a2, 2
    bne   a1, a2, 1b
    li    a0, 22
second:
    sw    a0, 4(s0)               # theirs
    mv    a0, s0
destroy:
    .insn i 0x0F, 2, x0, x10, 1   # cbo.clean (a0)
    li    a1, 3
    sw    a1, 0(s1)
0:  wfi
    j     0b

.data
.balign 32
.globl mine
mine:   .word 5
.size   mine, 4
.globl theirs
theirs: .word 6, 0, 0, 0, 0, 0, 0
.size   theirs, 28
stage:  .word 0, 0, 0, 0, 0, 0, 0, 0
.globl lost
lost:   .word 0
