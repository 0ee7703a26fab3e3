# SPDX-License-Identifier: Apache-2.0
"""The command line: finds the verb, runs it, turns every failure into a message and an exit code.

A verb is a click command named `command` in `signalbox.verbs.<verb>`; its module is imported only when it is used.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import NoReturn

import click

from signalbox import __version__
from signalbox.errors import Exit, SignalboxError
from signalbox.output import data_json, say

_VERBS = {
    "doctor": "Say what is installed and what is missing.",
    "new": "Write a two-node application that builds and runs.",
    "build": "Build one ELF file per node of a system.",
    "run": "Run a system or an ELF file on the simulator or on QEMU.",
    "trace": "Run and record what happened, without disturbing it.",
    "stats": "Run and say where every core's cycles went.",
    "size": "Say how many bytes the kernel or a system takes, and what for.",
    "experiment": "List and run the published experiments.",
    "report": "Write a trace as one offline HTML file.",
    "noc": "Replay traffic on a network on chip, or draw its load curve.",
    "platform": "List, show and check hardware descriptions.",
    "system": "Check a system file, or print the schema of system files.",
    "bench": "Measure the simulator's speed.",
}


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            return None
        module = importlib.import_module(f"signalbox.verbs.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(_VERBS.items()))


@click.command(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
@click.version_option(__version__, message="signalbox %(version)s")
def cli() -> None:
    """A multicore real-time kernel and a cycle-level simulator.

    Exit codes: 0 pass, 1 the program or a check failed, 2 usage, 3 bad input file, 4 guest fault, 5 a tool is missing,
    42 simulated timeout, 43 deadlock.
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run one verb and exit with its code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        code = cli.main(args=arguments, prog_name="signalbox", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else Exit.PASS)
    except SignalboxError as e:
        _report(e.kind, e.message, e.exit_code, "--json" in arguments)
    except click.UsageError as e:
        if e.ctx is not None:
            say(e.ctx.get_usage())
        _report("usage", e.format_message(), Exit.USAGE, "--json" in arguments)
    except click.exceptions.Exit as e:
        sys.exit(e.exit_code)
    except (click.Abort, KeyboardInterrupt):
        say("signalbox: interrupted")
        sys.exit(Exit.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away; that is its right. Nothing more can be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.FAILED)


def _report(kind: str, message: str, code: Exit, as_json: bool) -> NoReturn:
    say(f"signalbox: {message}")
    if as_json:
        data_json({"error": {"kind": kind, "message": message}, "exit_code": int(code)})
    sys.exit(code)
