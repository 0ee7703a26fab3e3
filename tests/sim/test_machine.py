# SPDX-License-Identifier: Apache-2.0
"""What must hold of a whole machine, whatever it runs."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

Assemble = Callable[[str, str], Path]


def test_a_core_reads_the_old_value_until_both_have_maintained_the_line(assemble: Assemble, run) -> None:  # type: ignore[no-untyped-def]
    for seed in range(1, 6):
        result = run(assemble("stale", "de2-dual"), "de2-dual", [0, 1], seed=seed)
        assert result.stop == "pass"
        assert result.words("seen", 6) == [11, 11, 11, 11, 22, 22], f"seed {seed}"


def test_an_overwritten_instruction_is_the_old_one_until_it_is_maintained(assemble: Assemble, run) -> None:  # type: ignore[no-untyped-def]
    result = run(assemble("old_code", "de2-dual"), "de2-dual", [0])
    assert result.stop == "pass"
    assert result.words("seen", 4) == [1, 1, 1, 2]


@pytest.mark.parametrize("seed", [1, 2, 99])
def test_a_run_is_a_function_of_image_platform_and_seed(assemble: Assemble, run, seed: int) -> None:  # type: ignore[no-untyped-def]
    elf = assemble("busy", "de2-dual")
    first = run(elf, "de2-dual", [0, 1], seed=seed)
    assert first.stop == "pass"
    again = run(elf, "de2-dual", [0, 1], seed=seed)
    observed = run(elf, "de2-dual", [0, 1], seed=seed, observe=True)
    assert (again.hash, again.cycle) == (first.hash, first.cycle)
    assert (observed.hash, observed.cycle) == (first.hash, first.cycle)
    assert observed.stats == first.stats
    other = run(elf, "de2-dual", [0, 1], seed=seed + 1000)
    assert other.hash != first.hash
    assert other.cycle != first.cycle


@pytest.mark.parametrize("step", [997, 10_000, 123_457])
def test_where_the_host_interrupts_a_run_changes_nothing(assemble: Assemble, run, step: int) -> None:  # type: ignore[no-untyped-def]
    elf = assemble("busy", "de2-dual")
    whole = run(elf, "de2-dual", [0, 1], seed=7)
    parts = run(elf, "de2-dual", [0, 1], seed=7, step=step)
    assert (parts.hash, parts.cycle, parts.stats) == (whole.hash, whole.cycle, whole.stats)


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_code_that_writes_its_own_line_does_not_depend_on_where_a_run_is_cut(  # type: ignore[no-untyped-def]
    assemble: Assemble, run, step: int
) -> None:
    elf = assemble("own_line", "virt")
    whole = run(elf, "virt", [0], limit=2000)
    parts = run(elf, "virt", [0], limit=2000, step=step)
    assert (whole.stop, whole.words("seen", 2)) == ("pass", [2, 2])
    assert (parts.hash, parts.cycle) == (whole.hash, whole.cycle)


def test_every_cycle_of_every_core_is_in_exactly_one_account(assemble: Assemble, run) -> None:  # type: ignore[no-untyped-def]
    result = run(assemble("busy", "de2-dual"), "de2-dual", [0, 1])
    for core in result.stats["cores"]:
        assert sum(core["accounts"].values()) == core["cycles"], core
        assert all(cycles >= 0 for cycles in core["accounts"].values())
        assert core["accounts"]["miss"] > 0 and core["accounts"]["bus_wait"] > 0


@pytest.mark.parametrize("harts", [1, 2, 3, 8])
def test_atomics_of_many_harts_lose_nothing(assemble: Assemble, run, harts: int, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    elf = assemble("counters", "virt")
    data = bytearray(elf.read_bytes())
    at = data.rfind(struct.pack("<4I", 0, 0, 0, 1))
    assert at > 0
    data[at + 12 : at + 16] = struct.pack("<I", harts)
    patched = tmp_path / "counters.elf"
    patched.write_bytes(data)
    overrides = [("core.0.count", str(harts))]
    for seed in (1, 2, 3):
        result = run(patched, "virt", list(range(harts)), seed=seed, overrides=overrides)
        assert result.stop == "pass", f"seed {seed}"
        assert result.words("by_amo", 2) == [1000 * harts, 1000 * harts]
