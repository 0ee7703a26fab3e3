# SPDX-License-Identifier: Apache-2.0
"""The rows of the certificate: each program on each core, on the RTL and on the model."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elftools.elf.elffile import ELFFile

from signalbox.certificate import model, programs, rtl
from signalbox.certificate.cores import CORES, Core
from signalbox.certificate.network import CORE as NETWORK
from signalbox.certificate.network import network_rows
from signalbox.certificate.probes import REPETITIONS, Probe, probes
from signalbox.certificate.programs import PROGRAMS, Program
from signalbox.errors import Failed, UsageError
from signalbox.resources import work_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

SETTINGS = ("cores", "programs", "probes", "seed")


@dataclass(frozen=True)
class Task:
    """One row to measure."""

    core: Core
    program: Program | Probe
    bench: Path
    seed: int


def measure(settings: Mapping[str, str], on_row: Callable[[int, int], None] | None = None) -> list[dict[str, Any]]:
    """All rows. Settings: cores, programs, probes (comma lists), seed; with probes, those instead of programs.

    Raises `Failed` where a program does not do on the model what it does on the RTL."""
    unknown = sorted(settings.keys() - set(SETTINGS))
    if unknown:
        raise UsageError(f"--set {', '.join(unknown)}: the certificate has {', '.join(SETTINGS)}")
    names = [c.name for c in CORES]
    wanted = _choose("cores", settings, [*names, NETWORK])
    chosen = _choose("programs", settings, [p.name for p in PROGRAMS])
    probing = [p for p in probes() if p.name in _choose("probes", settings, ["all", *(p.name for p in probes())])]
    if settings.get("probes") == "all":
        probing = probes()
    seed = _seed(settings.get("seed", "1"))
    cache = work_folder("certificate")
    benches = {name: rtl.bench(c, cache / "rtl") for c in CORES if (name := c.name) in wanted}
    todo: list[Program] | list[Probe] = probing if "probes" in settings else [p for p in PROGRAMS if p.name in chosen]
    tasks = [Task(c, p, benches[c.name], seed) for c in CORES if c.name in wanted for p in todo if p.runs_on(c)]
    rows: list[dict[str, Any]] = []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for row in pool.map(lambda task: _row(task, cache / "images"), tasks):
            rows.append(row)
            if on_row is not None:
                on_row(len(rows), len(tasks))
    if NETWORK in wanted and not settings.keys() & {"programs", "probes"}:
        rows += network_rows()
    if not rows:
        raise UsageError("--set: none of these programs runs on any of these cores")
    return rows


def _choose(key: str, settings: Mapping[str, str], known: Sequence[str]) -> set[str]:
    chosen = [w.strip() for w in settings[key].split(",")] if key in settings else list(known)
    if wrong := [w for w in chosen if w not in known]:
        raise UsageError(f"--set {key}={','.join(wrong)}: choose of {', '.join(known)}")
    return set(chosen)


def _seed(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 1 << 31:
        raise UsageError(f"--set seed: {text!r} is not a number from 1 to 2147483647")
    return int(text)


def _row(task: Task, images: Path) -> dict[str, Any]:
    core, program = task.core, task.program
    if isinstance(program, Probe):
        return _probe(task, program, images)
    elf = programs.compile_program(program, core, images)
    hardware = rtl.run(task.bench, elf, seed=task.seed)
    ours = model.run(core.platform, elf, seed=task.seed)
    return compare(core, program.name, hardware, ours, _size(elf), task.seed)


def _probe(task: Task, probe: Probe, images: Path) -> dict[str, Any]:
    """The repetitions that the longer of two programs has more; each runs its body three times, the last counts."""
    core, cycles = task.core, []
    for elf in probe.images(core, images):
        hardware = rtl.run(task.bench, elf, seed=task.seed)
        ours = model.run(core.platform, elf, seed=task.seed)
        compare(core, probe.name, hardware, ours, 0, task.seed)
        cycles.append([seen.marks[-1] - seen.marks[-2] for seen in (hardware, ours)])
    expected, got = (cycles[1][i] - cycles[0][i] for i in (0, 1))
    return {
        "core": core.name,
        "program": f"probe.{probe.name}",
        "cycles_model": got,
        "cycles_rtl": expected,
        "error_percent": round(100 * (got - expected) / expected, 6),
        "repetitions": REPETITIONS,
        "platform": core.platform,
        "isa": core.march,
        "seed": task.seed,
        "samples": 1,
    }


def compare(core: Core, program: str, hardware: rtl.Seen, ours: rtl.Seen, size_bytes: int, seed: int) -> dict[str, Any]:
    """One row of the two runs."""
    for name, seen in (("RTL", hardware), ("model", ours)):
        if seen.stop != "pass" or len(seen.marks) != len(hardware.marks) or len(seen.marks) < 2:
            raise Failed(f"{program} on the {name} of {core.name} ended with {seen.stop}, {len(seen.marks)} marks")
    if (hardware.result, hardware.console) != (ours.result, ours.console):
        raise Failed(
            f"{program} on {core.name} computes {hardware.result:#x} on the RTL and {ours.result:#x} on the model"
        )
    cycles, expected = ours.measured, hardware.measured
    return {
        "core": core.name,
        "program": program,
        "cycles_model": cycles,
        "cycles_rtl": expected,
        "error_percent": round(100 * (cycles - expected) / expected, 6),
        "instructions": ours.instructions,
        "size_bytes": size_bytes,
        "result": hardware.result,
        "platform": core.platform,
        "isa": core.march,
        "optimisation": programs.OPTIMISATION,
        "seed": seed,
        "samples": 1,
    }


def _size(elf: Path) -> int:
    with elf.open("rb") as file:
        segments = [s for s in ELFFile(file).iter_segments() if s["p_type"] == "PT_LOAD"]
        return sum(int(s["p_filesz"]) for s in segments)


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, float, float]]:
    """By core: programs, mean and largest absolute error in percent."""
    out: dict[str, tuple[int, float, float]] = {}
    for core in dict.fromkeys(str(r["core"]) for r in rows):
        errors = [abs(float(r["error_percent"])) for r in rows if r["core"] == core]
        out[core] = (len(errors), sum(errors) / len(errors), max(errors))
    return out
