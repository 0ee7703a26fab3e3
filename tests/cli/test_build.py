# SPDX-License-Identifier: Apache-2.0
"""`new` → `build` → `run`, and what a second build does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from cli_support import ROOT, need, signalbox


@pytest.fixture
def copy(app: Path, tmp_path: Path) -> Path:
    """A copy of the application's sources, not built."""
    return Path(shutil.copytree(app, tmp_path / "my-app", ignore=shutil.ignore_patterns("build")))


def test_the_new_application_runs(app: Path) -> None:
    done = signalbox("run", app)
    assert done.code == 0, done.err
    assert done.out == "".join(f" left | ping: {i}\n" for i in range(1, 11))
    assert "my-app: passed at cycle " in done.err


def test_new_lists_its_files(tmp_path: Path) -> None:
    done = signalbox("new", "fresh", "--json", cwd=tmp_path)
    assert done.code == 0
    assert sorted(done.json["files"]) == [
        "fresh/.gitignore", "fresh/README.md",
        "fresh/src/message.h", "fresh/src/ping.c", "fresh/src/pong.c", "fresh/system.toml",
    ]  # fmt: skip
    assert 'name = "fresh"' in (tmp_path / "fresh" / "system.toml").read_text()


def test_what_a_build_describes(app: Path) -> None:
    done = signalbox("build", app, "--json")
    assert done.code == 0
    built = done.json
    assert not built["compiled"]
    assert built["system_json"] == str(app / "build" / "system" / "system.json")
    assert [(n["name"], n["core"], n["memory"]) for n in built["nodes"]] == [
        ("left", 0, {"base": 0x80_0000, "size": 0x3E_0000}),
        ("right", 1, {"base": 0xBE_0000, "size": 0x3E_0000}),
    ]
    assert built["params"] == {"rounds": 10}
    assert built["shared"] == {"base": 0xFC_0000, "size": 0x4_0000}
    assert all(n["probes"] > 20 and n["size_bytes"]["text"] > 5_000 for n in built["nodes"])
    written = json.loads(Path(built["system_json"]).read_text())
    assert [n["elf"] for n in written["nodes"]] == ["objects/left.elf", "objects/right.elf"]
    assert str(app) not in Path(built["system_json"]).read_text(), "a build can be moved"


def test_an_unchanged_build_starts_nothing_and_is_quick(app: Path) -> None:
    began = time.perf_counter()
    done = signalbox("build", app)
    took = time.perf_counter() - began
    assert done.code == 0
    assert "building" not in done.err
    assert took < 2.0, "half a second, with room for a busy machine"
    no_tools = signalbox("build", app, env={"PATH": "/nonexistent"})
    assert "is missing" in no_tools.err or no_tools.code == 0


def test_only_what_changed_is_compiled(copy: Path) -> None:
    first = signalbox("build", copy, "--json")
    assert first.code == 0, first.err
    objects = copy / "build" / "system" / "objects"

    def times() -> dict[str, int]:
        return {str(p.relative_to(objects)): p.stat().st_mtime_ns for p in objects.rglob("*.obj")}

    before = times()
    source = copy / "src" / "pong.c"
    source.write_text(source.read_text().replace("sig->count.value++", "sig->count.value += 1"))
    second = signalbox("build", copy, "--json")
    assert second.code == 0
    assert second.json["compiled"]
    changed = [p for p, t in times().items() if before[p] != t]
    assert len(changed) == 1
    assert changed[0].endswith("pong.c.obj")

    header = copy / "src" / "message.h"
    header.write_text(header.read_text() + "/* a comment */\n")
    before = times()
    assert signalbox("build", copy, "--json").json["compiled"]
    assert len([p for p, t in times().items() if before[p] != t]) == 2, "both programs include it"

    toml = copy / "system.toml"
    toml.write_text(toml.read_text().replace("rounds = 10", "rounds = 4"))
    before = times()
    third = signalbox("build", copy, "--json")
    assert third.json["params"] == {"rounds": 4}
    assert {Path(p).name for p, t in times().items() if before[p] != t} == {"config.c.obj"}
    assert signalbox("build", copy, "--json").json["compiled"] is False


def test_images_do_not_depend_on_where_they_are_built(app: Path, copy: Path) -> None:
    here = signalbox("build", app, "--json").json
    there = signalbox("build", copy, "--json").json
    assert [n["sha256"] for n in here["nodes"]] == [n["sha256"] for n in there["nodes"]]
    assert here["hash"] == there["hash"]


def test_parameters_change_a_run_without_a_compiler(app: Path) -> None:
    done = signalbox("run", app, "--set", "params.rounds=3", env={"PATH": os.environ["PATH"]})
    assert done.code == 0, done.err
    assert done.out == "".join(f" left | ping: {i}\n" for i in range(1, 4))
    assert "building" not in done.err
    built = signalbox("build", app, "--set", "params.rounds=3", "--json").json
    assert built["params"] == {"rounds": 3}
    assert Path(built["system_json"]).parent.parent == app / "build" / "system" / "params"
    again = signalbox("run", built["system_json"])
    assert (again.code, again.out) == (0, done.out)


def test_a_run_is_a_function_of_images_platform_and_seed(app: Path) -> None:
    one, same, other = (signalbox("run", app, "--json", "--seed", seed).json for seed in ("1", "1", "2"))
    assert one == same
    assert one["stop"] == "pass"
    assert (one["run"], one["state_hash"]) != (other["run"], other["state_hash"])
    assert one["console"] == {"left": "".join(f"ping: {i}\n" for i in range(1, 11)), "right": ""}


def test_optimisation_of_each_part(copy: Path) -> None:
    default = signalbox("build", copy, "--json").json
    slow = signalbox("build", copy, "--set", "build.optimise_link=-O0", "--set", "build.optimise_app=-O0", "--json")
    assert slow.code == 0, slow.err
    assert slow.json["optimise"] == {"kernel": "-O2", "link": "-O0", "app": "-O0"}
    assert slow.json["nodes"][0]["size_bytes"]["text"] > default["nodes"][0]["size_bytes"]["text"]
    assert slow.json["system_json"] != default["system_json"]
    assert signalbox("build", copy, "--json").json["compiled"] is False, "the other choice has not been lost"
    done = signalbox("run", copy, "--set", "build.optimise_link=-O0", "--set", "build.optimise_app=-O0")
    assert done.code == 0, done.err


@pytest.mark.parametrize("level", ["release", "hooks", "checked"])
def test_every_level_runs(copy: Path, level: str) -> None:
    done = signalbox("run", copy, "--set", f"kernel.level={level}")
    assert done.code == 0, done.err


def test_a_kernel_that_ends_its_node_is_a_guest_fault(copy: Path) -> None:
    toml = copy / "system.toml"
    toml.write_text(toml.read_text().replace("stack_bytes = 2048", "stack_bytes = 256", 1))
    done = signalbox("run", copy, "--json")
    assert done.code == 4, done.err
    assert "signalbox: fatal: stack" in done.json["console"]["left"]
    assert done.json["exit_code"] == 4
    assert done.json["fault"]["symbol"].startswith("port_fatal")
    assert "backtrace of cpu0" in done.err
    assert "sb_fatal" in done.err


def test_an_exception_in_a_task_is_told_with_its_place(copy: Path) -> None:
    source = copy / "src" / "pong.c"
    source.write_text(source.read_text().replace("sig->count.value++;", "*(volatile uint32_t *)0x70000000u = 1;"))
    done = signalbox("run", copy)
    assert done.code == 4
    assert "guest fault: bus-error on cpu1" in done.err
    assert "store to 0x70000000, where nothing answers" in done.err
    assert "backtrace of cpu1" in done.err
    assert "backtrace of cpu0" in done.err
    assert "my-app/src/pong.c:10" in done.err
    assert "last 32 instructions of cpu1" in done.err


SINGLE = """
schema = 1
name = "single"
platform = "virt"

[kernel]
level = "checked"
tick_hz = 100

[params]
code = 0

[[node]]
name = "only"
core = 0
sources = ["only.c"]

[[node.task]]
name = "only"
entry = "only"
kind = "priority"
priority = 3
stack_bytes = 2048

[[node.pool]]
block_bytes = [64]
block_count = [4]
"""


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_one_node_on_virt_runs_alike_on_both(tmp_path: Path, engine: str) -> None:
    if engine == "qemu":
        need("qemu-system-riscv32")
    (tmp_path / "system.toml").write_text(SINGLE)
    (tmp_path / "only.c").write_text(
        '#include <stdio.h>\n#include "config.h"\n#include "signalbox/port.h"\n#include "signalbox/timer.h"\n'
        'void only(void)\n{\n    SB_IGNORE(sb_delay(2));\n    printf("ticks %lu\\n", (unsigned long)sb_ticks());\n'
        '    if (sb_param_code == 99) {\n        port_fatal("test");\n    }\n    port_finish(sb_param_code);\n}\n'
    )
    for code, exit_code in ((0, 0), (7, 1), (99, 4)):
        done = signalbox("run", tmp_path, "--on", engine, "--set", f"params.code={code}")
        assert (done.code, done.out.splitlines()[0]) == (exit_code, "ticks 2"), done.err


def test_warnings_of_an_application_are_shown_and_do_not_stop_it(copy: Path) -> None:
    source = copy / "src" / "ping.c"
    source.write_text(
        source.read_text() + "\nstatic int forgotten(void)\n{\n    return ({ typeof(1) n = 2; n; });\n}\n"
    )
    done = signalbox("build", copy)
    assert done.code == 0, done.err
    assert "forgotten" in done.err
    assert "[-Wunused-function]" in done.err
    assert "[1/" not in done.err


def test_cmake_alone_builds_what_was_generated(app: Path, tmp_path: Path) -> None:
    need("cmake")
    done = signalbox("build", app, "--generate-only", "-o", tmp_path / "out")
    assert done.code == 0, done.err
    generated = Path(done.out.strip())
    out = tmp_path / "objects"
    subprocess.run(
        [
            "cmake", "-S", ROOT / "rtos", "-B", out, "-G", "Ninja", f"-DSB_GENERATED_DIR={generated}",
            f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'rtos' / 'cmake' / 'riscv32.cmake'}",
        ],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    subprocess.run(["ninja", "-C", out], check=True, stdout=subprocess.DEVNULL)
    built = app / "build" / "system" / "objects"
    for node in ("left.elf", "right.elf"):
        assert (out / node).read_bytes() == (built / node).read_bytes()
