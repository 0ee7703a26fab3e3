# SPDX-License-Identifier: Apache-2.0
"""`signalbox noc`: golden files to the byte, files of strangers, load curves, every way to fail."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from cli_support import ROOT, Done, signalbox

if TYPE_CHECKING:
    from pathlib import Path

GOLDEN = ROOT / "experiments" / "reference" / "hermes"
HEADER = "packet_id,src_x,src_y,dst_x,dst_y,length_flits,inject_cycle"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("zero_load_8x8.csv", ["--mesh", "8x8"]),
        ("pair_contention_4x4.csv", ["--mesh", "4x4"]),
        ("hotspot_4x4.csv", ["--mesh", "4x4"]),
        ("uniform_4x4_L16_010.csv", ["--mesh", "4x4"]),
        ("uniform_4x4_L16_025.csv", ["--mesh", "4x4"]),
        ("stalled_sinks_4x4.csv", ["--mesh", "4x4", "--sinks", "6/11"]),
    ],
)
def test_golden_files_are_printed_to_the_byte(tmp_path: Path, name: str, options: list[str]) -> None:
    expected = (GOLDEN / name).read_text()
    inputs = tmp_path / name
    inputs.write_text("".join(",".join(line.split(",")[:7]) + "\n" for line in expected.splitlines()))
    done = signalbox("noc", inputs, *options, "--csv")
    assert done.code == 0, done.err
    assert done.out == expected
    assert done.err == ""


def replay(tmp_path: Path, text: str | bytes, *options: str) -> Done:
    path = tmp_path / "traffic.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return signalbox("noc", path, *options)


def cycles(done: Done) -> list[list[int]]:
    assert done.code == 0, done.err
    return [[int(v) for v in line.split(",")][7:] for line in done.out.splitlines()[1:]]


def isolated(routers: int, length: int, at: int) -> list[int]:
    return [at, at + length - 1, at + 7 * routers, at + 7 * routers + length - 1]


def test_any_mesh(tmp_path: Path) -> None:
    for size, row, routers in [
        ("1x1", "0,0,0,0,0,5,3", 1),
        ("1x9", "0,0,8,0,0,1,3", 9),
        ("12x1", "0,0,0,11,0,7,3", 12),
        ("5x3", "0,4,0,0,2,2,3", 7),
        ("70x64", "0,0,0,69,63,40,3", 133),
    ]:
        done = replay(tmp_path, f"{HEADER}\n{row}\n", "--mesh", size, "--csv")
        assert cycles(done) == [isolated(routers, int(row.split(",")[5]), 3)], size


def test_topologies(tmp_path: Path) -> None:
    text = f"{HEADER}\n0,0,0,3,3,4,0\n"
    for topology, routers in [("mesh", 7), ("torus", 3), ("ring", 2)]:
        done = replay(tmp_path, text, "--mesh", "4x4", "--topology", topology, "--csv")
        assert cycles(done) == [isolated(routers, 4, 0)], topology


def test_files_as_people_write_them(tmp_path: Path) -> None:
    # Not in the order of time: a source sends in the order of the file, the next header one cycle after the last tail.
    row = ["0,0,0,1,0,3,500", "1,0,0,1,0,1,0", "2,1,0,0,0,2,999999999999"]
    expected = [isolated(2, 3, 500), [503, 503], isolated(2, 2, 999999999999)]
    plain = cycles(replay(tmp_path, "\n".join([HEADER, *row]), "--mesh", "2x1", "--csv"))
    assert [plain[0], plain[1][:2], plain[2]] == expected
    for text in [
        "\ufeff" + "\r\n".join([HEADER, *row, "", ""]),
        "\n".join([HEADER + ",header_accept_cycle,note", *[r + ",17,x" for r in row]]),
        "\n".join(["# made by hand", "", HEADER.replace(",", " , "), *row]),
    ]:
        assert cycles(replay(tmp_path, text, "--mesh", "2x1", "--csv")) == plain
    empty = replay(tmp_path, HEADER + "\n", "--mesh", "2x1", "--csv")
    assert (empty.code, len(empty.out.splitlines())) == (0, 1)
    assert json.loads(replay(tmp_path, HEADER + "\n", "--mesh", "2x1", "--json").out)["rows"] == []
    assert replay(tmp_path, HEADER + "\n", "--mesh", "2x1").code == 0


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the file is empty"),
        ("0,0,0,1,0,3,0\n", "1:1", "there is no header line"),
        (HEADER.replace(",dst_y", "") + "\n", "1:1", "column dst_y is missing"),
        (HEADER + "\n\n0,0,0,1,0,3\n", "3:12", "inject_cycle is missing"),
        (HEADER + "\n0,0,0,1,zero,3,0\n", "2:9", "dst_y: `zero` is not a whole number"),
        (HEADER + "\n0,0,0,1,0,0,0\n", "2:11", "length_flits: 0 is not between 1 and"),
        (HEADER + "\n0,0,0,2,0,3,0\n", "2:7", "dst_x: 2 is outside the mesh of 2x1 routers; x is 0 to 1"),
        (HEADER + "\n0,0,0,1,0,3,-5\n", "2:13", "inject_cycle: -5 is negative"),
        (b"\xff\xfe0\x00", "1:1", "this is UTF-16"),
        (HEADER.encode() + b"\n0,\x80", "2:3", "byte 0x80 is not UTF-8 text"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str | bytes, place: str, message: str) -> None:
    done = replay(tmp_path, text, "--mesh", "2x1", "--csv")
    assert done.code == 3, done
    assert f"traffic.csv:{place}: " in done.err
    assert message in done.err
    assert done.out == ""
    as_json = json.loads(replay(tmp_path, text, "--mesh", "2x1", "--json").out)
    assert as_json["exit_code"] == 3
    assert message in as_json["error"]["message"]


def test_no_file(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.csv", tmp_path):
        done = signalbox("noc", path, "--mesh", "2x2", "--csv")
        assert done.code == 3
        assert f"{path}: cannot be read" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a traffic file, or --pattern"),
        (["x.csv"], "--mesh WxH"),
        (["x.csv", "--mesh", "4"], "'4' is not of the form WxH"),
        (["x.csv", "--mesh", "0x4"], "the least number is 1"),
        (["x.csv", "--mesh", "4x-4"], "is not of the form WxH"),
        (["x.csv", "--mesh", "99999999x1"], "a side has at most"),
        (["x.csv", "--mesh", "4x4", "--sinks", "6"], "is not of the form A/M"),
        (["x.csv", "--mesh", "4x4", "--sinks", "0/11"], "the least number is 1"),
        (["x.csv", "--mesh", "4x4", "--sinks", "1/0"], "the least number is 1"),
        (["x.csv", "--mesh", "4x4", "--csv", "--json"], "exclude each other"),
        (["x.csv", "--mesh", "4x4", "--load", "0.1"], "--load belongs to --pattern"),
        (["x.csv", "--mesh", "4x4", "--pattern", "uniform"], "not both"),
        (["--pattern", "uniform", "--mesh", "4x4"], "give --sweep"),
        (["--pattern", "uniform", "--mesh", "4x4", "--sweep", "--load", "0.1"], "not both"),
        (["--pattern", "uniform", "--mesh", "4x4", "--load", "1.5"], "at most 1 flit"),
        (["--pattern", "uniform", "--mesh", "4x4", "--load", "lots"], "is not a number"),
        (["--pattern", "uniform", "--mesh", "1x1", "--load", "0.1"], "take more routers"),
        (["--pattern", "transpose", "--mesh", "4x3", "--load", "0.1"], "as many routers in x as in y"),
        (["--pattern", "hotspot", "--mesh", "4x3", "--load", "0.1", "--hot", "4,0"], "hot node is outside"),
        (["--pattern", "uniform", "--mesh", "4x4", "--load", "0.1", "--hot", "1,1"], "--hot belongs to"),
        (["--pattern", "uniform", "--mesh", "4x4", "--load", "0.1", "--links"], "--links belongs to"),
        (["--pattern", "uniform", "--mesh", "4x4", "--load", "0.1", "--report", "x.png"], "ends in .html or .svg"),
        (["--pattern", "uniform", "--mesh", "17x4", "--load", "0.1", "--flit-bits", "16"], "counts to 16"),
        (["--pattern", "uniform", "--mesh", "4x4", "--load", "0.1", "--flit-bits", "30"], "a multiple of 4"),
        (["--pattern", "uniform", "--mesh", "4x4", "--load", "0.1", "--buffer", "99999"], "buffers of 99999 flits"),
        (["--pattern", "zigzag", "--mesh", "4x4", "--load", "0.1"], "'zigzag' is not one of"),
    ],
)
def test_usage(arguments: list[str], message: str) -> None:
    done = signalbox("noc", *arguments)
    assert done.code == 2, done
    assert message in " ".join(done.err.split())


def test_json_and_links() -> None:
    done = signalbox("noc", GOLDEN / "hotspot_4x4.csv", "--mesh", "4x4", "--json", "--links")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert (result["packets"], result["flits"]) == (600, 4538)
    assert result["rows"][1]["tail_out_cycle"] == 190
    links = {(link["x"], link["y"], link["direction"]): link for link in result["links"]}
    # 4 x 4 local outputs, and 24 links both ways.
    assert len(links) == 16 + 48
    hot = links[2, 1, "local"]
    assert (hot["packets"], hot["flits"]) == (600, 4538)
    assert sum(hot["waits"]) == 600
    # Whatever goes in comes out: each flit leaves by one local output.
    assert sum(link["flits"] for (_, _, side), link in links.items() if side == "local") == 4538
    printed = signalbox("noc", GOLDEN / "hotspot_4x4.csv", "--mesh", "4x4", "--csv", "--links")
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert len(rows) == 64
    assert sum(int(row["flits"]) for row in rows if row["direction"] == "local") == 4538
    table = signalbox("noc", GOLDEN / "hotspot_4x4.csv", "--mesh", "4x4")
    assert "(2, 1) local" in table.out


def test_a_sweep(tmp_path: Path) -> None:
    picture = tmp_path / "curve.svg"
    page = tmp_path / "curve.html"
    options = [
        "--pattern",
        "uniform",
        "--mesh",
        "4x4",
        "--length",
        "4",
        "--window",
        "5000",
        "--warmup",
        "1000",
        "--sweep",
    ]
    done = signalbox("noc", *options, "--json", "--report", picture)
    assert done.code == 0, done.err
    points = json.loads(done.out)["points"]
    assert len(points) >= 10
    # Saturation of this mesh is 0.140 (curves.csv): the curve must bend there.
    assert not points[0]["saturated"]
    assert points[-1]["saturated"]
    assert 0.13 < max(p["accepted_load"] for p in points) < 0.15
    latencies = [p["mean_latency"] for p in points]
    assert latencies[0] < 30
    assert latencies[-1] > 5 * latencies[0]
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    again = signalbox("noc", *options, "--csv", "--report", page)
    rows = list(csv.DictReader(io.StringIO(again.out)))
    assert [float(row["mean_latency"]) for row in rows] == [pytest.approx(v, abs=0.006) for v in latencies]
    text = page.read_text()
    assert "<svg" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    other = signalbox("noc", *options, "--seed", "2", "--csv")
    assert other.out != again.out


def test_patterns_and_topologies_under_load() -> None:
    for pattern in ("uniform", "hotspot", "transpose", "bit-complement", "neighbour"):
        for topology in ("mesh", "torus", "ring"):
            done = signalbox(
                "noc", "--pattern", pattern, "--mesh", "4x4", "--topology", topology, "--load", "0.03,0.02",
                "--window", "3000", "--warmup", "500", "--json",
            )  # fmt: skip
            assert done.code == 0, done.err
            result = json.loads(done.out)
            assert [p["offered_load"] for p in result["points"]] == [0.02, 0.03]
            assert all(p["mean_latency"] is not None and not p["saturated"] for p in result["points"])
