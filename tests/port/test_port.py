# SPDX-License-Identifier: Apache-2.0
"""One suite for port.h on every machine; and planted faults in a port, each of which it must find."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = ROOT / "build" / "tests" / "port"
SECONDS = 45
BUILD_SECONDS = 600


@dataclass(frozen=True)
class Done:
    """How an image ended: its code, and what it printed."""

    code: int
    text: str


@dataclass(frozen=True)
class Machine:
    """Where images run: name of the makefile's machine; the simulator's platform, or QEMU's words."""

    name: str
    platform: str = ""
    qemu: tuple[str, ...] = ()
    needs: tuple[str, ...] = ("make", "riscv64-unknown-elf-gcc")

    def __str__(self) -> str:
        return f"{self.name}-{'simulator' if self.platform else 'qemu' if self.qemu else 'host'}"

    def missing(self) -> list[str]:
        return [tool for tool in (*self.needs, *self.qemu[:1]) if shutil.which(tool) is None]

    def run(self, image: Path) -> Done:
        if self.platform:
            words = [sys.executable, "-m", "signalbox", "run", str(image), "--platform", self.platform]
            done = call([*words, "--max-cycles", "100000000", "--json"])
            said = json.loads(done.stdout)
            return Done(said["code"] if said["stop"] != "budget" else -1, "".join(said["console"].values()))
        try:
            done = call([*self.qemu, str(image)])
        except subprocess.TimeoutExpired:
            return Done(-1, "it came to no end")
        return Done(done.returncode, done.stdout)


def call(words: list[str], seconds: int = SECONDS) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, errors="replace", timeout=seconds, check=False, stdin=subprocess.DEVNULL
    )


def build(machine: str, *options: str, out: Path = OUT) -> Path:
    command = ["make", "-s", "-j2", "-C", str(HERE), f"MACHINE={machine}", f"O={out}", *options]
    done = call(command, BUILD_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return out / machine


# Time goes by with instructions there, so that a busy host changes nothing.
RISCV_QEMU = ("qemu-system-riscv32", "-M", "virt", "-nographic", "-bios", "none")
COUNTED = ("-icount", "shift=6,align=off,sleep=off", "-kernel")
ARM = ("make", "arm-none-eabi-gcc")
ARM_QEMU = ("-nographic", "-semihosting-config", "enable=on,target=native")
ARM_COUNTED = ("-icount", "shift=5,align=off,sleep=off", "-kernel")
MACHINES = [
    Machine("virt", platform="virt"),
    Machine("virt", qemu=(*RISCV_QEMU, *COUNTED)),
    Machine("de2", platform="de2-dual"),
    *(
        Machine(board, qemu=("qemu-system-arm", "-M", board, *ARM_QEMU, *ARM_COUNTED), needs=ARM)
        for board in ("mps2-an385", "lm3s6965evb")
    ),
    Machine("posix", needs=("make", "cc")),
    Machine("posix-sanitized", needs=("make", "cc")),
]
#: What each image must end with, and print.
IMAGES = [
    ("contract", 0, r"^ok   nesting$[^F]*^\d\d\d+ passed, 0 failed$"),
    ("tick", 0, r"^ok   held up$[^F]*^\d\d+ passed, 0 failed$"),
    ("alarm", 0, r"^ok   from inside$[^F]*^\d\d+ passed, 0 failed$"),
    ("end_0", 0, r"\A\Z"),
    ("end_1", 7, r"\A\Z"),
    ("end_2", 4, r"^signalbox: fatal: fatal-in-task, task main$"),
    ("end_3", 4, r"^signalbox: exception: .*, pc 0x[0-9a-f]+, address 0x0*(8000000)?, task main$"),
    ("end_4", 4, r"^signalbox: fatal: fatal-in-interrupt, task main$"),
]


@pytest.mark.parametrize(("image", "code", "says"), IMAGES, ids=[image for image, _, _ in IMAGES])
@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_the_port_keeps_its_contract(machine: Machine, image: str, code: int, says: str) -> None:
    if machine.missing():
        pytest.skip(f"not installed: {', '.join(machine.missing())}")
    if (machine.name, image) == ("posix-sanitized", "end_3"):
        pytest.skip("the sanitizer reports exceptions there, in its own way")
    done = machine.run(build(machine.name) / f"{image}.elf")
    text = done.text.replace("\r\n", "\n")
    assert re.search(says, text, re.MULTILINE), text
    assert done.code == code, text


# A fault of a port each: file, what is replaced by what, the image that finds it, the group that then fails; None: it
# comes to no end, or to a bad one.
FAULTS = [
    ("trap.S", r"\n    lw s7, \d+\(sp\)", "", "contract", "contexts"),
    ("trap.S", r"\n    lw t0, 8\(sp\)", "", "contract", "interrupts"),
    ("port.c", r'"csrw mepc, %2', '"#%2', "contract", None),
    ("port.c", r"(?s)void port_irq_disable.*?\n}", "void port_irq_disable(uint32_t b) { (void)b; }", "contract", None),
    ("port.c", r"\? handler_lines : 0", "? 0 : 0", "contract", "nesting"),
    ("port.c", r"tick_next \+= tick_period;", "tick_next = sb_timer_count(0) + tick_period;", "tick", "held up"),
    ("port.c", r"ahead > 0 \? alarm_base", "ahead > 0 ? alarm_base - tick_period / 2", "alarm", "on time"),
    ("port.c", r"CACHE_OP\(start, size_bytes, 1\)", "CACHE_OP(start, size_bytes * 0, 1)", "contract", "memory"),
]
ARM_FAULTS = [
    ("trap.S", r"(sb_irq_entry\s+)mrs r2, basepri", r"\1movs r2, #0", "contract", "nesting"),
    ("trap.S", r"adds r0, #32\n", r"adds r0, #64\n", "contract", None),
    ("port.c", r"sb_port_give_up\(below", "if (0) sb_port_give_up(below", "contract", "nesting"),
    ("systick.c", r"base \+= segment;", "base += segment - 2000u;", "contract", "cycles"),
]

POSIX_FAULTS = [
    ("lines.c", r"!= NULL && priority > 0", "!= NULL && priority > 99", "contract", "nesting"),
    ("timer.c", r"tick_next \+= tick_period;", "tick_next = sb_timer_count(0) + tick_period;", "tick", "held up"),
]
PLANTED = [
    *(("de2", "riscv32", *fault) for fault in FAULTS),
    *(("mps2-an385", "cortex_m", *fault) for fault in ARM_FAULTS),
    *(("posix", "posix", *fault) for fault in POSIX_FAULTS),
]


@pytest.mark.parametrize(("on", "port", "file", "what", "instead", "image", "group"), PLANTED)
def test_planted_faults_are_found(
    on: str, port: str, file: str, what: str, instead: str, image: str, group: str | None, tmp_path: Path
) -> None:
    machine = next(m for m in MACHINES if m.name == on)
    if machine.missing():
        pytest.skip(f"not installed: {', '.join(machine.missing())}")
    folder = tmp_path / port
    shutil.copytree(ROOT / "rtos" / "ports" / port, folder)
    text = (folder / file).read_text()
    changed, count = re.subn(what, instead, text)
    assert count >= 1, f"{file} has no {what} any more: plant this fault elsewhere"
    (folder / file).write_text(changed)
    done = machine.run(build(machine.name, f"PORT_DIR={folder}", "IMAGES=" + image, out=tmp_path) / f"{image}.elf")
    assert done.code != 0, done.text
    if group is not None:
        assert f"FAIL {group}" in done.text, done.text


def test_the_template_has_every_function_and_compiles(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("not installed: cc")
    template = tmp_path / "port.o"
    folders = [f"-I{ROOT / folder}" for folder in ("rtos/include", "tests/target/virt")]
    words = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-DSB_CFG_LEVEL=2", *folders, "-c"]
    done = call([*words, str(ROOT / "rtos/ports/template/port.c"), "-o", str(template)])
    assert done.returncode == 0, done.stderr
    defined = set(re.findall(r" [TB] (port_\w+)", call(["nm", str(template)]).stdout))
    headers = "".join((ROOT / "rtos/include/signalbox" / name).read_text() for name in ("port.h", "doorbell.h"))
    declared = set(re.findall(r"^(?:_Noreturn )?\w+ \*?(port_\w+)\(.*\);$", headers, re.MULTILINE))
    assert len(declared) > 25
    assert declared <= defined


def launch(*nodes: Path) -> subprocess.CompletedProcess[str]:
    return call([str(nodes[0].parent / "launch"), *map(str, nodes)])


@pytest.fixture(scope="module")
def pair() -> Path:
    """Two nodes with kernel and links, and the launcher, for this host, with sanitizers."""
    if shutil.which("cc") is None:
        pytest.skip("not installed: cc")
    out = OUT / "nodes"
    done = call(["make", "-s", "-j2", "-C", str(HERE / "nodes"), f"O={out}"], BUILD_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_two_processes_exchange_signals_over_a_link(pair: Path) -> None:
    done = launch(pair / "node0.elf", pair / "node1.elf")
    assert done.stdout == "cpu0 | 300 round trips, 0 wrong\n", done.stderr
    assert done.returncode == 0
    assert "ERROR" not in done.stderr


def test_the_launcher_hands_on_how_a_node_ends(pair: Path) -> None:
    machine = next(m for m in MACHINES if m.name == "posix")
    shutil.copy(pair / "launch", build(machine.name) / "launch")
    folder = OUT / "posix"
    done = launch(folder / "end_1.elf")
    assert (done.returncode, done.stdout) == (7, "")
    done = launch(folder / "end_2.elf")
    assert (done.returncode, done.stdout) == (4, "signalbox: fatal: fatal-in-task, task main\n")
    done = launch(pair / "node1.elf", folder / "end_1.elf")  # the first waits for ever
    assert done.returncode == 7
    done = launch(folder / "nothing.elf")
    assert done.returncode == 5
    assert "nothing.elf" in done.stderr
    assert call([str(folder / "launch")]).returncode == 2


def test_a_debugger_shows_tasks_and_does_not_stop_at_interrupts() -> None:
    if shutil.which("gdb") is None:
        pytest.skip("not installed: gdb")
    image = build("posix") / "tick.elf"
    commands = ["set confirm off", "break on_tick if test_counts.ticks == 5", "run", "backtrace", "delete", "continue"]
    done = call(["gdb", "-q", "-nx", "-batch", *(word for c in commands for word in ("-ex", c)), str(image)])
    if "ptrace" in done.stderr:
        pytest.skip("this system does not allow debuggers")
    assert re.search(r"#\d+ .*\bsb_tick\b", done.stdout), done.stdout + done.stderr
    assert re.search(r"#\d+ .*\btick_handler\b", done.stdout), done.stdout
    assert "passed, 0 failed" in done.stdout
    assert "exited normally" in done.stdout
    assert "received signal" not in done.stdout
