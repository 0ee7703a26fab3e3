# SPDX-License-Identifier: Apache-2.0
"""Probes: programs that isolate one cost, made from `experiments/certificate/probes.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signalbox.certificate import programs
from signalbox.resources import resource

if TYPE_CHECKING:
    from pathlib import Path

    from signalbox.certificate.cores import Core

REPETITIONS = 32
_TEMPLATE = """\
/* SPDX-License-Identifier: Apache-2.0 */
    .text
    .option norvc
    .balign 4
    .globl cert_run
cert_run:
    addi sp, sp, -16
    sw ra, 12(sp)
    call probe
    call probe
    call probe
    li a0, 0
    lw ra, 12(sp)
    addi sp, sp, 16
    ret
    .balign 64
probe:
    mv t6, ra
    la a0, cert_mark
    la a1, buffer
    li a2, 7
    li a3, 3
    li a4, 0
    {setup}
    .balign 64
    .rept 8
    nop
    .endr
990: sw zero, 0(a0)
    .rept 4
    nop
    .endr
    .rept {count}
    {body}
    .endr
    .balign 4
    .rept 8
    nop
    .endr
991: sw zero, 0(a0)
    mv ra, t6
    ret
    .pushsection .sb_probes, "", @progbits
    .4byte 990b
    .2byte 72
    .2byte 0
    .4byte 991b
    .2byte 72
    .2byte 0
    .popsection
    .bss
    .balign 64
buffer: .space 64
"""


@dataclass(frozen=True)
class Probe:
    """One probe."""

    name: str
    body: str
    setup: str
    needs: str

    def runs_on(self, core: Core) -> bool:
        """Whether the core has what the body needs."""
        if core.harts > 1:
            return False
        base, *extensions = core.march.removeprefix("rv32").split("_")
        answers = {
            "": True,
            "m": "m" in base,
            "c": "c" in base and "m" in base,
            "csr": core.trap_registers,
            "counters": core.counters,
            "machine": core.machine_mode,
            "misaligned": core.misaligned,
            "zifencei": "zifencei" in extensions,
        }
        return all(answers[need] for need in self.needs.split(" "))

    def source(self, count: int) -> str:
        """The program that repeats the body so many times."""
        return _TEMPLATE.format(count=count, body=self.body, setup=self.setup)

    def images(self, core: Core, out: Path) -> tuple[Path, Path]:
        """The programs with one and two times as many repetitions."""
        made = []
        for times in (1, 2):
            source = out / core.name / "probes" / f"{self.name}-{times}.S"
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(self.source(times * REPETITIONS))
            made.append(programs.link([source], ["-Wa,--no-warn"], core.march, source.with_suffix(".elf")))
        return made[0], made[1]


def probes() -> list[Probe]:
    """All probes."""
    data = tomllib.loads(resource("experiments", "certificate", "probes.toml").read_text())
    return [Probe(p["name"], p["body"], p.get("setup", ""), p.get("needs", "")) for p in data["probe"]]
