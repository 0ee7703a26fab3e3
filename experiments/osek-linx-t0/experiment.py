# SPDX-License-Identifier: Apache-2.0
"""T0 of osek-linx (3.5.2.1, 4.2): a request every 0.1 s and its reply of equal size, between two cores.

Built as published: the kernel with hooks at -O2 (there a delivered library), the link layers and the application at
-O0; and once more with everything at -O2. No fragments (MTU 2048), no kernel tick. The first request is discarded,
because it finds cold caches and first allocations; the thesis measured about ten, we measure 200.

A claim is judged by the test in `reference/claims.csv`, with its tolerances as they stand. Where a test speaks of each
driver, the verdict covers the drivers that exist, and says so; where it compares drivers that do not exist yet, it is
not run, unless the part that can be checked already fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signalbox.errors import UsageError
from signalbox.experiment.spec import Check, Definition, RowSpec
from signalbox.experiment.table import Row, Table, linear_fit, sign_changes
from signalbox.resources import resource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIZES = (16, 32, 64, 128, 256, 512, 1024)
BUFFERS = ("uncached", "cached")
OPTIMISATIONS = ("-O0", "-O2")
SAMPLES = 200
DISCARD = 1
ONLY = "for shm_ack; shm_noack, shm_single, dma_ack and dma_noack are not built yet."
BOTH_ACK = "for shm_ack; dma_ack is not built yet."


def rows(settings: Mapping[str, str]) -> list[RowSpec]:
    """All rows; settings: sizes, buffers, optimisation (comma lists), samples, seed."""
    unknown = settings.keys() - {"sizes", "buffers", "optimisation", "samples", "seed"}
    if unknown:
        raise UsageError(f"--set {', '.join(sorted(unknown))}: T0 has sizes, buffers, optimisation, samples, seed")
    sizes = [_integer("sizes", s) for s in _words(settings, "sizes", SIZES)]
    samples = _integer("samples", settings.get("samples", str(SAMPLES)))
    seed = _integer("seed", settings.get("seed", "1"))
    specs = []
    for optimisation in _words(settings, "optimisation", OPTIMISATIONS):
        if optimisation not in OPTIMISATIONS:
            raise UsageError(f"--set optimisation={optimisation}: choose of {', '.join(OPTIMISATIONS)}")
        for buffers in _words(settings, "buffers", BUFFERS):
            if buffers not in BUFFERS:
                raise UsageError(f"--set buffers={buffers}: choose of {', '.join(BUFFERS)}")
            specs += [_row(optimisation, buffers, size, samples, seed) for size in sizes]
    return specs


def _words(settings: Mapping[str, str], key: str, default: Sequence[object]) -> list[str]:
    return [w.strip() for w in settings[key].split(",")] if key in settings else [str(d) for d in default]


def _integer(key: str, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise UsageError(f"--set {key}: {text!r} is not a positive number")
    return value


def _row(optimisation: str, buffers: str, size: int, samples: int, seed: int) -> RowSpec:
    return RowSpec(
        system=resource("apps", "t0", f"{buffers}.toml"),
        assignments={
            "build.optimise_kernel": "-O2",
            "build.optimise_link": optimisation,
            "build.optimise_app": optimisation,
            "kernel.level": "hooks",
            "params.size_bytes": str(size),
            "params.requests": str(samples + DISCARD),
        },
        parameters={
            "manager": "cm/ptp",
            "driver": "shm_ack",
            "buffers": buffers,
            "size_bytes": size,
            "optimisation": optimisation,
        },
        requester="master",
        responder="slave",
        samples=samples,
        discard=DISCARD,
        seed=seed,
    )


# What claims ask for.

PUBLISHED = {"manager": "cm/ptp", "driver": "shm_ack", "buffers": "uncached", "optimisation": "-O0"}


def _uncached(table: Table, sizes: Sequence[int] = SIZES) -> list[Row]:
    return table.by_size(sizes, **PUBLISHED)


def _cached(table: Table, sizes: Sequence[int] = SIZES) -> list[Row]:
    return table.by_size(sizes, **{**PUBLISHED, "buffers": "cached"})


def _median(row: Row) -> int:
    return int(row["latency_cycles"]["median"])


def _spread(row: Row) -> float:
    latency = row["latency_cycles"]
    return (int(latency["max"]) - int(latency["min"])) / int(latency["median"])


def _gap(row: Row) -> int:
    return int(row["latency_cycles"]["max"]) - _median(row)


def _causes(cycles: Mapping[str, float], count: int = 4, form: str = "{:+,.0f}") -> str:
    """The largest parts of a difference or a sum, in words."""
    largest = sorted(cycles.items(), key=lambda c: -abs(c[1]))[:count]
    return ", ".join(f"{name.replace('_', ' ')} {form.format(value)}" for name, value in largest if round(value))


def _verdict(holds: bool) -> str:
    return "holds" if holds else "differs"


def _range(values: Sequence[float], form: str = "{:.3f}") -> str:
    return f"{form.format(min(values))} to {form.format(max(values))}"


# Claims that this driver answers.


def c26(table: Table) -> Check:
    """Sender load is blocking time plus acknowledge interrupt."""
    found = _uncached(table)
    error, share = [], []
    for row in found:
        cpu = row["cpu_cycles"]
        error.append(abs(cpu["sender"] - row["blocking_cycles"] - cpu["isr_sender"]) / cpu["sender"])
        share.append(cpu["isr_sender"] / cpu["sender"])
    at = found[SIZES.index(128)]
    cpu = at["cpu_cycles"]
    figure = (
        f"128 B: sender {cpu['sender']:,} = blocking {at['blocking_cycles']:,} + interrupt {cpu['isr_sender']:,}; "
        f"deviation up to {max(error):.1%}, interrupt share {_range(share)}"
    )
    holds = max(error) <= 0.10 and all(0.2 <= s <= 0.6 for s in share)
    asked = "Asked: deviation ≤ 10 %, share of the interrupt 0.2 to 0.6, all sizes"
    return Check(_verdict(holds), figure, f"{asked}; {BOTH_ACK}")


def c27(table: Table) -> Check:
    """A round trip is two latencies."""
    extra = [
        (row["round_trip_cycles"] - _median(row) - row["reply_latency_cycles"]) / row["round_trip_cycles"]
        for row in _uncached(table)
    ]
    figure = f"round trip exceeds both latencies by {_range([100 * e for e in extra], '{:.2f}')} % of itself"
    return Check(_verdict(all(0 <= e <= 0.10 for e in extra)), figure, f"Asked: 0 to 10 % at all sizes; {ONLY}")


def c28(table: Table) -> Check:
    """Three copies per signal."""
    copies = _uncached(table, (512,))[0]["copies"]
    return Check(
        _verdict(copies == 3),
        f"{copies} copies of a 512-byte signal",
        f"Asked: exactly 3 with shm_ack; {ONLY}",
    )


def c29(table: Table) -> Check:
    """Two interrupts per signal; fewer without acknowledge."""
    found = _uncached(table)
    interrupts = {row["interrupts"] for row in found}
    switches = {row["context_switches"] for row in found}
    counts = [" or ".join(map(str, sorted(found))) for found in (interrupts, switches)]
    figure = f"shm_ack: {counts[0]} interrupts and {counts[1]} context switches a signal"
    if interrupts != {2}:
        return Check("differs", figure, "Asked: exactly 2 interrupts with acknowledge.")
    why = "The part for shm_ack (2 interrupts) is met; the comparison needs shm_noack and the DMA drivers."
    return Check("not-run", figure, why)


def c37(table: Table) -> Check:
    """Latency is linear in size."""
    found = _uncached(table)
    latency = [_median(row) for row in found]
    fit = linear_fit(SIZES[:-1], latency[:-1])
    error = abs(fit.at(1024) - latency[-1]) / latency[-1]
    r_squared = linear_fit(SIZES, latency).r_squared
    figure = (
        f"{fit.slope:.2f} cycles a byte; predicts {fit.at(1024):,.0f} at 1024 B, measured {latency[-1]:,} "
        f"({error:.1%} off); R² {r_squared:.4f}"
    )
    holds = error <= 0.05 and r_squared >= 0.98
    why = f"Asked: prediction within 5 %, R² ≥ 0.98; {ONLY}"
    if not holds:
        beyond = {}
        for cause in found[0]["breakdown_cycles"]:
            cycles = [row["breakdown_cycles"][cause] for row in found]
            beyond[cause] = cycles[-1] - linear_fit(SIZES[:-1], cycles[:-1]).at(1024)
        why += f" Each cause's own line misses 1024 B by: {_causes(beyond)} cycles."
    return Check(_verdict(holds), figure, why)


def c42(table: Table) -> Check:
    """The gain without acknowledge is below the acknowledge interrupt's time."""
    isr = [row["cpu_cycles"]["isr_sender"] for row in _uncached(table)]
    figure = f"acknowledge interrupt {_range(isr, '{:,}')} cycles"
    if not all(5000 <= i <= 20000 for i in isr):
        parts = _causes(_at(table)["isr_sender_breakdown_cycles"], form="{:,}")
        why = (
            "Asked: 5,000 to 20,000 cycles in the interrupt at all sizes; the gain needs shm_noack. "
            f"Its cycles at 128 B: {parts}; the published ones contain a swap hook and time stamps, ours do not."
        )
        return Check("differs", figure, why)
    return Check("not-run", figure, "The interrupt's time is within 5,000 to 20,000; the gain needs shm_noack.")


def c43(table: Table) -> Check:
    """Cached buffers are slower for small signals and faster for large ones."""
    difference = [
        _median(cached) - _median(uncached) for cached, uncached in zip(_cached(table), _uncached(table), strict=True)
    ]
    small = difference[0] / _median(_uncached(table)[0])
    at_512 = difference[SIZES.index(512)]
    changes = sign_changes(difference)
    figure = "cached − uncached: " + ", ".join(f"{s} B {d:+,}" for s, d in zip(SIZES, difference, strict=True))
    holds = difference[0] > 0 and at_512 < 0 and changes == 1 and small <= 0.15
    why = f"Asked: above at 16 B by at most 15 % ({small:+.1%}), below at 512 B, one change of sign ({changes})."
    if not holds:
        cached, uncached = _cached(table)[0]["breakdown_cycles"], _uncached(table)[0]["breakdown_cycles"]
        why += f" The difference at 16 B by cause: {_causes({c: cached[c] - uncached[c] for c in cached})}."
    return Check(_verdict(holds), figure, why)


def c44(table: Table) -> Check:
    """Best and worst lie near the median with uncached buffers."""
    spread = [_spread(row) for row in _uncached(table)]
    narrow = sum(s <= 0.03 for s in spread)
    percent = _range([100 * s for s in spread], "{:.2f}")
    figure = f"(max − min) / median {percent} %, {narrow} of {len(spread)} rows within 3 %"
    holds = narrow >= 0.75 * len(spread) and max(spread) <= 0.10
    return Check(_verdict(holds), figure, f"Asked: ≤ 3 % for three quarters of the rows, ≤ 10 % for all; {ONLY}")


def c45(table: Table) -> Check:
    """With cached buffers single signals are far slower."""
    row = _cached(table, (512,))[0]
    latency = row["latency_cycles"]
    ratio = latency["max"] / latency["median"]
    figure = (
        f"512 B: slowest {latency['max']:,}, median {latency['median']:,}, ratio {ratio:.2f}, {row['samples']} signals"
    )
    holds = ratio >= 1.5 and row["samples"] >= 200
    why = "Asked: at least 1.5 over at least 200 signals."
    if not holds:
        why += f" The receiver's copies went between {row['placements']} pair(s) of device buffer and signal block."
    return Check(_verdict(holds), figure, why)


def c52(table: Table) -> Check:
    """The stack costs more than the transfer."""
    sizes = (16, 32, 64)
    share = [(row["copy_cycles"] + row["doorbell_cycles"]) / _median(row) for row in _uncached(table, sizes)]
    parts = ", ".join(f"{size} B {part:.1%}" for size, part in zip(sizes, share, strict=True))
    figure = f"copies and doorbells of the latency: {parts}"
    return Check(_verdict(max(share) < 0.5), figure, f"Asked: below 50 % at 16 to 64 B; {ONLY}")


def c67(table: Table) -> Check:
    """The proportions of the published load table."""
    total = _uncached(table, (128,))[0]["cpu_cycles"]["total"]
    ratio = total / 46922
    figure = f"shm_ack: {total:,} cycles, {ratio:.2f} of the published 46,922"
    if not 0.4 <= ratio <= 2.0:
        why = "Asked of every driver: 0.4 to 2.0 of the published load; the proportions need all five."
        return Check("differs", figure, why)
    why = "The part for shm_ack (0.4 to 2.0 of the published load) is met; the proportions need all five drivers."
    return Check("not-run", figure, why)


# Published numbers that this driver answers.


def _at(table: Table, size: int = 128) -> Row:
    return _uncached(table, (size,))[0]


def _cpu(part: str) -> Any:
    return lambda table: _at(table)["cpu_cycles"][part]


def _typical_deviation(table: Table) -> float:
    """Percent by which best and worst deviate from the median, in the middle of the seven rows."""
    found: list[float] = []
    for row in _uncached(table):
        low, middle, high = (int(row["latency_cycles"][k]) for k in ("min", "median", "max"))
        found.append(100 * max(high - middle, middle - low) / middle)
    return sorted(found)[len(found) // 2]


ANSWERS = {
    "osek-linx/T5.4.1-2/shm-ack-int/load-sender": _cpu("sender"),
    "osek-linx/T5.4.1-2/shm-ack-int/load-receiver": _cpu("receiver"),
    "osek-linx/T5.4.1-2/shm-ack-int/load-total": _cpu("total"),
    "osek-linx/4.2.1.1/ack-isr-time": _cpu("isr_sender"),
    "osek-linx/4.2.1.1/cm-sender-ack-int": lambda table: _at(table)["thesis_sender_cycles"]["cm"],
    "osek-linx/4.2.1.2/worst-best-vs-median": _typical_deviation,
    "osek-linx/4.2.1.2/memcpys": lambda table: _at(table)["copies"],
    "osek-linx/4.2.1.2/cached-worst-slowdown": lambda table: (
        _cached(table, (512,))[0]["latency_cycles"]["max"] / _median(_cached(table, (512,))[0])
    ),
    "osek-linx/4.2.1.2/cached-worst-gap-512": lambda table: _gap(_cached(table, (512,))[0]),
    "osek-linx/4.2.1.2/cached-worst-gap-per-byte": lambda table: _gap(_cached(table, (512,))[0]) / 512,
    "osek-linx/3.7.1.5/switches-per-signal": lambda table: _at(table)["context_switches"],
    "osek-linx/3.7.1.5/calls-per-signal": lambda table: _at(table)["calls"],
}

NOACK = "Needs shm_noack, which is not built yet."
SINGLE = "Needs shm_single, which is not built yet."
DMA = "Needs the DMA drivers, which are not built yet."
OTHERS = "Compares drivers that are not built yet: "
PLACEMENT = "Needs placements of the buffers that the linker forces to collide, which are not built yet."

NOT_RUN = {
    "c19-cache-is-biggest-factor": OTHERS + "it needs all five, and a sweep over cache sizes.",
    "c22-overhead-one-to-ten-percent": "Belongs to osek-linx-overhead, which needs a software trace, T1 and T2.",
    "c25-noack-blocking-is-sender-load": "Speaks of shm_noack and dma_noack, which are not built yet.",
    "c31-dma-noack-defers-work": DMA,
    "c33-dma-8bit-twice-as-slow": DMA,
    "c38-single-copy-slope": SINGLE,
    "c39-single-copy-best-latency": OTHERS + "it needs all five.",
    "c40-single-copy-gap-small": SINGLE,
    "c41-noack-faster-constant": NOACK,
    "c46-cached-gap-linear": PLACEMENT,
    "c47-cached-gap-40000": PLACEMENT,
    "c55-rx-copy-causes-dma-cpu-growth": DMA,
    "c56-dma-noack-faster-constant": DMA,
    "c57-dma-bump-at-32": DMA,
    "c58-dma-ack-less-deterministic": DMA,
    "c59-dma-noack-less-cpu": DMA,
    "c60-dma-noack-no-sender-isr": DMA,
    "c61-dma-rx-isr-shrinks": DMA,
    "c62-shm-dma-breakpoint": DMA,
    "c63-dma-less-load-large": DMA,
    "c64-dma-shm-load-equal-128": DMA,
    "c65-noack-less-cpu-128": NOACK,
    "c66-single-copy-load-128": "Needs shm_noack and shm_single, which are not built yet.",
    "c96-coalescing-tradeoff": "Belongs to osek-linx-t2, which is not built yet.",
    "c125-delivery-from-isr": "Needs the connection manager cm/direct, which is not built yet.",
}

CLAIMS = {
    "c26-ack-load-is-blocking-plus-isr": c26,
    "c27-round-trip-is-two-latencies": c27,
    "c28-copies-per-signal": c28,
    "c29-interrupts-per-signal": c29,
    "c37-latency-linear-in-size": c37,
    "c42-noack-gain-below-ack-isr": c42,
    "c43-cached-crossover": c43,
    "c44-uncached-worst-near-median": c44,
    "c45-cached-worst-much-slower": c45,
    "c52-stack-costs-more-than-transfer": c52,
    "c67-load-table-proportions": c67,
}

EXPERIMENT = Definition(
    id="osek-linx-t0",
    title="T0: a request and its reply over shared memory",
    summary=(
        "Two cores, connection manager cm/ptp, driver shm_ack: how long a request takes, and where each of its cycles "
        "went. The test case of the thesis on OSEck and LINX, measured again."
    ),
    platform="de2-dual",
    rows=rows,
    claims={f"osek-linx/{name}": function for name, function in CLAIMS.items()},
    not_run={f"osek-linx/{name}": reason for name, reason in NOT_RUN.items()},
    published=ANSWERS,
    published_parameters=PUBLISHED,
)
