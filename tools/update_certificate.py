#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure the certificate and put its table into docs/certificate.md.

Run with the checkout's interpreter: `.venv/bin/python tools/update_certificate.py`. With `--check` nothing is written,
and the exit code is 1 when an error has got worse than the table says, exceeds its limit, or is not there.
"""

from __future__ import annotations

import sys
from pathlib import Path

from signalbox.build import reference
from signalbox.certificate.table import committed, markdown, worse
from signalbox.experiment import run

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "certificate.md"
BEGIN, END = "<!-- certificate:begin -->\n", "<!-- certificate:end -->\n"


def main() -> int:
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    rows = run("certificate").measured
    if "--check" in sys.argv[1:]:
        if not reference.is_gcc():
            print("certificate: this compiler is not the table's; only the limits are checked")
            old = ""
        found = worse(committed(old), rows)
        new = (
            []
            if not old
            else [f"{r['core']} {r['program']}" for r in rows if (r["core"], r["program"]) not in committed(old)]
        )
        found += [f"not in the table yet: {name}" for name in new]
        for line in found:
            print(f"docs/certificate.md: {line}")
        print(f"certificate: {len(rows)} rows, {len(found)} worse or missing")
        return 1 if found else 0
    PAGE.write_text(before + BEGIN + markdown(rows) + END + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
