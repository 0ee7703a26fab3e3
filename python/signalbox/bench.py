# SPDX-License-Identifier: Apache-2.0
"""How fast the simulator is: simulated instructions per second of the host.

Each case runs a program that never ends, on a platform with caches and full timing, until so many instructions have
retired: what is executed is the same on every host, only the time differs. A first piece of the run is not counted
(start-up, cold host caches); the rest is run in pieces and the median piece counts, so that a busy host disturbs the
figure less. With one host thread the time is what that thread has executed, with more it is the time on the wall.

`in_blocks` is the share of the instructions that translated blocks executed, those that were taken back included:
unlike the speed it does not depend on the host, so that tests can ask for it. So with `in_batches`: what host threads
executed side by side.

`ideal-caches` is the same machine with caches as large as its memory: after the first pieces nothing misses.
"""

from __future__ import annotations

import copy
import importlib.util
import math
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from signalbox.build.toolchain import GCC, require
from signalbox.errors import Failed
from signalbox.resources import data_root, platform_search_dirs, resource
from signalbox.sim import Machine, host_loop, platform_resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PIECES = 5
_WARM_CYCLES = 400_000
_HOST_STEPS = 20_000_000
_BARE_FLAGS = (
    *("-O2", "-march=rv32imac_zicsr_zifencei", "-mabi=ilp32", "-ffreestanding"),
    *("-nostartfiles", "--specs=picolibc.specs"),
    *("-Wl,-N", "-Wl,--no-warn-rwx-segments", "-Wl,--no-relax"),
)
_COREMARK_PACKAGE = "pythondata_cpu_ibex"


@dataclass(frozen=True)
class Case:
    """A program, the machine that it runs on, and how many of the machine's cores are busy."""

    workload: str
    timing: str = "full"
    cores: int = 1
    host_threads: int = 1
    busy: int | None = None
    platform: str = "de2-dual"

    @property
    def name(self) -> str:
        """What tells the case from the others."""
        parts = [self.workload]
        if self.timing != "full":
            parts.append(self.timing)
        if self.cores > 1:
            parts.append(f"{self.cores}-cores")
        if self.busy is not None:
            parts.append(f"{self.busy}-busy")
        if self.host_threads > 1:
            parts.append(f"{self.host_threads}-threads")
        return "-".join(parts)


# The geometric mean for one busy core is over these.
FIVE = ("coremark", "memcpy-4k", "matrix", "t0-receiver", "random-branches")
_BUILT = {"integer": "integer", "memcpy-4k": "memcpy", "t0-receiver": "receiver"}
_PROGRAM = 0x0080_0000
_FAR = 0x0180_0000
_OWN = 0x2000_0000
_OWN_BYTES = 0x1_0000
_TILE_BYTES = 0x8_0000
_NI = 0x1000_4000

CASES = (
    *(Case(w, t) for t in ("full", "ideal-caches") for w in (*FIVE, "integer")),
    *(Case(w, cores=2) for w in ("integer", "memcpy-4k", "t0-receiver")),
    *(Case("private-memories", cores=64, platform="many", host_threads=n) for n in (1, 2, 4, 8)),
    *(Case("network", cores=64, platform="many", host_threads=n) for n in (1, 2)),
    Case("shared-bus", cores=64, platform="many"),
    Case("private-memories", cores=2, platform="many"),
    Case("private-memories", cores=256, busy=2, platform="many"),
    Case("private-memories", cores=1024, platform="many"),
)


def run(
    instructions: int,
    on_progress: Callable[[float], None],
    out: Path | None = None,
    only: Sequence[str] = (),
) -> dict[str, Any]:
    """Measure all cases, or those of these workloads, over at least so many instructions each."""
    folder = (out or _default_out()).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    results: list[dict[str, Any]] = []
    missing: list[str] = []
    for i, case in enumerate(CASES):
        if only and case.workload not in only and case.name not in only:
            continue
        if case.workload == "coremark" and coremark_sources() is None:
            missing.append(f"{case.name}: CoreMark's sources come with the Python package pythondata-cpu-ibex")
        else:
            results.append(_measure(case, instructions, folder))
        on_progress(i + 1)
    return {"cases": results, "missing": missing, "one_busy_core": _summary(results)}


def _default_out() -> Path:
    root = data_root()
    return (root if (root / "sim").is_dir() else Path.cwd()) / "build" / "bench"


def _summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    summary = {}
    for timing in ("full", "ideal-caches"):
        rates = {
            r["workload"]: r["mips"]
            for r in results
            if r["workload"] in FIVE and r["timing"] == timing and r["cores"] == 1
        }
        if rates:
            slowest = min(rates, key=lambda w: rates[w])
            summary[timing] = {
                "geometric_mean_mips": _geometric_mean(list(rates.values())),
                "lowest_mips": rates[slowest],
                "lowest": slowest,
                "workloads": len(rates),
            }
    return summary


def _measure(case: Case, instructions: int, folder: Path) -> dict[str, Any]:
    platform, images = _machine(case, folder)
    host = _host_mops()
    machine = Machine(platform, images)
    machine.set_threads(case.host_threads)
    clock = time.thread_time if case.host_threads == 1 else time.perf_counter
    # Enough to warm up what is busy, and to see how many instructions a cycle has.
    at = _WARM_CYCLES
    _advance(machine, at, case)
    start = _instructions(machine)
    piece = max(1_000, math.ceil(instructions * at / max(1, start) / _PIECES))
    rates: list[float] = []
    seconds = 0.0
    before = start
    while before - start < instructions or len(rates) < _PIECES:
        at += piece
        began = clock()
        _advance(machine, at, case)
        took = clock() - began
        now = _instructions(machine)
        rates.append((now - before) / max(took, 1e-9) / 1e6)
        seconds += took
        before = now
    return {
        "name": case.name,
        "workload": case.workload,
        "platform": platform["name"],
        "timing": case.timing,
        "cores": case.cores,
        "busy_cores": case.busy or case.cores,
        "host_threads": case.host_threads,
        "instructions": before - start,
        "cycles": at - _WARM_CYCLES,
        "mips": round(median(rates), 2),
        "seconds": round(seconds, 3),
        "host_mops": round(host, 1),
        "in_batches": round(machine.retired_in_batches() / before, 4),
        "in_blocks": round(machine.retired_in_blocks() / before, 4),
        "host_memory_mib": _memory_mib(),
        "state_hash": machine.state_hash(),
    }


def _host_mops() -> float:
    """Million steps per second of the native loop, in the time that this thread has executed."""
    began = time.thread_time()
    host_loop(_HOST_STEPS)
    return _HOST_STEPS / max(time.thread_time() - began, 1e-9) / 1e6


def _memory_mib() -> int:
    """Resident memory of this process now; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * 4096 >> 20


def _machine(case: Case, folder: Path) -> tuple[dict[str, Any], list[tuple[Path, list[int]]]]:
    """The resolved platform and the images of a case."""
    if case.platform == "many":
        return _many(case, folder)
    if case.workload in _BUILT:
        from signalbox.build import builder

        local = "receiver_local" if case.workload == "t0-receiver" and case.cores == 1 else _BUILT[case.workload]
        built = builder.build(resource("apps", "bench", f"{local}.toml"), out=folder / local)
        platform = copy.deepcopy(built.description["platform"])
        images = [(Path(path), cores) for path, cores in built.images[: case.cores]]
    else:
        path = resource("platforms", "de2-dual.toml")
        platform = platform_resolve(path.read_text(), str(path), platform_search_dirs())
        sdram = next(m for m in platform["memories"] if m["name"] == "sdram")
        images = [(_bare(case, folder, sdram["base"], 1, 13), [0])]
    if case.timing == "ideal-caches":
        size = max(m["size_bytes"] for m in platform["memories"])
        for core in platform["cores"]:
            for cache in ("icache", "dcache"):
                core[cache]["size_bytes"] = size
    return platform, images


def _many(case: Case, folder: Path) -> tuple[dict[str, Any], list[tuple[Path, list[int]]]]:
    """Cores of de2-dual: with a memory each, or all on one, besides the one that holds the program; or tiles of a mesh,
    whose only memory is their own, with the network interface of mesh-4x4."""
    shared, tiles = case.workload == "shared-bus", case.workload == "network"
    text = [
        "schema = 1",
        f'name = "bench-{case.workload}-{case.cores}"',
        "clock_hz = 50_000_000",
        f'default_memory = "{"own" if tiles else "program"}"',
        "[interconnect]",
        "request_cycles = 1",
        "response_cycles = 1",
        "[[core]]",
        f"count = {case.cores}",
        'name = "cpu{}"',
        'class = "nios2f"',
        "icache = { size_bytes = 8192, line_bytes = 32, ways = 1 }",
        "dcache = { size_bytes = 4096, line_bytes = 32, ways = 1 }",
    ]
    if tiles:
        side = math.isqrt(case.cores)
        text += ["[noc]", 'topology = "mesh"', f"width = {side}", f"height = {side}"]
        text += [*_sram("own", _PROGRAM, _TILE_BYTES), "per_core = true"]
        text += ["[[device]]", 'name = "ni"', 'model = "ni"', "per_core = true", f"base = {_NI:#x}"]
        text += ["tx_flits = 64", "rx_flits = 128"]
        place = [f"-DBENCH_NI={_NI:#x}u", f"-DBENCH_SIDE={side}u"]
    else:
        text += _sram("program", _PROGRAM, 0x0100_0000)
        if shared:
            text += _sram("shared", _FAR, 0x1_0000)
            place = [f"-DBENCH_FAR={_FAR:#x}u"]
        else:
            text += [*_sram("own", _OWN, _OWN_BYTES), "per_core = true"]
            place = [f"-DBENCH_DATA={_OWN:#x}u"]
    platform = platform_resolve("\n".join(text) + "\n", "<bench>", platform_search_dirs())
    busy = case.busy or case.cores
    elf = _bare(case, folder, _PROGRAM, case.cores, 9, [f"-DBENCH_BUSY={busy}u", *place])
    return platform, [(elf, list(range(case.cores)))]


def _sram(name: str, base: int, size: int) -> list[str]:
    return [
        "[[memory]]",
        f'name = "{name}"',
        f"base = {base:#x}",
        f"size_bytes = {size:#x}",
        'kind = "sram"',
        "width_bits = 32",
        "access_cycles = 1",
    ]


def coremark_sources() -> Path | None:
    """Where CoreMark's sources are, if the package that carries them is installed."""
    spec = importlib.util.find_spec(_COREMARK_PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "system_verilog" / "vendor" / "eembc_coremark"
        if (folder / "coremark.h").exists():
            return folder
    return None


def _bare(case: Case, folder: Path, base: int, cores: int, stack_shift: int, options: Sequence[str] = ()) -> Path:
    """Compile a program that runs without a kernel."""
    own = resource("apps", "bench", "bare")
    if case.workload == "coremark":
        vendor = coremark_sources()
        assert vendor is not None
        sources = [own / "core_portme.c", *sorted(vendor.glob("core_*.c"))]
        options = [*options, f"-I{own}", f"-I{vendor}"]
    elif case.platform == "many":
        sources = [own / "many.c"]
    else:
        sources = [own / {"matrix": "matrix.c", "random-branches": "branches.c"}[case.workload]]
    elf = folder / f"{case.name}.elf"
    command = [
        require(GCC),
        *_BARE_FLAGS,
        *options,
        f"-DBENCH_CORES={cores}",
        f"-DBENCH_STACK_SHIFT={stack_shift}",
        f"-Wl,--defsym=BENCH_BASE={base:#x}",
        "-T",
        str(own / "bare.ld"),
        str(own / "start.S"),
        *(str(s) for s in sources),
        "-o",
        str(elf),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"bench case {case.name} cannot be compiled:\n{done.stderr.strip()}")
    return elf


def _advance(machine: Machine, until: int, case: Case) -> None:
    result = machine.run(until)
    if result["stop"] != "budget":
        fault = machine.fault()
        why = f": {fault['message']}" if fault else ""
        raise Failed(f"bench case {case.name} ended at cycle {result['cycle']} ({result['stop']}){why}")


def _instructions(machine: Machine) -> int:
    return sum(int(c["instructions"]) for c in machine.stats()["cores"])


def _geometric_mean(values: list[float]) -> float:
    return round(math.exp(sum(math.log(v) for v in values) / len(values)), 2)
