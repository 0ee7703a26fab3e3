# SPDX-License-Identifier: Apache-2.0
"""The wheel, away from any checkout: an application is written, built and run; experiments and platforms are there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    made = subprocess.run(
        [sys.executable, "tools/make_wheel.py", "--out", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's contents; before the checkout's package on the path, its dependencies behind it."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([*pip, str(wheel)], check=True)
    return folder


def signalbox(installed: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(installed), "XDG_CACHE_HOME": str(cwd / "cache")}
    command = [sys.executable, "-m", "signalbox", *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)


def data(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_installed_package_is_the_one_that_runs(installed: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(installed)}
    said = "import signalbox.resources as r; print(r.__file__, r.data_root())"
    done = subprocess.run([sys.executable, "-c", said], cwd=tmp_path, env=environment, capture_output=True, text=True)
    module, root = done.stdout.split()
    assert Path(module).is_relative_to(installed)
    assert Path(root) == installed / "signalbox" / "_data"


def test_it_carries_no_file_that_was_built(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    bundled = [name for name in names if name.startswith("signalbox/_data/")]
    assert len(bundled) > 150
    assert not [name for name in bundled if "/build/" in name or name.endswith((".elf", ".o", ".so", ".pyc"))]
    for room in ("rtos/CMakeLists.txt", "platforms/de2-dual.toml", "viewer", "experiments/reference/claims.csv"):
        assert any(name.startswith(f"signalbox/_data/{room}") for name in bundled), room


def test_a_new_application_builds_and_runs_as_in_the_checkout(installed: Path, tmp_path: Path) -> None:
    if shutil.which("riscv64-unknown-elf-gcc") is None:
        pytest.skip("riscv64-unknown-elf-gcc is not installed")
    assert signalbox(installed, tmp_path, "new", "app").returncode == 0
    theirs = data(signalbox(installed, tmp_path, "run", "app", "--json"))
    assert theirs["stop"] == "pass"
    shutil.rmtree(tmp_path / "app" / "build")
    command = [sys.executable, "-m", "signalbox", "run", "app", "--json"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    ours = data(subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False))
    assert (theirs["cycle"], theirs["state_hash"]) == (ours["cycle"], ours["state_hash"])


def test_experiments_and_platforms_are_found(installed: Path, tmp_path: Path) -> None:
    listed = data(signalbox(installed, tmp_path, "experiment", "list", "--json"))
    assert "osek-linx-t0" in json.dumps(listed)
    assert "de2-dual" in json.dumps(data(signalbox(installed, tmp_path, "platform", "list", "--json")))
