# SPDX-License-Identifier: Apache-2.0
"""How a run ended, as an exit code and in words."""

from __future__ import annotations

from dataclasses import dataclass

from signalbox.errors import Exit

_EXITS = {
    "pass": Exit.PASS,
    "fail": Exit.FAILED,
    "reset": Exit.FAILED,
    "halted": Exit.FAILED,
    "fault": Exit.GUEST_FAULT,
    "budget": Exit.TIMEOUT,
    "deadlock": Exit.DEADLOCK,
    "interrupted": Exit.INTERRUPTED,
}


@dataclass(frozen=True)
class Outcome:
    """Why a run stopped, at which cycle, and the program's own code."""

    stop: str
    code: int
    cycle: int

    @property
    def exit_code(self) -> Exit:
        """The exit code that says so."""
        return _EXITS.get(self.stop, Exit.FAILED)

    def sentence(self, clock_hz: int) -> str:
        """One line for people."""
        when = f"at cycle {self.cycle:,} ({self.cycle / clock_hz:.6f} s simulated)"
        return {
            "pass": f"passed {when}",
            "fail": f"failed with code {self.code} {when}",
            "reset": f"asked for a reset {when}; a run ends there",
            "halted": f"halted {when}: no core executes any more",
            "fault": f"guest fault {when}",
            "budget": f"still running {when}: the limit of this run",
            "deadlock": f"deadlock {when}: every core sleeps and nothing but ticks can wake one",
            "interrupted": f"interrupted {when}",
        }.get(self.stop, f"{self.stop} {when}")
