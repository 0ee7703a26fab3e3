# SPDX-License-Identifier: Apache-2.0
"""Where the cycles went: accounts of cores, caches and slaves as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

#: Accounts in the order in which they are shown; every cycle of a core is in exactly one.
ACCOUNTS = ("execute", "fetch", "miss", "uncached", "bus_wait", "interrupt", "idle")


def tables(stats: dict[str, Any]) -> list[Table]:
    """Tables for a terminal: cores, caches, slaves."""
    return [t for t in (_cores(stats), _caches(stats), _slaves(stats)) if t.row_count]


def _table(title: str, first: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.1f} %)" if whole else "0"


def _cores(stats: dict[str, Any]) -> Table:
    table = _table(f"Cores, {stats['cycles']:,} cycles", "account", *(c["name"] for c in stats["cores"]))
    for account in ACCOUNTS:
        table.add_row(account, *(_share(c["accounts"].get(account, 0), c["cycles"]) for c in stats["cores"]))
    table.add_section()
    table.add_row("instructions", *(f"{c['instructions']:,}" for c in stats["cores"]))
    busy = [c["cycles"] - c["accounts"].get("idle", 0) for c in stats["cores"]]
    table.add_row(
        "cycles per instruction (awake)",
        *(
            f"{b / c['instructions']:.2f}" if c["instructions"] else "–"
            for b, c in zip(busy, stats["cores"], strict=True)
        ),
    )
    table.add_row("longest with interrupts masked", *(_masked(c.get("longest_masked")) for c in stats["cores"]))
    return table


def _masked(longest: dict[str, Any] | None) -> str:
    if longest is None:
        return "–"
    places = (longest[end] or f"{longest[f'{end}_pc']:#010x}" for end in ("from", "to"))
    return f"{longest['cycles']:,}\n" + "\nto ".join(places)


def _caches(stats: dict[str, Any]) -> Table:
    table = _table("Caches", "cache", "misses", "write-backs")
    for core in stats["cores"]:
        for kind in ("icache", "dcache"):
            cache = core.get(kind)
            if cache:
                written = f"{cache['write_backs']:,}" if kind == "dcache" else "–"
                table.add_row(f"{core['name']} {kind}", f"{cache.get('misses', 0):,}", written)
    return table


def _slaves(stats: dict[str, Any]) -> Table:
    table = _table("Slaves", "slave", "accesses", "busy", "waited for others")
    for slave in stats.get("slaves", ()):
        if slave["accesses"]:
            table.add_row(
                slave["name"],
                f"{slave['accesses']:,}",
                _share(slave["busy_cycles"], stats["cycles"]),
                f"{slave['wait_cycles']:,}",
            )
    return table
