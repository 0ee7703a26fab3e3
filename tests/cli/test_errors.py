# SPDX-License-Identifier: Apache-2.0
"""Every way to fail from outside: the exit code, and a message that says where, what, and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cli_support import ROOT, need, signalbox

from signalbox.resources import resource

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).parent / "golden"
SYSTEM = (GOLDEN / "system.toml").read_text()


def system(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "system.toml"
    path.write_text(text)
    for name in ("left.c", "right.c"):
        (tmp_path / name).write_text("\n")
    return path


def platform(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    text = resource("platforms", "de2-dual.toml").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


# ---- usage: 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (["run"], "Missing argument 'TARGET'"),
        (["run", "x", "--frob"], "No such option"),
        (["run", "x", "--seed", "many"], "'many' is not a valid integer"),
        (["run", "x", "--max-cycles", "0"], "0 is not in the range"),
        (["run", "x", "--on", "paper"], "'paper' is not one of 'sim', 'qemu'"),
        (["build", str(GOLDEN), "--set", "nonsense"], "--set nonsense: write KEY=VALUE"),
        (["build", str(GOLDEN), "--set", "params.nothing=1"], "has no parameter `nothing`"),
        (["build", str(GOLDEN), "--set", "kernel.lvl=hooks"], "no key `lvl`"),
        (["new", "1abc"], "`1abc` cannot be a name"),
        (["new", str(ROOT / "tests")], "exists and is not an empty folder"),
        (["experiment", "run", "no-such-experiment"], "there is no experiment no-such-experiment"),
        (["bench"], ""),
    ],
)
def test_usage(arguments: list[str], message: str) -> None:
    done = signalbox(*arguments)
    assert done.code == 2, done
    assert message in done.err
    assert done.out == ""


def test_no_verb_shows_help() -> None:
    done = signalbox()
    assert done.code == 2
    for verb in ("doctor", "new", "build", "run", "trace", "stats", "experiment", "report", "platform", "bench"):
        assert verb in done.out + done.err


# ---- bad input: 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('level = "checked"', 'level = "checked"\ncolour = "red"', "colour"),
        ("tick_hz = 100", 'tick_hz = "fast"', "tick_hz"),
        ('level = "checked"', 'level = "chekced"', "chekced"),
        ("core = 1", "core = 5", "there is no core 5"),
        ('nodes = ["left", "right"]', 'nodes = ["left", "rigth"]', "rigth"),
        ("[kernel]", "[kernel", "system.toml"),
        (
            'platform = "de2-dual"',
            'platform = "de3-dual"',
            "platform `de3-dual` does not exist; there are de2-dual, mesh-4x4",
        ),
        ('sources = ["left.c"]', 'sources = ["gone.c"]', "does not exist"),
        ('platform = "de2-dual"', 'platform = "virt"', "there is no core 1"),
    ],
)
def test_a_wrong_system_file(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SYSTEM
    done = signalbox("build", system(tmp_path, SYSTEM.replace(old, new, 1)))
    assert done.code == 3, done
    assert message in done.err
    assert "system.toml" in done.err
    assert done.out == ""
    assert not (tmp_path / "build").exists(), "nothing is made of a wrong file"


def test_the_place_of_an_error_is_shown(tmp_path: Path) -> None:
    done = signalbox("system", "check", system(tmp_path, SYSTEM.replace("tick_hz = 100", "tick_hz = 1.5", 1)))
    assert done.code == 3
    line = next(i for i, text in enumerate(SYSTEM.splitlines(), 1) if text == "tick_hz = 100")
    assert f"system.toml:{line}:" in done.err
    assert "tick_hz = 1.5" in done.err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("clock_hz = 50_000_000", "clock_hz = 50_000_000\ncolour = 3", "colour"),
        ("clock_hz = 50_000_000", 'clock_hz = "fast"', "clock_hz"),
        ("base = 0x0048_0000", "base = 0x0080_0000", "overlap"),
        ('class = "nios2f"', 'class = "nios3f"', "nios3f"),
    ],
)
def test_a_wrong_platform_file(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = platform(tmp_path, (old, new))
    done = signalbox("platform", "check", path, "virt", "--json")
    assert done.code == 3, done
    assert message in done.err
    assert "mine.toml" in done.err
    assert [(f["file"], f["ok"]) for f in done.json["files"]] == [(str(path), False), ("virt", True)]


def test_a_right_platform_file(tmp_path: Path) -> None:
    done = signalbox("platform", "check", platform(tmp_path))
    assert (done.code, done.out) == (0, f"{tmp_path / 'mine.toml'}: ok\n")


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"\x7fELF rubbish", "a.elf", "a.elf"),
        (b"text", "a.txt", "neither an ELF file, a system.json nor a .toml file"),
        (b"{", "a.json", "not JSON"),
        (b"[]", "a.json", "not a system.json"),
    ],
)
def test_files_that_cannot_be_run(tmp_path: Path, content: bytes, name: str, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    done = signalbox("run", path)
    assert done.code == 3, done
    assert message in done.err


def test_a_target_that_does_not_exist(tmp_path: Path) -> None:
    done = signalbox("run", tmp_path / "nowhere", "--json")
    assert done.code == 3
    assert done.json == {
        "error": {"kind": "bad-input", "message": f"{tmp_path / 'nowhere'}: no such file or folder"},
        "exit_code": 3,
    }


def test_an_elf_for_another_machine() -> None:
    done = signalbox("run", "/bin/sh")
    assert done.code == 3, done
    assert "/bin/sh" in done.err


def test_an_elf_outside_memory(guest: Callable[[str], Path]) -> None:
    done = signalbox("run", guest("hello"), "--platform", "de2-dual")
    assert done.code == 3, done
    assert "0x80000000" in done.err


def test_a_trace_that_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    path.write_text('{"format":"signalbox-trace","version":1,"record_bytes":80,"records":3}\n')
    done = signalbox("trace", path, "--format", "text")
    assert done.code == 3, done
    assert "a.trace" in done.err


# ---- a compiler that rejects the program: 1


def test_a_program_that_does_not_compile(tmp_path: Path) -> None:
    need("riscv64-unknown-elf-gcc")
    app = tmp_path / "app"
    assert signalbox("new", app).code == 0
    (app / "src" / "pong.c").write_text("void pong(void) { undeclared(); }\n")
    done = signalbox("build", app, "--json")
    assert done.code == 1, done
    assert "pong.c:1:" in done.err
    assert "undeclared" in done.err
    assert done.json["error"] == {"kind": "failed", "message": "the compiler failed; its messages are above"}
    assert "[1/" not in done.err, "only what failed is shown"


def test_a_planted_join_fails_the_build_with_symbol_and_line(tmp_path: Path) -> None:
    need("riscv64-unknown-elf-gcc")
    app = tmp_path / "app"
    assert signalbox("new", app).code == 0
    (app / "src" / "pong.c").write_text(
        '#include "message.h"\n#include "signalbox/probe.h"\n#include "signalbox/task.h"\n'
        "volatile uint32_t seen;\n"
        "__attribute__((noinline)) static void planted(uint32_t c)\n{\n"
        "    if (c > 5)\n        SB_PROBE(mark, c);\n    seen++;\n}\n"
        "void pong(void)\n{\n    planted(seen);\n    for (;;) {\n    }\n}\n"
    )
    for _ in range(2):  # a build that failed is not taken for finished
        done = signalbox("build", app, "--set", "build.optimise_app=-Os")
        assert done.code == 1, done
        assert "probe `mark` in planted (app/src/pong.c:" in done.err or "probe `mark` in planted.isra.0" in done.err, (
            done.err
        )
        assert "lies where 2 paths join" in done.err
        assert "use SB_PROBE_NOP" in done.err


# ---- tools that are missing: 5


@pytest.mark.parametrize(
    ("missing", "package"), [("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf"), ("ninja", "ninja-build")]
)
def test_a_missing_tool_is_named_with_what_to_install(tmp_path: Path, missing: str, package: str) -> None:
    need("riscv64-unknown-elf-gcc")
    tools = tmp_path / "bin"
    tools.mkdir()
    import shutil

    for name in ("riscv64-unknown-elf-gcc", "cmake", "ninja"):
        if name != missing:
            (tools / name).symlink_to(str(shutil.which(name)))
    app = tmp_path / "app"
    assert signalbox("new", app).code == 0
    done = signalbox("build", app, "--json", env={"PATH": str(tools)})
    assert done.code == 5, done
    assert f"{missing} is missing" in done.err
    assert package in done.err
    assert "signalbox doctor" in done.err
    assert json.loads(done.out)["error"]["kind"] == "tool-missing"


def test_qemu_that_is_missing(guest: Callable[[str], Path]) -> None:
    done = signalbox("run", guest("hello"), "--on", "qemu", env={"PATH": "/nonexistent"})
    assert done.code == 5
    assert "qemu-system-riscv32 is missing" in done.err
    assert "qemu-system-misc" in done.err
