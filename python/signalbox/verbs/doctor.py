# SPDX-License-Identifier: Apache-2.0
"""signalbox doctor"""

from __future__ import annotations

import sys

import click

from signalbox.errors import Exit
from signalbox.output import data_json, data_rich
from signalbox.verbs.options import json_option


@click.command("doctor")
@json_option
def command(as_json: bool) -> None:
    """Say what is installed and what is missing; exit 5 if something required is."""
    from signalbox import doctor

    findings = doctor.examine()
    result = doctor.data(findings)
    if as_json:
        data_json(result)
    else:
        from rich import box
        from rich.table import Table

        table = Table("what", "state", "version", "for", box=box.SIMPLE_HEAD)
        for f in findings:
            state = "ok" if f.ok else "MISSING" if f.required else "not there (optional)"
            table.add_row(f.name, state, f.version or "", f.purpose)
        data_rich(table)
        for f in findings:
            if f.install and not f.ok:
                data_rich(f"{f.name}: {f.install}")
    sys.exit(Exit.PASS if result["ok"] else Exit.TOOL_MISSING)
