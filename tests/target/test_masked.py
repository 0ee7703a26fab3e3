# SPDX-License-Identifier: Apache-2.0
"""How long interrupts are masked: the longest stretch over whole runs keeps the bounds that docs/kernel-cost.md states.

The simulator measures it where the mask changes. In the kernel's test the longest one is a body of an interrupt task of
priority 0, which runs masked by definition, and loops; in apps/calls all is the kernel's: every call of the published
tables, cold and warm.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "tests" / "target"
CALLS = ROOT / "apps" / "calls"


def longest(target: Path, *words: str) -> dict[str, Any]:
    """The longest masked stretch of the first core."""
    command = [sys.executable, "-m", "signalbox", "stats", str(target), "--json", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["stats"]["cores"][0]["longest_masked"]
    return found


def keeps(found: dict[str, Any], bound: int) -> None:
    """At most the bound, and near enough to it that the bound says something."""
    assert bound * 0.6 < found["cycles"] <= bound, found


@pytest.mark.parametrize("level", [0, 1, 2])
def test_over_the_kernels_test(level: int) -> None:
    subprocess.run(["make", "-s", "-j2", "-C", str(Path(__file__).parent), f"O={OUT}", "all"], check=True)
    found = longest(OUT / f"kernel_test_{level}.elf", "--platform", "virt")
    keeps(found, 3_500)
    assert found["from"].startswith(("sb_fsem_signal", "sb_trap_entry")), found
    assert found["to"].startswith("port_call_nesting"), found


@pytest.mark.parametrize(
    ("level", "platform", "bound"),
    [
        ("release", "osek-a1", 1_200),
        ("hooks", "osek-a1", 1_200),
        ("checked", "osek-a1", 1_200),
        ("hooks", "osek-a2", 2_600),
    ],
)
def test_over_all_published_calls_with_cold_caches(level: str, platform: str, bound: int) -> None:
    found = longest(CALLS / "calls.toml", "--platform", platform, "--set", f"kernel.level={level}")
    keeps(found, bound)


def test_a_program_that_masks_is_named() -> None:
    found = longest(CALLS / "latency.toml")
    assert found["cycles"] > 10_000
    assert found["from"].startswith("measure") and found["to"].startswith("measure")
