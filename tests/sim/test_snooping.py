# SPDX-License-Identifier: Apache-2.0
"""Snooping data caches in a whole machine: what each transition costs, to the cycle, and what software no longer sees."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from signalbox import _sim

Assemble = Callable[[str, str], Path]

# smp-4: a request and an answer take a cycle each, a snoop 2, an owner begins to send 4 later, a line has 4 beats. The line is in the
# second level, which takes 8 cycles and 4 beats. Reading mcycle costs 4, an access 1, cbo 4.
ROUND, SNOOP, OWNER, BEATS, MEMORY = 2, 2, 4, 4, 12
EMPTY, ONE, MAINTAIN = 4 + 1, 4 + 1, 4 + 4
READ = ONE + ROUND + SNOOP + MEMORY
UPGRADE = ONE + ROUND + SNOOP
SENT = ONE + ROUND + SNOOP + OWNER + BEATS
# The modified line is written to memory first.
VIA_MEMORY = ONE + ROUND + SNOOP + OWNER + MEMORY + MEMORY
FLUSH = MAINTAIN + ROUND + SNOOP + OWNER + MEMORY
CLEAN = MAINTAIN + ROUND + SNOOP
# nop; load alone, store then; load, store of a shared line; load, store of the other's modified line; load, store of the other's
# exclusive line; amo, store-conditional of a shared line; a store-conditional that lost its line; flush of the other's modified line, clean
MESI = [EMPTY, READ, ONE, ONE, UPGRADE, SENT, SENT, READ, READ, UPGRADE, UPGRADE, ONE, FLUSH, CLEAN]
MSI = [*MESI[:2], UPGRADE, *MESI[3:]]
BY_MEMORY = [*MESI[:5], VIA_MEMORY, VIA_MEMORY, *MESI[7:]]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, MESI),
        ({"protocol": "msi"}, MSI),
        ({"intervention": "memory"}, BY_MEMORY),
        ({"snoop_cycles": "7"}, [c + (5 if c > MAINTAIN else 0) for c in MESI]),
        ({"intervention_cycles": "0"}, [c - 4 if c in (SENT, FLUSH) else c for c in MESI]),
        ({"width_bits": "32"}, [c + 4 if c == SENT else c for c in MESI]),
    ],
)
def test_what_each_transition_costs(assemble: Assemble, run, keys: dict[str, str], expected: list[int]) -> None:  # type: ignore[no-untyped-def]
    overrides = [(f"coherence.{key}", value) for key, value in keys.items()]
    result = run(assemble("snoop_timing", "smp-4"), "smp-4", [0, 1], overrides=overrides)
    assert result.stop == "pass"
    assert result.words("seen", len(expected)) == expected
    # The store-conditional on the shared line stored, the one whose line was lost did not.
    assert result.words("values", 2) == [0, 1]
    for core in result.stats["cores"]:
        assert sum(core["accounts"].values()) == core["cycles"], core


def test_neither_observation_nor_a_cut_changes_a_run(assemble: Assemble, run) -> None:  # type: ignore[no-untyped-def]
    elf = assemble("snoop_timing", "smp-4")
    runs = [run(elf, "smp-4", [0, 1, 2, 3], seed=seed) for seed in (1, 2)]
    assert runs[0].hash != runs[1].hash
    for seed, whole in zip((1, 2), runs, strict=True):
        assert whole.stop == "pass"
        for other in (
            run(elf, "smp-4", [0, 1, 2, 3], seed=seed, observe=True),
            run(elf, "smp-4", [0, 1, 2, 3], seed=seed, step=997),
        ):
            assert (other.hash, other.cycle, other.stats) == (whole.hash, whole.cycle, whole.stats)


MESI_KEYS = [("coherence.protocol", "mesi")]


def found(resolved: str, elf: Path, cores: list[int]) -> tuple[str, list[dict]]:
    machine = _sim.Machine(resolved, [(str(elf), cores)], 1, check_coherence=True)
    stop = json.loads(machine.run(20_000_000))["stop"]
    return stop, json.loads(machine.coherence())


@pytest.mark.parametrize("guest", ["stale", "false_sharing", "busy"])
def test_what_the_checker_finds_without_it_finds_not_with(assemble: Assemble, resolve, guest: str) -> None:  # type: ignore[no-untyped-def]
    elf = assemble(guest, "de2-dual")
    stop, without = found(resolve("de2-dual"), elf, [0, 1])
    assert stop == "pass"
    assert without or guest == "busy"
    assert found(resolve("de2-dual", MESI_KEYS), elf, [0, 1]) == ("pass", [])


def test_values_are_those_of_one_memory(assemble: Assemble, run) -> None:  # type: ignore[no-untyped-def]
    stale = run(assemble("stale", "de2-dual"), "de2-dual", [0, 1], overrides=MESI_KEYS)
    # Before core 1 writes; then each read sees it, cached, past the cache, and after maintenance that nobody needs.
    assert stale.words("seen", 6) == [11, 22, 22, 22, 22, 22]
    # The neighbour's word survives.
    lost = assemble("false_sharing", "de2-dual")
    assert run(lost, "de2-dual", [0, 1], overrides=MESI_KEYS).words("lost", 1) != run(lost, "de2-dual", [0, 1]).words(
        "lost", 1
    )
