# SPDX-License-Identifier: Apache-2.0
"""Many programs in one ELF file: a harness in assembler runs one after the other and sends what each left behind.

For each program the harness fills the scratch memory from the program's seed, sets the CSRs, loads the registers, runs
it, and sends one frame of words over the UART: a mark, the program's number, x1 to x31, CSRs, f0 to f31, the traps
taken, the scratch memory. The trap handler notes mcause, mepc and mtval, and goes on behind the instruction.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.isa.program import CODE_SLOT, LEAVE, LOCKED_AT, SCRATCH_BYTES, Program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
PREFIX = "riscv64-unknown-elf-"
MARCH = "rv32imafc_zicsr_zifencei_zicbom"
BASE = 0x80000000
MARK = 0x5B0C5EED
CSRS = ("mstatus", "mie", "mscratch", "mepc", "mcause", "mtval", "mtvec", "misa", "mcounteren", "menvcfg",
        "pmpcfg0", "pmpcfg1", "pmpcfg2", *(f"pmpaddr{n}" for n in range(8)))  # fmt: skip
COMPARED = {"mstatus": 0x80227888}  # MIE, MPIE, MPP, FS, MPRV, TW, SD
TRAPS = 64  # noted; further ones are only counted
REGISTER_WORDS = 31
FLOAT_WORDS = 33  # f0 to f31, fcsr
FRAME_WORDS = 2 + REGISTER_WORDS + len(CSRS) + FLOAT_WORDS + 1 + 3 * TRAPS + SCRATCH_BYTES // 4

# Offsets in the context, which x3 points to while a program runs. The frame lies first, as it is sent.
REGISTERS = 8
CSR_WORDS = REGISTERS + 4 * REGISTER_WORDS
FLOATS = CSR_WORDS + 4 * len(CSRS)
TRAP_COUNT = FLOATS + 4 * FLOAT_WORDS
assert TRAP_COUNT < LEAVE

HARNESS = f"""
.option norelax
.option norvc
.globl _start
.section .text
_start:
    csrr x5, mhartid
park:
    bnez x5, park                   # QEMU runs a second hart, see machines.py
    la x5, trap
    csrw mtvec, x5
next:
    la x3, context
    la x5, current
    lw x6, 0(x5)
    li x7, COUNT
    beq x6, x7, finish
    addi x7, x6, 1
    sw x7, 0(x5)
    li x7, {MARK:#x}
    sw x7, 0(x3)
    sw x6, 4(x3)
    la x5, programs
    slli x6, x6, 3
    add x5, x5, x6
    lw x31, 0(x5)                   # where the program begins
    lw x6, 4(x5)                    # seed of the memory
    la x5, scratch
    addi x7, x5, {SCRATCH_BYTES}
1:  slli x8, x6, 13                 # xorshift
    xor x6, x6, x8
    srli x8, x6, 17
    xor x6, x6, x8
    slli x8, x6, 5
    xor x6, x6, x8
    sw x6, 0(x5)
    addi x5, x5, 4
    bne x5, x7, 1b
    la x5, trap_words
    addi x7, x5, {12 * TRAPS}
2:  sw x0, 0(x5)
    addi x5, x5, 4
    bne x5, x7, 2b
    sw x0, {TRAP_COUNT}(x3)
    li x5, 0x7800
    csrw mstatus, x5
    la x5, scratch                  # floating-point registers from there, then they are off
    {"; ".join(f"flw f{n}, {4 * n}(x5)" for n in range(32))}
    csrw fcsr, x0
    li x5, 0x1800
    csrw mstatus, x5
    csrw mie, x0
    csrw mscratch, x6
    csrw mepc, x0
    csrw mcause, x0
    csrw mtval, x0
    csrw mcounteren, x0
    csrw menvcfg, x0
    csrw pmpcfg0, x0                # addresses are written while their entries are off
    csrw pmpcfg1, x0
    csrw pmpcfg2, x0
    csrw pmpcfg3, x0
    {"; ".join(f"csrw pmpaddr{n}, x0" for n in range(1, 16))}
    la x5, protected                # user mode may do all up to here, devices included
    srli x5, x5, 2
    csrw pmpaddr0, x5
    li x5, 0x0f
    csrw pmpcfg0, x5
    sw x0, {LEAVE}(x3)
    la x4, scratch + {SCRATCH_BYTES // 2}
    jr x31

# A program comes here when it has ended.
done:
    {"; ".join(f"sw x{n}, {REGISTERS + 4 * (n - 1)}(x3)" for n in range(1, 32))}
    {"; ".join(f"csrr x5, {csr}; sw x5, {CSR_WORDS + 4 * n}(x3)" for n, csr in enumerate(CSRS))}
    li x5, 0x7800                   # without mstatus.MPRV, with floating point
    csrw mstatus, x5
    {"; ".join(f"fsw f{n}, {FLOATS + 4 * n}(x3)" for n in range(32))}
    csrr x5, fcsr
    sw x5, {FLOATS + 4 * 32}(x3)
    mv x10, x3
    addi x11, x10, {TRAP_COUNT + 4}
    jal x1, send
    la x10, trap_words
    addi x11, x10, {12 * TRAPS}
    jal x1, send
    la x10, scratch
    addi x11, x10, {SCRATCH_BYTES}
    jal x1, send
    j next

# Sends the bytes from x10 up to x11.
send:
    li x12, 0x10000000
3:  lbu x13, 5(x12)
    andi x13, x13, 0x20
    beqz x13, 3b
    lbu x13, 0(x10)
    sb x13, 0(x12)
    addi x10, x10, 1
    bne x10, x11, 3b
    ret

finish:
    li x12, 0x10000000
4:  lbu x13, 5(x12)
    andi x13, x13, 0x40             # until the last byte has left
    beqz x13, 4b
    li x5, 0x100000
    li x6, 0x5555
    sw x6, 0(x5)
5:  j 5b

.balign 4
trap:
    sw x5, {CODE_SLOT - 16}(x3)
    sw x6, {CODE_SLOT - 12}(x3)
    sw x7, {CODE_SLOT - 8}(x3)
    lw x5, {TRAP_COUNT}(x3)
    addi x6, x5, 1
    sw x6, {TRAP_COUNT}(x3)
    li x6, {TRAPS}
    bgeu x5, x6, 6f
    slli x6, x5, 3
    slli x5, x5, 2
    add x5, x5, x6
    la x6, trap_words
    add x5, x5, x6
    csrr x6, mcause
    sw x6, 0(x5)
    csrr x6, mepc
    sw x6, 4(x5)
    csrr x6, mtval
    sw x6, 8(x5)
6:  csrr x5, mepc
    csrr x6, mcause
    bgez x6, 8f
    li x6, 0x2000000                # an interrupt: take the software interrupt away, skip nothing
    sw x0, 0(x6)
    j 7f
8:  li x7, 1
    bne x6, x7, 9f
    mv x5, x1                       # it was called, and may not be executed
    j 7f
9:  li x7, 8
    bne x6, x7, 10f
    lw x7, {LEAVE}(x3)
    beqz x7, 10f
    sw x0, {LEAVE}(x3)
    li x7, 0x1800
    csrs mstatus, x7
10: lhu x6, 0(x5)
    andi x6, x6, 3
    li x7, 3
    addi x5, x5, 2
    bne x6, x7, 7f
    addi x5, x5, 2
7:  csrw mepc, x5
    lw x5, {CODE_SLOT - 16}(x3)
    lw x6, {CODE_SLOT - 12}(x3)
    lw x7, {CODE_SLOT - 8}(x3)
    mret

.section .data
.balign 4096
context: .skip {CODE_SLOT + 8}
current: .4byte 0
trap_words: .skip {12 * TRAPS}
# Across the border of a page. Its two pages are those of which user mode gets parts only.
.balign 4096
protected: .skip {4096 - SCRATCH_BYTES // 2}
scratch: .skip {SCRATCH_BYTES}
.org context + {LOCKED_AT}
.skip 64
.balign 4096
"""


@dataclass(frozen=True)
class Result:
    """What a program left behind: names and words, in the order in which they are shown."""

    words: tuple[tuple[str, int], ...]

    def differences(self, other: Result) -> list[str]:
        """One line for each word that is not the same."""
        mine, theirs = ({name: f"{word:08x}" for name, word in words} for words in (self.words, other.words))
        pairs = {name: (mine.get(name, "-"), theirs.get(name, "-")) for name in (mine | theirs)}
        return [f"{name:18} {left:>8}  {right:>8}" for name, (left, right) in pairs.items() if left != right]


def source(programs: Sequence[Program], change: Callable[[str], str] | None = None) -> str:
    """The assembler text. `change` may replace lines of the programs, which is how a fault is planted on one side."""
    text = [HARNESS.replace("COUNT", str(len(programs))), ".section .text"]
    for number, program in enumerate(programs):
        text.append(f"program_{number}:")
        text += [f"la x3, registers_{number}"]
        text += [f"lw x{n}, {4 * n}(x3)" for n in range(1, 32) if n not in (3, 4)]
        text += ["la x3, context", f"body_{number}:"]
        compressed = False
        for line in program.lines(str(number)):
            now = change(line) if change else line
            if now.startswith("c.") != compressed and not now.endswith(":"):
                compressed = not compressed
                text.append(".option rvc" if compressed else ".option norvc")
            text.append(now)
        text += [".option norvc", "j done"]
    text += [".section .data", ".balign 4", "programs:"]
    for number, program in enumerate(programs):
        text.append(f".4byte program_{number}, {program.memory_seed:#x}")
    for number, program in enumerate(programs):
        text.append(f"registers_{number}: .4byte 0, {', '.join(f'{value:#x}' for value in program.registers)}")
    return "\n".join(text) + "\n"


def build(folder: Path, name: str, text: str) -> Path:
    """Assemble and link a text."""
    assembler, object_file, image = (str(folder / f"{name}.{suffix}") for suffix in ("s", "o", "elf"))
    Path(assembler).write_text(text)
    layout = ["-N", f"-Ttext={BASE:#x}", "-e", "_start", "--no-relax", "--no-warn-rwx-segments"]
    for words in (
        [f"{PREFIX}as", f"-march={MARCH}", "-mabi=ilp32", "-o", object_file, assembler],
        [f"{PREFIX}ld", "-melf32lriscv", *layout, "-o", image, object_file],
    ):
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    return Path(image)


def decode(data: bytes) -> dict[int, Result]:
    """The frames in what came over the UART, by the programs' numbers. A frame that is cut short is left out."""
    results: dict[int, Result] = {}
    size = 4 * FRAME_WORDS
    for start in range(0, len(data) - size + 1, size):
        words = [int.from_bytes(data[at : at + 4], "little") for at in range(start, start + size, 4)]
        if words[0] != MARK:
            break
        named: list[tuple[str, int]] = []
        rest = iter(words[2:])
        named += [(f"x{n}", next(rest)) for n in range(1, 32)]
        named += [(csr, next(rest) & COMPARED.get(csr, 0xFFFFFFFF)) for csr in CSRS]
        named += [(f"f{n}", next(rest)) for n in range(32)]
        named.append(("fcsr", next(rest)))
        count = next(rest)
        named.append(("traps", count))
        for number in range(TRAPS):
            trap = [(f"{what} of trap {number}", next(rest)) for what in ("mcause", "mepc", "mtval")]
            named += trap if number < count else []
        named += [(f"memory+{4 * n:#x}", word) for n, word in enumerate(rest)]
        results[words[1]] = Result(tuple(named))
    return results


def disassembly(image: Path, number: int) -> str:
    """The instructions of one program, as the assembler made them."""
    command = [f"{PREFIX}objdump", "-d", "-M", "numeric,no-aliases", f"--disassemble=body_{number}", str(image)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return "\n".join(line for line in shown.splitlines() if line.startswith("8"))
