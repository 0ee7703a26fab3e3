# SPDX-License-Identifier: Apache-2.0
"""Reports: the offline HTML page, and the timeline as a picture."""

from signalbox.report.of_trace import of_trace
from signalbox.report.page import render, write
from signalbox.report.picture import picture

__all__ = ["of_trace", "picture", "render", "write"]
