# SPDX-License-Identifier: Apache-2.0
"""The kernel's test on the other ports: the kernel itself, after tests/port has shown the port."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "build" / "tests" / "target-ports"
ARM = ("-nographic", "-semihosting-config", "enable=on,target=native", "-icount", "shift=5,align=off,sleep=off")
TOOLS = {
    "mps2-an385": ("arm-none-eabi-gcc", "qemu-system-arm"),
    "lm3s6965evb": ("arm-none-eabi-gcc", "qemu-system-arm"),
    "posix": ("cc",),
}


@pytest.mark.parametrize(("machine", "level"), [("mps2-an385", 0), ("mps2-an385", 2), ("lm3s6965evb", 1), ("posix", 2)])
def test_the_kernel_passes(machine: str, level: int) -> None:
    missing = [tool for tool in TOOLS[machine] if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    make = ["make", "-s", "-j2", "-C", str(HERE), "-f", "port.mk", f"MACHINE={machine}", f"O={OUT}", f"LEVELS={level}"]
    subprocess.run(make, check=True)
    image = str(OUT / machine / f"kernel_test_{level}.elf")
    words = [image] if machine == "posix" else ["qemu-system-arm", "-M", machine, *ARM, "-kernel", image]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
    said = done.stdout.split("\n")
    assert any(line.strip().endswith(" passed, 0 failed") for line in said), done.stdout + done.stderr
    assert done.returncode == 0


def test_the_core_stays_small() -> None:
    """Bytes of the core on a Cortex-M3, linked; what it weighs now, and a twentieth."""
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("not installed: arm-none-eabi-gcc")
    make = ["make", "-s", "-j2", "-C", str(HERE), "-f", "core_size.mk", f"O={OUT}"]
    said = subprocess.run(make, check=True, capture_output=True, text=True).stdout
    found = {name: int(size) for name, size in re.findall(r"^(\S+): (\d+) bytes$", said, re.MULTILINE)}
    most = {"separate-all": 6530, "separate-static": 5700, "lto-all": 5340, "lto-static": 4730}
    assert found.keys() == most.keys()
    assert {name: size for name, size in found.items() if not 3000 < size <= most[name]} == {}
