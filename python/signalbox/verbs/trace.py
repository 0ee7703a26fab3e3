# SPDX-License-Identifier: Apache-2.0
"""signalbox trace"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from signalbox.errors import BadInput, UsageError
from signalbox.output import data_json, data_text, say
from signalbox.verbs.options import json_option, parse_assignments, seed_option, set_option

if TYPE_CHECKING:
    from signalbox.trace import Trace


@click.command("trace")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--platform", help="Platform of an ELF file (default: virt), or another one than the system's own.")
@set_option
@click.option("--max-cycles", type=click.IntRange(1), help="End after so many cycles (exit 42).")
@click.option(
    "--max-seconds", type=click.FloatRange(0, min_open=True), help="End after so many simulated seconds (exit 42)."
)
@seed_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["native", "text", "json"]),
    default="native",
    show_default=True,
    help="text is the thesis's own log.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write (default: NAME.trace; text and JSON: stdout).",
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
    from signalbox.errors import Exit
    from signalbox.run import session
    from signalbox.run import target as targets
    from signalbox.trace import FORMAT, Trace

    form = "json" if as_json else form
    exit_code = Exit.PASS
    if target.is_file() and _starts_with(target, f'{{"format":"{FORMAT}"'):
        if form == "native":
            raise UsageError(f"{target} is a trace already; give --format text or json")
        trace = Trace.read(target)
    else:
        found = targets.find(target, parse_assignments(assignments), platform)
        finished = session.execute(found, seed, session.Limits(max_cycles, max_seconds), observe=True, quiet=True)
        finished.explain()
        trace, exit_code = finished.trace(), finished.exit_code
    _write(trace, form, out, target)
    sys.exit(exit_code)


def _starts_with(path: Path, text: str) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(text)) == text.encode()
    except OSError as e:
        raise BadInput(f"{path}: {e.strerror}") from e


def _write(trace: Trace, form: str, out: Path | None, target: Path) -> None:
    if form == "native":
        path = out or Path(f"{target.resolve().stem}.trace")
        trace.write(path)
        say(f"{len(trace.records):,} records")
        data_text(str(path))
    elif form == "text":
        if out is None:
            data_text(trace.text_log())
        else:
            out.write_text(trace.text_log())
    elif out is None:
        data_json({"meta": dict(trace.meta), "records": list(trace.named())})
    else:
        import json

        out.write_text(json.dumps({"meta": dict(trace.meta), "records": list(trace.named())}))
