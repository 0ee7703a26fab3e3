# SPDX-License-Identifier: Apache-2.0
"""Finds and reads what a build starts from: the system file, its platform, and the values given with --set."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox import sim
from signalbox.build import params
from signalbox.build.model import Platform, System
from signalbox.errors import BadInput, UsageError
from signalbox.resources import data_root, platform_search_dirs

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARAMS = "params."


@dataclass(frozen=True)
class Loaded:
    """A resolved system on its platform. `param_values` are to be patched into the finished images."""

    path: Path
    system: System
    platform: Platform
    options: Mapping[str, str]
    param_values: Mapping[str, int]


class UnknownPlatform(BadInput):
    """A platform that is not found by its name."""


def system_file(target: Path) -> Path:
    """The system file that a folder or a file name means."""
    if target.is_dir():
        found = target / "system.toml"
        if found.is_file():
            return found
        others = sorted(p.name for p in target.glob("*.toml") if p.name != "pyproject.toml")
        hint = f"; it holds {', '.join(others)}: name one of them" if others else "; `signalbox new` writes one"
        raise BadInput(f"{target}: no system.toml in this folder{hint}")
    if not target.is_file():
        raise BadInput(f"{target}: no such file or folder")
    return target


def find_platform(name: str, near: Path | None = None) -> Path:
    """The file of a platform given by name or as a path."""
    dirs = platform_search_dirs(near)
    if "/" in name or name.endswith(".toml"):
        candidates = [Path(name)] if near is None else [near / name, Path(name)]
    else:
        candidates = [d / f"{name}.toml" for d in dirs]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    known = ", ".join(platform_names(near))
    raise UnknownPlatform(f"platform `{name}` does not exist; there are {known}; or give the path of a .toml file")


def platform_names(near: Path | None = None) -> list[str]:
    """Names of all platforms that can be given without a path."""
    return sorted(
        {p.stem for d in platform_search_dirs(near) if d.is_dir() for p in d.glob("*.toml") if _is_platform(p)}
    )


def _is_platform(path: Path) -> bool:
    try:
        return "core" in tomllib.loads(path.read_text())
    except (OSError, ValueError):
        return path.parent.name == "platforms"


def load_platform(name: str, near: Path | None = None, overrides: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A platform, resolved, with values given in place of the file's."""
    path = find_platform(name, near)
    text, label = read_text(path), str(path)
    if overrides:
        text = sim.apply_overrides(text, label, overrides)
        label += " with --set " + " ".join(f"{k}={v}" for k, v in overrides.items())
    return sim.platform_resolve(text, label, platform_search_dirs(path.parent))


def read_text(path: Path) -> str:
    """A text file that a user gave."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as e:
        raise BadInput(f"{path}: {e.strerror}") from e
    except UnicodeDecodeError as e:
        raise BadInput(f"{path}: not UTF-8 text (byte {e.start})") from e


def load(target: Path, assignments: Mapping[str, str], platform: str | None = None) -> Loaded:
    """Resolve a system with its overrides. `platform` replaces the system's own."""
    path = system_file(target)
    text = read_text(path)
    options = {k: v for k, v in assignments.items() if not k.startswith(_PARAMS)}
    if platform is not None:
        options["platform"] = platform
    if options:
        changed = sim.apply_overrides(text, str(path), options)
        words = " ".join(f"{k}={v}" for k, v in options.items())
        loaded = replace(_resolve(changed, f"{path} with --set {words}", path), options=options)
    else:
        loaded = _resolve(text, str(path), path)
    return replace(loaded, param_values=_param_values(assignments, loaded.system))


def _resolve(text: str, label: str, path: Path) -> Loaded:
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        parsed = {}  # the resolver says it better, with the place
    name = parsed.get("platform")
    try:
        count = parsed.get("cores")
        # What is not a number of cores is told by the resolver, with its place.
        wanted = {"core.count": str(count)} if isinstance(count, int) and 1 <= count <= 1024 else {}
        raw_platform = load_platform(name if isinstance(name, str) else "virt", path.parent, wanted)
    except UnknownPlatform as e:
        raise BadInput(f"{label}: {e.message}") from e
    except UsageError as e:
        raise BadInput(f"{label}: cores = {count}: the platform {name} has several kinds of cores\n{e.message}") from e
    raw = sim.system_resolve(text, label, raw_platform)
    system = System.from_json(raw, path)
    for node in system.nodes:
        for file in (*node.sources, *(s for d in node.domains for s in d.sources)):
            if not file.is_file():
                raise BadInput(f"{path}: node `{node.name}`: source file {file} does not exist")
    return Loaded(path, system, Platform.from_json(raw_platform), {}, {})


def _param_values(assignments: Mapping[str, str], system: System) -> dict[str, int]:
    values = {}
    for key, text in assignments.items():
        if not key.startswith(_PARAMS):
            continue
        name = key.removeprefix(_PARAMS)
        if name not in system.params:
            known = ", ".join(sorted(system.params)) or "none"
            raise UsageError(f"--set {key}: {system.name} has no parameter `{name}` (it has: {known})")
        try:
            value = int(text, 0)
        except ValueError as e:
            raise UsageError(f"--set {key}={text}: a parameter is an integer") from e
        params.encode(name, value)
        if value != system.params[name]:
            values[name] = value
    return values


def default_out(loaded: Loaded) -> Path:
    """The folder of a build: one per system file and choice of options.

    It is `build/` beside the system file. Of the systems that come with Signalbox it is `build/` at the root of the
    checkout, or in the current folder if there is no checkout.
    """
    name = loaded.path.stem
    if loaded.options:
        digest = hashlib.sha256(json.dumps(sorted(loaded.options.items())).encode()).hexdigest()
        name += f"-{digest[:8]}"
    folder = loaded.path.resolve().parent
    if folder.is_relative_to(data_root()):
        base = Path.cwd() if data_root().name == "_data" else data_root()
        return base / "build" / folder.relative_to(data_root()) / name
    return folder / "build" / name
