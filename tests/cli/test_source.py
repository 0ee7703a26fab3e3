# SPDX-License-Identifier: Apache-2.0
"""System files, overrides and platforms by name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from signalbox.build import source
from signalbox.errors import BadInput, UsageError

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GOLDEN, tmp_path / "app", ignore=shutil.ignore_patterns("expected")))


def test_a_folder_means_its_system_toml(app: Path) -> None:
    loaded = source.load(app, {})
    assert loaded.path == app / "system.toml"
    assert (loaded.system.name, loaded.system.level, loaded.system.tick_hz) == ("golden", "checked", 100)
    assert loaded.system.optimise.kernel == "-O2"
    assert loaded.system.optimise.link == "-O0"
    assert loaded.system.optimise.app == "-Os"
    assert loaded.system.nodes[1].sources == (app / "right.c", app / "left.c")
    assert loaded.system.nodes[0].tasks[0].stack_bytes == 1008, "whole units of 16 bytes"
    assert source.default_out(loaded) == app / "build" / "system"


def test_overrides_change_the_system_and_its_folder(app: Path) -> None:
    loaded = source.load(
        app, {"build.optimise_link": "-O2", "link.0.buffers": "uncached", "node.right.task.only.priority": "7"}
    )
    assert loaded.system.optimise.link == "-O2"
    assert not loaded.system.links[0].cached
    assert loaded.system.nodes[1].tasks[0].priority == 7
    out = source.default_out(loaded)
    assert out.parent == app / "build"
    assert out.name.startswith("system-")
    assert out != source.default_out(source.load(app, {"build.optimise_link": "-O2"}))


def test_parameters_are_patched_not_compiled(app: Path) -> None:
    loaded = source.load(app, {"params.size_bytes": "0x40", "params.threshold": "0xffffffff"})
    assert loaded.param_values == {"size_bytes": 64}, "a value that the image holds already is no patch"
    assert loaded.system.params == {"size_bytes": 16, "threshold": 0xFFFF_FFFF}
    assert source.default_out(loaded) == app / "build" / "system"


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        ({"params.size": "3"}, "golden has no parameter `size` .it has: size_bytes, threshold"),
        ({"params.size_bytes": "big"}, "a parameter is an integer"),
        ({"params.size_bytes": "0x100000000"}, "does not fit in 32 bits"),
        ({"build.optimize": "-O2"}, "no key `optimize`"),
        ({"node.middle.core": "1"}, "no `middle`"),
    ],
)
def test_overrides_that_name_nothing_are_usage_errors(app: Path, assignments: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        source.load(app, assignments)


def test_an_override_with_a_wrong_value_names_the_override(app: Path) -> None:
    with pytest.raises(BadInput, match=r"with --set kernel\.level=often"):
        source.load(app, {"kernel.level": "often"})


def test_what_is_not_there(app: Path) -> None:
    with pytest.raises(BadInput, match="no such file or folder"):
        source.load(app / "nowhere", {})
    (app / "system.toml").rename(app / "other.toml")
    with pytest.raises(BadInput, match=r"no system\.toml in this folder; it holds other\.toml: name one of them"):
        source.load(app, {})
    (app / "other.toml").unlink()
    with pytest.raises(BadInput, match="`signalbox new` writes one"):
        source.load(app, {})


def test_a_missing_source_names_its_node(app: Path) -> None:
    (app / "right.c").unlink()
    with pytest.raises(BadInput, match=r"node `right`: source file .*right\.c does not exist"):
        source.load(app, {})


def test_a_file_that_is_not_text(app: Path) -> None:
    (app / "system.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(BadInput, match=r"not UTF-8 text \(byte 8\)"):
        source.load(app, {})


def test_a_platform_beside_the_system_comes_first(app: Path) -> None:
    text = source.find_platform("de2-dual").read_text()
    (app / "platforms").mkdir()
    (app / "platforms" / "de2-dual.toml").write_text(text.replace("clock_hz = 50_000_000", "clock_hz = 60_000_000"))
    assert source.load(app, {}).platform.clock_hz == 60_000_000


def test_a_platform_by_path(app: Path) -> None:
    text = source.find_platform("de2-dual").read_text()
    (app / "mine.toml").write_text(text)
    assert source.find_platform("mine.toml", app) == app / "mine.toml"


def test_a_platform_that_does_not_exist_lists_those_that_do(app: Path) -> None:
    with pytest.raises(BadInput, match=r"platform `de3` does not exist; there are de2-dual, mesh-4x4"):
        source.load(app, {}, "de3")
    names = source.platform_names()
    assert names == sorted(names)
    assert {"de2-dual", "virt"} <= set(names)
