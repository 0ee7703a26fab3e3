# SPDX-License-Identifier: Apache-2.0
"""Parameters are words in the file: other values need no compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from signalbox.build import params
from signalbox.errors import BadInput, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_patched_copy_differs_in_its_words_only(guest: Callable[[str], Path], tmp_path: Path) -> None:
    elf = guest("params")
    assert params.read(elf) == {"letter": ord("a"), "count": 3}
    before = elf.read_bytes()
    target = tmp_path / "deep" / "patched.elf"
    params.patch(elf, target, {"count": 70_000, "letter": 0xFFFF_FFFF, "of_another_node": 1})
    assert params.read(target) == {"letter": 0xFFFF_FFFF, "count": 70_000}
    after = target.read_bytes()
    offsets = params.param_offsets(elf)
    changed = {i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b}
    assert changed <= {o + i for o in offsets.values() for i in range(4)}
    assert elf.read_bytes() == before
    assert [p.name for p in target.parent.iterdir()] == ["patched.elf"], "nothing half-written stays"


def test_the_limits_of_a_word() -> None:
    assert params.encode("x", 0xFFFF_FFFF) == b"\xff\xff\xff\xff"
    for value in (1 << 32, -1):
        with pytest.raises(UsageError, match=rf"params\.x: {value} does not fit in 32 bits without a sign"):
            params.encode("x", value)


def test_what_is_no_elf(tmp_path: Path) -> None:
    path = tmp_path / "a.elf"
    path.write_text("no")
    with pytest.raises(BadInput, match="not a usable ELF file"):
        params.param_offsets(path)
