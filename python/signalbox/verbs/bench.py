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
    "--instructions",
    type=click.IntRange(1_000),
    default=100_000_000,
    show_default=True,
    help="Simulated instructions of each case, at least.",
)
@click.option("--only", multiple=True, metavar="WORKLOAD", help="Only this workload, or the case of this name.")
@json_option
def sim(instructions: int, only: tuple[str, ...], as_json: bool) -> None:
    """Simulated instructions per second of the host, for one and many busy cores with caches and full timing."""
    from signalbox import bench
    from signalbox.errors import UsageError

    known = {c.workload for c in bench.CASES} | {c.name for c in bench.CASES}
    for name in only:
        if name not in known:
            raise UsageError(f"there is no workload {name}; there are {', '.join(sorted(known))}")
    with progress("bench", float(len(bench.CASES))) as bar:
        result = bench.run(instructions, bar, only=only)
    if as_json:
        data_json(result)
        return
    from rich import box
    from rich.table import Table

    table = Table("case", box=box.SIMPLE_HEAD)
    for column in ("cores", "threads", "million instructions/s", "instructions", "cycles", "host mops"):
        table.add_column(column, justify="right")
    for case in result["cases"]:
        table.add_row(
            case["name"],
            str(case["cores"]),
            str(case["host_threads"]),
            f"{case['mips']:.1f}",
            f"{case['instructions']:,}",
            f"{case['cycles']:,}",
            f"{case['host_mops']:.0f}",
        )
    for timing, mean in result["one_busy_core"].items():
        table.add_row(
            f"geometric mean of {mean['workloads']}, {timing}", "1", "1", f"{mean['geometric_mean_mips']:.1f}"
        )
        table.add_row(f"lowest, {timing}: {mean['lowest']}", "1", "1", f"{mean['lowest_mips']:.1f}")
    data_rich(table)
    for text in result["missing"]:
        data_rich(f"not measured: {text}")
