# SPDX-License-Identifier: Apache-2.0
"""Writes `signatures.csv`: QEMU's signatures of the architecture tests. `--check` compares instead of writing."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.conformance.suite import SIGNATURES, Case, Result, all_cases, compile_case, split, vendor

QEMU = "qemu-system-riscv32"


def on_qemu(case: Case) -> Result:
    """Run a test on QEMU, whose harts begin where the memory does; the tests begin at their entry."""
    # With a hypervisor the trap handler would save more words.
    command = [QEMU, "-M", "virt", "-cpu", "rv32,h=false", "-nographic", "-bios", "none"]
    command += ["-device", f"loader,file={case.elf},cpu-num=0"]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
    return Result("pass" if done.returncode == 0 else "fail", done.returncode, done.stdout.decode("ascii", "replace"))


def read() -> dict[str, tuple[int, str]]:
    """The file: for each test the words of its signature and their digest."""
    with SIGNATURES.open(newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row["test"]: (int(row["words"]), row["sha256"]) for row in rows}


def main() -> int:
    """Run all on QEMU."""
    sources = vendor()
    if sources is None or shutil.which(QEMU) is None:
        print("needs the package pythondata-cpu-ibex and qemu-system-riscv32", file=sys.stderr)
        return 5
    chosen = [c for c in split(all_cases(sources))[0] if c.suite == "arch"]

    def one(case: Case) -> Result:
        error = compile_case(case, sources)
        return Result("build", 1, error) if error else on_qemu(case)

    with ThreadPoolExecutor(2) as pool:
        results = dict(zip((c.name for c in chosen), pool.map(one, chosen), strict=True))
    failed = {name: r for name, r in results.items() if r.stop != "pass"}
    for name, result in failed.items():
        print(f"{name}: {result.stop} {result.code} {result.written[:300]}", file=sys.stderr)
    found = {name: (len(r.written.split()), r.digest) for name, r in results.items()}
    if "--check" in sys.argv[1:]:
        different = [name for name, value in found.items() if read().get(name) != value]
        print("\n".join(different) or f"{len(found)} signatures as in the file")
        return 1 if different or failed else 0
    version = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    with SIGNATURES.open("w", newline="") as file:
        file.write("# SPDX-License-Identifier: Apache-2.0\n")
        file.write(f"# Signatures of the architecture tests on {version}, by tests/conformance/reference.py:\n")
        file.write("# sha256 of the words in hexadecimal, one a line.\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["test", "words", "sha256"])
        writer.writerows([name, *value] for name, value in found.items())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
