# SPDX-License-Identifier: Apache-2.0
"""signalbox platform"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from signalbox.errors import BadInput, Exit
from signalbox.output import data_json, data_rich, data_text, say
from signalbox.verbs.options import json_option


@click.group("platform")
def command() -> None:
    """Hardware descriptions: list, show, check, and the schema that editors use."""


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the platforms that can be given by name."""
    from signalbox.build import source
    from signalbox.build.model import Platform

    here = Path()
    rows: list[dict[str, Any]] = []
    for name in source.platform_names(here):
        try:
            p = Platform.from_json(source.load_platform(name, here))
            rows.append(
                {
                    "name": name,
                    "cores": len(p.cores),
                    "clock_hz": p.clock_hz,
                    "memory_bytes": p.memory.size,
                    "isa": p.cores[0].isa,
                }
            )
        except BadInput as e:
            rows.append({"name": name, "error": e.message})
    if as_json:
        data_json({"platforms": rows})
        return
    from rich import box
    from rich.table import Table

    table = Table("platform", "cores", "clock", "memory", "instruction set", box=box.SIMPLE_HEAD)
    for row in rows:
        if "error" in row:
            table.add_row(row["name"], "", "", "", "cannot be read; see `signalbox platform check`")
        else:
            table.add_row(
                row["name"],
                str(row["cores"]),
                f"{row['clock_hz'] / 1e6:g} MHz",
                f"{row['memory_bytes'] / (1 << 20):g} MB",
                row["isa"],
            )
    data_rich(table)


@command.command("show")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show a platform with every default filled in; NAME is a name or a .toml file."""
    from signalbox.build import source

    raw = source.load_platform(name, Path())
    if as_json:
        data_json(raw)
    else:
        data_text("\n".join(_lines(raw)))


def _lines(value: Any, indent: str = "") -> list[str]:
    lines = []
    for key, inner in value.items():
        if isinstance(inner, dict):
            lines += [f"{indent}{key}:", *_lines(inner, indent + "  ")]
        elif isinstance(inner, list) and inner and isinstance(inner[0], dict):
            lines.append(f"{indent}{key}:")
            for element in inner:
                first, *rest = _lines(element, indent + "    ")
                lines += [f"{indent}  - {first.strip()}", *rest]
        else:
            hexadecimal = (
                isinstance(inner, int) and not isinstance(inner, bool) and key in ("base", "size", "size_bytes")
            )
            lines.append(f"{indent}{key}: {f'{inner:#010x}' if hexadecimal else inner}")
    return lines


@command.command("check")
@click.argument("files", nargs=-1, required=True)
@json_option
def check(files: tuple[str, ...], as_json: bool) -> None:
    """Check platform files; exit 3 if one is wrong."""
    from signalbox.build import source
    from signalbox.build.model import Platform

    results = []
    for name in files:
        try:
            Platform.from_json(source.load_platform(name, Path()))
            results.append({"file": name, "ok": True})
        except BadInput as e:
            say(e.message)
            results.append({"file": name, "ok": False, "message": e.message})
    if as_json:
        data_json({"files": results})
    else:
        data_text("\n".join(f"{r['file']}: {'ok' if r['ok'] else 'wrong'}" for r in results))
    sys.exit(Exit.PASS if all(r["ok"] for r in results) else Exit.BAD_INPUT)


@command.command("schema")
@json_option
def schema(as_json: bool) -> None:
    """Print the JSON Schema of platform files."""
    from signalbox import sim

    del as_json  # a schema is JSON either way
    data_json(sim.schema("platform"))
