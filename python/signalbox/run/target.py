# SPDX-License-Identifier: Apache-2.0
"""What can be run: a system (built first), a finished system.json, or any ELF file on a platform."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from signalbox import __version__
from signalbox.build.model import Platform
from signalbox.errors import BadInput, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DEFAULT_PLATFORM = "virt"


@dataclass(frozen=True)
class Target:
    """Images, the platform they run on, and whose console each core's is."""

    name: str
    platform: Platform
    images: tuple[tuple[Path, tuple[int, ...]], ...]
    node_names: Mapping[int, str]
    image_hash: str
    is_system: bool
    description: Mapping[str, Any]
    merged: Path | None = None
    """One image of all nodes, for machines that load one and start every core at its beginning."""
    raw_at: int | None = None
    """Where images are loaded and started that are no ELF files but bare bytes."""

    @property
    def consoles(self) -> dict[str, str]:
        """Whose console each UART is: the node on its core, or everybody's."""
        own = {
            u.name: self.node_names[u.core]
            for u in self.platform.uarts
            if u.core is not None and u.core in self.node_names
        }
        return own or {u.name: self.name for u in self.platform.uarts}

    def ends(self) -> list[int]:
        """Where the segments of the images end."""
        from signalbox import sim

        if self.raw_at is not None:
            return [self.raw_at + path.stat().st_size for path, _ in self.images]
        return [s["addr"] + s["size"] for path, _ in self.images for s in sim.image_info(path)["segments"]]

    @property
    def input_uart(self) -> str | None:
        """The UART that gets stdin: the first node's."""
        first = self.images[0][1][0]
        uarts = sorted(self.platform.uarts, key=lambda u: (u.core != first, u.core is not None))
        return uarts[0].name if uarts else None

    def console_of(self, name: str) -> str:
        """The UART that is the console of a node, for stdin."""
        found = [uart for uart, whose in self.consoles.items() if whose == name]
        if not found:
            known = ", ".join(self.consoles.values()) or "none"
            raise UsageError(f"--stdin: no node `{name}` has a console of its own; there are: {known}")
        return found[0]

    def run_id(self, seed: int) -> str:
        """Identifies a run: ELF files, platform, seed, version."""
        return hashlib.sha256(f"{self.image_hash}:{seed}:{__version__}".encode()).hexdigest()[:16]

    def meta(self, seed: int) -> dict[str, Any]:
        """What a trace file says about its run."""
        return {
            "name": self.name,
            "run": self.run_id(seed),
            "platform": self.platform.name,
            "clock_hz": self.platform.clock_hz,
            "cores": [c.name for c in self.platform.cores],
            "nodes": {str(core): name for core, name in self.node_names.items()},
            "seed": seed,
            "version": __version__,
            "level": self.description.get("level"),
            "optimise": self.description.get("optimise"),
            "params": self.description.get("params"),
        }


def find(
    path: Path, assignments: Mapping[str, str], platform: str | None, harts: int | None = None, raw: bool = False
) -> Target:
    """Decide what a TARGET is by its content, and build it if it is a system.

    Of a program, an ELF file or bare bytes, `assignments` override values of the platform; `harts` is `core.count`.
    """
    from signalbox.build import builder

    if not path.exists():
        raise BadInput(f"{path}: no such file or folder")
    if path.is_file() and (raw or path.suffix == ".bin" or _is_elf(path)):
        overrides = dict(assignments) if harts is None else {**assignments, "core.count": str(harts)}
        return program(path, platform or DEFAULT_PLATFORM, overrides, raw=raw or not _is_elf(path))
    if raw:
        raise UsageError("--raw needs a file of bytes; this is a folder")
    if harts is not None:
        raise UsageError("--harts is for ELF files and bare bytes; a system says itself which cores it has")
    if path.is_file() and path.suffix == ".json":
        if assignments:
            raise UsageError("--set needs the system's folder or .toml file; a system.json is finished")
        if platform is not None:
            raise UsageError("--platform: a system.json carries its platform")
        return described(builder.read_description(path), path)
    if path.is_file() and path.suffix != ".toml":
        raise BadInput(f"{path}: neither an ELF file, a system.json nor a .toml file; --raw runs bare bytes")
    built = builder.build(path, assignments, platform=platform)
    return described(built.description, built.system_json)


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError as e:
        raise BadInput(f"{path}: {e.strerror}") from e


def _has_float_abi(path: Path) -> bool:
    """Whether the ELF file says in e_flags that its ABI is one of those with floating-point registers."""
    with path.open("rb") as file:
        header = file.read(40)
    return len(header) == 40 and bool(int.from_bytes(header[36:40], "little") & 0x6)


def described(description: Mapping[str, Any], system_json: Path) -> Target:
    """The target that a system.json describes."""
    from signalbox.build import builder

    images = tuple((p, tuple(cores)) for p, cores in builder.images_of(description, system_json))
    for path, _ in images:
        if not path.is_file():
            raise BadInput(f"{system_json}: {path} does not exist; build again")
    return Target(
        name=description["name"],
        platform=Platform.from_json(description["platform"]),
        images=images,
        node_names={n["core"]: n["name"] for n in description["nodes"]},
        image_hash=description["hash"],
        is_system=True,
        description=description,
        merged=system_json.parent / description["merged"] if description.get("merged") else None,
    )


def program(path: Path, platform_name: str, overrides: Mapping[str, str], raw: bool = False) -> Target:
    """Any ELF file, or with `raw` bytes for the beginning of the memory: every core starts in it.

    On virt, whose cores have floating point in QEMU, an image that passes arguments in floating-point registers gets
    cores with F unless `overrides` names a class."""
    from signalbox.build import source

    if platform_name == DEFAULT_PLATFORM and "core.class" not in overrides and not raw and _has_float_abi(path):
        overrides = {**overrides, "core.class": "ideal-f"}
    platform = Platform.from_json(source.load_platform(platform_name, overrides=overrides))
    cores = tuple(range(len(platform.cores)))
    try:
        digest = hashlib.sha256(path.read_bytes())
    except OSError as e:
        raise BadInput(f"{path}: {e.strerror}") from e
    digest.update(repr(sorted(platform.raw.items())).encode())
    return Target(
        name=path.name,
        platform=platform,
        images=((path, cores),),
        node_names={c: platform.cores[c].name for c in cores},
        image_hash=digest.hexdigest()[:16],
        is_system=False,
        description={},
        raw_at=platform.memory.base if raw else None,
    )
