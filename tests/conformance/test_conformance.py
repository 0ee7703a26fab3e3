# SPDX-License-Identifier: Apache-2.0
"""riscv-tests, the architecture tests and CoreMark: on an ideal core, and again behind caches that hold bytes."""

from __future__ import annotations

import fnmatch
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from signalbox.build import reference
from tests.conformance import suite
from tests.conformance.reference import read
from tests.conformance.suite import CACHED, GCC, Case

SOURCES = suite.vendor()
CASES = suite.all_cases(SOURCES) if SOURCES else []
RUN, LEFT_OUT = suite.split(CASES)
#: Not repeated behind caches: stores into code that no data cache is cleaned of.
NOT_CACHED = {"riscv-tests/rv32ui/fence_i", "arch/Zifencei/Fencei"}
CACHED_RUN = [c for c in RUN if c.name not in NOT_CACHED and suite.needs(c) is None]

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    SOURCES is None or shutil.which(GCC) is None, reason="pythondata-cpu-ibex or the compiler is not installed"
)


@pytest.fixture(scope="module")
def compiled() -> dict[str, str | None]:
    """All images; for each what the compiler complained about."""
    assert SOURCES is not None
    sources = SOURCES
    with ThreadPoolExecutor(2) as pool:
        errors = pool.map(lambda case: suite.compile_case(case, sources), RUN)
    return dict(zip((c.name for c in RUN), errors, strict=True))


def check(case: Case, overrides: tuple[tuple[str, str], ...], complaint: str | None) -> None:
    """Run a case: it must pass, and its signature be QEMU's."""
    if complaint is not None and "illegal operands" in complaint and not reference.is_gcc():
        pytest.skip("this assembler does not take an instruction that Debian 12's does")
    assert complaint is None, complaint
    result = suite.simulate(case.elf, overrides)
    assert result.stop == "pass", f"{result.stop}, case {result.code}"
    if case.suite == "arch":
        words, digest = read()[case.name]
        assert len(result.written.split()) == words
        assert result.digest == digest, "the signature is not QEMU's"


@pytest.mark.parametrize("case", RUN, ids=[c.name for c in RUN])
def test_on_an_ideal_core(case: Case, compiled: dict[str, str | None]) -> None:
    check(case, (("core.class", suite.class_for(suite.needs(case)) or "ideal"),), compiled[case.name])


@pytest.mark.parametrize("case", CACHED_RUN, ids=[c.name for c in CACHED_RUN])
def test_behind_caches(case: Case, compiled: dict[str, str | None]) -> None:
    check(case, CACHED, compiled[case.name])


@pytest.mark.parametrize("overrides", [(), CACHED], ids=["ideal", "cached"])
def test_coremark_computes_what_it_must(overrides: tuple[tuple[str, str], ...], tmp_path: Path) -> None:
    assert SOURCES is not None
    elf = tmp_path / "coremark.elf"
    suite.compile_coremark(SOURCES, elf, iterations=2)
    result = suite.simulate(elf, overrides)
    assert result.stop == "pass", result.written
    said = dict(line.split(":", 1) for line in result.written.splitlines() if ":" in line)
    found = {name.split("]")[-1].strip(): int(value, 16) for name, value in said.items() if "crc" in name}
    # core_main.c: the known values of the 2K performance run.
    known = {"seedcrc": 0xE9F5, "crclist": 0xE714, "crcmatrix": 0x1FD7, "crcstate": 0x8E3A}
    assert {name: found[name] for name in known} == known
    assert "ERROR! list" not in result.written


def test_every_test_is_run_or_has_a_reason() -> None:
    rules = suite.not_run()
    for rule in rules:
        assert any(fnmatch.fnmatch(c.name, rule.tests) for c in CASES), f"{rule.tests} stands for no test"
    assert not {c.name for c in RUN} & LEFT_OUT.keys()
    assert len(RUN) + len(LEFT_OUT) == len(CASES) == 592
    groups = {f"{c.suite}/{c.group}" for c in RUN}
    assert groups >= {
        *(f"riscv-tests/rv32{g}" for g in ("ui", "um", "ua", "uc", "mi")),
        *(f"arch/{g}" for g in ("I", "M", "C", "Zifencei", "privilege")),
    }
    assert {c.name for c in RUN if c.suite == "arch"} == read().keys(), "run tests.conformance.reference"


# A test that cannot fail is a defect: faults are planted in sources, one per suite, and must be found.


def planted(name: str, old: str, new: str, folder: Path) -> suite.Result:
    """Compile a test with one place changed, and run it."""
    assert SOURCES is not None
    case = next(c for c in CASES if c.name == name)
    text = case.source.read_text()
    assert text.count(old) >= 1, old
    changed, elf = folder / case.source.name, folder / f"{case.source.stem}.elf"
    changed.write_text(text.replace(old, new, 1))
    words = [str(changed) if w == str(case.source) else w for w in suite.command(case, SOURCES, elf)]
    subprocess.run([*words, f"-I{case.source.parent}"], check=True)
    return suite.simulate(elf, (), 200_000)


def test_a_wrong_value_fails_a_test_that_checks_itself(tmp_path: Path) -> None:
    # The divisor of case 2 gives another quotient than the test expects.
    result = planted(
        "riscv-tests/rv32um/div", "TEST_RR_OP( 2, div,  3,  20,   6 );", "TEST_RR_OP( 2, div,  3,  20,   5 );", tmp_path
    )
    assert (result.stop, result.code) == ("fail", 2)


def test_a_wrong_value_changes_a_signature(tmp_path: Path) -> None:
    result = planted("arch/I/add-01", "TEST_RR_OP(add,", "TEST_RR_OP(sub,", tmp_path)
    assert result.stop == "pass"
    words, digest = read()["arch/I/add-01"]
    assert len(result.written.split()) == words
    assert result.digest != digest


def test_an_unexpected_trap_does_not_end_as_a_pass(tmp_path: Path) -> None:
    result = planted("riscv-tests/rv32um/div", "RVTEST_CODE_BEGIN", "RVTEST_CODE_BEGIN\n  .word 0", tmp_path)
    assert result.stop == "budget"
