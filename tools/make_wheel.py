#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the one wheel: Python code, simulator, and copies of what belongs to Signalbox but is not Python.

    .venv/bin/python tools/make_wheel.py [--out FOLDER]     default: dist

The C sources, platforms, viewer, experiments and applications go into `signalbox/_data`, where `signalbox.resources`
looks for them. They are added to the finished wheel (`wheel unpack`, `wheel pack`), so that the checkout is never in a
state in which its own commands would see the copies.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tree import files

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("rtos", "platforms", "viewer", "experiments", "apps")


def bundle(into: Path) -> int:
    """Copy the rooms' own files, nothing that was built. How many."""
    ours = [path for path in files(ROOT) if path.split("/", 1)[0] in ROOMS]
    for path in ours:
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, into / path)
    return len(ours)


def python(*words: str) -> None:
    subprocess.run([sys.executable, "-m", *words], cwd=ROOT, check=True, stdout=sys.stderr)


def make(out: Path) -> Path:
    """The wheel's path."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        python("maturin", "build", "--release", "--quiet", "--out", str(work / "plain"))
        (plain,) = (work / "plain").glob("*.whl")
        python("wheel", "unpack", "--dest", str(work), str(plain))
        (unpacked,) = (path.parent for path in work.glob("*/signalbox"))
        count = bundle(unpacked / "signalbox" / "_data")
        out.mkdir(parents=True, exist_ok=True)
        python("wheel", "pack", "--dest-dir", str(out), str(unpacked))
    print(f"{count} files bundled", file=sys.stderr)
    return out / plain.name


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the wheel.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the wheel")
    try:
        print(make(parser.parse_args().out.resolve()))
    except subprocess.CalledProcessError as e:
        print(f"make_wheel: {' '.join(e.cmd[2:4])} failed with code {e.returncode}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
