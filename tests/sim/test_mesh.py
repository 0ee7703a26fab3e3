# SPDX-License-Identifier: Apache-2.0
"""Tiles on a network on chip: exact latencies, a full receive queue, memories of their own, the same results however time is cut."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MESH = "mesh-4x4"
TILES = list(range(16))
LENGTHS = [2, 3, 9, 40, 64]


def words(run: Any, core: int, symbol: str, count: int) -> list[int]:
    address = run.machine.symbol(symbol, core)
    return list(struct.unpack(f"<{count}I", run.machine.read(address, 4 * count, core)))


def routers(topology: str, tile: int) -> int:
    """Routers on the way from tile 0."""
    x, y = tile % 4, tile // 4
    if topology == "torus":
        return min(x, 4 - x) + min(y, 4 - y) + 1
    if topology == "ring":
        return min(tile, 16 - tile) + 1
    return x + y + 1


@pytest.mark.parametrize("topology", ["mesh", "torus", "ring"])
def test_latency_is_seven_cycles_a_router_and_one_a_flit(
    assemble: Callable[[str, str], Path],
    run: Callable[..., Any],
    platform: Callable[[str], dict[str, Any]],
    topology: str,
) -> None:
    """From the clock read before the last flit is written to the clock read by the core that the packet woke.

    The clock is read at t. The store is issued when that instruction is over, and reaches the interface after the request's way;
    the flits are offered in the cycle after. The header is delivered 7 cycles a router later, the last flit length - 1 after it;
    the interface knows in the cycle after, raises its line, and the core wakes in that cycle.
    """
    done = run(assemble("mesh_latency", MESH), MESH, TILES, overrides=[("noc.topology", topology)])
    assert done.stop == "pass", done.machine.fault()
    table = words(done, 0, "latency", len(LENGTHS) * 16)
    overhead = {
        table[k * 16 + tile] - 7 * routers(topology, tile) - (length - 1)
        for k, length in enumerate(LENGTHS)
        for tile in TILES[1:]
    }
    resolved = platform(MESH)
    csr, request = resolved["cores"][0]["class"]["csr"], resolved["interconnect"]["request_cycles"]
    assert overhead == {csr + request + 1 + 1}


def test_a_full_receive_queue_stalls_the_network_and_loses_nothing(
    assemble: Callable[[str, str], Path], run: Callable[..., Any]
) -> None:
    done = run(assemble("mesh_storm", MESH), MESH, TILES)
    assert done.stop == "pass", done.machine.fault()
    assert words(done, 5, "arrived", 16) == [0 if tile == 5 else 12 for tile in TILES]
    full_at = words(done, 5, "full_at", 1)[0]
    assert full_at < 10_000
    links = {(link["x"], link["y"], link["direction"]): link for link in done.stats["links"]}
    # Tile 5 is at (1, 1). What left by its local output is all that was sent, and it stood from then on until it was read.
    local = links[1, 1, "local"]
    assert (local["packets"], local["flits"]) == (15 * 12, 15 * 12 * 17)
    assert local["blocked_cycles"] > 60_000 - full_at - 1_000
    # The stall went back to the senders' neighbours.
    assert links[0, 1, "east"]["blocked_cycles"] > 40_000
    assert sum(link["flits"] for key, link in links.items() if key[2] == "local") == 15 * 12 * 17


def test_a_network_that_stands_still_is_a_deadlock(
    assemble: Callable[[str, str], Path], run: Callable[..., Any]
) -> None:
    done = run(assemble("mesh_silent", MESH), MESH, TILES)
    assert done.stop == "deadlock"
    links = {(link["x"], link["y"], link["direction"]): link for link in done.stats["links"]}
    assert links[1, 1, "local"]["flits"] == 128, "as many as the receive queue holds"


def test_a_header_that_leads_nowhere_is_a_bus_error(
    assemble: Callable[[str, str], Path], run: Callable[..., Any]
) -> None:
    done = run(assemble("mesh_refused", MESH), MESH, [3])
    assert done.stop == "fault"
    assert "10004000" in str(done.machine.fault())


def test_each_tile_has_its_own_memory(assemble: Callable[[str, str], Path], run: Callable[..., Any]) -> None:
    done = run(assemble("mesh_own_memory", MESH), MESH, TILES)
    assert done.stop == "pass", done.machine.fault()
    assert [words(done, core, "counter", 1)[0] for core in TILES] == [100 + core for core in TILES]


@pytest.mark.parametrize("guest", ["mesh_latency", "mesh_storm", "mesh_silent"])
def test_the_same_however_time_is_cut_and_who_watches(
    assemble: Callable[[str, str], Path], run: Callable[..., Any], guest: str
) -> None:
    elf = assemble(guest, MESH)
    whole = run(elf, MESH, TILES)
    for step in (997, 20_011):
        cut = run(elf, MESH, TILES, step=step)
        assert (cut.stop, cut.cycle, cut.hash, cut.stats) == (whole.stop, whole.cycle, whole.hash, whole.stats)
    seen = run(elf, MESH, TILES, observe=True)
    assert (seen.cycle, seen.hash) == (whole.cycle, whole.hash)
    for limit, step in ((700, 100), (2_300, 100), (7_777, 101)):
        one = run(elf, MESH, TILES, limit=limit)
        two = run(elf, MESH, TILES, limit=limit, step=step)
        assert (one.stop, one.cycle, one.hash) == (two.stop, two.cycle, two.hash)
