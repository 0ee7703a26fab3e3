# SPDX-License-Identifier: Apache-2.0
"""Gives the parameters of a built image other values, without compiling it again.

A parameter is a word `sb_param_<name>` in the section `.sb_params`. The patched copy lies beside the original, so runs
with different values do not disturb each other.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from signalbox.build.probes import elf_symbols
from signalbox.errors import BadInput, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

SYMBOL_PREFIX = "sb_param_"


def param_offsets(path: Path) -> dict[str, int]:
    """Where in the file the word of each parameter is."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            offsets = {}
            for symbol in elf_symbols(elf):
                if not symbol.name.startswith(SYMBOL_PREFIX):
                    continue
                section = elf.get_section(symbol["st_shndx"])
                if section["sh_type"] != "SHT_PROGBITS":
                    raise BadInput(f"{path}: {symbol.name} has no initial value in the file; it must be in .sb_params")
                offsets[symbol.name.removeprefix(SYMBOL_PREFIX)] = (
                    section["sh_offset"] + symbol["st_value"] - section["sh_addr"]
                )
            return offsets
    except ELFError as e:
        raise BadInput(f"{path}: not a usable ELF file: {e}") from e


def encode(name: str, value: int) -> bytes:
    """The word of a value."""
    if not 0 <= value < 1 << 32:
        raise UsageError(f"params.{name}: {value} does not fit in 32 bits without a sign")
    return value.to_bytes(4, "little")


def patch(source: Path, target: Path, values: Mapping[str, int]) -> None:
    """Write a copy of an ELF file whose parameters have these values. A node without a parameter does not use it."""
    offsets = param_offsets(source)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(target.name + ".new")
    shutil.copyfile(source, temporary)
    with temporary.open("r+b") as file:
        for name, value in values.items():
            if name in offsets:
                file.seek(offsets[name])
                file.write(encode(name, value))
    temporary.replace(target)


def read(path: Path) -> dict[str, int]:
    """The values of the parameters that an image holds."""
    data = Path(path).read_bytes()
    return {name: int.from_bytes(data[at : at + 4], "little") for name, at in param_offsets(path).items()}
