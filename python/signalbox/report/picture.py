# SPDX-License-Identifier: Apache-2.0
"""The timeline as an SVG picture, for documents: what the viewer draws, without a browser.

The strips, their order and their colours are the viewer's (`viewer/src/lanes.js`, `style.css`), in its light scheme.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

Timeline = Mapping[str, Any]

WIDTH, LABELS, RIGHT, TOP = 1200, 118, 16, 58
ROW, SIGNAL_ROW, CALL_ROW, HEAD, GAP = 20, 26, 15, 26, 4
LAYERS = {
    "application": "#0072b2",
    "manager": "#d98a00",
    "driver": "#00875f",
    "kernel": "#b8588e",
    "medium": "#8a929b",
}
FORWARD, BACK = "#c1440e", "#1c6fb5"
INK, FAINT, LINE, BAND = "#16191d", "#5a626c", "#d9dde2", "#f4f5f7"
SHOWN = ("cm_transmit", "drv_write", "drv_read", "cm_handle_rx", "cm_handle_tx", "rlnh_deliver", "copy", "doorbell")
GLYPH = 6.1
"""Width of a character of the small text, for leaving out what does not fit."""


def layer_of_task(task: Mapping[str, Any]) -> str:
    """Layer of a task by the part it plays."""
    if task["kind"] == "idle":
        return "medium"
    return {"rlnh": "manager", "cm_rx": "manager", "drv": "driver"}.get(str(task["name"]), "application")


def layer_of_call(name: str) -> str:
    """Layer of a measured call."""
    return "manager" if name.startswith(("cm_", "rlnh_")) else "driver"


def nice_step(at_least: float) -> int:
    """The smallest of 1, 2, 5 times a power of ten that is at least so large."""
    power: int = 10 ** math.floor(math.log10(max(1.0, at_least)))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= at_least)


def grouped(value: float) -> str:
    """Digits in groups of three."""
    return f"{round(value):,}".replace(",", "\u202f").replace("-", "\u2212")


def rows_of_calls(calls: Sequence[Sequence[Any]]) -> list[int]:
    """A row for each call so that it lies below every call that was open when it began."""
    ends: list[int] = []
    rows = []
    for _, _, start, end, _ in calls:
        deepest = max((i for i, e in enumerate(ends) if e > start), default=-1)
        row = next((i for i, e in enumerate(ends) if e <= start and i > deepest), deepest + 1)
        if row == len(ends):
            ends.append(end)
        else:
            ends[row] = end
        rows.append(row)
    return rows


class _Drawing:
    """Collects SVG elements; x is in cycles."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.scale = start, (WIDTH - LABELS - RIGHT) / (end - start)
        self.elements: list[str] = []

    def x(self, cycle: float) -> float:
        return LABELS + (cycle - self.start) * self.scale

    def add(self, tag: str, text: str | None = None, **attributes: object) -> None:
        def value(v: object) -> str:
            return quoteattr(f"{v:.2f}".rstrip("0").rstrip(".") if isinstance(v, float) else str(v))

        inner = "".join(f" {k.rstrip('_').replace('_', '-')}={value(v)}" for k, v in attributes.items())
        self.elements.append(f"<{tag}{inner}/>" if text is None else f"<{tag}{inner}>{escape(text)}</{tag}>")

    def bar(self, start: float, end: float, y: float, height: float, label: str, ink: str, **style: object) -> None:
        x, width = self.x(start), max(1.0, (end - start) * self.scale)
        self.add("rect", None, x=x, y=y, width=width, height=height, **style)
        if len(label) * GLYPH + 8 <= width:
            self.add("text", label, x=x + 4, y=y + height / 2 + 3.8, fill=ink)


def picture(data: Timeline) -> str:
    """The timeline of `signalbox.analysis.timeline` as an SVG document."""
    d = _Drawing(int(data["start"]), int(data["end"]))
    y = float(TOP)
    grid_at = len(d.elements)
    centre: list[dict[int, float]] = []
    for number, core in enumerate(data["cores"]):
        centre.append({})
        d.add("line", x1=8, x2=WIDTH - RIGHT, y1=y + 0.5, y2=y + 0.5, stroke=LINE)
        d.add("text", core["name"], x=8, y=y + HEAD / 2 + 7, font_weight=600, font_size=12, fill=INK)
        y += HEAD
        ranks = [_rank(task) for task in core["tasks"]]
        for i in sorted(range(len(ranks)), key=ranks.__getitem__):
            task = core["tasks"][i]
            if not task["slices"]:
                continue
            centre[number][i] = y + ROW / 2
            d.add("rect", x=LABELS, y=y + 1, width=WIDTH - LABELS - RIGHT, height=ROW - 2, fill=BAND)
            d.add("text", task["name"], x=16, y=y + ROW / 2 + 4, fill=INK)
            colour = LAYERS[layer_of_task(task)]
            for start, end in task["slices"]:
                if task["kind"] == "idle":
                    d.bar(start, end, y + ROW / 2 - 1.5, 3, "", INK, fill=colour, fill_opacity=0.35)
                else:
                    d.bar(start, end, y + 2, ROW - 4, str(task["name"]), "#ffffff", fill=colour)
            y += ROW
        if core["kernel"]:
            d.add("text", "(kernel)", x=16, y=y + ROW / 2 + 4, fill=FAINT)
            for what, start, end in core["kernel"]:
                d.bar(start, end, y + 4, ROW - 8, what, "#ffffff", fill=LAYERS["kernel"])
            y += ROW
        y += GAP
        calls = [c for c in core["calls"] if c[1] in SHOWN]
        rows = rows_of_calls(calls)
        if calls:
            d.add("text", "calls", x=16, y=y + 11, fill=FAINT)
        for (_, name, start, end, _), row in zip(calls, rows, strict=True):
            colour = LAYERS[layer_of_call(name)]
            opacity = 0.5 if name in ("copy", "doorbell") else 0.22
            label = str(data["call_names"].get(name, name))
            top = y + row * CALL_ROW + 1
            d.bar(start, end, top, CALL_ROW - 2, label, INK, fill=colour, fill_opacity=opacity, stroke=colour)
        y += (max(rows, default=-1) + 1) * CALL_ROW + GAP
        for m in data["messages"]:
            if m["from_core"] != number:
                continue
            colour = FORWARD if number == 0 else BACK
            d.add("text", f"{m['from']} → {m['to']}", x=16, y=y + SIGNAL_ROW / 2 + 4, fill=FAINT)
            label = f"{m['size_bytes']} B, {grouped(m['latency_cycles'])} cycles"
            begin = m["send_call"]
            end, tall = m["receive_return"], SIGNAL_ROW - 6
            d.bar(begin, end, y + 3, tall, "", INK, fill=colour, fill_opacity=0.3, stroke=colour)
            d.bar(begin, m["send_return"], y + 3, 4, "", INK, fill=colour)
            d.add("rect", None, x=d.x(m["split"]) - 1, y=y + 3, width=2, height=tall, fill=colour)
            d.bar(begin, end, y + 6, tall, label, INK, fill="none")
            y += SIGNAL_ROW
        y += GAP * 2
    for m in data["messages"]:
        _arrow(d, m, centre)
    grid = _Drawing(int(data["start"]), int(data["end"]))
    step = nice_step((int(data["end"]) - int(data["start"])) / 9)
    first = math.ceil(int(data["start"]) / step) * step
    for tick in range(first, int(data["end"]) + 1, step):
        x = grid.x(tick)
        grid.add("line", x1=x, x2=x, y1=TOP - 6, y2=y, stroke=LINE)
        grid.add("text", grouped(tick), x=x, y=TOP - 12, fill=FAINT, text_anchor="middle")
    grid.add("text", "cycles", x=8, y=TOP - 12, fill=FAINT)
    d.elements[grid_at:grid_at] = grid.elements
    d.add("text", str(data["title"]), x=8, y=20, font_size=14, font_weight=600, fill=INK)
    _legend(d, y)
    height = y + 38
    return (
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
        'font-family="system-ui, DejaVu Sans, sans-serif" font-size="11">\n'
        f'<rect width="{WIDTH}" height="{height:g}" fill="#ffffff"/>\n' + "\n".join(d.elements) + "\n</svg>\n"
    )


def _rank(task: Mapping[str, Any]) -> int:
    priority = int(task["priority"])
    return {"interrupt": priority - 100, "idle": 1000}.get(str(task["kind"]), priority)


def _arrow(d: _Drawing, m: Mapping[str, Any], centre: Sequence[Mapping[int, float]]) -> None:
    y1, y2 = centre[m["from_core"]].get(m["from_task"]), centre[m["to_core"]].get(m["to_task"])
    if y1 is None or y2 is None:
        return
    x1, x2 = d.x(m["send_call"]), d.x(m["receive_return"])
    colour = FORWARD if m["from_core"] == 0 else BACK
    angle = math.atan2(y2 - y1, x2 - x1)
    wings = [(x2 - 9 * math.cos(angle + side), y2 - 9 * math.sin(angle + side)) for side in (-0.4, 0.4)]
    d.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke="#ffffff", stroke_width=4.5)
    d.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=1.75)
    d.add("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in [(x2, y2), *wings]), fill=colour)
    d.add("circle", cx=x1, cy=y1, r=3.5, fill=colour)


def _legend(d: _Drawing, y: float) -> None:
    x = float(LABELS)
    items = [(c, "idle" if n == "medium" else n) for n, c in LAYERS.items()]
    items.append((FORWARD, "signal from core 0"))
    items.append((BACK, "signal from another core"))
    for colour, label in items:
        d.add("rect", x=x, y=y + 3, width=10, height=10, rx=2, fill=colour)
        d.add("text", label, x=x + 15, y=y + 12, fill=FAINT)
        x += 36 + len(label) * 5.6
    d.add(
        "text",
        "signal's bar: latency; its edge: send blocks; its line: the receiver takes over",
        x=LABELS,
        y=y + 28,
        fill=FAINT,
    )
