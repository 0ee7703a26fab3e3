# SPDX-License-Identifier: Apache-2.0
"""What the kernel weighs: bytes of each component, of a task and of each object, and of each option.

A *component* is counted with every function that it has: what it could put into an image. An *option* is what the image
of `apps/size` grows by when only that option changes: what the linker keeps. An *image* is weighed by the linker's map.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.build import builder, toolchain
from signalbox.errors import Failed
from signalbox.resources import resource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.table import Table

CORE = {
    "tasks": ("control", "fatal", "names", "node", "remote", "schedule", "stack", "task"),
    "signals": ("signal",),
    "pools": ("pool",),
    "semaphores": ("sem",),
    "timeouts": ("tickless", "time", "timeout"),
}
"""The kernel's core: files of rtos/kernel by component. Every other file there is a component of its own."""

SERVICES = ("services/heap", "services/timeout", "services/device_memory", "services/process")
LEVELS = ("release", "hooks", "checked")
OPTIMISATIONS = ("-Os", "-O2")

OPTIONS: tuple[tuple[str, dict[str, str]], ...] = (
    ("kernel.level = hooks", {"kernel.level": "hooks"}),
    ("kernel.level = checked", {"kernel.level": "checked"}),
    ("kernel.clock = tickless", {"kernel.clock": "tickless"}),
    ("kernel.scheduling = cooperative", {"kernel.scheduling": "cooperative"}),
    ("kernel.tick_hz = 0", {"kernel.tick_hz": "0"}),
    ("build.optimise_kernel = -O2", {"build.optimise_kernel": "-O2"}),
)
"""Options and what sets them."""

OBJECTS = {
    "node, without its tasks and pools": "struct sb_node",
    "task, without its stack": "struct sb_task",
    "pool": "struct sb_pool",
    "signal, beside its block": "char[SB_SIGNAL_HEADER_BYTES + SB_SIGNAL_TAIL_BYTES]",
    "semaphore": "struct sb_sem",
    "event flags": "struct sb_flags",
    "message queue, without its ring": "struct sb_mq",
    "mutex": "struct sb_mutex",
    "condition variable": "struct sb_cond",
    "reader-writer lock": "struct sb_rwlock",
    "timeout": "struct sb_timeout",
    "periodic task, beside the task": "struct sb_period",
    "turns of best-effort tasks": "struct sb_slice",
    "heap, without its memory": "struct sb_heap",
}
"""What takes RAM, and its type in C."""

_HEADERS = (
    *("cond", "config_types", "flags", "heap", "message_queue", "mutex", "node", "pool", "rwlock", "sem"),
    *("task", "timeout"),
)


@dataclass(frozen=True)
class Bytes:
    """Bytes by where they lie at run time."""

    code: int = 0
    constants: int = 0
    data: int = 0
    bss: int = 0

    @property
    def rom(self) -> int:
        """What a read-only memory holds: code, constants, initial values."""
        return self.code + self.constants + self.data

    @property
    def ram(self) -> int:
        """What takes RAM."""
        return self.data + self.bss

    def __add__(self, other: Bytes) -> Bytes:
        return Bytes(
            self.code + other.code, self.constants + other.constants, self.data + other.data, self.bss + other.bss
        )

    def data_fields(self) -> dict[str, int]:
        """For JSON."""
        return {
            "code_bytes": self.code,
            "constant_bytes": self.constants,
            "data_bytes": self.data,
            "bss_bytes": self.bss,
            "rom_bytes": self.rom,
            "ram_bytes": self.ram,
        }


@dataclass(frozen=True)
class Machine:
    """An instruction set to compile for."""

    name: str
    tool: toolchain.Tool
    flags: tuple[str, ...]
    port: str
    board: str | None = None
    """The board of the port whose platform.h takes the place of the generated one."""


RISCV = Machine(
    "rv32imc", toolchain.GCC, ("-march=rv32imc_zicsr_zifencei", "-mabi=ilp32", "-mcmodel=medany"), "riscv32"
)
CORTEX_M3 = Machine("cortex-m3", toolchain.ARM_GCC, ("-mcpu=cortex-m3", "-mthumb"), "cortex_m", "mps2-an385")


def machines() -> list[Machine]:
    """Those whose compiler is there and whose critical sections port.h knows."""
    known = resource("rtos", "include", "signalbox", "port.h").read_text(encoding="utf-8")
    found = [RISCV]
    if re.search(r"defined\(__arm__\)|__ARM_ARCH", known) and toolchain.locate(toolchain.ARM_GCC):
        found.append(CORTEX_M3)
    return found


def elf_bytes(path: Path) -> Bytes:
    """The sections of an ELF file that are loaded."""
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    sums = {"code": 0, "constants": 0, "data": 0, "bss": 0}
    with path.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            flags = section["sh_flags"]
            if not flags & SH_FLAGS.SHF_ALLOC or section.name.startswith((".ARM.", ".eh_frame")):
                continue
            if section["sh_type"] == "SHT_NOBITS":
                kind = "bss"
            elif flags & SH_FLAGS.SHF_WRITE:
                kind = "data"
            else:
                kind = "code" if flags & SH_FLAGS.SHF_EXECINSTR else "constants"
            sums[kind] += section["sh_size"]
    return Bytes(**sums)


def component_files(machine: Machine) -> dict[str, list[Path]]:
    """The sources of each component, those of the core first, the port to the processor last."""
    kernel = resource("rtos", "kernel")
    grouped = {stem for stems in CORE.values() for stem in stems}
    out = {name: [kernel / f"{stem}.c" for stem in stems] for name, stems in CORE.items()}
    out |= {p.stem.replace("_", " "): [p] for p in sorted(kernel.glob("*.c")) if p.stem not in grouped}
    for folder in SERVICES:
        out[folder.replace("_", " ")] = sorted(resource("rtos", *folder.split("/")).glob("*.c"))
    out["port"] = sorted(p for p in resource("rtos", "ports", machine.port).iterdir() if p.suffix in {".c", ".S"})
    return out


def _generated(level: str) -> Path:
    """platform.h and config.h of apps/size at this level."""
    target = resource("apps", "size", "system.toml")
    built = builder.build(target, {"kernel.level": level}, generate_only=True)
    return Path(built.description["generated"]) / "node0"


_SECTIONS = ("-ffunction-sections", "-fdata-sections", "-fno-jump-tables", "-fno-common")
_COMPILE = ("-c", "--specs=picolibc.specs", "-std=c11", *_SECTIONS)


def _compile(machine: Machine, optimise: str, level: str, sources: Sequence[Path], folder: Path) -> None:
    rtos = resource("rtos")
    board = [] if machine.board is None else [f"-I{rtos / 'ports' / machine.port / 'boards' / machine.board}"]
    include = [f"-I{rtos / 'include'}", f"-I{rtos}", *board, f"-I{_generated(level)}"]
    _gcc(machine, [*_COMPILE, optimise, *include, *map(str, sources)], folder)


def _gcc(machine: Machine, words: Sequence[str], folder: Path) -> None:
    command = [toolchain.require(machine.tool), *machine.flags, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{machine.tool.name} failed:\n{done.stderr.strip()}")


def components(machine: Machine, optimise: str, level: str) -> dict[str, Bytes]:
    """Bytes of each component, and of the core together. Linked: only the linker knows how short a call can be."""
    files = component_files(machine)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiled = []
        for number, paths in enumerate(files.values()):
            part = folder / str(number)
            part.mkdir()
            _compile(machine, optimise, level, paths, part)
            compiled += [f"{number}/{path.stem}.o" for path in paths]
        link = ["-nostdlib", "-Wl,--unresolved-symbols=ignore-all,-Map=all.map,-e,0,-Ttext=0x10000", "-o", "all.elf"]
        _gcc(machine, [*link, *compiled], folder)
        found = _mapped(folder / "all.map", lambda origin: origin.split("/")[0])
    sizes = {component: found.get(str(number), Bytes()) for number, component in enumerate(files)}
    return {"core": sum((sizes[name] for name in CORE), Bytes()), **sizes}


def objects(machine: Machine) -> dict[str, int]:
    """Bytes of RAM of each kind of object."""
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    lines = [f'#include "signalbox/{h}.h"' for h in _HEADERS]
    lines += [f"char size_{i}[sizeof({ctype})];" for i, ctype in enumerate(OBJECTS.values())]
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "objects.c"
        source.write_text("\n".join(lines) + "\n")
        _compile(machine, "-Os", "release", [source], Path(name))
        with (Path(name) / "objects.o").open("rb") as file:
            tables = [s for s in ELFFile(file).iter_sections() if isinstance(s, SymbolTableSection)]
            sizes = {s.name: int(s["st_size"]) for t in tables for s in t.iter_symbols()}
    return {what: sizes[f"size_{i}"] for i, what in enumerate(OBJECTS)}


def _image(assignments: Mapping[str, str]) -> Bytes:
    built = builder.build(resource("apps", "size", "system.toml"), assignments)
    return elf_bytes(built.images[0][0])


def options() -> list[tuple[str, Bytes, Bytes]]:
    """What each option adds to the image of apps/size: its name, the image, and the difference."""
    with ThreadPoolExecutor(2) as pool:
        plain, *with_option = pool.map(_image, [{}, *(values for _, values in OPTIONS)])
    out = [("none", plain, Bytes())]
    for (name, _), image in zip(OPTIONS, with_option, strict=True):
        less = Bytes(-plain.code, -plain.constants, -plain.data, -plain.bss)
        out.append((name, image, image + less))
    return out


_SECTION = re.compile(r"^ (\.\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$")
_PLACED = {".text": "code", ".rodata": "constants", ".srodata": "constants", ".data": "data", ".sdata": "data"}
_PLACED |= {".sb_params": "constants", ".tdata": "data", ".tbss": "bss", ".bss": "bss", ".sbss": "bss", "COMMON": "bss"}


def image_components(elf: Path) -> dict[str, Bytes]:
    """The image of a node by the room that its bytes come from: the linker's map."""
    mapped = elf.with_suffix(".map")
    if not mapped.is_file():
        raise Failed(f"{mapped}: the linker's map is missing; build the system again")
    found = _mapped(mapped, _room)
    return {room: found[room] for room in sorted(found, key=lambda room: -found[room].rom)}


def _mapped(path: Path, place: Callable[[str], str]) -> dict[str, Bytes]:
    """Bytes by what `place` says of the object file that they come from."""
    text = re.sub(r"\n( \.\S+)\n\s+0x", r"\n\1 0x", path.read_text(errors="replace"))
    found: dict[str, Bytes] = {}
    for line in text.partition("Linker script and memory map")[2].splitlines():
        match = _SECTION.match(line)
        kind = next((k for prefix, k in _PLACED.items() if match[1].startswith(prefix)), None) if match else None
        if match and kind and int(match[2], 16):
            owner = place(match[4])
            found[owner] = found.get(owner, Bytes()) + Bytes(**{kind: int(match[3], 16)})
    return found


def _room(origin: str) -> str:
    """kernel, link, an application: from the name of an object file, `CMakeFiles/NODE_PART.dir/PATH`."""
    if ".a(" in origin:
        return "C library"
    part, _, path = origin.partition(".dir/")
    if part.endswith("_app"):
        return "application"
    room = path.split("/")[0]
    return room if room in {"kernel", "link", "services", "drivers", "ports", "compat"} else "configuration"


def tables_of(data: Mapping[str, Any]) -> list[Table]:
    """The catalogue for a terminal."""
    out = []
    by: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in data["components"]:
        by.setdefault((row["machine"], row["optimisation"], row["level"]), []).append(row)
    for (machine, optimisation, level), rows in by.items():
        grid = _grid(f"{machine}, {optimisation}, {level}: every function of a component", "component")
        for row in rows:
            _fill(grid, str(row["component"]), row)
        out.append(grid)
    grid = _grid("RAM", "object", ("machine", "bytes"))
    for row in data["objects"]:
        grid.add_row(row["object"], row["machine"], f"{row['bytes']:,}")
    out.append(grid)
    grid = _grid("apps/size linked, rv32: what an option adds", "option")
    for row in data["options"]:
        _fill(grid, str(row["option"]), row, "added_")
    out.append(grid)
    return out


def image_tables(data: Mapping[str, Any]) -> list[Table]:
    """The images of a system for a terminal."""
    out = []
    for node in data["nodes"]:
        grid = _grid(f"{data['name']}, {node['name']}: linked", "from")
        for row in node["components"]:
            _fill(grid, str(row["component"]), row)
        out.append(grid)
    return out


_COLUMNS = ("code", "constant", "data", "bss", "rom", "ram")


def _grid(title: str, first: str, columns: Sequence[str] = _COLUMNS) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    grid = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    grid.add_column(first)
    for name in columns:
        grid.add_column(name, justify="right")
    return grid


def _fill(grid: Table, name: str, row: Mapping[str, Any], prefix: str = "") -> None:
    grid.add_row(name, *(f"{row[f'{prefix}{column}_bytes']:,}" for column in _COLUMNS))


def catalogue() -> dict[str, Any]:
    """Components, objects and options as one JSON object."""
    rows = []
    for machine in machines():
        variants = [("-Os", level) for level in LEVELS] + [("-O2", "release")]
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda v: components(machine, *v), variants))  # noqa: B023
        for (optimise, level), sizes in zip(variants, found, strict=True):
            for name, size in sizes.items():
                rows.append(
                    {
                        "component": name,
                        "machine": machine.name,
                        "optimisation": optimise,
                        "level": level,
                        **size.data_fields(),
                    }
                )
    return {
        "components": rows,
        "objects": [{"object": o, "machine": m.name, "bytes": n} for m in machines() for o, n in objects(m).items()],
        "smallest_stack_bytes": 256,
        "options": [
            {
                "option": name,
                **image.data_fields(),
                **{f"added_{key}": value for key, value in added.data_fields().items()},
            }
            for name, image, added in options()
        ],
    }


def system(target: Path, assignments: Mapping[str, str]) -> dict[str, Any]:
    """The images of a system, built first, by where their bytes come from."""
    built = builder.build(target, assignments)
    nodes = []
    for node, (elf, _) in zip(built.description["nodes"], built.images, strict=True):
        parts = image_components(elf)
        nodes.append(
            {
                "name": node["name"],
                "components": [{"component": name, **size.data_fields()} for name, size in parts.items()],
                **elf_bytes(elf).data_fields(),
            }
        )
    return {"name": built.description["name"], "level": built.description["level"], "nodes": nodes}
