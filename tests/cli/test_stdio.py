# SPDX-License-Identifier: Apache-2.0
"""printf and stdin of the C library on each node's own console."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_support import signalbox

if TYPE_CHECKING:
    from pathlib import Path

SYSTEM = """
schema = 1
name = "talkers"
platform = "de2-dual"

[kernel]
tick_hz = {tick_hz}

[[node]]
name = "left"
core = 0
sources = ["talk.c"]

[[node.task]]
name = "talk"
entry = "talk"
priority = 12
stack_bytes = 4096

[[node.pool]]
block_bytes = [32]
block_count = [4]

[[node]]
name = "right"
core = 1
sources = ["talk.c"]

[[node.task]]
name = "talk"
entry = "talk"
priority = 12
stack_bytes = 4096

[[node.pool]]
block_bytes = [32]
block_count = [4]
"""

TALK = r"""
#include <stdio.h>
#include "config.h"
#include "signalbox/port.h"

void talk(void)
{
    int sum = 0;
    int c;
    printf("%s has %d nodes\n", SB_CFG_NAME, SB_CFG_NODES);
    while ((c = getchar()) != '.') {
        if (c >= '0' && c <= '9') {
            sum += c - '0';
        }
    }
    printf("sum %d", sum);
    port_finish(0);
}
"""


@pytest.fixture(scope="module", params=[0, 1000])
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talkers")
    (folder / "system.toml").write_text(SYSTEM.format(tick_hz=request.param))
    (folder / "talk.c").write_text(TALK)
    return folder


def test_each_line_stands_behind_its_nodes_name(system: Path) -> None:
    done = signalbox("run", system, "--max-cycles", "50000000", stdin=b"1 2 3.")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert sorted(lines[:2]) == [" left | left has 2 nodes", "right | right has 2 nodes"]
    assert lines[2:] == [" left | sum 6"]


def test_stdin_goes_to_the_node_that_is_named(system: Path) -> None:
    done = signalbox("run", system, "--stdin", "right", "--max-cycles", "50000000", "--json", stdin=b"40 4 2.")
    assert done.code == 0, done.err
    assert done.json["console"] == {"left": "left has 2 nodes\n", "right": "right has 2 nodes\nsum 10"}


def test_a_node_that_does_not_exist(system: Path) -> None:
    done = signalbox("run", system, "--stdin", "middle")
    assert done.code == 2
    assert "no node `middle` has a console of its own; there are: left, right" in done.err


def test_what_has_no_input_of_its_own(system: Path) -> None:
    done = signalbox("run", system, "--stdin", "left", "--platform", "virt", "--set", "cores=2", "--on", "qemu")
    assert done.code == 2
    assert "QEMU's virt has one console" in done.err
    done = signalbox("run", system, "--stdin", "left", "--semihosting")
    assert done.code == 2
    assert "--stdin has none to give" in done.err
