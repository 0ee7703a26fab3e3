# SPDX-License-Identifier: Apache-2.0
"""Checks that each probe of an image marks its own path and nothing else.

A probe is an address without an instruction of its own: the simulator stamps a record when the instruction there
retires. The compiler may put that address where two paths join, for example when `if (c) SB_PROBE(x);` is followed by
code of both paths; then the record would be made on either path. So the image's code is decoded, and a probe fails when
its address is the target of a branch or a jump and can also be entered from elsewhere: from the instruction before it,
or by another branch. Exactly one way in is the probe's own path, wherever the compiler laid it out.

- A function's own entry may be entered by calls and by jumps from other functions (tail calls), not from its own body.
- Indirect jumps have no target here; the build forbids jump tables.
- A probe that owns a nop (SB_PROBE_NOP) is never shared: its address is the nop's. In code compiled without
  optimisation a nop may also be the compiler's own, behind a join; then the line table has a second statement there.

It also fails when an operand cannot be read when the probe is stamped (a relocation instead of a register, say).
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from signalbox.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SECTION = ".sb_probes"
_NOPS = (0x0000_0013, 0x0001)

_ABI = "zero ra sp gp tp fp " + " ".join([f"{c}{i}" for c, n in (("t", 7), ("s", 12), ("a", 8)) for i in range(n)])
_REGISTER = "(?:" + "|".join([*_ABI.split(), *(f"x{i}" for i in range(32))]) + ")"
_NUMBER = "-?(?:0x[0-9a-fA-F]+|[0-9]+)"
_OPERAND = re.compile(rf"{_REGISTER}|{_NUMBER}|(?:{_NUMBER})?\({_REGISTER}\)")


@dataclass(frozen=True)
class Probe:
    """One entry of the probe section; `address` 0 means that the linker dropped its code."""

    address: int
    kind: int
    operands: tuple[str, ...]


@dataclass(frozen=True)
class Instruction:
    """What matters of an instruction: where it may go. `links` tells a call from a jump."""

    address: int
    size: int
    target: int | None
    links: bool
    falls_through: bool


@dataclass(frozen=True)
class Function:
    """A symbol of code."""

    address: int
    size: int
    name: str


@dataclass(frozen=True)
class Problem:
    """A probe that cannot be trusted."""

    address: int
    kind: int
    function: str
    why: str


def parse_section(data: bytes) -> list[Probe]:
    """Decode the probe section: address u32, number u16, count u16, operand strings, padding to four bytes."""
    probes = []
    at = 0
    while at < len(data):
        if at + 8 > len(data):
            raise BadInput(f"{SECTION}+{at:#x}: truncated entry")
        address, kind, count = struct.unpack_from("<IHH", data, at)
        at += 8
        operands = []
        for _ in range(count):
            end = data.find(b"\0", at)
            if end < 0:
                raise BadInput(f"{SECTION}+{at:#x}: unterminated operand")
            operands.append(data[at:end].decode("ascii", "replace"))
            at = end + 1
        at = (at + 3) & ~3
        probes.append(Probe(address, kind, tuple(operands)))
    return probes


def _sign(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def decode(code: bytes, base: int) -> Iterator[Instruction]:
    """Decode the control flow of RV32 code, instruction by instruction."""
    at = 0
    while at + 2 <= len(code):
        half = code[at] | code[at + 1] << 8
        address = base + at
        if half & 3 == 3:
            word = half | (code[at + 2] | code[at + 3] << 8) << 16 if at + 4 <= len(code) else half
            yield _decode_word(word, address)
            at += 4
        else:
            yield _decode_half(half, address)
            at += 2


def _decode_word(word: int, address: int) -> Instruction:
    opcode = word & 0x7F
    rd = word >> 7 & 31
    if opcode == 0x63:  # branches
        imm = (word >> 31) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 | (word >> 8 & 0xF) << 1
        return Instruction(address, 4, (address + _sign(imm, 13)) & 0xFFFF_FFFF, False, True)
    if opcode == 0x6F:  # jal
        imm = (word >> 31) << 20 | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
        return Instruction(address, 4, (address + _sign(imm, 21)) & 0xFFFF_FFFF, rd != 0, rd != 0)
    if opcode == 0x67:  # jalr
        return Instruction(address, 4, None, rd != 0, rd != 0)
    returns = word in (0x3020_0073, 0x1020_0073)  # mret, sret
    return Instruction(address, 4, None, False, not returns)


def _decode_half(half: int, address: int) -> Instruction:
    quadrant, funct3 = half & 3, half >> 13
    if quadrant == 1 and funct3 in (1, 5):  # c.jal, c.j
        imm = (
            (half >> 12 & 1) << 11
            | (half >> 11 & 1) << 4
            | (half >> 9 & 3) << 8
            | (half >> 8 & 1) << 10
            | (half >> 7 & 1) << 6
            | (half >> 6 & 1) << 7
            | (half >> 3 & 7) << 1
            | (half >> 2 & 1) << 5
        )
        return Instruction(address, 2, (address + _sign(imm, 12)) & 0xFFFF_FFFF, funct3 == 1, funct3 == 1)
    if quadrant == 1 and funct3 in (6, 7):  # c.beqz, c.bnez
        imm = (
            (half >> 12 & 1) << 8
            | (half >> 10 & 3) << 3
            | (half >> 5 & 3) << 6
            | (half >> 3 & 3) << 1
            | (half >> 2 & 1) << 5
        )
        return Instruction(address, 2, (address + _sign(imm, 9)) & 0xFFFF_FFFF, False, True)
    if quadrant == 2 and funct3 == 4 and half >> 2 & 31 == 0 and half >> 7 & 31 != 0:  # c.jr, c.jalr
        links = bool(half >> 12 & 1)
        return Instruction(address, 2, None, links, links)
    return Instruction(address, 2, None, False, True)


class _Functions:
    def __init__(self, functions: list[Function]) -> None:
        self._sorted = sorted(functions, key=lambda f: (f.address, -f.size))
        self._starts = [f.address for f in self._sorted]
        self.entries = {f.address for f in functions}

    def at(self, address: int) -> Function | None:
        i = bisect_right(self._starts, address) - 1
        return self._sorted[i] if i >= 0 else None


def check(
    probes: list[Probe],
    sections: list[tuple[int, bytes]],
    functions: list[Function],
    is_compilers: Callable[[int], bool] = lambda _address: False,
) -> list[Problem]:
    """All problems of an image given its probes, its code (address, bytes) and its function symbols.

    `is_compilers` says of the address of a nop whether the compiler made it, not the probe.
    """
    names = _Functions(functions)
    ways_in: dict[int, list[Instruction]] = {p.address: [] for p in probes if p.address}
    words: dict[int, int] = {}
    for base, code in sections:
        previous: Instruction | None = None
        for ins in decode(code, base):
            if ins.target in ways_in:
                ways_in[ins.target].append(ins)
            if ins.address in ways_in:
                at = ins.address - base
                words[ins.address] = int.from_bytes(code[at : at + ins.size], "little")
                if previous is not None and previous.falls_through and ins.address not in names.entries:
                    ways_in[ins.address].append(previous)
            previous = ins
    problems = []
    for probe in sorted((p for p in probes if p.address), key=lambda p: p.address):
        address = probe.address
        if address not in words:
            why: str | None = "is not code"
        else:
            owns_nop = words[address] in _NOPS and not is_compilers(address)
            why = None if owns_nop else _why_shared(address, ways_in[address], names)
        why = why or _why_unreadable(probe.operands)
        if why:
            function = names.at(address)
            problems.append(Problem(address, probe.kind, function.name if function else "?", why))
    return problems


def _why_shared(address: int, ways: list[Instruction], names: _Functions) -> str | None:
    jumps = [i for i in ways if i.target == address]
    if address in names.entries:
        own = names.at(address)
        inside = [i for i in jumps if not i.links and names.at(i.address) is own]
        if inside:
            return (
                f"is the entry of its function, and {inside[0].address:#010x} in the same function jumps back to it; "
                "use SB_PROBE_NOP"
            )
    elif jumps and len(ways) > 1:
        shown = [f"{i.address:#010x}" for i in ways[:4]] + ["…"] * (len(ways) > 4)
        origins = ", ".join(shown)
        return f"lies where {len(ways)} paths join (from {origins}), and would be stamped on each; use SB_PROBE_NOP"
    return None


def _why_unreadable(operands: tuple[str, ...]) -> str | None:
    if len(operands) > 5:
        return "has more than five operands"
    for text in operands:
        if not _OPERAND.fullmatch(text.strip()):
            return (
                f"has the operand `{text}`, which is neither a register, a constant nor offset(register); "
                "copy it to a local first"
            )
    return None


def check_elf(path: Path) -> tuple[int, list[Problem]]:
    """Number of live probes of an ELF file, and its problems."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            section = elf.get_section_by_name(SECTION)
            if section is None:
                return 0, []
            probes = parse_section(section.data())
            code = [
                (s["sh_addr"], s.data())
                for s in elf.iter_sections()
                if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR and s["sh_type"] == "SHT_PROGBITS"
            ]
            functions = [
                Function(s["st_value"], s["st_size"], s.name)
                for s in elf_symbols(elf)
                if s["st_info"]["type"] == "STT_FUNC"
            ]
            problems = check(probes, code, functions, lambda address: _is_compilers_nop(elf, address))
    except ELFError as e:
        raise BadInput(f"{path}: not a usable ELF file: {e}") from e
    return sum(p.address != 0 for p in probes), problems


def elf_symbols(elf: Any) -> Iterator[Any]:
    """The symbols of an ELF file of pyelftools; none if it is stripped."""
    table = elf.get_section_by_name(".symtab")
    return iter(()) if table is None else table.iter_symbols()


def _is_compilers_nop(elf: Any, address: int) -> bool:
    """Without optimisation the compiler writes a nop for a statement without code, as at the end of a function. A probe
    without an instruction in front of it shares that address, so two statements begin there."""
    if not elf.has_dwarf_info():
        return False
    dwarf = elf.get_dwarf_info()
    ranges = dwarf.get_aranges()
    offset = None if ranges is None else ranges.cu_offset_at_addr(address)
    if offset is None:
        return False
    unit = dwarf.get_CU_at(offset)
    producer = unit.get_top_DIE().attributes.get("DW_AT_producer")
    levels = re.findall(r" -O(\w*)", producer.value.decode()) if producer else ["?"]
    if levels and levels[-1] != "0":
        return False
    rows = (entry.state for entry in dwarf.line_program_for_CU(unit).get_entries() if entry.state is not None)
    return len({(r.file, r.line, r.column) for r in rows if r.address == address and not r.end_sequence}) > 1
