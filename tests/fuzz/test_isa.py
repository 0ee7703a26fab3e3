# SPDX-License-Identifier: Apache-2.0
"""The fuzzer's own tests: programs follow from their seed, planted faults are found, a divergence is made small."""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.isa import canary, image, machines
from tests.fuzz.isa.check import Comparison
from tests.fuzz.isa.generate import BRANCHES, EXPECTED, generate
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
    # Some faults show only where a rounding mode meets a number in the middle: more programs than elsewhere.
    programs = [generate(1, index) for index in range(150)]
    return canary.Canaries(machines.Qemu(), simulator, tmp_path_factory.mktemp("canary"), programs)


def test_a_program_is_a_function_of_its_seed() -> None:
    assert image.source([generate(3, 5)]) == image.source([generate(3, 5)])
    assert generate(3, 5) != generate(3, 6)
    assert generate(3, 5) != generate(4, 5)


def test_fifty_programs_exercise_the_whole_set() -> None:
    counts = Counter(name for program in PROGRAMS for name in program.mnemonics())
    rare = {name for name in EXPECTED if name.startswith("illegal")}
    assert EXPECTED - rare - counts.keys() == set()


def test_programs_keep_off_the_registers_of_the_harness() -> None:
    reading = {"sb", "sh", "sw", "c.sw", "c.swsp", "fsw", "c.fsw", "c.fswsp", *BRANCHES, ".2byte", ".4byte"}
    lines = [line.replace(",", " ").split() for program in PROGRAMS for line in program.lines("p")]
    written = {words[1] for words in lines if len(words) > 1 and words[0] not in reading}
    assert {"x1", "x5", "x31"} <= written
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
    assert words["misa"] == 0x40101125
    assert [words["traps"], words["mcause of trap 0"], words["mcause of trap 1"]] == [2, 11, 2]
    assert words["mepc of trap 1"] - words["mepc of trap 0"] == 4
    assert words["memory+0x0"] == 0x12345678
    assert words["memory+0xfc"] >> 24 == 0


@needs_tools
def test_every_program_starts_from_the_same_state(tmp_path: Path) -> None:
    """What an empty program leaves does not depend on what ran before it (but where the harness lies does)."""
    empty = Program("empty", tuple(range(31)), 99, ())
    runs = [[empty], [*PROGRAMS[:5], empty]]
    images = [image.build(tmp_path, f"run{n}", image.source(programs)) for n, programs in enumerate(runs)]
    last = [
        dict(image.decode(machines.Qemu().run(path))[len(run) - 1].words)
        for path, run in zip(images, runs, strict=True)
    ]
    assert {name for name in last[0] if last[0][name] != last[1][name]} <= {"x3", "x4", "pmpaddr0"}
    assert last[0]["traps"] == 0


@needs_tools
def test_programs_trap_often_but_not_too_often(tmp_path: Path) -> None:
    results = image.decode(machines.Qemu().run(image.build(tmp_path, "traps", image.source(PROGRAMS))))
    counts = [dict(result.words)["traps"] for result in results.values()]
    assert len(counts) == len(PROGRAMS)
    assert max(counts) <= image.TRAPS
    assert sum(counts) > 2 * len(PROGRAMS)


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
    assert len(small.program.units) <= 6, small.program.units
