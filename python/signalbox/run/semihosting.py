# SPDX-License-Identifier: Apache-2.0
"""Serves what a program asks of the host by semihosting: console, exit code, time, command line.

The calls and their numbers are those of the RISC-V semihosting specification 0.3, which takes them from Arm's
(Semihosting for AArch32 and AArch64, 2.0). Files of the host are not opened: a run is a function of its image, its
input and its seed. The streams of ":tt" are, and ":semihosting-features". Time is simulated time.

Whatever a program asks, wrong handles, blocks outside memory, names without end, it gets an answer: -1, of SYS_WRITE
and SYS_READ what was not transferred, and a number by SYS_ERRNO.
"""

from __future__ import annotations

import errno
import struct
import sys
from typing import TYPE_CHECKING, Any

from signalbox.run.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from signalbox.run.console import ConsoleWriter, StdinReader
    from signalbox.run.target import Target
    from signalbox.sim import Machine

#: `slli x0, x0, 0x1f`, `ebreak`, `srai x0, x0, 7`.
CALL = struct.pack("<3I", 0x01F01013, 0x00100073, 0x40705013)

_FAILED = 0xFFFF_FFFF
_APPLICATION_EXIT = 0x20026
_FEATURES = b"SHFB\x03"  # SYS_EXIT_EXTENDED is there, and ":tt" opened for appending is the error stream
_PIECE = 4096
_TREE = 0x200000  # at the end of the memory
_LONGEST_NAME = 4096


def looks_like_call(machine: Machine, target: Target, fault: Mapping[str, Any]) -> bool:
    """Whether a guest fault is a call to the host that nobody served."""
    if fault["kind"] != "breakpoint":
        return False
    core = next(i for i, c in enumerate(target.platform.cores) if c.name == fault["core"])
    try:
        return machine.read(fault["pc"] - 4, len(CALL), core) == CALL
    except (ValueError, OverflowError):
        return False


class _Wrong(Exception):
    """A call that cannot be served, for this reason; what it answers."""

    def __init__(self, number: int, answer: int = _FAILED) -> None:
        super().__init__(number)
        self.number = number
        self.answer = answer


class _Ended(Exception):
    """The program has ended, with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Semihosting:
    """The host of one run. `serve` makes the call that a core waits before."""

    def __init__(
        self, machine: Machine, target: Target, console: ConsoleWriter | None, stdin: StdinReader | None
    ) -> None:
        """What the program writes is output of the console that also gets stdin, if there is a console."""
        self._machine = machine
        self._target = target
        self._console = console
        self._stdin = stdin
        self._pending = b""
        self._open: dict[int, str] = {}
        self._at = 0  # in the features
        self._errno = 0
        self._core = 0
        self._cycle = 0
        self._calls: dict[int, Callable[[int], int]] = {
            0x01: self._open_stream,
            0x02: self._close,
            0x03: self._write_character,
            0x04: self._write_string,
            0x05: self._write,
            0x06: self._read,
            0x07: self._read_character,
            0x08: self._is_error,
            0x09: self._is_terminal,
            0x0A: self._seek,
            0x0C: self._length,
            0x10: lambda _: self._cycle * 100 // self._target.platform.clock_hz & _FAILED,
            0x11: self._time,
            0x13: lambda _: self._errno,
            0x15: self._command_line,
            0x16: self._heap,
            0x18: self._exit,
            0x20: self._exit_extended,
            0x30: self._elapsed,
            0x31: lambda _: self._target.platform.clock_hz,
        }

    def serve(self, core: int, cycle: int) -> Outcome | None:
        """Make the call of this core at this cycle. The run's end, if the program asked for it."""
        number, parameter = self._machine.host_call(core)
        self._core, self._cycle = core, cycle
        try:
            call = self._calls.get(number)
            if call is None:
                raise _Wrong(errno.ENOSYS)
            result = call(parameter)
        except _Wrong as wrong:
            self._errno = wrong.number
            result = wrong.answer
        except _Ended as ended:
            return Outcome("fail" if ended.code else "pass", ended.code, cycle)
        self._machine.answer_host_call(core, result)
        return None

    # ---- the program's memory

    def _bytes(self, address: int, size: int) -> bytes:
        try:
            return self._machine.read(address, size, self._core)
        except ValueError as e:
            raise _Wrong(errno.EFAULT) from e

    def _words(self, address: int, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}I", self._bytes(address, 4 * count))

    def _store(self, address: int, data: bytes) -> None:
        if not self._machine.write_for_host_call(self._core, address, data):
            raise _Wrong(errno.EFAULT)

    # ---- streams

    def _stream(self, handle: int) -> str:
        try:
            return self._open[handle]
        except KeyError:
            raise _Wrong(errno.EBADF) from None

    def _open_stream(self, parameter: int) -> int:
        address, mode, length = self._words(parameter, 3)
        if mode > 11 or length > _LONGEST_NAME:
            raise _Wrong(errno.EINVAL)
        name = self._bytes(address, length)
        if name == b":tt":
            kind = ("in", "out", "error")[mode // 4]
        elif name == b":semihosting-features" and mode < 2:
            kind, self._at = "features", 0
        else:
            raise _Wrong(errno.EACCES)
        handle = next(h for h in range(1, len(self._open) + 2) if h not in self._open)
        self._open[handle] = kind
        return handle

    def _close(self, parameter: int) -> int:
        (handle,) = self._words(parameter, 1)
        self._stream(handle)
        del self._open[handle]
        return 0

    def _out(self, data: bytes, stream: str = "out") -> None:
        if stream == "error":
            sys.stderr.buffer.write(data)
            sys.stderr.buffer.flush()
        elif self._console is not None:
            self._console.write([(self._target.input_uart or "host", data)])

    def _write_character(self, parameter: int) -> int:
        self._out(self._bytes(parameter, 1))
        return 0

    def _write_string(self, parameter: int) -> int:
        while True:
            data = self._bytes_to_end_of_memory(parameter)
            text, end, _ = data.partition(b"\0")
            self._out(text)
            if end:
                return 0
            parameter += len(data)

    def _bytes_to_end_of_memory(self, address: int) -> bytes:
        try:
            return self._bytes(address, _PIECE)
        except _Wrong:
            return self._bytes(address, 1)

    def _write(self, parameter: int) -> int:
        handle, address, size = self._words(parameter, 3)
        stream = self._stream(handle)
        if stream not in ("out", "error"):
            raise _Wrong(errno.EBADF, size)
        for at in range(0, size, _PIECE):
            try:
                self._out(self._bytes(address + at & _FAILED, min(_PIECE, size - at)), stream)
            except _Wrong as wrong:
                raise _Wrong(wrong.number, size - at) from None
        return 0

    def _typed(self, most: int) -> bytes:
        """What has been typed, at least a byte unless the input has ended."""
        if not self._pending and self._stdin is not None:
            self._pending = self._stdin.take() or self._stdin.wait()
        data, self._pending = self._pending[:most], self._pending[most:]
        return data

    def _read(self, parameter: int) -> int:
        handle, address, size = self._words(parameter, 3)
        stream = self._stream(handle)
        if stream == "features":
            data = _FEATURES[self._at : self._at + size]
            self._at += len(data)
        elif stream == "in":
            data = self._typed(size) if size else b""
        else:
            raise _Wrong(errno.EBADF, size)
        try:
            self._store(address, data)
        except _Wrong as wrong:
            raise _Wrong(wrong.number, size) from None
        return size - len(data)

    def _read_character(self, _: int) -> int:
        data = self._typed(1)
        return data[0] if data else _FAILED

    def _is_error(self, parameter: int) -> int:
        (status,) = self._words(parameter, 1)
        return int(status >= 1 << 31)

    def _is_terminal(self, parameter: int) -> int:
        (handle,) = self._words(parameter, 1)
        return int(self._stream(handle) != "features")

    def _seek(self, parameter: int) -> int:
        handle, place = self._words(parameter, 2)
        if self._stream(handle) != "features" or place > len(_FEATURES):
            raise _Wrong(errno.ESPIPE)
        self._at = place
        return 0

    def _length(self, parameter: int) -> int:
        (handle,) = self._words(parameter, 1)
        if self._stream(handle) != "features":
            raise _Wrong(errno.ESPIPE)
        return len(_FEATURES)

    # ---- everything else

    def _time(self, _: int) -> int:
        devices: list[dict[str, Any]] = self._target.platform.raw.get("devices", [])
        epoch: int = next((d["epoch_seconds"] for d in devices if "epoch_seconds" in d), 0)
        return epoch + self._cycle // self._target.platform.clock_hz & _FAILED

    def _command_line(self, parameter: int) -> int:
        address, size = self._words(parameter, 2)
        text = self._target.name.encode()
        if len(text) >= size:
            raise _Wrong(errno.E2BIG)
        self._store(address, text + b"\0")
        self._store(parameter + 4 & _FAILED, struct.pack("<I", len(text)))
        return 0

    def _heap(self, parameter: int) -> int:
        """From the image's end to the device tree, with the stack coming down from there: as QEMU says."""
        (address,) = self._words(parameter, 1)
        memory = self._target.platform.memory
        has_tree = self._target.platform.raw["boot"]["device_tree"] is not None and memory.size > _TREE
        end = memory.base + memory.size - (_TREE if has_tree else 0)
        used = max((e for e in self._target.ends() if memory.base <= e <= end), default=memory.base)
        self._store(address, struct.pack("<4I", used + 15 & ~15 & _FAILED, end & _FAILED, end & _FAILED, 0))
        return 0

    def _exit(self, parameter: int) -> int:
        raise _Ended(0 if parameter == _APPLICATION_EXIT else 1)

    def _exit_extended(self, parameter: int) -> int:
        reason, code = self._words(parameter, 2)
        raise _Ended(code if reason == _APPLICATION_EXIT else 1)

    def _elapsed(self, parameter: int) -> int:
        self._store(parameter, struct.pack("<Q", self._cycle))
        return 0
