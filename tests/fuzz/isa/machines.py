# SPDX-License-Identifier: Apache-2.0
"""The two machines that run an image: QEMU's `virt` and the simulator's. Each gives the bytes that the UART sent."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Protocol

from tests.fuzz.isa import image
from tests.fuzz.isa.generate import OPTIONAL
from tests.fuzz.isa.program import Program, Unit

ROOT = Path(__file__).resolve().parents[3]
QEMU = "qemu-system-riscv32"
MAX_CYCLES = 20_000_000
MAX_SECONDS = 30.0

# RV32IMAFC in machine and user mode, as on the simulator. QEMU's versions know different names of what must be off; the
# first line that this one accepts is taken. With an MMU that no mode uses QEMU 7.2 checks a whole page when it fetches.
OFF = ("h", "s", "mmu", "d", "zba", "zbb", "zbc", "zbs")
PROCESSORS = [
    ",".join(["rv32", *(f"{name}=off" for name in names)])
    for names in (
        (*OFF, "zfa", "zawrs", "zacas", "zcb", "zicboz", "zihintntl", "sstc", "svadu", "zihpm", "zicntr"),
        (*OFF, "zfa", "zawrs", "zicboz", "sstc", "svadu"),
        (*OFF, "zawrs", "sstc"),
        OFF,
    )
]


class Machine(Protocol):
    """Runs an image to its end, or to a limit."""

    name: str

    def run(self, path: Path) -> bytes: ...


class Qemu:
    """QEMU, a process per image. It has two harts, of which one only waits: with a single one QEMU splits an atomic
    instruction into a load and a store, and then a misaligned one is reported as a load."""

    name = "QEMU"

    def run(self, path: Path) -> bytes:
        words = [QEMU, "-M", "virt", "-cpu", processor(), "-smp", "2", "-bios", "none", "-display", "none",
                 "-monitor", "none", "-serial", "stdio"]  # fmt: skip
        with subprocess.Popen(
            [*words, "-kernel", str(path)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ) as process:
            try:
                output, _ = process.communicate(timeout=MAX_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                output, _ = process.communicate()
        return output or b""


class Simulator:
    """The simulator, in this process."""

    name = "simulator"

    def __init__(self) -> None:
        from signalbox import _sim  # not needed to compare QEMU with itself

        self.machine = _sim.Machine
        platform = ROOT / "platforms" / "virt.toml"
        text = platform.read_text().replace('class = "ideal"', 'class = "ideal-f"')
        self.platform = _sim.platform_resolve(text, str(platform), [str(platform.parent)])

    def run(self, path: Path) -> bytes:
        machine = self.machine(self.platform, [(str(path), [0])])
        outcome = json.loads(machine.run(MAX_CYCLES))
        self.outcome = outcome["stop"]
        return b"".join(data for _, data in machine.console())


@cache
def processor() -> str:
    """QEMU's -cpu for this version of it."""
    for name in PROCESSORS:
        words = [
            QEMU,
            "-M",
            "virt",
            "-cpu",
            name,
            "-bios",
            "none",
            "-display",
            "none",
            "-monitor",
            "stdio",
            "-serial",
            "none",
            "-S",
        ]
        if subprocess.run(words, input="quit\n", capture_output=True, text=True, check=False).returncode == 0:
            return name
    raise RuntimeError(f"{QEMU} accepts none of the processors that tests/fuzz/isa/machines.py knows")


def qemu_version() -> str:
    shown = subprocess.run([QEMU, "--version"], check=True, capture_output=True, text=True).stdout
    return shown.split()[3]


def missing() -> list[str]:
    """Tools that are needed and not installed."""
    return [tool for tool in (QEMU, f"{image.PREFIX}as", f"{image.PREFIX}ld") if not shutil.which(tool)]


def lacking(machine: Machine) -> list[str]:
    """The optional instructions that a machine refuses as illegal."""
    # The scratch memory, which x4 points to, exists; what is missing is the instruction.
    programs = [Program(name, (0,) * 31, 1, (Unit((f"{name} (x4)",)),)) for name in OPTIONAL]
    with tempfile.TemporaryDirectory() as folder:
        path = image.build(Path(folder), "optional", image.source(programs))
        results = image.decode(machine.run(path))
    return [name for number, name in enumerate(OPTIONAL) if dict(results[number].words)["traps"]]
