# SPDX-License-Identifier: Apache-2.0
"""The decoder, the trace file and the text log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from synthetic import MASTER, SCHEMA, SLAVE, t0

from signalbox.analysis import analyse, text_log
from signalbox.trace import ENCODING, Schema, Trace, TraceError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_record_is_eighty_bytes_in_the_encoder_s_order() -> None:
    data = (
        (0x0102030405060708).to_bytes(8, "little")
        + (35).to_bytes(2, "little")
        + (1).to_bytes(2, "little")
        + b"".join(i.to_bytes(4, "little") for i in (11, 12, 13, 14, 15))
        + b"".join(i.to_bytes(8, "little") for i in (21, 22, 23, 24, 25, 1 << 40))
    )
    assert len(data) == ENCODING.size == 80
    trace = Trace.decode(data, [], SCHEMA)
    assert trace.records == [(0x0102030405060708, 35, 1, 11, 12, 13, 14, 15, 21, 22, 23, 24, 25, 1 << 40)]
    assert trace.encode() == data


def test_records_have_the_schema_s_names() -> None:
    first = next(t0().trace().named())
    assert first == {
        "cycle": 10,
        "core": 0,
        "record": "task_create",
        "task": 0x1400,
        "name": "idle",
        "kind": 2,
        "priority": 31,
        "addr": 1,
        "accounts": {"fetch": 0, "miss": 0, "uncached": 0, "bus_wait": 0, "interrupt": 0, "idle": 10},
    }


def test_the_schema_survives_json() -> None:
    assert Schema.from_data(SCHEMA.data()) == SCHEMA
    assert SCHEMA.kinds["rlnh_deliver_exit"] == 59


def test_a_trace_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    trace = t0(2).trace(seed=7)
    path = tmp_path / "t0.trace"
    trace.write(path)
    again = Trace.read(path)
    assert (again.records, again.strings, again.schema) == (trace.records, trace.strings, trace.schema)
    assert again.meta == {"clock_hz": 50_000_000, "platform": "de2-dual", "seed": 7}


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda b: b[:-1], "bytes of records where the header promises"),
        (lambda b: b[:-80], "bytes of records where the header promises"),
        (lambda b: b"\x7fELF" + b, "first line is not the JSON header"),
        (lambda b: b'{"format":"other"}\n' + b, "not a signalbox-trace file"),
        (lambda b: b.replace(b'"version":1', b'"version":9', 1), "version 9"),
        (lambda b: b"", "first line is not the JSON header"),
    ],
)
def test_a_damaged_file_is_refused_and_says_why(tmp_path: Path, damage, says: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "t0.trace"
    t0().trace().write(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(TraceError, match=says):
        Trace.read(path)


def test_cut_records_are_refused() -> None:
    with pytest.raises(TraceError, match="not a whole number of records"):
        Trace.decode(b"\0" * 81, [], SCHEMA)


def test_the_text_log_has_the_form_of_table_3_7_1_4() -> None:
    lines = text_log(analyse(t0().trace())).splitlines()
    assert lines[0] == "Timestamp\tCore\tType\tNumber\tInfo"
    assert lines[1:4] == [
        "50142\t0\tSIG\t0\tOFFER SIZE(128)",
        "51050\t0\tSIG\t0\tSEND RET",
        "52291\t0\tSIG\t0\tDELIVER",
    ]
    # master (2) to RLNH (3) and back inside send, then idle (1), and the driver's interrupt (5) for the acknowledge
    switches = [line.split("\t")[4] for line in lines if line.split("\t")[1:3] == ["0", "CS"]]
    assert switches[4:10] == [
        "FROM(1) TO(2)",
        "FROM(2) TO(3)",
        "FROM(3) TO(2)",
        "FROM(2) TO(1)",
        "FROM(1) TO(5)",
        "FROM(5) TO(1)",
    ]
    calls = [line.split("\t") for line in lines if line.split("\t")[2] in ("CALL", "RET")]
    on_sender = [(kind, number, info) for _, core, kind, number, info in calls if core == "0"]
    assert on_sender[:6] == [
        ("CALL", "0", "FUNC(1)"),
        ("RET", "0", "FUNC(1)"),
        ("CALL", "1", "FUNC(2)"),
        ("RET", "1", "FUNC(2)"),
        ("CALL", "2", "FUNC(5)"),
        ("RET", "2", "FUNC(5)"),
    ]
    on_receiver = [info for _, core, kind, _, info in calls if core == "1" and kind == "CALL"]
    assert on_receiver[:3] == ["FUNC(3)", "FUNC(4)", "FUNC(6)"]


def test_addresses_are_those_of_the_nodes() -> None:
    analysis = analyse(t0().trace())
    assert analysis.name(MASTER) == "master"
    assert analysis.name(SLAVE) == "slave"
    assert analysis.name(0xFFC00000) == "0xffc00000"
