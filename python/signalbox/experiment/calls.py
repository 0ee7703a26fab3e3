# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of `apps/calls` and reads the figures that they leave in memory.

Each program fills a variable `results` of 32-bit words (one has 16-bit ones, too). It is read from the finished
machine, so nothing is printed for the sake of a measurement and no text is parsed.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from signalbox.errors import Exit, Failed
from signalbox.resources import resource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from signalbox.run.target import Target

ROWS = (
    *(f"1.{i}" for i in range(1, 37)),
    *(f"2.{i}" for i in range(1, 6)),
    *("3.1", "3.3", "3.4", "3.5", "3.6", "3.7"),
)
"""Numbers of the published rows, in the order in which they are measured."""

INTERRUPTED = (
    *("alloc", "free", "send", "fsem-signal", "fsem-wait", "sem-signal", "switch-and-back", "mutex-lock"),
    *("mutex-unlock", "priority-set-twice", "yield-alone", "stop-start"),
)
"""Calls of latency.c, in its order."""

_LIMIT_CYCLES = 400_000_000


@dataclass(frozen=True)
class Spread:
    """Figures of several runs."""

    values: tuple[int, ...]

    @property
    def median(self) -> int:
        """The lower median."""
        return sorted(self.values)[(len(self.values) - 1) // 2]

    @property
    def mean(self) -> float:
        """The arithmetic mean."""
        return sum(self.values) / len(self.values)

    def percentile(self, percent: float) -> int:
        """The smallest value that at least so many percent of all do not exceed."""
        ordered = sorted(self.values)
        return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]

    def data(self) -> dict[str, int]:
        """For JSON."""
        return {"median": self.median, "min": min(self.values), "max": max(self.values)}


@dataclass(frozen=True)
class Calls:
    """What calls.c has measured on one machine, the clock's own cost taken off."""

    cold: Mapping[str, int]
    warm: Mapping[str, Spread]


@dataclass(frozen=True)
class Interrupted:
    """A call with one interrupt at each of its cycles."""

    alone: int
    longest: int
    isr: int
    task: int
    instants: int


@dataclass(frozen=True)
class Latency:
    """What latency.c has measured."""

    tasks: int
    send_receive: Spread
    yields: Spread
    fsem: Spread
    isr: Spread
    task: Spread
    interrupted: Mapping[str, Interrupted]


@dataclass(frozen=True)
class Dispatch:
    """What dispatch.c has measured, by source."""

    search_halves: Spread
    search_loopless: Spread
    halves: Spread
    loopless: Spread
    hardware: Spread


@dataclass(frozen=True)
class Alloc:
    """What alloc.c has measured, by request."""

    pool: Spread
    heap: Spread
    in_use: tuple[int, ...]
    size: tuple[int, ...]


def find(name: str, platform: str, assignments: Mapping[str, str]) -> Target:
    """Build a program of apps/calls, or find it built."""
    from signalbox.run import target

    return target.find(resource("apps", "calls", f"{name}.toml"), assignments, platform)


def _results(found: Target, seed: int, size_bytes: int) -> bytes:
    from signalbox import sim
    from signalbox.run.faults import describe
    from signalbox.run.simulate import Run

    machine = sim.Machine(found.platform.raw, found.images, seed=seed)
    outcome = Run(machine, limit=_LIMIT_CYCLES).execute()
    if outcome.exit_code != Exit.PASS:
        fault = machine.fault()
        detail = "" if fault is None else "\n" + describe(fault)
        raise Failed(f"{found.name} on {found.platform.name} {outcome.sentence(found.platform.clock_hz)}{detail}")
    address = machine.symbol("results")
    if address is None:
        raise Failed(f"{found.name}: the image has no variable `results`")
    return machine.read(address, size_bytes)


def _words(found: Target, seed: int, count: int) -> Sequence[int]:
    return struct.unpack(f"<{count}I", _results(found, seed, 4 * count))


def calls(found: Target, seed: int) -> Calls:
    """Run calls.c."""
    runs = 9
    rows = len(ROWS)
    words = _words(found, seed, 3 + rows + rows * runs)
    if words[:2] != (rows, runs):
        raise Failed(f"{found.name}: {words[0]} rows of {words[1]} runs where {rows} of {runs} were expected")
    cost = words[2]
    cold, warm = words[3 : 3 + rows], words[3 + rows :]
    return Calls(
        {row: cold[i] - cost for i, row in enumerate(ROWS)},
        {row: Spread(tuple(w - cost for w in warm[i * runs : (i + 1) * runs])) for i, row in enumerate(ROWS)},
    )


def latency(found: Target, seed: int) -> Latency:
    """Run latency.c."""
    runs = 33
    words = _words(found, seed, 2 + 5 * runs + 1 + 5 * len(INTERRUPTED))
    if (words[1], words[2 + 5 * runs]) != (runs, len(INTERRUPTED)):
        raise Failed(f"{found.name}: its results have another form")
    spreads = [Spread(tuple(words[2 + i * runs : 2 + (i + 1) * runs])) for i in range(5)]
    rest = words[3 + 5 * runs :]
    interrupted = {name: Interrupted(*rest[5 * i : 5 * i + 5]) for i, name in enumerate(INTERRUPTED)}
    send_receive, yields, fsem, isr, task = spreads
    return Latency(words[0], send_receive, yields, fsem, isr, task, interrupted)


def dispatch(found: Target, seed: int) -> Dispatch:
    """Run dispatch.c."""
    words = _words(found, seed, 1 + 5 * 32)
    return Dispatch(*(Spread(tuple(words[1 + 32 * i : 33 + 32 * i])) for i in range(5)))


def alloc(found: Target, seed: int, requests: int) -> Alloc:
    """Run alloc.c."""
    most = 10_000
    data = _results(found, seed, 8 + 4 * 2 * most)
    done, _ = struct.unpack_from("<2I", data)
    if done != requests:
        raise Failed(f"{found.name}: {done} requests where {requests} were expected")
    columns = [struct.unpack_from(f"<{requests}H", data, 8 + 2 * most * i) for i in range(4)]
    return Alloc(Spread(columns[0]), Spread(columns[1]), columns[2], columns[3])


def spread_data(spread: Spread) -> dict[str, Any]:
    """A spread over sources: mean, smallest, largest."""
    return {"mean": round(spread.mean, 2), "min": min(spread.values), "max": max(spread.values)}
