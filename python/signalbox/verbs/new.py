# SPDX-License-Identifier: Apache-2.0
"""signalbox new"""

from __future__ import annotations

from pathlib import Path

import click

from signalbox.output import data_json, data_text, say
from signalbox.verbs.options import json_option


@click.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Write a two-node application into FOLDER that builds and runs."""
    from signalbox import new

    files = new.write(folder)
    if as_json:
        data_json({"folder": str(folder), "files": [str(f) for f in files]})
        return
    data_text("\n".join(str(f) for f in files))
    say(f"next: signalbox run {folder}")
