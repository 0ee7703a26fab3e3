#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure the kernel and put the tables into docs/kernel-cost.md.

Run with the interpreter of the checkout: `.venv/bin/python tools/update_kernel_cost.py`. It runs the experiment
osek-linx-a1 and `size`, which take about a minute.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox import size
from signalbox.experiment import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "kernel-cost.md"
LEVELS = ("release", "hooks", "checked")


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; numbers with separators."""
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    for row in rows:
        cells = (f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def published(rows: Sequence[Mapping[str, Any]]) -> str:
    """Tables A1 and A2 side by side."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        if "published" in row:
            _, name, number = str(row["id"]).split("/")
            found.setdefault(number.split("-")[0], {})[name] = row
    out = []
    for number, pair in found.items():
        cells: list[object] = [number, pair["A1"]["call"]]
        for name in ("A1", "A2"):
            cells += [int(pair[name][key]) for key in ("published", "measured", "measured_warm")]
        out.append(cells)
    header = ["row", "call"]
    header += [f"{name} {what}" for name in ("A1", "A2") for what in ("published", "cold", "warm")]
    return table(header, out)


def targets(rows: Sequence[Mapping[str, Any]]) -> str:
    """What is asked of switches and interrupts, and what is measured."""
    out = []
    for row in rows:
        if "tasks" in row and "measured" in row:
            cells = [row["name"], row["tasks"], row.get("target", "–"), row["measured"], row["cycles"]["max"]]
            out.append([*cells, row.get("worst_cycles", "–")])
    return table(["what", "tasks", "target", "median", "largest", "worst instant"], out)


def interrupted(rows: Sequence[Mapping[str, Any]]) -> str:
    """Calls with an interrupt at every cycle."""
    keys = ("alone", "worst_line_to_interrupt_task", "worst_line_to_woken_task")
    out = [
        [str(row["name"]).removeprefix("interrupted-"), *(row[f"{key}_cycles"] for key in keys), row["instants"]]
        for row in rows
        if str(row.get("name", "")).startswith("interrupted-") and row["tasks"] == 4
    ]
    return table(["call", "alone", "line to interrupt task, worst", "line to woken task, worst", "instants"], out)


def components(data: Mapping[str, Any]) -> str:
    """Read-only bytes of each component."""
    machines = list(dict.fromkeys(str(r["machine"]) for r in data["components"]))
    columns = [(m, "-Os", level) for m in machines for level in LEVELS] + [(m, "-O2", "release") for m in machines]
    bytes_of = {
        (r["component"], r["machine"], r["optimisation"], r["level"]): int(r["rom_bytes"]) for r in data["components"]
    }
    names = list(dict.fromkeys(str(r["component"]) for r in data["components"]))
    out = [[name, *(bytes_of[name, *column] for column in columns)] for name in names]
    return table(["component", *(" ".join(c) for c in columns)], out)


def objects(data: Mapping[str, Any]) -> str:
    """Bytes of RAM."""
    machines = list(dict.fromkeys(str(o["machine"]) for o in data["objects"]))
    names = list(dict.fromkeys(str(o["object"]) for o in data["objects"]))
    found = {(o["object"], o["machine"]): int(o["bytes"]) for o in data["objects"]}
    return table(["object", *machines], [[name, *(found[name, m] for m in machines)] for name in names])


def options(data: Mapping[str, Any]) -> str:
    """What options add."""
    out = [[o["option"], o["rom_bytes"], o["added_rom_bytes"], o["added_ram_bytes"]] for o in data["options"]]
    return table(["option", "image", "added, read-only", "added, RAM"], out)


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")
    rows = run("osek-linx-a1").data()["rows"]
    data = size.catalogue()
    made = {
        "published": published(rows),
        "targets": targets(rows),
        "interrupted": interrupted(rows),
        "components": components(data),
        "objects": objects(data),
        "options": options(data),
    }
    for name, body in made.items():
        before, rest = text.split(f"<!-- {name}:begin -->\n")
        _, after = rest.split(f"<!-- {name}:end -->\n")
        text = f"{before}<!-- {name}:begin -->\n{body}<!-- {name}:end -->\n{after}"
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
