# SPDX-License-Identifier: Apache-2.0
"""A program whose peer never answers is told so in time, says it, and ends with its own failure."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from cli_support import signalbox

if TYPE_CHECKING:
    from pathlib import Path


def test_a_hunt_for_a_lost_peer_ends_with_its_timeout(app: Path, tmp_path: Path) -> None:
    copy = tmp_path / "lonely"
    shutil.copytree(app, copy, ignore=shutil.ignore_patterns("build"))
    toml = copy / "system.toml"
    toml.write_text(toml.read_text().replace("tick_hz = 0", "tick_hz = 1000"))
    source = copy / "src" / "ping.c"
    text = source.read_text()
    assert "SB_FOREVER" in text
    text = text.replace('if (sb_hunt("right/pong", SB_FOREVER, &pong) != SB_OK) {', HUNT)
    source.write_text(text)
    built = signalbox("build", copy)
    assert built.code == 0, built.err

    # With its peer it runs to its end.
    assert signalbox("run", copy).code == 0

    # The same images, but nobody starts the other core.
    found = list(copy.glob("build/**/system.json"))
    assert len(found) == 1
    system = json.loads(found[0].read_text())
    system["nodes"] = [node for node in system["nodes"] if node["name"] == "left"]
    found[0].write_text(json.dumps(system))
    done = signalbox("run", found[0], "--max-seconds", "2")
    assert done.code == 1, done.err
    assert "pong did not answer in 50 ticks: timeout" in done.out


HUNT = """enum sb_err found = sb_hunt("right/pong", 50, &pong);
    if (found == SB_ERR_TIMEOUT || found == SB_ERR_LINK_DOWN) {
        printf("pong did not answer in 50 ticks: %s\\\\n", found == SB_ERR_TIMEOUT ? "timeout" : "link down");
        port_finish(5);
    }
    if (found != SB_OK) {""".replace("\\\\n", "\\n")
