# SPDX-License-Identifier: Apache-2.0
"""The program of OSE's calls on the simulator and on QEMU; and that CONFORMANCE.md says what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SKIN = ROOT / "rtos" / "compat" / "ose"

#: The calls that the skin has to have.
REQUIRED_WORDS = (
    "alloc alloc_nil s_alloc s_alloc_nil free_buf send send_w_s receive receive_w_tmo sender addressee "
    "restore sigsize set_fsem wait_fsem signal_fsem get_fsem create_sem wait_sem signal_sem get_sem "
    "kill_sem get_pri set_pri wake_up reset_pool stop start get_ticks current_process hunt attach detach "
    "create_process kill_proc request_tmo cancel_tmo modify_tmo "
)


def run(target: str, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "signalbox", "run", target, *more]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL, cwd=ROOT
    )


def program_tests() -> list[str]:
    return re.findall(r"^    TEST\((\w+)\),$", (HERE / "program.c").read_text(), re.MULTILINE)


def table() -> dict[str, list[str]]:
    """Calls and their tests, of the table."""
    rows = {}
    for line in (SKIN / "CONFORMANCE.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            for call in re.findall(r"`(\w+)`", cells[0]):
                rows[call] = re.findall(r"`([\w/]+)`", cells[3])
    return rows


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_every_call_on_both_engines(engine: str) -> None:
    done = run("tests/ose", "--on", engine)
    assert done.returncode == 0, done.stdout + done.stderr
    names = program_tests()
    assert re.findall(r"^ok   (\w+)\r?$", done.stdout, re.MULTILINE) == names
    assert f"{len(names)} passed, 0 failed" in done.stdout


@pytest.mark.parametrize("level", ["release", "hooks"])
def test_the_other_levels(level: str) -> None:
    done = run("tests/ose", "--set", f"kernel.level={level}")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("engine", ["sim", "qemu"])
def test_two_nodes_hunt_and_attach(engine: str) -> None:
    done = run("apps/ose_pair", "--on", engine)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.strip() for line in done.stdout.splitlines() if line.strip()] == [
        "server found",
        "1 + ... + 10 = 55",
        "server died, as its own signal says",
        "a request to the dead: attach answers",
        "successor found, 40 + 2 = 42",
    ]


def test_the_table_lists_every_call_and_existing_tests_only() -> None:
    header = (SKIN / "ose.h").read_text()
    functions = set(re.findall(r"^static inline [\w\s]*?\*?(\w+)\(", header, re.MULTILINE))
    macros = set(re.findall(r"^#define ([a-z]\w*)\(", header, re.MULTILINE))
    calls = {name for name in functions | macros if not name.startswith("ose_")}
    rows = table()
    assert set(REQUIRED_WORDS.split()) <= calls, "the skin lacks calls"
    assert set(rows) == calls, "CONFORMANCE.md and ose.h differ"
    source = (HERE / "program.c").read_text()
    pair = "".join(path.read_text() for path in sorted((ROOT / "apps" / "ose_pair").rglob("*.c")))
    tested = set(program_tests())
    for call, tests in rows.items():
        assert tests or call in {"error", "error2"}, f"{call} has no test"
        for test in tests:
            if test.startswith("ose_pair/"):
                assert f"{call}(" in pair, f"{test}: the program does not call {call}"
            else:
                assert test in tested, f"{call}: there is no test {test}"
        if tests and not all("/" in t for t in tests):
            assert re.search(rf"\b{call}\(", source), f"program.c does not call {call}"
