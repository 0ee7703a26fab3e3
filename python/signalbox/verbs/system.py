# SPDX-License-Identifier: Apache-2.0
"""signalbox system"""

from __future__ import annotations

from pathlib import Path

import click

from signalbox.output import data_json, data_text
from signalbox.verbs.options import json_option, parse_assignments, set_option


@click.group("system")
def command() -> None:
    """System files: check, and the schema that editors use."""


@command.command("check")
@click.argument("target", type=click.Path(path_type=Path), default=Path())
@set_option
@json_option
def check(target: Path, assignments: tuple[str, ...], as_json: bool) -> None:
    """Check a system file against its platform, without building; exit 3 if it is wrong."""
    from signalbox.build import generate, source

    loaded = source.load(target, parse_assignments(assignments))
    generate.render(loaded)
    if as_json:
        data_json({"system": loaded.system.raw, "platform": loaded.platform.raw})
    else:
        data_text(f"{loaded.path}: ok ({len(loaded.system.nodes)} nodes on {loaded.platform.name})")


@command.command("schema")
@json_option
def schema(as_json: bool) -> None:
    """Print the JSON Schema of system files."""
    from signalbox import sim

    del as_json  # a schema is JSON either way
    data_json(sim.schema("system"))
