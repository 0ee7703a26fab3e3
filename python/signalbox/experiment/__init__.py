# SPDX-License-Identifier: Apache-2.0
"""Experiments: published tables measured again, and published findings checked.

What is run and what is claimed lies in `experiments/<id>/experiment.py`; this package finds it, runs its rows on all
processors, evaluates its claims and gives the result three forms: JSON, console tables, and the data of a report.

    result = run("osek-linx-t0", {"sizes": "16,128"}, on_row=progress)
    result.data()      one JSON object: experiment, platform, rows, claims
    result.tables()    what the terminal shows
    result.report()    for `signalbox.report.write`
"""

from signalbox.experiment.catalogue import Info, experiments, load
from signalbox.experiment.result import Result, run
from signalbox.experiment.spec import Check, Definition, RowSpec
from signalbox.experiment.table import Table, linear_fit

__all__ = [
    "Check",
    "Definition",
    "Info",
    "Result",
    "RowSpec",
    "Table",
    "experiments",
    "linear_fit",
    "load",
    "run",
]
