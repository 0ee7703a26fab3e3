#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the probes' numbers for C from the trace schema: sim/trace/schema.toml -> rtos/include/signalbox/probe_ids.h.

With --check it writes nothing and fails when the header is not what it would write.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

SCHEMA = Path("sim/trace/schema.toml")
HEADER = Path("rtos/include/signalbox/probe_ids.h")
FIRST_PROBE = 32  # below are records of the hardware, which no C code emits


def header(schema: str) -> str:
    """The header's text for a schema's text."""
    data = tomllib.loads(schema)
    records = sorted(data["record"], key=lambda record: record["kind"])
    for key in ("kind", "name"):
        values = [record[key] for record in records]
        twice = {value for value in values if values.count(value) > 1}
        if twice:
            raise ValueError(f"{SCHEMA}: {key} used twice: {', '.join(map(str, sorted(twice)))}")
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        f"/* Generated from {SCHEMA} by tools/gen_probe_ids.py; do not edit. */",
        "#ifndef SIGNALBOX_PROBE_IDS_H",
        "#define SIGNALBOX_PROBE_IDS_H",
        "",
        f"#define SB_PROBE_SCHEMA_VERSION {data['version']}",
        "",
        *(f"#define SB_PROBE_ID_{r['name']} {r['kind']}" for r in records if r["kind"] >= FIRST_PROBE),
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail when the header is out of date")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    wanted = header((arguments.root / SCHEMA).read_text())
    target = arguments.root / HEADER
    if target.exists() and target.read_text() == wanted:
        return 0
    if arguments.check:
        print(f"{HEADER}: out of date with {SCHEMA}; run tools/gen_probe_ids.py")
        return 1
    target.write_text(wanted)
    print(f"wrote {HEADER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
