# SPDX-License-Identifier: Apache-2.0
"""A system of several nodes on `virt`: each node's image on the simulator, and one image of all on both machines."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from signalbox import _sim
from signalbox.build import merge


def signalbox(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "signalbox", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=200, check=False, stdin=subprocess.DEVNULL
    )  # fmt: skip


def need(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `signalbox new` writes, moved to `virt` with two cores."""
    need("riscv64-unknown-elf-gcc", "cmake", "ninja")
    folder = tmp_path_factory.mktemp("merged") / "two"
    assert signalbox("new", folder).returncode == 0
    text = (folder / "system.toml").read_text()
    (folder / "system.toml").write_text(text.replace('platform = "de2-dual"', 'platform = "virt"\ncores = 2'))
    done = signalbox("build", folder)
    assert done.returncode == 0, done.stderr
    return folder


ROOT = Path(__file__).resolve().parents[2]
SAID = "".join(f"ping: {i}\n" for i in range(1, 11))


def test_two_nodes_talk_on_the_simulator(system: Path) -> None:
    done = signalbox("run", system, "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["console"] == {"two": SAID}
    assert len(data["state_hash"]) == 16


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_one_image_holds_both_nodes(system: Path, engine: str) -> None:
    if engine == "qemu":
        need("qemu-system-riscv32")
    merged = system / "build" / "system" / "merged.elf"
    limit = "1" if engine == "sim" else "60"
    for harts in ("2", "3"):  # a core without a node sleeps
        done = signalbox("run", merged, "--harts", harts, "--on", engine, "--max-seconds", limit)
        assert (done.returncode, done.stdout) == (0, SAID), done.stderr


def test_a_system_runs_on_qemu_by_its_one_image(system: Path) -> None:
    need("qemu-system-riscv32")
    done = signalbox("run", system, "--on", "qemu", "--max-seconds", "60")
    assert (done.returncode, done.stdout) == (0, SAID), done.stderr
    done = signalbox("run", system, "--on", "qemu", "--max-seconds", "60", "--set", "params.rounds=3")
    assert (done.returncode, done.stdout) == (0, "ping: 1\nping: 2\nping: 3\n"), done.stderr


def test_the_image_names_functions_of_both_nodes(system: Path) -> None:
    merged = system / "build" / "system" / "merged.elf"
    described = json.loads((system / "build" / "system" / "system.json").read_text())
    assert described["merged"] == "merged.elf"
    info = json.loads(_sim.image_info(str(merged)))
    assert info["entry"] == 0x8000_0000
    bases = [n["memory"]["base"] for n in described["nodes"]]
    assert bases[0] == 0x8000_1000, "the first page sends each core to its node"
    out = subprocess.run(["riscv64-unknown-elf-nm", str(merged)], capture_output=True, text=True, check=True).stdout
    places = {line.split()[2]: int(line.split()[0], 16) for line in out.splitlines()}
    assert places["boot.dispatch"] == 0x8000_0000
    assert bases[0] <= places["left.ping"] < bases[1] <= places["right.pong"]


def test_each_core_is_sent_to_its_node_and_others_sleep(tmp_path: Path) -> None:
    """The code, executed by five harts; 1 and 4 have no node. Where it sends one, it marks its place and sleeps."""
    entries = {0: 0x8000_1000, 2: 0x8000_1100, 3: 0x8000_1200}
    boot = merge.dispatch(entries)
    assert struct.unpack("<4I", boot[-16:]) == (0x8000_1000, 0, 0x8000_1100, 0x8000_1200)
    mark = struct.pack("<4I", 0x0000_0297, 0x08A2_A023, 0x1050_0073, 0xFFDF_F06F)  # auipc t0; sw a0, 128(t0); wfi; j -4
    image = bytearray(0x1300)
    image[: len(boot)] = boot
    for at in entries.values():
        image[at - 0x8000_0000 : at - 0x8000_0000 + len(mark)] = mark
        image[at - 0x8000_0000 + 128 : at - 0x8000_0000 + 132] = b"\xff" * 4
    raw = tmp_path / "boot.bin"
    raw.write_bytes(image)
    path = ROOT / "platforms" / "virt.toml"
    text = _sim.apply_overrides(path.read_text(), str(path), [("core.count", "5")])
    platform = _sim.platform_resolve(text, str(path), [str(path.parent)])
    machine = _sim.Machine(platform, [(str(raw), [0, 1, 2, 3, 4])], raw_at=0x8000_0000)
    assert json.loads(machine.run(10_000))["stop"] == "deadlock"
    assert [machine.read(at + 128, 4)[0] for at in entries.values()] == [0, 2, 3]


def test_a_wrong_number_of_cores_is_told_with_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "two"
    assert signalbox("new", folder).returncode == 0
    original = (folder / "system.toml").read_text()
    for cores, said in (("1", "there is no core 1"), ("0", "`cores` is out of range"), ('"2"', "must be an integer")):
        text = original.replace('platform = "de2-dual"', f'platform = "virt"\ncores = {cores}')
        (folder / "system.toml").write_text(text)
        done = signalbox("build", folder)
        assert done.returncode == 3, done.stderr
        assert said in done.stderr
        assert "system.toml" in done.stderr
