# SPDX-License-Identifier: Apache-2.0
"""A load curve as an SVG picture and as one HTML page: latency and accepted load over offered load."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP = 760, 240, 72, 24, 48, 56
INK, FAINT, LINE = "#16191d", "#5a626c", "#d9dde2"
BLUE, ORANGE = "#0072b2", "#c1440e"


def nice_ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers from below `low` to above `high`."""
    span = max(high - low, 1e-9)
    power = 10.0 ** math.floor(math.log10(span / wanted))
    step = next(m * power for m in (1, 2, 5, 10) if m * power * wanted >= span)
    first = math.floor(low / step)
    return [i * step for i in range(first, math.ceil(high / step) + 1)]


def _text(x: float, y: float, text: str, extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{FAINT}" {extra}>{html.escape(text)}</text>'


def _axes(
    top: float, ticks_x: Sequence[float], ticks_y: Sequence[float], title: str
) -> tuple[list[str], Callable[[float], float], Callable[[float], float]]:
    def x(value: float) -> float:
        return LEFT + (value - ticks_x[0]) / (ticks_x[-1] - ticks_x[0]) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return top + PANEL - (value - ticks_y[0]) / (ticks_y[-1] - ticks_y[0]) * PANEL

    out = [_text(LEFT, top - 8, title)]
    for t in ticks_x:
        out.append(f'<line x1="{x(t):.1f}" x2="{x(t):.1f}" y1="{top}" y2="{top + PANEL}" stroke="{LINE}"/>')
        out.append(_text(x(t), top + PANEL + 16, f"{t:g}", 'text-anchor="middle"'))
    for t in ticks_y:
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(t):.1f}" y2="{y(t):.1f}" stroke="{LINE}"/>')
        out.append(_text(LEFT - 8, y(t) + 4, f"{t:g}", 'text-anchor="end"'))
    return out, x, y


def _series(points: Sequence[tuple[float, float]], colour: str, what: Sequence[str]) -> list[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    out = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>']
    for (x, y), title in zip(points, what, strict=True):
        out.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"><title>{html.escape(title)}</title></circle>'
        )
    return out


def title_of(result: Mapping[str, Any]) -> str:
    """What the curve is of, in one line."""
    n = result["network"]
    sinks = f", sinks {n['sinks'][0]}/{n['sinks'][1]}" if n["sinks"] else ""
    return (
        f"{n['width']}x{n['height']} {n['topology']}, {result['pattern']}, packets of {result['length_flits']} flits, "
        f"buffers of {n['buffer_flits']}{sinks}"
    )


def picture(result: Mapping[str, Any]) -> str:
    """The curve as an SVG document. Latencies of saturated points grow with the length of the run and are left out."""
    points = result["points"]
    shown = [p for p in points if p["mean_latency"] is not None and not p["saturated"]]
    ticks_x = nice_ticks(0.0, max((p["offered_load"] for p in points), default=1.0))
    highest = max((p["mean_latency"] for p in shown), default=1.0)
    upper, x, y = _axes(TOP, ticks_x, nice_ticks(0.0, highest), "mean latency, cycles")
    for key, colour, name in (
        ("mean_latency", BLUE, "created to delivered"),
        ("mean_network_latency", ORANGE, "accepted to delivered"),
    ):
        what = [f"load {p['offered_load']:g}: {p[key]:.1f} cycles {name}" for p in shown]
        upper += _series([(x(p["offered_load"]), y(p[key])) for p in shown], colour, what)
    upper.append(_text(LEFT + 8, TOP + 18, "created to delivered", f'style="fill:{BLUE}"'))
    upper.append(_text(LEFT + 8, TOP + 34, "accepted to delivered", f'style="fill:{ORANGE}"'))
    top = TOP + PANEL + GAP
    most = max((max(p["accepted_load"], p["offered_load"]) for p in points), default=1.0)
    lower, x, y = _axes(top, ticks_x, nice_ticks(0.0, most), "accepted load, flits per node and cycle")
    end = min(ticks_x[-1], nice_ticks(0.0, most)[-1])
    lower.append(
        f'<line x1="{x(0):.1f}" y1="{y(0):.1f}" x2="{x(end):.1f}" y2="{y(end):.1f}" '
        f'stroke="{FAINT}" stroke-dasharray="4 4"/>'
    )
    what = [f"load {p['offered_load']:g}: {p['accepted_load']:.4f} accepted" for p in points]
    lower += _series([(x(p["offered_load"]), y(p["accepted_load"])) for p in points], BLUE, what)
    height = top + PANEL + 44
    lower.append(_text(WIDTH - RIGHT, height - 8, "offered load, flits per node and cycle", 'text-anchor="end"'))
    head = f'<text x="16" y="22" font-size="14" font-weight="600" fill="{INK}">{html.escape(title_of(result))}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="system-ui, DejaVu Sans, sans-serif" font-size="12" role="img">\n'
        f"<title>{html.escape(title_of(result))}</title>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n' + "\n".join([head, *upper, *lower]) + "\n</svg>\n"
    )


def page(result: Mapping[str, Any]) -> str:
    """The picture and its table as one page that works from a file."""
    columns = {
        "offered_load": ("offered", "g"),
        "accepted_load": ("accepted", ".4f"),
        "mean_latency": ("mean latency", ".1f"),
        "mean_network_latency": ("in the network", ".1f"),
        "max_latency": ("largest latency", "d"),
        "packets": ("packets", "d"),
    }

    def cell(value: float | None, form: str) -> str:
        return f"<td>{'' if value is None else format(value, form)}</td>"

    head = "".join(f"<th>{name}</th>" for name, _ in columns.values())
    rows = "\n".join(
        "<tr>" + "".join(cell(p[k], form) for k, (_, form) in columns.items())
        + f"<td>{'saturated' if p['saturated'] else ''}</td></tr>"
        for p in result["points"]
    )  # fmt: skip
    note = (
        f"Seed {result['seed']}, {result['warmup_cycles']} cycles before a window of {result['window_cycles']}. "
        "Loads are flits per node and cycle, latencies are cycles. Where the network is saturated, latency grows with "
        "the length of the run and is no property of the network."
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title_of(result))}</title>\n"
        "<style>body{font:14px system-ui,sans-serif;margin:24px;color:#16191d;background:#fff}"
        "table{border-collapse:collapse}td,th{padding:3px 14px;text-align:right;"
        "border-bottom:1px solid #d9dde2}</style>\n"
        f"</head>\n<body>\n{picture(result)}<p>{html.escape(note)}</p>\n"
        f"<table>\n<tr>{head}<th></th></tr>\n{rows}\n</table>\n</body>\n</html>\n"
    )
