# SPDX-License-Identifier: Apache-2.0
"""Guests and applications that the tests of the command line share, compiled once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_support import GCC, GUESTS, compile_guest, need, signalbox

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Compile a guest of `guests/` by its name, once."""
    folder = tmp_path_factory.mktemp("guests")

    def build(name: str) -> Path:
        elf = folder / f"{name}.elf"
        return elf if elf.exists() else compile_guest([GUESTS / f"{name}.c"], elf)

    return build


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The application that `signalbox new` writes, built once. Tests must not change it."""
    need(GCC)
    folder = tmp_path_factory.mktemp("app") / "my-app"
    assert signalbox("new", folder).code == 0
    done = signalbox("build", folder)
    assert done.code == 0, done.err
    return folder
