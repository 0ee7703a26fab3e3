# SPDX-License-Identifier: Apache-2.0
"""What is installed, what is missing, and what to do about it."""

from __future__ import annotations

from cli_support import signalbox

from signalbox.build import toolchain


def test_doctor_names_everything() -> None:
    done = signalbox("doctor", "--json")
    found = {f["name"]: f for f in done.json["findings"]}
    others = {"python", "picolibc", "picolibc-arm", "simulator", "sources"}
    assert set(found) == {t.name for t in toolchain.ALL} | others
    assert done.code == (0 if done.json["ok"] else 5)
    assert done.json["ok"] == all(f["ok"] for f in found.values() if f["required"])
    assert found["simulator"]["ok"]
    assert found["sources"]["ok"]
    assert all(f["install"] for f in found.values() if not f["ok"])


def test_doctor_without_tools_says_what_to_install() -> None:
    done = signalbox("doctor", "--json", env={"PATH": "/nonexistent", "CARGO_HOME": "/nonexistent"})
    assert done.code == 5
    missing = {f["name"]: f["install"] for f in done.json["findings"] if not f["ok"]}
    assert set(missing) == {t.name for t in toolchain.ALL} | {"picolibc", "picolibc-arm"}
    assert "apt install gcc-riscv64-unknown-elf" in missing["riscv64-unknown-elf-gcc"]
    assert "1.85 or newer" in missing["cargo"]
    table = signalbox("doctor", env={"PATH": "/nonexistent", "CARGO_HOME": "/nonexistent"})
    assert table.code == 5
    assert "MISSING" in table.out
    assert "not there (optional)" in table.out


def test_versions_are_compared_as_numbers() -> None:
    assert toolchain.too_old(toolchain.CARGO, "1.9.0")
    assert not toolchain.too_old(toolchain.CARGO, "1.85.0")
    assert not toolchain.too_old(toolchain.CARGO, "1.100")
    assert not toolchain.too_old(toolchain.CARGO, None), "an unknown version is given the benefit of the doubt"
