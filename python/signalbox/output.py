# SPDX-License-Identifier: Apache-2.0
"""Data goes to stdout, talk to stderr. This module is the only one that writes to either."""

from __future__ import annotations

import io
import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console, RenderableType


def talk_console() -> Console:
    """The console for people: progress, warnings, explanations."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """One line of talk."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def data_json(value: object) -> None:
    """The result of a verb as one JSON document."""
    json.dump(value, sys.stdout, indent=2 if sys.stdout.isatty() else None)
    sys.stdout.write("\n")
    sys.stdout.flush()


def data_text(text: str) -> None:
    """The result of a verb as text."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def data_rich(*renderables: RenderableType, width: int | None = None) -> None:
    """The result of a verb as tables. Without a terminal the width does not depend on the environment."""
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False, width=width).print(*renderables, sep="\n")
        return
    text = io.StringIO()
    Console(highlight=False, width=width or 120, file=text).print(*renderables, sep="\n")
    data_text("\n".join(line.rstrip() for line in text.getvalue().splitlines()))


@contextmanager
def progress(title: str, total: float | None) -> Iterator[Callable[[float], None]]:
    """A progress bar on stderr; yields a function that is told the absolute progress. Silent without a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns: list[Any] = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    ]
    with Progress(*columns, console=talk_console(), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)
