# SPDX-License-Identifier: Apache-2.0
# smp-4. Core 0 measures single accesses to a line; before each, core 1 is told to load it or to store to it, and then spins on its own
# copy of the command, so that nobody else uses the bus. The second of two passes counts: the code is in the cache then.
.equ LOAD, 1
.equ STORE, 2
.option norvc
.globl _start
_start:
    csrr  t0, mhartid
    la    s0, line
    la    s1, command
    la    s2, answer
    la    s3, seen
    la    s4, values
    li    s5, 0                   # commands given
    bnez  t0, core1

# Core 1 does `op`; then everything is quiet.
.macro other op
    addi  s5, s5, 1
    slli  a0, s5, 4
    ori   a0, a0, \op
    sw    a0, 0(s1)
1:  lw    a1, 0(s2)
    bne   a1, s5, 1b
    li    a2, 200
1:  addi  a2, a2, -1
    bnez  a2, 1b
.endm

# Nobody has the line; its bytes are in the second level.
.macro nobody
    mv    a0, s0
    .insn i 0x0F, 2, x0, x10, 2   # cbo.flush (a0)
.endm

.macro measured insn:vararg
    mv    a0, s0
    .balign 32
    csrr  t5, mcycle
    \insn
    csrr  t6, mcycle
    sub   t5, t6, t5
    sw    t5, 0(s3)
    addi  s3, s3, 4
.endm

    li    s6, 2                   # passes
pass:
    la    s3, seen
    measured nop
    nobody
    measured lw a3, 0(s0)         # invalid -> exclusive
    measured sw a3, 0(s0)         # exclusive -> modified
    other LOAD
    measured lw a3, 0(s0)         # modified -> shared before; a hit
    measured sw a3, 0(s0)         # shared -> modified
    other STORE
    measured lw a3, 0(s0)         # invalid -> shared, the other one had it modified
    other STORE
    measured sw a3, 0(s0)         # invalid -> modified, the other one had it modified
    nobody
    other LOAD
    measured lw a3, 0(s0)         # invalid -> shared, the other one had it exclusive
    nobody
    other LOAD
    measured sw a3, 0(s0)         # invalid -> modified, the other one had it exclusive
    other LOAD
    measured amoadd.w a3, s5, (s0)
    other LOAD
    lr.w  a3, (s0)
    measured sc.w a4, a3, (s0)    # shared -> modified: it stores
    sw    a4, 0(s4)
    lr.w  a3, (s0)
    other STORE
    measured sc.w a4, a3, (s0)    # the reservation is lost with the line
    sw    a4, 4(s4)
    other STORE
    measured .insn i 0x0F, 2, x0, x10, 2
    measured .insn i 0x0F, 2, x0, x10, 1
    addi  s6, s6, -1
    bnez  s6, pass
    li    a0, 0x5555
    li    a1, 0x100000
    sw    a0, 0(a1)
0:  j     0b

core1:
    li    t2, 1
    bne   t0, t2, 0f
    li    s7, 0
1:  lw    a0, 0(s1)
    beq   a0, s7, 1b
    mv    s7, a0
    andi  a1, a0, 15
    li    a2, STORE
    beq   a1, a2, 2f
    lw    a3, 0(s0)
    j     3f
2:  sw    a0, 4(s0)
3:  srli  a0, a0, 4
    sw    a0, 0(s2)
    j     1b
0:  wfi
    j     0b

.data
.balign 64
line:    .fill 16, 4, 0
command: .fill 16, 4, 0
answer:  .fill 16, 4, 0
.globl seen
seen:    .fill 32, 4, 0
.globl values
values:  .fill 16, 4, 0
