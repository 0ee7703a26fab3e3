# SPDX-License-Identifier: Apache-2.0
"""From records to what happened: tasks, slices, calls, messages, and where each message's cycles went.

`analyse(trace)` is the entrance. Everything is exact: a message's cycles are a matrix of layer and cause whose sum is
its latency, and an account that overlaps or a record that is missing raises `AnalysisError`.
"""

from signalbox.analysis.messages import Analysis, analyse
from signalbox.analysis.model import (
    CAUSES,
    FUNCTIONS,
    LAYERS,
    PUBLISHED_NAMES,
    THESIS_LAYERS,
    AnalysisError,
    Breakdown,
    Call,
    CpuCycles,
    Message,
    Slice,
    Task,
)
from signalbox.analysis.summary import lower_median, summarise
from signalbox.analysis.textlog import text_log
from signalbox.analysis.timeline import timeline

__all__ = [
    "CAUSES",
    "FUNCTIONS",
    "LAYERS",
    "PUBLISHED_NAMES",
    "THESIS_LAYERS",
    "Analysis",
    "AnalysisError",
    "Breakdown",
    "Call",
    "CpuCycles",
    "Message",
    "Slice",
    "Task",
    "analyse",
    "lower_median",
    "summarise",
    "text_log",
    "timeline",
]
