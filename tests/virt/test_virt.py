# SPDX-License-Identifier: Apache-2.0
"""`virt` is QEMU's machine: the same images say the same on both. What differs is listed here and in docs/virt.md."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from signalbox import _sim
from signalbox.build import reference

ROOT = Path(__file__).resolve().parents[2]
GUESTS = Path(__file__).parent / "guests"
GCC = "riscv64-unknown-elf-gcc"
QEMU = "qemu-system-riscv32"
ENGINES = ("sim", "qemu")

# Ranges whose answers differ on purpose, each with its reason.
DIFFERS = {
    (0x0C000180, 0x0C000184): "QEMU 7.2 keeps a priority for number 96, which it does not have",
    (0x10000004, 0x10000005): "MCR is 8 at reset in QEMU, 0 in the data sheet",
    (0x10100000, 0x10100018): "no fw_cfg",
    (0x20000000, 0x24000000): "no flash",
    (0x30000000, 0x40000000): "no PCI",
    (0x40000000, 0x80000000): "no PCI",
}
#: QEMU keeps bit 0, which stands for no source, of the first word of each context.
BIT_0_OF_ENABLE = range(0x0C002000, 0x0C003000, 0x80)


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def need_the_qemu_that_virt_follows() -> None:
    need(QEMU)
    if not reference.is_qemu():
        pytest.skip(f"compares with QEMU {reference.QEMU_VERSION}, whose machine platforms/virt.toml is")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("virt")


def compiled(folder: Path, guest: str, *options: str) -> Path:
    need(GCC)
    elf = folder / f"{guest}{''.join(options)}.elf"
    if not elf.exists():
        command = [
            GCC, "-march=rv32imac_zicsr_zifencei", "-mabi=ilp32", "-mcmodel=medany", "-nostdlib", "-ffreestanding",
            "-fno-jump-tables", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-Wl,--no-warn-rwx-segments", *options,
            "-T", str(GUESTS / "virt.ld"), str(GUESTS / "start.S"), str(GUESTS / f"{guest}.c"), "-o", str(elf),
        ]  # fmt: skip
        subprocess.run(command, check=True)
    return elf


def run(elf: Path, engine: str, *options: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run an image; two simulated seconds or a host minute are more than any of these needs."""
    if engine == "qemu":
        need(QEMU)
    limit = "2" if engine == "sim" else "60"
    command = [sys.executable, "-m", "signalbox", "run", str(elf), "--on", engine, "--max-seconds", limit, *options]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)


def dictionary(said: bytes) -> dict[tuple[int, str], str]:
    """What map.c says: by number of the line and place, the answer."""
    lines = [line.split(" ", 2) for line in said.decode().splitlines()]
    return {(n, f"{kind} {place}"): " ".join(rest) for n, (kind, place, *rest) in enumerate(lines)}


@pytest.mark.parametrize("harts", [1, 2])
def test_the_whole_map_answers_as_in_qemu(folder: Path, harts: int) -> None:
    need_the_qemu_that_virt_follows()
    elf = compiled(folder, "map")
    said = {engine: run(elf, engine, "--harts", str(harts)) for engine in ENGINES}
    assert all(done.returncode == 0 for done in said.values()), said
    ours, theirs = (dictionary(said[engine].stdout) for engine in ENGINES)
    assert len(ours) > 380
    assert ours.keys() == theirs.keys()
    different = set()
    for key, answer in ours.items():
        place = int(key[1].split()[1], 16)
        if place in BIT_0_OF_ENABLE and answer == "fffffffe" and theirs[key] == "ffffffff":
            continue
        reason = next((r for (first, end), r in DIFFERS.items() if first <= place < end), None)
        assert answer == theirs[key] or reason, f"{key}: {answer}, in QEMU {theirs[key]}"
        if answer != theirs[key]:
            different.add(reason)
    assert different == set(DIFFERS.values()), "a difference that is gone belongs out of the list"


@pytest.mark.parametrize("harts", range(1, 9))
def test_one_to_eight_harts_say_the_same(folder: Path, harts: int) -> None:
    elf = compiled(folder, "harts")
    said = {}
    for engine in ENGINES:
        done = run(elf, engine, "--harts", str(harts))
        assert done.returncode == 0, f"{engine}: {done.stdout.decode()}{done.stderr.decode()}"
        said[engine] = done.stdout.decode().splitlines()
    rounds = 500
    assert said["sim"] == [
        f"harts {harts}",
        "arguments wrong 0",
        f"added {rounds * harts * (harts + 1) // 2}",
        f"locked {rounds * harts}",
        f"highest {harts * rounds - 1}",
        "lowest 5",
        "odd 0",
        f"or {(1 << harts) - 1}",
        "last hop 0",
        *["ticks 3"] * harts,
        *["claimed 1"] * harts,
        "unexpected 0",
    ]
    assert said["qemu"] == said["sim"]


def test_the_number_of_harts_is_also_a_value_of_the_platform(folder: Path) -> None:
    elf = compiled(folder, "harts")
    done = run(elf, "sim", "--set", "core.count=3", "--json")
    assert json.loads(done.stdout)["console"]["harts.elf"].startswith("harts 3\n")
    runs = [json.loads(run(elf, "sim", "--harts", "3", "--json").stdout) for _ in range(2)]
    assert runs[0] == runs[1] == json.loads(done.stdout), "each run is the same"


@pytest.mark.parametrize("engine", ENGINES)
def test_stdin_comes_by_the_receive_interrupt(folder: Path, engine: str) -> None:
    done = run(compiled(folder, "echo"), engine, stdin=b"hello\nworld, and more than a fifo holds.")
    assert (done.returncode, done.stdout) == (0, b"HELLO\nWORLD, AND MORE THAN A FIFO HOLDS."), done.stderr


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("value", "code", "said"),
    [("0x5555", 0, b"pass"), ("0x00073333", 1, b"code 7"), ("0x3333", 1, b"fail"), ("0x7777", 1, b"reset")],
)
def test_the_finisher_ends_as_in_qemu(folder: Path, engine: str, value: str, code: int, said: bytes) -> None:
    if engine == "qemu" and value in ("0x7777", "0x3333"):
        pytest.skip("QEMU resets the machine; and its code 0 of a failure looks like a pass")
    done = run(compiled(folder, "ends", f"-DVALUE={value}"), engine)
    assert done.returncode == code, done.stderr
    assert said in done.stderr


@pytest.mark.parametrize("engine", ENGINES)
def test_bare_bytes_are_loaded_at_the_beginning_of_the_memory(folder: Path, engine: str) -> None:
    elf = compiled(folder, "echo")
    for name, options in (("echo.bin", ()), ("echo.image", ("--raw",))):
        raw = folder / name
        subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", str(elf), str(raw)], check=True)
        done = run(raw, engine, *options, stdin=b"x.")
        assert (done.returncode, done.stdout) == (0, b"X."), done.stderr


@pytest.mark.parametrize("engine", ENGINES)
def test_harts_begin_where_the_memory_does_whatever_the_entry_says(folder: Path, engine: str) -> None:
    elf = compiled(folder, "ends", "-DVALUE=0x5555", "-Wl,--entry=main")
    assert run(elf, engine, "--json").returncode == 0
    with elf.open("rb") as file:
        assert struct.unpack("<I", file.read(28)[24:])[0] != 0x8000_0000


def wrong(*arguments: str | Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "signalbox", "run", *map(str, arguments)],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_wrong_requests(folder: Path) -> None:
    elf = compiled(folder, "echo")
    code, said = wrong(elf, "--set", "core.cuont=2")
    assert code == 2
    assert "there is no `cuont` in `core`" in said
    code, said = wrong(elf, "--harts", "0")
    assert code == 2
    assert "--harts" in said
    code, said = wrong(elf, "--set", "core.count=9999")
    assert code == 3
    assert "`count` is out of range" in said
    assert "core.count=9999" in said
    code, said = wrong(ROOT / "apps" / "t0", "--harts", "2")
    assert code == 2
    assert "a system says itself" in said
    code, said = wrong(ROOT / "apps", "--raw")
    assert code == 2
    assert "--raw needs a file" in said
    empty = folder / "empty.bin"
    empty.write_bytes(b"")
    code, said = wrong(empty)
    assert code == 3
    assert "empty file" in said
    large = folder / "large.bin"
    with large.open("wb") as file:
        file.truncate((128 << 20) + 1)
    code, said = wrong(large)
    assert code == 3
    assert "lies outside the memories of virt" in said
    text = folder / "text"
    text.write_text("hello")
    code, said = wrong(text)
    assert code == 3
    assert "--raw runs bare bytes" in said


def test_rubbish_is_a_guest_fault(folder: Path) -> None:
    raw = folder / "rubbish.bin"
    raw.write_bytes(b"\0" * 64)
    code, said = wrong(raw)
    assert code == 4
    assert "illegal instruction" in said


# The device tree, compared with the one that QEMU makes.


def tree(blob: bytes) -> dict[str, dict[str, bytes]]:
    """Nodes by path, their properties as bytes. Devicetree Specification 0.4, chapter 5."""
    magic, total, at, names_at, _, version = struct.unpack(">6I", blob[:24])
    assert (magic, version) == (0xD00DFEED, 17)
    assert total <= len(blob)
    nodes: dict[str, dict[str, bytes]] = {}
    path: list[str] = []
    while True:
        token = struct.unpack_from(">I", blob, at)[0]
        at += 4
        if token == 1:
            end = blob.index(b"\0", at)
            path.append(blob[at:end].decode())
            nodes["/".join(path)] = {}
            at = end + 4 & ~3
        elif token == 2:
            path.pop()
        elif token == 3:
            size, name = struct.unpack_from(">2I", blob, at)
            key = blob[names_at + name : blob.index(b"\0", names_at + name)].decode()
            nodes["/".join(path)][key] = blob[at + 8 : at + 8 + size]
            at = at + 8 + size + 3 & ~3
        elif token == 9:
            return nodes
        else:
            assert token == 4, hex(token)


def cells(value: bytes) -> list[int]:
    return [c for (c,) in struct.iter_unpack(">I", value)]


def resolved(nodes: dict[str, dict[str, bytes]]) -> dict[str, dict[str, Any]]:
    """The same with handles replaced by the nodes that they stand for, since each maker numbers them as it likes."""
    by_handle = {cells(p["phandle"])[0]: path for path, p in nodes.items() if "phandle" in p}
    out: dict[str, dict[str, Any]] = {}
    for path, properties in nodes.items():
        new: dict[str, Any] = {}
        for key, value in properties.items():
            if key in ("interrupt-parent", "regmap", "cpu"):
                new[key] = by_handle[cells(value)[0]]
            elif key == "interrupts-extended":
                words = cells(value)
                new[key] = [(by_handle[h], n) for h, n in zip(words[::2], words[1::2], strict=True)]
            elif key != "phandle":
                new[key] = value
        out[path] = new
    return out


#: Nodes and properties that QEMU has and we do not, and the other way round.
NODES_OF_QEMU = {"/pmu", "/fw-cfg@10100000", "/flash@20000000", "/platform-bus@4000000", "/soc/pci@30000000"}
PROPERTIES = {"rng-seed", "model", "riscv,isa", "mmu-type", "riscv,ndev"}


@pytest.mark.parametrize(("harts", "mebibytes"), [(1, 128), (2, 128), (8, 64), (3, 2047)])
def test_the_device_tree_is_qemus(tmp_path: Path, harts: int, mebibytes: int) -> None:
    need_the_qemu_that_virt_follows()
    path = ROOT / "platforms" / "virt.toml"
    given = [("core.count", str(harts)), ("memory.ram.size_bytes", str(mebibytes << 20))]
    platform = _sim.platform_resolve(
        _sim.apply_overrides(path.read_text(), str(path), given), str(path), [str(path.parent)]
    )
    raw = tmp_path / "raw"
    raw.write_bytes(b"\0" * 4)
    machine = _sim.Machine(platform, [(str(raw), [0])], raw_at=0x8000_0000)
    end = 0x8000_0000 + (mebibytes << 20)
    at = min(end, 3 << 30) - (2 << 20)
    ours = resolved(tree(machine.read(at, min(end - at, 1 << 16))))
    dump = tmp_path / "qemu.dtb"
    command = [QEMU, "-M", f"virt,dumpdtb={dump}", "-smp", str(harts), "-m", f"{mebibytes}M", "-bios", "none"]
    subprocess.run([*command, "-nographic"], check=True, capture_output=True)
    theirs = resolved(tree(dump.read_bytes()))

    assert theirs.keys() - ours.keys() == NODES_OF_QEMU
    assert not ours.keys() - theirs.keys()
    for node, properties in ours.items():
        assert properties.keys() - PROPERTIES == theirs[node].keys() - PROPERTIES, node
        for key, value in properties.items():
            if key not in PROPERTIES:
                assert value == theirs[node][key], f"{node} {key}"
    assert ours["/cpus/cpu@0"]["riscv,isa"].startswith(b"rv32imac_zicsr_zifencei")
    assert ours["/soc/plic@c000000"]["riscv,ndev"] == struct.pack(">I", 95)


def test_an_image_that_wants_the_trees_place_gets_it(folder: Path) -> None:
    raw = folder / "large"
    raw.write_bytes(b"\x6f" + b"\0" * 3 + b"\xaa" * ((128 << 20) - 4))
    path = ROOT / "platforms" / "virt.toml"
    platform = _sim.platform_resolve(path.read_text(), str(path), [str(path.parent)])
    machine = _sim.Machine(platform, [(str(raw), [0])], raw_at=0x8000_0000)
    assert machine.read(0x87E0_0000, 8) == b"\xaa" * 8
    small = _sim.apply_overrides(path.read_text(), str(path), [("memory.ram.size_bytes", "1024")])
    raw.write_bytes(b"\0" * 4)
    with pytest.raises(
        _sim.InputError, match=r"find no room at a multiple of 2 MiB in `ram`; make that larger, or remove"
    ):
        _sim.Machine(_sim.platform_resolve(small, str(path), [str(path.parent)]), [(str(raw), [0])], raw_at=0x8000_0000)
