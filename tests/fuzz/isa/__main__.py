# SPDX-License-Identifier: Apache-2.0
"""python -m tests.fuzz.isa --programs 1000 --seed 1

Runs random programs on the simulator and on QEMU and compares registers, CSRs, traps and memory. Exit code 0 when they
agree and every instruction was exercised, 1 when not, 2 for a usage error, 5 when a tool is missing. A program is named
SEED/NUMBER; run one again with --only NUMBER.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.isa import canary, image, machines
from tests.fuzz.isa.check import Comparison, Divergence
from tests.fuzz.isa.generate import EXPECTED, OPTIONAL, generate

if TYPE_CHECKING:
    from tests.fuzz.isa.program import Program

BATCH = 50


def batches(programs: list[Program]) -> list[list[Program]]:
    return [programs[at : at + BATCH] for at in range(0, len(programs), BATCH)]


def show(comparison: Comparison, found: Divergence) -> None:
    """The divergence, made small, with the instructions that cause it."""
    names = f"{comparison.left.name} and {comparison.right.name}"
    print(f"\nprogram {found.program.name}: {names} disagree; making it smaller ...", flush=True)
    small = comparison.minimise(found.program) or found
    print(f"{'':18} {comparison.left.name:>8}  {comparison.right.name:>8}")
    for line in small.lines:
        print(line)
    registers = " ".join(f"x{n}={value:#x}" for n, value in enumerate(small.program.registers, 1) if n not in (3, 4))
    print(f"\nregisters at its start: {registers}\n")
    path = image.build(comparison.folder, "small", image.source([small.program]))
    print(image.disassembly(path, 0))


def exercised(programs: list[Program]) -> Counter[str]:
    return Counter(name for program in programs for name in program.mnemonics())


def compare(arguments: argparse.Namespace, left: machines.Machine, right: machines.Machine, folder: Path) -> int:
    indices = [arguments.only] if arguments.only is not None else range(arguments.programs)
    lacking = machines.lacking(machines.Qemu())
    optional = [name for name in OPTIONAL if name not in lacking]
    programs = [generate(arguments.seed, index, optional) for index in indices]
    comparison = Comparison(left, right, folder)
    began, failed = time.monotonic(), 0
    for batch in batches(programs):
        found = comparison.first(batch)
        if found:
            failed += 1
            show(comparison, found)
            if failed >= arguments.failures:
                break
    counts = exercised(programs)
    print("instructions in these programs:")
    width = 6
    rows = [f"{name} {count}" for name, count in sorted(counts.items())]
    for at in range(0, len(rows), width):
        print("  " + "  ".join(f"{row:24}" for row in rows[at : at + width]).rstrip())
    expected = {
        name for name in (*EXPECTED, *optional) if len(programs) >= (500 if name.startswith("illegal") else BATCH)
    }
    absent = sorted(expected - counts.keys())
    if absent:
        print(f"not exercised: {', '.join(absent)}")
    qemu = f"QEMU {machines.qemu_version()} ({machines.processor()})"
    print(f"{qemu} lacks, so not compared: {', '.join(lacking) or 'nothing'}")
    if failed:
        print(f"{failed} of the batches diverge (seed {arguments.seed})")
    else:
        seconds = time.monotonic() - began
        amount = f"{len(programs)} programs, {sum(counts.values())} instructions, seed {arguments.seed}"
        print(f"{amount}: {left.name} and {right.name} agree ({seconds:.1f} s)")
    return 1 if failed or absent else 0


def show_canaries(arguments: argparse.Namespace, left: machines.Machine, right: machines.Machine, folder: Path) -> int:
    canaries = canary.Canaries(left, right, folder, [generate(arguments.seed, index) for index in range(BATCH)])
    before = canaries.found_in(None)
    if before:
        print(f"without any fault program {before} diverges already")
        return 1
    missed = 0
    for name, instead in canary.FAULTS.items():
        found = canaries.found_in(name)
        print(f"{name:28} as {instead:14} {f'found in program {found}' if found else 'NOT FOUND'}", flush=True)
        missed += not found
    print(f"{len(canary.FAULTS) - missed} of {len(canary.FAULTS)} planted faults found")
    return 1 if missed else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz.isa", description="Differential fuzzing of the instruction set."
    )
    parser.add_argument("--programs", type=int, default=1000, help="how many (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="of all programs (default 1)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="one program of the seed")
    parser.add_argument("--failures", type=int, default=3, help="stop after so many divergences (default 3)")
    parser.add_argument(
        "--canary",
        action="store_true",
        help="plant faults on the simulator's side instead, and demand that each is found",
    )
    parser.add_argument("--reference", action="store_true", help="compare QEMU with itself, to test this program")
    arguments = parser.parse_args()
    missing = machines.missing()
    if missing:
        print(f"missing: {', '.join(missing)}; tools/bootstrap.sh installs them", file=sys.stderr)
        return 5
    left = machines.Qemu()
    right: machines.Machine = machines.Qemu() if arguments.reference else machines.Simulator()
    with tempfile.TemporaryDirectory() as folder:
        return (show_canaries if arguments.canary else compare)(arguments, left, right, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
