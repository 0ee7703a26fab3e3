# SPDX-License-Identifier: Apache-2.0
"""signalbox size"""

from __future__ import annotations

from pathlib import Path

import click

from signalbox.errors import UsageError
from signalbox.output import data_json, data_rich
from signalbox.verbs.options import json_option, parse_assignments, set_option


@click.command("size")
@click.argument("target", type=click.Path(path_type=Path), required=False)
@set_option
@json_option
def command(target: Path | None, assignments: tuple[str, ...], as_json: bool) -> None:
    """Say how many bytes the kernel takes, and what for.

    Without TARGET: each component of the kernel alone (-Os at each check level, and -O2), for each processor whose
    compiler is installed; RAM of a task and of each object; what each option adds to a linked image. With TARGET, a
    system: its images by where their bytes come from.
    """
    from signalbox import size

    values = parse_assignments(assignments)
    if target is None:
        if values:
            raise UsageError("--set needs a TARGET: without one every option is tried")
        data = size.catalogue()
        shown = size.tables_of
    else:
        data = size.system(target, values)
        shown = size.image_tables
    if as_json:
        data_json(data)
    else:
        data_rich(*shown(data))
