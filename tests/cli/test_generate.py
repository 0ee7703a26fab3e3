# SPDX-License-Identifier: Apache-2.0
"""What the build generates, against reviewed files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from cli_support import ROOT

from signalbox.build import generate, source
from signalbox.build.model import Platform, Region
from signalbox.errors import BadInput

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def loaded() -> source.Loaded:
    return source.load(GOLDEN / "system.toml", {})


def test_the_generated_files(loaded: source.Loaded) -> None:
    files = generate.render(loaded)
    assert set(files) == {
        f"{n}/{f}" for n in ("left", "right") for f in ("platform.h", "config.h", "config.c", "node.ld")
    } | {"system.cmake"}
    for name, text in files.items():
        path = GOLDEN / "expected" / name
        text = text.replace(str(GOLDEN), "<app>")
        if os.environ.get("SIGNALBOX_UPDATE_GOLDEN"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert text == path.read_text(), name


def test_code_is_compiled_without_what_no_context_switch_saves(loaded: source.Loaded) -> None:
    cores = tuple(replace(core, isa="rv32imafc_zicsr_zifencei") for core in loaded.platform.cores)
    platform = replace(loaded.platform, cores=cores)
    assert generate.march(platform, loaded.system.nodes[0]) == "rv32imac_zicsr_zifencei"


def test_memory_is_shared_out_without_overlap(loaded: source.Loaded) -> None:
    nodes = [generate.node_memory(loaded.system, loaded.platform, n) for n in loaded.system.nodes]
    shared = generate.shared_memory(loaded.platform)
    assert [(r.base, r.size) for r in nodes] == [(0x80_0000, 0x3E_0000), (0xBE_0000, 0x3E_0000)]
    assert (shared.base, shared.size) == (0xFC_0000, 0x4_0000)
    assert shared.base + shared.size == 0x100_0000


def test_links_of_a_ring_get_their_own_areas_and_bells() -> None:
    text = (GOLDEN / "system.toml").read_text()
    loaded = source.load(GOLDEN / "system.toml", {})
    system, platform = loaded.system, loaded.platform
    assert text.count("[[link]]") == 1
    ring = replace(system, links=tuple(replace(system.links[0], index=i) for i in range(3)))
    for node in ring.nodes:
        ends = generate.link_ends(ring, platform, node)
        assert [e.doorbell_bit for e in ends] == [0, 1, 2]
        assert [(e.area_offset, e.area_bytes) for e in ends] == [(0, 87360), (87360, 87360), (174720, 87360)]
        assert all(e.area_bytes % 64 == 0 for e in ends)
        assert [e.side for e in ends] == [node.index] * 3
    assert generate.identifier("cm/ptp") == "cm_ptp"


def test_addresses_by_core() -> None:
    per_core = generate._per_core
    assert per_core((0x1000_0000, 0x1000_0100)) == "(0x10000000u + 0x100u * (core))"
    assert per_core((0x1000_0000,)) == "(0x10000000u + 0x0u * (core))"
    assert per_core((16, 32, 16), "i") == "((i) == 0u ? 0x00000010u : (i) == 1u ? 0x00000020u : 0x00000010u)"


def test_what_is_placed_in_tightly_coupled_memories(tmp_path: Path) -> None:
    """A section for each, only on the core that has it."""
    (tmp_path / "cores").symlink_to(ROOT / "platforms" / "cores")
    fast = '[[memory]]\nname = "{}"\nbase = {}\nsize_bytes = 4096\nkind = "tightly_coupled"\n{}\n'
    platform = (ROOT / "platforms" / "de2-dual.toml").read_text().replace('"de2-dual"', '"de2-tight"', 1)
    platform += fast.format("code", "0x3000_0000", 'core = 1\nport = "instruction"')
    platform += fast.format("data", "0x3001_0000", "per_core = true")
    (tmp_path / "de2-tight.toml").write_text(platform)
    for file in GOLDEN.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_text(file.read_text().replace('"de2-dual"', '"./de2-tight.toml"'))
    files = generate.render(source.load(tmp_path / "system.toml", {}))
    left, right = files["left/node.ld"], files["right/node.ld"]
    assert ".tcm.code" not in left
    assert "*(.tcm.code .tcm.code.*)\n  } > tcm0 :tcm0" in right
    assert "*(.tcm.data .tcm.data.*)\n  } > tcm0 :tcm0" in left
    assert "*(.tcm.data .tcm.data.*)\n  } > tcm1 :tcm1" in right
    assert "tcm0 (rwx) : ORIGIN = 0x30000000, LENGTH = 0x1000" in right
    assert "tcm0 PT_LOAD FLAGS(5);\n  tcm1 PT_LOAD FLAGS(7);" in right


@pytest.mark.parametrize(
    ("model", "missing"),
    [("uart16550", "uart16550 for each core"), ("timer", "timer or clint"), ("finisher", "finisher")],
)
def test_a_platform_without_what_a_node_needs(loaded: source.Loaded, model: str, missing: str) -> None:
    raw = dict(loaded.platform.raw)
    raw["devices"] = [d for d in raw["devices"] if not (d["model"] == model and d["core"] in (1, None))]
    with pytest.raises(BadInput, match=f"`de2-dual` has no {missing}.*cannot run without"):
        generate.render(replace(loaded, platform=Platform.from_json(raw)))


def test_memory_that_is_too_small(loaded: source.Loaded) -> None:
    small = replace(loaded.platform, memory=Region(0x80_0000, 0x4_0000))
    with pytest.raises(BadInput, match="262,144 bytes of memory are too small"):
        generate.render(replace(loaded, platform=small))


def test_virt_has_one_console_and_a_clint_for_all_harts() -> None:
    raw = source.load_platform("virt")
    raw = {**raw, "cores": raw["cores"] * 2}
    platform = Platform.from_json(raw)
    assert platform.timer_compare == (0x0200_4000, 0x0200_4008)
    assert platform.timer_count == (0x0200_BFF8, 0x0200_BFF8)
    assert platform.timer_hz == 10_000_000
    assert platform.uart_base == (0x1000_0000, 0x1000_0000)
    assert (platform.uart_irq, platform.pulse_base, platform.bypass_bit) == (0, (), 0)
    assert (ROOT / "platforms" / "virt.toml").is_file()


def test_stacks_have_guards_where_the_core_can_and_the_level_asks() -> None:
    virt = Platform.from_json(source.load_platform("virt"))
    checked = replace(source.load(GOLDEN / "system.toml", {}).system, level="checked")
    node = checked.nodes[0]
    assert generate.guard_bytes(checked, virt, node) == 64
    assert generate.guard_bytes(replace(checked, stack_guard_bytes=256), virt, node) == 256
    assert generate.guard_bytes(replace(checked, level="hooks"), virt, node) == 0
    assert generate.guard_bytes(checked, Platform.from_json(source.load_platform("de2-dual")), node) == 0
    for without in ({"user_mode": False}, {"pmp_entries": 2}, {"pmp_granularity_bytes": 32}):
        cores = tuple(replace(core, **without) for core in virt.cores)
        assert generate.guard_bytes(checked, replace(virt, cores=cores), node) == 0
