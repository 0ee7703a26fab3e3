# SPDX-License-Identifier: Apache-2.0
"""The text log of osek-linx 3.7.1.4: signals, context switches, measured calls, with tabs between the columns.

    Timestamp  Core  Type  Number  Info
    5000534    0     SIG   0       OFFER SIZE(128)      send is called
    5016356    0     SIG   0       SEND RET             send returns
    5037502    0     SIG   0       DELIVER              receive returns
    10871      0     CS    7       FROM(2) TO(8)        context switch, processes by number
    14292      0     CALL  12      FUNC(5)              a measured call begins
    19518      0     RET   12      FUNC(5)              and ends

As there, the three lines of a signal stand together and name the sender's core; then come the switches and then the
calls, each numbered per core. Processes have the numbers in which their core created them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from signalbox.analysis.model import FUNCTIONS

if TYPE_CHECKING:
    from signalbox.analysis.messages import Analysis

HEADER = "Timestamp\tCore\tType\tNumber\tInfo"


def text_log(analysis: Analysis) -> str:
    """The whole log; it ends with a newline."""
    lines = [HEADER]
    for m in analysis.messages:
        lines.append(f"{m.send_call}\t{m.sender_core}\tSIG\t{m.number}\tOFFER SIZE({m.size_bytes})")
        lines.append(f"{m.send_return}\t{m.sender_core}\tSIG\t{m.number}\tSEND RET")
        lines.append(f"{m.receive_return}\t{m.sender_core}\tSIG\t{m.number}\tDELIVER")
    numbers = [task.number for task in analysis.tasks] + [0]  # the last: before the first task runs
    for core, table in sorted(analysis.cores.items()):
        for number, (left, entered) in enumerate(zip(table.slices, table.slices[1:], strict=False)):
            lines.append(
                f"{entered.start}\t{core}\tCS\t{number}\tFROM({numbers[left.task]}) TO({numbers[entered.task]})"
            )
    for core, table in sorted(analysis.cores.items()):
        called = sorted((c for c in table.calls if c.name in FUNCTIONS), key=lambda c: (c.start, c.depth))
        for number, call in enumerate(called):
            function = FUNCTIONS[call.name]
            lines.append(f"{call.start}\t{core}\tCALL\t{number}\tFUNC({function})")
            lines.append(f"{call.end}\t{core}\tRET\t{number}\tFUNC({function})")
    return "\n".join(lines) + "\n"
