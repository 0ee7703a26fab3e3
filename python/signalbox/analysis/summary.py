# SPDX-License-Identifier: Apache-2.0
"""From many request/reply pairs to one row of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from signalbox.analysis.model import THESIS_LAYERS, AnalysisError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from signalbox.analysis.messages import Analysis
    from signalbox.analysis.model import Message

T = TypeVar("T", int, float)


def lower_median(values: Iterable[T]) -> T:
    """The middle value; of two middle values the lower one, so that it is always a value that occurred."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("a median needs at least one value")
    return ordered[(len(ordered) - 1) // 2]


def median_message(messages: Sequence[Message]) -> Message:
    """The first message whose latency is the lower median."""
    latency = lower_median(m.latency for m in messages)
    return next(m for m in messages if m.latency == latency)


def summarise(analysis: Analysis, pairs: Sequence[tuple[Message, Message]]) -> dict[str, Any]:
    """The results of one row: of the requests, as published.

    Parts of a whole (`breakdown_cycles`, `layers_cycles`, `thesis_layers_cycles`, `cpu_cycles`) are those of one
    signal, the one with the median latency, so that they add up. The other numbers are medians over all requests;
    `placements` counts the pairs of device buffer and signal block that the receiver copied between.
    Every request's breakdown is computed, because computing it checks that it adds up.
    """
    if not pairs:
        raise AnalysisError("the trace holds no request with its reply")
    requests = [request for request, _ in pairs]
    breakdowns = {m.number: analysis.breakdown(m) for m in requests}
    typical = median_message(requests)
    parts = breakdowns[typical.number]
    latencies = [m.latency for m in requests]
    cpu = typical.cpu
    return {
        "samples": len(requests),
        "latency_cycles": {"median": typical.latency, "min": min(latencies), "max": max(latencies)},
        "breakdown_cycles": parts.by_cause(),
        "layers_cycles": parts.by_layer(),
        "blocking_cycles": lower_median(m.blocking for m in requests),
        "round_trip_cycles": lower_median(reply.receive_return - m.send_call for m, reply in pairs),
        "reply_latency_cycles": lower_median(reply.latency for _, reply in pairs),
        "cpu_cycles": {
            "sender": cpu.sender,
            "receiver": cpu.receiver,
            "isr_sender": cpu.isr_sender,
            "isr_receiver": cpu.isr_receiver,
            "total": cpu.total,
        },
        "isr_sender_breakdown_cycles": analysis.causes(typical.sender_core, typical.acknowledges),
        "placements": len({m.placement for m in requests}),
        "copies": lower_median(m.copies for m in requests),
        "interrupts": lower_median(m.interrupts for m in requests),
        "context_switches": lower_median(m.context_switches for m in requests),
        "calls": lower_median(m.calls for m in requests),
        "copy_cycles": parts.copying,
        "doorbell_cycles": parts.ringing,
        "thesis_layers_cycles": parts.by_thesis_layer(),
        "thesis_sender_cycles": dict(zip(THESIS_LAYERS, parts.thesis_sender, strict=True)),
        "thesis_receiver_cycles": dict(zip(THESIS_LAYERS, parts.thesis_receiver, strict=True)),
    }
