# SPDX-License-Identifier: Apache-2.0
"""signalbox build"""

from __future__ import annotations

from pathlib import Path

import click

from signalbox.output import data_json, data_text
from signalbox.verbs.options import json_option, parse_assignments, set_option


@click.command("build")
@click.argument("target", type=click.Path(path_type=Path), default=Path())
@set_option
@click.option("--platform", help="Build for another platform than the system's own.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for everything that is made."
)
@click.option(
    "--generate-only", is_flag=True, help="Write platform.h, config.h, config.c, node.ld and system.cmake, and stop."
)
@json_option
def command(
    target: Path,
    assignments: tuple[str, ...],
    platform: str | None,
    out: Path | None,
    generate_only: bool,
    as_json: bool,
) -> None:
    """Build one ELF file per node of TARGET: a folder with a system.toml, or a system file.

    Prints where the result is. Nothing is compiled again that has not changed; params.* are put into finished images.
    """
    from signalbox.build import builder, generate

    built = builder.build(target, parse_assignments(assignments), out, platform=platform, generate_only=generate_only)
    if generate_only:
        data_json(built.description) if as_json else data_text(built.description["generated"])
        return
    if as_json:
        nodes = [{**n, "elf": str(path)} for n, (path, _) in zip(built.description["nodes"], built.images, strict=True)]
        data_json({**built.description, "nodes": nodes, "system_json": str(built.system_json), "compiled": built.fresh})
        return
    for node, (path, _) in zip(built.description["nodes"], built.images, strict=True):
        data_text(f"{node['name']}: {path} ({generate.sections(node['size_bytes'])} bytes, {node['probes']} probes)")
    data_text(f"system: {built.system_json}")
