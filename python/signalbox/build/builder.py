# SPDX-License-Identifier: Apache-2.0
"""Builds a system: one ELF file per node and a `system.json` that says what each node loads.

Everything lies in `build/<name of the system file>` beside it; another choice of build options gets a folder of its
own, so switching between two is free. A build whose inputs are unchanged starts no other program: the inputs are the
resolved system and platform, this package's templates, and each file that the compiler read.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox import __version__
from signalbox.build import generate, merge, params, probes, source, toolchain
from signalbox.errors import BadInput, Failed, ToolMissing
from signalbox.output import say
from signalbox.resources import resource, template_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_STAMP = "stamp.json"
SYSTEM_JSON = "system.json"
MERGED = "merged.elf"


@dataclass(frozen=True)
class Built:
    """A finished build."""

    system_json: Path
    description: dict[str, Any]
    fresh: bool

    @property
    def images(self) -> list[tuple[Path, list[int]]]:
        """ELF file and cores of each node."""
        return images_of(self.description, self.system_json)


def images_of(description: Mapping[str, Any], system_json: Path) -> list[tuple[Path, list[int]]]:
    """ELF file and cores of each node of a system.json."""
    return [(system_json.parent / n["elf"], [int(n["core"])]) for n in description["nodes"]]


def build(
    target: Path,
    assignments: Mapping[str, str] | None = None,
    out: Path | None = None,
    *,
    platform: str | None = None,
    generate_only: bool = False,
) -> Built:
    """Build the system in a folder or a system.toml. `assignments` are the `--set` values."""
    loaded = source.load(target, assignments or {}, platform)
    folder = (out or source.default_out(loaded)).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        if generate_only:
            generate.write(loaded, folder / "generated")
            return Built(folder / SYSTEM_JSON, {"generated": str(folder / "generated")}, True)
        key = _key(loaded)
        description = _unchanged(folder, key)
        fresh = description is None
        if description is None:
            description = _compile(loaded, folder, key)
        if loaded.param_values:
            return _with_params(folder, description, loaded, fresh)
        return Built(folder / SYSTEM_JSON, description, fresh)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _key(loaded: source.Loaded) -> str:
    digest = hashlib.sha256()
    for part in (
        __version__,
        loaded.system.raw,
        loaded.platform.raw,
        [str(s) for n in loaded.system.nodes for s in n.sources],
        [str(s) for n in loaded.system.nodes for d in n.domains for s in d.sources],
    ):
        digest.update(json.dumps(part, sort_keys=True).encode())
    return digest.hexdigest()


def _fingerprint(path: Path) -> list[int]:
    try:
        status = path.stat()
    except OSError:
        return []
    return [status.st_mtime_ns, status.st_size]


def _unchanged(folder: Path, key: str) -> dict[str, Any] | None:
    try:
        stamp = json.loads((folder / _STAMP).read_bytes())
        description: dict[str, Any] = json.loads((folder / SYSTEM_JSON).read_bytes())
    except (OSError, ValueError):
        return None
    same = stamp["key"] == key and all(_fingerprint(Path(p)) == f for p, f in stamp["inputs"].items())
    return description if same and all((folder / n["elf"]).is_file() for n in description["nodes"]) else None


def _compile(loaded: source.Loaded, folder: Path, key: str) -> dict[str, Any]:
    gcc, cmake, ninja = toolchain.require_c_tools()
    if not toolchain.picolibc_works(gcc):
        raise ToolMissing("picolibc for RISC-V", toolchain.PICOLIBC_INSTALL)
    (folder / _STAMP).unlink(missing_ok=True)
    generated = folder / "generated"
    generate.write(loaded, generated)
    objects = folder / "objects"
    say(f"building {loaded.system.name} for {loaded.platform.name}: {', '.join(n.name for n in loaded.system.nodes)}")
    if not (objects / "build.ninja").exists():
        _tool(
            [
                cmake, "-S", str(resource("rtos")), "-B", str(objects), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}",
                f"-DCMAKE_TOOLCHAIN_FILE={resource('rtos', 'cmake', 'riscv32.cmake')}",
                f"-DSB_GENERATED_DIR={generated}",
            ],
            "CMake",
        )  # fmt: skip
    _tool([ninja, "-C", str(objects)], "the compiler")
    description = _describe(loaded, folder, objects)
    (folder / SYSTEM_JSON).write_text(json.dumps(description, indent=1) + "\n")
    inputs = _inputs(ninja, objects, loaded)
    (folder / _STAMP).write_text(json.dumps({"key": key, "inputs": {str(p): _fingerprint(p) for p in inputs}}))
    return description


def _tool(command: list[str], what: str) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
    )
    kept = [line for line in done.stdout.splitlines() if not re.match(r"\[\d+/\d+\] |ninja: Entering", line)]
    if done.returncode or any(" warning: " in line for line in kept):
        sys.stderr.write("\n".join(kept) + "\n")
    if done.returncode:
        raise Failed(f"{what} failed; its messages are above")


def _inputs(ninja: str, objects: Path, loaded: source.Loaded) -> Iterable[Path]:
    """Every file that decides what the build makes: what the compiler read, the lists of source folders, the tools."""
    paths = {Path(p) for p in (toolchain.require(toolchain.GCC), toolchain.require(toolchain.CMAKE))}
    paths.update(p for p in template_dir().joinpath("node").iterdir())
    modules = ("generate", "domains", "model", "builder", "merge", "probes")
    paths.update(Path(generate.__file__).with_name(f"{m}.py") for m in modules)
    rtos = resource("rtos")
    paths.update(p for p in rtos.joinpath("cmake").iterdir())
    paths.add(rtos / "CMakeLists.txt")
    parts = ("kernel", "isolation", "ports", "link", "drivers")
    paths.update(p for part in parts for p in [rtos / part, *(rtos / part).glob("**/")])
    paths.update(s for n in loaded.system.nodes for s in n.sources)
    paths.update(s for n in loaded.system.nodes for d in n.domains for s in d.sources)
    listed = subprocess.run(
        [ninja, "-C", str(objects), "-t", "deps"], capture_output=True, text=True, check=True
    ).stdout
    for line in listed.splitlines():
        if line.startswith("    "):
            paths.add((objects / line.strip()).resolve())
    return sorted(p for p in paths if objects not in p.parents)


def _describe(loaded: source.Loaded, folder: Path, objects: Path) -> dict[str, Any]:
    system, platform = loaded.system, loaded.platform
    nodes = []
    for node in system.nodes:
        elf = objects / f"{node.name}.elf"
        count = _check_probes(elf, node.name)
        memory = generate.node_memory(system, platform, node)
        nodes.append(
            {
                "name": node.name,
                "index": node.index,
                "core": node.core,
                "elf": str(elf.relative_to(folder)),
                "sha256": hashlib.sha256(elf.read_bytes()).hexdigest(),
                "memory": {"base": memory.base, "size": memory.size},
                "probes": count,
                "size_bytes": _sizes(elf),
            }
        )
    shared = generate.shared_memory(platform)
    description: dict[str, Any] = {
        "schema": 1,
        "name": system.name,
        "version": __version__,
        "level": system.level,
        "optimise": {"kernel": system.optimise.kernel, "link": system.optimise.link, "app": system.optimise.app},
        "links": system.raw.get("link", []),
        "params": dict(system.params),
        "shared": {"base": shared.base, "size": shared.size},
        "nodes": nodes,
        "platform": platform.raw,
    }
    description["hash"] = image_hash(description)
    description["merged"] = _merged(description, objects.parent, loaded)
    return description


def _merged(description: Mapping[str, Any], folder: Path, loaded: source.Loaded) -> str | None:
    """One image of all nodes, where the platform starts all cores at one place; its path beside the system.json."""
    room = generate.boot_bytes(loaded.system, loaded.platform)
    if not room or loaded.platform.start is None:
        return None
    nodes = [(n["name"], int(n["core"]), folder / n["elf"]) for n in description["nodes"]]
    merge.merge(nodes, loaded.platform.start, room, folder / MERGED)
    return MERGED


def image_hash(description: Mapping[str, Any]) -> str:
    """Hash of what decides a run besides its seed: images, where they run, and the platform."""
    what = [[(n["core"], n["sha256"]) for n in description["nodes"]], description["platform"], __version__]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def _check_probes(elf: Path, node: str) -> int:
    count, problems = probes.check_elf(elf)
    if problems:
        names = _probe_names()
        lines = [f"{len(problems)} of {count} probes of {node} cannot be trusted:"]
        for p in problems:
            where = toolchain.source_line(elf, p.address) or "no line information"
            lines.append(
                f"  {names.get(p.kind, f'number {p.kind}')} in {p.function} ({where}, {p.address:#010x}) {p.why}"
            )
        raise Failed("\n".join(lines))
    return count


def _probe_names() -> dict[int, str]:
    from signalbox import sim

    try:
        return {r["kind"]: f"probe `{r['name']}`" for r in sim.schema("trace")["records"]}
    except sim.SimulatorMissing:
        return {}


def _sizes(elf: Path) -> dict[str, int]:
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    sizes = {"text": 0, "data": 0, "bss": 0}
    with elf.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            flags = section["sh_flags"]
            if flags & SH_FLAGS.SHF_ALLOC:
                kind = "bss" if section["sh_type"] == "SHT_NOBITS" else "data" if flags & SH_FLAGS.SHF_WRITE else "text"
                sizes[kind] += section["sh_size"]
    return sizes


def _with_params(folder: Path, description: dict[str, Any], loaded: source.Loaded, fresh: bool) -> Built:
    """A copy of the build whose images hold other parameter values."""
    values = loaded.param_values
    digest = hashlib.sha256(json.dumps([description["hash"], values], sort_keys=True).encode()).hexdigest()[:12]
    target = folder / "params" / digest
    changed = {**description, "params": {**description["params"], **values}, "nodes": []}
    for node in description["nodes"]:
        elf = target / f"{node['name']}.elf"
        if not elf.exists():
            params.patch(folder / node["elf"], elf, values)
        changed["nodes"].append({**node, "elf": elf.name, "sha256": hashlib.sha256(elf.read_bytes()).hexdigest()})
    changed["hash"] = image_hash(changed)
    changed["merged"] = _merged(changed, target, loaded)
    (target / SYSTEM_JSON).write_text(json.dumps(changed, indent=1) + "\n")
    return Built(target / SYSTEM_JSON, changed, fresh)


def read_description(path: Path) -> dict[str, Any]:
    """A system.json."""
    try:
        description = json.loads(path.read_bytes())
    except OSError as e:
        raise BadInput(f"{path}: {e.strerror}") from e
    except ValueError as e:
        raise BadInput(f"{path}: not JSON: {e}") from e
    if not isinstance(description, dict) or not {"nodes", "platform", "name"} <= description.keys():
        raise BadInput(
            f"{path}: not a system.json: it must hold `name`, `nodes` and `platform`; `signalbox build` writes one"
        )
    return description
