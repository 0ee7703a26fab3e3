# SPDX-License-Identifier: Apache-2.0
"""An experiment's result for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType
    from rich.table import Table as RichTable

_STYLES = {"holds": "green", "differs": "yellow", "calibrated": "cyan", "not-run": "dim"}
_LAYERS = ("application", "manager", "driver", "kernel", "medium")
_SHARES = ("appl. %", "manager %", "driver %", "kernel %", "medium %")


def _number(value: float) -> str:
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.2f}"
    return f"{value:,.0f}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if part else "0"


def _grid(title: str) -> RichTable:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(
        title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )


def tables(
    measured: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]], claims: Sequence[Mapping[str, str]]
) -> list[RenderableType]:
    """The rows, the published numbers beside ours, and the findings with their verdicts."""
    out: list[RenderableType] = []
    variants = list(dict.fromkeys((r["optimisation"], r["buffers"]) for r in measured))
    for optimisation, buffers in variants:
        rows = [r for r in measured if (r["optimisation"], r["buffers"]) == (optimisation, buffers)]
        first = rows[0]
        out.append(
            _results(
                f"{first['manager']} + {first['driver']}, {buffers} buffers, link and application {optimisation}: "
                f"cycles, {first['samples']} requests a row",
                rows,
            )
        )
    if answers:
        grid = _grid("Published numbers and ours")
        grid.add_column("id")
        for name in ("published", "measured", "ratio"):
            grid.add_column(name, justify="right")
        grid.add_column("unit")
        for a in answers:
            ratio = f"{a['measured'] / a['published']:.2f}" if a["published"] else "-"
            grid.add_row(a["id"], _number(a["published"]), _number(a["measured"]), ratio, a["unit"])
        out.append(grid)
    out.append(findings(claims))
    return out


def _results(title: str, rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    grid = _grid(title)
    for name in ("size", "median", "min", "max", "blocking", "round trip", "CPU, both", *_SHARES):
        grid.add_column(name, justify="right", no_wrap=True)
    for r in rows:
        latency = r["latency_cycles"]
        grid.add_row(
            _number(r["size_bytes"]),
            _number(latency["median"]),
            _number(latency["min"]),
            _number(latency["max"]),
            _number(r["blocking_cycles"]),
            _number(r["round_trip_cycles"]),
            _number(r["cpu_cycles"]["total"]),
            *(_percent(r["layers_cycles"][layer], latency["median"]) for layer in _LAYERS),
        )
    return grid


def findings(claims: Sequence[Mapping[str, str]]) -> RenderableType:
    """The findings with their verdicts."""
    from rich.text import Text

    counts = ", ".join(
        f"{n} {verdict}" for verdict in _STYLES if (n := sum(1 for c in claims if c["verdict"] == verdict))
    )
    grid = _grid(f"Published findings: {counts}")
    grid.show_header = False
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    missing: dict[str, list[str]] = {}
    for c in sorted(claims, key=lambda c: c["verdict"] == "not-run"):
        name = c["id"].split("/")[-1]
        if c["verdict"] == "not-run" and not c["figure"]:
            missing.setdefault(c["why"], []).append(name.split("-")[0])
            continue
        text = Text(f"{name}: {c['figure']}\n")
        text.append(f"{c['claim']}\n" if c["verdict"] != "not-run" else "", style="dim")
        text.append(c["why"], style="dim")
        grid.add_row(Text(c["verdict"], style=_STYLES[c["verdict"]]), text)
    for why, names in missing.items():
        grid.add_row(Text("not-run", style=_STYLES["not-run"]), Text(f"{', '.join(names)}: {why}", style="dim"))
    return grid
