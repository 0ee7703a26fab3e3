# SPDX-License-Identifier: Apache-2.0
"""The fuzzer's own tests: programs are a function of their seed, planted faults are found, and a divergence is made small."""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.isa import canary, image, machines
from tests.fuzz.isa.check import Comparison
from tests.fuzz.isa.generate import EXPECTED, MAX_TRAPS, generate
from tests.fuzz.isa.program import CODE_SLOT, Program, Unit

if TYPE_CHECKING:
    from pathlib import Path

needs_tools = pytest.mark.skipif(bool(machines.missing()), reason=f"missing: {', '.join(machines.missing())}")
PROGRAMS = [generate(1, index) for index in range(50)]


@pytest.fixture(scope="module")
def simulator() -> machines.Simulator:
    return machines.Simulator()


@pytest.fixture(scope="module")
def canaries(simulator: machines.Simulator, tmp_path_factory: pytest.TempPathFactory) -> canary.Canaries:
    return canary.Canaries(machines.Qemu(), simulator, tmp_path_factory.mktemp("canary"), PROGRAMS)


def test_a_program_is_a_function_of_its_seed() -> None:
    assert image.source([generate(3, 5)]) == image.source([generate(3, 5)])
    assert generate(3, 5) != generate(3, 6)
    assert generate(3, 5) != generate(4, 5)


def test_fifty_programs_exercise_the_whole_set() -> None:
    counts = Counter(name for program in PROGRAMS for name in program.mnemonics())
    rare = {name for name in EXPECTED if name.startswith("illegal")}
    assert EXPECTED - rare - counts.keys() == set()


def test_programs_keep_off_the_registers_of_the_harness() -> None:
    written = {line.split()[1].rstrip(",") for p in PROGRAMS for line in p.lines("p") if len(line.split()) > 1 and line.split()[0] not in
               ("sb", "sh", "sw", "c.sw", "c.swsp", "beq", "bne", "blt", "bge", "bltu", "bgeu", ".2byte", ".4byte")}  # fmt: skip
    assert not written & {"x3", "x4"}


@needs_tools
def test_results_are_named_and_complete(tmp_path: Path) -> None:
    """One program whose results are known exactly."""
    units = (
        Unit(("lui x5, 0x12345", "addi x5, x5, 0x678")),
        Unit(("sw x5, -128(x4)", "sb x0, 127(x4)")),
        Unit(("csrrw x6, mscratch, x5",)),
        Unit(("ecall",)),
        Unit((".2byte 0 # illegal zero",)),
        Unit((f"addi x7, x3, {CODE_SLOT}", "sub x7, x4, x3")),
    )
    path = image.build(tmp_path, "known", image.source([Program("known", tuple(range(100, 131)), 1, units)]))
    results = image.decode(machines.Qemu().run(path))
    assert list(results) == [0]
    words = dict(results[0].words)
    assert [words[f"x{n}"] for n in (1, 2, 5, 8, 31)] == [100, 101, 0x12345678, 107, 130]
    assert words["mscratch"] == 0x12345678
    assert words["misa"] == 0x40001105
    assert [words["traps"], words["mcause of trap 0"], words["mcause of trap 1"]] == [2, 11, 2]
    assert words["mepc of trap 1"] - words["mepc of trap 0"] == 4
    assert words["memory+0x0"] == 0x12345678
    assert words["memory+0xfc"] >> 24 == 0


@needs_tools
def test_results_of_a_program_do_not_depend_on_its_company(tmp_path: Path) -> None:
    """Every program starts from the same state, whatever ran before it. Addresses of code differ, so it comes first twice."""
    qemu = machines.Qemu()
    alone = image.decode(qemu.run(image.build(tmp_path, "alone", image.source(PROGRAMS[:1]))))
    first = image.decode(qemu.run(image.build(tmp_path, "first", image.source([PROGRAMS[0], *PROGRAMS[:2]]))))
    values = [dict(result.words) for result in (alone[0], first[0], first[1])]
    seeded = [name for name in values[0] if name.startswith("memory")][:1]
    assert len({tuple(value[name] for name in ("traps", "mie", *seeded)) for value in values}) == 1
    assert all(value["traps"] <= MAX_TRAPS for value in values)


@needs_tools
def test_without_a_fault_nothing_is_found(canaries: canary.Canaries) -> None:
    assert canaries.found_in(None) is None


@needs_tools
@pytest.mark.parametrize("name", canary.FAULTS)
def test_a_planted_fault_is_found(canaries: canary.Canaries, name: str) -> None:
    assert canaries.found_in(name) is not None


@needs_tools
@pytest.mark.parametrize("name", ["add", "amoadd.w", "c.sub"])
def test_a_divergence_is_made_small(simulator: machines.Simulator, tmp_path: Path, name: str) -> None:
    change = functools.partial(canary.broken, name, canary.FAULTS[name])
    comparison = Comparison(machines.Qemu(), simulator, tmp_path, change)
    first = comparison.first(PROGRAMS)
    assert first is not None
    small = comparison.minimise(first.program)
    assert small is not None
    assert name in set(small.program.mnemonics())
    assert len(small.program.units) <= 3, small.program.units
