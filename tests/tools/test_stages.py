# SPDX-License-Identifier: Apache-2.0
"""tools/run_stages.py counts what its tools report, goes on after a failure, and fails when nothing ran."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
import run_stages
from run_stages import Command, Stage

if TYPE_CHECKING:
    from pathlib import Path

JUNIT = """<testsuites><testsuite tests="5" failures="1" errors="1" skipped="1"/></testsuites>"""


def of(*commands: Command) -> Stage:
    return Stage("one", "a stage", lambda: list(commands), needs_setup=False)


def says(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, *stages: Stage
) -> tuple[int, str]:
    monkeypatch.setattr(run_stages, "STAGES", list(stages))
    monkeypatch.setattr(run_stages, "ROOT", tmp_path)
    monkeypatch.setattr(run_stages, "LOGS", tmp_path / "logs")
    code = run_stages.main([])
    return code, capsys.readouterr().out


COMMANDS = {
    "a command that passes": (Command(says("")), "1 passed, 0 failed"),
    "a command that fails": (Command(says("raise SystemExit(3)")), "0 passed, 1 failed"),
    "a command that is not there": (Command(["no-such-tool-here"]), "0 passed, 1 failed"),
    "a JUnit file": (
        Command(says(f"import sys; open(sys.argv[1][11:], 'w').write('''{JUNIT}''')"), "junit"),
        "2 passed, 2 failed",
    ),
    "no JUnit file": (Command(says("raise SystemExit(2)"), "junit"), "0 passed, 1 failed"),
    "cargo": (
        Command(says("print('test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; x')\n" * 2), "lines"),
        "6 passed, 0 failed",
    ),
    "cargo that cannot build": (Command(says("raise SystemExit(101)"), "lines"), "0 passed, 1 failed"),
    "our own test programs": (
        Command(
            says("print('2: 4 passed, 0 failed'); print('5 passed, 1 failed'); print('x 9 passed, 0 failed')"), "lines"
        ),
        "9 passed, 1 failed",
    ),
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_counts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str) -> None:
    command, line = COMMANDS[kind]
    code, out = result(monkeypatch, capsys, tmp_path, of(command))
    assert out.splitlines()[-1] == line
    assert code == (0 if line.endswith(" 0 failed") else 1)


def test_a_failed_stage_shows_its_output_and_does_not_stop_the_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bad = Stage(
        "bad", "fails", lambda: [Command(says("print('the ' + 'reason'); raise SystemExit(1)"))], needs_setup=False
    )
    code, out = result(monkeypatch, capsys, tmp_path, bad, of(Command(says(""))))
    assert "the reason" in out
    assert out.splitlines()[-1] == "1 passed, 1 failed"
    assert code == 1


def test_a_stage_without_checks_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out = result(monkeypatch, capsys, tmp_path, of())
    assert "no check ran" in out
    assert code == 1


def test_an_unknown_stage_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_stages.main(["nonsense"]) == 2
    assert "no stage nonsense" in capsys.readouterr().err
