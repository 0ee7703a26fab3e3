# SPDX-License-Identifier: Apache-2.0
"""Periodic tasks by period and by deadline, from the system file to the deadlines that are met or missed."""

from __future__ import annotations

import re

from cli_support import ROOT, signalbox


def jobs(text: str) -> dict[str, tuple[int, int, int]]:
    """Priority, jobs and misses by task."""
    rows = re.findall(r"(\w+) +priority (\d+): (\d+) jobs, (\d+) misses", text)
    return {name: (int(priority), int(count), int(misses)) for name, priority, count, misses in rows}


def test_98_percent_by_period_misses_deadlines_by_deadline_none() -> None:
    by_period = signalbox("run", ROOT / "apps" / "periods")
    assert by_period.code == 0, by_period.err
    # 480 ticks: the shorter period is more urgent and never late; the longer one is, in two of three periods.
    assert jobs(by_period.out) == {"short": (11, 80, 0), "long": (12, 59, 39)}
    by_deadline = signalbox("run", ROOT / "apps" / "periods", "--set", "kernel.periodic=earliest_deadline")
    assert by_deadline.code == 0, by_deadline.err
    assert jobs(by_deadline.out) == {"short": (11, 80, 0), "long": (11, 59, 0)}
