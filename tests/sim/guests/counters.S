# SPDX-License-Identifier: Apache-2.0
# virt, any number of harts (their number is patched into `harts`). Each adds 1 a thousand times with amoadd, and a thousand
# times with lr/sc; the last to arrive checks both sums.
.globl _start
_start:
    la    s0, by_amo
    la    s1, by_lrsc
    la    s2, arrived
    li    s3, 1000
1:  li    t0, 1
    amoadd.w zero, t0, (s0)
2:  lr.w  t1, (s1)
    addi  t1, t1, 1
    sc.w  t2, t1, (s1)
    bnez  t2, 2b
    addi  s3, s3, -1
    bnez  s3, 1b
    li    t0, 1
    amoadd.w t1, t0, (s2)
    addi  t1, t1, 1
    la    t2, harts
    lw    t2, 0(t2)
    beq   t1, t2, last
0:  wfi
    j     0b
last:
    li    t3, 1000
    mul   t3, t3, t2
    lw    t4, 0(s0)
    lw    t5, 0(s1)
    li    a0, 0x5555
    bne   t3, t4, bad
    beq   t3, t5, end
bad:
    li    a0, 0x13333
end:
    li    a1, 0x100000
    sw    a0, 0(a1)
0:  j     0b
.data
.balign 4
.globl by_amo
by_amo:  .word 0
by_lrsc: .word 0
arrived: .word 0
.globl harts
harts:   .word 1
