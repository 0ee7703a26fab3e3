# SPDX-License-Identifier: Apache-2.0
"""Looks for everything that Signalbox uses, and says how to get what is missing."""

from __future__ import annotations

import platform
import sys
from dataclasses import asdict, dataclass

from signalbox.build import toolchain


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for. `ok` is false if it is missing or too old."""

    name: str
    ok: bool
    required: bool
    version: str | None
    purpose: str
    install: str | None


def examine() -> list[Finding]:
    """Look for everything."""
    return [_python(), *(_tool(t) for t in toolchain.ALL), _picolibc(), _picolibc_arm(), _simulator(), _sources()]


def data(findings: list[Finding]) -> dict[str, object]:
    """As JSON."""
    return {"ok": all(f.ok for f in findings if f.required), "findings": [asdict(f) for f in findings]}


def _python() -> Finding:
    ok = sys.version_info >= (3, 11)
    return Finding(
        "python",
        ok,
        True,
        platform.python_version(),
        "runs this program",
        None if ok else "Debian 12, Ubuntu 24.04: apt install python3",
    )


def _tool(tool: toolchain.Tool) -> Finding:
    path = toolchain.locate(tool)
    version = toolchain.version(path, tool.arguments) if path else None
    ok = path is not None and not toolchain.too_old(tool, version)
    oldest = ".".join(map(str, tool.oldest))
    install = None if ok else tool.install + (f" (version {oldest} or newer)" if oldest else "")
    return Finding(tool.name, ok, tool.required, version, tool.purpose, install)


def _picolibc() -> Finding:
    gcc = toolchain.locate(toolchain.GCC)
    ok = gcc is not None and toolchain.picolibc_works(gcc)
    return Finding(
        "picolibc", ok, True, None, "C library of what runs on targets", None if ok else toolchain.PICOLIBC_INSTALL
    )


def _picolibc_arm() -> Finding:
    gcc = toolchain.locate(toolchain.ARM_GCC)
    ok = gcc is not None and toolchain.picolibc_works(gcc, toolchain.ARM_FLAGS)
    install = None if ok else toolchain.PICOLIBC_ARM_INSTALL
    return Finding("picolibc-arm", ok, False, None, "C library of what runs on Cortex-M", install)


def _simulator() -> Finding:
    from signalbox import sim

    try:
        sim.extension()
    except sim.SimulatorMissing as e:
        return Finding("simulator", False, True, None, "simulates", e.message.replace("\n", " "))
    return Finding("simulator", True, True, None, "simulates", None)


def _sources() -> Finding:
    from signalbox.resources import data_root

    try:
        data_root()
    except FileNotFoundError as e:
        return Finding("sources", False, True, None, "kernel, platforms", str(e))
    return Finding("sources", True, True, None, "kernel, platforms", None)
