# SPDX-License-Identifier: Apache-2.0
"""The kernel measured call by call: the rows of tables A1 and A2 of osek-linx, and what stands beside them.

`measure` builds and runs the programs of `apps/calls`; an experiment says which rows it wants and what they mean.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from signalbox.errors import UsageError
from signalbox.experiment import calls, catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import RenderableType

    from signalbox.run.target import Target

TABLES = {"A1": "osek-a1", "A2": "osek-a2"}
"""Published tables and the machines that they were measured on."""

LEVELS = ("release", "hooks", "checked")
TASKS = (4, 32, 256)
TARGETS = {"target-send-switch-receive": 250, "target-cooperative-switch": 90, "target-interrupt-to-task": 200}

Row = dict[str, Any]


class Settings:
    """`--set` values, checked."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        unknown = sorted(settings.keys() - {"seed", "requests", "tasks"})
        if unknown:
            raise UsageError(f"--set {', '.join(unknown)}: this experiment has seed, requests, tasks")
        self.seed = _number("seed", settings.get("seed", "1"), 1, (1 << 31) - 1)
        self.requests = _number("requests", settings.get("requests", "10000"), 100, 10_000)
        asked = settings.get("tasks", ",".join(map(str, TASKS)))
        self.tasks = tuple(_number("tasks", word.strip(), 4, 256) for word in asked.split(","))


def _number(key: str, text: str, low: int, high: int) -> int:
    if not text.isdecimal() or not low <= int(text) <= high:
        raise UsageError(f"--set {key}: {text!r} is not a number from {low:,} to {high:,}")
    return int(text)


def table_rows(
    table: str, measured: calls.Calls, settings: Settings, reasons: Mapping[str, str], meanings: Mapping[str, str]
) -> list[Row]:
    """The rows of a published table: cold in their order beside warm."""
    published = {
        key.split("/")[2].split("-", 1)[0]: row
        for key, row in catalogue.published("osek-linx").items()
        if key.startswith(f"osek-linx/{table}/")
    }
    out = []
    for number in calls.ROWS:
        reference = published[number]
        cold, warm = measured.cold[number], measured.warm[number]
        asked = float(reference["value"])
        out.append(
            {
                "id": reference["id"],
                "subject": reference["subject"],
                "call": meanings[number],
                "published": asked,
                "measured": cold,
                "measured_warm": warm.median,
                "warm_cycles": warm.data(),
                "unit": reference["unit"],
                "platform": TABLES[table],
                "level": "hooks",
                "optimisation": "-O2",
                "seed": settings.seed,
                "samples": len(warm.values),
                "why": _why(asked, cold, warm.median, reasons.get(number, "")),
            }
        )
    return out


def _why(published: float, cold: int, warm: int, reason: str) -> str:
    """Why a row is not lower than published; empty where it is."""
    if cold < published:
        return ""
    parts = [f"{cold - warm:,} of {cold:,} cycles are what cold caches and predictors add to the first call."]
    if warm >= published and not reason:
        parts.append("Warm it is not lower either.")
    return " ".join([*parts, reason] if reason else parts)


def _variants(settings: Settings, tables: Sequence[str], full: bool) -> dict[str, tuple[str, str, dict[str, str]]]:
    """What to build: a name, the program, its machine and its `--set` values."""
    out: dict[str, tuple[str, str, dict[str, str]]] = {table: ("calls", TABLES[table], {}) for table in tables}
    if full:
        for level in LEVELS:
            if level != "hooks":
                out[level] = ("calls", TABLES["A1"], {"kernel.level": level})
        for tasks in settings.tasks:
            out[f"tasks-{tasks}"] = ("latency", TABLES["A1"], {"params.tasks": str(tasks)})
        out["dispatch"] = ("dispatch", TABLES["A1"], {})
        out["alloc"] = (
            "alloc",
            TABLES["A1"],
            {"params.requests": str(settings.requests), "params.seed": str(settings.seed)},
        )
    return out


def build(settings: Settings, tables: Sequence[str], full: bool) -> dict[str, Target]:
    """All images that are wanted, those that need a compiler side by side."""
    variants = _variants(settings, tables, full)
    first: dict[object, tuple[str, str, dict[str, str]]] = {}
    for program, machine, chosen in variants.values():
        compiled = tuple(item for item in chosen.items() if not item[0].startswith("params."))
        first[program, machine, compiled] = (program, machine, chosen)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda v: calls.find(*v), first.values()))
    return {name: calls.find(*v) for name, v in variants.items()}


def measure(
    settings: Mapping[str, str],
    on_row: Callable[[int, int], None] | None,
    *,
    own: str,
    reasons: Mapping[str, Mapping[str, str]],
    meanings: Mapping[str, str],
) -> list[Row]:
    """The rows of table `own`, those of the other one, which findings compare it with, and for A1 everything else."""
    chosen = Settings(settings)
    full = own == "A1"
    tables = [own, *(t for t in TABLES if t != own)]
    targets = build(chosen, tables, full)
    rows: list[Row] = []
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if on_row is not None:
            on_row(done, len(targets))

    measured = {}
    for table in tables:
        measured[table] = calls.calls(targets[table], chosen.seed)
        rows += table_rows(table, measured[table], chosen, reasons[table], meanings)
        step()
    if not full:
        return rows
    for level in LEVELS:
        figures = measured["A1"] if level == "hooks" else calls.calls(targets[level], chosen.seed)
        rows.append(_level_row(level, figures, chosen))
        if level != "hooks":
            step()
    for tasks in chosen.tasks:
        rows += _latency_rows(calls.latency(targets[f"tasks-{tasks}"], chosen.seed), chosen)
        step()
    rows += _dispatch_rows(calls.dispatch(targets["dispatch"], chosen.seed), chosen)
    step()
    rows += _alloc_rows(calls.alloc(targets["alloc"], chosen.seed, chosen.requests), chosen)
    step()
    return rows


def _common(settings: Settings, level: str, samples: int) -> Row:
    return {
        "platform": TABLES["A1"],
        "level": level,
        "optimisation": "-O2",
        "seed": settings.seed,
        "samples": samples,
        "unit": "cycles",
    }


def _level_row(level: str, figures: calls.Calls, settings: Settings) -> Row:
    return {
        "name": f"level-{level}",
        **_common(settings, level, len(figures.warm["2.1"].values)),
        "send_swap_receive_cycles": figures.warm["2.1"].data(),
        "all_rows_warm_cycles": sum(s.median for s in figures.warm.values()),
        "all_rows_cold_cycles": sum(figures.cold.values()),
    }


def _latency_rows(found: calls.Latency, settings: Settings) -> list[Row]:
    common = {**_common(settings, "release", len(found.isr.values)), "tasks": found.tasks}
    worst = max(i.isr for i in found.interrupted.values())
    targets: list[tuple[str, calls.Spread, Row]] = [
        ("target-send-switch-receive", found.send_receive, {}),
        ("target-cooperative-switch", found.yields, {}),
        (
            "target-interrupt-to-task",
            found.isr,
            {"measures": "from the line to the first instruction of an interrupt task", "worst_cycles": worst},
        ),
    ]
    rows = [
        {
            "id": name,
            "name": name,
            "target": TARGETS[name],
            "measured": spread.median,
            "cycles": spread.data(),
            "met": spread.median <= TARGETS[name],
            **common,
            **extra,
        }
        for name, spread, extra in targets
    ]
    rows.append(
        {"name": "fsem-signal-switch-wait", "measured": found.fsem.median, "cycles": found.fsem.data(), **common}
    )
    rows.append(
        {
            "name": "interrupt-to-woken-task",
            "measures": "from the line to the return of sb_fsem_wait in a priority task that the interrupt task wakes",
            "measured": found.task.median,
            "cycles": found.task.data(),
            "worst_cycles": max(i.task for i in found.interrupted.values()),
            **common,
        }
    )
    for name, figures in found.interrupted.items():
        rows.append(
            {
                "name": f"interrupted-{name}",
                "alone_cycles": figures.alone,
                "worst_with_interrupt_cycles": figures.longest,
                "worst_line_to_interrupt_task_cycles": figures.isr,
                "worst_line_to_woken_task_cycles": figures.task,
                "instants": figures.instants,
                **common,
                "samples": figures.instants,
            }
        )
    return rows


def _dispatch_rows(found: calls.Dispatch, settings: Settings) -> list[Row]:
    common = _common(settings, "hooks", 32)
    ways = {"halves": found.halves, "loopless": found.loopless, "hardware": found.hardware}
    searches = {"halves": found.search_halves, "loopless": found.search_loopless}
    rows = []
    for name, latency in ways.items():
        row = {"name": f"dispatcher-{name}", **common, "latency_cycles": calls.spread_data(latency)}
        if name in searches:
            row["search_cycles"] = calls.spread_data(searches[name])
        rows.append(row)
    return rows


def _alloc_rows(found: calls.Alloc, settings: Settings) -> list[Row]:
    rows = []
    for name, spread in (("pool", found.pool), ("heap", found.heap)):
        low = [v for v, n in zip(spread.values, found.in_use, strict=True) if n < 21]
        high = [v for v, n in zip(spread.values, found.in_use, strict=True) if n > 42]
        by_occupancy = [calls.Spread(tuple(part)).mean for part in (low, high) if part]
        rows.append(
            {
                "name": f"allocator-{name}",
                **_common(settings, "hooks", len(spread.values)),
                "cycles": spread.data(),
                "p1_cycles": spread.percentile(1),
                "p99_cycles": spread.percentile(99),
                "mean_cycles": round(spread.mean, 2),
                "mean_cycles_few_in_use": round(by_occupancy[0], 2),
                "mean_cycles_many_in_use": round(by_occupancy[-1], 2),
            }
        )
    return rows


def tables(rows: Sequence[Mapping[str, Any]], own: str) -> list[RenderableType]:
    """The rows for a terminal: the published table, then what stands beside it."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    grid = Table(title=f"Table {own}: cycles, {TABLES[own]}, kernel with hooks", title_justify="left", box=SIMPLE_HEAD)
    grid.add_column("row")
    for name in ("published", "measured", "warm"):
        grid.add_column(name, justify="right")
    grid.add_column("why it is not lower")
    for row in rows:
        if str(row.get("id", "")).startswith(f"osek-linx/{own}/"):
            values = (f"{row[key]:,.0f}" for key in ("published", "measured", "measured_warm"))
            grid.add_row(str(row["id"]).split("/")[-1], *values, row["why"])
    out: list[RenderableType] = [grid]
    others = Table(title="Beside it: cycles, warm", title_justify="left", box=SIMPLE_HEAD)
    for name in ("what", "figures"):
        others.add_column(name)
    skipped = {"name", "id", "platform", "level", "optimisation", "seed", "samples", "unit", "measures", "met"}
    for row in rows:
        if "published" not in row:
            figures = ", ".join(f"{k.replace('_', ' ')} {_short(v)}" for k, v in row.items() if k not in skipped)
            others.add_row(str(row["name"]), figures)
    if others.row_count:
        out.append(others)
    return out


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "/".join(f"{v:,}" for v in value.values())
    return f"{value:,}" if isinstance(value, int) else str(value)
