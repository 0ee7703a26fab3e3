# SPDX-License-Identifier: Apache-2.0
"""signalbox experiment"""

from __future__ import annotations

from pathlib import Path

import click

from signalbox.output import data_json, data_rich, progress, say
from signalbox.verbs.options import json_option, parse_assignments


@click.group("experiment")
def command() -> None:
    """Published experiments: list and run them."""


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the experiments."""
    from dataclasses import asdict

    from signalbox.experiment import experiments

    found = experiments()
    if as_json:
        data_json({"experiments": [asdict(e) for e in found]})
        return
    from rich import box
    from rich.table import Table

    table = Table("experiment", "title", "platform", "claims", box=box.SIMPLE_HEAD)
    for e in found:
        table.add_row(e.id, e.title, e.platform, str(e.claims))
    data_rich(table)


@command.command("run")
@click.argument("experiment")
@click.option(
    "--set",
    "assignments",
    metavar="KEY=VALUE",
    multiple=True,
    help="A setting of the experiment, such as sizes=16,128 or seed=7. May be repeated.",
)
@click.option("--report", type=click.Path(path_type=Path, dir_okay=False), help="Also write an offline HTML report.")
@json_option
def run(experiment: str, assignments: tuple[str, ...], report: Path | None, as_json: bool) -> None:
    """Measure the rows of EXPERIMENT and check its claims.

    Always ends with 0 when everything could be measured; what differs from the paper is in the verdicts.
    """
    from signalbox.experiment import run as run_experiment
    from signalbox.report import write

    with progress(experiment, 1.0) as bar:
        result = run_experiment(
            experiment, parse_assignments(assignments), on_row=lambda done, total: bar(done / total)
        )
    if report is not None:
        write(result.report(), report)
        say(f"report: {report}")
    if as_json:
        data_json(result.data())
    else:
        data_rich(*result.tables())
