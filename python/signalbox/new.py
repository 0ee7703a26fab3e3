# SPDX-License-Identifier: Apache-2.0
"""Writes a new application: two nodes on two cores that exchange signals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from signalbox.errors import UsageError
from signalbox.resources import template_dir

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path) -> list[Path]:
    """Write the application into a folder that does not exist or is empty; returns its files."""
    import jinja2

    name = folder.resolve().name
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise UsageError(f"`{name}` cannot be a name: it begins with a letter and has letters, digits, - and _ only")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder; choose another name")
    templates = template_dir() / "app"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    written = []
    for template in sorted(templates.rglob("*.j2")):
        relative = template.relative_to(templates).with_suffix("")
        target = folder / (".gitignore" if relative.name == "gitignore" else relative)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(environment.get_template(str(template.relative_to(templates))).render(name=name))
        written.append(target)
    return written
