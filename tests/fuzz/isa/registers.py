# SPDX-License-Identifier: Apache-2.0
"""Units about control registers: stopped counters, and registers without effect.

Compared: what a stopped counter holds, whole; bits 0 and 2 of mcountinhibit; entries 8 to 15 of the protection, which
are off, but 12; whether an access to any other register traps. A counter that runs is read and its value dropped, as
are identification registers, which machines may fill as they like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.isa.program import Unit

if TYPE_CHECKING:
    from tests.fuzz.isa.generate import Generator

STOPPED = ("mcycle", "mcycleh", "minstret", "minstreth")
RUNNING = (*STOPPED, "cycle", "cycleh", "instret", "instreth", "time", "timeh")
IDENTITY = ("mvendorid", "marchid", "mimpid", "mconfigptr")
READ_ONLY = ("mvendorid", "marchid", "mimpid", "cycle", "cycleh", "instret", "instreth", "time", "timeh")

EXPECTED = {
    "mcountinhibit", "stopped counter", "running counter", "identification", "mip", "illegal write of a counter",
    "pmp off",
}  # fmt: skip
WRITES = ("csrrw", "csrrs", "csrrc")


def stopped(g: Generator) -> Unit:
    """Stop the counters, give each a value, change and read some of them, and let them go on."""
    lines = [f"csrrw x0, {name}, {g.one(g.any)} # stopped counter" for name in STOPPED]
    for _ in range(g.random.randrange(1, 6)):
        access = f"{g.one(WRITES)} {g.one(g.writable)}, {g.one(STOPPED)}, {g.one(g.any)}"
        lines.append(f"{access} # stopped counter")
    # QEMU 7.2 stops a counter when it is read for the first time after mcountinhibit was written.
    stop = ("csrrwi x0, mcountinhibit, 5", "csrrs x0, mcycle, x0", "csrrs x0, minstret, x0")
    return Unit((*stop, *lines, "csrrwi x0, mcountinhibit, 0"))


def inhibit(g: Generator) -> Unit:
    """What mcountinhibit holds."""
    first, second = g.random.choice((0, 1, 4, 5)), g.random.choice((0, 1, 4, 5))
    change = f"{g.one(('csrrsi', 'csrrci'))} x0, mcountinhibit, {second}"
    read = f"csrrwi {g.one(g.writable)}, mcountinhibit, 0 # mcountinhibit"
    return Unit((f"csrrwi x0, mcountinhibit, {first}", change, read))


def switched_off(g: Generator) -> Unit:
    """Entries of the protection that match nothing: their addresses, and rights without a range."""
    # Entry 12 may have been locked by a program before.
    name, work = f"pmpaddr{g.random.choice((8, 9, 10, 13, 14, 15))}", g.one(g.nonzero)
    config = sum(g.random.choice((0, 1, 3, 4, 5, 7)) << 8 * n for n in range(4))
    address = (f"csrrw {g.one(g.writable)}, {name}, {g.one(g.any)}", f"csrrs {g.one(g.writable)}, {name}, x0 # pmp off")
    rights = (f"csrrw {g.one(g.writable)}, pmpcfg2, {work}", f"csrrs {g.one(g.writable)}, pmpcfg2, x0 # pmp off")
    return Unit((*address, *g.word(work, config), *rights))


def registers(g: Generator) -> Unit:
    """One of all these."""
    kind, to = g.random.randrange(7), g.one(g.writable)
    if kind == 0:
        return stopped(g)
    if kind == 1:
        return inhibit(g)
    if kind == 2:
        return Unit((f"csrrs x0, {g.one(RUNNING)}, x0 # running counter",))
    if kind == 3:
        return Unit((f"csrrs x0, {g.one(IDENTITY)}, x0 # identification",))
    if (
        kind == 4
    ):  # no line can be raised by software; the timer's may be high, and QEMU 7.2 keeps those of modes that are absent
        access = f"{g.one(WRITES)} {to}, mip, {g.one(g.any)} # mip"
        return Unit((f"csrrs {g.one(g.writable)}, mstatush, x0", access, f"andi {to}, {to}, 8"))
    if kind == 5:
        return switched_off(g)
    if not g.may_trap(1.0):
        return g.register()
    return Unit((f"csrrwi {to}, {g.one(READ_ONLY)}, {g.random.randrange(32)} # illegal write of a counter",))
