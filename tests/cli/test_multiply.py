# SPDX-License-Identifier: Apache-2.0
"""Multiplication and division on a core that has neither: library and emulation are right, also under interrupts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from cli_support import GCC, ROOT, need, signalbox

if TYPE_CHECKING:
    from pathlib import Path

APP = ROOT / "apps" / "multiply"


def least(out: str) -> dict[str, int]:
    """The least cycles of each operation."""
    return {m[1].strip(): int(m[2]) for m in re.finditer(r"^ *(?:\S+ \| )?(.+?) {2,}(\d+) +\d+$", out, re.MULTILINE)}


def test_both_are_right_and_print_what_they_cost() -> None:
    need(GCC)
    cost = {}
    for how in ("library", "trap"):
        done = signalbox("run", APP, "--set", f"node.multiply={how}")
        assert done.code == 0, done.out + done.err
        assert "0 wrong, 100 activations" in done.out
        cost[how] = least(done.out)
    assert cost["library"].keys() == cost["trap"].keys()
    assert len(cost["trap"]) == 5
    # A trap saves and restores 30 registers: at six cycles an instruction no call is as slow.
    assert all(cost["trap"][name] > cost["library"][name] + 30 * 2 * 6 for name in cost["trap"])


def test_an_instruction_that_is_not_emulated_still_ends_the_node(tmp_path: Path) -> None:
    need(GCC)
    for name in ("platform.toml", "system.toml"):
        text = (APP / name).read_text().replace('multiply = "library"', 'multiply = "trap"')
        (tmp_path / name).write_text(text)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.c").write_text(
        "void isr_task(void);\nvoid main_task(void);\nvoid isr_task(void)\n{\n}\n"
        'void main_task(void)\n{\n    __asm__ volatile(".word 0x02000033 ^ 0x40");\n}\n'
    )
    done = signalbox("run", tmp_path)
    assert done.code == 4, done.out + done.err
    assert "exception: illegal instruction" in done.out
    assert "task main" in done.out


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("trap", "`nios2f` multiplies and divides by itself: nothing would trap"),
        ("never", "it can be: native, library, trap"),
    ],
)
def test_what_cannot_be_is_said(value: str, says: str) -> None:
    done = signalbox("build", ROOT / "apps" / "cost", "--set", f"node.multiply={value}")
    assert done.code == 3
    assert says in done.err
