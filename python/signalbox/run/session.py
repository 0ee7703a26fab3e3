# SPDX-License-Identifier: Apache-2.0
"""One run of a target: machine, console, input, limits; and what is told about it afterwards."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from signalbox.errors import Exit, UsageError
from signalbox.output import progress, say
from signalbox.run import kernel_state
from signalbox.run.console import ConsoleWriter, StdinReader
from signalbox.run.faults import describe
from signalbox.run.findings import describe_findings
from signalbox.run.semihosting import Semihosting, looks_like_call
from signalbox.run.simulate import NO_LIMIT, Run
from signalbox.sim import Machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from signalbox.run.outcome import Outcome
    from signalbox.run.target import Target
    from signalbox.trace import Trace

#: The kernel ends a node with this code when an assertion fails or a stack overflows.
KERNEL_FATAL_CODE = 4


@dataclass(frozen=True)
class Limits:
    """When a run ends at the latest, in cycles and in simulated seconds."""

    cycles: int | None = None
    seconds: float | None = None

    def in_cycles(self, clock_hz: int) -> int:
        """The earlier of the two."""
        given = [NO_LIMIT]
        if self.cycles is not None:
            given.append(self.cycles)
        if self.seconds is not None:
            given.append(round(self.seconds * clock_hz))
        limit = min(given)
        if limit <= 0:
            raise UsageError("the limit of a run must be positive")
        return limit


def exit_code(target: Target, outcome: Outcome) -> Exit:
    """The exit code of a run. A kernel that ends its node (assertion, stack overflow, exception) is a guest fault also
    where nobody watches the exception itself, as on QEMU."""
    if target.is_system and outcome.stop == "fail" and outcome.code == KERNEL_FATAL_CODE:
        return Exit.GUEST_FAULT
    return outcome.exit_code


@dataclass(frozen=True)
class Finished:
    """A run that is over."""

    target: Target
    seed: int
    machine: Machine
    outcome: Outcome
    consoles: dict[str, str]

    @property
    def exit_code(self) -> Exit:
        """The outcome's, and a kernel's own fatal end counts as a guest fault. A passed run in which a check found
        something has failed."""
        code = exit_code(self.target, self.outcome)
        return Exit.FAILED if code == Exit.PASS and any(self.machine.findings().values()) else code

    def explain(self) -> None:
        """Say how the run ended, with everything known about a fault."""
        fault = self.machine.fault()
        if fault is not None:
            say(describe(fault))
            if looks_like_call(self.machine, self.target, fault):
                say("  this is a call to the host: --semihosting serves it")
        for name, found in self.machine.findings().items():
            say(describe_findings(name, found))
        say(f"{self.target.name}: {self.outcome.sentence(self.target.platform.clock_hz)}")
        for waiting in self.waiting():
            say(
                f"  {self.target.node_names.get(waiting.core, waiting.core)}: {waiting.task} waits for a {waiting.what}"
            )

    def waiting(self) -> tuple[kernel_state.Waiting, ...]:
        """After a deadlock, the tasks that wait; empty where the kernel is not ours."""
        if self.outcome.stop != "deadlock":
            return ()
        state = kernel_state.read(self.machine, self.target.images)
        return () if state is None else state.waiting

    def data(self) -> dict[str, Any]:
        """The run as JSON."""
        return {
            "target": self.target.name,
            "platform": self.target.platform.name,
            "run": self.target.run_id(self.seed),
            "seed": self.seed,
            "stop": self.outcome.stop,
            "code": self.outcome.code,
            "cycle": self.outcome.cycle,
            "exit_code": int(self.exit_code),
            "state_hash": self.machine.state_hash(),
            "fault": self.machine.fault(),
            "console": self.consoles,
            "waiting": [
                {"node": self.target.node_names.get(w.core), "task": w.task, "what": w.what} for w in self.waiting()
            ],
            **({"checks": self.machine.findings()} if self.machine.checks else {}),
        }

    def trace(self) -> Trace:
        """The records of an observed run."""
        from signalbox import sim
        from signalbox.trace import Schema, Trace

        data, strings = self.machine.trace()
        meta = {**self.target.meta(self.seed), "stop": self.outcome.stop, "cycles": self.outcome.cycle}
        return Trace.decode(data, strings, Schema.from_data(sim.schema("trace")), meta)


def execute(
    target: Target,
    seed: int,
    limits: Limits,
    *,
    observe: bool = False,
    quiet: bool = False,
    with_input: bool = True,
    checks: Sequence[str] = (),
    semihosting: bool = False,
    input_uart: str | None = None,
) -> Finished:
    """Run a target. Its console goes to stdout, or to stderr if stdout is for data (`quiet`). stdin goes to
    `input_uart`, the first node's if there is none; with `semihosting` it is for calls to the host, not for a UART."""
    limit = limits.in_cycles(target.platform.clock_hz)
    machine = Machine(
        target.platform.raw, target.images, seed=seed, observe=observe, raw_at=target.raw_at, checks=checks
    )
    stream = sys.stderr.buffer if quiet else sys.stdout.buffer
    console = ConsoleWriter(stream, target.consoles)
    watch = kernel_state.Watch(machine, target.images)
    stdin = StdinReader() if with_input else None
    run = Run(machine, limit, console, stdin, input_uart or target.input_uart, is_deadlock=watch.is_deadlock)
    if semihosting:
        if not machine.serve_host_calls():
            raise UsageError(f"--semihosting: cores of {target.platform.name} have caches; it is for virt")
        run.stdin = None
        run.on_call = Semihosting(machine, target, console, stdin).serve
    with progress(target.name, float(limit) if quiet and limit != NO_LIMIT else None) as bar:
        if quiet and limit != NO_LIMIT:
            run.on_progress = bar
        outcome = run.execute()
    texts = {name: bytes(data).decode("utf-8", "replace") for name, data in console.collected.items()}
    return Finished(target, seed, machine, outcome, texts)
