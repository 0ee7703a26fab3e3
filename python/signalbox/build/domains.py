# SPDX-License-Identifier: Apache-2.0
"""Domains of a node as its templates see them: which memory is whose, and what each domain reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signalbox.build.model import Domain, Node, Platform, Region, Task

#: Stack on which the kernel's calls of one task run.
KERNEL_STACK_BYTES = 1024
#: What the kernel adds to a block of a node with domains: the header's number before, the end mark behind.
_NUMBER_BYTES, _MARK_BYTES = 8, 4


@dataclass(frozen=True)
class Mapped:
    """A domain, the numbers of its pools and tasks, and the memory that it shares or is granted."""

    domain: Domain
    tasks: tuple[int, ...]
    pools: tuple[int, ...]
    shared: tuple[int, ...]
    devices: tuple[Region, ...]
    most_urgent: int

    @property
    def name(self) -> str:
        """As in the system file."""
        return self.domain.name

    @property
    def regions(self) -> int:
        """Its memory, shared pools, devices."""
        return 1 + len(self.shared) + len(self.devices)

    @property
    def pool_bits(self) -> int:
        """Bit n: pool n."""
        return sum(1 << p for p in self.pools)


def pool_bytes(classes: tuple[tuple[int, int], ...]) -> int:
    """Memory of a pool on a node with domains, as SB_POOL_BYTES says there."""
    return sum((_NUMBER_BYTES + (size + _MARK_BYTES + 7) // 8 * 8) * count for size, count in classes)


def region_bytes(size: int) -> int:
    """The power of two that holds a shared pool."""
    return max(64, 1 << (size - 1).bit_length())


def mapped(node: Node, tasks: list[Task], platform: Platform) -> list[Mapped]:
    """The domains of a node."""
    from signalbox.build.model import Region

    number = {p.name: i for i, p in enumerate(node.pools) if p.name is not None}
    index = {t.name: i for i, t in enumerate(tasks)}
    devices = {d["name"]: Region(d["base"], d["size_bytes"]) for d in platform.raw["devices"]}
    shared = {p for p in number if sum(p in d.pools for d in node.domains) > 1}
    return [
        Mapped(
            domain=d,
            tasks=tuple(index[t] for t in d.tasks),
            pools=tuple(number[p] for p in d.pools),
            shared=tuple(number[p] for p in d.pools if p in shared),
            devices=tuple(devices[name] for name in d.devices),
            most_urgent=min(tasks[index[t]].priority for t in d.tasks),
        )
        for d in node.domains
    ]


def homes(node: Node, domains: list[Mapped]) -> dict[int, str]:
    """By pool: the domain whose memory holds it, or "shared"; not in it: the kernel's."""
    found: dict[int, str] = {}
    for d in domains:
        for pool in d.pools:
            found[pool] = "shared" if pool in found or pool in d.shared else d.name
    return found
