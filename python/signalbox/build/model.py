# SPDX-License-Identifier: Apache-2.0
"""A system and its platform as the build sees them: what the resolver checked, under the names that templates use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from signalbox.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LEVELS = {"release": 0, "hooks": 1, "checked": 2}


@dataclass(frozen=True)
class Region:
    """A piece of the address map."""

    base: int
    size: int


@dataclass(frozen=True)
class Tight:
    """A tightly coupled memory of a core, with the flags of a program header for it."""

    name: str
    base: int
    size: int
    flags: int


@dataclass(frozen=True)
class Core:
    """A core: what its software must know."""

    index: int
    name: str
    isa: str
    icache_bytes: int
    dcache_bytes: int
    dcache_line_bytes: int
    user_mode: bool
    pmp_entries: int
    pmp_granularity_bytes: int
    tight: tuple[Tight, ...] = ()


@dataclass(frozen=True)
class Uart:
    """A console; `core` is None where all cores share it."""

    name: str
    base: int
    core: int | None


@dataclass(frozen=True)
class Platform:
    """A machine: what its software must know.

    Addresses are listed by core, and the list is empty where not every core has such a device.
    """

    name: str
    clock_hz: int
    cores: tuple[Core, ...]
    memory: Region
    bypass_bit: int
    coherent: bool
    timer_hz: int
    timer_count: tuple[int, ...]
    timer_compare: tuple[int, ...]
    uarts: tuple[Uart, ...]
    uart_base: tuple[int, ...]
    uart_irq: int
    finisher_base: int | None
    pulse_base: tuple[int, ...]
    pulse_irq: int
    msip_base: tuple[int, ...]
    mutex_base: tuple[int, ...]
    irq_block_base: tuple[int, ...]
    irq_block_irq: int
    irq_block_vectored: bool
    raw: Mapping[str, Any]

    @property
    def doorbell_irq(self) -> int:
        """The line of a core that its doorbell raises: its pulse interrupts', else its software interrupt."""
        return self.pulse_irq if self.pulse_base or not self.msip_base else 3

    @property
    def start(self) -> int | None:
        """Where all cores begin, whatever the entry of their image is."""
        start: int | None = self.raw["boot"]["start"]
        return start

    @staticmethod
    def from_json(raw: Mapping[str, Any]) -> Platform:
        """From the resolver's JSON."""
        cores = tuple(_core(i, c, raw["memories"]) for i, c in enumerate(raw["cores"]))
        memory = next(m for m in raw["memories"] if m["name"] == raw["default_memory"])
        devices = raw["devices"]
        uarts = [d for d in devices if d["model"] == "uart16550"]
        pulses = [d for d in devices if d["model"] == "pulse"]
        irq_blocks = [d for d in devices if d["model"] == "irq_block"]
        timer_hz, timer_count, timer_compare = _timer(devices, len(cores), raw["clock_hz"])
        return Platform(
            name=raw["name"],
            clock_hz=raw["clock_hz"],
            cores=cores,
            memory=Region(memory["base"], memory["size_bytes"]),
            bypass_bit=raw["bypass_mask"],
            coherent=raw.get("coherence", {}).get("protocol", "none") != "none",
            timer_hz=timer_hz,
            timer_count=timer_count,
            timer_compare=timer_compare,
            uarts=tuple(Uart(u["name"], u["base"], _owner(u)) for u in uarts),
            uart_base=_by_core(uarts, len(cores)),
            uart_irq=_line(uarts),
            finisher_base=next((d["base"] for d in devices if d["model"] == "finisher"), None),
            pulse_base=_by_core(pulses, len(cores)),
            pulse_irq=_line(pulses),
            msip_base=_msip(devices, len(cores)),
            mutex_base=tuple(d["base"] for d in devices if d["model"] == "mutex"),
            irq_block_base=_by_core(irq_blocks, len(cores)),
            irq_block_irq=_line(irq_blocks),
            irq_block_vectored=any(d["vectored"] for d in irq_blocks),
            raw=raw,
        )


def _core(index: int, raw: Mapping[str, Any], memories: Sequence[Mapping[str, Any]]) -> Core:
    icache, dcache = raw.get("icache"), raw.get("dcache")
    return Core(
        index=index,
        name=raw["name"],
        isa=raw["class"]["isa"],
        icache_bytes=icache["size_bytes"] if icache else 0,
        dcache_bytes=dcache["size_bytes"] if dcache else 0,
        dcache_line_bytes=dcache["line_bytes"] if dcache else 0,
        user_mode="user" in raw["class"]["privilege"],
        pmp_entries=raw["class"]["pmp_entries"],
        pmp_granularity_bytes=raw["class"]["pmp_granularity_bytes"],
        tight=tuple(_tight(m) for m in memories if m["kind"] == "tightly_coupled" and m["core"] == index),
    )


def _tight(raw: Mapping[str, Any]) -> Tight:
    name = str(raw["name"])
    if raw["per_core"]:
        name = name.removesuffix(str(raw["core"]))
    flags = {"both": 7, "instruction": 5, "data": 6}[raw["port"]]
    return Tight(name, raw["base"], raw["size_bytes"], flags)


def _owner(device: Mapping[str, Any]) -> int | None:
    """The core whose instance a device is: as the platform says, or the only one that it interrupts."""
    if device["core"] is not None:
        return int(device["core"])
    reached = {o["core"] for o in device["outputs"]}
    return reached.pop() if len(reached) == 1 else None


def _by_core(devices: Sequence[Mapping[str, Any]], cores: int) -> tuple[int, ...]:
    """The base of each core's own device; a single device without an owner serves all."""
    if len(devices) == 1 and _owner(devices[0]) is None:
        return (devices[0]["base"],) * cores
    own = {_owner(d): d["base"] for d in devices}
    return tuple(own[core] for core in range(cores)) if all(core in own for core in range(cores)) else ()


def _line(devices: Sequence[Mapping[str, Any]]) -> int:
    """The bit of mip that devices of a kind raise; 0 if they raise none, or not the same."""
    bits = {o["bit"] for d in devices for o in d["outputs"]}
    return bits.pop() if len(bits) == 1 else 0


def _timer(
    devices: Sequence[Mapping[str, Any]], cores: int, clock_hz: int
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Frequency, and the addresses of count and compare by core."""
    for device in devices:
        if device["model"] == "clint":
            base = device["base"]
            return device["hz"], (base + 0xBFF8,) * cores, tuple(base + 0x4000 + 8 * core for core in range(cores))
    bases = _by_core([d for d in devices if d["model"] == "timer"], cores)
    return clock_hz, bases, tuple(base + 8 for base in bases)


def _msip(devices: Sequence[Mapping[str, Any]], cores: int) -> tuple[int, ...]:
    base = next((d["base"] for d in devices if d["model"] == "clint"), None)
    return () if base is None else tuple(base + 4 * core for core in range(cores))


@dataclass(frozen=True)
class Task:
    """An entry of a node's task table."""

    name: str
    entry: str
    kind: str
    priority: int
    stack_bytes: int
    irq: int
    start: bool = True
    period_ticks: int = 0
    deadline_ticks: int = 0
    phase_ticks: int = 0
    slice_ticks: int = 0


@dataclass(frozen=True)
class Pool:
    """A pool: (block size, number of blocks) of each class."""

    name: str | None
    classes: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Domain:
    """Tasks of a node that run in user mode."""

    name: str
    tasks: tuple[str, ...]
    sources: tuple[Path, ...]
    memory_bytes: int
    pools: tuple[str, ...]
    devices: tuple[str, ...]
    objects: int


@dataclass(frozen=True)
class Node:
    """A node of the system."""

    index: int
    name: str
    core: int
    sources: tuple[Path, ...]
    tasks: tuple[Task, ...]
    multiply: str
    spare_tasks: int
    pools: tuple[Pool, ...]
    domains: tuple[Domain, ...] = ()


@dataclass(frozen=True)
class Link:
    """A link between two nodes, given by their indices."""

    index: int
    nodes: tuple[int, int]
    manager: str
    driver: str
    cached: bool
    mtu_bytes: int
    dm_buffers: int


@dataclass(frozen=True)
class Optimise:
    """Optimisation of each part."""

    kernel: str
    link: str
    app: str


@dataclass(frozen=True)
class System:
    """A whole system."""

    name: str
    source: str
    level: str
    tick_hz: int
    clock: str
    scheduling: str
    periodic: str
    stack_guard_bytes: int
    optimise: Optimise
    params: Mapping[str, int]
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    raw: Mapping[str, Any]

    @property
    def level_number(self) -> int:
        """The level as config.h writes it."""
        return LEVELS[self.level]

    @staticmethod
    def from_json(raw: Mapping[str, Any], path: Path) -> System:
        """From the resolver's JSON; sources are relative to the system file."""
        folder = path.resolve().parent
        build = raw["build"]
        nodes = tuple(_node(i, n, folder) for i, n in enumerate(raw["node"]))
        by_name = {n.name: n.index for n in nodes}
        return System(
            name=raw["name"],
            source=path.name,
            level=raw["kernel"]["level"],
            tick_hz=raw["kernel"]["tick_hz"],
            clock=raw["kernel"]["clock"],
            scheduling=raw["kernel"]["scheduling"],
            periodic=raw["kernel"]["periodic"],
            stack_guard_bytes=raw["kernel"]["stack_guard_bytes"],
            optimise=Optimise(build["optimise_kernel"], build["optimise_link"], build["optimise_app"]),
            params=dict(raw.get("params", {})),
            nodes=nodes,
            links=tuple(_link(i, k, by_name, path) for i, k in enumerate(raw.get("link", []))),
            raw=raw,
        )


def _node(index: int, raw: Mapping[str, Any], folder: Path) -> Node:
    return Node(
        index=index,
        name=raw["name"],
        core=raw["core"],
        sources=tuple((folder / s).resolve() for s in raw["sources"]),
        tasks=tuple(_task(t) for t in raw.get("task", [])),
        multiply=raw["multiply"],
        spare_tasks=raw["spare_tasks"],
        pools=tuple(
            Pool(p["name"], tuple(zip(p["block_bytes"], p["block_count"], strict=True))) for p in raw.get("pool", [])
        ),
        domains=tuple(
            Domain(
                name=d["name"],
                tasks=tuple(d["tasks"]),
                sources=tuple((folder / s).resolve() for s in d["sources"]),
                memory_bytes=d["memory_bytes"],
                pools=tuple(d["pools"]),
                devices=tuple(d["devices"]),
                objects=d["objects"],
            )
            for d in raw.get("domain", [])
        ),
    )


def _task(raw: Mapping[str, Any]) -> Task:
    period = raw["period_ticks"] or 0
    return Task(
        name=raw["name"],
        entry=raw["entry"],
        kind=raw["kind"],
        priority=raw["priority"],
        stack_bytes=_whole(raw.get("stack_bytes") or 0, 16),
        irq=-1 if raw.get("irq") is None else raw["irq"],
        start=raw["start"],
        period_ticks=period,
        deadline_ticks=raw["deadline_ticks"] or period,
        phase_ticks=raw["phase_ticks"] or 0,
        slice_ticks=(raw["slice_ticks"] or 1) if raw["kind"] == "best_effort" else 0,
    )


def _whole(size: int, unit: int) -> int:
    return (size + unit - 1) // unit * unit


def _link(index: int, raw: Mapping[str, Any], nodes: Mapping[str, int], path: Path) -> Link:
    first, second = raw["nodes"]
    for name in (first, second):
        if name not in nodes:
            raise BadInput(f"{path}: link {index}: there is no node `{name}`")
    return Link(
        index=index,
        nodes=(nodes[first], nodes[second]),
        manager=raw["manager"],
        driver=raw["driver"],
        cached=raw["buffers"] == "cached",
        mtu_bytes=raw["mtu_bytes"],
        dm_buffers=raw["dm_buffers"],
    )
