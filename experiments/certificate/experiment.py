# SPDX-License-Identifier: Apache-2.0
"""The certificate: the same images on our model and on the RTL of open cores under Verilator.

A row is one program on one core: cycles between its two marks on both, and the difference in percent. What a program
computes must be the same on both, or the run fails. No published finding asks for this experiment; its targets are
ours: a mean absolute error of at most 1 % for each core, no program over 3 %, the network exact.
"""

from __future__ import annotations

from signalbox.certificate.measure import measure
from signalbox.certificate.table import grids
from signalbox.experiment.spec import Definition

EXPERIMENT = Definition(
    id="certificate",
    title="Cycles of the model against the RTL of open cores",
    summary="PicoRV32, Ibex and VexRiscv under Verilator, and the timing classes of these names, program by program.",
    platform="rtl-*",
    rows=lambda _settings: [],
    claims={},
    not_run={},
    direct=measure,
    direct_tables=grids,
)
