# SPDX-License-Identifier: Apache-2.0
"""Runs an image on QEMU's `virt` machine, with the same exit codes as the simulator.

QEMU itself ends with 0 when the program passes through the finisher and with the program's code when it fails. Its
cycles mean nothing, so limits are given in host seconds.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from signalbox.build.toolchain import QEMU, require
from signalbox.errors import BadInput
from signalbox.run.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


#: Where QEMU's own reset code jumps.
_RESET_TARGET = 0x8000_0000


def command_line(qemu: str, images: Sequence[tuple[Path, Sequence[int]]], harts: int) -> list[str]:
    """The command. QEMU starts every hart at the beginning of the memory; other entries need its loader device."""
    command = [qemu, "-M", "virt", "-nographic", "-bios", "none", "-smp", str(harts)]
    if len(images) == 1 and _entry(images[0][0]) == _RESET_TARGET:
        return [*command, "-kernel", str(images[0][0])]
    for path, cores in images:
        for core in cores:
            command += ["-device", f"loader,file={path},cpu-num={core}"]
    return command


def _entry(path: Path) -> int:
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with path.open("rb") as file:
            return int(ELFFile(file)["e_entry"])
    except ELFError as e:
        raise BadInput(f"{path}: not a usable ELF file: {e}") from e


def run(
    images: Sequence[tuple[Path, Sequence[int]]], harts: int, max_seconds: float | None, capture: bool = False
) -> tuple[Outcome, bytes]:
    """Run to the end or for so many host seconds. With `capture` the console is returned, else it goes to stdout."""
    command = command_line(require(QEMU), images, harts)
    sys.stdout.flush()
    process = subprocess.Popen(command, stdout=subprocess.PIPE if capture else None)
    output = b""
    try:
        output, _ = process.communicate(timeout=max_seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate()
        return Outcome("budget", 0, 0), output or b""
    except KeyboardInterrupt:
        process.wait()
        return Outcome("interrupted", 0, 0), output or b""
    code = process.returncode
    return Outcome("pass" if code == 0 else "fail", code, 0), output or b""
