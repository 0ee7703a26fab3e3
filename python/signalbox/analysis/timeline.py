# SPDX-License-Identifier: Apache-2.0
"""A piece of a run in the form that the viewer and the picture draw: plain JSON values, nothing to compute."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from signalbox.analysis.model import (
    CAUSES,
    FUNCTIONS,
    INTERRUPT,
    KERNEL,
    LAYERS,
    PUBLISHED_NAMES,
    SWITCH,
    TASK_KINDS,
    THESIS_LAYERS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from signalbox.analysis.messages import Analysis
    from signalbox.analysis.model import Message
    from signalbox.analysis.walk import CoreTable

VERSION = 1
MARGIN = 0.04
"""Share of the messages' span that is shown before the first and after the last."""


def timeline(analysis: Analysis, messages: Sequence[Message], title: str) -> dict[str, Any]:
    """The messages with everything that the cores do meanwhile. Instants count from the first send.

    `cores[].tasks[].slices` are [start, end]; `kernel` are [what, start, end]: interrupt, switch or service; `calls`
    are [task, name, start, end, depth] with the index of the task in its core; a message carries its matrix of cycles,
    whose sum is its latency.
    """
    if not messages:
        raise ValueError("a timeline needs at least one message")
    origin = min(m.send_call for m in messages)
    last = max(m.receive_return for m in messages)
    margin = max(200, round((last - origin) * MARGIN))
    low, high = origin - margin, last + margin
    cores = []
    for number, table in sorted(analysis.cores.items()):
        own = [i for i, task in enumerate(analysis.tasks) if task.core == number]
        place = {task: i for i, task in enumerate(own)}
        slices: list[list[list[int]]] = [[] for _ in own]
        first = max(0, bisect_right(table.slice_starts, low) - 1)
        for s in table.slices[first:]:
            if s.start >= high:
                break
            if s.task in place and s.end > low:
                slices[place[s.task]].append([max(s.start, low) - origin, min(s.end, high) - origin])
        calls = []
        for c in table.calls:
            if c.end <= low or c.start >= high or c.task not in place:
                continue
            if c.name in FUNCTIONS or c.name in ("copy", "doorbell", "send", "receive"):
                calls.append([place[c.task], c.name, max(c.start, low) - origin, min(c.end, high) - origin, c.depth])
        calls.sort(key=lambda c: (c[2], c[4]))
        cores.append(
            {
                "name": f"core {number}",
                "tasks": [
                    {
                        "name": analysis.tasks[i].name,
                        "kind": analysis.tasks[i].kind,
                        "priority": analysis.tasks[i].priority,
                        "slices": slices[place[i]],
                    }
                    for i in own
                ],
                "kernel": _kernel(table, low, high, origin),
                "calls": calls,
            }
        )
    core_place = {number: i for i, number in enumerate(sorted(analysis.cores))}
    task_place = {}
    for number in analysis.cores:
        for i, task in enumerate(t for t in analysis.tasks if t.core == number):
            task_place[task.address] = i
    shown = []
    for m in messages:
        parts = analysis.breakdown(m)
        shown.append(
            {
                "number": m.number,
                "from": analysis.name(m.sender),
                "to": analysis.name(m.addressee),
                "from_core": core_place[m.sender_core],
                "to_core": core_place[m.receiver_core],
                "from_task": task_place.get(m.sender, -1),
                "to_task": task_place.get(m.addressee, -1),
                "signo": m.signo,
                "size_bytes": m.size_bytes,
                "send_call": m.send_call - origin,
                "send_return": m.send_return - origin,
                "split": m.split - origin,
                "receive_return": m.receive_return - origin,
                "latency_cycles": m.latency,
                "blocking_cycles": m.blocking,
                "copies": m.copies,
                "interrupts": m.interrupts,
                "context_switches": m.context_switches,
                "cpu_cycles": {"sender": m.cpu.sender, "receiver": m.cpu.receiver, "total": m.cpu.total},
                "matrix": [list(row) for row in parts.matrix],
                "thesis_layers_cycles": parts.by_thesis_layer(),
            }
        )
    return {
        "version": VERSION,
        "title": title,
        "clock_hz": analysis.trace.meta.get("clock_hz"),
        "origin_cycle": origin,
        "start": -margin,
        "end": last - origin + margin,
        "layers": list(LAYERS),
        "causes": list(CAUSES),
        "thesis_layers": list(THESIS_LAYERS),
        "task_kinds": list(TASK_KINDS),
        "call_names": PUBLISHED_NAMES | {"copy": "copy", "doorbell": "doorbell", "send": "send", "receive": "receive"},
        "cores": cores,
        "messages": shown,
    }


def _kernel(table: CoreTable, low: int, high: int, origin: int) -> list[list[Any]]:
    """The kernel's own time on a core, neighbours of one kind joined."""
    found: list[list[Any]] = []
    for stretch in table.stretches[max(0, bisect_right(table.starts, low) - 1) :]:
        if stretch.start >= high:
            break
        if stretch.state.layer != KERNEL or stretch.end <= low:
            continue
        what = {SWITCH: "switch", INTERRUPT: "interrupt"}.get(stretch.state.cause, "service")
        start, end = max(stretch.start, low) - origin, min(stretch.end, high) - origin
        if found and found[-1][0] == what and found[-1][2] == start:
            found[-1][2] = end
        else:
            found.append([what, start, end])
    return found
