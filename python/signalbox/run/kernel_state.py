# SPDX-License-Identifier: Apache-2.0
"""Who waits for what in the kernels of a machine: read from memory, with the layout that the image's DWARF gives.

Nothing in an image is there for this. An image without our kernel, or stripped of its DWARF, gives no answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from signalbox.sim import Machine

_NODE = "sb_node"
_TASK = "sb_task"
_CONFIG = "sb_task_config"
_STATES = "sb_task_state"
_TYPES = (_NODE, _TASK, _CONFIG, _STATES)
_WAIT = "SB_STATE_WAIT_"
_WORDS = {"fsem": "fast semaphore", "list": "semaphore, lock or queue", "period": "period"}
_NAME_BYTES = 64
_MOST_TASKS = 4096


@dataclass(frozen=True)
class Waiting:
    """A task that waits for somebody else; without a timeout where the node has none pending."""

    core: int
    task: str
    what: str


@dataclass(frozen=True)
class KernelState:
    """The kernels of all cores that run an image, at this instant."""

    waiting: tuple[Waiting, ...]
    timeouts: bool
    """Whether any task of any node waits for time."""
    ticks: int
    """Ticks that all nodes together have counted."""

    @property
    def is_stuck(self) -> bool:
        """No task waits for time, and some task waits without a timeout: only something from outside can help it."""
        return not self.timeouts and bool(self.waiting)


class Watch:
    """Decides whether a machine whose cores only sleep through ticks is in a deadlock.

    That is so when it has been stuck for `TICKS` ticks, each of them one of the kernels' own: then no tick had anything
    to wake, and none ever will. A tick of somebody else may do anything at any later time.
    """

    #: Ticks through which nothing happens, and as in the simulator those between two of its reports.
    TICKS = 1000
    REPORT_TICKS = 500

    def __init__(self, machine: Machine, images: Sequence[tuple[Path, Sequence[int]]]) -> None:
        self._machine = machine
        self._images = images
        self._stuck_at: list[int] = []

    def is_deadlock(self, reports_in_a_row: int) -> bool:
        """Judge at the n-th report in a row."""
        state = read(self._machine, self._images)
        if state is None or not state.is_stuck:
            self._stuck_at.clear()
            return False
        followed = reports_in_a_row > 1 and self._stuck_at[-1:] == [state.ticks - self.REPORT_TICKS]
        self._stuck_at = [*(self._stuck_at if followed else []), state.ticks]
        return state.ticks - self._stuck_at[0] >= self.TICKS


@dataclass(frozen=True)
class _Layout:
    tasks: int
    task_count: int
    first_timer: int
    now_tick: int
    task_bytes: int
    state: int
    config: int
    name: int
    waits: Mapping[int, str]


def read(machine: Machine, images: Sequence[tuple[Path, Sequence[int]]]) -> KernelState | None:
    """The state of every node; None when some image is not one of our kernel with debug information."""
    waiting: list[Waiting] = []
    timeouts, ticks = False, 0
    for path, cores in images:
        layout = _layout(path)
        if layout is None:
            return None
        for core in cores:
            node = machine.symbol(_NODE, core)
            if node is None:
                return None
            try:
                timeouts |= _word(machine, core, node + layout.first_timer) != 0
                ticks += _word(machine, core, node + layout.now_tick)
                waiting += _waiting(machine, core, node, layout)
            except ValueError:  # not our kernel after all: its pointers lead nowhere
                return None
    return KernelState(tuple(waiting), timeouts, ticks)


def _waiting(machine: Machine, core: int, node: int, layout: _Layout) -> list[Waiting]:
    first = _word(machine, core, node + layout.tasks)
    found = []
    for index in range(min(_word(machine, core, node + layout.task_count), _MOST_TASKS)):
        task = first + index * layout.task_bytes
        what = layout.waits.get(machine.read(task + layout.state, 1, core)[0])
        if what is not None:
            config = _word(machine, core, task + layout.config)
            found.append(Waiting(core, _text(machine, core, _word(machine, core, config + layout.name)), what))
    return found


def _word(machine: Machine, core: int, addr: int) -> int:
    return int.from_bytes(machine.read(addr, 4, core), "little")


def _text(machine: Machine, core: int, addr: int) -> str:
    text = bytearray()
    while len(text) < _NAME_BYTES and (byte := machine.read(addr + len(text), 1, core)) != b"\0":
        text += byte
    return text.decode("utf-8", "replace")


def _layout(path: Path) -> _Layout | None:
    from elftools.common.exceptions import DWARFError, ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            if not elf.has_dwarf_info():
                return None
            found = _find(elf.get_dwarf_info())
    except (ELFError, DWARFError):
        return None
    if found is None:
        return None
    node, task, config, states = found
    try:
        return _Layout(
            tasks=_offset(node, "tasks"),
            task_count=_offset(node, "task_count"),
            first_timer=_offset(node, "timers", "first"),
            now_tick=_offset(node, "timers", "now_tick"),
            task_bytes=task.attributes["DW_AT_byte_size"].value,
            state=_offset(task, "state"),
            config=_offset(task, "config"),
            name=_offset(config, "name"),
            waits={
                value: _WORDS.get(what := name.removeprefix(_WAIT).lower(), what)
                for name, value in _values(states)
                if name.startswith(_WAIT)
            },
        )
    except KeyError:
        return None


def _find(dwarf: Any) -> list[Any] | None:
    """The types of node, task, its configuration and its states, from the first unit that describes them all whole."""
    for unit in dwarf.iter_CUs():
        types = {
            name: die
            for die in unit.get_top_DIE().iter_children()
            if (name := _name(die)) in _TYPES and "DW_AT_byte_size" in die.attributes
        }
        if len(types) == len(_TYPES):
            return [types[name] for name in _TYPES]
    return None


def _name(die: Any) -> str:
    attribute = die.attributes.get("DW_AT_name")
    return attribute.value.decode("utf-8", "replace") if attribute else ""


def _offset(struct: Any, *path: str) -> int:
    """Offset of a member, by its path."""
    members = {_name(child): child for child in struct.iter_children()}
    member = members[path[0]]
    offset: int = member.attributes["DW_AT_data_member_location"].value
    rest = path[1:]
    return offset + (_offset(member.get_DIE_from_attribute("DW_AT_type"), *rest) if rest else 0)


def _values(enumeration: Any) -> list[tuple[str, int]]:
    return [(_name(child), child.attributes["DW_AT_const_value"].value) for child in enumeration.iter_children()]
