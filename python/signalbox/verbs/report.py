# SPDX-License-Identifier: Apache-2.0
"""signalbox report"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from signalbox.output import data_json, data_text
from signalbox.verbs.options import json_option, limit_options, parse_assignments, seed_option, set_option


@click.command("report")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--platform", help="Platform of an ELF file (default: virt), or another one than the system's own.")
@set_option
@limit_options
@seed_option
@click.option(
    "--first", type=click.IntRange(0), default=0, show_default=True, help="Number of the first message shown."
)
@click.option("--count", type=click.IntRange(1), default=10, show_default=True, help="How many messages are shown.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="File to write.",
)
@json_option
def command(
    target: Path,
    platform: str | None,
    assignments: tuple[str, ...],
    max_cycles: int | None,
    max_seconds: float | None,
    seed: int,
    first: int,
    count: int,
    out: Path,
    as_json: bool,
) -> None:
    """Write a timeline of TARGET as one offline HTML file.

    TARGET is what `run` takes, which is run and recorded first, or a trace file. Reports of experiments, with their
    tables and findings, are written by `experiment run ID --report FILE`.
    """
    from signalbox.report import of_trace, write
    from signalbox.run import recording
    from signalbox.run.session import Limits

    limits = Limits(max_cycles, max_seconds)
    trace, exit_code = recording.obtain(target, parse_assignments(assignments), platform, seed, limits)
    report = of_trace(trace, str(trace.meta.get("name") or target.stem), first=first, count=count)
    write(report, out)
    if as_json:
        data_json({"report": str(out), "title": report["title"], "summary": report["summary"]})
    else:
        data_text(str(out))
    sys.exit(exit_code)
