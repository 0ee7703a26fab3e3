# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, and the exit code that says so.

Every failure that a user can cause is one of these classes. Its message says where, what, and what to do.
"""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of every verb."""

    PASS = 0
    FAILED = 1
    USAGE = 2
    BAD_INPUT = 3
    GUEST_FAULT = 4
    TOOL_MISSING = 5
    TIMEOUT = 42
    DEADLOCK = 43
    INTERRUPTED = 130


class SignalboxError(Exception):
    """A failure with its exit code; `kind` is its name in JSON."""

    exit_code: Exit = Exit.FAILED
    kind: str = "failed"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Failed(SignalboxError):
    """The program, a test or a check failed; also a compiler that rejects the program."""


class UsageError(SignalboxError):
    """The command line asks for something that does not exist."""

    exit_code = Exit.USAGE
    kind = "usage"


class BadInput(SignalboxError):
    """A file is wrong: a system, a platform, an ELF, a trace."""

    exit_code = Exit.BAD_INPUT
    kind = "bad-input"


class ToolMissing(SignalboxError):
    """A program that is needed is not installed."""

    exit_code = Exit.TOOL_MISSING
    kind = "tool-missing"

    def __init__(self, tool: str, install: str) -> None:
        super().__init__(f"{tool} is missing.\n  {install}\n  `signalbox doctor` shows everything that is needed.")
        self.tool = tool
        self.install = install
