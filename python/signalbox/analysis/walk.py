# SPDX-License-Identifier: Apache-2.0
"""One pass over the records of one core: what the core did between each record and the next.

A *stretch* is the time between two consecutive records of a core. Its cycles are exact and so are its accounts, because
each record carries them. What a stretch belongs to follows from the state that the records so far have built:

    irq_enter ──► isr_enter ──► isr_exit ──► trap_return            the same task goes on
        │ interrupt   │ the interrupt     │ interrupt
        │ (kernel)    │ task's own time   │ (kernel)
                                          └─► switch_begin ──► switch_end ──► [trap_return]    another task goes on
                                                   │ switch (kernel) │ switch while it ends in mret

An interrupt task that another one or a task begins by a call (a signal, a fast semaphore) has an isr_enter without an
irq_enter of its own; at its isr_exit the caller goes on.

Each task has its own stack of open calls, kept over switches: the innermost open call decides the layer, and without
one the task's role does. An exit that does not close the innermost call, and an enter of what is open already, mean a
lost record, and are errors.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from signalbox.analysis.model import (
    APPLICATION,
    COPY,
    DOORBELL,
    DRIVER,
    EXECUTE,
    INTERRUPT,
    KERNEL,
    MANAGER,
    MEDIUM,
    QUEUEING,
    SWITCH,
    T_APPLICATION,
    T_CM,
    T_DRIVER,
    T_IDLE,
    T_RLNH,
    TASK_KINDS,
    AnalysisError,
    Call,
    Slice,
    Task,
)
from signalbox.trace import ACCOUNTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from signalbox.trace import Raw, Trace

IN_COPY, IN_DOORBELL, IN_ISR, IN_IDLE = 1, 2, 4, 8


class State(NamedTuple):
    """What a stretch belongs to."""

    layer: int
    cause: int
    """Of the cycles that no account claims."""
    thesis: int
    flags: int
    """`IN_COPY`, `IN_DOORBELL`, `IN_ISR`, `IN_IDLE`."""


class Stretch(NamedTuple):
    """The time between two consecutive records of a core."""

    start: int
    end: int
    state: State
    fetch: int
    miss: int
    uncached: int
    bus_wait: int
    interrupt: int
    idle: int

    @property
    def rest(self) -> int:
        """Cycles that no account claims."""
        return (
            self.end - self.start - self.fetch - self.miss - self.uncached - self.bus_wait - self.interrupt - self.idle
        )


class _Open(NamedTuple):
    """A call that is not closed yet."""

    exit_kind: int
    name: str
    value: int
    start: int
    state: State


class _Rule(NamedTuple):
    """What an enter record does to the state; None leaves it as it is outside."""

    exit_kind: int
    name: str
    layer: int | None
    cause: int | None
    thesis: int | None
    flags: int


_CALLS: dict[str, tuple[str, int | None, int | None, int | None, int]] = {
    "send_call": ("send_return", KERNEL, EXECUTE, None, 0),
    "receive_call": ("receive_return", KERNEL, EXECUTE, None, 0),
    "kernel_enter": ("kernel_exit", KERNEL, EXECUTE, None, 0),
    "cm_transmit_enter": ("cm_transmit_exit", MANAGER, EXECUTE, T_CM, 0),
    "cm_handle_rx_enter": ("cm_handle_rx_exit", MANAGER, EXECUTE, T_CM, 0),
    "cm_handle_tx_enter": ("cm_handle_tx_exit", MANAGER, EXECUTE, T_CM, 0),
    "rlnh_deliver_enter": ("rlnh_deliver_exit", MANAGER, EXECUTE, T_RLNH, 0),
    "manager_enter": ("manager_exit", MANAGER, EXECUTE, None, 0),
    "drv_write_enter": ("drv_write_exit", DRIVER, EXECUTE, T_DRIVER, 0),
    "drv_read_enter": ("drv_read_exit", DRIVER, EXECUTE, T_DRIVER, 0),
    "copy_enter": ("copy_exit", None, COPY, None, IN_COPY),
    "doorbell_enter": ("doorbell_exit", None, DOORBELL, None, IN_DOORBELL),
}

_ROLES = {
    "rlnh": State(MANAGER, EXECUTE, T_RLNH, 0),
    "cm_rx": State(MANAGER, EXECUTE, T_CM, 0),
    "drv": State(DRIVER, EXECUTE, T_DRIVER, 0),
}
_IDLE = State(MEDIUM, QUEUEING, T_IDLE, IN_IDLE)
_APPLICATION = State(APPLICATION, EXECUTE, T_APPLICATION, 0)
_BOOT = State(KERNEL, EXECUTE, T_APPLICATION, 0)


def role(task: Task) -> State:
    """The state of a task outside all calls."""
    if task.kind == "idle":
        return _IDLE
    return _ROLES.get(task.name, _APPLICATION)


def read_tasks(trace: Trace) -> list[Task]:
    """Every task that a core has created, in that order."""
    kind = trace.schema.kinds["task_create"]
    tasks: list[Task] = []
    count: dict[int, int] = {}
    for r in trace.records:
        if r[1] == kind:
            core = r[2]
            count[core] = count.get(core, 0) + 1
            if r[5] >= len(TASK_KINDS) or r[4] >= len(trace.strings):
                raise AnalysisError(f"cycle {r[0]}, core {core}: task_create with kind {r[5]} and string {r[4]}")
            tasks.append(Task(core, r[3], trace.strings[r[4]], TASK_KINDS[r[5]], r[6], r[7], count[core]))
    return tasks


@dataclass(frozen=True)
class CoreTable:
    """What one core did, in order of time."""

    core: int
    stretches: Sequence[Stretch]
    starts: Sequence[int]
    """`start` of each stretch, for bisection."""
    worked: Sequence[int]
    """Cycles before each stretch in which the core was not idle; one element more than stretches."""
    in_isr: Sequence[int]
    """The same for cycles in interrupt context."""
    slices: Sequence[Slice]
    slice_starts: Sequence[int]
    calls: Sequence[Call]
    """In the order of their ends."""
    first: int
    """Cycle of the first record."""
    last: int
    """Cycle of the last record, or of the trace's end for a core that sleeps."""

    def at(self, cycle: int) -> int:
        """Index of the stretch that begins at a record's cycle; an instant without a record is an error."""
        if cycle == self.last:
            return len(self.stretches)
        i = bisect_left(self.starts, cycle)
        if i == len(self.starts) or self.starts[i] != cycle:
            raise AnalysisError(f"core {self.core} has no record at cycle {cycle}")
        return i

    def covering(self, cycle: int) -> int:
        """Index of the stretch that contains the cycle."""
        if not self.first <= cycle <= self.last:
            raise AnalysisError(f"core {self.core}: the trace does not cover cycle {cycle}")
        return bisect_right(self.starts, cycle) - 1 if cycle < self.last else len(self.stretches)


def walk(trace: Trace, core: int, tasks: Sequence[Task]) -> CoreTable:
    """Read the records of one core. A core whose last record is `sleep` is idle until the trace ends.

    Raises `AnalysisError` when time or an account goes backwards, when the accounts of a stretch exceed its cycles, and
    when a call is closed that is not the innermost open one.
    """
    names = trace.schema.kinds
    rules: dict[int, _Rule] = {}
    exits: set[int] = set()
    for enter, (leave, layer, cause, thesis, flags) in _CALLS.items():
        exit_kind = names[leave]
        exits.add(exit_kind)
        name = enter.removesuffix("_enter").removesuffix("_call")
        rules[names[enter]] = _Rule(exit_kind, name, layer, cause, thesis, flags)
    irq_enter, trap_enter, trap_return = names["irq_enter"], names["trap_enter"], names["trap_return"]
    isr_enter, isr_exit = names["isr_enter"], names["isr_exit"]
    switch_begin, switch_end = names["switch_begin"], names["switch_end"]

    index_of = {task.pointer: i for i, task in enumerate(tasks) if task.core == core}
    bases = [role(task) for task in tasks]
    open_calls: list[list[_Open]] = [[] for _ in range(len(tasks) + 1)]  # the last belongs to the time before tasks
    bases.append(_BOOT)

    running = -1
    frames: list[tuple[int, State]] = []  # interrupted task and its state, innermost last
    bodies: list[tuple[int, int]] = []  # who ran before each open interrupt task, and how many frames there were
    state = _BOOT
    resumed = False  # the last record was switch_end

    stretches: list[Stretch] = []
    slices: list[Slice] = []
    calls: list[Call] = []
    worked, in_isr = [0], [0]
    slice_start = first = -1
    cycle = 0
    last: Raw | None = None

    def task_at(pointer: int, r: Raw) -> int:
        try:
            return index_of[pointer]
        except KeyError:
            raise AnalysisError(f"cycle {r[0]}, core {core}: task {pointer:#x} was never created") from None

    def own_state() -> State:
        calls_of = open_calls[running]
        own = calls_of[-1].state if calls_of else bases[running]
        return own._replace(flags=own.flags | IN_ISR) if frames else own

    def run(task: int, at: int) -> None:
        nonlocal running, slice_start
        if task != running:
            if at > slice_start:
                slices.append(Slice(core, running, slice_start, at))
            running, slice_start = task, at

    for r in trace.records:
        if r[2] != core:
            continue
        kind = r[1]
        if last is None:
            first = slice_start = r[0]
        else:
            start = last[0]
            end = r[0]
            fetch = r[8] - last[8]
            miss = r[9] - last[9]
            uncached = r[10] - last[10]
            bus_wait = r[11] - last[11]
            interrupt = r[12] - last[12]
            idle = r[13] - last[13]
            claimed = fetch + miss + uncached + bus_wait + interrupt + idle
            if claimed > end - start or min(fetch, miss, uncached, bus_wait, interrupt, idle) < 0 or end < start:
                raise AnalysisError(
                    f"core {core}, cycles {start} to {end}: the accounts "
                    f"{dict(zip(ACCOUNTS, (fetch, miss, uncached, bus_wait, interrupt, idle), strict=True))} "
                    f"do not fit into {end - start} cycles"
                )
            if end > start:
                now = state
                if resumed and kind == trap_return:
                    now = State(KERNEL, SWITCH, state.thesis, 0)
                stretches.append(Stretch(start, end, now, fetch, miss, uncached, bus_wait, interrupt, idle))
                length = end - start - idle
                worked.append(worked[-1] + (0 if now.flags & IN_IDLE else length))
                in_isr.append(in_isr[-1] + (length if now.flags & IN_ISR else 0))
        last = r
        cycle = r[0]
        resumed = False

        rule = rules.get(kind)
        if rule is not None:
            stack = open_calls[running]
            if any(o.name == rule.name and o.value == r[3] for o in stack):
                raise AnalysisError(
                    f"cycle {cycle}, core {core}: {rule.name} begins where it is open already: a record is missing"
                )
            outer = stack[-1].state if stack else bases[running]
            inner = State(
                outer.layer if rule.layer is None else rule.layer,
                outer.cause if rule.cause is None else rule.cause,
                outer.thesis if rule.thesis is None else rule.thesis,
                rule.flags if rule.layer is not None else outer.flags | rule.flags,
            )
            stack.append(_Open(rule.exit_kind, rule.name, r[3], cycle, inner))
            state = own_state()
        elif kind in exits:
            stack = open_calls[running]
            if not stack or stack[-1].exit_kind != kind:
                was = stack[-1].name if stack else "nothing"
                raise AnalysisError(
                    f"cycle {cycle}, core {core}: {trace.schema.by_kind[kind].name} where {was} is open: "
                    "a record is missing"
                )
            call = stack.pop()
            calls.append(Call(core, running, call.name, call.start, cycle, len(stack), call.value))
            state = own_state()
        elif kind == irq_enter:
            frames.append((running, state))
            state = State(KERNEL, INTERRUPT, state.thesis, IN_ISR)
        elif kind == trap_enter:
            frames.append((running, state))
            state = State(KERNEL, EXECUTE, state.thesis, state.flags & IN_ISR)
        elif kind == trap_return:
            if frames:
                task, _ = frames.pop()
                run(task, cycle)
            state = own_state()
        elif kind == isr_enter:
            bodies.append((running, len(frames)))
            run(task_at(r[3], r), cycle)
            state = own_state()
        elif kind == isr_exit:
            if open_calls[running]:
                raise AnalysisError(
                    f"cycle {cycle}, core {core}: isr_exit in a {open_calls[running][-1].name}: a record is missing"
                )
            before, depth = bodies.pop() if bodies else (running, len(frames))
            if depth > (bodies[-1][1] if bodies else 0):
                state = State(KERNEL, INTERRUPT, bases[running].thesis, IN_ISR)
            else:  # it was begun by a call, which now goes on
                run(before, cycle)
                state = own_state()
        elif kind == switch_begin:
            state = State(KERNEL, SWITCH, state.thesis, 0)
        elif kind == switch_end:
            frames.clear()
            bodies.clear()
            run(task_at(r[3], r), cycle)
            state = own_state()
            resumed = True
    if last is None:
        raise AnalysisError(f"core {core} has no records")
    until = trace.records[-1][0]
    if last[1] == names["sleep"] and until > cycle:
        stretches.append(Stretch(cycle, until, _IDLE, 0, 0, 0, 0, 0, until - cycle))
        worked.append(worked[-1])
        in_isr.append(in_isr[-1])
        cycle = until
    if cycle > slice_start:
        slices.append(Slice(core, running, slice_start, cycle))
    return CoreTable(
        core,
        stretches,
        [s.start for s in stretches],
        worked,
        in_isr,
        slices,
        [s.start for s in slices],
        calls,
        first,
        cycle,
    )
