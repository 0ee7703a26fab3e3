# SPDX-License-Identifier: Apache-2.0
"""Runs a machine in pieces of about 50 ms, so that console, input, progress and Ctrl-C are served in between.

Where the pieces end has no influence on the simulation; only input does. A machine that reports that its cores only
sleep through the ticks of their clocks is in a deadlock when `is_deadlock` says so (asked with the number of such
reports in a row). A core that waits before a call to the host goes on when `on_call` has served it (asked with core and
cycle); what that answers ends the run.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signalbox.run.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from signalbox.run.console import ConsoleWriter, StdinReader
    from signalbox.sim import Machine

#: Enough for any run; about 11 years at 50 MHz.
NO_LIMIT = (1 << 63) - 1
_FIRST_PIECE = 500_000
_LARGEST_PIECE = 1 << 40
_PIECE_SECONDS = 0.05


@dataclass
class Run:
    """One run of a machine and its surroundings; without input and console it just runs."""

    machine: Machine
    limit: int = NO_LIMIT
    console: ConsoleWriter | None = None
    stdin: StdinReader | None = None
    input_uart: str | None = None
    on_progress: Callable[[float], None] | None = None
    is_deadlock: Callable[[int], bool] | None = None
    on_call: Callable[[int, int], Outcome | None] | None = None

    def execute(self) -> Outcome:
        """Run to the end, to the limit, or to Ctrl-C."""
        cycle, piece = 0, _FIRST_PIECE
        try:
            while True:
                self._feed(self.stdin.take() if self.stdin else b"")
                began = time.perf_counter()
                result = self.machine.run(min(cycle + piece, self.limit))
                took = time.perf_counter() - began
                outcome = Outcome(result["stop"], int(result["code"]), int(result["cycle"]))
                cycle = outcome.cycle
                self._drain()
                if self.on_progress is not None:
                    self.on_progress(cycle)
                if outcome.stop == "call" and self.on_call is not None:
                    ended = self.on_call(outcome.code, cycle)
                    if ended is not None:
                        return ended
                    continue
                if outcome.stop == "idle":
                    stuck = self.is_deadlock is not None and self.is_deadlock(outcome.code)
                    outcome = Outcome("deadlock" if stuck else "budget", 0, cycle)
                if outcome.stop == "deadlock" and self.stdin and self.input_uart and (data := self.stdin.wait()):
                    self._feed(data)
                elif outcome.stop != "budget" or cycle >= self.limit:
                    return outcome
                piece = _next_piece(piece, took)
        except KeyboardInterrupt:
            self._drain()
            return Outcome("interrupted", 0, cycle)
        finally:
            if self.console is not None:
                self.console.close()

    def _feed(self, data: bytes) -> None:
        if data and self.input_uart:
            self.machine.input(self.input_uart, data)

    def _drain(self) -> None:
        output = self.machine.console()
        if self.console is not None:
            self.console.write(output)


def _next_piece(piece: int, took: float) -> int:
    wanted = piece * 4 if took < _PIECE_SECONDS / 4 else int(piece * _PIECE_SECONDS / took)
    return max(10_000, min(wanted, _LARGEST_PIECE))
