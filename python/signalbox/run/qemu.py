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

    from signalbox.run.target import Target


#: Where QEMU's own reset code jumps.
_RESET_TARGET = 0x8000_0000


def command_line(
    qemu: str, images: Sequence[tuple[Path, Sequence[int]]], harts: int, memory_bytes: int, raw: bool = False
) -> list[str]:
    """The command. QEMU starts every hart at the beginning of the memory; other entries need its loader device."""
    command = [qemu, "-M", "virt", "-nographic", "-bios", "none", "-smp", str(harts), "-m", f"{memory_bytes}B"]
    if len(images) == 1 and (raw or _starts_at_reset_target(images[0][0])):
        return [*command, "-kernel", str(images[0][0])]
    for path, cores in images:
        for core in cores:
            command += ["-device", f"loader,file={path},cpu-num={core}"]
    return command


def _starts_at_reset_target(path: Path) -> bool:
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with path.open("rb") as file:
            segments = [(s.header.p_paddr, s.data()) for s in ELFFile(file).iter_segments("PT_LOAD")]
    except (ELFError, OSError) as e:
        raise BadInput(f"{path}: not a usable ELF file: {e}") from e
    # Sixteen zeros are no instruction.
    return any(any(data[_RESET_TARGET - at :][:2]) for at, data in segments if at <= _RESET_TARGET)


#: One terminal for the serial port and for calls to the host.
_SEMIHOSTING = ["-display", "none", "-chardev", "stdio,mux=on,id=terminal", "-serial", "chardev:terminal"]
_SEMIHOSTING += ["-semihosting-config", "enable=on,target=native,chardev=terminal"]


def run(
    target: Target, max_seconds: float | None, capture: bool = False, semihosting: bool = False
) -> tuple[Outcome, bytes]:
    """Run to the end or for so many host seconds. With `capture` the console is returned, else it goes to stdout."""
    platform = target.platform
    raw = target.raw_at is not None
    every = tuple(range(len(platform.cores)))
    images = target.images if target.merged is None else [(target.merged, every)]
    command = command_line(require(QEMU), images, len(platform.cores), platform.memory.size, raw)
    if semihosting:
        command = [word for word in command if word != "-nographic"] + _SEMIHOSTING
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
