# SPDX-License-Identifier: Apache-2.0
# de2-dual, one core. `patched` returns 1 and is called; its instruction is overwritten with one that returns 2. Without
# maintenance the old one executes; after cleaning the data line alone it still does; after fence.i the new one does.
.globl _start
_start:
    la    s2, seen
    la    s0, patched
    la    s1, instead
    jal   patched
    sw    a0, 0(s2)               # 1
    lw    t0, 0(s1)
    sw    t0, 0(s0)               # into the data cache
    jal   patched
    sw    a0, 4(s2)               # 1: the instruction cache has the old line
    mv    a0, s0
    .insn i 0x0F, 2, x0, x10, 1   # cbo.clean (a0): memory is new
    jal   patched
    sw    a0, 8(s2)               # 1: the instruction cache is still old
    fence.i
    jal   patched
    sw    a0, 12(s2)              # 2
    li    a0, 0x5555
    li    a1, 0x100000
    sw    a0, 0(a1)
0:  j     0b

.balign 32
.option norvc
patched:
    li    a0, 1
    ret
.balign 32
instead:
    li    a0, 2
.data
.balign 32
.globl seen
seen: .word 0, 0, 0, 0
