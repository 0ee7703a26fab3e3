# SPDX-License-Identifier: Apache-2.0
"""The coherence checker on whole machines: what it reports, what it does not, and that it observes only."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox import _sim

Assemble = Callable[[str, str], Path]


def check(
    resolved: str, elf: Path, cores: list[int], seed: int = 1, step: int = 20_000_000
) -> tuple[Any, dict, list[dict]]:
    machine = _sim.Machine(resolved, [(str(elf), cores)], seed, check_coherence=True)
    until = step
    outcome = json.loads(machine.run(until))
    while outcome["stop"] == "budget" and until < 20_000_000:
        until += step
        outcome = json.loads(machine.run(until))
    return machine, outcome, json.loads(machine.coherence())


def line_of(guest: str, text: str) -> int:
    source = (Path(__file__).parent / "guests" / f"{guest}.S").read_text().splitlines()
    return next(n for n, line in enumerate(source, 1) if text in line)


def test_each_stale_read_is_reported_with_both_instructions(assemble: Assemble, resolve) -> None:  # type: ignore[no-untyped-def]
    _, outcome, found = check(resolve("de2-dual"), assemble("stale", "de2-dual"), [0, 1])
    assert outcome["stop"] == "pass"
    assert [f["kind"] for f in found] == ["stale-read"] * 3
    # From the line before core 1 has cleaned, from memory then, and from the line when memory is new.
    lines = [
        line_of("stale", t)
        for t in ("core 1 wrote into its cache only", "lw    a0, 0(a3)", "memory is new, this cache is old")
    ]
    assert [f["by"]["line"] for f in found] == lines
    assert [f["in_memory"] for f in found] == [False, False, True]
    for f in found:
        assert (f["by"]["core"], f["writer"]["core"], f["bytes"], f["count"]) == ("cpu0", "cpu1", 4, 1)
        assert f["object"] == "word" and f["by"]["symbol"].startswith("_start+") and f["by"]["file"].endswith("stale.S")
        assert f["writer"]["line"] == line_of("stale", "write-allocate: stays in core 1's cache")
        assert f["writer"]["symbol"].startswith("core1+")
        assert f["writer"]["cycle"] < f["by"]["cycle"] < outcome["cycle"]


def test_a_write_back_that_destroys_a_neighbours_word_is_reported(assemble: Assemble, run, resolve) -> None:  # type: ignore[no-untyped-def]
    elf = assemble("false_sharing", "de2-dual")
    assert run(elf, "de2-dual", [0, 1]).words("lost", 1) == [5]
    _, outcome, found = check(resolve("de2-dual"), elf, [0, 1])
    assert (outcome["stop"], [f["kind"] for f in found]) == ("pass", ["lost-write"])
    (f,) = found
    assert (f["object"], f["bytes"]) == ("mine", 4)
    assert (f["writer"]["core"], f["writer"]["symbol"]) == ("cpu0", "first")
    assert (f["by"]["core"], f["by"]["symbol"]) == ("cpu1", "destroy")
    assert (f["stored"]["core"], f["stored"]["symbol"]) == ("cpu1", "second")


def test_an_overwritten_instruction_is_reported(assemble: Assemble, resolve) -> None:  # type: ignore[no-untyped-def]
    _, _, found = check(resolve("de2-dual"), assemble("old_code", "de2-dual"), [0])
    assert [(f["kind"], f["by"]["symbol"], f["object"], f["count"]) for f in found] == [
        ("stale-instruction", "patched", "patched", 2)
    ]


@pytest.mark.parametrize("policy", ["first", "buffered"])
def test_cores_that_maintain_their_lines_are_not_reported(assemble: Assemble, resolve, policy: str) -> None:  # type: ignore[no-untyped-def]
    for seed in (1, 2, 3):
        resolved = resolve("de2-dual", [("core.0.dcache.victim", policy)])
        _, outcome, found = check(resolved, assemble("maintained", "de2-dual"), [0, 1], seed)
        assert (outcome["stop"], found) == ("pass", [])


@pytest.mark.parametrize("guest", ["busy", "stale", "false_sharing", "maintained"])
def test_the_checker_observes_only(assemble: Assemble, run, resolve, guest: str) -> None:  # type: ignore[no-untyped-def]
    elf = assemble(guest, "de2-dual")
    plain = run(elf, "de2-dual", [0, 1], seed=5)
    machine, outcome, found = check(resolve("de2-dual"), elf, [0, 1], 5)
    assert (machine.state_hash(), outcome["cycle"]) == (plain.hash, plain.cycle)
    assert json.loads(machine.stats()) == plain.stats
    # Neither does it matter to it where the host cuts a run.
    assert check(resolve("de2-dual"), elf, [0, 1], 5, 101)[2] == found
