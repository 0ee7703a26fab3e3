# SPDX-License-Identifier: Apache-2.0
"""signalbox noc"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from signalbox.errors import BadInput, UsageError
from signalbox.noc import PATTERNS, TOPOLOGIES
from signalbox.output import data_json, data_rich, data_text, progress, say
from signalbox.verbs.options import json_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table

    from signalbox.noc import Network, Traffic


def _pair(form: str, sign: str, least: int) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """A callback that reads two whole numbers with a sign between them, such as 8x8 or 6/11."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
        del ctx
        if value is None:
            return None
        match = re.fullmatch(rf"\s*(\d{{1,18}})\s*{sign}\s*(\d{{1,18}})\s*", value, re.ASCII | re.IGNORECASE)
        if match is None:
            raise click.BadParameter(f"{value!r} is not of the form {form}", param=param)
        pair = int(match[1]), int(match[2])
        if min(pair) < least:
            raise click.BadParameter(f"{value!r}: in {form} the least number is {least}", param=param)
        return pair

    return read


def _loads(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[float]:
    del ctx
    loads = []
    for word in ",".join(values).split(",") if values else []:
        try:
            load = float(word)
        except ValueError:
            raise click.BadParameter(f"{word!r} is not a number", param=param) from None
        if not 0 < load <= 1:
            raise click.BadParameter(f"{word} is not above 0 and at most 1 flit per node and cycle", param=param)
        loads.append(load)
    return loads


@click.command("noc")
@click.argument("file", required=False)
@click.option("--mesh", "size", callback=_pair("WxH", "[x×*]", 1), metavar="WxH", help="Routers in x and in y. Needed.")
@click.option(
    "--topology", type=click.Choice(TOPOLOGIES), default="mesh", show_default=True, help="How they are joined."
)
@click.option(
    "--buffer", "buffer_flits", type=click.IntRange(1), default=8, show_default=True, help="Flits of an input."
)
@click.option("--flit-bits", type=int, default=32, show_default=True, help="Bits of a flit: 8 to 64, a multiple of 4.")
@click.option(
    "--sinks",
    callback=_pair("A/M", "/", 1),
    metavar="A/M",
    help="The local output of (x, y) accepts at edge c only when (c + 7x + 13y) mod M < A.",
)
@click.option(
    "--csv", "as_csv", is_flag=True, help="Print CSV: the file's rows with all cycles, or the curve's points."
)
@click.option("--links", is_flag=True, help="Also the counters of each link and its histogram of waiting.")
@click.option("--pattern", type=click.Choice(PATTERNS), help="Instead of a file: who sends to whom.")
@click.option("--sweep", is_flag=True, help="A whole load curve, up to saturation and a little above.")
@click.option(
    "--load", "loads", multiple=True, callback=_loads, help="Flits per node and cycle; may be repeated, or a,b,c."
)
@click.option("--length", type=click.IntRange(1, 1_000_000), default=16, show_default=True, help="Flits of a packet.")
@click.option("--hot", callback=_pair("X,Y", ",", 0), metavar="X,Y", help="Hot node; by default the middle.")
@click.option("--hot-share", type=click.FloatRange(0, 1), default=0.2, show_default=True, help="Share of packets.")
@click.option("--seed", type=click.IntRange(0, (1 << 63) - 1), default=1, show_default=True, help="Of the first run.")
@click.option("--runs", type=click.IntRange(1, 1000), default=1, show_default=True, help="Runs of each point.")
@click.option("--warmup", type=click.IntRange(0), default=5_000, show_default=True, help="Cycles before the window.")
@click.option("--window", type=click.IntRange(1), default=20_000, show_default=True, help="Cycles that are measured.")
@click.option("--report", type=click.Path(dir_okay=False), help="Write the curve as a picture: .html or .svg.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    file: str | None,
    size: tuple[int, int] | None,
    topology: str,
    buffer_flits: int,
    flit_bits: int,
    sinks: tuple[int, int] | None,
    as_csv: bool,
    links: bool,
    pattern: str | None,
    sweep: bool,
    loads: list[float],
    length: int,
    hot: tuple[int, int] | None,
    hot_share: float,
    seed: int,
    runs: int,
    warmup: int,
    window: int,
    report: str | None,
    as_json: bool,
) -> None:
    """Replay the traffic of FILE on a network on chip, or draw its load curve with --pattern.

    FILE has a line for each packet, with the columns packet_id, src_x, src_y, dst_x, dst_y, length_flits and
    inject_cycle; - is standard input. --csv prints it again with the cycles at which the first and the last flit went
    in and came out.
    """
    from signalbox.noc import Network, Traffic

    if (file is None) == (pattern is None):
        raise UsageError("give a traffic file, or --pattern for a load curve" + (", not both" if file else ""))
    if size is None:
        raise UsageError("the size of the network is missing: --mesh WxH, such as --mesh 8x8")
    if as_csv and as_json:
        raise UsageError("--csv and --json exclude each other")
    largest = 1 << 16
    if max(size) > largest:
        raise UsageError(f"--mesh {size[0]}x{size[1]}: a side has at most {largest} routers")
    network = Network(topology, *size, flit_bits, buffer_flits, sinks)
    if file is not None:
        curve_only = ("sweep", "loads", "length", "hot", "hot_share", "seed", "runs", "warmup", "window", "report")
        _refuse(ctx, curve_only, "belongs to --pattern")
        _replay(file, network, as_csv, as_json, links)
        return
    _refuse(ctx, ("links",), "belongs to a traffic file")
    if pattern != "hotspot":
        _refuse(ctx, ("hot", "hot_share"), "belongs to --pattern hotspot")
    if sweep == bool(loads):
        raise UsageError("give --sweep for a whole curve, or --load for some points" + (", not both" if sweep else ""))
    if report is not None and Path(report).suffix not in (".html", ".svg"):
        raise UsageError(f"--report {report}: the name ends in .html or .svg")
    traffic = Traffic(str(pattern), length, seed, runs, warmup, window, hot, hot_share)
    _curve(network, traffic, sorted(loads), as_csv, as_json, report)


def _refuse(ctx: click.Context, names: tuple[str, ...], why: str) -> None:
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(str(parameter.name)) == click.core.ParameterSource.COMMANDLINE
        if given and parameter.name in names:
            raise UsageError(f"{parameter.opts[0]} {why}")


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as e:
        raise BadInput(f"{file}: cannot be read: {e.strerror}") from e


def _replay(file: str, network: Network, as_csv: bool, as_json: bool, links: bool) -> None:
    from signalbox import noc

    name = "standard input" if file == "-" else file
    rows = as_json or (as_csv and not links)
    text, summary = noc.replay(_read(file), name, network, rows)
    if as_csv:
        data_text(noc.links_csv(summary["links"]) if links else text)
        return
    if as_json:
        if not links:
            del summary["links"]
        data_json({**summary, "rows": noc.rows_of(text)})
        return
    from rich import box
    from rich.table import Table

    head = Table(box=box.SIMPLE_HEAD, show_header=False)
    head.add_column()
    head.add_column(justify="right")
    head.add_row("packets", f"{summary['packets']:,}")
    head.add_row("flits", f"{summary['flits']:,}")
    if summary["packets"]:
        head.add_row("last flit delivered in cycle", f"{summary['last_cycle']:,}")
    for key, what in (("latency_cycles", "latency"), ("network_latency_cycles", "latency in the network")):
        spread = summary[key]
        if spread:
            head.add_row(f"{what}: mean", f"{spread['mean']:,.2f}")
            for name in ("min", "median", "p99", "max"):
                head.add_row(f"{what}: {name}", f"{spread[name]:,}")
    shown = summary["links"] if links else noc.busiest(summary["links"], 8)
    data_rich(head, _links(shown, "all links" if links else "busiest links"))


def _links(links: list[dict[str, Any]], title: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("output")
    for column in ("packets", "flits", "blocked cycles", "mean wait", "longest wait", "waits: 0, 1, 2–3, 4–7 …"):
        table.add_column(column, justify="left" if ":" in column else "right")
    for link in links:
        waits = list(link["waits"])
        while waits and not waits[-1]:
            waits.pop()
        table.add_row(
            f"({link['x']}, {link['y']}) {link['direction']}",
            f"{link['packets']:,}",
            f"{link['flits']:,}",
            f"{link['blocked_cycles']:,}",
            f"{link['wait_cycles'] / link['packets']:.2f}" if link["packets"] else "",
            f"{link['wait_max']:,}",
            " ".join(str(w) for w in waits),
        )
    return table


def _curve(
    network: Network, traffic: Traffic, loads: list[float], as_csv: bool, as_json: bool, report: str | None
) -> None:
    from signalbox import noc

    loads = loads or noc.sweep_loads(network, traffic)
    with progress("noc", float(len(loads))) as bar:
        result = noc.curve(network, traffic, loads, bar)
    if report is not None:
        from signalbox.report import curve

        text = curve.page(result) if report.endswith(".html") else curve.picture(result)
        try:
            Path(report).write_text(text, encoding="utf-8")
        except OSError as e:
            raise UsageError(f"--report {report}: {e.strerror}") from e
        say(f"wrote {report}")
    if as_json:
        data_json(result)
        return
    if as_csv:
        data_text(noc.curve_csv(network, result))
        return
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for column in ("offered", "accepted", "bits per node and cycle", "mean latency", "in the network", "largest"):
        table.add_column(column, justify="right")
    table.add_column("")

    def cell(value: float | None, form: str) -> str:
        return "" if value is None else format(value, form)

    for p in result["points"]:
        table.add_row(
            f"{p['offered_load']:g}",
            f"{p['accepted_load']:.4f}",
            f"{p['accepted_load'] * network.flit_bits:.3f}",
            cell(p["mean_latency"], ",.1f"),
            cell(p["mean_network_latency"], ",.1f"),
            cell(p["max_latency"], ",d"),
            "saturated" if p["saturated"] else "",
        )
    data_rich(table)
