# SPDX-License-Identifier: Apache-2.0
"""Caches in a whole machine: what each event costs, to the cycle, and what a policy may not change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Assemble = Callable[[str, str], Path]

# A line of the SRAM takes 16 beats, a word 2; one cycle there and one back. Reading mcycle costs 4, an access or a fence 1.
LINE, WORD = 1 + 16 + 1, 1 + 2 + 1
ONE, TWO = 4 + 1, 4 + 2
HIT = ONE
# What is left of a line's transfer that an access began just before a measurement: its word took 4, it took 1, mcycle 4.
REST = LINE - (4 + 1 + 4)
TIMES = {
    # hit, load miss, store miss, store hit, dirty victim, two words of a line, dirty victim and another miss, and a fence
    "": [HIT, ONE + LINE, ONE + LINE, HIT, ONE + 2 * LINE, TWO + LINE, TWO + 3 * LINE, TWO + 2 * LINE],
    "victim=after": [HIT, ONE + LINE, ONE + LINE, HIT, ONE + 2 * LINE, TWO + LINE, TWO + 3 * LINE, TWO + 2 * LINE],
    # The victim is written while the core goes on: the next miss, or the fence, waits for it from one cycle later.
    "victim=buffered": [HIT, ONE + LINE, ONE + LINE, HIT, ONE + LINE, TWO + LINE, ONE + 3 * LINE, ONE + 2 * LINE],
    # The first word comes 14 beats before the last; what needs the rest, or the bus, waits for the last.
    "refill=critical_word": [
        HIT + REST,
        ONE + LINE - 14,
        ONE + LINE - 14,
        HIT,
        ONE + 2 * LINE - 14,
        ONE + LINE,
        ONE + 3 * LINE - 14 + REST,
        TWO + 2 * LINE - 14 + REST,
    ],
    "write=through": [
        HIT,
        ONE + LINE,
        ONE + LINE + WORD,
        HIT + WORD,
        ONE + LINE,
        TWO + LINE,
        TWO + 2 * LINE,
        TWO + LINE,
    ],
    "allocate=false": [HIT, ONE + LINE, ONE + WORD, ONE + WORD, ONE + LINE, TWO + LINE, TWO + 2 * LINE, TWO + LINE],
    "write=through allocate=false": [
        HIT,
        ONE + LINE,
        ONE + WORD,
        ONE + WORD,
        ONE + LINE,
        TWO + LINE,
        TWO + 2 * LINE,
        TWO + LINE,
    ],
    # Eight transfers of a word each.
    "burst_bytes=4": [
        HIT,
        ONE + 8 * WORD,
        ONE + 8 * WORD,
        HIT,
        ONE + 16 * WORD,
        TWO + 8 * WORD,
        TWO + 24 * WORD,
        TWO + 16 * WORD,
    ],
    # Two ways hold both lines: nothing dirty goes.
    "ways=2": [HIT, ONE + LINE, ONE + LINE, HIT, ONE + LINE, TWO + LINE, TWO + 2 * LINE, TWO + LINE],
    "ways=full replacement=random": [
        HIT,
        ONE + LINE,
        ONE + LINE,
        HIT,
        ONE + LINE,
        TWO + LINE,
        TWO + 2 * LINE,
        TWO + LINE,
    ],
}


def overrides_of(text: str, cache: str = "dcache") -> list[tuple[str, str]]:
    pairs = [part.split("=") for part in text.split()]
    return [(f"core.0.{cache}.{key}", value) for key, value in pairs]


@pytest.mark.parametrize("policy", TIMES)
def test_what_each_event_costs(assemble: Assemble, run, policy: str) -> None:  # type: ignore[no-untyped-def]
    result = run(assemble("cache_timing", "de2-dual"), "de2-dual", [0], overrides=overrides_of(policy))
    assert result.stop == "pass"
    assert result.words("seen", 8) == TIMES[policy]
    for core in result.stats["cores"]:
        assert sum(core["accounts"].values()) == core["cycles"], core


POLICIES = [
    "ways=2",
    "ways=4 replacement=round_robin victim=after",
    "ways=4 replacement=random victim=buffered",
    "ways=full victim=buffered refill=critical_word",
    "write=through refill=critical_word",
    "allocate=false burst_bytes=8",
]


@pytest.mark.parametrize("policy", POLICIES)
def test_neither_observation_nor_a_cut_changes_a_run(assemble: Assemble, run, policy: str) -> None:  # type: ignore[no-untyped-def]
    elf = assemble("busy", "de2-dual")
    overrides = overrides_of(policy)
    overrides += [(k, v) for k, v in overrides_of(policy, "icache") if k.rsplit(".", 1)[1] in ("ways", "replacement")]
    for seed in (1, 2):
        whole = run(elf, "de2-dual", [0, 1], seed=seed, overrides=overrides)
        assert whole.stop == "pass"
        observed = run(elf, "de2-dual", [0, 1], seed=seed, overrides=overrides, observe=True)
        cut = run(elf, "de2-dual", [0, 1], seed=seed, overrides=overrides, step=9973)
        for other in (observed, cut):
            assert (other.hash, other.cycle, other.stats) == (whole.hash, whole.cycle, whole.stats)
        for core in whole.stats["cores"]:
            assert sum(core["accounts"].values()) == core["cycles"], core


def test_the_seed_decides_where_random_replacement_starts(assemble: Assemble, run) -> None:  # type: ignore[no-untyped-def]
    elf = assemble("busy", "de2-dual")
    quiet = [("seeded.registers", "false"), ("seeded.start_skew_cycles", "0"), ("seeded.refresh_phase", "false")]
    cycles = {}
    for seeded in ("true", "false"):
        overrides = [
            *quiet,
            *overrides_of("ways=4 replacement=random"),
            ("seeded.memory", "false"),
            ("seeded.replacement", seeded),
        ]
        cycles[seeded] = {run(elf, "de2-dual", [0, 1], seed=s, overrides=overrides).cycle for s in (1, 2, 3)}
    assert len(cycles["true"]) == 3
    assert len(cycles["false"]) == 1


L2 = "{{ size_bytes = {size}, line_bytes = 32, ways = 4, hit_cycles = 3, width_bits = 32, {more} }}"


def test_a_second_level_serves_what_it_holds(assemble: Assemble, run) -> None:  # type: ignore[no-untyped-def]
    elf = assemble("cache_timing", "de2-dual")
    # The second round finds all lines: three cycles of lookup and a beat a word.
    line, word = 1 + 3 + 8 + 1, 1 + 3 + 1 + 1
    times = [HIT, ONE + line, ONE + line, HIT, ONE + 2 * line, TWO + line, TWO + 3 * line, TWO + 2 * line]
    result = run(elf, "de2-dual", [0], overrides=[("memory.sram.l2", L2.format(size=16384, more=""))])
    assert result.words("seen", 8) == times
    (sram,) = (s for s in result.stats["slaves"] if s["name"] == "sram")
    assert sram["l2"] == {"hits": sram["accesses"] - 10, "misses": 10, "write_backs": 0}
    # Without allocation a store goes through both.
    result = run(
        elf,
        "de2-dual",
        [0],
        overrides=[
            ("memory.sram.l2", L2.format(size=16384, more='write = "through"')),
            *overrides_of("write=through allocate=false"),
        ],
    )
    store = ONE + word + 2
    assert result.words("seen", 8) == [HIT, ONE + line, store, store, ONE + line, TWO + line, TWO + 2 * line, TWO + line]


@pytest.mark.parametrize("more", ["", 'replacement = "random"', 'write = "through"', "allocate = false"])
def test_a_second_level_changes_nothing_but_time(assemble: Assemble, run, more: str) -> None:  # type: ignore[no-untyped-def]
    overrides = [("memory.sdram.l2", L2.format(size=2048, more=more))]
    for guest, symbol, expected in (("stale", "seen", [11, 11, 11, 11, 22, 22]), ("false_sharing", "lost", [5])):
        result = run(assemble(guest, "de2-dual"), "de2-dual", [0, 1], overrides=overrides)
        assert (result.stop, result.words(symbol, len(expected))) == ("pass", expected)
    elf = assemble("busy", "de2-dual")
    whole = run(elf, "de2-dual", [0, 1], seed=3, overrides=overrides)
    for other in (
        run(elf, "de2-dual", [0, 1], seed=3, overrides=overrides, observe=True),
        run(elf, "de2-dual", [0, 1], seed=3, overrides=overrides, step=9973),
    ):
        assert (other.stop, other.hash, other.cycle, other.stats) == ("pass", whole.hash, whole.cycle, whole.stats)
    (sdram,) = (s for s in whole.stats["slaves"] if s["name"] == "sdram")
    assert sdram["l2"]["hits"] > 500 and sdram["l2"]["misses"] > 1000
