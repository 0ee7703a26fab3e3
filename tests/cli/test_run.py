# SPDX-License-Identifier: Apache-2.0
"""Any ELF file on `virt`: programs that know nothing of Signalbox."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cli_support import ROOT, need, signalbox

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_console_and_exit_code(guest: Callable[[str], Path], engine: str) -> None:
    if engine == "qemu":
        need("qemu-system-riscv32")
    hello = signalbox("run", guest("hello"), "--platform", "virt", "--on", engine)
    assert (hello.code, hello.out) == (0, "hello\n")
    fail = signalbox("run", guest("fail"), "--on", engine)
    assert fail.code == 1
    assert "code 7" in fail.err


def test_limits_end_with_42(guest: Callable[[str], Path]) -> None:
    cycles = signalbox("run", guest("forever"), "--max-cycles", "1234567", "--json")
    assert cycles.code == 42
    assert (cycles.json["stop"], cycles.json["cycle"], cycles.json["exit_code"]) == ("budget", 1_234_567, 42)
    assert cycles.json["console"] == {"forever.elf": "started\n"}
    seconds = signalbox("run", guest("forever"), "--max-seconds", "0.02")
    assert seconds.code == 42
    assert seconds.out == "started\n"
    assert "still running at cycle 2,000,000 (0.020000 s simulated)" in seconds.err


def test_limits_in_host_seconds_on_qemu(guest: Callable[[str], Path]) -> None:
    need("qemu-system-riscv32")
    done = signalbox("run", guest("forever"), "--on", "qemu", "--max-seconds", "2")
    assert (done.code, done.out) == (42, "started\n")


def test_a_deadlock_ends_with_43(guest: Callable[[str], Path]) -> None:
    done = signalbox("run", guest("sleep"))
    assert done.code == 43
    assert "deadlock at cycle" in done.err


def test_stdin_goes_to_the_uart(guest: Callable[[str], Path], tmp_path: Path) -> None:
    done = signalbox("run", guest("echo"), stdin=b"abc\nxyz\n.")
    assert (done.code, done.out) == (0, "ABC\nXYZ\n")
    text = tmp_path / "input"
    text.write_bytes(b"from a file\n.")
    runs = []
    for _ in range(2):
        with text.open("rb") as file:
            runs.append(signalbox("run", guest("echo"), "--json", stdin=file.fileno()).json)
    assert runs[0]["console"] == {"echo.elf": "FROM A FILE\n"}
    assert runs[0] == runs[1], "input from a file makes a run that can be repeated"


def test_stdin_on_qemu(guest: Callable[[str], Path]) -> None:
    need("qemu-system-riscv32")
    done = signalbox("run", guest("echo"), "--on", "qemu", "--max-seconds", "30", stdin=b"abc.")
    assert (done.code, done.out) == (0, "ABC")


def test_a_fault_tells_everything(guest: Callable[[str], Path]) -> None:
    done = signalbox("run", guest("bus_error"))
    assert done.code == 4
    assert done.out == "about to fault\n"
    assert "guest fault: bus-error on " in done.err
    assert "load from 0x70000000, where nothing answers" in done.err
    assert "address 0x70000000" in done.err
    trace = done.err[done.err.index("backtrace of ") : done.err.index("last ")]
    assert [f in trace for f in ("inner", "outer", "main", "bus_error.c:")] == [True] * 4
    last = done.err[done.err.index("last 32 instructions") :].splitlines()[1:33]
    assert all(line.startswith("  0x8000") for line in last)
    assert "lw" in last[-1]
    assert "inner" in last[-1]


def test_a_fault_as_json(guest: Callable[[str], Path]) -> None:
    done = signalbox("run", guest("bus_error"), "--json")
    fault = done.json["fault"]
    assert (done.code, fault["kind"], fault["address"]) == (4, "bus-error", 0x7000_0000)
    assert fault["symbol"].startswith("inner")
    assert fault["file"].endswith("bus_error.c")
    assert fault["line"] == 6
    assert len(fault["last"]) == 32
    assert fault["last"][-1]["pc"] == fault["pc"]


def test_an_illegal_instruction(guest: Callable[[str], Path]) -> None:
    done = signalbox("run", guest("illegal"))
    assert done.code == 4
    assert "illegal instruction 0xffffffff" in done.err
    assert "main" in done.err


def test_ctrl_c_ends_with_statistics(guest: Callable[[str], Path]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "signalbox", "run", str(guest("forever"))],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        # A shell that started the tests in the background has them, and so their children, ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "interrupted at cycle" in err
    assert "execute" in out
    assert "instructions" in out


def test_stats_account_for_every_cycle(guest: Callable[[str], Path]) -> None:
    done = signalbox("stats", guest("hello"), "--json")
    assert done.code == 0
    assert done.err.startswith("hello\n"), "the console is not data here"
    stats = done.json["stats"]
    for core in stats["cores"]:
        assert sum(core["accounts"].values()) == core["cycles"]
    table = signalbox("stats", guest("hello"))
    assert table.code == 0
    assert all(word in table.out for word in ("Cores, ", "execute", "idle", "instructions", "Slaves"))


def test_watching_changes_nothing(app: Path, tmp_path: Path) -> None:
    trace = tmp_path / "run.trace"
    plain = signalbox("run", app, "--json").json
    traced = signalbox("run", app, "--trace", trace, "--json").json
    assert plain == traced
    text = signalbox("trace", trace, "--format", "text")
    assert text.code == 0, text.err
    assert text.out.startswith("Timestamp\tCore\tType\tNumber\tInfo\n")
    assert text.out.count("OFFER SIZE(8)") >= 20
    records = signalbox("trace", trace, "--json").json
    assert records["meta"]["platform"] == "de2-dual"
    assert records["meta"]["run"] == plain["run"]
    assert {"send_call", "receive_return", "switch_end", "irq_enter"} <= {r["record"] for r in records["records"]}


def test_trace_runs_and_writes(app: Path, tmp_path: Path) -> None:
    done = signalbox("trace", app, "-o", tmp_path / "a.trace", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out == f"{tmp_path / 'a.trace'}\n"
    assert " left | ping: 10\n" in done.err
    direct = signalbox("trace", app, "--format", "text")
    converted = signalbox("trace", tmp_path / "a.trace", "--format", "text")
    assert direct.out == converted.out
    assert signalbox("trace", tmp_path / "a.trace").code == 2, "a trace is a trace already"


def test_a_finished_system_needs_no_sources(app: Path, tmp_path: Path) -> None:
    import shutil

    moved = Path(shutil.copytree(app / "build" / "system", tmp_path / "moved"))
    done = signalbox("run", moved / "system.json")
    assert done.code == 0, done.err
    assert signalbox("run", moved / "system.json", "--set", "params.rounds=2").code == 2
    assert signalbox("run", moved / "system.json", "--platform", "virt").code == 2
    (moved / "objects" / "left.elf").unlink()
    gone = signalbox("run", moved / "system.json")
    assert gone.code == 3
    assert "build again" in gone.err


def test_what_qemu_cannot_do(app: Path, guest: Callable[[str], Path]) -> None:
    counted = signalbox("run", guest("hello"), "--on", "qemu", "--max-cycles", "5")
    assert counted.code == 2
    assert "QEMU counts no cycles" in counted.err
    other = signalbox("run", app, "--on", "qemu")
    assert other.code == 2
    assert "QEMU knows the platform virt only" in other.err
