# SPDX-License-Identifier: Apache-2.0
"""Tells what a guest fault was, from the machine's own account of it."""

from __future__ import annotations

from typing import Any


def describe(fault: dict[str, Any]) -> str:
    """Several lines: what and where, the stacks of all cores, the last instructions."""
    lines = [f"guest fault: {fault['kind']} on {fault['core']}", f"  {fault['message']}"]
    lines.append(f"  pc      {_place(fault)}")
    lines.append(f"  address {fault['address']:#010x}")
    for trace in fault.get("backtraces", ()):
        lines.append(f"backtrace of {trace['core']}:")
        lines += [f"  #{i:<2} {_place(frame)}" for i, frame in enumerate(trace["frames"])] or ["  (no frames)"]
    last = fault.get("last", ())
    if last:
        lines.append(f"last {len(last)} instructions of {fault['core']}, the newest at the end:")
        width = max(len(i["text"]) for i in last)
        lines += [f"  {i['pc']:#010x}  {i['text']:<{width}}  {i.get('symbol') or ''}".rstrip() for i in last]
    return "\n".join(lines)


def _place(frame: dict[str, Any]) -> str:
    text = f"{frame['pc']:#010x}"
    if frame.get("symbol"):
        text += f"  {frame['symbol']}"
    if frame.get("file"):
        text += f"  {frame['file']}" + (f":{frame['line']}" if frame.get("line") else "")
    return text
