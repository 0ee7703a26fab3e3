# SPDX-License-Identifier: Apache-2.0
"""Starting the command line, and compiling guests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
GUESTS = Path(__file__).parent / "guests"
GCC = "riscv64-unknown-elf-gcc"
MARCH = "rv32imac_zicsr_zifencei"


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed as JSON."""
        return json.loads(self.out)


def signalbox(
    *arguments: str | Path,
    cwd: Path | None = None,
    stdin: bytes | int = subprocess.DEVNULL,
    env: dict[str, str] | None = None,
) -> Done:
    """Run the command line of this environment."""
    given: dict[str, Any] = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    done = subprocess.run(
        [sys.executable, "-m", "signalbox", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), **(env or {})},
        **given,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def need(program: str) -> None:
    """Skip where a program is not installed."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def compile_guest(sources: Sequence[Path], elf: Path, *options: str) -> Path:
    """Compile a program for `virt` without the build system."""
    need(GCC)
    command = [
        GCC, f"-march={MARCH}", "-mabi=ilp32", "-mcmodel=medany", "-nostdlib", "-ffreestanding", "-fno-jump-tables",
        "-g", "-O1", "-I", str(GUESTS), "-I", str(ROOT / "rtos" / "include"),
        "-Wl,--no-warn-rwx-segments", "-T", str(GUESTS / "virt.ld"),
        *options, str(GUESTS / "start.S"), *map(str, sources), "-o", str(elf),
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return elf
