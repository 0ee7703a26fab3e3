# SPDX-License-Identifier: Apache-2.0
"""What a random program is made of, and how it becomes assembler text."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTEXT = "x3"  # of the harness: never written by a program
SCRATCH = "x4"  # the middle of the scratch memory: never written either
SCRATCH_BYTES = 256
CODE_SLOT = 512  # offset from CONTEXT of two words that a program may write instructions into
LEAVE = CODE_SLOT - 20  # offset of a word: when it is not 0, the next environment call ends user mode
LOCKED_AT = 12288  # offset of 64 bytes that nobody else uses, in a page of their own


@dataclass(frozen=True)
class Unit:
    """Instructions that make sense only together: an address and its access, a branch and its target.

    `{label}` in a line is a label of this unit. `body` lies between `head` and `tail`: what a branch jumps over, what a
    loop repeats.
    """

    head: tuple[str, ...]
    body: tuple[Unit, ...] = ()
    tail: tuple[str, ...] = ()

    def lines(self, labels: Iterator[str]) -> Iterator[str]:
        label = next(labels)
        for line in self.head:
            yield line.replace("{label}", label)
        for unit in self.body:
            yield from unit.lines(labels)
        for line in self.tail:
            yield line.replace("{label}", label)


@dataclass(frozen=True)
class Program:
    """A program: what the registers hold at first (x1 to x31), the seed of the scratch memory, and the units."""

    name: str
    registers: tuple[int, ...]
    memory_seed: int
    units: tuple[Unit, ...] = field(default=())

    def lines(self, prefix: str) -> list[str]:
        """Assembler lines; labels begin with `prefix`, so that many programs fit into one file."""
        labels = (f".L{prefix}_{number}" for number in itertools.count())
        return list(itertools.chain.from_iterable(unit.lines(labels) for unit in self.units))

    def mnemonics(self) -> Iterator[str]:
        """The name of each instruction, as `counted` gives it."""
        for line in self.lines("x"):
            name = counted(line)
            if name:
                yield name


def counted(line: str) -> str:
    """What an assembler line counts as: its mnemonic, or the comment after `#` for a word that no assembler writes."""
    if line.endswith(":"):
        return ""
    code, _, comment = line.partition("#")
    return comment.strip() or code.split()[0]
