# SPDX-License-Identifier: Apache-2.0
"""Runs the same images on the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signalbox import sim
from signalbox.build.source import load_platform
from signalbox.certificate.rtl import Seen
from signalbox.resources import resource
from signalbox.trace import CYCLE, ENCODING, KIND

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: Number of the record "mark" in the trace schema.
MARK = 72


def run(platform: str, elf: Path, *, limit: int = 50_000_000, seed: int = 1) -> Seen:
    """Run an image on a platform file of ours."""
    return run_resolved(load_platform(platform, resource("platforms")), elf, limit=limit, seed=seed)


def run_resolved(raw: Mapping[str, Any], elf: Path, *, limit: int = 50_000_000, seed: int = 1) -> Seen:
    """The same on a resolved platform."""
    machine = sim.Machine(raw, [(elf, list(range(len(raw["cores"]))))], seed=seed, observe=True)
    result = machine.run(limit)
    data, _ = machine.trace()
    marks = tuple(record[CYCLE] for record in ENCODING.iter_unpack(data) if record[KIND] == MARK)
    address = machine.symbol("cert_result")
    value = int.from_bytes(machine.read(address, 4), "little") if address is not None else 0
    console = b"".join(text for _, text in machine.console()).decode("latin-1")
    retired = sum(int(core["instructions"]) for core in machine.stats()["cores"])
    return Seen(str(result["stop"]), int(result["cycle"]), value, marks, console, retired)
