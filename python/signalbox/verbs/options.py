# SPDX-License-Identifier: Apache-2.0
"""Options that several verbs share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from signalbox.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

F = TypeVar("F", bound="Callable[..., Any]")

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
set_option = click.option(
    "--set",
    "assignments",
    metavar="KEY=VALUE",
    multiple=True,
    help="Override a value of system.toml, such as build.optimise_link=-O0 or params.size_bytes=64. May be repeated.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, (1 << 64) - 1),
    default=1,
    show_default=True,
    help="Start values of memory, registers, core skew and refresh.",
)


def limit_options(command: F) -> F:
    """The options that limit a run."""
    seconds = click.option(
        "--max-seconds", type=click.FloatRange(0, min_open=True), help="End after so many simulated seconds (exit 42)."
    )
    cycles = click.option("--max-cycles", type=click.IntRange(1), help="End after so many cycles (exit 42).")
    return cycles(seconds(command))


def parse_assignments(assignments: Iterable[str]) -> dict[str, str]:
    """`key=value` words as a dictionary; a later one wins."""
    values = {}
    for word in assignments:
        key, equals, value = word.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set {word}: write KEY=VALUE")
        values[key.strip()] = value.strip()
    return values
