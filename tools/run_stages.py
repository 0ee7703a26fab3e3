#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the stages of `make test` one after the other and says what passed.

    tools/run_stages.py [STAGE ...]     only these, in their usual order; `list` names them all

A stage's output goes to build/stages/NAME.log and is shown when it fails. A stage counts its own checks where its tool
reports them (pytest by a JUnit file, cargo by its result lines), otherwise each command is one check. A stage that
fails does not stop the others. The exit code is 1 when anything failed; the last line is `N passed, M failed`.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tree import files

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LOGS = BUILD / "stages"
VENV = ROOT / ".venv" / "bin"
# cargo's line for each test program, and what our own end with (ctest puts a number before it).
RESULTS = re.compile(
    r"^(?:test result: \w+\. |\d+: )?(\d+) passed[;,] (\d+) failed(?:; (\d+) ignored;.*)?$", re.MULTILINE
)


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: Count) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


@dataclass(frozen=True)
class Command:
    """One command; `count` says how its result is read: exit code, a JUnit file, or the last lines of test programs."""

    words: list[str]
    count: str = "exit"  # exit, junit, lines
    cwd: Path = ROOT
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    name: str
    what: str
    commands: Callable[[], list[Command]]
    needs_setup: bool = True


def tracked(*suffixes: str) -> list[str]:
    return [path for path in files(ROOT) if path.endswith(suffixes) and not path.startswith("experiments/reference/")]


def python(*words: str) -> list[str]:
    return [str(VENV / "python"), *words]


def pytest(*suites: str) -> list[Command]:
    there = [f"tests/{suite}" for suite in suites if (ROOT / "tests" / suite).is_dir()]
    return [Command(python("-m", "pytest", "-q", *there), "junit")] if there else []


def setup() -> list[Command]:
    return [Command(["./signalbox", "--version"], environment={"SIGNALBOX_DEV": "1"})]


def checkers() -> list[Command]:
    return [Command([sys.executable, f"tools/{tool}.py"]) for tool in ("check_arrows", "check_style")]


def lint_python() -> list[Command]:
    return [
        Command([str(VENV / "ruff"), "check", "."]),
        Command([str(VENV / "ruff"), "format", "--check", "--diff", "."]),
        Command(python("-m", "mypy")),
        Command(
            python("-m", "mypy", "--explicit-package-bases", "tools", "tests/fuzz", "tests/conformance"),
            environment={"MYPYPATH": "tools:python"},
        ),
    ]


def lint_rust() -> list[Command]:
    sim = ROOT / "sim"
    return [
        Command(["cargo", "fmt", "--check"], cwd=sim),
        Command(["cargo", "clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"], cwd=sim),
    ]


def formats_as_ours() -> bool:
    """Versions of clang-format differ in places; the sources are formatted by Debian 12's."""
    try:
        said = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return True  # the command says that it is missing
    return "version 14." in said


def lint_c() -> list[Command]:
    # Headers of a node stand in for those that the build generates.
    options = "--quiet --error-exitcode=1 --inline-suppr --std=c11 --enable=warning,performance,portability -j2"
    paths = "-Irtos/include -Irtos -Itests/target/virt --suppress=missingIncludeSystem"
    sources = [path for path in tracked(".c") if path.startswith("rtos/")]
    written = [path for path in tracked(".c", ".h") if "/golden/expected/" not in path]
    formatted = [Command(["clang-format", "--dry-run", "-Werror", *written])] if formats_as_ours() else []
    return [
        *formatted,
        Command(["cppcheck", *options.split(), *paths.split(), *sources]),
    ]


def rust() -> list[Command]:
    # py is an extension module: it can be linked only into Python, and tests/sim tests it from there.
    # Without optimisation, because the tests run for seconds and an optimised build takes minutes.
    words = ["cargo", "test", "--locked", "--workspace", "--exclude", "py"]
    return [Command(words, "lines", ROOT / "sim")]


def host() -> list[Command]:
    kernel, link = BUILD / "tests" / "kernel", BUILD / "tests" / "link"
    return [
        Command(["cmake", "-S", "tests/kernel", "-B", str(kernel), "-G", "Ninja"]),
        Command(["ninja", "-C", str(kernel)]),
        Command(["ctest", "--test-dir", str(kernel), "--verbose"], "lines"),
        Command(["make", "-s", "-j2", "-C", "tests/link", f"OUT={link}", "check"], "lines"),
    ]


def target() -> list[Command]:
    make = ["make", "-s", "-j2", "-C", "tests/target", f"O={BUILD / 'tests' / 'target'}"]
    return [Command([*make, "all", "check-de2"]), *pytest("target", "virt", "ose", "isolation")]


def fuzz() -> list[Command]:
    return [*pytest("fuzz"), Command(python("-m", "tests.fuzz.isa", "--programs", "1000", "--seed", "1"))]


def certificate() -> list[Command]:
    return [*pytest("certificate"), Command(python("tools/update_certificate.py", "--check"))]


STAGES = [
    Stage("setup", "virtual environment and simulator", setup, needs_setup=False),
    Stage("checkers", "dependencies, licences, lengths, generated files", checkers, needs_setup=False),
    Stage("lint-python", "ruff, mypy", lint_python),
    Stage("lint-rust", "rustfmt, clippy", lint_rust, needs_setup=False),
    Stage("lint-c", "clang-format, cppcheck", lint_c, needs_setup=False),
    Stage("rust", "unit tests of the simulator", rust, needs_setup=False),
    Stage("host", "kernel and links on the host, with sanitizers", host, needs_setup=False),
    Stage("tools", "the checkers themselves", lambda: pytest("tools")),
    Stage("analysis", "traces, accounts, experiments", lambda: pytest("analysis", "experiments")),
    Stage("sim", "the simulator through its door to Python", lambda: pytest("sim", "golden")),
    Stage("conformance", "riscv-tests, architecture tests and CoreMark", lambda: pytest("conformance")),
    Stage("target", "the same images on QEMU and on the simulator", target),
    Stage("port", "the suite of port.h on every port", lambda: pytest("port")),
    Stage("certificate", "cycles of the model against the RTL of open cores", certificate),
    Stage("cli", "the command line", lambda: pytest("cli")),
    Stage("wheel", "the installed package, away from the checkout", lambda: pytest("wheel")),
    Stage("viewer", "the report in a browser", lambda: pytest("viewer")),
    Stage("fuzz", "random programs, simulator against QEMU", fuzz),
]


def environment() -> dict[str, str]:
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    return os.environ | {
        "PATH": f"{os.environ['PATH']}:{home / 'bin'}",
        "CARGO_TERM_COLOR": "never",
        "SIGNALBOX_DEV": "1",
    }


def junit(path: Path) -> Count:
    """Sums of a JUnit file; a collection error counts as a failure."""
    count = Count()
    for suite in ET.parse(path).getroot().iter("testsuite"):
        tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        count.add(Count(tests - failed - skipped, failed, skipped))
    return count


def run(stage: Stage, number: int, command: Command, log: Path) -> Count:
    """Run one command of a stage; its output is appended to the stage's log."""
    words = list(command.words)
    report = log.with_suffix(f".{number}.xml")
    if command.count == "junit":
        report.unlink(missing_ok=True)
        words.append(f"--junitxml={report}")
    with log.open("a") as out:
        out.write(f"$ {' '.join(words)}\n")
        out.flush()
        start = out.tell()
        try:
            result = subprocess.run(
                words, cwd=command.cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                env=environment() | command.environment, check=False,
            )  # fmt: skip
            code = result.returncode
        except OSError as error:
            out.write(f"{words[0]}: {error.strerror}\n")
            code = 127
    count = Count()
    if command.count == "junit" and report.exists():
        count = junit(report)
    elif command.count == "lines":
        with log.open() as text:
            text.seek(start)
            for passed, failed, ignored in RESULTS.findall(text.read()):
                count.add(Count(int(passed), int(failed), int(ignored or 0)))
    elif code == 0:
        count.passed = 1
    if code and not count.failed:
        count.failed = 1  # it failed before or after its tests
    return count


def main(arguments: list[str]) -> int:
    names = [stage.name for stage in STAGES]
    if arguments == ["list"]:
        for stage in STAGES:
            print(f"{stage.name:12} {stage.what}")
        return 0
    unknown = [name for name in arguments if name not in names]
    if unknown:
        print(f"no stage {', '.join(unknown)}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    chosen = [stage for stage in STAGES if not arguments or stage.name in arguments]
    if any(stage.needs_setup for stage in chosen) and chosen[0].name != "setup":
        chosen.insert(0, STAGES[0])
    LOGS.mkdir(parents=True, exist_ok=True)
    # In the background a shell ignores Ctrl-C for its commands; the tests of Ctrl-C need it as it is.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    total, rows, began = Count(), [], time.monotonic()
    for stage in chosen:
        log = LOGS / f"{stage.name}.log"
        log.write_text("")
        print(f"{stage.name:12} {stage.what} ...", flush=True)
        start, count = time.monotonic(), Count()
        for number, command in enumerate(stage.commands()):
            count.add(run(stage, number, command, log))
        seconds = time.monotonic() - start
        if not (count.passed or count.failed or count.skipped):
            log.write_text("no check ran\n")
            count.failed = 1
        total.add(count)
        rows.append((stage, count, seconds))
        print(f"{'':12} {count}, {seconds:.1f} s", flush=True)
        if count.failed:
            print(log.read_text(), flush=True)
        if stage.name == "setup" and count.failed:
            break  # nothing else could run

    print()
    for stage, count, seconds in rows:
        mark = "FAIL" if count.failed else " ok " if count.passed else "skip"
        print(f"{mark} {stage.name:12} {seconds:7.1f} s   {count}")
    print(f"{'':17} {time.monotonic() - began:7.1f} s   in all")
    if total.skipped:
        print(f"{total.skipped} skipped; the logs in {LOGS.relative_to(ROOT)} say why")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
