# SPDX-License-Identifier: Apache-2.0
"""The network's part of the certificate: golden traffic of the Hermes RTL, replayed packet by packet.

A row is one file. Its cycles are the latencies of all packets together; its error counts the differences of all four
cycles of each packet without sign, so that none can hide another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from signalbox import noc
from signalbox.errors import Failed
from signalbox.resources import resource

CORE = "hermes"
CYCLES = ("header_accept_cycle", "tail_accept_cycle", "header_out_cycle", "tail_out_cycle")


@dataclass(frozen=True)
class Golden:
    """One file of `experiments/reference/hermes`."""

    name: str
    size: int
    sinks: tuple[int, int] | None = None


GOLDEN = (
    Golden("zero_load_8x8", 8),
    Golden("pair_contention_4x4", 4),
    Golden("hotspot_4x4", 4),
    Golden("uniform_4x4_L16_010", 4),
    Golden("uniform_4x4_L16_025", 4),
    Golden("stalled_sinks_4x4", 4, (6, 11)),
)


def network_rows() -> list[dict[str, Any]]:
    """A row for each golden file."""
    rows = []
    for golden in GOLDEN:
        path = resource("experiments", "reference", "hermes", f"{golden.name}.csv")
        data = path.read_bytes()
        network = noc.Network("mesh", golden.size, golden.size, 32, 8, golden.sinks)
        ours, _ = noc.replay(data, str(path), network, True)
        rows.append(network_row(golden.name, noc.rows_of(data.decode()), noc.rows_of(ours)))
    return rows


def network_row(name: str, expected: list[dict[str, int]], got: list[dict[str, int]]) -> dict[str, Any]:
    """The row of a file, from the packets of both."""
    if [p["packet_id"] for p in expected] != [p["packet_id"] for p in got]:
        raise Failed(f"{name}: the network does not deliver the packets of the file in its order")
    differences = [sum(abs(a[c] - b[c]) for c in CYCLES) for a, b in zip(expected, got, strict=True)]
    latencies = [sum(p["tail_out_cycle"] - p["inject_cycle"] for p in packets) for packets in (got, expected)]
    return {
        "core": CORE,
        "program": name,
        "cycles_model": latencies[0],
        "cycles_rtl": latencies[1],
        "error_percent": round(100 * sum(differences) / latencies[1], 6),
        "packets": len(expected),
        "packets_different": sum(d != 0 for d in differences),
        "seed": 1,
        "samples": len(expected),
    }
