# SPDX-License-Identifier: Apache-2.0
"""The same ELF files on the simulator and on QEMU: what the kernel's test says, and how images end that must die."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

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
        (0, r"fatal: stack-overflow, pc 0x8\w+, address 0x8\w+, task main$"),
        (1, r"exception: load access fault"),
        (2, r"fatal: interrupt-stack-overflow"),
        (4, r"fatal: stack-overflow, task main$"),
        (5, r"fatal: stack-overflow, pc 0x8\w+, address 0x8\w+, task high$"),
        ("unguarded", r"fatal: stack-overflow, task main$"),
    ],
)
def test_images_that_must_die_say_why_on_both(case: int | str, said: str) -> None:
    # QEMU hands on that the program failed; only the simulator saw the exception.
    for engine, code in (("simulator", 4), ("qemu", 1)):
        done = run(f"fatal_{case}.elf", engine)
        assert re.search(said, done.stdout, re.MULTILINE), f"{engine}: {done.stdout}"
        assert done.returncode == code, f"{engine}: {done.stderr}"


def symbols(name: str) -> dict[str, int]:
    """Addresses of an image's symbols."""
    with (OUT / name).open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {s.name: s["st_value"] for s in table.iter_symbols()}


def test_a_guard_ends_at_its_last_byte() -> None:
    guard_bytes = 64
    at = symbols("fatal_3.elf")
    want = f"address {at['stack_0'] + guard_bytes - 4:#010x}, task main"  # the word above it was written before
    for engine in ENGINES:
        done = run("fatal_3.elf", engine)
        assert want in done.stdout, f"{engine}: {done.stdout}"
    # The simulator saw the store itself.
    done = run("fatal_3.elf", "simulator")
    assert done.returncode == 4
    assert "in test_main" in done.stderr or "test_main+" in done.stderr, done.stderr
