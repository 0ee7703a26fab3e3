# SPDX-License-Identifier: Apache-2.0
"""A deadlock is noticed while ticks go on, and what only looks like one is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_support import GCC, need, signalbox

from signalbox.run.kernel_state import KernelState, Waiting, Watch
from signalbox.run.outcome import Outcome
from signalbox.run.simulate import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any

TICK_CYCLES = 50_000  # 50 MHz, 1000 Hz

SYSTEM = """
schema = 1
name = "alone"
platform = "de2-dual"

[kernel]
level = "{level}"
tick_hz = 1000

[[node]]
name = "left"
core = {core}
sources = ["main.c"]

[[node.task]]
name = "first"
entry = "first"
kind = "priority"
priority = 12
stack_bytes = 2048

[[node.task]]
name = "second"
entry = "second"
kind = "priority"
priority = 13
stack_bytes = 2048

[[node.pool]]
block_bytes = [64]
block_count = [16]
"""

# Both wait for a signal; the first has slept before.
PROGRAM = """/* SPDX-License-Identifier: Apache-2.0 */
#include "signalbox/port.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

static const uint32_t any[] = {0};

void first(void)
{
    SB_IGNORE(sb_delay(700));
    SB_IGNORE(sb_delay(700));
    END
    union sb_signal *sig = sb_receive(any);
    sb_free(&sig);
}

void second(void)
{
    union sb_signal *sig = sb_receive(any);
    sb_free(&sig);
}
"""


def system(folder: Path, level: str, end: str, core: int = 0) -> Path:
    """One node with a tick, whose first task ends with this statement."""
    folder.mkdir(exist_ok=True)
    (folder / "system.toml").write_text(SYSTEM.format(level=level, core=core))
    (folder / "main.c").write_text(PROGRAM.replace("END", end))
    return folder


@pytest.mark.parametrize("level", ["release", "checked"])
def test_tasks_that_wait_for_ever_under_a_tick_are_a_deadlock(tmp_path: Path, level: str) -> None:
    need(GCC)
    stuck = system(tmp_path / "stuck", level, "")
    done = signalbox("run", stuck, "--json", "--max-seconds", "4")
    assert (done.code, done.json["stop"]) == (43, "deadlock"), done.err
    assert done.json["waiting"] == [
        {"node": "left", "task": "first", "what": "signal"},
        {"node": "left", "task": "second", "what": "signal"},
    ]
    # 1,400 ticks of delays, and then a thousand, looked at every 500.
    assert done.json["cycle"] // TICK_CYCLES == 2500
    spoken = signalbox("run", stuck, "--max-seconds", "4")
    assert spoken.code == 43
    assert "deadlock at cycle" in spoken.err
    assert "left: first waits for a signal" in spoken.err


def test_a_long_delay_is_none(tmp_path: Path) -> None:
    need(GCC)
    done = signalbox("run", system(tmp_path / "patient", "checked", "port_finish(0);", core=1), "--json")
    assert (done.code, done.json["stop"]) == (0, "pass"), done.err
    assert done.json["cycle"] > 1400 * TICK_CYCLES
    assert done.json["waiting"] == []


def test_a_limit_before_it_is_the_limit(tmp_path: Path) -> None:
    need(GCC)
    done = signalbox("run", system(tmp_path / "stuck", "hooks", ""), "--json", "--max-cycles", str(2300 * TICK_CYCLES))
    assert (done.code, done.json["stop"]) == (42, "budget"), done.err


def test_a_program_of_others_may_sleep_through_any_number_of_interrupts(guest: Callable[[str], Path]) -> None:
    done = signalbox("run", guest("ticks"), "--json")
    assert (done.code, done.json["stop"]) == (0, "pass")
    assert done.json["cycle"] > 2500 * 1000


class Idler:
    """A machine that reports idleness at these cycles, with this number in a row."""

    def __init__(self, reports: dict[int, int]) -> None:
        self.reports = reports

    def run(self, until: int) -> dict[str, Any]:
        for cycle in sorted(self.reports):
            if cycle <= until:
                return {"stop": "idle", "code": self.reports.pop(cycle), "cycle": cycle}
        return {"stop": "budget", "code": 0, "cycle": until}

    def console(self) -> list[tuple[str, bytes]]:
        return []


def test_a_run_asks_at_each_report_and_goes_on_until_it_is_a_deadlock() -> None:
    asked: list[int] = []

    def judge(in_a_row: int) -> bool:
        asked.append(in_a_row)
        return in_a_row == 3

    reports = {100: 1, 200: 2, 300: 1, 400: 2, 500: 3, 600: 4}
    assert Run(Idler(dict(reports)), limit=1000, is_deadlock=judge).execute() == Outcome("deadlock", 0, 500)
    assert asked == [1, 2, 1, 2, 3]
    assert Run(Idler(dict(reports)), limit=1000).execute() == Outcome("budget", 0, 1000)


def stuck(ticks: int) -> KernelState:
    return KernelState((Waiting(0, "t", "signal"),), timeouts=False, ticks=ticks)


@pytest.mark.parametrize(
    ("reports", "verdicts"),
    [
        ([(1, stuck(700)), (2, stuck(1200)), (3, stuck(1700))], [False, False, True]),
        # Something happened in between.
        ([(1, stuck(700)), (2, stuck(1200)), (1, stuck(1700)), (2, stuck(2200))], [False] * 4),
        # A tick was not the kernel's: it may do anything.
        ([(1, stuck(700)), (2, stuck(1199)), (3, stuck(1699)), (4, stuck(2199))], [False, False, False, True]),
        # Somebody waits for time; nobody waits at all; not our kernel.
        (
            [(1, stuck(0)), (2, KernelState(stuck(0).waiting, True, 500)), (3, stuck(1000)), (4, stuck(1500))],
            [False] * 4,
        ),
        ([(n, KernelState((), False, 500 * n)) for n in (1, 2, 3, 4)], [False] * 4),
        ([(n, None) for n in (1, 2, 3, 4)], [False] * 4),
    ],
)
def test_what_counts_as_a_deadlock(
    reports: list[tuple[int, KernelState | None]], verdicts: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    states = [state for _, state in reports]

    def read(_machine: object, _images: Sequence[object]) -> KernelState | None:
        return states.pop(0)

    monkeypatch.setattr("signalbox.run.kernel_state.read", read)
    watch = Watch(None, ())  # type: ignore[arg-type]
    assert [watch.is_deadlock(in_a_row) for in_a_row, _ in reports] == verdicts
