# SPDX-License-Identifier: Apache-2.0
"""Builds the RTL of a core with Verilator, once for each set of sources, and runs images on it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from signalbox.build import toolchain
from signalbox.errors import Failed
from signalbox.resources import resource

if TYPE_CHECKING:
    from pathlib import Path

    from signalbox.certificate.cores import Core

RAM_BASE = 0x4000_0000
RAM_BYTES = 1 << 20


@dataclass(frozen=True)
class Seen:
    """What was seen of one run, on the RTL or on the model."""

    stop: str
    cycles: int
    result: int
    marks: tuple[int, ...]
    console: str = ""
    instructions: int | None = None

    @property
    def measured(self) -> int:
        """Cycles between the first mark and the last."""
        return self.marks[-1] - self.marks[0]


def bench(core: Core, cache: Path) -> Path:
    """The simulator of a core's RTL; built if these sources have not been built yet."""
    verilator = toolchain.require(toolchain.VERILATOR)
    rooms = resource("experiments", "certificate", "rtl")
    flags, files = core.verilator()
    own = [rooms / core.wrapper, rooms / "ram.v", rooms / "bench.cpp"]
    options = [
        *("--cc", "--exe", "--build", "-j", str(min(os.cpu_count() or 1, 4)), "-O3", "--prefix", "Vtop"),
        *("--top-module", "top", "--x-initial", "unique", "--x-assign", "fast", "-o", "bench"),
        *("-CFLAGS", "-O2", "-MAKEFLAGS", "OPT_FAST=-O2"),
    ]
    digest = hashlib.sha256("\0".join([*options, *flags, str(toolchain.version(verilator))]).encode())
    for file in [*own, *files]:
        digest.update(file.read_bytes())
    folder = cache / f"{core.name}-{digest.hexdigest()[:16]}"
    program = folder / "bench"
    if program.exists():
        return program
    cache.mkdir(parents=True, exist_ok=True)
    making = folder.with_name(f"{folder.name}.{os.getpid()}")
    command = [verilator, *options, *flags, "-Mdir", str(making), *map(str, files), *map(str, own)]
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    if out.returncode:
        raise Failed(f"verilator cannot build {core.name}:\n{(out.stdout + out.stderr)[-4000:]}")
    try:
        making.rename(folder)
    except OSError:  # somebody else has built the same meanwhile
        shutil.rmtree(making, ignore_errors=True)
    return program


def symbols(elf: Path) -> dict[str, int]:
    """Addresses of the image's symbols."""
    with elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            raise Failed(f"{elf} has no symbols")
        return {s.name: int(s["st_value"]) for s in table.iter_symbols()}


def write_image(elf: Path, out: Path) -> None:
    """The image's words as `$readmemh` reads them."""
    with elf.open("rb") as file:
        lines = []
        for segment in ELFFile(file).iter_segments():
            if segment["p_type"] != "PT_LOAD" or segment["p_filesz"] == 0:
                continue
            base, data = int(segment["p_paddr"]), segment.data()
            if base % 4 or not RAM_BASE <= base <= RAM_BASE + RAM_BYTES - len(data):
                raise Failed(f"{elf}: a segment at {base:#x} is not in the memory of the RTL bench")
            data += bytes(-len(data) % 4)
            lines.append(f"@{(base - RAM_BASE) // 4:x}")
            lines += [f"{int.from_bytes(data[i : i + 4], 'little'):08x}" for i in range(0, len(data), 4)]
    out.write_text("\n".join(lines) + "\n")


def run(program: Path, elf: Path, *, seed: int = 1, limit: int = 50_000_000) -> Seen:
    """Run an image on a bench. Memory and registers that nothing sets hold the seed's random values."""
    image = elf.with_suffix(".hex")
    write_image(elf, image)
    names = symbols(elf)
    command = [str(program), "--seed", str(seed), "--limit", str(limit), "--mark", str(names["cert_mark"])]
    command += ["--result", str(names["cert_result"]), f"+image={image}"]
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    line = next((line for line in out.stdout.splitlines() if line.startswith("{")), None)
    if out.returncode or line is None:
        raise Failed(f"the RTL bench of {elf.name} failed:\n{(out.stdout + out.stderr)[-2000:]}")
    data: dict[str, Any] = json.loads(line)
    return Seen(data["stop"], data["cycles"], data["result"], tuple(data["marks"]), data["console"])
