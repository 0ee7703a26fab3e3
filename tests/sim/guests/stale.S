# SPDX-License-Identifier: Apache-2.0
# de2-dual. Core 0 caches a word; core 1 changes it in its own cache; core 0 reads it at each stage:
# before anything, after core 1 has cleaned (own line still old), after core 0 has invalidated. Stages are passed through
# uncached words. Each value that core 0 read is left in `seen` (uncached).
.equ UNCACHED, 0x80000000
.globl _start
_start:
    csrr  t0, mhartid
    la    s0, word
    la    s1, stage
    li    t1, UNCACHED
    or    s1, s1, t1              # stage, uncached
    la    s2, seen
    or    s2, s2, t1
    bnez  t0, core1

    lw    a0, 0(s0)               # the line is now in core 0's cache: 11
    sw    a0, 0(s2)
    li    a1, 1
    sw    a1, 0(s1)               # stage 1: core 1 may write
1:  lw    a1, 0(s1)
    li    a2, 2
    bne   a1, a2, 1b
    lw    a0, 0(s0)               # core 1 wrote into its cache only: 11
    sw    a0, 4(s2)
    or    a3, s0, t1
    lw    a0, 0(a3)               # memory is old, too: 11
    sw    a0, 8(s2)
    li    a1, 3
    sw    a1, 0(s1)               # stage 3: core 1 may clean
1:  lw    a1, 0(s1)
    li    a2, 4
    bne   a1, a2, 1b
    lw    a0, 0(s0)               # memory is new, this cache is old: 11
    sw    a0, 12(s2)
    or    a3, s0, t1
    lw    a0, 0(a3)               # 22
    sw    a0, 16(s2)
    mv    a0, s0
    .insn i 0x0F, 2, x0, x10, 0   # cbo.inval (a0)
    lw    a0, 0(s0)               # 22
    sw    a0, 20(s2)
    li    a0, 0x5555
    li    a1, 0x100000
    sw    a0, 0(a1)
0:  j     0b

core1:
1:  lw    a1, 0(s1)
    li    a2, 1
    bne   a1, a2, 1b
    li    a0, 22
    sw    a0, 0(s0)               # write-allocate: stays in core 1's cache
    li    a1, 2
    sw    a1, 0(s1)
1:  lw    a1, 0(s1)
    li    a2, 3
    bne   a1, a2, 1b
    mv    a0, s0
    .insn i 0x0F, 2, x0, x10, 1   # cbo.clean (a0)
    li    a1, 4
    sw    a1, 0(s1)
0:  wfi
    j     0b

.data
.balign 32
word:  .word 11, 0, 0, 0, 0, 0, 0, 0
stage: .word 0, 0, 0, 0, 0, 0, 0, 0
.globl seen
seen:  .word 0, 0, 0, 0, 0, 0, 0, 0
