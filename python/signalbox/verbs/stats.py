# SPDX-License-Identifier: Apache-2.0
"""signalbox stats"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from signalbox.output import data_json, data_rich
from signalbox.verbs.options import json_option, limit_options, parse_assignments, seed_option, set_option


@click.command("stats")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--platform", help="Platform of an ELF file (default: virt), or another one than the system's own.")
@set_option
@limit_options
@seed_option
@json_option
def command(
    target: Path,
    platform: str | None,
    assignments: tuple[str, ...],
    max_cycles: int | None,
    max_seconds: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Run TARGET and say where every core's cycles went; each cycle is in exactly one account.

    The console goes to stderr.
    """
    from signalbox.run import session
    from signalbox.run import target as targets
    from signalbox.stats import tables

    found = targets.find(target, parse_assignments(assignments), platform)
    finished = session.execute(found, seed, session.Limits(max_cycles, max_seconds), quiet=True)
    finished.explain()
    stats = finished.machine.stats()
    if as_json:
        data_json({**finished.data(), "stats": stats})
    else:
        data_rich(*tables(stats))
    sys.exit(finished.exit_code)
