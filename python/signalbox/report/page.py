# SPDX-License-Identifier: Apache-2.0
"""One HTML file: the viewer's modules, its style and the data. Its policy forbids every request: it works offline."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from typing import TYPE_CHECKING, Any

from signalbox.report.bundle import bundle
from signalbox.resources import resource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main id="page"></main>
<noscript>This report draws itself with JavaScript. Its data lies in the element report-data as JSON.</noscript>
<script type="application/json" id="report-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def render(report: Mapping[str, Any]) -> str:
    """The whole page for the data that `viewer/src/types.js` describes as `Report`."""
    script = bundle(resource("viewer", "src"))
    style = resource("viewer", "style.css").read_text(encoding="utf-8")
    # "<" cannot occur outside strings in JSON, and inside one \\u003c means the same: nothing can end the element.
    data = json.dumps(report, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return _TEMPLATE.format(
        policy=policy, title=html.escape(str(report["title"])), style=style, data=data, script=script
    )


def write(report: Mapping[str, Any], path: Path) -> None:
    """Write the page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(report), encoding="utf-8")
