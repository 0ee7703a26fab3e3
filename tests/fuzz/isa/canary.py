# SPDX-License-Identifier: Apache-2.0
"""Faults that the comparison must find.

The simulator has no switch that breaks an instruction, so its image is changed instead: wherever the programs have one
instruction, the simulator gets another of the same size. That is what a simulator would do that executes it wrongly.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from tests.fuzz.isa import image
from tests.fuzz.isa.program import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.fuzz.isa.machines import Machine
    from tests.fuzz.isa.program import Program

# what is broken -> what it does instead
INSTRUCTIONS = {
    "add": "sub", "slt": "sltu", "sra": "srl", "xor": "or", "addi": "xori", "srai": "srli", "sltiu": "slti",
    "mul": "mulh", "mulhsu": "mulhu", "div": "divu", "rem": "remu",
    "lb": "lbu", "lh": "lhu", "lw": "lh", "sb": "sh", "sw": "sb",
    "amoadd.w": "amoxor.w", "amomin.w": "amominu.w", "sc.w": "amoswap.w",
    "c.add": "c.mv", "c.srai": "c.srli", "c.sub": "c.xor", "c.lw": "c.sw",
    "csrrs": "csrrc", "csrrwi": "csrrsi",
    "beq": "bne", "bltu": "blt", "c.bnez": "c.beqz",
    "ecall": "ebreak", "ebreak": "ecall", "mret": "ecall",
    "fadd.s": "fsub.s", "fmul.s": "fdiv.s", "fdiv.s": "fmul.s", "fmadd.s": "fmsub.s", "fnmsub.s": "fnmadd.s",
    "fsgnj.s": "fsgnjn.s", "fsgnjx.s": "fsgnj.s", "fmin.s": "fmax.s", "feq.s": "fle.s", "flt.s": "feq.s",
    "fcvt.w.s": "fcvt.wu.s", "fcvt.s.w": "fcvt.s.wu", "fclass.s": "fmv.x.w", "fmv.x.w": "fclass.s",
    "fmv.w.x": "fcvt.s.w", "flw": "fsw", "fsw": "flw", "c.flw": "c.fsw", "c.fswsp": "c.flwsp",
}  # fmt: skip

# A line that is counted under this name -> a whole instruction
NOTHING = "addi x0, x0, 0"
LINES = {
    "to user mode": NOTHING, "protect": NOTHING, "locked": NOTHING, "mprv": NOTHING, "interrupt": NOTHING,
    "mcounteren": NOTHING, "menvcfg": NOTHING, "jump into the scratch memory": NOTHING,
    "mret in user mode": NOTHING, "wfi in user mode": NOTHING, "CSR in user mode": NOTHING,
    "counter in user mode": NOTHING, "fsqrt.s": NOTHING, "frm": NOTHING, "fflags": NOTHING, "fcsr": NOTHING,
    "mcountinhibit": NOTHING, "stopped counter": NOTHING, "mip": NOTHING, "pmp off": NOTHING,
    "illegal write of a counter": NOTHING, "float on": NOTHING, "float off": NOTHING, "reserved frm": NOTHING,
}  # fmt: skip
# A rounding mode -> another one
MODES = {"rne": "rup", "rtz": "rne", "rdn": "rtz", "rup": "rne", "rmm": "rne"}
FAULTS = {**INSTRUCTIONS, **LINES, **MODES}

ORDERED = re.compile(r"^(lr\.w|sc\.w|amo\w+\.w)((?:\.aq|\.rl|\.aqrl)?) ")


def broken(name: str, instead: str, line: str) -> str:
    """A line with one instruction replaced. Lines with a raw encoding and labels stay."""
    if name in LINES:
        return f"{instead} # {name}" if counted(line) == name else line
    if name in MODES:
        return re.sub(rf"\b{name}\b", instead, line)
    ordered = ORDERED.match(line)
    if ordered:
        return f"{instead}{ordered.group(2)} {line[ordered.end() :]}" if ordered.group(1) == name else line
    mnemonic, space, rest = line.partition(" ")
    return f"{instead}{space}{rest}" if mnemonic == name else line


class Canaries:
    """Programs, and what the first machine makes of them; then the second machine with one fault after the other."""

    def __init__(self, left: Machine, right: Machine, folder: Path, programs: Sequence[Program]) -> None:
        self.right, self.folder, self.programs = right, folder, programs
        self.expected = image.decode(left.run(image.build(folder, "sound", image.source(programs))))

    def found_in(self, name: str | None) -> str | None:
        """The first program whose results tell that this instruction is broken; with no name nothing is."""
        change = functools.partial(broken, name, FAULTS[name]) if name else None
        results = image.decode(self.right.run(image.build(self.folder, "faulty", image.source(self.programs, change))))
        for number, program in enumerate(self.programs):
            mine, theirs = self.expected[number], results.get(number)
            if theirs is None or mine.differences(theirs):
                return program.name
        return None
