# SPDX-License-Identifier: Apache-2.0
"""The reference is unchanged, every claim is answered, and each verdict can come out both ways."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from synthetic import ROOT, t0

from signalbox.errors import Failed, UsageError
from signalbox.experiment import Check, RowSpec, Table, catalogue, linear_fit, load
from signalbox.experiment.measure import digest
from signalbox.experiment.result import evaluate
from signalbox.experiment.table import MissingRow, sign_changes

REFERENCE = ROOT / "experiments" / "reference"
T0 = load("osek-linx-t0")
SIZES = (16, 32, 64, 128, 256, 512, 1024)


def test_the_reference_is_what_its_manifest_says() -> None:
    lines = (REFERENCE / "MANIFEST.sha256").read_text().splitlines()
    listed = {name: value for value, name in (line.split("  ") for line in lines)}
    found = {
        str(p.relative_to(REFERENCE)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in REFERENCE.rglob("*")
        if p.is_file() and p.name != "MANIFEST.sha256"
    }
    assert found == listed
    assert len(listed) == 20


def test_there_are_254_findings() -> None:
    assert len(catalogue.claims()) == 254


def test_every_claim_that_names_t0_has_a_function_or_a_reason() -> None:
    named = catalogue.claims_naming("osek-linx-t0")
    assert len(named) == 36
    assert sorted([*T0.claims, *T0.not_run]) == sorted(named)
    assert not T0.claims.keys() & T0.not_run.keys()
    assert all(len(reason) > 10 for reason in T0.not_run.values())


def test_every_answered_number_is_published() -> None:
    known = catalogue.published("osek-linx")
    assert [n for n in T0.published if n not in known] == []


def row(size: int, buffers: str = "uncached", **changed: Any) -> dict[str, Any]:
    """A row in which every finding holds."""
    base = 30_000 + 20 * size if buffers == "uncached" else 31_000 + 16 * size
    latency = {"median": base, "min": base - 100, "max": base + 100 if buffers == "uncached" else 2 * base}
    made = {
        "manager": "cm/ptp",
        "driver": "shm_ack",
        "buffers": buffers,
        "size_bytes": size,
        "optimisation": "-O0",
        "level": "hooks",
        "seed": 1,
        "samples": 200,
        "latency_cycles": latency,
        "layers_cycles": {"application": 0, "manager": base, "driver": 0, "kernel": 0, "medium": 0},
        "blocking_cycles": 13_000,
        "round_trip_cycles": 2 * base + 500,
        "reply_latency_cycles": base,
        "cpu_cycles": {
            "sender": 22_000,
            "receiver": 24_000,
            "isr_sender": 9_000,
            "isr_receiver": 6_000,
            "total": 46_000,
        },
        "breakdown_cycles": {"execute": base - 5_000, "miss": 5_000},
        "isr_sender_breakdown_cycles": {"execute": 6_000, "fetch": 3_000},
        "placements": 1,
        "copies": 3,
        "interrupts": 2,
        "context_switches": 8,
        "calls": 6,
        "copy_cycles": 1_000,
        "doorbell_cycles": 100,
        "thesis_sender_cycles": {"cm": 6_000},
        "timelines": [{"name": "median", "timeline": {"clock_hz": 50_000_000}}],
    }
    return {**made, **changed}


def rows(**changed: Any) -> list[dict[str, Any]]:
    return [row(s, b, **changed) for b in ("uncached", "cached") for s in SIZES]


def verdicts(measured: list[dict[str, Any]]) -> dict[str, str]:
    result = evaluate(T0, measured)
    return {c["id"].split("/")[1].split("-")[0]: c["verdict"] for c in result.claims}


def test_findings_hold_where_they_should() -> None:
    found = verdicts(rows())
    assert {c: found[c] for c in ("c26", "c27", "c28", "c37", "c43", "c44", "c45", "c52")} == dict.fromkeys(
        ("c26", "c27", "c28", "c37", "c43", "c44", "c45", "c52"), "holds"
    )
    assert {c: found[c] for c in ("c29", "c42", "c67", "c19", "c33")} == dict.fromkeys(
        ("c29", "c42", "c67", "c19", "c33"), "not-run"
    )
    assert len(found) == 36


CPU = {"sender": 22_000, "receiver": 24_000, "isr_sender": 9_000, "isr_receiver": 6_000, "total": 46_000}


@pytest.mark.parametrize(
    ("claim", "changed"),
    [
        ("c26", {"blocking_cycles": 10_000}),
        ("c26", {"cpu_cycles": CPU | {"sender": 17_000, "isr_sender": 3_000}, "blocking_cycles": 14_000}),
        ("c27", {"round_trip_cycles": 10_000}),
        ("c27", {"round_trip_cycles": 200_000}),
        ("c28", {"copies": 4}),
        ("c29", {"interrupts": 1}),
        ("c42", {"cpu_cycles": CPU | {"isr_sender": 4_999}}),
        ("c44", {"latency_cycles": {"median": 30_000, "min": 29_000, "max": 31_000}}),
        ("c45", {"samples": 199}),
        ("c45", {"latency_cycles": {"median": 30_000, "min": 29_000, "max": 44_000}}),
        ("c52", {"copy_cycles": 20_000}),
        ("c67", {"cpu_cycles": CPU | {"total": 18_000}}),
    ],
)
def test_findings_differ_where_they_should(claim: str, changed: dict[str, Any]) -> None:
    assert verdicts(rows(**changed))[claim] == "differs"


def test_linearity_and_crossing_differ_where_they_should() -> None:
    bent = rows()
    bent[6]["latency_cycles"] = {"median": 60_000, "min": 60_000, "max": 60_000}
    assert verdicts(bent)["c37"] == "differs"
    never = [row(s, b) for b in ("uncached", "cached") for s in SIZES]
    for r in never[7:]:
        r["latency_cycles"] = {**r["latency_cycles"], "median": r["latency_cycles"]["median"] + 20_000}
    assert verdicts(never)["c43"] == "differs"


def test_without_its_rows_a_finding_is_not_run_and_says_so() -> None:
    result = evaluate(T0, [row(128)])
    found = {c["id"]: c for c in result.claims}["osek-linx/c37-latency-linear-in-size"]
    assert found["verdict"] == "not-run"
    assert "0 rows with" in found["why"]


def test_a_claim_without_function_and_reason_fails() -> None:
    from dataclasses import replace

    with pytest.raises(Failed, match="neither a function nor a reason"):
        evaluate(replace(T0, not_run={}), rows())


def test_the_object_has_the_rows_and_claims_of_the_design() -> None:
    data = evaluate(T0, rows()).data()
    assert list(data)[:2] == ["experiment", "platform"]
    assert data["experiment"] == "osek-linx-t0"
    assert all("timelines" not in r for r in data["rows"])
    answers = [r for r in data["rows"] if "published" in r]
    assert {"id", "published", "measured", "unit", "optimisation"} <= answers[0].keys()
    by_id = {r["id"]: (r["published"], r["measured"], r["unit"]) for r in answers}
    assert by_id["osek-linx/T5.4.1-2/shm-ack-int/load-total"] == (46922.0, 46_000, "cycles")
    assert by_id["osek-linx/4.2.1.2/cached-worst-gap-512"] == (40000.0, 31_000 + 16 * 512, "cycles")
    assert all(set(c) == {"id", "verdict", "figure", "why"} for c in data["claims"])


def test_t0_has_the_published_rows() -> None:
    specs = T0.rows({})
    assert len(specs) == 28
    assert {(s.parameters["optimisation"], s.parameters["buffers"]) for s in specs} == {
        (o, b) for o in ("-O0", "-O2") for b in ("cached", "uncached")
    }
    assert {s.parameters["size_bytes"] for s in specs} == set(SIZES)
    assert {(s.samples, s.discard) for s in specs} == {(200, 1)}
    assert specs[0].assignments["params.requests"] == "201"


def test_settings_choose_rows_and_wrong_ones_are_refused() -> None:
    specs = T0.rows({"sizes": "16, 64", "buffers": "cached", "optimisation": "-O2", "samples": "5", "seed": "3"})
    assert [(s.parameters["size_bytes"], s.seed, s.samples) for s in specs] == [(16, 3, 5), (64, 3, 5)]
    for wrong in ({"size": "16"}, {"sizes": "x"}, {"buffers": "l2"}, {"optimisation": "-O9"}, {"samples": "0"}):
        with pytest.raises(UsageError):
            T0.rows(wrong)


def test_an_unknown_experiment_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="osek-linx-t0"):
        load("osek-linx-t9")
    with pytest.raises(UsageError):
        load("../osek-linx-t0")


def spec(samples: int) -> RowSpec:
    return RowSpec(ROOT, {}, {"size_bytes": 128}, "master", "slave", samples, 1)


def test_a_trace_becomes_a_row_without_the_discarded_request() -> None:
    made = digest(spec(4), t0(5, 128, (900, 40, 10, 30, 20)).trace())
    assert made["samples"] == 4
    assert made["latency_cycles"] == {"median": 2169, "min": 2159, "max": 2189}
    assert [t["name"] for t in made["timelines"]] == ["median latency", "slowest"]
    assert [t["timeline"]["messages"][0]["latency_cycles"] for t in made["timelines"]] == [2169, 2189]


def test_a_missing_request_fails_the_row() -> None:
    with pytest.raises(Failed, match="5 requests with a reply where 7 were expected"):
        digest(spec(6), t0(5).trace())


def test_statistics() -> None:
    fit = linear_fit([0, 1, 2, 3], [1, 3, 5, 7])
    assert (fit.slope, fit.intercept, fit.r_squared, fit.at(10)) == (2, 1, 1, 21)
    assert linear_fit([0, 1, 2], [0, 3, 0]).r_squared == 0
    with pytest.raises(ValueError, match="two points"):
        linear_fit([1, 1], [1, 2])
    assert sign_changes([1, 2, -1, 0, -3, 4]) == 2
    with pytest.raises(MissingRow):
        Table([{"a": 1}, {"a": 1}]).one(a=1)
    with pytest.raises(ValueError, match="not a verdict"):
        Check("maybe", "", "")
