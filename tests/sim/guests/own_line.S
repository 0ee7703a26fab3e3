# SPDX-License-Identifier: Apache-2.0
# virt. An instruction is overwritten by the one before it, in the same line and without fence.i: the hart's own stores are
# seen by its own fetches there, with a store and with an atomic, wherever a run is cut.
.option norvc
.globl _start
_start:
    la    s2, seen
    la    s0, first
    la    s1, second
    lw    t0, instead
    j     1f
.balign 32
1:  sw    t0, 0(s0)
first:
    li    a0, 1
    sw    a0, 0(s2)
    j     2f
.balign 32
2:  amoswap.w zero, t0, (s1)
second:
    li    a0, 1
    sw    a0, 4(s2)
    li    a0, 0x5555
    li    a1, 0x100000
    sw    a0, 0(a1)
0:  j     0b
.balign 4
instead:
    li    a0, 2
.data
.balign 4
.globl seen
seen: .word 0, 0
