# SPDX-License-Identifier: Apache-2.0
"""Joins the viewer's ES modules into one script.

The modules use only `import {a, b} from "./x.js"` and `export` before a declaration, so joining is: put a module after
those that it imports, drop the import lines and the word `export`. All top-level names then share one scope; two
modules that declare the same name are an error here, not a surprise in the browser.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from signalbox.errors import Failed

if TYPE_CHECKING:
    from pathlib import Path

_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
_DECLARATION = re.compile(r"^(?:async )?(?:function|class|const|let)\s+(\w+)", re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const|let)\s+(\w+)", re.MULTILINE)
_LEFTOVER = re.compile(r"^(?:import|export)\b(?! \{\};)", re.MULTILINE)


def bundle(folder: Path, entry: str = "main.js") -> str:
    """One script that does what `entry` does.

    Raises `Failed` for an import or export of another form, a name that is not exported, and a name declared twice.
    """
    texts: dict[str, str] = {}
    order: list[str] = []

    def visit(name: str, wanted_by: tuple[str, ...]) -> None:
        if name in wanted_by:
            raise Failed(f"viewer: modules import each other: {' → '.join((*wanted_by, name))}")
        if name in texts:
            return
        text = (folder / name).read_text(encoding="utf-8")
        texts[name] = text
        for imported in _IMPORT.finditer(text):
            visit(imported[2], (*wanted_by, name))
            exported = set(_EXPORTED.findall(texts[imported[2]]))
            for symbol in filter(None, (s.strip() for s in imported[1].split(","))):
                if symbol not in exported:
                    raise Failed(f"viewer: {name} imports {symbol}, which {imported[2]} does not export")
        order.append(name)

    visit(entry, ())
    owner: dict[str, str] = {}
    parts = []
    for name in order:
        text = _EXPORT.sub("", _IMPORT.sub("", texts[name]))
        if leftover := _LEFTOVER.search(text):
            line = text.count("\n", 0, leftover.start()) + 1
            raise Failed(f"viewer: {name}: line {line} has an import or export of a form that cannot be joined")
        for symbol in _DECLARATION.findall(text):
            if symbol in owner:
                raise Failed(f"viewer: {name} and {owner[symbol]} both declare {symbol}")
            owner[symbol] = name
        parts.append(text.replace("export {};\n", ""))
    return "\n".join(parts)
