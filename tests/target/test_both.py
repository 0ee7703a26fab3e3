# SPDX-License-Identifier: Apache-2.0
"""The same ELF files on the simulator and on QEMU: what the kernel's test says, and how images end that must die."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "tests" / "target"
ENGINES = ("simulator", "qemu")


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """The images; nothing is done when they are up to date."""
    subprocess.run(["make", "-s", "-j2", "-C", str(Path(__file__).parent), f"O={OUT}", "all"], check=True)


def run(name: str, engine: str) -> subprocess.CompletedProcess[str]:
    """Run an image of this folder."""
    command = [sys.executable, "-m", "signalbox", "run", str(OUT / name), "--platform", "virt"]
    if engine == "qemu":
        command += ["--on", "qemu"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_kernel_passes_on_both_and_says_the_same(level: int) -> None:
    said = {}
    for engine in ENGINES:
        done = run(f"kernel_test_{level}.elf", engine)
        assert done.returncode == 0, f"{engine}: {done.stdout}{done.stderr}"
        said[engine] = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        assert said[engine][-1].endswith(" passed, 0 failed"), engine
    assert said["simulator"] == said["qemu"]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (0, "fatal: stack-overflow, task main"),
        (1, "exception: load access fault"),
        (2, "fatal: interrupt-stack-overflow"),
    ],
)
def test_images_that_must_die_say_why_on_both(case: int, said: str) -> None:
    # QEMU hands on that the program failed; only the simulator saw the exception.
    for engine, code in (("simulator", 4), ("qemu", 1)):
        done = run(f"fatal_{case}.elf", engine)
        assert said in done.stdout, engine
        assert done.returncode == code, f"{engine}: {done.stderr}"
