# SPDX-License-Identifier: Apache-2.0
"""`signalbox run --check coherence`: exit code, text and JSON."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cli_support import GCC, need, signalbox

GUESTS = Path(__file__).resolve().parents[1] / "sim" / "guests"


def elf(guest: str, folder: Path) -> str:
    need(GCC)
    out = folder / f"{guest}.elf"
    flags = ["-march=rv32imac_zicsr_zifencei", "-mabi=ilp32", "-nostdlib", "-nostartfiles", "-g", "-Wl,--no-relax"]
    link = ["-Wl,-N", "-Wl,--no-warn-rwx-segments", "-Ttext=0x800000"]
    command = [GCC, *flags, *link, str(GUESTS / f"{guest}.S"), "-o", str(out)]
    subprocess.run(command, check=True)
    return str(out)


def test_a_finding_fails_the_run_and_names_both_lines(tmp_path: Path) -> None:
    image = elf("false_sharing", tmp_path)
    run = signalbox("run", image, "--platform", "de2-dual", "--check", "coherence")
    assert run.code == 1
    text = run.err
    assert "check coherence: 1 finding" in text
    assert (
        "lost-write: cpu1 wrote back a line and destroyed what cpu0 had written: 4 bytes" in text and "(mine)" in text
    )
    assert text.count("false_sharing.S:") == 3
    assert signalbox("run", image, "--platform", "de2-dual").code == 0


def test_json_carries_the_findings(tmp_path: Path) -> None:
    for guest, code, kinds in (("stale", 1, ["stale-read"] * 3), ("maintained", 0, [])):
        run = signalbox("run", elf(guest, tmp_path), "--platform", "de2-dual", "--check", "coherence", "--json")
        assert (run.code, run.json["exit_code"]) == (code, code)
        assert [f["kind"] for f in run.json["checks"]["coherence"]] == kinds
    assert "check coherence: nothing found" in run.err


def test_qemu_has_no_caches(tmp_path: Path) -> None:
    run = signalbox("run", elf("stale", tmp_path), "--on", "qemu", "--check", "coherence")
    assert run.code == 2
    assert "--check needs the simulator" in run.err
