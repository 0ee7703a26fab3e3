# SPDX-License-Identifier: Apache-2.0
"""The rv32 tests in the Python package `pythondata-cpu-ibex`: which there are, how one is compiled and run.

riscv-tests check themselves. The architecture tests write a signature; the package carries none to compare with, so the
reference is another implementation: `python -m tests.conformance.reference` runs them on QEMU, writes `signatures.csv`.
"""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import importlib.util
import json
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signalbox import _sim

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OUT = ROOT / "build" / "tests" / "conformance"
ENV = HERE / "env"
SIGNATURES = HERE / "signatures.csv"
PACKAGE = "pythondata_cpu_ibex"
GCC = "riscv64-unknown-elf-gcc"
#: More than the longest test takes; one that is still running then hangs.
LIMIT_CYCLES = 20_000_000


def vendor() -> Path | None:
    """The folder with the sources; None when the package is not installed."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "system_verilog" / "vendor"


@dataclass(frozen=True)
class Case:
    """One test, named by suite, group and file."""

    suite: str
    group: str
    source: Path

    @property
    def name(self) -> str:
        return f"{self.suite}/{self.group}/{self.source.stem}"

    @property
    def elf(self) -> Path:
        return OUT / self.suite / self.group / f"{self.source.stem}.elf"


def all_cases(sources: Path) -> list[Case]:
    """Every 32-bit test of both suites."""
    tests = [
        Case("riscv-tests", folder.name, file)
        for folder in sorted((sources / "riscv-tests" / "isa").glob("rv32*"))
        for file in sorted(folder.glob("*.S"))
    ]
    arch = sources / "riscv-arch-tests" / "riscv-test-suite"
    for part in ("rv32i_m", "rv32e_unratified"):
        for folder in sorted((arch / part).iterdir()):
            group = folder.name if part == "rv32i_m" else f"{part}-{folder.name}"
            tests += [Case("arch", group, file) for file in sorted((folder / "src").glob("*.S"))]
    return tests


def _class(name: str) -> dict[str, Any]:
    path = ROOT / "platforms" / "cores" / f"{name}.toml"
    return tomllib.loads(path.read_text()) if path.is_file() else {}


def _has(core: dict[str, Any], feature: str) -> bool:
    first, *others = str(core.get("isa", "")).removeprefix("rv32").split("_")
    return feature in first or feature in others


def class_for(feature: str | None) -> str | None:
    """The core class of `virt` that has an extension; None when there is none."""
    return next((name for name in ("ideal", "ideal-f") if feature is None or _has(_class(name), feature)), None)


@dataclass(frozen=True)
class NotRun:
    """Tests that are not run, and why. `unless` names an extension: if a core has it they are run."""

    tests: str
    why: str
    unless: str | None


def not_run() -> list[NotRun]:
    """The list in `not_run.toml`."""
    with (HERE / "not_run.toml").open("rb") as file:
        return [NotRun(e["tests"], e["why"], e.get("unless")) for e in tomllib.load(file)["not_run"]]


def split(cases: list[Case]) -> tuple[list[Case], dict[str, NotRun]]:
    """The cases to run, and for the others why not."""
    rules = [r for r in not_run() if r.unless is None or class_for(r.unless) is None]
    left_out = {c.name: r for c in cases for r in rules if fnmatch.fnmatch(c.name, r.tests)}
    return [c for c in cases if c.name not in left_out], left_out


def _march(case: Case) -> str:
    if case.suite == "riscv-tests":
        return "rv32imafc_zicsr_zifencei" if case.group == "rv32uf" else "rv32imac_zicsr_zifencei"
    return {"M": "rv32im_zicsr_zifencei", "F": "rv32if_zicsr_zifencei"}.get(
        case.group, "rv32ic_zicsr_zifencei" if case.group in ("C", "privilege") else "rv32i_zicsr_zifencei"
    )


def _definitions(case: Case) -> list[str]:
    """What the test asks its framework to define: `def NAME=VALUE;` in the RVTEST_CASE lines whose conditions hold.

    Misaligned accesses work on `virt`, and its cores have C.
    """
    definitions = {"XLEN": "32", "FLEN": "32"}
    for line in case.source.read_text().splitlines():
        if not line.strip().startswith("RVTEST_CASE("):
            continue
        if "hw_data_misaligned_support:=False" in line or "^[^C]+$" in line:
            continue
        definitions |= dict(re.findall(r"def\s+(\w+)=(\w+)", line))
    return [f"-D{name}={value}" for name, value in definitions.items()]


def command(case: Case, sources: Path, output: Path | None = None) -> list[str]:
    """How a case is compiled."""
    common = [GCC, f"-march={_march(case)}", "-mabi=ilp32", "-static", "-mcmodel=medany", "-nostdlib", "-nostartfiles"]
    common += ["-fvisibility=hidden", "-Wl,--no-warn-rwx-segments", "-Wl,--build-id=none", f"-I{ENV}"]
    if case.suite == "riscv-tests":
        env = sources / "riscv-test-env"
        own = [f"-I{env}", f"-I{sources / 'riscv-tests' / 'isa' / 'macros' / 'scalar'}", f"-T{env / 'p' / 'link.ld'}"]
    else:
        env = sources / "riscv-arch-tests" / "riscv-test-suite" / "env"
        own = [f"-I{env}", f"-T{ENV / 'arch.ld'}", *_definitions(case)]
    return [*common, *own, str(case.source), "-o", str(output or case.elf)]


def compile_case(case: Case, sources: Path) -> str | None:
    """Compile a case if it is not up to date. Answers the compiler's complaint."""
    words = command(case, sources)
    inputs = [case.source, *sorted(ENV.iterdir())]
    digest = hashlib.sha256("\0".join(words).encode() + b"".join(f.read_bytes() for f in inputs)).hexdigest()
    stamp = case.elf.with_suffix(".stamp")
    if case.elf.exists() and stamp.exists() and stamp.read_text() == digest:
        return None
    case.elf.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    stamp.write_text(digest)
    return None


def needs(case: Case) -> str | None:
    """What a case needs of its core beyond what `ideal` has."""
    return "f" if case.group in ("rv32uf", "F") else None


#: A machine whose memory is behind caches that hold bytes, small enough to miss, and whose core has late results.
CACHED = (
    ("core.class", "nios2f"),
    ("core.icache", "{ size_bytes = 1024, line_bytes = 32 }"),
    ("core.dcache", "{ size_bytes = 512, line_bytes = 16 }"),
)


@functools.cache
def platform(overrides: tuple[tuple[str, str], ...]) -> str:
    """`virt` with some values replaced, as JSON."""
    path = ROOT / "platforms" / "virt.toml"
    text = _sim.apply_overrides(path.read_text(), str(path), list(overrides))
    return _sim.platform_resolve(text, str(path), [str(path.parent)])


@dataclass(frozen=True)
class Result:
    """How a test ended, and what it wrote."""

    stop: str
    code: int
    written: str

    @property
    def digest(self) -> str:
        """Of the signature."""
        return hashlib.sha256(self.written.encode()).hexdigest()


def simulate(elf: Path, overrides: tuple[tuple[str, str], ...], limit: int = LIMIT_CYCLES) -> Result:
    """Run an image to its end."""
    machine = _sim.Machine(platform(overrides), [(str(elf), [0])])
    outcome = json.loads(machine.run(limit))
    written = b"".join(data for _, data in machine.console()).decode("ascii", "replace")
    return Result(outcome["stop"], outcome["code"], written)


VIRT_GUESTS = ROOT / "tests" / "virt" / "guests"


def compile_coremark(sources: Path, output: Path, iterations: int) -> None:
    """CoreMark with our port."""
    coremark, port = sources / "eembc_coremark", HERE / "coremark"
    files = [coremark / f"core_{part}.c" for part in ("list_join", "main", "matrix", "state", "util")]
    words = [GCC, "-march=rv32imac_zicsr", "-mabi=ilp32", "-mcmodel=medany", "-O2", "-nostdlib", "-ffreestanding"]
    words += ["-fno-builtin", "--specs=picolibc.specs", "-nostartfiles", "-Wl,--no-warn-rwx-segments"]
    words += [f"-DITERATIONS={iterations}", "-DPERFORMANCE_RUN=1", f"-I{port}", f"-I{coremark}", f"-I{VIRT_GUESTS}"]
    words += [f"-T{VIRT_GUESTS / 'virt.ld'}", str(VIRT_GUESTS / "start.S"), str(port / "core_portme.c")]
    subprocess.run([*words, *map(str, files), "-lgcc", "-o", str(output)], check=True)
