# SPDX-License-Identifier: Apache-2.0
"""How fast the simulator is: simulated instructions per second of the host, for one and two busy cores.

Each case runs a program that never ends, on `de2-dual` with caches and full timing, for a fixed number of cycles: what
is executed is the same on every host, only the time differs. A first piece of the run is not counted (start-up, cold
host caches); the rest is run in pieces and the median piece counts, so that a busy host disturbs the figure less.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from signalbox.errors import Failed
from signalbox.resources import resource
from signalbox.sim import Machine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PIECES = 5


@dataclass(frozen=True)
class Case:
    """A program, and how many of the system's cores run it."""

    name: str
    system: str
    cores: int


CASES = (
    Case("integer", "integer", 1),
    Case("memcpy-4k", "memcpy", 1),
    Case("t0-receiver", "receiver_local", 1),
    Case("integer", "integer", 2),
    Case("memcpy-4k", "memcpy", 2),
    Case("t0-receiver", "receiver", 2),
)


def run(cycles: int, on_progress: Callable[[float], None], out: Path | None = None) -> dict[str, Any]:
    """Measure all cases over so many cycles each."""
    results = []
    for i, case in enumerate(CASES):
        results.append(_measure(case, cycles, out))
        on_progress(i + 1)
    return {
        "platform": "de2-dual",
        "cases": results,
        "geometric_mean_mips": {
            str(n): _geometric_mean([r["mips"] for r in results if r["cores"] == n]) for n in (1, 2)
        },
    }


def _measure(case: Case, cycles: int, out: Path | None) -> dict[str, Any]:
    from signalbox.build import builder

    source = resource("apps", "bench", f"{case.system}.toml")
    built = builder.build(source, out=None if out is None else out / case.system)
    machine = Machine(built.description["platform"], built.images[: case.cores])
    warm = cycles // _PIECES
    _advance(machine, warm, case)
    start = _instructions(machine)
    rates = []
    seconds = 0.0
    before = start
    for piece in range(1, _PIECES + 1):
        began = time.perf_counter()
        _advance(machine, warm + cycles * piece // _PIECES, case)
        took = time.perf_counter() - began
        now = _instructions(machine)
        rates.append((now - before) / took / 1e6)
        seconds += took
        before = now
    return {
        "name": case.name,
        "cores": case.cores,
        "mips": round(median(rates), 2),
        "instructions": before - start,
        "cycles": cycles,
        "seconds": round(seconds, 3),
        "state_hash": machine.state_hash(),
    }


def _advance(machine: Machine, until: int, case: Case) -> None:
    result = machine.run(until)
    if result["stop"] != "budget":
        fault = machine.fault()
        why = f": {fault['message']}" if fault else ""
        raise Failed(
            f"bench case {case.name} with {case.cores} cores ended at cycle {result['cycle']} ({result['stop']}){why}"
        )


def _instructions(machine: Machine) -> int:
    return sum(int(c["instructions"]) for c in machine.stats()["cores"])


def _geometric_mean(values: list[float]) -> float:
    return round(math.exp(sum(math.log(v) for v in values) / len(values)), 2)
