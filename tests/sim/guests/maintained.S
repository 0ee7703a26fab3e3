# SPDX-License-Identifier: Apache-2.0
# de2-dual, two cores that do it right: each writes a line of its own, cleans it, and tells the other through an uncached word; the
# other invalidates before it reads, and says when it has. A hundred rounds; then an instruction is overwritten, cleaned, fenced and executed.
.equ UNCACHED, 0x80000000
.globl _start
_start:
    csrr  s11, mhartid
    la    s0, lines
    slli  t0, s11, 5
    add   s1, s0, t0              # own line
    xori  t0, t0, 32
    add   s2, s0, t0              # the other's
    li    t1, UNCACHED
    la    s3, turns
    or    s3, s3, t1
    slli  t0, s11, 2
    add   s4, s3, t0              # own turn
    xori  t0, t0, 4
    add   s5, s3, t0              # the other's
    li    s6, 0
    li    s7, 100
round:
    addi  s6, s6, 1
    sw    s6, 0(s1)
    sw    s6, 28(s1)
    mv    a0, s1
    .insn i 0x0F, 2, x0, x10, 1   # cbo.clean (a0)
    sw    s6, 0(s4)
1:  lw    t2, 0(s5)
    bltu  t2, s6, 1b
    mv    a0, s2
    .insn i 0x0F, 2, x0, x10, 0   # cbo.inval (a0)
    lw    t3, 0(s2)
    lw    t4, 28(s2)
    bne   t3, s6, bad
    bne   t4, s6, bad
    sw    s6, 8(s4)               # read: the other may write again
1:  lw    t2, 8(s5)
    bltu  t2, s6, 1b
    bltu  s6, s7, round
    bnez  s11, sleep
    la    s0, patched
    la    s1, instead
    lw    t0, 0(s1)
    jal   patched
    sw    t0, 0(s0)
    mv    a0, s0
    .insn i 0x0F, 2, x0, x10, 1   # cbo.clean (a0)
    fence.i
    jal   patched
    li    t0, 2
    bne   a0, t0, bad
    li    a0, 0x5555
    j     end
bad:
    li    a0, 0x13333
end:
    li    a1, 0x100000
    sw    a0, 0(a1)
sleep:
    wfi
    j     sleep
.balign 32
patched:
    .option norvc
    li    a0, 1
    ret
instead:
    li    a0, 2
.data
.balign 32
lines:  .space 64
turns:  .space 32
