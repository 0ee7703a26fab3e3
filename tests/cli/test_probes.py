# SPDX-License-Identifier: Apache-2.0
"""The probe checker finds the probes that would be stamped on another path."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from cli_support import GCC, GUESTS, MARCH, compile_guest, need

from signalbox.build import probes
from signalbox.build.probes import Function, Probe, Problem, check, check_elf, decode, parse_section
from signalbox.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path

BASE = 0x8000_0000


def assemble(tmp_path: Path, text: str) -> bytes:
    """The bytes of assembler text placed at BASE."""
    need(GCC)
    source, elf, binary = tmp_path / "a.S", tmp_path / "a.elf", tmp_path / "a.bin"
    source.write_text(text + "\n")
    subprocess.run(
        [
            GCC,
            f"-march={MARCH}",
            "-mabi=ilp32",
            "-nostdlib",
            f"-Wl,-Ttext={BASE:#x},-e,{BASE:#x},--no-relax",
            source,
            "-o",
            elf,
        ],
        check=True,
    )
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", elf, binary], check=True)
    return binary.read_bytes()


def test_decodes_every_kind_of_jump(tmp_path: Path) -> None:
    code = assemble(
        tmp_path,
        """
        .option norvc
        0: beq a0, a1, 0b
        bltu a0, a1, 1f
        jal ra, 1f
        j 0b
        jr a0
        jalr a0
        1: mret
        .option rvc
        c.j 1b
        c.jal 1b
        c.beqz a0, 1b
        c.bnez a0, 2f
        c.jr a0
        c.jalr a0
        2: c.mv a0, a1
        c.nop
        """,
    )
    found = [
        (i.address - BASE, i.size, i.target and i.target - BASE, i.links, i.falls_through) for i in decode(code, BASE)
    ]
    assert found == [
        (0, 4, 0, False, True),
        (4, 4, 24, False, True),
        (8, 4, 24, True, True),
        (12, 4, 0, False, False),
        (16, 4, None, False, False),
        (20, 4, None, True, True),
        (24, 4, None, False, False),
        (28, 2, 24, False, False),
        (30, 2, 24, True, True),
        (32, 2, 24, False, True),
        (34, 2, 40, False, True),
        (36, 2, None, False, False),
        (38, 2, None, True, True),
        (40, 2, None, False, True),
        (42, 2, None, False, True),
    ]


def test_decodes_a_library_as_objdump_does(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nchar b[99];\n"
        "int main(int c, char **v) { return snprintf(b, 99, *v, c, strlen(*v)) + strtol(*v, 0, c); }"
    )
    need(GCC)
    elf = tmp_path / "a.elf"
    subprocess.run(
        [
            GCC, "-march=rv32imac", "-mabi=ilp32", "--specs=picolibc.specs", "-nostartfiles", "-Wl,-e,main", "-w",
            "-T", GUESTS / "virt.ld", source, "-o", elf,
        ],
        check=True, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    text = subprocess.run(
        ["riscv64-unknown-elf-objdump", "-d", "-j", ".text", elf], check=True, capture_output=True, text=True
    ).stdout
    jumps = re.compile(r"^\s*([0-9a-f]+):\s+[0-9a-f]+\s+(b\w+|j|jal)\s.*?\b([0-9a-f]{8}) <", re.M)
    expected = {int(a, 16): int(t, 16) for a, _, t in jumps.findall(text)}
    assert len(expected) > 500
    binary = tmp_path / "a.bin"
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", elf, binary], check=True)
    found = {i.address: i.target for i in decode(binary.read_bytes(), BASE) if i.target is not None}
    assert found == expected


def probe_guest(tmp_path: Path, body: str, *options: str) -> tuple[int, list[Problem]]:
    source = tmp_path / "probe.c"
    source.write_text('#include <stdint.h>\n#include "signalbox/probe.h"\nvolatile uint32_t seen;\n' + body)
    return check_elf(compile_guest([source], tmp_path / "probe.elf", *options))


JOIN = """
__attribute__((noinline)) void planted(uint32_t c) { if (c > 5) SB_PROBE(mark, c); seen++; }
int main(void) { planted(seen); return 0; }
"""


def test_a_planted_join_is_caught(tmp_path: Path) -> None:
    count, problems = probe_guest(tmp_path, JOIN, "-Os")
    assert count == 1
    assert [p.function for p in problems] == ["planted"]
    assert "lies where 2 paths join" in problems[0].why
    assert problems[0].why.endswith("use SB_PROBE_NOP")


def test_a_probe_with_its_own_nop_is_not(tmp_path: Path) -> None:
    assert probe_guest(tmp_path, JOIN.replace("SB_PROBE(", "SB_PROBE_NOP("), "-Os") == (1, [])


@pytest.mark.parametrize("optimise", ["-O0", "-O1", "-O2", "-Os"])
def test_a_probe_on_a_straight_path_is_not(tmp_path: Path, optimise: str) -> None:
    body = """
    __attribute__((noinline)) uint32_t good(uint32_t c) { SB_PROBE(mark, c); seen++; SB_PROBE(mark, c); return seen; }
    int main(void) { return good(seen) == 9 ? 0 : 1; }
    """
    count, problems = probe_guest(tmp_path, body, optimise)
    assert (count >= 2, problems) == (True, [])


def test_without_optimisation_a_compilers_nop_is_not_taken_for_the_probes(tmp_path: Path) -> None:
    body = """
    __attribute__((noinline)) void planted(uint32_t c) { if (c) SB_PROBE(mark, c); }
    int main(void) { planted(seen); return 0; }
    """
    _, problems = probe_guest(tmp_path, body, "-O0")
    assert [p.function for p in problems] == ["planted"]
    assert probe_guest(tmp_path, body.replace("SB_PROBE(", "SB_PROBE_NOP("), "-O0") == (1, [])


@pytest.mark.parametrize("optimise", ["-O0", "-O1", "-O2", "-Os"])
def test_a_nop_where_many_paths_join(tmp_path: Path, optimise: str) -> None:
    body = """
    __attribute__((noinline)) uint32_t joined(uint32_t c)
    {
        if (c == 1) { seen = 1; goto out; }
        if (c == 2) { seen = 2; goto out; }
        for (uint32_t i = 0; i < c; i++) { SB_PROBE_NOP(mark, i); seen++; }
    out:
        SB_PROBE_NOP(mark, c);
        return c;
    }
    int main(void) { return joined(seen) == 9 ? 0 : 1; }
    """
    assert probe_guest(tmp_path, body, optimise) == (2, [])
    _, problems = probe_guest(tmp_path, body.replace("SB_PROBE_NOP(", "SB_PROBE("), optimise)
    assert problems != []


def test_a_loop_back_to_a_functions_entry_is_caught_but_not_a_tail_call(tmp_path: Path) -> None:
    code = assemble(
        tmp_path,
        """
        first: addi a0, a0, -1
        bnez a0, first
        ret
        second: j first
        """,
    )
    functions = [Function(BASE, 6, "first"), Function(BASE + 6, 2, "second")]
    at_entry = [Probe(BASE, 35, ())]
    problems = check(at_entry, [(BASE, code)], functions)
    assert [(p.function, p.address) for p in problems] == [("first", BASE)]
    assert "jumps back to it" in problems[0].why
    straight = assemble(tmp_path, "first: addi a0, a0, -1\nnop\nret\nsecond: j first")
    assert check(at_entry, [(BASE, straight)], functions) == []


def test_a_block_with_one_way_in_belongs_to_its_probe(tmp_path: Path) -> None:
    code = assemble(tmp_path, "f: beqz a0, 1f\nret\n1: li a0, 3\nret")
    functions = [Function(BASE, 8, "f")]
    assert check([Probe(BASE + 4, 72, ())], [(BASE, code)], functions) == []
    twice = assemble(tmp_path, "f: beqz a0, 1f\nbeqz a1, 1f\nret\n1: li a0, 3\nret")
    assert len(check([Probe(BASE + 6, 72, ())], [(BASE, twice)], functions)) == 1


@pytest.mark.parametrize("operand", ["a0", "fp", "x31", "-20(s0)", "42", "0x1f", "-3", "(sp)"])
def test_readable_operands(operand: str) -> None:
    code = b"\x01\x00"
    assert check([Probe(BASE, 72, (operand,))], [(BASE, code)], []) == []


@pytest.mark.parametrize("operand", ["%lo(x)(a5)", "x32", "sb_node", "a0,a1", "f1", ""])
def test_unreadable_operands(operand: str) -> None:
    problems = check([Probe(BASE, 72, (operand,))], [(BASE, b"\x01\x00")], [])
    assert [p.why for p in problems] == [
        f"has the operand `{operand}`, which is neither a register, a constant nor offset(register); "
        "copy it to a local first"
    ]


def test_probes_outside_code_and_with_too_many_operands() -> None:
    assert [p.why for p in check([Probe(0x10, 72, ())], [(BASE, b"\x01\x00")], [])] == ["is not code"]
    six = check([Probe(BASE, 72, ("a0",) * 6)], [(BASE, b"\x01\x00")], [])
    assert [p.why for p in six] == ["has more than five operands"]
    assert check([Probe(0, 72, ("rubbish",))], [(BASE, b"\x01\x00")], []) == [], "a dropped probe is no problem"


def test_sections_that_are_cut() -> None:
    entry = BASE.to_bytes(4, "little") + (72).to_bytes(2, "little") + (1).to_bytes(2, "little") + b"a0\0\0"
    assert parse_section(entry * 2) == [Probe(BASE, 72, ("a0",))] * 2
    with pytest.raises(BadInput, match="truncated"):
        parse_section(entry[:6])
    with pytest.raises(BadInput, match="unterminated"):
        parse_section(entry[:10])


def test_files_that_are_no_elf(tmp_path: Path) -> None:
    path = tmp_path / "a.elf"
    path.write_bytes(b"\x7fELF rubbish")
    with pytest.raises(BadInput, match="not a usable ELF file"):
        check_elf(path)
    assert probes.SECTION == ".sb_probes"
