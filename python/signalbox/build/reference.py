# SPDX-License-Identifier: Apache-2.0
"""The tools whose figures are committed: Debian 12's. Others build and run everything; what compares cycles of compiled
programs, or answers of QEMU's machine, with what is committed asks here first."""

from __future__ import annotations

import re
import subprocess

from signalbox.build import toolchain

GCC_VERSION = "12.2"
QEMU_VERSION = "7.2"


def _version(tool: toolchain.Tool, option: str) -> str | None:
    path = toolchain.locate(tool)
    if path is None:
        return None
    said = subprocess.run([path, option], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+\.\d+", said)
    return found[0] if found else None


def is_gcc() -> bool:
    """Whether the RISC-V compiler is the one of the committed figures."""
    return _version(toolchain.GCC, "-dumpfullversion") == GCC_VERSION


def is_qemu() -> bool:
    """Whether QEMU is the one whose machine `virt` follows."""
    return _version(toolchain.QEMU, "--version") == QEMU_VERSION
