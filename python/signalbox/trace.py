# SPDX-License-Identifier: Apache-2.0
"""A trace: the records of one run, the strings they name, and the file that holds them.

Records stay plain tuples, because a run of T0 has tens of thousands of them and every analysis walks them all:
``(cycle, kind, core, a0, a1, a2, a3, a4, fetch, miss, uncached, bus_wait, interrupt, idle)``.
The last six are the core's accounts since reset; what remains of the elapsed cycles is `execute`.

File: one line of JSON (the header, with the schema and the strings), then the records as the simulator encodes them.
Deliberately lacks any interpretation of a record: that is `signalbox.analysis`.
"""

from __future__ import annotations

import json
import struct
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from signalbox.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

Raw: TypeAlias = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int]
"""One record as it is stored; the module's first comment names the places."""

ENCODING = struct.Struct("<QHH5I6Q")
ACCOUNTS = ("fetch", "miss", "uncached", "bus_wait", "interrupt", "idle")
FORMAT = "signalbox-trace"
FORMAT_VERSION = 1

CYCLE, KIND, CORE = 0, 1, 2
FIRST_ARGUMENT = 3
FIRST_ACCOUNT = 8


class TraceError(BadInput):
    """A trace that cannot be read: what is wrong, and where."""


class Argument(NamedTuple):
    """One argument of a record."""

    name: str
    type: str
    """u32, ptr, or str (an index into the trace's strings)."""


@dataclass(frozen=True)
class RecordKind:
    """One kind of record of the schema."""

    kind: int
    name: str
    args: tuple[Argument, ...]


@dataclass(frozen=True)
class Schema:
    """All kinds of records, as `sim/trace/schema.toml` names them."""

    version: int
    records: tuple[RecordKind, ...]

    @classmethod
    def from_json(cls, text: str) -> Schema:
        """The form that the simulator gives: ``{version, records: [{kind, name, args: [[name, type]]}]}``."""
        return cls.from_data(json.loads(text))

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Schema:
        """The same, already parsed."""
        try:
            records = tuple(
                RecordKind(int(r["kind"]), str(r["name"]), tuple(Argument(str(n), str(t)) for n, t in r["args"]))
                for r in data["records"]
            )
            return cls(int(data["version"]), records)
        except (KeyError, TypeError, ValueError) as error:
            raise TraceError(f"the schema of the trace is malformed: {error!r}") from error

    @classmethod
    def from_toml(cls, text: str) -> Schema:
        """The source form, where an argument is `name` or `name:type`."""
        data = tomllib.loads(text)

        def argument(spec: str) -> Argument:
            name, _, kind = spec.partition(":")
            return Argument(name, kind or "u32")

        return cls(
            int(data["version"]),
            tuple(
                RecordKind(int(r["kind"]), str(r["name"]), tuple(argument(a) for a in r["args"]))
                for r in data["record"]
            ),
        )

    def data(self) -> dict[str, Any]:
        """What `from_data` reads."""
        return {
            "version": self.version,
            "records": [{"kind": r.kind, "name": r.name, "args": [list(a) for a in r.args]} for r in self.records],
        }

    @cached_property
    def kinds(self) -> dict[str, int]:
        """Number by name."""
        return {r.name: r.kind for r in self.records}

    @cached_property
    def by_kind(self) -> dict[int, RecordKind]:
        """Kind by number."""
        return {r.kind: r for r in self.records}


@dataclass(frozen=True)
class Trace:
    """The records of one run in the order (cycle, core, order of the core)."""

    schema: Schema
    records: Sequence[Raw]
    strings: Sequence[str]
    meta: Mapping[str, Any] = field(default_factory=dict)
    """About the run: platform, clock_hz, cores (names), seed, whatever the caller knows. JSON values only."""

    @classmethod
    def decode(
        cls, data: bytes, strings: Sequence[str], schema: Schema, meta: Mapping[str, Any] | None = None
    ) -> Trace:
        """From the bytes that the simulator gives.

        Raises `TraceError` when the length is not a whole number of records.
        """
        if len(data) % ENCODING.size:
            raise TraceError(
                f"{len(data)} bytes are not a whole number of records of {ENCODING.size} bytes: the trace is cut"
            )
        records: list[Raw] = list(ENCODING.iter_unpack(data))
        return cls(schema, records, list(strings), dict(meta or {}))

    def encode(self) -> bytes:
        """The records as the simulator encodes them."""
        return b"".join(ENCODING.pack(*r) for r in self.records)

    def write(self, path: Path) -> None:
        """Write the native trace file."""
        header = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "record_bytes": ENCODING.size,
            "records": len(self.records),
            "schema": self.schema.data(),
            "strings": list(self.strings),
            "meta": dict(self.meta),
        }
        with path.open("wb") as out:
            out.write(json.dumps(header, separators=(",", ":")).encode() + b"\n")
            out.write(self.encode())

    @classmethod
    def read(cls, path: Path) -> Trace:
        """Read a native trace file.

        Raises `TraceError` for a file of another format or version, and for one that is cut.
        """
        with path.open("rb") as source:
            line = source.readline(1 << 24)
            try:
                header = json.loads(line)
            except ValueError as error:
                raise TraceError(f"{path}: the first line is not the JSON header of a {FORMAT} file") from error
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise TraceError(f"{path}: not a {FORMAT} file")
            if header.get("version") != FORMAT_VERSION or header.get("record_bytes") != ENCODING.size:
                raise TraceError(
                    f"{path}: version {header.get('version')} with {header.get('record_bytes')} bytes a record; "
                    f"this program reads version {FORMAT_VERSION} with {ENCODING.size}"
                )
            body = source.read()
        if len(body) != int(header["records"]) * ENCODING.size:
            raise TraceError(
                f"{path}: {len(body)} bytes of records where the header promises {header['records']} × {ENCODING.size}"
            )
        return cls.decode(body, header["strings"], Schema.from_data(header["schema"]), header.get("meta"))

    def named(self) -> Iterator[dict[str, Any]]:
        """Each record as a dictionary with the schema's names, for JSON and for people."""
        by_kind = self.schema.by_kind
        for record in self.records:
            kind = by_kind.get(record[KIND])
            if kind is None:
                raise TraceError(f"cycle {record[CYCLE]}: record kind {record[KIND]} is not in the trace's schema")
            named: dict[str, Any] = {"cycle": record[CYCLE], "core": record[CORE], "record": kind.name}
            for argument, value in zip(kind.args, record[FIRST_ARGUMENT:FIRST_ACCOUNT], strict=False):
                named[argument.name] = self.strings[value] if argument.type == "str" else value
            named["accounts"] = dict(zip(ACCOUNTS, record[FIRST_ACCOUNT:], strict=True))
            yield named

    def text_log(self) -> str:
        """The log in the form of the thesis; see `signalbox.analysis.textlog`."""
        from signalbox.analysis import analyse, text_log

        return text_log(analyse(self))
