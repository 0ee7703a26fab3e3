# SPDX-License-Identifier: Apache-2.0
"""Guests assembled on demand, and machines made of them."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox import _sim

ROOT = Path(__file__).resolve().parents[2]
BASE = {"de2-dual": 0x0080_0000, "smp-4": 0x8000_0000, "mesh-4x4": 0x0080_0000, "virt": 0x8000_0000}


def resolve(name: str, overrides: list[tuple[str, str]] | None = None) -> str:
    """The resolved platform, with dotted overrides."""
    path = ROOT / "platforms" / f"{name}.toml"
    text = _sim.apply_overrides(path.read_text(), str(path), overrides or [])
    return _sim.platform_resolve(text, str(path), [str(ROOT / "platforms")])


@pytest.fixture(scope="session")
def platform() -> Callable[[str], dict[str, Any]]:
    """A platform with every default filled in."""
    return lambda name: json.loads(resolve(name))


@pytest.fixture(scope="session")
def assemble(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Assemble and link a guest for a platform."""
    folder = tmp_path_factory.mktemp("guests")

    def make(guest: str, platform: str) -> Path:
        elf = folder / f"{guest}-{platform}.elf"
        if not elf.exists():
            source = Path(__file__).parent / "guests" / f"{guest}.S"
            flags = ["-march=rv32imac_zicsr_zifencei", "-mabi=ilp32", "-nostdlib", "-nostartfiles", "-g"]
            if not source.exists():
                source = source.with_suffix(".c")
                flags += ["-O2", "-ffreestanding", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wl,-e,_start"]
                flags += ["-Wl,--section-start=.text.start=0x" + f"{BASE[platform]:x}"]
            link = ["-Wl,-N", "-Wl,--no-warn-rwx-segments", "-Wl,--no-relax", f"-Ttext={BASE[platform]:#x}"]
            subprocess.run(["riscv64-unknown-elf-gcc", *flags, *link, str(source), "-o", str(elf)], check=True)
        return elf

    return make


@pytest.fixture(scope="session", name="resolve")
def _resolve() -> Callable[..., str]:
    return resolve


class Run:
    """A finished run."""

    def __init__(self, machine: Any, outcome: dict[str, Any]) -> None:
        self.machine = machine
        self.stop: str = outcome["stop"]
        self.cycle: int = outcome["cycle"]
        self.hash: str = machine.state_hash()
        self.stats: dict[str, Any] = json.loads(machine.stats())

    def words(self, symbol: str, count: int) -> list[int]:
        address = self.machine.symbol(symbol)
        assert address is not None, symbol
        return list(struct.unpack(f"<{count}I", self.machine.read(address, 4 * count)))


@pytest.fixture(scope="session")
def run() -> Callable[..., Run]:
    """Run an image on some cores of a platform."""

    def go(
        elf: Path,
        platform: str,
        cores: list[int],
        *,
        seed: int = 1,
        observe: bool = False,
        limit: int = 20_000_000,
        step: int | None = None,
        overrides: list[tuple[str, str]] | None = None,
    ) -> Run:
        machine = _sim.Machine(resolve(platform, overrides), [(str(elf), cores)], seed, observe)
        until = step or limit
        outcome = json.loads(machine.run(until))
        while outcome["stop"] == "budget" and until < limit:
            until += step or limit
            outcome = json.loads(machine.run(until))
        return Run(machine, outcome)

    return go
