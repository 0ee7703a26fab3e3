# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment's rows on all processors and holds the result in its forms."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from signalbox import __version__
from signalbox.errors import Failed, UsageError
from signalbox.experiment import catalogue
from signalbox.experiment.console import findings, tables
from signalbox.experiment.measure import measure, prepare
from signalbox.experiment.spec import Check, Definition, RowSpec
from signalbox.experiment.table import MissingRow, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import RenderableType


@dataclass(frozen=True)
class Result:
    """A finished experiment."""

    definition: Definition
    measured: Sequence[Mapping[str, Any]]
    answers: Sequence[Mapping[str, Any]]
    """Rows that answer published numbers."""
    claims: Sequence[Mapping[str, str]]

    def data(self) -> dict[str, Any]:
        """The experiment as one JSON object."""
        rows = [{k: v for k, v in row.items() if k != "timelines"} for row in self.measured]
        return {
            "experiment": self.definition.id,
            "platform": self.definition.platform,
            "version": __version__,
            "rows": [*rows, *map(dict, self.answers)],
            "claims": [{k: c[k] for k in ("id", "verdict", "figure", "why")} for c in self.claims],
        }

    def tables(self) -> list[RenderableType]:
        """The experiment for the terminal."""
        if self.definition.direct_tables is not None:
            own = self.definition.direct_tables(self.measured)
            return [*own, findings(self.claims)] if self.claims else own
        return tables(self.measured, self.answers, self.claims)

    def report(self) -> dict[str, Any]:
        """The data of a report page."""
        if self.definition.direct is not None:
            raise UsageError(f"{self.definition.id} has no report page; use --json or the table")
        clocks = {t["timeline"]["clock_hz"] for row in self.measured for t in row["timelines"]}
        first = self.measured[0]
        reference = catalogue.published("osek-linx")
        return {
            "title": self.definition.title,
            "summary": self.definition.summary,
            "identity": [
                ["experiment", self.definition.id],
                ["platform", self.definition.platform],
                ["connection", f"{first.get('manager', '')}, {first.get('driver', '')}"],
                ["kernel level", str(first.get("level"))],
                ["samples a row", str(first["samples"])],
                ["seed", str(first["seed"])],
                ["signalbox", __version__],
            ],
            "clock_hz": clocks.pop() if len(clocks) == 1 else None,
            "rows": [dict(row) for row in self.measured],
            "published": [
                {
                    "id": a["id"],
                    "subject": _subject(reference[str(a["id"])]),
                    "published": a["published"],
                    "measured": a["measured"],
                    "unit": a["unit"],
                    "qualifier": reference[str(a["id"])]["qualifier"],
                    "note": reference[str(a["id"])]["note"],
                }
                for a in self.answers
            ],
            "claims": [dict(c) for c in self.claims],
        }

    def picture(self, **columns: Any) -> dict[str, Any]:
        """The timeline of the median signal of one row, for `signalbox.report.picture`."""
        data: dict[str, Any] = Table(self.measured).one(**columns)["timelines"][0]["timeline"]
        return data


def _subject(row: Mapping[str, str]) -> str:
    return f"{row['metric'].replace('_', ' ')}: {row['subject']}, {row['configuration']}".strip(", ")


def run(
    experiment_id: str,
    settings: Mapping[str, str] | None = None,
    *,
    on_row: Callable[[int, int], None] | None = None,
    processes: int | None = None,
) -> Result:
    """Measure all rows and evaluate all claims. `on_row(done, total)` is called after each row.

    Every row is built, simulated and analysed; nothing is taken from an earlier run but compiled files.
    """
    definition = catalogue.load(experiment_id)
    if definition.direct is not None:
        return evaluate(definition, definition.direct(settings or {}, on_row))
    specs = definition.rows(settings or {})
    if not specs:
        raise Failed(f"{experiment_id}: the settings leave no row to measure")
    _build(specs)
    measured: list[Mapping[str, Any]] = []
    workers = min(processes or os.cpu_count() or 1, len(specs))
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        for row in pool.map(measure, specs):
            measured.append(row)
            if on_row is not None:
                on_row(len(measured), len(specs))
    return evaluate(definition, measured)


def evaluate(definition: Definition, measured: Sequence[Mapping[str, Any]]) -> Result:
    """Check the claims of an experiment against its measured rows."""
    table = Table(measured)
    return Result(definition, measured, _answers(definition, table), _claims(definition, table))


def _build(specs: Sequence[RowSpec]) -> None:
    """Compile each variant once before the workers ask for it: they would only wait for each other."""
    seen = set()
    for spec in specs:
        variant = (spec.system, *((k, v) for k, v in spec.assignments.items() if not k.startswith("params.")))
        if variant not in seen:
            seen.add(variant)
            prepare(spec)


def _claims(definition: Definition, table: Table) -> list[dict[str, str]]:
    known = catalogue.claims()
    out = []
    for claim in catalogue.claims_naming(definition.id):
        if claim in definition.claims:
            try:
                check = definition.claims[claim](table)
            except MissingRow as error:
                check = Check("not-run", "", f"{error}.")
        elif claim in definition.not_run:
            check = Check("not-run", "", definition.not_run[claim])
        else:
            raise Failed(f"{definition.id}: {claim} names this experiment and has neither a function nor a reason")
        row = known[claim]
        out.append(
            {
                "id": claim,
                "verdict": check.verdict,
                "figure": check.figure,
                "why": check.why,
                "claim": row["claim"],
                "section": row["section"],
            }
        )
    return out


def _answers(definition: Definition, table: Table) -> list[dict[str, Any]]:
    out = []
    for number, function in definition.published.items():
        reference = catalogue.published(number.split("/")[0])[number]
        try:
            measured = function(table)
        except MissingRow:
            continue
        out.append(
            {
                "id": number,
                "published": float(reference["value"]),
                "measured": measured,
                "unit": reference["unit"],
                **definition.published_parameters,
            }
        )
    return out
