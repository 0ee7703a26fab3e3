# SPDX-License-Identifier: Apache-2.0
"""signalbox run"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from signalbox.errors import UsageError
from signalbox.output import data_json, data_rich, say
from signalbox.verbs.options import json_option, parse_assignments, seed_option, set_option

if TYPE_CHECKING:
    from signalbox.run.target import Target


@click.command("run")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--platform", help="Platform of an ELF file (default: virt), or another one than the system's own.")
@set_option
@click.option("--harts", type=click.IntRange(1, 1024), help="Cores for an ELF file or bare bytes, as QEMU's -smp.")
@click.option("--raw", is_flag=True, help="TARGET is bare bytes for the beginning of the memory, as is any *.bin.")
@click.option(
    "--on",
    "engine",
    type=click.Choice(["sim", "qemu"]),
    default="sim",
    show_default=True,
    help="Where to run; QEMU knows only virt.",
)
@click.option("--max-cycles", type=click.IntRange(1), help="End after so many cycles (exit 42).")
@click.option(
    "--max-seconds",
    type=click.FloatRange(0, min_open=True),
    help="End after so many simulated seconds (exit 42); on QEMU: host seconds.",
)
@seed_option
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Record the run to a file; cycles stay the same.",
)
@click.option(
    "--check",
    "checks",
    type=click.Choice(["coherence"]),
    multiple=True,
    help="Watch for stale reads and lost writes of caches; exit 1 if there are any. Cycles stay the same.",
)
@click.option(
    "--semihosting",
    is_flag=True,
    help="Serve the program's calls to the host (console, exit code, time), as QEMU's -semihosting. stdin is for them.",
)
@click.option("--stdin", "input_node", metavar="NODE", help="The node whose console gets stdin; the first if left out.")
@click.option("--stats", is_flag=True, help="Say where every core's cycles went.")
@json_option
def command(
    target: Path,
    platform: str | None,
    assignments: tuple[str, ...],
    harts: int | None,
    raw: bool,
    engine: str,
    max_cycles: int | None,
    max_seconds: float | None,
    seed: int,
    trace_file: Path | None,
    checks: tuple[str, ...],
    semihosting: bool,
    input_node: str | None,
    stats: bool,
    as_json: bool,
) -> None:
    """Run TARGET: a system (folder or .toml, built first), a system.json, any ELF file, or bare bytes.

    The console is on stdout (on stderr with --json), each line behind its node's name where nodes have consoles of
    their own; stdin goes to the first node's, or to --stdin NODE. For ELF files and bare bytes --set overrides values
    of the platform, such as memory.ram.size_bytes=0x4000000. Ctrl-C ends the run with the statistics so far. Exit
    codes: 0 pass, 1 fail or something found by a check, 4 guest fault, 42 limit reached, 43 deadlock.
    """
    from signalbox.run import session
    from signalbox.run import target as targets
    from signalbox.stats import tables

    found = targets.find(target, parse_assignments(assignments), platform, harts, raw)
    if engine == "qemu":
        if trace_file is not None or stats or max_cycles is not None:
            raise UsageError("QEMU counts no cycles: --trace, --stats and --max-cycles need the simulator")
        if checks:
            raise UsageError("QEMU has no caches: --check needs the simulator")
        if input_node is not None:
            raise UsageError("QEMU's virt has one console: --stdin needs the simulator")
        _on_qemu(found, max_seconds, as_json, semihosting)
    if semihosting and input_node is not None:
        raise UsageError("--semihosting takes stdin for calls to the host: --stdin has none to give")
    limits = session.Limits(max_cycles, max_seconds)
    finished = session.execute(
        found,
        seed,
        limits,
        observe=trace_file is not None,
        quiet=as_json,
        checks=checks,
        semihosting=semihosting,
        input_uart=found.console_of(input_node) if input_node is not None else None,
    )
    if trace_file is not None:
        finished.trace().write(trace_file)
        say(f"trace: {trace_file}")
    finished.explain()
    show_stats = stats or finished.outcome.stop == "interrupted"
    if as_json:
        data = finished.data()
        data_json({**data, "stats": finished.machine.stats()} if show_stats else data)
    elif show_stats:
        data_rich(*tables(finished.machine.stats()))
    sys.exit(finished.exit_code)


def _on_qemu(target: Target, max_seconds: float | None, as_json: bool, semihosting: bool) -> None:
    from signalbox.run import qemu
    from signalbox.run.session import exit_code

    if target.platform.name != "virt":
        raise UsageError(f"QEMU knows the platform virt only; {target.name} is for {target.platform.name}")
    outcome, output = qemu.run(target, max_seconds, capture=as_json, semihosting=semihosting)
    code = exit_code(target, outcome)
    if as_json:
        data = {"target": target.name, "platform": "virt", "engine": "qemu", "stop": outcome.stop, "code": outcome.code}
        console = {target.name: output.decode("utf-8", "replace")}
        data_json({**data, "exit_code": int(code), "console": console})
    say(f"{target.name}: {outcome.stop}" + (f" with code {outcome.code}" if outcome.code else "") + " on QEMU")
    sys.exit(code)
