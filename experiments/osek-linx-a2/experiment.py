# SPDX-License-Identifier: Apache-2.0
"""Table A2 of osek-linx: the calls of table A1 without a data cache. Words and findings are those of osek-linx-a1."""

from __future__ import annotations

from functools import partial

from signalbox.experiment import appendix_a, load
from signalbox.experiment.spec import Definition

A1 = load("osek-linx-a1")
CLAIMS = ("c01-kernel-first-run-cold", "c02-kernel-later-call-cheaper", "c03-kernel-caches-dominate")
CLAIMS += ("c04-kernel-send-swap-receive", "c05-kernel-fsem-beats-signal")

EXPERIMENT = Definition(
    id="osek-linx-a2",
    title="Table A2: the kernel call by call, without a data cache",
    summary="Each row of appendix A beside ours, cold and warm, on a core with an instruction cache only.",
    platform="osek-a2",
    rows=lambda _settings: [],
    claims={f"osek-linx/{name}": A1.claims[f"osek-linx/{name}"] for name in CLAIMS},
    not_run={},
    direct=partial(A1.direct, own="A2"),  # type: ignore[arg-type, misc]
    direct_tables=partial(appendix_a.tables, own="A2"),
)
