# SPDX-License-Identifier: Apache-2.0
"""Calls to the host: programs linked with a C library that makes them, and every call, good and bad."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from test_virt import GCC, GUESTS, compiled, need, run

if TYPE_CHECKING:
    from pathlib import Path

#: picolibc's own start code and linker script, with QEMU's memory.
_HOSTED = ["--specs=picolibc.specs", "--oslib=semihost", "--crt0=hosted", "-march=rv32imac", "-mabi=ilp32", "-Os"]
_HOSTED += ["-Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=0x200000"]
_HOSTED += ["-Wl,--defsym=__ram=0x80200000,--defsym=__ram_size=0x200000"]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("semihosting")


def hosted(folder: Path) -> Path:
    need(GCC)
    elf = folder / "hosted.elf"
    if not elf.exists():
        made = subprocess.run(
            [GCC, *_HOSTED, str(GUESTS / "hosted.c"), "-o", str(elf)], capture_output=True, text=True, check=False
        )
        if "picolibc.specs" in made.stderr:
            pytest.skip("picolibc is not installed")
        assert made.returncode == 0, made.stderr
    return elf


#: What calls.c says of each call; errno is that of the call before it.
ANSWERS = """in 1, out 2, err 3, write 0, write-err 0, readc 58, read 0, istty 1, iserror 1, flen-in ffffffff, errno 1d,
flen-features 5, read-features 5, features 42464853, close 0, close-again ffffffff, errno 9, file ffffffff, errno d,
name-too-long ffffffff, errno 16, block-nowhere ffffffff, errno e, write-nowhere 8, write-in 1,
read-nowhere 8, errno e, string-nowhere ffffffff, unknown ffffffff, errno 26, cmdline 0, cmdline-short ffffffff,
errno 7, heapinfo 0, heap-aligned 0, heap-end 87e00000, stack 87e00000, elapsed 0, elapsed-high 0, tickfreq 5f5e100,
clock 0, time 6955b900"""


def answers(output: bytes) -> list[tuple[str, int]]:
    lines = [line.split(" ") for line in output.decode().splitlines()]
    return [(words[0], int(words[1], 16)) for words in lines if len(words) == 2]


EXPECTED = [(name, int(value, 16)) for name, value in (pair.split() for pair in ANSWERS.split(","))]


def test_a_program_of_a_hosted_c_library_talks_reads_and_ends(folder: Path) -> None:
    done = run(hosted(folder), "sim", "--semihosting", stdin=b"World\nrest")
    assert done.stdout == b"who? hello World\naside\nno files\n"  # this library has one console for all
    assert done.returncode == 1
    assert b"failed with code 7" in done.stderr


def test_without_the_option_the_call_is_a_breakpoint_and_the_option_is_named(folder: Path) -> None:
    done = run(hosted(folder), "sim")
    assert done.returncode == 4
    assert b"a call to the host: --semihosting serves it" in done.stderr


def test_every_call_answers_as_specified_good_or_bad(folder: Path) -> None:
    done = run(compiled(folder, "calls"), "sim", "--semihosting", stdin=b"Xabcdefghi")
    assert b"failed with code 7" in done.stderr, done.stderr
    assert answers(done.stdout) == EXPECTED
    assert b"\nplain\n" in done.stdout
    assert b"\nabcdefgh\n" in done.stdout
    assert b"\ncalls.elf\n" in done.stdout


def test_qemu_answers_the_calls_that_do_not_depend_on_the_host_alike(folder: Path) -> None:
    done = run(compiled(folder, "calls", "-DON_QEMU"), "qemu", "--semihosting")
    assert done.returncode == 1, done.stderr
    alike = {"in", "out", "err", "write", "write-err", "features", "close", "write-nowhere", "write-in", "read-nowhere"}
    alike |= {"heapinfo", "heap-aligned", "heap-end", "stack"}
    theirs = [pair for pair in answers(done.stdout) if pair[0] in alike]
    assert theirs == [pair for pair in EXPECTED if pair[0] in alike]


def test_the_run_is_the_same_each_time_and_in_pieces(folder: Path) -> None:
    elf = compiled(folder, "calls", "-DON_QEMU")
    told = [json.loads(run(elf, "sim", "--semihosting", "--json").stdout) for _ in range(2)]
    assert told[0] == told[1]
    assert told[0]["code"] == 7


def test_a_platform_with_caches_is_refused(folder: Path) -> None:
    need(GCC)
    elf = folder / "nothing.elf"
    command = [GCC, "-march=rv32imac", "-mabi=ilp32", "-nostdlib", "-Wl,-N,-Ttext=0x00800000"]
    subprocess.run([*command, "-x", "c", "-", "-o", str(elf)], input=b"void f(void) {}", check=True)
    done = run(elf, "sim", "--semihosting", "--platform", "de2-dual")
    assert done.returncode == 2
    assert b"--semihosting: cores of de2-dual have caches" in done.stderr


def test_an_image_with_a_floating_point_abi_gets_cores_with_f(folder: Path) -> None:
    need(GCC)
    elf = folder / "float.elf"
    command = [
        GCC,
        "-march=rv32imafc",
        "-mabi=ilp32f",
        "-nostdlib",
        "-ffreestanding",
        "-O1",
        "-T",
        str(GUESTS / "virt.ld"),
    ]
    subprocess.run([*command, str(GUESTS / "float.c"), "-o", str(elf), "-Wl,--no-warn-rwx-segments"], check=True)
    done = run(elf, "sim")
    assert done.returncode == 0, done.stderr
    done = run(elf, "sim", "--set", "core.class=ideal")
    assert done.returncode == 4
