# SPDX-License-Identifier: Apache-2.0
"""Writes what a node is compiled against: platform.h, config.h, config.c, node.ld; and system.cmake for all.

A file is touched only when its content changes, so that a build repeats only what depends on it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import jinja2

from signalbox.build import domains
from signalbox.build.model import Node, Platform, Region, System, Task
from signalbox.errors import BadInput
from signalbox.resources import template_dir

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from signalbox.build.source import Loaded

#: At the end of the default memory, the same for all nodes.
SHARED_BYTES = 256 * 1024
_PAGE = 4096
#: At the end of the shared region, where doorbells are software interrupts: a word of pending bits for each core.
DOORBELL_BYTES = 4096
_LINK_STACK_BYTES = 4096
_FILES = ("platform.h", "config.h", "config.c", "node.ld")


@dataclass(frozen=True)
class LinkEnd:
    """One end of a link, as its node is told about it."""

    name: str
    peer_node: int
    peer_core: int
    side: int
    doorbell_bit: int
    cached: bool
    mtu_bytes: int
    dm_buffers: int
    area_offset: int
    area_bytes: int
    manager_symbol: str
    driver_symbol: str


def identifier(name: str) -> str:
    """A manager's or driver's name in C and as a folder: `cm/ptp` is cm_ptp."""
    return re.sub(r"[^A-Za-z0-9]", "_", name)


def shared_memory(platform: Platform) -> Region:
    """The region that all nodes share."""
    memory = platform.memory
    return Region(memory.base + memory.size - SHARED_BYTES, SHARED_BYTES)


def doorbell_words(platform: Platform) -> int | None:
    """Address of the words of pending bits; None where pulse interrupts hold them, or there are no doorbells."""
    if platform.pulse_base or not platform.msip_base:
        return None
    shared = shared_memory(platform)
    return shared.base + shared.size - DOORBELL_BYTES


def boot_bytes(system: System, platform: Platform) -> int:
    """Room before the nodes for the code that sends each core to its node, where all cores begin at one place."""
    return _PAGE if len(system.nodes) > 1 and platform.start == platform.memory.base else 0


def node_memory(system: System, platform: Platform, node: Node) -> Region:
    """A node's own part of the memory: equal parts, in the order of the nodes."""
    memory, boot = platform.memory, boot_bytes(system, platform)
    size = (memory.size - SHARED_BYTES - boot) // len(system.nodes) // _PAGE * _PAGE
    return Region(memory.base + boot + node.index * size, size)


def link_ends(system: System, platform: Platform, node: Node) -> list[LinkEnd]:
    """The ends of links on a node, in the order of their units. Links share the shared region in equal parts."""
    room = SHARED_BYTES - (0 if doorbell_words(platform) is None else DOORBELL_BYTES)
    part = room // max(1, len(system.links)) // 64 * 64
    ends = []
    for link in system.links:
        if node.index not in link.nodes:
            continue
        side = link.nodes.index(node.index)
        peer = system.nodes[link.nodes[1 - side]]
        ends.append(
            LinkEnd(
                name="-".join(system.nodes[i].name for i in link.nodes),
                peer_node=peer.index,
                peer_core=peer.core,
                side=side,
                doorbell_bit=link.index,
                cached=link.cached,
                mtu_bytes=link.mtu_bytes,
                dm_buffers=link.dm_buffers,
                area_offset=link.index * part,
                area_bytes=part,
                manager_symbol=f"sb_manager_{identifier(link.manager)}",
                driver_symbol=f"sb_driver_{identifier(link.driver)}",
            )
        )
    return ends


def tasks_of(system: System, platform: Platform, node: Node) -> list[Task]:
    """A node's task table: the application's tasks, then those of its links."""
    tasks = list(node.tasks)
    links = [k for k in system.links if node.index in k.nodes]
    if links:
        tasks.append(Task("rlnh", "sb_rlnh_task", "priority", 9, _LINK_STACK_BYTES, -1))
        if any(k.manager == "cm/ptp" for k in links):
            tasks.append(Task("cm_rx", "sb_cm_rx_task", "priority", 10, _LINK_STACK_BYTES, -1))
        tasks.append(Task("drv", "sb_link_driver_task", "interrupt", 0, 0, platform.doorbell_irq))
    return tasks


def march(platform: Platform, node: Node) -> str:
    """The instruction set to compile a node for: its core's, without floating point, which no context switch saves, and
    without multiplication and division if these shall be calls."""
    base, *extensions = platform.cores[node.core].isa.split("_")
    without = "f" if node.multiply == "native" else "fm"
    return "_".join([base.translate(dict.fromkeys(map(ord, without))), *extensions])


def march_of_application(platform: Platform, node: Node) -> str:
    """The same for the application alone, which may have multiplications and divisions that trap."""
    plain = march(platform, node)
    return plain.replace("rv32i", "rv32im", 1) if node.multiply == "trap" else plain


#: Entries of physical memory protection that a stack guard takes: its two ends, and one that allows everything else.
_GUARD_ENTRIES = 3
#: Stacks are aligned to it, so a guard with coarser ends could not begin at a stack.
_STACK_ALIGN = 16


def guard_bytes(system: System, platform: Platform, node: Node) -> int:
    """Size of the guard below each stack of a node; 0 where its level or its core has none."""
    core = platform.cores[node.core]
    entries = 0 if node.domains else core.pmp_entries  # those of domains bind user mode only
    able = core.user_mode and entries >= _GUARD_ENTRIES and core.pmp_granularity_bytes <= _STACK_ALIGN
    return system.stack_guard_bytes if system.level == "checked" and able else 0


def user_guard_bytes(system: System, platform: Platform, node: Node) -> int:
    """Size of the guard below each stack of a domain's task."""
    fine = platform.cores[node.core].pmp_granularity_bytes <= _STACK_ALIGN
    return system.stack_guard_bytes if system.level == "checked" and fine else 0


def render(loaded: Loaded) -> dict[str, str]:
    """All generated files by their names relative to the folder."""
    environment = _environment()
    system, platform = loaded.system, loaded.platform
    _check_devices(loaded)
    files = {}
    described = []
    for node in system.nodes:
        links = [k for k in system.links if node.index in k.nodes]
        described.append(
            {
                "name": node.name,
                "march": march(platform, node),
                "march_of_application": march_of_application(platform, node),
                "emulates": node.multiply == "trap",
                "sources": [str(s) for s in node.sources],
                "drivers": sorted({identifier(k.driver) for k in links}),
                "managers": sorted({identifier(k.manager) for k in links}),
                "domains": [
                    {
                        "name": d.name,
                        "sources": [str(s) for s in d.sources],
                        "entries": sorted({t.entry for t in node.tasks if t.name in d.tasks}),
                    }
                    for d in node.domains
                ],
            }
        )
        tasks = tasks_of(system, platform, node)
        kept_apart = domains.mapped(node, tasks, platform)
        context = {
            "platform": platform,
            "core": platform.cores[node.core],
            "system": system,
            "node": {
                "name": node.name,
                "index": node.index,
                "pools": node.pools,
                "spare_tasks": node.spare_tasks,
                "memory": node_memory(system, platform, node),
            },
            "tasks": tasks,
            "guard_bytes": guard_bytes(system, platform, node),
            "user_guard_bytes": user_guard_bytes(system, platform, node),
            "domains": kept_apart,
            "user_of": {task: i for i, d in enumerate(kept_apart) for task in d.tasks},
            "pool_home": domains.homes(node, kept_apart),
            "pool_region": {i: domains.region_bytes(domains.pool_bytes(p.classes)) for i, p in enumerate(node.pools)},
            "mapped_pools": sum(1 << p for p in domains.homes(node, kept_apart)),
            "kernel_stack_bytes": domains.KERNEL_STACK_BYTES,
            "ends": link_ends(system, platform, node),
            "doorbell_words": doorbell_words(platform),
            "shared": shared_memory(platform),
            "tight": platform.cores[node.core].tight,
            "align": max(16, platform.cores[node.core].dcache_line_bytes),
        }
        for name in _FILES:
            files[f"{node.name}/{name}"] = environment.get_template(f"node/{name}.j2").render(context)
    context = {"system": system, "nodes": described, "app_dir": str(loaded.path.resolve().parent)}
    files["system.cmake"] = environment.get_template("node/system.cmake.j2").render(context)
    return files


def _check_devices(loaded: Loaded) -> None:
    """The kernel needs a console and a timer on each core, and a finisher."""
    platform = loaded.platform
    needed = {
        "uart16550": platform.uart_base,
        "timer or clint": platform.timer_count,
        "finisher": platform.finisher_base,
    }
    for what, found in needed.items():
        if found is None or found == ():
            where = "" if what == "finisher" else " for each core"
            raise BadInput(
                f"{loaded.path}: the platform `{platform.name}` has no {what}{where}; a node cannot run without"
            )
    smallest = SHARED_BYTES + len(loaded.system.nodes) * SHARED_BYTES
    if platform.memory.size < smallest:
        raise BadInput(
            f"{loaded.path}: {platform.memory.size:,} bytes of memory are too small for the nodes; "
            f"each gets at least {SHARED_BYTES:,}, and {SHARED_BYTES:,} are shared"
        )


def write(loaded: Loaded, folder: Path) -> None:
    """Write all generated files."""
    for name, text in render(loaded).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template_dir()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(c_string=_c_string, cmake=_cmake, per_core=_per_core)
    return environment


def _c_string(text: str) -> str:
    return json.dumps(text)


def _cmake(text: str) -> str:
    return '"' + re.sub(r'([\\"$])', r"\\\1", str(text)) + '"'


def _per_core(addresses: Sequence[int], index: str = "core") -> str:
    """An expression for the address of instance `index`: base + stride * index where the addresses allow it."""
    strides = {b - a for a, b in pairwise(addresses)}
    if len(strides) <= 1:
        stride = strides.pop() if strides else 0
        return f"(0x{addresses[0]:08X}u + 0x{stride:X}u * ({index}))"
    chain = f"0x{addresses[-1]:08X}u"
    for i in range(len(addresses) - 2, -1, -1):
        chain = f"({index}) == {i}u ? 0x{addresses[i]:08X}u : {chain}"
    return f"({chain})"


def sections(values: Mapping[str, int]) -> str:
    """Sizes in one line."""
    return ", ".join(f"{name} {size:,}" for name, size in values.items())
