# SPDX-License-Identifier: Apache-2.0
"""Runs programs on two machines, compares what they leave, and makes a failing program small."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fuzz.isa import image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.fuzz.isa.machines import Machine
    from tests.fuzz.isa.program import Program, Unit

AT_ONCE = 16  # attempts at making a program smaller that share one image


@dataclass(frozen=True)
class Divergence:
    """A program that the machines do not agree on: the words that differ, left on the one and on the other."""

    program: Program
    lines: tuple[str, ...]


class Comparison:
    """Two machines. `change` alters the programs for the second one only: the planted fault of the canary."""

    def __init__(self, left: Machine, right: Machine, folder: Path, change: Callable[[str], str] | None = None) -> None:
        self.left, self.right, self.folder, self.change = left, right, folder, change
        self.starts = 0

    def run(self, programs: Sequence[Program]) -> list[Divergence | None]:
        """One answer for each program: what diverged, or nothing."""
        self.starts += 1
        name = f"batch{self.starts}"
        path = image.build(self.folder, name, image.source(programs))
        other = (
            image.build(self.folder, f"{name}-changed", image.source(programs, self.change)) if self.change else path
        )
        with ThreadPoolExecutor(1) as pool:
            right = pool.submit(self.right.run, other)
            left = image.decode(self.left.run(path))
            results = left, image.decode(right.result())
        for built in self.folder.glob(f"{name}*"):
            built.unlink()
        return [
            self.compare(program, *(result.get(number) for result in results))
            for number, program in enumerate(programs)
        ]

    def compare(self, program: Program, left: image.Result | None, right: image.Result | None) -> Divergence | None:
        if left and right:
            lines = left.differences(right)
            return Divergence(program, tuple(lines)) if lines else None
        silent = " and ".join(
            machine.name for machine, result in ((self.left, left), (self.right, right)) if not result
        )
        return Divergence(program, (f"nothing came from {silent}: it hung, or was stopped",))

    def first(self, programs: Sequence[Program]) -> Divergence | None:
        """The first program of a batch that diverges. One that hangs silences those behind it, so they do not count."""
        return next((found for found in self.run(programs) if found), None)

    def minimise(self, program: Program) -> Divergence | None:
        """The same divergence with as few units as possible: halves, quarters, ... are left out while it persists."""
        found = self.first([program])
        if found is None:
            return None
        parts = 2
        while len(program.units) > 1:
            smaller = list(without(program.units, parts))
            hit = None
            for at in range(0, len(smaller), AT_ONCE):
                tried = [dataclasses.replace(program, units=units) for units in smaller[at : at + AT_ONCE]]
                # A hang silences those behind it: only the first divergence of a run is sure.
                hit = self.first(tried)
                if hit:
                    break
            if hit:
                program, found, parts = hit.program, hit, max(parts - 1, 2)
            elif parts < len(program.units):
                parts = min(parts * 2, len(program.units))
            else:
                break
        return self.opened(found)

    def opened(self, found: Divergence) -> Divergence:
        """Replace units that hold others by what they hold, and leave out parts of their bodies, while it persists."""
        again = True
        while again:
            again = False
            candidates = [dataclasses.replace(found.program, units=units) for units in inside(found.program.units)]
            for at in range(0, len(candidates), AT_ONCE):
                hit = self.first(candidates[at : at + AT_ONCE])
                if hit:
                    found, again = hit, True
                    break
        return found


def without(units: tuple[Unit, ...], parts: int) -> Iterator[tuple[Unit, ...]]:
    """The units with one of `parts` equal parts left out, for each part."""
    size = -(-len(units) // parts)
    for at in range(0, len(units), size):
        yield units[:at] + units[at + size :]


def inside(units: tuple[Unit, ...]) -> Iterator[tuple[Unit, ...]]:
    """The units with one change: one that holds others is replaced by them, or loses one of them."""
    for at, unit in enumerate(units):
        if unit.body:
            yield units[:at] + unit.body + units[at + 1 :]
            for n in range(len(unit.body)):
                fewer = dataclasses.replace(unit, body=unit.body[:n] + unit.body[n + 1 :])
                yield (*units[:at], fewer, *units[at + 1 :])
