# SPDX-License-Identifier: Apache-2.0
"""Units about modes and memory protection: user mode, its way in and out, what it may do, interrupts, PMP.

The harness gives user mode everything up to the scratch memory by entry 0 of the protection, so what it executes is
always permitted. Entries 4 to 7 are the programs', and lie in the scratch memory's two pages. Only what QEMU 7.2 does
as the specification says is generated: no region covers a page of which another covers a part (QEMU then keeps one
answer for the whole page), addresses are written while their entries are off, no bits that are reserved together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.isa.program import CONTEXT, LEAVE, LOCKED_AT, SCRATCH, SCRATCH_BYTES, Unit

if TYPE_CHECKING:
    from tests.fuzz.isa.generate import Generator

MPP = 0x1800
MPRV = 1 << 17
TW = 1 << 21
READ, WRITE, EXECUTE = 1, 2, 4
OFF, TOR, NA4, NAPOT = 0, 8, 16, 24
RIGHTS = (0, READ, READ | WRITE, EXECUTE, READ | EXECUTE, READ | WRITE | EXECUTE)
MACHINE_CSRS = ("mstatus", "misa", "mie", "mtvec", "mscratch", "mepc", "mcause", "mtval", "mip", "mhartid",
                "mcounteren", "menvcfg", "mcountinhibit", "pmpcfg0", "pmpaddr3", "mcycle", "minstret")  # fmt: skip
COUNTERS = ("cycle", "time", "instret", "cycleh", "timeh", "instreth")

EXPECTED = {
    "to user mode", "back to machine mode", "protect", "mret in user mode", "wfi in user mode", "CSR in user mode",
    "counter in user mode", "mcounteren", "menvcfg", "mprv", "locked", "jump into the scratch memory", "interrupt",
}  # fmt: skip


def setting(g: Generator, mask: int, *, on: bool, comment: str = "") -> tuple[str, ...]:
    """Set or clear bits of mstatus."""
    register = g.one(g.nonzero)
    tag = f" # {comment}" if comment else ""
    return (*g.word(register, mask), f"{'csrrs' if on else 'csrrc'} x0, mstatus, {register}{tag}")


def user(g: Generator) -> Unit:
    """Into user mode by mret, a few units there, and back by an environment call that the harness knows."""
    register, leave = g.one(g.nonzero), g.one(g.nonzero)
    head = (
        "{label}_a:", f"auipc {register}, %pcrel_hi({{label}})",
        f"addi {register}, {register}, %pcrel_lo({{label}}_a)", f"csrrw x0, mepc, {register}",
        *setting(g, MPP, on=False, comment="to user mode"), "mret", "{label}:",
    )  # fmt: skip
    body = tuple(g.unit(g.in_user_mode) for _ in range(g.random.randrange(1, 8)))
    tail = (f"addi {leave}, x0, 1", f"sw {leave}, {LEAVE}({CONTEXT})", "ecall # back to machine mode")
    return Unit(head, body, tail)


def forbidden(g: Generator) -> Unit:
    """What user mode may not execute."""
    if not g.may_trap(1.0):
        return g.register()
    kind = g.random.randrange(4)
    if kind == 0:
        return Unit(("mret # mret in user mode",))
    if kind == 1:
        access = f"{g.one(('csrrw', 'csrrs', 'csrrc'))} {g.one(g.writable)}, {g.one(MACHINE_CSRS)}, {g.one(g.any)}"
        return Unit((f"{access} # CSR in user mode",))
    # Where mcounteren permits it, the value goes nowhere: it counts cycles.
    return Unit((f"csrrs x0, {g.one(COUNTERS)}, x0 # counter in user mode",))


def wait(g: Generator) -> Unit:
    """wfi in user mode where mstatus.TW forbids it."""
    if not g.may_trap(1.0):
        return g.register()
    inside = user(g)
    body = (Unit(("wfi # wfi in user mode",)),)
    return Unit((*setting(g, TW, on=True), *inside.head), body, (*inside.tail, *setting(g, TW, on=False)))


def counters(g: Generator) -> Unit:
    """mcounteren (of the counters that exist) and menvcfg (without the reserved choice for cbo.inval)."""
    if g.random.random() < 0.6:
        return Unit((f"csrrwi {g.one(g.writable)}, mcounteren, {g.random.randrange(8)} # mcounteren",))
    value, register = g.random.choice((0x00, 0x01, 0x10, 0x30, 0x31, 0x40, 0x41, 0x71)), g.one(g.nonzero)
    access = f"csrrw {g.one(g.writable)}, menvcfg, {register} # menvcfg"
    return Unit((f"addi {register}, x0, {value}", access))


def protect(g: Generator) -> Unit:
    """Some of the entries 1 to 7, over the scratch memory. x4 points to its middle, which is a page's border."""
    work, to = g.random.sample(g.nonzero, 2)
    lines = ["csrrwi x0, pmpcfg1, 0"]
    first = g.random.randrange(4, 7)
    config = 0
    for number in range(first, g.random.randrange(first + 1, 9)):
        size = g.random.choice((8, 8, 16, 32, 64, 128))
        at = g.random.randrange(-SCRATCH_BYTES // 2, SCRATCH_BYTES // 2) & -size
        form = g.random.choice((OFF, TOR, NA4, NAPOT, NAPOT)) if number > first else NAPOT
        lines += [f"addi {work}, {SCRATCH}, {at}", f"srli {work}, {work}, 2"]
        if form == NAPOT and size > 8:
            lines.append(f"ori {work}, {work}, {size // 8 - 1}")
        lines.append(f"csrrw {g.one(g.writable) if g.random.random() < 0.2 else 'x0'}, pmpaddr{number}, {work}")
        config |= (form | g.random.choice(RIGHTS)) << 8 * (number - 4)
    lines += [*g.word(work, config), f"csrrw {to}, pmpcfg1, {work} # protect"]
    return Unit(tuple(lines))


def lent(g: Generator) -> Unit:
    """Loads and stores of machine mode with the rights of user mode. A trap ends it, and so does mret to user mode."""
    body = tuple(g.unit(g.memory) for _ in range(g.random.randrange(1, 4)))
    head = (*setting(g, MPP, on=False), *setting(g, MPRV, on=True, comment="mprv"))
    return Unit(head, body, setting(g, MPRV, on=False))


def locked(g: Generator) -> Unit:
    """Entry 12 protects a few bytes from machine mode too. It stays so for later programs, which do the same again."""
    if not g.may_trap(1.0):
        return g.register()
    base, work, to = g.random.sample(g.nonzero, 3)
    other = g.random.getrandbits(32) & 0x3FFFFFFF
    attempt = g.one((f"sw {work}, 8({base})", f"lw {to}, 60({base})", f"amoadd.w {to}, {work}, ({base})"))
    return Unit((
        *g.word(work, LOCKED_AT), f"add {base}, {CONTEXT}, {work}",
        f"srli {work}, {base}, 2", f"ori {work}, {work}, 7", f"csrrw x0, pmpaddr12, {work}",
        f"addi {work}, x0, {0x80 | NAPOT | READ}", f"csrrs x0, pmpcfg3, {work} # locked",
        *g.word(work, other), f"csrrw x0, pmpaddr12, {work}", "csrrwi x0, pmpcfg3, 0",
        f"csrrs {to}, pmpaddr12, x0", f"csrrs {work}, pmpcfg3, x0", attempt,
    ))  # fmt: skip


def executed(g: Generator) -> Unit:
    """A return in the scratch memory, and a call of it: the harness goes on at x1 when it may not be executed."""
    base, work, wanted = g.random.sample([r for r in g.nonzero if r != "x1"], 3)
    return Unit((
        f"addi {base}, {SCRATCH}, {g.place(4, aligned=True)}", *g.word(wanted, 0x8067), f"sw {wanted}, 0({base})",
        "fence.i", f"addi {work}, x0, 0", f"lw {work}, 0({base})", f"bne {work}, {wanted}, {{label}}",
        f"jalr x1, 0({base}) # jump into the scratch memory", "{label}:",
    ))  # fmt: skip


def interrupted(g: Generator) -> Unit:
    """A software interrupt, pending from before it is let in: by mstatus.MIE, or by entering user mode."""
    base, work = g.random.sample(g.nonzero, 2)
    before = (
        "csrrwi x0, mie, 8", f"lui {base}, 0x2000", f"addi {work}, x0, 1", "csrrci x0, mstatus, 8",
        f"sw {work}, 0({base})", f"lw {work}, 0({base})", "fence",
    )  # fmt: skip
    if g.random.random() < 0.5:
        return Unit((*before, "csrrsi x0, mstatus, 8 # interrupt", "csrrwi x0, mie, 0"))
    inside = user(g)
    return Unit((*before, "addi x0, x0, 0 # interrupt", *inside.head), inside.body, (*inside.tail, "csrrwi x0, mie, 0"))
