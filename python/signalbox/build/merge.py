# SPDX-License-Identifier: Apache-2.0
"""One ELF file for all nodes of a system, for machines that load one image and start every core at its beginning.

The nodes are linked apart, so their segments are put side by side; at the beginning stands code that sends each core to
its node, and one without a node to sleep. Symbols keep their names behind the node's: `left.main`. Debug information
and probes stay in the nodes' own files.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signalbox.errors import Failed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_EHDR = struct.Struct("<16sHHIIIIIHHHHHH")
_PHDR = struct.Struct("<8I")
_SHDR = struct.Struct("<10I")
_SYM = struct.Struct("<IIIBBH")
_SHN_ABS = 0xFFF1


@dataclass(frozen=True)
class _Segment:
    address: int
    data: bytes
    size: int
    flags: int


def dispatch(entries: Mapping[int, int]) -> bytes:
    """The code at the beginning: core c goes to `entries[c]`, any other sleeps. a0 and a1 stay as they are at reset."""
    table = [entries.get(core, 0) for core in range(max(entries) + 1)]
    t0, t1 = 5, 6
    code = [
        0xF1402073 | t0 << 7,  # csrr  t0, mhartid
        _i(0x13, 0, t1, 0, len(table)),  # li    t1, cores in the table
        _branch(7, t0, t1, 7 * 4),  # bgeu  t0, t1, park
        _i(0x13, 1, t0, t0, 2),  # slli  t0, t0, 2
        0x00000317,  # auipc t1, 0
        0x00530333,  # add   t1, t1, t0
        _i(0x03, 2, t1, t1, 8 * 4),  # lw    t1, table
        _branch(0, t1, 0, 2 * 4),  # beqz  t1, park
        _i(0x67, 0, 0, t1, 0),  # jr    t1
        0x10500073,  # park: wfi
        0xFFDFF06F,  # j     park
        0x00000013,  # nop: the table follows at a multiple of 16
    ]
    return struct.pack(f"<{len(code) + len(table)}I", *code, *table)


def _i(opcode: int, function: int, to: int, source: int, immediate: int) -> int:
    return (immediate & 0xFFF) << 20 | source << 15 | function << 12 | to << 7 | opcode


def _branch(function: int, first: int, second: int, offset: int) -> int:
    high = (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3F) << 25
    low = (offset >> 1 & 0xF) << 8 | (offset >> 11 & 1) << 7
    return high | second << 20 | first << 15 | function << 12 | low | 0x63


def merge(nodes: Sequence[tuple[str, int, Path]], start: int, room: int, output: Path) -> None:
    """Write one image of `nodes`, (name, core, ELF file) each, whose boot code has `room` bytes at `start`."""
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    entries: dict[int, int] = {}
    segments: list[_Segment] = []
    symbols: list[tuple[str, int, int, int]] = []
    flags = 0
    for name, core, path in nodes:
        with path.open("rb") as file:
            elf = ELFFile(file)
            entries[core] = elf["e_entry"]
            flags |= elf["e_flags"]
            for segment in elf.iter_segments("PT_LOAD"):
                if segment["p_memsz"]:
                    segments.append(
                        _Segment(segment["p_paddr"], segment.data(), segment["p_memsz"], segment["p_flags"])
                    )
            table = elf.get_section_by_name(".symtab")
            for symbol in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
                kind = symbol["st_info"]["type"]
                if symbol.name and kind in ("STT_FUNC", "STT_OBJECT"):
                    code = 2 if kind == "STT_FUNC" else 1
                    symbols.append((f"{name}.{symbol.name}", symbol["st_value"], symbol["st_size"], code))
    boot = dispatch(entries)
    if len(boot) > room:
        raise Failed(f"{output}: {len(entries)} nodes need {len(boot)} bytes of boot code, and {room} are free")
    segments.insert(0, _Segment(start, boot, len(boot), 5))
    symbols.insert(0, ("boot.dispatch", start, len(boot), 2))
    output.write_bytes(_elf(segments, symbols, start, flags))


def _elf(segments: Sequence[_Segment], symbols: Sequence[tuple[str, int, int, int]], entry: int, flags: int) -> bytes:
    header = _EHDR.size + _PHDR.size * len(segments)
    headers, body, at = b"", b"", header
    for s in segments:
        headers += _PHDR.pack(1, at + len(body), s.address, s.address, len(s.data), s.size, s.flags, 4)
        body += s.data + b"\0" * (-len(s.data) % 4)
    names, table = b"\0", _SYM.pack(0, 0, 0, 0, 0, 0)
    for name, value, size, kind in symbols:
        table += _SYM.pack(len(names), value, size, kind, 0, _SHN_ABS)
        names += name.encode() + b"\0"
    section_names = b"\0.symtab\0.strtab\0.shstrtab\0"
    symtab = at + len(body)
    strtab, shstrtab = symtab + len(table), symtab + len(table) + len(names)
    sections = [
        (0,) * 10,
        (1, 2, 0, 0, symtab, len(table), 2, len(symbols) + 1, 4, _SYM.size),
        (9, 3, 0, 0, strtab, len(names), 0, 0, 1, 0),
        (17, 3, 0, 0, shstrtab, len(section_names), 0, 0, 1, 0),
    ]
    end = shstrtab + len(section_names)
    pad = b"\0" * (-end % 4)
    ident = b"\x7fELF\x01\x01\x01" + b"\0" * 9
    counts = (_EHDR.size, _PHDR.size, len(segments), _SHDR.size, len(sections), 3)
    elf = _EHDR.pack(ident, 2, 243, 1, entry, _EHDR.size, end + len(pad), flags, *counts)
    elf += headers + body + table + names + section_names + pad
    return elf + b"".join(_SHDR.pack(*s) for s in sections)
