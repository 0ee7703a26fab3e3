# SPDX-License-Identifier: Apache-2.0
"""A run in pieces, with a machine double: what stops it, and what is served in between."""

from __future__ import annotations

import io
from typing import Any

import pytest

from signalbox.errors import Exit, UsageError
from signalbox.run.console import ConsoleWriter
from signalbox.run.outcome import Outcome
from signalbox.run.session import Limits
from signalbox.run.simulate import NO_LIMIT, Run


class Double:
    """A machine that stops as told: {cycle: reason}. It prints one letter per piece."""

    def __init__(self, stops: dict[int, str]) -> None:
        self.stops, self.pieces, self.typed, self.letter = stops, [], [], 0

    def run(self, until: int) -> dict[str, Any]:
        self.pieces.append(until)
        for cycle in sorted(self.stops):
            if cycle <= until:
                stop = self.stops.pop(cycle)
                if stop == "interrupt":
                    raise KeyboardInterrupt
                return {"stop": stop, "code": 3, "cycle": cycle}
        return {"stop": "budget", "code": 0, "cycle": until}

    def console(self) -> list[tuple[str, bytes]]:
        self.letter += 1
        return [("uart0", bytes([96 + self.letter % 26]))]

    def input(self, uart: str, data: bytes) -> None:
        self.typed.append((uart, data))


class Typist:
    """Input that is there at once, and more when the machine can do nothing else."""

    def __init__(self, first: bytes, *later: bytes) -> None:
        self.first, self.later = first, list(later)

    def take(self) -> bytes:
        taken, self.first = self.first, b""
        return taken

    def wait(self) -> bytes:
        return self.later.pop(0) if self.later else b""


@pytest.mark.parametrize(
    ("stop", "exit_code"),
    [
        ("pass", Exit.PASS),
        ("fail", Exit.FAILED),
        ("reset", Exit.FAILED),
        ("halted", Exit.FAILED),
        ("fault", Exit.GUEST_FAULT),
        ("deadlock", Exit.DEADLOCK),
    ],
)
def test_the_reason_of_a_stop_is_the_exit_code(stop: str, exit_code: Exit) -> None:
    double = Double({2_000_000: stop})
    outcome = Run(double).execute()
    assert outcome == Outcome(stop, 3, 2_000_000)
    assert outcome.exit_code == exit_code
    assert double.pieces[0] < 2_000_000 <= double.pieces[-1]


def test_the_limit_is_exact() -> None:
    double = Double({})
    outcome = Run(double, limit=1_234_567).execute()
    assert outcome == Outcome("budget", 0, 1_234_567)
    assert outcome.exit_code == Exit.TIMEOUT
    assert double.pieces[-1] == 1_234_567


def test_ctrl_c_ends_with_what_there_is() -> None:
    stream = io.BytesIO()
    run = Run(Double({900_000: "interrupt"}), console=ConsoleWriter(stream, {"uart0": "a"}))
    outcome = run.execute()
    assert (outcome.stop, outcome.exit_code) == ("interrupted", Exit.INTERRUPTED)
    assert outcome.cycle == 500_000
    assert stream.getvalue() == b"ab"


def test_input_is_given_before_a_piece_and_ends_a_wait_for_it() -> None:
    double = Double({10: "deadlock", 20: "deadlock", 30: "deadlock"})
    run = Run(double, stdin=Typist(b"first", b"second", b"third"), input_uart="uart1")
    assert run.execute() == Outcome("deadlock", 3, 30)
    assert double.typed == [("uart1", b"first"), ("uart1", b"second"), ("uart1", b"third")]


def test_limits_in_cycles_and_seconds() -> None:
    assert Limits().in_cycles(50_000_000) == NO_LIMIT
    assert Limits(cycles=7).in_cycles(50_000_000) == 7
    assert Limits(seconds=0.5).in_cycles(50_000_000) == 25_000_000
    assert Limits(cycles=7, seconds=0.5).in_cycles(50_000_000) == 7
    with pytest.raises(UsageError, match="must be positive"):
        Limits(seconds=1e-12).in_cycles(50_000_000)


def test_every_end_has_a_sentence() -> None:
    assert Outcome("fail", 7, 50).sentence(100) == "failed with code 7 at cycle 50 (0.500000 s simulated)"
    for stop in ("pass", "reset", "halted", "fault", "budget", "deadlock", "interrupted"):
        assert "at cycle 1,000 (0.001000 s simulated)" in Outcome(stop, 0, 1000).sentence(1_000_000)
