# SPDX-License-Identifier: Apache-2.0
"""The data of a report about one trace: its first messages as one timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signalbox.analysis import AnalysisError, analyse, timeline

if TYPE_CHECKING:
    from signalbox.trace import Trace

MESSAGES = 10


def of_trace(trace: Trace, title: str, *, first: int = 0, count: int = MESSAGES) -> dict[str, Any]:
    """`count` messages from message `first` on, for `signalbox.report.write`.

    Raises `AnalysisError` when there are none.
    """
    analysis = analyse(trace)
    shown = analysis.messages[first : first + count]
    if not shown:
        raise AnalysisError(
            f"the trace holds {len(analysis.messages)} messages between tasks; there is nothing to show from {first} on"
        )
    meta = trace.meta
    known = [(name, meta.get(name)) for name in ("platform", "run", "seed", "level", "version")]
    last = first + len(shown) - 1
    return {
        "title": title,
        "summary": f"Messages {first} to {last} of {len(analysis.messages)}, and where each of their cycles went.",
        "identity": [[name, str(value)] for name, value in known if value is not None],
        "clock_hz": meta.get("clock_hz"),
        "rows": [
            {
                "label": f"messages {first} to {last}",
                "timelines": [{"name": f"{len(shown)} messages", "timeline": timeline(analysis, shown, title)}],
            }
        ],
        "published": [],
        "claims": [],
    }
