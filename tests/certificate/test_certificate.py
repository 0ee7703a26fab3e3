# SPDX-License-Identifier: Apache-2.0
"""The comparison with RTL: that it repeats, that it is exact probe by probe, and that it finds planted faults."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signalbox import sim
from signalbox.build.source import load_platform
from signalbox.certificate import model, programs, rtl
from signalbox.certificate.cores import CORES, Core, core
from signalbox.certificate.measure import compare, measure, summary
from signalbox.certificate.network import CYCLES, GOLDEN, network_row, network_rows
from signalbox.certificate.probes import probes
from signalbox.certificate.rtl import Seen
from signalbox.certificate.table import committed, markdown, worse
from signalbox.errors import Failed, UsageError
from signalbox.resources import resource, work_folder

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {c.package for c in CORES} | {"pythondata_cpu_ibex"}
needs_rtl = pytest.mark.skipif(
    shutil.which("verilator") is None or any(importlib.util.find_spec(p) is None for p in PACKAGES),
    reason="Verilator or a Verilog package is not installed",
)
IBEX = core("ibex")
HARDWARE = Seen("pass", 1000, 7, (100, 900))


def row(error: float, program: str = "sort", name: str = "ibex") -> dict[str, Any]:
    cycles = round(100_000 * (1 + error / 100))
    return {
        "core": name,
        "program": program,
        "cycles_model": cycles,
        "cycles_rtl": 100_000,
        "error_percent": error,
    }


def test_a_row_is_the_difference_between_the_marks() -> None:
    made = compare(IBEX, "sort", HARDWARE, Seen("pass", 2000, 7, (50, 858), "", 400), 64, 1)
    assert (made["cycles_model"], made["cycles_rtl"], made["error_percent"]) == (808, 800, 1.0)
    assert (made["core"], made["program"], made["instructions"], made["platform"]) == ("ibex", "sort", 400, "rtl-ibex")


@pytest.mark.parametrize(
    ("ours", "words"),
    [
        (replace(HARDWARE, result=8), "computes 0x7 on the RTL and 0x8 on the model"),
        (replace(HARDWARE, console="x"), "on the RTL and"),
        (replace(HARDWARE, stop="fail"), "on the model of ibex ended with fail"),
        (replace(HARDWARE, marks=(1, 2, 3)), "3 marks"),
    ],
)
def test_a_different_outcome_is_a_failure(ours: Seen, words: str) -> None:
    with pytest.raises(Failed, match=re.escape(words)):
        compare(IBEX, "sort", HARDWARE, ours, 64, 1)


def test_what_has_got_worse_is_found() -> None:
    before = committed(markdown([row(0.5), row(-0.1, "crc")]))
    assert before == {("ibex", "sort"): 0.5, ("ibex", "crc"): -0.1}
    assert worse(before, [row(0.5), row(-0.1, "crc")]) == []
    assert worse(before, [row(0.51), row(0.0, "crc")]) == [], "less than a compiler may move it; better"
    assert worse(before, [row(0.6), row(-0.1, "crc")]) == ["sort on ibex: +0.6000 %, it was +0.5000 %"]
    assert worse(before, [row(-0.6), row(-0.1, "crc")]) == ["sort on ibex: -0.6000 %, it was +0.5000 %"]
    assert worse(before, [row(0.5)]) == ["crc on ibex was not measured"]
    assert worse({}, [row(3.5, "crc"), *(row(0.0, f"p{i}") for i in range(9))]) == [
        "crc on ibex: +3.5000 %, more than 3 %"
    ]
    assert worse({}, [row(1.5), row(0.9, "crc")]) == ["ibex: mean 1.2000 %, more than 1 %"]


def test_the_committed_table_meets_the_targets() -> None:
    errors = committed((ROOT / "docs" / "certificate.md").read_text())
    rows = [row(error, program, name) for (name, program), error in errors.items()]
    assert worse({}, rows) == []
    for c in CORES:
        count, _, _ = summary(rows)[c.name]
        assert count >= (10 if c.harts == 1 else 2)
        assert (c.name, "coremark" if c.harts == 1 else "system") in errors


def test_wrong_settings_are_usage_errors() -> None:
    for settings, words in [
        ({"core": "ibex"}, "the certificate has cores, programs, probes, seed"),
        ({"cores": "ibexx"}, "cores=ibexx: choose of picorv32, ibex"),
        ({"programs": "sorting"}, "programs=sorting: choose of alu"),
        ({"probes": "none"}, "probes=none: choose of all, alu"),
        ({"seed": "-1"}, "'-1' is not a number"),
    ]:
        with pytest.raises(UsageError, match=re.escape(words)):
            measure(settings)


def test_every_cost_that_names_a_probe_names_one_that_exists() -> None:
    names = [p.name for p in probes()]
    assert len(names) == len(set(names))
    for c in [c for c in CORES if c.harts == 1]:
        text = resource("platforms", "cores", f"{c.name}.toml").read_text()
        named = re.findall(r"\[P\] ([a-z0-9_*]+)", text)
        assert named
        for name in named:
            found = [n for n in names if n == name or (name.endswith("*") and n.startswith(name[:-1]))]
            assert found, f"{c.name}: probe {name}"


def bench(c: Core) -> Path:
    return rtl.bench(c, work_folder("certificate") / "rtl")


@needs_rtl
@pytest.mark.parametrize("name", [c.name for c in CORES if c.harts == 1])
def test_every_probe_agrees(name: str) -> None:
    rows = measure({"cores": name, "probes": "all"})
    assert len(rows) >= 60
    assert [(r["program"], r["cycles_model"], r["cycles_rtl"]) for r in rows if r["error_percent"] != 0] == []


@needs_rtl
@pytest.mark.parametrize("name", [c.name for c in CORES])
def test_runs_of_the_rtl_repeat_and_do_not_depend_on_start_values(name: str, tmp_path: Path) -> None:
    program = next(p for p in programs.PROGRAMS if p.name in ("lists", "system") and p.runs_on(core(name)))
    elf = programs.compile_program(program, core(name), tmp_path)
    first = rtl.run(bench(core(name)), elf, seed=1)
    assert rtl.run(bench(core(name)), elf, seed=1) == first
    assert rtl.run(bench(core(name)), elf, seed=2) == first


@needs_rtl
def test_a_wrong_cost_is_found(tmp_path: Path) -> None:
    elf = programs.compile_program(next(p for p in programs.PROGRAMS if p.name == "words"), IBEX, tmp_path)
    hardware = rtl.run(bench(IBEX), elf)
    good = model.run("rtl-ibex", elf)
    assert good.measured == hardware.measured
    raw = json.loads(json.dumps(load_platform("rtl-ibex", resource("platforms"))))
    raw["cores"][0]["class"]["load"] += 1
    bad = model.run_resolved(raw, elf)
    loads = bad.measured - good.measured
    assert loads > 500
    made = compare(IBEX, "words", hardware, bad, 0, 1)
    assert worse({("ibex", "words"): 0.0}, [made]) != []


@needs_rtl
def test_a_program_that_goes_astray_is_a_failure_with_its_end(tmp_path: Path) -> None:
    source = tmp_path / "astray.S"
    source.write_text(".globl cert_run\ncert_run: la a0, cert_mark\n sw zero, 0(a0)\n 1: j 1b\n")
    elf = programs.link([source], [], IBEX.march, tmp_path / "astray.elf")
    seen = rtl.run(bench(IBEX), elf, limit=5000)
    assert (seen.stop, seen.cycles, len(seen.marks)) == ("limit", 5000, 1)
    with pytest.raises(Failed, match="ended with limit, 1 marks"):
        compare(IBEX, "astray", seen, seen, 0, 1)


def test_an_image_outside_the_memory_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "far.S"
    source.write_text('.globl cert_run\ncert_run: ret\n.section .far, "a"\n.4byte 1\n')
    elf = programs.link(
        [source], ["-Wl,--section-start=.far=0x50000000", "-Wl,--no-gc-sections"], IBEX.march, tmp_path / "far.elf"
    )
    with pytest.raises(Failed, match="0x50000000 is not in the memory of the RTL bench"):
        rtl.write_image(elf, tmp_path / "far.hex")


def test_a_missing_package_says_how_to_get_it() -> None:
    from signalbox.certificate.cores import package_folder
    from signalbox.errors import ToolMissing

    with pytest.raises(ToolMissing, match="pythondata-cpu-none"):
        package_folder("pythondata_cpu_none")


def test_the_machines_of_the_certificate_have_the_bench_s_memory() -> None:
    for c in CORES:
        raw = load_platform(c.platform, resource("platforms"))
        memory = raw["memories"][0]
        assert (memory["base"], memory["size_bytes"]) == (rtl.RAM_BASE, rtl.RAM_BYTES)
        # Without caches a core's own accesses are timed by its class; lines come one word a cycle.
        cached = any(one["icache"] or one["dcache"] for one in raw["cores"])
        assert memory["kind"] == ("sram" if cached else "ideal")
        assert not cached or (memory["width_bits"], memory["access_cycles"]) == (32, 1)
        assert [one["class"]["label"] for one in raw["cores"]] == ["rtl"] * c.harts
        sim.Machine(raw, [])


def test_the_network_is_exact_and_a_shifted_cycle_is_found() -> None:
    rows = network_rows()
    assert [(r["program"], r["packets_different"], r["error_percent"]) for r in rows] == [
        (g.name, 0, 0.0) for g in GOLDEN
    ]
    assert sum(r["packets"] for r in rows) == 6792
    packets = [
        dict.fromkeys(("packet_id", "inject_cycle", *CYCLES), 0) | {"packet_id": i, "tail_out_cycle": 50}
        for i in (0, 1)
    ]
    late = [packets[0] | {"header_out_cycle": 1}, packets[1] | {"header_out_cycle": -1}]
    made = network_row("x", packets, late)
    assert (made["cycles_model"], made["cycles_rtl"], made["packets_different"], made["error_percent"]) == (
        100,
        100,
        2,
        2.0,
    )
    with pytest.raises(Failed, match="does not deliver"):
        network_row("x", packets, packets[:1])
