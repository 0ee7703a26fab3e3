# SPDX-License-Identifier: Apache-2.0
"""`./signalbox` in a checkout: what it says when something is missing, and that its check costs nothing.

The sources are a copy with an environment that is ready; building the simulator itself is what every other test rests
on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from cli_support import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TOOLS = [  # what the launcher calls
    "sh",
    "env",
    "dirname",
    "readlink",
    "find",
    "sed",
    "head",
    "sort",
    "xargs",
    "sha256sum",
    "cut",
    "printf",
    "flock",
    "touch",
    "date",
    "mv",
    "rm",
    "grep",
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose sources are few, and whose Python says how it was called."""
    root = tmp_path / "checkout"
    (root / "sim" / "py").mkdir(parents=True)
    (root / "python").mkdir()
    for name in ("signalbox", "pyproject.toml"):
        shutil.copy(ROOT / name, root / name)
    (root / "sim" / "Cargo.toml").write_text('[workspace.package]\nrust-version = "1.85"\n')
    (root / "sim" / "py" / "lib.rs").write_text("// source\n")
    return root


def tools(tmp_path: Path, scripts: Mapping[str, str]) -> str:
    """A PATH with the usual tools and these programs."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for name in TOOLS:
        found = shutil.which(name)
        if found and not (folder / name).exists():
            (folder / name).symlink_to(found)
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return str(folder)


def launch(checkout: Path, path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "signalbox", *arguments],
        capture_output=True, text=True, check=False, env={"PATH": path, "HOME": "/nonexistent"},
    )  # fmt: skip


#: Stands for the Python of an environment in which every package is installed.
READY = 'case "$*" in *"-m signalbox"*) echo "ran: $*";; *"-c"*) exit 0;; esac'


def environment(checkout: Path) -> None:
    binaries = checkout / ".venv" / "bin"
    binaries.mkdir(parents=True)
    for name, text in {"python": READY, "maturin": 'echo "maturin $*" >> "$VIRTUAL_ENV/calls"'}.items():
        (binaries / name).write_text(f"#!/bin/sh\n{text}\n")
        (binaries / name).chmod(0o755)


def calls(checkout: Path) -> int:
    log = checkout / ".venv" / "calls"
    return len(log.read_text().splitlines()) if log.exists() else 0


CARGO = {"cargo": 'echo "cargo 1.95.0 (abc 2026-01-01)"', "cc": "exit 0"}


def test_python_that_is_missing(checkout: Path, tmp_path: Path) -> None:
    done = launch(checkout, tools(tmp_path, CARGO), "run", "x")
    assert done.returncode == 5
    assert done.stdout == ""
    assert "Python 3.11 or newer is missing" in done.stderr
    assert "apt install python3 python3-venv" in done.stderr


def test_python_that_is_too_old(checkout: Path, tmp_path: Path) -> None:
    done = launch(checkout, tools(tmp_path, {**CARGO, "python3": "exit 1"}))
    assert done.returncode == 5
    assert "Python 3.11 or newer is missing" in done.stderr


def test_a_venv_module_that_is_missing(checkout: Path, tmp_path: Path) -> None:
    done = launch(checkout, tools(tmp_path, {**CARGO, "python3": 'case "$*" in "-m venv"*) exit 1;; esac'}))
    assert done.returncode == 5
    assert "apt install python3-venv" in done.stderr


@pytest.mark.parametrize(
    ("scripts", "message"),
    [
        ({}, "cargo (Rust 1.85 or newer) is missing"),
        ({"cargo": "echo cargo 1.63.0", "cc": "exit 0"}, "Rust 1.85 or newer (cargo is 1.63.0) is missing"),
        ({"cargo": "echo cargo 1.85.1"}, "a C linker (cc) is missing"),
    ],
)
def test_rust_that_is_missing_or_too_old(checkout: Path, tmp_path: Path, scripts: dict[str, str], message: str) -> None:
    environment(checkout)
    path = tools(tmp_path, {**scripts, "python3": "exit 0"})
    done = launch(checkout, path, "run", "x")
    assert done.returncode == 5
    assert message in done.stderr
    assert "doctor" in done.stderr
    doctor = launch(checkout, path, "doctor", "--json")
    if "cc" not in scripts or "cargo" not in scripts:
        assert doctor.stdout == "ran: -m signalbox doctor --json\n", "doctor runs without a simulator and says all"


def test_it_builds_once_and_again_when_sources_change(checkout: Path, tmp_path: Path) -> None:
    environment(checkout)
    path = tools(tmp_path, {**CARGO, "python3": "exit 0"})
    first = launch(checkout, path, "run", "a b", "--json")
    assert (first.returncode, first.stdout) == (0, "ran: -m signalbox run a b --json\n")
    assert "building the simulator" in first.stderr
    assert calls(checkout) == 1

    again = launch(checkout, path, "run")
    assert (again.stderr, calls(checkout)) == ("", 1)

    later = time.time() + 5
    os.utime(checkout / "sim" / "py" / "lib.rs", (later, later))
    touched = launch(checkout, path, "run")
    assert (touched.stderr, calls(checkout)) == ("", 1), "a new time is not a new content"

    (checkout / "sim" / "py" / "lib.rs").write_text("// changed\n")
    os.utime(checkout / "sim" / "py" / "lib.rs", (later + 5, later + 5))
    changed = launch(checkout, path, "run")
    assert "building the simulator" in changed.stderr
    assert calls(checkout) == 2

    (checkout / "sim" / "target").mkdir()
    (checkout / "sim" / "target" / "x.rs").write_text("made by cargo")
    os.utime(checkout / "sim" / "target" / "x.rs", (later + 50, later + 50))
    assert launch(checkout, path, "run").stderr == ""


def test_a_checkout_that_was_moved_is_built_again(checkout: Path, tmp_path: Path) -> None:
    environment(checkout)
    path = tools(tmp_path, {**CARGO, "python3": "exit 0"})
    assert launch(checkout, path, "run").returncode == 0
    moved = checkout.rename(tmp_path / "moved")
    assert "building the simulator" in launch(moved, path, "run").stderr


def test_a_simulator_that_cannot_be_built(checkout: Path, tmp_path: Path) -> None:
    environment(checkout)
    (checkout / ".venv" / "bin" / "maturin").write_text("#!/bin/sh\necho 'error: no' >&2\nexit 1\n")
    path = tools(tmp_path, {**CARGO, "python3": "exit 0"})
    done = launch(checkout, path, "run")
    assert done.returncode == 1
    assert "error: no" in done.stderr
    assert "the simulator could not be built" in done.stderr
    assert launch(checkout, path, "doctor").stdout == "ran: -m signalbox doctor\n"


def test_it_works_through_a_link_and_from_elsewhere(checkout: Path, tmp_path: Path) -> None:
    environment(checkout)
    path = tools(tmp_path, {**CARGO, "python3": "exit 0"})
    assert launch(checkout, path, "x").returncode == 0
    link = tmp_path / "link"
    link.symlink_to(checkout / "signalbox")
    done = subprocess.run([link, "y"], capture_output=True, text=True, check=False, env={"PATH": path}, cwd="/")
    assert done.stdout == "ran: -m signalbox y\n", done.stderr


def test_the_check_is_fast(checkout: Path, tmp_path: Path) -> None:
    environment(checkout)
    shutil.rmtree(checkout / "sim")
    shutil.copytree(ROOT / "sim", checkout / "sim", ignore=shutil.ignore_patterns("target"))
    path = tools(tmp_path, {**CARGO, "python3": "exit 0"})
    assert launch(checkout, path, "x").returncode == 0
    times = []
    for _ in range(5):
        began = time.perf_counter()
        launch(checkout, path, "x")
        times.append(time.perf_counter() - began)
    assert min(times) < 0.05, times
