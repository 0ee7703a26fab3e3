# SPDX-License-Identifier: Apache-2.0
"""Where the files are that belong to Signalbox but are not Python: C sources, platforms, viewer, experiments.

In a checkout they lie beside this package at the root; an installed wheel carries copies in `signalbox/_data`. Nothing
else in the package knows the difference.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_MARKS = ("rtos/CMakeLists.txt", "platforms")


def _is_root(path: Path) -> bool:
    return all((path / mark).exists() for mark in _MARKS)


@cache
def data_root() -> Path:
    """The folder that holds `rtos`, `platforms`, `viewer`, `experiments`, `apps`."""
    bundled = _PACKAGE / "_data"
    if _is_root(bundled):
        return bundled
    checkout = _PACKAGE.parent.parent
    if _is_root(checkout):
        return checkout
    raise FileNotFoundError(
        f"neither {bundled} nor {checkout} holds the rtos and platforms folders; reinstall signalbox"
    )


def resource(*parts: str) -> Path:
    """A file or folder under the data root, such as `resource("platforms", "virt.toml")`."""
    return data_root().joinpath(*parts)


def work_folder(name: str) -> Path:
    """Where generated files that belong to no system are kept: `build` in a checkout, else the user's cache."""
    root = data_root()
    if root != _PACKAGE / "_data":
        return root / "build" / name
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "signalbox" / name


def template_dir() -> Path:
    """The folder of templates, part of the package itself."""
    return _PACKAGE / "templates"


def platform_search_dirs(near: Path | None = None) -> list[Path]:
    """Folders in which a platform name is looked up, nearest first."""
    dirs = [] if near is None else [near, near / "platforms"]
    return [*dirs, resource("platforms")]
