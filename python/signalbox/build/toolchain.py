# SPDX-License-Identifier: Apache-2.0
"""The programs that a build needs, and what to install when one is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from signalbox.errors import ToolMissing


@dataclass(frozen=True)
class Tool:
    """A program: what it is for, how to get it, and the oldest version that works."""

    name: str
    purpose: str
    install: str
    oldest: tuple[int, ...] = ()
    required: bool = True
    arguments: tuple[str, ...] = ("--version",)


GCC = Tool(
    "riscv64-unknown-elf-gcc",
    "compiles what runs on targets",
    "Debian, Ubuntu: apt install gcc-riscv64-unknown-elf",
    (10,),
)
CMAKE = Tool("cmake", "describes the C build", "Debian, Ubuntu: apt install cmake", (3, 20))
NINJA = Tool("ninja", "runs the C build", "Debian, Ubuntu: apt install ninja-build", (1, 10))
QEMU = Tool(
    "qemu-system-riscv32",
    "`run --on qemu` and the comparison tests",
    "Debian, Ubuntu: apt install qemu-system-misc",
    required=False,
)
CARGO = Tool(
    "cargo",
    "builds the simulator",
    "rustup (https://rustup.rs), or Debian 12: apt install cargo-web rustc-web",
    (1, 85),
)
CC = Tool("cc", "links the simulator, compiles host tests", "Debian, Ubuntu: apt install gcc libc6-dev")
CXX = Tool("c++", "the host tests' build", "Debian, Ubuntu: apt install g++", required=False)
PKG_CONFIG = Tool("pkg-config", "Rust crates' build scripts", "Debian, Ubuntu: apt install pkg-config", required=False)
CHROMIUM = Tool("chromium", "tests of the report in a browser", "Debian: apt install chromium", required=False)
CLANG_FORMAT = Tool("clang-format", "`make lint`", "Debian, Ubuntu: apt install clang-format", required=False)
CPPCHECK = Tool("cppcheck", "`make lint`", "Debian, Ubuntu: apt install cppcheck", required=False)
VERILATOR = Tool(
    "verilator",
    "`experiment run certificate`: the RTL of other cores",
    "Debian, Ubuntu: apt install verilator g++",
    (5,),
    required=False,
)
ARM_GCC = Tool(
    "arm-none-eabi-gcc",
    "the port to Cortex-M and its tests",
    "Debian, Ubuntu: apt install gcc-arm-none-eabi",
    (10,),
    required=False,
)
ARM_QEMU = Tool(
    "qemu-system-arm", "tests of the port to Cortex-M", "Debian, Ubuntu: apt install qemu-system-arm", required=False
)
GDB = Tool("gdb", "a test of the port to POSIX", "Debian, Ubuntu: apt install gdb", required=False)

RUSTFMT = Tool(
    "rustfmt", "`make lint`", "rustup component add rustfmt, or Debian 12: apt install rustfmt-web", required=False
)
CLIPPY = Tool(
    "cargo-clippy",
    "`make lint`",
    "rustup component add clippy, or Debian 12: apt install rust-web-clippy",
    required=False,
)

ALL = (
    *(GCC, CMAKE, NINJA, QEMU, CARGO, CC, CXX, PKG_CONFIG),
    *(CHROMIUM, CLANG_FORMAT, CPPCHECK, RUSTFMT, CLIPPY, VERILATOR, ARM_GCC, ARM_QEMU, GDB),
)
PICOLIBC_INSTALL = "Debian, Ubuntu: apt install picolibc-riscv64-unknown-elf"
PICOLIBC_ARM_INSTALL = "Debian, Ubuntu: apt install picolibc-arm-none-eabi"
RISCV_FLAGS = ("-march=rv32imac", "-mabi=ilp32")
ARM_FLAGS = ("-mcpu=cortex-m3", "-mthumb")


def locate(tool: Tool) -> str | None:
    """The path of a tool, or None. Rust's tools are also looked for where rustup puts them."""
    found = shutil.which(tool.name)
    if found is None and tool in (CARGO, RUSTFMT, CLIPPY):
        home = Path(os.environ.get("CARGO_HOME", str(Path.home() / ".cargo")))
        found = shutil.which("cargo", path=str(home / "bin"))
    return found


def require(tool: Tool) -> str:
    """The path of a tool."""
    found = locate(tool)
    if found is None:
        raise ToolMissing(tool.name, tool.install)
    return found


@cache
def version(path: str, arguments: tuple[str, ...] = ("--version",)) -> str | None:
    """The version that a program says it has."""
    try:
        out = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"\d+(?:\.\d+)+", re.sub(r"\([^)]*\)", "", out.stdout + out.stderr))
    return found.group(0) if found else None


def too_old(tool: Tool, found: str | None) -> bool:
    """Whether a version is known and below the oldest that works."""
    return found is not None and tuple(int(p) for p in found.split(".")) < tool.oldest


@cache
def picolibc_works(gcc: str, flags: tuple[str, ...] = RISCV_FLAGS) -> bool:
    """Whether the compiler finds picolibc's specs."""
    out = subprocess.run(
        [gcc, "--specs=picolibc.specs", *flags, "-E", "-x", "c", "-"],
        input="#include <string.h>\n",
        capture_output=True,
        text=True,
        check=False,
    )
    return out.returncode == 0


def require_c_tools() -> tuple[str, str, str]:
    """Paths of the compiler, CMake and Ninja."""
    return require(GCC), require(CMAKE), require(NINJA)


def source_line(elf: Path, address: int) -> str | None:
    """`file:line` of an address, if the debug information has it; of the caller, where a function was inlined."""
    addr2line = shutil.which("riscv64-unknown-elf-addr2line")
    if addr2line is None:
        return None
    out = subprocess.run([addr2line, "-i", "-e", str(elf), hex(address)], capture_output=True, text=True, check=False)
    line = out.stdout.strip().rpartition("\n")[2].split(" (")[0]
    return None if not line or line.startswith("??") or line.endswith(":?") else line.removeprefix("./")
