# SPDX-License-Identifier: Apache-2.0
"""The network on chip alone: traffic files replayed, load curves."""

from __future__ import annotations

import csv
import io
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from signalbox import sim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DIRECTIONS = ("east", "west", "north", "south", "local")
PATTERNS = ("uniform", "hotspot", "transpose", "bit-complement", "neighbour")
TOPOLOGIES = ("mesh", "torus", "ring")
WAIT_CLASSES = 16
CURVE_COLUMNS = (
    "topology",
    "length_flits",
    "offered_load",
    "offered_measured",
    "accepted_load",
    "accepted_stddev",
    "mean_latency",
    "latency_stddev",
    "mean_network_latency",
    "runs",
)
SATURATED = 0.97
"""A network that delivers less than this share of what is offered counts as saturated."""
_SWEEP = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.25)
"""Points of a sweep, as shares of what the network accepts when everything is offered."""


@dataclass(frozen=True)
class Network:
    """The parameters of a network; `sinks` are accepting cycles and period, or None."""

    topology: str
    width: int
    height: int
    flit_bits: int
    buffer_flits: int
    sinks: tuple[int, int] | None

    def to_json(self) -> dict[str, Any]:
        return {
            "topology": self.topology,
            "width": self.width,
            "height": self.height,
            "flit_bits": self.flit_bits,
            "buffer_flits": self.buffer_flits,
            "sinks": self.sinks,
        }

    @property
    def name(self) -> str:
        """As in `curves.csv`: 4x4 for a mesh, torus-4x4 for a torus."""
        size = f"{self.width}x{self.height}"
        return size if self.topology == "mesh" else f"{self.topology}-{size}"


@dataclass(frozen=True)
class Traffic:
    """What is offered for a load curve: pattern, packets, seeds, and how long."""

    pattern: str
    length: int
    seed: int
    runs: int
    warmup: int
    window: int
    hot: tuple[int, int] | None
    hot_share: float


def replay(data: bytes, filename: str, network: Network, rows: bool) -> tuple[str, dict[str, Any]]:
    """A traffic file through a network. The rows with all cycles as CSV text if `rows`, and a summary.

    Errors: BadInput with file, line and column; UsageError for a network that cannot be.
    """
    text, summary = sim.noc_replay(data, filename, network.to_json(), rows)
    return text, {"network": network.to_json(), **summary}


def rows_of(text: str) -> list[dict[str, int]]:
    """The rows of a printed traffic file."""
    return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(text))]


def links_csv(links: Sequence[dict[str, Any]]) -> str:
    """The counters of all links as CSV text; `wait_n` counts headers that waited from n cycles to the next column's."""
    classes = ["wait_0", *(f"wait_{1 << i}" for i in range(WAIT_CLASSES - 1))]
    plain = ("x", "y", "direction", "packets", "flits", "blocked_cycles", "wait_cycles", "wait_max")
    lines = [",".join([*plain, *classes])]
    lines += [",".join(str(v) for v in [*(link[name] for name in plain), *link["waits"]]) for link in links]
    return "\n".join(lines) + "\n"


def busiest(links: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """The links that carried most flits."""
    return sorted(links, key=lambda link: -int(link["flits"]))[:count]


def _runs(network: Network, traffic: Traffic, load: float, drain: int) -> list[dict[str, Any]]:
    return [
        sim.noc_measure(
            network.to_json(),
            {
                "pattern": traffic.pattern,
                "hot": traffic.hot,
                "hot_share": traffic.hot_share,
                "length": traffic.length,
                "load": load,
                "seed": traffic.seed + run,
                "warmup": traffic.warmup,
                "window": traffic.window,
                "drain": drain,
            },
        )
        for run in range(traffic.runs)
    ]


def point(network: Network, traffic: Traffic, load: float) -> dict[str, Any]:
    """One point of a curve: means over the runs, and their standard deviations."""
    runs = _runs(network, traffic, load, 20 * (traffic.warmup + traffic.window))

    def mean(key: str) -> float | None:
        values = [r[key] for r in runs]
        return None if None in values else statistics.fmean(values)

    def deviation(key: str) -> float | None:
        values = [r[key] for r in runs]
        if None in values:
            return None
        return statistics.stdev(values) if len(values) > 1 else 0.0

    offered, accepted = mean("offered_measured") or 0.0, mean("accepted_load") or 0.0
    largest = [r["max_latency"] for r in runs]
    return {
        "offered_load": load,
        "offered_measured": offered,
        "accepted_load": accepted,
        "accepted_stddev": deviation("accepted_load"),
        "mean_latency": mean("mean_latency"),
        "latency_stddev": deviation("mean_latency"),
        "mean_network_latency": mean("mean_network_latency"),
        "max_latency": None if None in largest else max(largest),
        "packets": sum(r["packets"] for r in runs),
        "runs": traffic.runs,
        "saturated": accepted < SATURATED * offered,
    }


def sweep_loads(network: Network, traffic: Traffic) -> list[float]:
    """Loads for a curve, from a tenth of what the network accepts at most to a quarter above it."""
    probe = _runs(network, Traffic(**{**traffic.__dict__, "runs": 1, "warmup": 2_000, "window": 4_000}), 1.0, 0)[0]
    # Nodes that are their own partner send nothing: what one sender asks for is more than the mean over all nodes.
    senders = min(1.0, probe["offered_measured"]) or 1.0
    most = probe["accepted_load"] / senders
    loads = [float(f"{most * share:.2g}" if share < 0.8 else f"{most * share:.3g}") for share in _SWEEP]
    return sorted({min(1.0, load) for load in loads if load > 0})


def curve(network: Network, traffic: Traffic, loads: Sequence[float], done: Callable[[float], None]) -> dict[str, Any]:
    """A load curve; `done` is told how many points are finished."""
    points = []
    for number, load in enumerate(loads):
        points.append(point(network, traffic, load))
        done(number + 1.0)
    return {
        "network": network.to_json(),
        "pattern": traffic.pattern,
        "hot": traffic.hot,
        "hot_share": traffic.hot_share if traffic.pattern == "hotspot" else None,
        "length_flits": traffic.length,
        "seed": traffic.seed,
        "warmup_cycles": traffic.warmup,
        "window_cycles": traffic.window,
        "points": points,
    }


def curve_csv(network: Network, result: dict[str, Any]) -> str:
    """The curve with the columns of `experiments/reference/hermes/curves.csv`."""

    def cell(value: float | None, digits: int) -> str:
        return "" if value is None else f"{value:.{digits}f}"

    lines = [",".join(CURVE_COLUMNS)]
    for p in result["points"]:
        cells = [
            network.name,
            str(result["length_flits"]),
            f"{p['offered_load']:g}",
            cell(p["offered_measured"], 5),
            cell(p["accepted_load"], 5),
            cell(p["accepted_stddev"], 5),
            cell(p["mean_latency"], 2),
            cell(p["latency_stddev"], 2),
            cell(p["mean_network_latency"], 2),
            str(p["runs"]),
        ]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"
