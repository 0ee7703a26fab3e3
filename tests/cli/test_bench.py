# SPDX-License-Identifier: Apache-2.0
"""bench sim: what it prints, and that it measures the same work each time."""

from __future__ import annotations

import json

from tests.cli.cli_support import need, signalbox

FIELDS = {
    "name",
    "workload",
    "platform",
    "timing",
    "cores",
    "host_threads",
    "instructions",
    "cycles",
    "mips",
    "host_mops",
    "in_blocks",
    "in_batches",
}


def measure(*workloads: str) -> dict[str, dict[str, object]]:
    only = [part for w in workloads for part in ("--only", w)]
    done = signalbox("bench", "sim", "--json", "--instructions", "200000", *only)
    assert done.code == 0, done
    return {c["name"]: c for c in json.loads(done.out)["cases"]}


def test_cases_say_what_was_measured_and_repeat() -> None:
    need("riscv64-unknown-elf-gcc")
    first = measure("random-branches")
    assert set(first) == {"random-branches", "random-branches-ideal-caches"}
    for case in first.values():
        assert set(case) >= FIELDS
        assert str(case["platform"]) == "de2-dual"
        assert isinstance(case["instructions"], int) and case["instructions"] >= 200_000
        assert isinstance(case["mips"], float) and case["mips"] > 0
        assert isinstance(case["host_mops"], float) and case["host_mops"] > 0
    again = measure("random-branches")
    for name, case in first.items():
        for key in ("instructions", "cycles", "state_hash"):
            assert case[key] == again[name][key], (name, key)
    # Half of the branches are foreseen wrong: about two cycles an instruction, with and without misses.
    for case in first.values():
        ratio = int(str(case["cycles"])) / int(str(case["instructions"]))
        assert 1.5 < ratio < 2.5


def test_what_hits_runs_in_blocks() -> None:
    """A busy core that is left alone runs in translated blocks; where they are lost, its speed halves."""
    need("riscv64-unknown-elf-gcc")
    cases = measure("matrix", "random-branches", "t0-receiver", "memcpy-4k-ideal-caches")
    for name in ("matrix", "random-branches", "t0-receiver"):
        assert float(str(cases[name]["in_blocks"])) > (0.7 if name == "t0-receiver" else 0.9), cases[name]
        assert float(str(cases[f"{name}-ideal-caches"]["in_blocks"])) > 0.9, cases[name]
    assert float(str(cases["memcpy-4k-ideal-caches"]["in_blocks"])) > 0.95


def test_two_busy_cores_among_sleepers_do_what_they_do_alone() -> None:
    need("riscv64-unknown-elf-gcc")
    cases = measure("private-memories-2-cores", "private-memories-256-cores-2-busy")
    alone, among = cases["private-memories-2-cores"], cases["private-memories-256-cores-2-busy"]
    assert (alone["busy_cores"], among["busy_cores"], among["cores"]) == (2, 2, 256)
    a, b = (int(str(c["instructions"])) / int(str(c["cycles"])) for c in (alone, among))
    assert abs(a - b) < 0.05 * a


def test_host_threads_change_nothing() -> None:
    need("riscv64-unknown-elf-gcc")
    cases = {n: c for n, c in measure("private-memories").items() if c["cores"] == 64}
    assert {c["host_threads"] for c in cases.values()} == {1, 2, 4, 8}
    assert len({(c["instructions"], c["cycles"], c["state_hash"]) for c in cases.values()}) == 1
    # Nearly everything is executed side by side; where cores fall out of step, the threads gain nothing.
    for case in cases.values():
        batches = float(str(case["in_batches"]))
        assert batches == 0 if case["host_threads"] == 1 else batches > 0.8, case


def test_tiles_of_a_network_run_side_by_side_between_their_packets() -> None:
    need("riscv64-unknown-elf-gcc")
    one, two = (measure("network")[name] for name in ("network-64-cores", "network-64-cores-2-threads"))
    assert (one["instructions"], one["cycles"], one["state_hash"]) == (
        two["instructions"],
        two["cycles"],
        two["state_hash"],
    )
    assert one["in_batches"] == 0
    assert float(str(two["in_batches"])) > 0.5, two


def test_an_unknown_workload() -> None:
    done = signalbox("bench", "sim", "--only", "coremarc")
    assert done.code == 2, done
    assert "coremarc" in done.err and "coremark" in done.err
