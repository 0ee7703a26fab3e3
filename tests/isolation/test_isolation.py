# SPDX-License-Identifier: Apache-2.0
"""Domains: what they may do, what they may not, and that nothing else is harmed; on the simulator and on QEMU."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
CRIMES = 46
FUZZED = {"simulator": 20_000, "qemu": 2_000}


def signalbox(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "signalbox", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=300, check=False, stdin=subprocess.DEVNULL
    )


@pytest.mark.parametrize("engine", ["simulator", "qemu"])
def test_domains_are_kept_apart(engine: str) -> None:
    on = ["--on", "qemu"] if engine == "qemu" else []
    if on and shutil.which("qemu-system-riscv32") is None:
        pytest.skip("qemu-system-riscv32 is not installed")
    calls = FUZZED[engine]
    done = signalbox("run", HERE, "--set", f"params.calls={calls}", "--max-seconds", "120", *on)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert re.search(r"^isolation: 0 failures, (\d+) ended", done.stdout, re.MULTILINE)
    lives, ended = map(int, re.findall(r"fuzz: (\d+) lives, (\d+) ended", done.stdout)[0])
    assert lives == calls // 20
    least = lives // 2 if engine == "simulator" else 0  # QEMU goes by the clock on the wall: a life may end unlived
    assert ended > CRIMES + least, "the fuzzer must do forbidden things"
    stopped = re.findall(r"^signalbox: stopped: .*, task attacker, domain a\r?$", done.stdout, re.MULTILINE)
    assert len(stopped) >= CRIMES + 1


def test_other_seeds() -> None:
    for seed in range(2, 6):
        done = signalbox("run", HERE, "--set", f"params.seed={seed}", "--set", "params.calls=5000")
        assert done.returncode == 0, f"seed {seed}: {done.stdout[-3000:]}"


@pytest.mark.parametrize("level", ["release", "hooks"])
def test_other_levels_stop_what_they_must(level: str) -> None:
    done = signalbox("run", HERE, "--set", f"kernel.level={level}", "--set", "params.calls=20000")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert "isolation: 0 failures" in done.stdout


def test_without_protection_the_trials_notice(tmp_path: Path) -> None:
    """The same image where user mode may do everything: each forbidden access must be seen to go through."""
    built = signalbox("build", HERE, "--json")
    assert built.returncode == 0, built.stderr
    elf = ROOT / "build" / "tests" / "isolation" / "system" / "objects" / "node0.elf"
    assert elf.exists()
    platform = json.loads(signalbox("platform", "show", "virt", "--json").stdout)
    assert platform["cores"][0]["class"]["pmp_entries"] == 16
    text = (ROOT / "platforms" / "virt.toml").read_text()
    (tmp_path / "cores").mkdir()
    open_class = (ROOT / "platforms" / "cores" / "ideal.toml").read_text()
    open_class = re.sub(r"(?m)^pmp_.*$", "", open_class).replace('name = "ideal"', 'name = "open"')
    (tmp_path / "cores" / "open.toml").write_text(open_class)
    (tmp_path / "open.toml").write_text(text.replace('class = "ideal"', 'class = "open"').replace('"virt"', '"open"'))
    done = signalbox("run", elf, "--platform", tmp_path / "open.toml", "--max-seconds", "2")
    assert done.returncode != 0
    through = [int(n) for n in re.findall(r"crime (\d+) went through", done.stdout)]
    assert through[:5] == [0, 1, 2, 3, 4], done.stdout[
        -2000:
    ]  # reads and writes of the kernel's and the other domain's memory
    assert "secret is 0x13333" in done.stdout


@pytest.mark.parametrize("engine", ["simulator", "qemu"])
def test_domains_of_two_nodes_talk_over_a_link(engine: str) -> None:
    on = ["--on", "qemu"] if engine == "qemu" else []
    if on and shutil.which("qemu-system-riscv32") is None:
        pytest.skip("qemu-system-riscv32 is not installed")
    done = signalbox("run", HERE / "linked", "--max-seconds", "60", *on)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "linked: 10 answers, and its end is told" in done.stdout
    assert re.search(r"stopped: store access fault, .*, address 0x00100000, task echo, domain answers", done.stdout)


def test_a_traced_run_is_the_same_run(tmp_path: Path) -> None:
    plain = json.loads(signalbox("run", HERE / "linked", "--json").stdout)
    traced = signalbox("trace", HERE / "linked", "-o", tmp_path / "linked.trace")
    assert traced.returncode == 0, traced.stderr
    assert f"passed at cycle {plain['cycle']:,} " in traced.stderr
    assert "records" in traced.stderr


def test_a_kernel_without_optimisation_fits_its_stacks() -> None:
    done = signalbox("run", HERE, "--set", "build.optimise_kernel=-O0", "--set", "params.calls=2000")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr


def test_what_a_domain_cannot_call_does_not_link(tmp_path: Path) -> None:
    shutil.copytree(HERE / "linked", tmp_path / "linked", ignore=shutil.ignore_patterns("build"))
    source = tmp_path / "linked" / "src" / "echo.c"
    source.write_text(source.read_text().replace("    for (;;) {", "    sb_preemption_off();\n    for (;;) {"))
    done = signalbox("build", tmp_path / "linked")
    assert done.returncode == 1
    assert "the domain answers uses what only trusted tasks have: sb_preemption_off" in done.stderr


def test_a_domain_that_outgrows_its_memory_is_told(tmp_path: Path) -> None:
    shutil.copytree(HERE / "linked", tmp_path / "linked", ignore=shutil.ignore_patterns("build"))
    source = tmp_path / "linked" / "src" / "echo.c"
    text = source.read_text()
    source.write_text(
        text.replace(
            "void echo(void)\n{", "static volatile uint8_t large[8192] = {1};\n\nvoid echo(void)\n{\n    large[9]++;"
        )
    )
    done = signalbox("build", tmp_path / "linked")
    assert done.returncode == 1
    assert "the domain answers needs more memory" in done.stderr
