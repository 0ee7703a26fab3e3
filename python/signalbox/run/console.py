# SPDX-License-Identifier: Apache-2.0
"""The terminal side of a run: what UARTs print, and what is typed or piped in.

One console is passed through byte by byte. Several are told apart by a prefix on each line; a line is printed when it
is complete, or at the end.
"""

from __future__ import annotations

import os
import queue
import stat
import sys
import threading
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Mapping


class ConsoleWriter:
    """Writes the output of UARTs to a stream, with a prefix per line where there is more than one."""

    def __init__(self, stream: BinaryIO, names: Mapping[str, str]) -> None:
        """`names` says whose console each UART is."""
        self._stream = stream
        self._names = dict(names)
        self._prefixed = len(names) > 1
        self._width = max((len(n) for n in names.values()), default=0)
        self._partial: dict[str, bytes] = {}
        self.collected: dict[str, bytearray] = {name: bytearray() for name in names.values()}

    def write(self, output: list[tuple[str, bytes]]) -> None:
        """Write what UARTs sent."""
        for uart, data in output:
            if not data:
                continue
            name = self._names.get(uart, uart)
            self.collected.setdefault(name, bytearray()).extend(data)
            if not self._prefixed:
                self._stream.write(data)
                continue
            *complete, rest = (self._partial.get(name, b"") + data).split(b"\n")
            self._partial[name] = rest
            for line in complete:
                self._line(name, line)
        self._stream.flush()

    def close(self) -> None:
        """Write lines that were never completed."""
        for name, rest in self._partial.items():
            if rest:
                self._line(name, rest)
        self._partial.clear()
        self._stream.flush()

    def _line(self, name: str, line: bytes) -> None:
        self._stream.write(f"{name:>{self._width}} | ".encode() + line.rstrip(b"\r") + b"\n")


class StdinReader:
    """Bytes from stdin without ever blocking the simulation.

    A regular file is read before the first cycle, so such a run is the same each time. A terminal or a pipe is read by
    a thread; when its bytes arrive depends on the host.
    """

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._done = threading.Event()
        try:
            self._fd = sys.stdin.fileno()
            mode = os.fstat(self._fd).st_mode
        except (OSError, ValueError, AttributeError):
            self._done.set()
            return
        if stat.S_ISREG(mode):
            self._drain()
        else:
            threading.Thread(target=self._drain, name="stdin", daemon=True).start()

    def _drain(self) -> None:
        try:
            while data := os.read(self._fd, 4096):
                self._queue.put(data)
        except OSError:
            pass
        self._done.set()
        self._queue.put(b"")

    def take(self) -> bytes:
        """What has arrived, perhaps nothing."""
        parts = []
        while not self._queue.empty():
            parts.append(self._queue.get())
        return b"".join(parts)

    def wait(self) -> bytes:
        """Block until something arrives; empty at the end of the input. For a machine that can do nothing else."""
        while True:
            if self._done.is_set() and self._queue.empty():
                return b""
            try:
                data = self._queue.get(timeout=0.2)
            except queue.Empty:
                continue
            data += self.take()
            if data:
                return data
