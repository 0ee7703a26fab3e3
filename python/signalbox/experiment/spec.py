# SPDX-License-Identifier: Apache-2.0
"""What an experiment's file defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from signalbox.experiment.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

VERDICTS = ("holds", "differs", "calibrated", "not-run")


@dataclass(frozen=True)
class RowSpec:
    """One row to measure: what to build, with which values, and how the row is named. It is sent to another process."""

    system: Path
    """A system.toml."""
    assignments: Mapping[str, str]
    """`--set` values of the build."""
    parameters: Mapping[str, Any]
    """The row's own columns, copied into the result."""
    requester: str
    """Task that sends the requests."""
    responder: str
    """Task that replies."""
    samples: int
    """Requests that count."""
    discard: int
    """Requests before them that do not."""
    seed: int = 1
    platform: str | None = None


@dataclass(frozen=True)
class Check:
    """The verdict on one claim."""

    verdict: str
    figure: str
    """What was measured, in numbers."""
    why: str
    """What decided, and what the verdict covers."""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"{self.verdict!r} is not a verdict; there are {', '.join(VERDICTS)}")


ClaimFunction = Callable[[Table], Check]


@dataclass(frozen=True)
class Definition:
    """An experiment: its rows, and a function or a reason for each of its claims."""

    id: str
    title: str
    summary: str
    platform: str
    rows: Callable[[Mapping[str, str]], Sequence[RowSpec]]
    """The rows for these `--set` values."""
    claims: Mapping[str, ClaimFunction]
    not_run: Mapping[str, str]
    """Claims that cannot be evaluated yet, with what they need."""
    published: Mapping[str, Callable[[Table], float]] = field(default_factory=dict)
    """Published numbers that are answered, by their ids in the reference."""
    published_parameters: Mapping[str, Any] = field(default_factory=dict)
    """The columns of the rows that answer them."""
    direct: Callable[[Mapping[str, str], Callable[[int, int], None] | None], Sequence[Mapping[str, Any]]] | None = None
    """Measures all rows itself, for `--set` values, calling back after each: rows that are not signals of a system."""
    direct_tables: Callable[[Sequence[Mapping[str, Any]]], list[RenderableType]] | None = None
    """Such rows for the terminal."""


class ExperimentModule(Protocol):
    """`experiments/<id>/experiment.py`."""

    EXPERIMENT: Definition
