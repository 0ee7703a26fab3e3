# SPDX-License-Identifier: Apache-2.0
"""signalbox trace"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from signalbox.errors import UsageError
from signalbox.output import data_json, data_text, say
from signalbox.verbs.options import json_option, limit_options, parse_assignments, seed_option, set_option

if TYPE_CHECKING:
    from signalbox.trace import Trace


@click.command("trace")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--platform", help="Platform of an ELF file (default: virt), or another one than the system's own.")
@set_option
@limit_options
@seed_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["native", "text", "json"]),
    default="native",
    show_default=True,
    help="native: for other verbs; text: the thesis's own log; json: every record with its names.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write (default: NAME.trace, or stdout).",
)
@json_option
def command(
    target: Path,
    platform: str | None,
    assignments: tuple[str, ...],
    max_cycles: int | None,
    max_seconds: float | None,
    seed: int,
    form: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run TARGET and record it, or convert a trace file that was recorded before.

    The console goes to stderr. --json is --format json.
    """
    from signalbox.run import recording
    from signalbox.run.session import Limits

    form = "json" if as_json else form
    if form == "native" and recording.is_trace(target):
        raise UsageError(f"{target} is a trace already; give --format text or json")
    limits = Limits(max_cycles, max_seconds)
    trace, exit_code = recording.obtain(target, parse_assignments(assignments), platform, seed, limits)
    _write(trace, form, out, target)
    sys.exit(exit_code)


def _write(trace: Trace, form: str, out: Path | None, target: Path) -> None:
    if form == "native":
        path = out or Path(f"{target.resolve().stem}.trace")
        trace.write(path)
        say(f"{len(trace.records):,} records")
        data_text(str(path))
        return
    document = {"meta": dict(trace.meta), "records": list(trace.named())} if form == "json" else None
    if out is not None:
        out.write_text(trace.text_log() if document is None else json.dumps(document) + "\n")
    elif document is None:
        data_text(trace.text_log())
    else:
        data_json(document)
