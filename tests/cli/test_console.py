# SPDX-License-Identifier: Apache-2.0
"""What the terminal sees of one console and of several."""

from __future__ import annotations

import io

from signalbox.run.console import ConsoleWriter


def test_one_console_passes_through_byte_by_byte() -> None:
    stream = io.BytesIO()
    writer = ConsoleWriter(stream, {"uart0": "app"})
    writer.write([("uart0", b"no newline\x00\xff")])
    assert stream.getvalue() == b"no newline\x00\xff"
    writer.close()
    assert stream.getvalue() == b"no newline\x00\xff"
    assert writer.collected == {"app": bytearray(b"no newline\x00\xff")}


def test_lines_of_several_consoles_are_told_apart_and_never_mixed() -> None:
    stream = io.BytesIO()
    writer = ConsoleWriter(stream, {"uart0": "left", "uart1": "right"})
    writer.write([("uart0", b"one\ntw"), ("uart1", b"eins\r\n")])
    writer.write([("uart1", b"zwei"), ("uart0", b"o\n\n")])
    assert stream.getvalue() == b" left | one\nright | eins\n left | two\n left | \n"
    writer.close()
    assert stream.getvalue().endswith(b" left | \nright | zwei\n")
    assert writer.collected == {"left": bytearray(b"one\ntwo\n\n"), "right": bytearray(b"eins\r\nzwei")}


def test_a_console_that_nobody_named_goes_by_its_device() -> None:
    stream = io.BytesIO()
    writer = ConsoleWriter(stream, {"uart0": "left", "uart1": "right"})
    writer.write([("debug", b"x\n")])
    assert stream.getvalue() == b"debug | x\n"
