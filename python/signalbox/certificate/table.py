# SPDX-License-Identifier: Apache-2.0
"""The certificate as a table: for the terminal, for the documentation, and against what was committed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from signalbox.certificate.measure import summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType

MEAN_LIMIT_PERCENT = 1.0
ROW_LIMIT_PERCENT = 3.0
#: What another version of the compiler may change: where instructions lie, not what they cost.
WORSE_PERCENT = 0.02
HEADER = "| core | program | cycles, model | cycles, RTL | error % |"
_ROW = re.compile(r"^\| ([\w-]+) \| ([\w.-]+) \| ([\d,]+) \| ([\d,]+) \| (-?[\d.]+) \|$", re.MULTILINE)


def grids(rows: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    """For the terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    grid = Table(title="Cycles of the model and of the RTL", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for name in ("core", "program"):
        grid.add_column(name)
    for name in ("instructions", "cycles, model", "cycles, RTL", "error %"):
        grid.add_column(name, justify="right", no_wrap=True)
    for r in rows:
        cycles = (f"{r[key]:,}" for key in ("cycles_model", "cycles_rtl"))
        grid.add_row(r["core"], r["program"], f"{r.get('instructions') or 0:,}", *cycles, f"{r['error_percent']:.4f}")
    total = Table(title="Absolute error", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    total.add_column("core")
    for name in ("programs", "mean %", "largest %"):
        total.add_column(name, justify="right")
    for core, (count, mean, largest) in summary(rows).items():
        total.add_row(core, str(count), f"{mean:.4f}", f"{largest:.4f}")
    return [grid, total]


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """For the documentation."""
    lines = ["| core | programs | mean error % | largest error % |", "|---|--:|--:|--:|"]
    lines += [f"| {core} | {n} | {mean:.4f} | {top:.4f} |" for core, (n, mean, top) in summary(rows).items()]
    lines += ["", HEADER, "|---|---|--:|--:|--:|"]
    lines += [
        f"| {r['core']} | {r['program']} | {r['cycles_model']:,} | {r['cycles_rtl']:,} | {r['error_percent']:.4f} |"
        for r in rows
    ]
    return "\n".join(lines) + "\n"


def committed(text: str) -> dict[tuple[str, str], float]:
    """The errors that a documentation page states, by core and program."""
    return {(m[1], m[2]): float(m[5]) for m in _ROW.finditer(text)}


def worse(before: Mapping[tuple[str, str], float], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What has got worse since `before`, in words: a larger error, a limit exceeded, a row that is missing."""
    found = []
    measured = {(r["core"], r["program"]): float(r["error_percent"]) for r in rows}
    for key, error in measured.items():
        name = " on ".join(reversed(key))
        if key in before and abs(error) > abs(before[key]) + WORSE_PERCENT:
            found.append(f"{name}: {error:+.4f} %, it was {before[key]:+.4f} %")
        if abs(error) > ROW_LIMIT_PERCENT:
            found.append(f"{name}: {error:+.4f} %, more than {ROW_LIMIT_PERCENT:g} %")
    found += [f"{program} on {core} was not measured" for core, program in before if (core, program) not in measured]
    found += [
        f"{core}: mean {mean:.4f} %, more than {MEAN_LIMIT_PERCENT:g} %"
        for core, (_, mean, _) in summary(rows).items()
        if mean > MEAN_LIMIT_PERCENT
    ]
    return found
