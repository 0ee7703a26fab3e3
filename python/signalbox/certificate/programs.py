# SPDX-License-Identifier: Apache-2.0
"""The programs of the certificate, and how they are compiled for a core: without an operating system or a C library."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signalbox.build import toolchain
from signalbox.certificate.cores import package_folder
from signalbox.errors import Failed
from signalbox.resources import resource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from signalbox.certificate.cores import Core

OPTIMISATION = "-O2"
_FLAGS = (
    *(
        "-mabi=ilp32",
        "-mcmodel=medany",
        OPTIMISATION,
        "-g",
        "-std=gnu11",
        "-ffreestanding",
        "-nostdlib",
        "-nostartfiles",
    ),
    *("-ffunction-sections", "-fdata-sections", "-fno-tree-loop-distribute-patterns", "-fno-builtin"),
    *("-Wall", "-Wextra", "-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments"),
)


def _one(core: Core) -> bool:
    return core.harts == 1


def _two(core: Core) -> bool:
    return core.harts == 2


@dataclass(frozen=True)
class Program:
    """One program: a C file of the same name, and on which cores it can run."""

    name: str
    runs_on: Callable[[Core], bool] = _one
    options: tuple[str, ...] = ()
    source: str | None = None
    """The C file, if it has another name."""


PROGRAMS = (
    Program("alu"),
    Program("shifts"),
    Program("words"),
    Program("bytes"),
    Program("branches"),
    Program("calls"),
    Program("multiply"),
    Program("divide"),
    Program("copy"),
    Program("matrix"),
    Program("sort"),
    Program("crc"),
    Program("lists"),
    Program("counters", lambda core: _one(core) and core.counters),
    Program("traps", lambda core: _one(core) and core.machine_mode),
    Program("misaligned", lambda core: _one(core) and core.misaligned),
    Program("coremark"),
    Program("system", _two),
    Program("polling", _two, ("-DCERT_POLLING",), "system"),
    Program("doorbell", _two),
)


def folder() -> Path:
    """Where the programs are."""
    return resource("experiments", "certificate", "programs")


def compile_program(program: Program, core: Core, out: Path) -> Path:
    """The program's image for this core."""
    sources, options = [folder() / f"{program.source or program.name}.c"], [*program.options]
    if core.harts > 1:
        options.append("-DCERT_TWO")
    if program.name == "coremark":
        mark = package_folder("pythondata_cpu_ibex") / "system_verilog" / "vendor" / "eembc_coremark"
        names = ("core_list_join", "core_main", "core_matrix", "core_state", "core_util")
        sources = [*(mark / f"{n}.c" for n in names), folder() / "coremark" / "core_portme.c"]
        options += [f"-I{folder() / 'coremark'}", f"-I{mark}", "-DPERFORMANCE_RUN=1", "-DITERATIONS=1", "-w"]
    return link(sources, options, core.march, out / core.name / f"{program.name}.elf")


def link(sources: Sequence[Path], options: Sequence[str], march: str, elf: Path) -> Path:
    """Compile and link with the start-up code."""
    gcc = toolchain.require(toolchain.GCC)
    elf.parent.mkdir(parents=True, exist_ok=True)
    own = folder()
    command = [gcc, f"-march={march}", *_FLAGS, *options, f"-I{own}", f"-T{own / 'cert.ld'}", "-o", str(elf)]
    command += [str(own / "start.S"), *map(str, sources), _libgcc(gcc, march)]
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    if out.returncode:
        raise Failed(f"{elf.name} cannot be compiled for {march}:\n{out.stderr}")
    return elf


def _libgcc(gcc: str, march: str) -> str:
    """The compiler's own library for the plain part of the instruction set: only that is looked up by name."""
    plain = "rv32im" if "m" in march.split("_")[0].removeprefix("rv32") else "rv32i"
    command = [gcc, f"-march={plain}", "-mabi=ilp32", "-print-libgcc-file-name"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
