#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure T0 and put its table into README.md and its timeline into docs/timeline.svg.

Run with the checkout's interpreter: `.venv/bin/python tools/update_readme.py`. With `--check` nothing is written, and
the exit code is 1 when the README's table is not what is measured now.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.experiment import run
from signalbox.report.picture import picture

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- t0:begin -->\n", "<!-- t0:end -->\n"
LAYERS = ("manager", "driver", "kernel")
NUMBERS = ("size", "median", "min", "max", "blocking", "round trip", "CPU, both cores")
COLUMNS = ("buffers", *NUMBERS, *LAYERS, "median at -O2")


def table(rows: list[Mapping[str, Any]]) -> str:
    """The rows of the published configuration, and what optimising the link and the application changes."""
    lines = [
        "Latency of the request in cycles, link and application at -O0 as published, kernel at -O2:",
        "",
        "| " + " | ".join(COLUMNS) + " |",
        "|---|" + "--:|" * (len(COLUMNS) - 1),
    ]
    measured = [r for r in rows if "latency_cycles" in r]
    fast = {
        (r["buffers"], r["size_bytes"]): r["latency_cycles"]["median"] for r in measured if r["optimisation"] == "-O2"
    }
    for r in measured:
        if r["optimisation"] != "-O0":
            continue
        latency = r["latency_cycles"]
        shares = " | ".join(f"{100 * r['layers_cycles'][layer] / latency['median']:.0f} %" for layer in LAYERS)
        lines.append(
            f"| {r['buffers']} | {r['size_bytes']} | {latency['median']:,} | {latency['min']:,} | {latency['max']:,} "
            f"| {r['blocking_cycles']:,} | {r['round_trip_cycles']:,} | {r['cpu_cycles']['total']:,} | {shares} "
            f"| {fast[r['buffers'], r['size_bytes']]:,} |"
        )
    return "\n".join(lines) + "\n"


def findings(claims: list[Mapping[str, Any]]) -> str:
    """How many published findings hold, differ, or need what does not exist."""
    count = {verdict: sum(c["verdict"] == verdict for c in claims) for verdict in ("holds", "differs", "not-run")}
    return (
        f"\nPublished findings about it: {count['holds']} hold, {count['differs']} differ (the report says by how much "
        f"and why), {count['not-run']} need drivers or experiments that are not built.\n"
    )


def main() -> int:
    result = run("osek-linx-t0")
    data = result.data()
    readme = ROOT / "README.md"
    text = readme.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    fresh = text[:start] + table(data["rows"]) + findings(data["claims"]) + text[end:]
    if "--check" in sys.argv[1:]:
        if fresh != text:
            print("README.md shows other numbers than are measured; run tools/update_readme.py", file=sys.stderr)
            return 1
        return 0
    readme.write_text(fresh)
    drawing = picture(result.picture(buffers="uncached", optimisation="-O0", size_bytes=128))
    (ROOT / "docs" / "timeline.svg").write_text(drawing)
    return 0


if __name__ == "__main__":
    sys.exit(main())
