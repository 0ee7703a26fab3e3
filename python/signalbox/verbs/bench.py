# SPDX-License-Identifier: Apache-2.0
"""signalbox bench"""

from __future__ import annotations

import click

from signalbox.output import data_json, data_rich, progress
from signalbox.verbs.options import json_option


@click.group("bench")
def command() -> None:
    """Measure the speed of Signalbox itself."""


@command.command("sim")
@click.option(
    "--cycles", type=click.IntRange(1_000), default=50_000_000, show_default=True, help="Simulated cycles of each case."
)
@json_option
def sim(cycles: int, as_json: bool) -> None:
    """Simulated instructions per second of the host, for one and two busy cores with caches and full timing."""
    from signalbox import bench

    with progress("bench", float(len(bench.CASES))) as bar:
        result = bench.run(cycles, bar)
    if as_json:
        data_json(result)
        return
    from rich import box
    from rich.table import Table

    table = Table("case", box=box.SIMPLE_HEAD)
    for column in ("cores", "million instructions/s", "instructions", "cycles", "seconds"):
        table.add_column(column, justify="right")
    for case in result["cases"]:
        table.add_row(
            case["name"],
            str(case["cores"]),
            f"{case['mips']:.1f}",
            f"{case['instructions']:,}",
            f"{case['cycles']:,}",
            f"{case['seconds']:.2f}",
        )
    for cores, mean in result["geometric_mean_mips"].items():
        table.add_row("geometric mean", cores, f"{mean:.1f}")
    data_rich(table)
