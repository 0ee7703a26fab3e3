# SPDX-License-Identifier: Apache-2.0
"""A trace, wherever it comes from: a file that was recorded before, or a run that is recorded now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signalbox.errors import BadInput, Exit
from signalbox.run import session
from signalbox.run import target as targets
from signalbox.trace import FORMAT, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def is_trace(path: Path) -> bool:
    """Whether a path is a native trace file."""
    if not path.is_file():
        return False
    start = f'{{"format":"{FORMAT}"'.encode()
    try:
        with path.open("rb") as file:
            return file.read(len(start)) == start
    except OSError as e:
        raise BadInput(f"{path}: {e.strerror}") from e


def obtain(
    path: Path, assignments: Mapping[str, str], platform: str | None, seed: int, limits: session.Limits
) -> tuple[Trace, Exit]:
    """The trace, and the exit code of the run that was made for it."""
    if is_trace(path):
        return Trace.read(path), Exit.PASS
    finished = session.execute(targets.find(path, assignments, platform), seed, limits, observe=True, quiet=True)
    finished.explain()
    return finished.trace(), finished.exit_code
