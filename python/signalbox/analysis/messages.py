# SPDX-License-Identifier: Apache-2.0
"""From the tables of the cores to messages: who sent what to whom, what it cost, and where its cycles went.

A message begins at `send_call` on the sender's own core and ends at `receive_return` on the addressee's. What the link
does with the same signal in between is not a message: RLNH receives it although it was sent to somebody else, and on
the far side it is sent again under its sender's name, on a core that is not its sender's.

    sender's core    send_call ─► RLNH ─► driver ─► doorbell_enter ─┐           ┌► irq_enter (acknowledge)
                     │◄───────── charged to the sender ──────────►│ │           │
    receiver's core                                                └► irq_enter ─► driver ─► ... ─► receive_return
                                                            split ──►│◄──── charged to the receiver ────►│

The split is the first doorbell interrupt that the receiver takes at or after the message's doorbell. A receiver that is
in its driver already takes none: then it is the end of the doorbell, or, without a doorbell, the delivery to RLNH.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from signalbox.analysis.model import (
    BUS_WAIT,
    CAUSES,
    DOORBELL,
    FETCH,
    FUNCTIONS,
    INTERRUPT,
    LAYERS,
    MEDIUM,
    MISS,
    QUEUEING,
    T_IDLE,
    THESIS_LAYERS,
    UNCACHED,
    AnalysisError,
    Breakdown,
    Call,
    CpuCycles,
    Message,
    Slice,
    Task,
)
from signalbox.analysis.walk import IN_COPY, IN_DOORBELL, IN_IDLE, CoreTable, Stretch, read_tasks, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from signalbox.trace import Trace

HOME_SHIFT = 22
"""The home node is the upper ten bits of a global address."""

SYSTEM_SIGNALS = range(250, 256)
"""Numbers that `signalbox/signal.h` reserves."""

LINK_TASKS = ("rlnh", "cm_rx", "drv")

DOORBELL_LINES = (3, 16)
"""Interrupt lines by which cores ring each other: the software interrupt of a CLINT, the pulse block of de2."""


@dataclass(frozen=True)
class _Sent:
    core: int
    call: int
    returned: int
    sender: int
    addressee: int
    signo: int
    size: int


@dataclass(frozen=True)
class _Received:
    core: int
    cycle: int
    signal: int
    """Its address."""


@dataclass(frozen=True)
class Analysis:
    """Everything that the records of a trace say."""

    trace: Trace
    tasks: Sequence[Task]
    cores: dict[int, CoreTable]
    messages: Sequence[Message]
    unfinished: int
    """Signals sent and not received when the trace ends."""

    @cached_property
    def slices(self) -> list[Slice]:
        """Of all cores, by core and time."""
        return [s for core in sorted(self.cores) for s in self.cores[core].slices]

    @cached_property
    def calls(self) -> list[Call]:
        """Of all cores, by core and start, outer before inner."""
        found = (c for table in self.cores.values() for c in table.calls)
        return sorted(found, key=lambda c: (c.core, c.start, c.depth))

    @cached_property
    def task_by_address(self) -> dict[int, Task]:
        """Tasks by their global address."""
        return {task.address: task for task in self.tasks}

    def name(self, address: int) -> str:
        """Name of the task with this global address, or the address."""
        task = self.task_by_address.get(address)
        return f"{address:#010x}" if task is None else task.name

    def breakdown(self, message: Message) -> Breakdown:
        """Where the message's cycles went."""
        return _breakdown(self.cores, message)

    def causes(self, core: int, spans: Sequence[tuple[int, int]]) -> dict[str, int]:
        """The cycles of one core in these spans of time by cause."""
        matrix = _Matrix()
        for start, end in spans:
            matrix.charge(self.cores[core], start, end)
        return {cause: sum(row[i] for row in matrix.cells) for i, cause in enumerate(CAUSES)}

    def pairs(self) -> list[tuple[Message, Message]]:
        """Each request with its reply: the next message from its addressee back to its sender."""
        replies: dict[tuple[int, int], list[Message]] = defaultdict(list)
        for m in self.messages:
            replies[m.sender, m.addressee].append(m)
        found = []
        taken: set[int] = set()
        for m in self.messages:
            if m.number in taken:
                continue
            back = replies[m.addressee, m.sender]
            i = bisect_left(back, m.receive_return, key=lambda r: r.send_call)
            if i < len(back):
                found.append((m, back[i]))
                taken.add(back[i].number)
        return found


def analyse(trace: Trace) -> Analysis:
    """Turn a trace into tasks, slices, calls and messages.

    Raises `AnalysisError` when the trace contradicts itself.
    """
    tasks = read_tasks(trace)
    cores = {core: walk(trace, core, tasks) for core in sorted({r[2] for r in trace.records})}
    matched, unfinished = _match(trace, tasks, _nodes(cores, tasks))
    costs = _Costs(trace, cores)
    messages = [costs.message(i, sent, received) for i, (sent, received) in enumerate(matched)]
    return Analysis(trace, tasks, cores, messages, unfinished)


def _nodes(cores: dict[int, CoreTable], tasks: Sequence[Task]) -> dict[int, int]:
    """Core of each home node; a core that creates no task is taken as the node of its number."""
    core_of = {core: core for core in cores}
    named = {task.address >> HOME_SHIFT: task.core for task in tasks if task.address}
    return core_of | named


def _match(trace: Trace, tasks: Sequence[Task], core_of: dict[int, int]) -> tuple[list[tuple[_Sent, _Received]], int]:
    """Each sent signal with its reception, in the order of sending; and how many remain.

    Two kinds of signals are received without a send: what the kernel forwards to a link task because it is for another
    node, and the system's own answers (to a hunt, say), which have reserved numbers.
    """
    forwarded_to = {task.address for task in tasks if task.name in LINK_TASKS}
    kinds = trace.schema.kinds
    send_call, send_return, receive_return = kinds["send_call"], kinds["send_return"], kinds["receive_return"]
    open_sends: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    waiting: dict[tuple[int, int, int], deque[int]] = defaultdict(deque)
    sent: list[_Sent] = []
    received: dict[int, _Received] = {}
    returned: dict[int, int] = {}
    for r in trace.records:
        kind = r[1]
        if kind == send_call:
            core, sender, addressee = r[2], r[3], r[4]
            if core_of.get(sender >> HOME_SHIFT) != core:
                continue
            waiting[sender, addressee, r[5]].append(len(sent))
            open_sends[core, sender, addressee].append(len(sent))
            sent.append(_Sent(core, r[0], -1, sender, addressee, r[5], r[6]))
        elif kind == send_return:
            if core_of.get(r[3] >> HOME_SHIFT) != r[2]:
                continue
            stack = open_sends[r[2], r[3], r[4]]
            if not stack:
                raise AnalysisError(f"cycle {r[0]}, core {r[2]}: send returns to {r[3]:#x} without having been called")
            returned[stack.pop()] = r[0]
        elif kind == receive_return and r[3]:
            core, sender, addressee, signo, size = r[2], r[3], r[4], r[5], r[6]
            if core_of.get(addressee >> HOME_SHIFT) != core:
                continue
            queue = waiting[sender, addressee, signo]
            if not queue and (addressee in forwarded_to or signo in SYSTEM_SIGNALS):
                continue
            if not queue:
                raise AnalysisError(
                    f"cycle {r[0]}, core {core}: signal {signo} from {sender:#x} to {addressee:#x} is received "
                    "but was never sent"
                )
            i = queue.popleft()
            if sent[i].size != size:
                raise AnalysisError(
                    f"cycle {r[0]}, core {core}: signal {signo} from {sender:#x} was sent with {sent[i].size} bytes "
                    f"at cycle {sent[i].call} and is received with {size}"
                )
            received[i] = _Received(core, r[0], r[7])
    matched = []
    for i, s in enumerate(sent):
        if i not in received:
            continue
        if i not in returned:
            continue  # received, but the trace ends before send returns
        matched.append((_Sent(s.core, s.call, returned[i], s.sender, s.addressee, s.signo, s.size), received[i]))
    return matched, len(sent) - len(matched)


@dataclass(frozen=True)
class _Ring:
    """A doorbell as its ringer sees it."""

    enter: int
    exit: int
    target: int
    """Core."""
    data: bool
    """Rung from DRV-write: data for the other side. Otherwise an acknowledge."""


def _rings(table: CoreTable) -> list[_Ring]:
    """The doorbells that a core rings, in order of time."""
    writes = sorted((c.start, c.end, c.task) for c in table.calls if c.name == "drv_write")
    starts = [w[0] for w in writes]
    rings = []
    for c in table.calls:
        if c.name != "doorbell":
            continue
        i = bisect_right(starts, c.start) - 1
        data = i >= 0 and writes[i][1] >= c.end and writes[i][2] == c.task
        rings.append(_Ring(c.start, c.end, c.value, data))
    return rings


def _first(values: Sequence[int], low: int, high: int) -> int | None:
    """The first value in [low, high]."""
    i = bisect_left(values, low)
    return values[i] if i < len(values) and values[i] <= high else None


def _all(values: Sequence[int], low: int, high: int) -> Sequence[int]:
    """The values in [low, high]."""
    return values[bisect_left(values, low) : bisect_right(values, high)]


def _after(values: Sequence[int], low: int, high: int) -> int:
    """How many values lie in (low, high]."""
    return max(0, bisect_right(values, high) - bisect_right(values, low))


class _Costs:
    """What the cores did, indexed so that each message finds its own parts."""

    def __init__(self, trace: Trace, cores: dict[int, CoreTable]) -> None:
        self.cores = cores
        self.data_rings: dict[tuple[int, int], list[_Ring]] = defaultdict(list)
        self.acknowledge_rings: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.next_ring: dict[tuple[int, int], int] = defaultdict(int)
        self.interrupts: dict[int, list[int]] = defaultdict(list)
        self.deliveries: dict[tuple[int, int, int, int], list[int]] = defaultdict(list)
        for core, table in cores.items():
            for ring in _rings(table):
                if ring.data:
                    self.data_rings[core, ring.target].append(ring)
                else:
                    self.acknowledge_rings[core, ring.target].append(ring.enter)
        irq_enter, deliver = trace.schema.kinds["irq_enter"], trace.schema.kinds["rlnh_deliver_enter"]
        for r in trace.records:
            if r[1] == irq_enter and (r[3] & 0x7FFF_FFFF) in DOORBELL_LINES:
                self.interrupts[r[2]].append(r[0])
            elif r[1] == deliver:
                self.deliveries[r[2], r[3], r[4], r[5]].append(r[0])
        self.copies = {core: [c for c in table.calls if c.name == "copy"] for core, table in cores.items()}
        self.copy_starts = {core: [c.start for c in copies] for core, copies in self.copies.items()}
        self.reads = {
            core: sorted((c.start, c.value) for c in table.calls if c.name == "drv_read")
            for core, table in cores.items()
        }
        self.functions = {
            core: sorted(c.start for c in table.calls if c.name in FUNCTIONS) for core, table in cores.items()
        }

    def split(self, sent: _Sent, receiver: int, end: int) -> int:
        """Where the receiver takes over; the module's first comment has the rule. Called in the order of sending."""
        if sent.core == receiver:
            return end
        way = (sent.core, receiver)
        rings = self.data_rings[way]
        i = self.next_ring[way]
        while i < len(rings) and rings[i].enter < sent.call:
            i += 1
        rung = rings[i] if i < len(rings) and rings[i].enter <= end else None
        self.next_ring[way] = i + 1 if rung else i
        signal = (receiver, sent.sender, sent.addressee, sent.signo)
        delivered = _first(self.deliveries[signal], rung.enter if rung else sent.call, end)
        if rung is not None:
            taken = _first(self.interrupts[receiver], rung.enter, end if delivered is None else delivered)
            return rung.exit if taken is None else taken
        if delivered is not None:
            return delivered
        raise AnalysisError(
            f"the signal {sent.signo} sent at cycle {sent.call} reached core {receiver} without a doorbell or a "
            "delivery: records are missing"
        )

    def acknowledges(self, sent: _Sent, receiver: int, split: int, end: int) -> list[tuple[int, int]]:
        """The interrupts by which the sender learns that the message was taken: [from, to) each."""
        here = self.cores[sent.core]
        found: list[tuple[int, int]] = []
        for rung in _all(self.acknowledge_rings[receiver, sent.core], split, end):
            i = bisect_left(self.interrupts[sent.core], rung)
            if i == len(self.interrupts[sent.core]):
                continue
            at = self.interrupts[sent.core][i]
            if not found or at >= found[-1][1]:
                found.append((at, _isr_end(here, at)))
        return found

    def device_buffer(self, core: int, low: int, high: int) -> int:
        """The buffer that the manager has copied out of and hands back to the driver in [low, high]; 0: none."""
        i = bisect_right(self.reads[core], (high, 1 << 32)) - 1
        return self.reads[core][i][1] if i >= 0 and self.reads[core][i][0] >= low else 0

    def copied(self, core: int, low: int, high: int, size: int) -> int:
        """Copies of at least `size` bytes that begin in [low, high)."""
        starts = self.copy_starts[core]
        return sum(c.value >= size for c in self.copies[core][bisect_left(starts, low) : bisect_left(starts, high)])

    def message(self, number: int, sent: _Sent, received: _Received) -> Message:
        """One message with everything it cost."""
        receiver, end = received.core, received.cycle
        here, there = self.cores[sent.core], self.cores[receiver]
        local = sent.core == receiver
        split = self.split(sent, receiver, end)
        acknowledges = [] if local else self.acknowledges(sent, receiver, split, end)

        # The sender works during send, and in the acknowledges, of which no cycle is counted twice.
        begin, returned = here.at(sent.call), here.at(sent.returned)
        sender = here.worked[returned] - here.worked[begin]
        isr_sender = 0
        switches = _after(here.slice_starts, sent.call, sent.returned)
        calls = len(_all(self.functions[sent.core], sent.call, sent.returned))
        for start, stop in acknowledges:
            first, last = here.at(start), here.at(stop)
            isr_sender += here.in_isr[last] - here.in_isr[first]
            if stop > sent.returned:
                rest = max(first, returned)
                sender += here.worked[last] - here.worked[rest]
                switches += _after(here.slice_starts, max(start, sent.returned), stop)
                calls += len(_all(self.functions[sent.core], max(start, sent.returned), stop))

        # The receiver works from the split on; a local message's from the return of send on.
        beyond = sent.returned if local else split
        first, last = there.covering(beyond), there.at(end)
        receiver_worked = receiver_isr = 0
        if last > first:
            receiver_worked = there.worked[last] - there.worked[first]
            receiver_isr = there.in_isr[last] - there.in_isr[first]
            switches += _after(there.slice_starts, beyond, end)
            calls += len(_all(self.functions[receiver], beyond, end))
        notified = 0 if local else len(_all(self.interrupts[receiver], split, end))
        return Message(
            number=number,
            sender=sent.sender,
            addressee=sent.addressee,
            signo=sent.signo,
            size_bytes=sent.size,
            sender_core=sent.core,
            receiver_core=receiver,
            send_call=sent.call,
            send_return=sent.returned,
            split=split,
            receive_return=end,
            cpu=CpuCycles(sender, receiver_worked, isr_sender, receiver_isr),
            copies=self.copied(sent.core, sent.call, split, sent.size) + self.copied(receiver, split, end, sent.size),
            interrupts=notified + len(acknowledges),
            context_switches=switches,
            calls=calls,
            acknowledges=tuple(acknowledges),
            placement=(self.device_buffer(receiver, split, end), received.signal),
        )


def _isr_end(table: CoreTable, cycle: int) -> int:
    """Where the interrupt taken at `cycle` ends: the core leaves interrupt context."""
    i = table.at(cycle)
    while i < len(table.stretches) and table.in_isr[i + 1] > table.in_isr[i]:
        i += 1
    return table.stretches[i - 1].end


def _overlap(table: CoreTable, start: int, end: int) -> Iterator[tuple[Stretch, int, int]]:
    """The stretches that share time with [start, end), with the shared part; together they cover it exactly."""
    if start < table.first or end > table.last:
        raise AnalysisError(f"core {table.core}: the trace does not cover cycles {start} to {end}")
    i = bisect_right(table.starts, start) - 1
    while start < end:
        stretch = table.stretches[i]
        stop = min(stretch.end, end)
        yield stretch, start, stop
        start = stop
        i += 1


def _divide(parts: Sequence[int], share: int, whole: int) -> list[int]:
    """Divide each part by share/whole in integers that sum to `share`: the largest remainders are rounded up."""
    out = [p * share // whole for p in parts]
    by_remainder = sorted(range(len(parts)), key=lambda i: (-(parts[i] * share % whole), i))
    for i in by_remainder[: share - sum(out)]:
        out[i] += 1
    return out


class _Matrix:
    """Cycles by layer and cause."""

    def __init__(self) -> None:
        self.cells = [[0] * len(CAUSES) for _ in LAYERS]
        self.copying = self.ringing = self.divided = 0

    def charge(self, table: CoreTable, low: int, high: int) -> None:
        """Add what the core did in [low, high)."""
        for stretch, start, stop in _overlap(table, low, high):
            state = stretch.state
            accounts: Sequence[int] = (
                stretch.rest,
                stretch.fetch,
                stretch.miss,
                stretch.uncached,
                stretch.bus_wait,
                stretch.interrupt,
                stretch.idle,
            )
            if stop - start != stretch.end - stretch.start:
                self.divided += stop - start
                accounts = _divide(accounts, stop - start, stretch.end - stretch.start)
            row = self.cells[state.layer]
            row[state.cause] += accounts[0]
            row[FETCH] += accounts[1]
            row[MISS] += accounts[2]
            row[DOORBELL if state.flags & IN_DOORBELL else UNCACHED] += accounts[3]
            row[BUS_WAIT] += accounts[4]
            row[INTERRUPT] += accounts[5]
            self.cells[MEDIUM][QUEUEING] += accounts[6]
            if state.flags & IN_COPY:
                self.copying += stop - start
            if state.flags & IN_DOORBELL:
                self.ringing += stop - start


def _breakdown(cores: dict[int, CoreTable], m: Message) -> Breakdown:
    matrix = _Matrix()
    matrix.charge(cores[m.sender_core], m.send_call, m.split)
    matrix.charge(cores[m.receiver_core], m.split, m.receive_return)
    thesis = []
    for core in (m.sender_core, m.receiver_core):
        layers = [0] * len(THESIS_LAYERS)
        for stretch, start, stop in _overlap(cores[core], m.send_call, m.receive_return):
            idle = stretch.state.flags & IN_IDLE or stretch.idle
            layers[T_IDLE if idle else stretch.state.thesis] += stop - start
        thesis.append(tuple(layers))
    return Breakdown(
        m.latency,
        tuple(map(tuple, matrix.cells)),
        thesis[0],
        thesis[1],
        matrix.copying,
        matrix.ringing,
        matrix.divided,
    )
