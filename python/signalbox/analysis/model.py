# SPDX-License-Identifier: Apache-2.0
"""The words of an analysis: layers, causes, and what a trace is turned into.

Every duration is in cycles of the base clock, every instant in cycles since reset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from signalbox.errors import BadInput

LAYERS = ("application", "manager", "driver", "kernel", "medium")
APPLICATION, MANAGER, DRIVER, KERNEL, MEDIUM = range(5)

CAUSES = (
    "execute",
    "fetch",
    "miss",
    "uncached",
    "copy",
    "bus_wait",
    "dma",
    "doorbell",
    "interrupt",
    "switch",
    "queueing",
)
EXECUTE, FETCH, MISS, UNCACHED, COPY, BUS_WAIT, DMA, DOORBELL, INTERRUPT, SWITCH, QUEUEING = range(11)

THESIS_LAYERS = ("application", "rlnh", "cm", "driver", "idle")
T_APPLICATION, T_RLNH, T_CM, T_DRIVER, T_IDLE = range(5)

TASK_KINDS = ("priority", "interrupt", "idle")

FUNCTIONS = {
    "cm_transmit": 1,
    "drv_write": 2,
    "drv_read": 3,
    "cm_handle_rx": 4,
    "cm_handle_tx": 5,
    "rlnh_deliver": 6,
}
"""The calls measured in osek-linx 3.7.1.4, numbered as there (its excerpt shows 5 for CM-handleTX)."""

PUBLISHED_NAMES = {
    "cm_transmit": "CM-transmit",
    "drv_write": "DRV-write",
    "drv_read": "DRV-read",
    "cm_handle_rx": "CM-handleRX",
    "cm_handle_tx": "CM-handleTX",
    "rlnh_deliver": "RLNH-deliver",
}


class AnalysisError(BadInput):
    """The trace contradicts itself: accounts overlap, a call is not closed, a signal came from nowhere."""


class Task(NamedTuple):
    """A task of one core."""

    core: int
    pointer: int
    name: str
    kind: str
    """One of `TASK_KINDS`."""
    priority: int
    address: int
    """Global address."""
    number: int
    """Order of creation on its core, from 1: the process number of the text log."""


class Slice(NamedTuple):
    """An unbroken stretch in which a core runs one task; interrupt tasks have slices of their own."""

    core: int
    task: int
    """Index in `Analysis.tasks`, or -1 before the first task runs."""
    start: int
    end: int


class Call(NamedTuple):
    """A stretch between an enter record and its exit record."""

    core: int
    task: int
    name: str
    start: int
    end: int
    depth: int
    """How many calls of the same task were open around it."""
    value: int
    """The enter record's first argument: bytes, buffer, service or core, as the schema says."""


class CpuCycles(NamedTuple):
    """Cycles that one message costs on its two cores, waiting with nothing to do excluded.

    ``sender`` is what its core works between `send_call` and `send_return`, plus the acknowledge interrupt
    wherever it falls; ``receiver`` is what its core works from taking the notify to `receive_return`. The
    interrupt parts are contained in those two. A cycle is counted once: an acknowledge that arrives while send
    still runs is in ``sender`` once, and blocking time and interrupt then overlap by it.
    """

    sender: int
    receiver: int
    isr_sender: int
    isr_receiver: int

    @property
    def total(self) -> int:
        """Both cores."""
        return self.sender + self.receiver


@dataclass(frozen=True, slots=True)
class Message:
    """One signal from the call of send to the return of receive."""

    number: int
    """Order of sending in the whole trace, from 0."""
    sender: int
    """Global address."""
    addressee: int
    signo: int
    size_bytes: int
    sender_core: int
    receiver_core: int
    send_call: int
    send_return: int
    split: int
    """Until here the sender's core is charged, from here the receiver's: the receiver takes the notify."""
    receive_return: int
    cpu: CpuCycles
    copies: int
    """Copies of at least the signal's own bytes."""
    interrupts: int
    """Doorbell interrupts that both cores take for it."""
    context_switches: int
    """Changes of the running task on both cores within the stretches that `cpu` counts."""
    calls: int
    """Calls of the six measured functions in the same stretches."""
    acknowledges: tuple[tuple[int, int], ...]
    """The interrupts by which the sender learns that it was taken: [from, to) each."""
    placement: tuple[int, int]
    """Addresses of the receiver's device buffer (0 where none was used) and of the received signal."""

    @property
    def latency(self) -> int:
        """From the call of send to the return of receive."""
        return self.receive_return - self.send_call

    @property
    def blocking(self) -> int:
        """How long send kept its caller."""
        return self.send_return - self.send_call


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Where one message's cycles went. The constructor checks that they add up."""

    latency: int
    matrix: tuple[tuple[int, ...], ...]
    """`matrix[layer][cause]`"""
    thesis_sender: tuple[int, ...]
    """The sender's core by `THESIS_LAYERS`, with idle; sums to the latency."""
    thesis_receiver: tuple[int, ...]
    """The receiver's core."""
    copying: int
    """All cycles inside payload copies, whatever their cause."""
    ringing: int
    """All cycles inside doorbells, whatever their cause."""
    divided: int
    """Cycles of the one stretch on the sender in which the receiver took the notify. Its accounts are known only
    at its two ends, so they are divided in proportion to time; every other stretch is charged whole."""

    def __post_init__(self) -> None:
        total = sum(map(sum, self.matrix))
        if total != self.latency:
            raise AnalysisError(f"the causes of a message sum to {total} cycles, its latency is {self.latency}")
        for core in (self.thesis_sender, self.thesis_receiver):
            if sum(core) != self.latency:
                raise AnalysisError(f"a core's layers sum to {sum(core)} cycles, the latency is {self.latency}")

    def by_cause(self) -> dict[str, int]:
        """Sums over the layers; they add up to the latency."""
        return {cause: sum(row[i] for row in self.matrix) for i, cause in enumerate(CAUSES)}

    def by_layer(self) -> dict[str, int]:
        """Sums over the causes; they add up to the latency."""
        return {layer: sum(row) for layer, row in zip(LAYERS, self.matrix, strict=True)}

    def by_thesis_layer(self) -> dict[str, int]:
        """Both cores with idle; they add up to twice the latency."""
        both = zip(self.thesis_sender, self.thesis_receiver, strict=True)
        return {layer: a + b for layer, (a, b) in zip(THESIS_LAYERS, both, strict=True)}
