# SPDX-License-Identifier: Apache-2.0
"""Tells what a check found: which instructions, where, when, how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What the core that is named first did.
_VERBS = {
    "stale-read": "read",
    "stale-instruction": "executed",
    "lost-write": "written back",
    "discarded-write": "dropped",
}


def describe_findings(check: str, findings: Sequence[dict[str, Any]]) -> str:
    """Several lines for each finding, or one that says that there is none."""
    if not findings:
        return f"check {check}: nothing found"
    lines = [f"check {check}: {len(findings)} finding" + ("s" if len(findings) > 1 else "")]
    for found in findings:
        lines.append(f"{found['kind']}: {found['message']}")
        places = [(_VERBS[found["kind"]], found["by"]), ("written", found["writer"])]
        if found["stored"] is not None:
            places.append(("made dirty", found["stored"]))
        lines += [f"  {verb:<12} {_place(place)}" for verb, place in places]
        if found["count"] > 1:
            lines.append(f"  {found['count']:,} times, the last one at cycle {found['last_cycle']:,}")
    return "\n".join(lines)


def _place(place: dict[str, Any]) -> str:
    text = f"{place['core']} at cycle {place['cycle']:,}  {place['pc']:#010x}"
    if place.get("symbol"):
        text += f"  {place['symbol']}"
    if place.get("file"):
        text += f"  {place['file']}" + (f":{place['line']}" if place.get("line") else "")
    return text
