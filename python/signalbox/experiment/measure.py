# SPDX-License-Identifier: Apache-2.0
"""Measures one row: build, run with observation, analyse. Runs in a worker process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signalbox.analysis import Message, analyse, summarise, timeline
from signalbox.analysis.summary import median_message
from signalbox.errors import Exit, Failed
from signalbox.trace import Schema, Trace

if TYPE_CHECKING:
    from signalbox.experiment.spec import RowSpec
    from signalbox.run.target import Target

LIMIT_SECONDS_PER_REQUEST = 0.2
"""Simulated; a run that needs more has lost a signal."""


def prepare(spec: RowSpec) -> Target:
    """Build the row's system, or find it built."""
    from signalbox.run import target

    return target.find(spec.system, spec.assignments, spec.platform)


def record(spec: RowSpec) -> Trace:
    """Run the row's system to its end and record it. Raises `Failed` when it does not pass."""
    from signalbox import sim
    from signalbox.run.faults import describe
    from signalbox.run.simulate import Run

    found = prepare(spec)
    machine = sim.Machine(found.platform.raw, found.images, seed=spec.seed, observe=True)
    seconds = 1 + (spec.samples + spec.discard) * LIMIT_SECONDS_PER_REQUEST
    outcome = Run(machine, limit=round(seconds * found.platform.clock_hz)).execute()
    if outcome.exit_code != Exit.PASS:
        fault = machine.fault()
        detail = "" if fault is None else "\n" + describe(fault)
        raise Failed(f"{_name(spec)}: {found.name} {outcome.sentence(found.platform.clock_hz)}{detail}")
    data, strings = machine.trace()
    meta = {**found.meta(spec.seed), "stop": outcome.stop, "cycles": outcome.cycle}
    return Trace.decode(data, strings, Schema.from_data(sim.schema("trace")), meta)


def measure(spec: RowSpec) -> dict[str, Any]:
    """The row's columns and results. Under `timelines`: the pair with the median latency and the slowest one."""
    return digest(spec, record(spec))


def digest(spec: RowSpec, trace: Trace) -> dict[str, Any]:
    """The same from a trace that is already there."""
    analysis = analyse(trace)
    pairs = [
        (request, reply)
        for request, reply in analysis.pairs()
        if analysis.name(request.sender) == spec.requester and analysis.name(request.addressee) == spec.responder
    ]
    if len(pairs) != spec.samples + spec.discard:
        raise Failed(
            f"{_name(spec)}: {len(pairs)} requests with a reply where {spec.samples + spec.discard} were expected"
        )
    kept = pairs[spec.discard :]
    typical = median_message([request for request, _ in kept])
    shown: list[tuple[str, tuple[Message, Message]]] = [
        ("median latency", next(p for p in kept if p[0] is typical)),
        ("slowest", max(kept, key=lambda p: (p[0].latency, -p[0].number))),
    ]
    return {
        **spec.parameters,
        "seed": spec.seed,
        "level": trace.meta.get("level"),
        "run": trace.meta.get("run"),
        **summarise(analysis, kept),
        "timelines": [
            {"name": name, "timeline": timeline(analysis, pair, f"{_name(spec)}: {name}")} for name, pair in shown
        ],
    }


def _name(spec: RowSpec) -> str:
    return ", ".join(str(v) for v in spec.parameters.values())
