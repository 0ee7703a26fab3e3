# SPDX-License-Identifier: Apache-2.0
"""Units of the F extension: every instruction and rounding mode on numbers at the edges, flags, modes, mstatus.FS.

Not generated: an instruction that raises a flag and writes no floating-point register while mstatus.FS is not dirty.
The manual lets a core be late with FS there, QEMU is, and the simulator is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.isa.program import SCRATCH, Unit

if TYPE_CHECKING:
    from tests.fuzz.isa.generate import Generator

REGISTERS = [f"f{n}" for n in range(32)]
COMPRESSED = [f"f{n}" for n in range(8, 16)]
FS = 0x6000
MODES = ("", "", ", rne", ", rtz", ", rdn", ", rup", ", rmm", ", dyn")

BINARY = ("fadd.s", "fsub.s", "fmul.s", "fdiv.s")
FUSED = ("fmadd.s", "fmsub.s", "fnmsub.s", "fnmadd.s")
EXACT = ("fsgnj.s", "fsgnjn.s", "fsgnjx.s", "fmin.s", "fmax.s")
COMPARE = ("feq.s", "flt.s", "fle.s")
TO_INTEGER = ("fcvt.w.s", "fcvt.wu.s")
FROM_INTEGER = ("fcvt.s.w", "fcvt.s.wu")
OTHERS = ("fsqrt.s", "fclass.s", "fmv.x.w", "fmv.w.x", "flw", "fsw", "c.flw", "c.fsw", "c.flwsp", "c.fswsp")
ILLEGAL = {
    "fadd.s mode 5": 0x00C5D553, "fmadd.s mode 6": 0x68C5E543, "fadd.d": 0x02C5F553, "fmadd.d": 0x6AC5F543,
    "fsqrt.s with rs2": 0x5815F553, "fsgnj.s 3": 0x20C5B553, "fmin.s 2": 0x28C5A553, "feq.s 3": 0xA0C5B553,
    "fmv.x.w 2": 0xE005A553, "fcvt.l.s": 0xC025F553, "fmv.w.x 1": 0xF0059553, "fld": 0x00023507, "fsd": 0x00A23027,
}  # fmt: skip

EXPECTED = {
    *BINARY, *FUSED, *EXACT, *COMPARE, *TO_INTEGER, *FROM_INTEGER, *OTHERS, "float on", "float off", "frm", "fflags",
    "fcsr", "reserved frm",
}  # fmt: skip

EDGES = (0x00000000, 0x00000001, 0x00000003, 0x007FFFFF, 0x00800000, 0x00800001, 0x00FFFFFF, 0x337FFFFF, 0x33800000,
         0x33800001, 0x3EFFFFFF, 0x3F000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3FC00000, 0x40000000, 0x4B000001,
         0x4B800000, 0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000, 0x7E800000, 0x7F000000, 0x7F7FFFFF, 0x7F800000,
         0x7F800001, 0x7FBFFFFF, 0x7FC00000, 0x7FFFFFFF)  # fmt: skip


def switched_on(g: Generator) -> Unit:
    """mstatus.FS from off to dirty."""
    register = g.one(g.nonzero)
    return Unit((*g.word(register, FS), f"csrrs x0, mstatus, {register} # float on"))


def number(g: Generator) -> int:
    """A number at an edge, near one, or any."""
    kind = g.random.randrange(4)
    sign = g.random.choice((0, 0x80000000))
    if kind < 2:
        return g.random.choice(EDGES) | sign
    if kind == 2:  # near 1, where differences cancel out; with 14 significant bits products lie between two numbers
        bits = g.random.choice((23, 13, 13))
        return sign | (g.random.randrange(115, 140) << 23 | g.random.getrandbits(bits) << (23 - bits))
    return g.random.getrandbits(32)


def constant(g: Generator) -> Unit:
    register = g.one(g.nonzero)
    return Unit((*g.word(register, number(g)), f"fmv.w.x {g.one(REGISTERS)}, {register}"))


def operation(g: Generator) -> Unit:
    """One instruction between registers, mostly of few so that results meet again."""
    few = REGISTERS[:6] if g.random.random() < 0.7 else REGISTERS
    d, a, b, c = (g.one(few) for _ in range(4))
    x, mode = g.one(g.writable), g.one(MODES)
    return Unit((g.one((
        f"{g.one(BINARY)} {d}, {a}, {b}{mode}", f"{g.one(BINARY)} {d}, {a}, {b}{mode}",
        f"{g.one(FUSED)} {d}, {a}, {b}, {c}{mode}", f"{g.one(FUSED)} {d}, {a}, {b}, {c}{mode}",
        f"fsqrt.s {d}, {a}{mode} # fsqrt.s", f"{g.one(EXACT)} {d}, {a}, {b}", f"{g.one(COMPARE)} {x}, {a}, {b}",
        f"{g.one(TO_INTEGER)} {x}, {a}{mode}", f"{g.one(FROM_INTEGER)} {d}, {g.one(g.any)}{mode}",
        f"fclass.s {x}, {a}", f"fmv.x.w {x}, {a}",
    )),))  # fmt: skip


def tie(g: Generator) -> Unit:
    """What lies in the middle between two results: half an integer, an integer of 25 bits, 1 and half its last bit; and
    the lesser and the greater of two numbers, which elsewhere are mostly not numbers."""
    x, d, mode = g.one(g.nonzero), g.one(REGISTERS), g.one(MODES)
    sign = g.random.choice((0, 0x80000000))
    kind = g.random.randrange(4)
    if kind == 3:
        a, b = g.random.sample(REGISTERS, 2)
        return Unit((*g.word(x, number(g)), f"fmv.w.x {a}, {x}", *g.word(x, number(g)), f"fmv.w.x {b}, {x}",
                     f"{g.one(('fmin.s', 'fmax.s'))} {d}, {a}, {b}", f"fmv.x.w {x}, {d}"))  # fmt: skip
    if kind == 0:
        half = g.random.choice((0x3F000000, 0x3FC00000, 0x40200000, 0x40600000))
        return Unit((*g.word(x, half | sign), f"fmv.w.x {d}, {x}", f"fcvt.w.s {g.one(g.nonzero)}, {d}{mode}"))
    if kind == 1:
        value = (1 << 24 | g.random.getrandbits(24) | 1) * (-1 if sign else 1)
        return Unit((*g.word(x, value & 0xFFFFFFFF), f"fcvt.s.w {d}, {x}{mode}"))
    one, half = (0x3F800000 | g.random.getrandbits(2) | sign), 0x33800000 | sign
    a, b = g.random.sample(REGISTERS, 2)
    return Unit((*g.word(x, one), f"fmv.w.x {a}, {x}", *g.word(x, half), f"fmv.w.x {b}, {x}",
                 f"fadd.s {d}, {a}, {b}{mode}"))  # fmt: skip


def memory(g: Generator) -> Unit:
    kind = g.random.randrange(6)
    if kind == 0:
        base, offset = g.one(COMPRESSED).replace("f", "x"), 4 * g.random.randrange(32)
        access = f"{g.one(('c.flw', 'c.fsw'))} {g.one(COMPRESSED)}, {offset}({base})"
        return Unit((f"addi {base}, {SCRATCH}, {g.place(4, aligned=True) - offset}", access))
    if kind == 1:
        offset = 4 * g.random.randrange(64)
        access = f"{g.one(('c.flwsp', 'c.fswsp'))} {g.one(REGISTERS)}, {offset}(x2)"
        return Unit((f"addi x2, {SCRATCH}, {g.place(4, aligned=True) - offset}", access))
    line, base, offset = g.based(4, aligned=g.random.random() < 0.7)
    return Unit((line, f"{g.one(('flw', 'fsw'))} {g.one(REGISTERS)}, {offset}({base})"))


def state(g: Generator) -> Unit:
    """Flags, the dynamic mode, and both; a reserved mode is used once, as an illegal instruction."""
    kind = g.random.randrange(6)
    if kind == 0:
        return Unit((f"csrrwi {g.one(g.writable)}, frm, {g.random.randrange(5)} # frm",))
    if kind == 1:
        access = f"{g.one(('csrrwi', 'csrrsi', 'csrrci'))} {g.one(g.writable)}, fflags, {g.random.randrange(32)}"
        return Unit((f"{access} # fflags",))
    if kind == 2:
        register = g.one(g.nonzero)
        value = f"andi {register}, {register}, {g.random.choice((0x1F, 0x7F & ~0x60, 0x9F))}"
        return Unit((value, f"csrrw {g.one(g.writable)}, fcsr, {register} # fcsr"))
    if kind == 3 and g.may_trap(1.0):
        return Unit((f"csrrwi x0, frm, {g.random.randrange(5, 8)}", "fadd.s f1, f2, f3 # reserved frm",
                     "fsgnj.s f4, f5, f6", "csrrwi x0, frm, 0 # frm"))  # fmt: skip
    return Unit((f"csrrs {g.one(g.writable)}, {g.one(('fflags', 'frm', 'fcsr'))}, x0 # fflags",))


def switched(g: Generator) -> Unit:
    """mstatus.FS off, where everything is illegal; or initial or clean, until a register is written."""
    work, other = g.random.sample(g.nonzero, 2)
    off = (*g.word(work, FS), f"csrrc x0, mstatus, {work}")
    if g.random.random() < 0.5 and g.may_trap(1.0):
        attempt = g.one(("fadd.s f1, f2, f3", "fmv.x.w x5, f1", "flw f1, 0(x4)", "fsw f1, 0(x4)", "c.flw f8, 0(x8)",
                         "csrrs x5, fcsr, x0", "c.fswsp f1, 0(x2)"))  # fmt: skip
        return Unit((*off, f"{attempt} # float off", f"csrrs x0, mstatus, {work} # float on"))
    some = g.random.choice((0x2000, 0x4000))
    read = f"csrrs {other}, mstatus, x0"
    dirty = g.one(("fmv.w.x f1, x5", "flw f1, 0(x4)", "fsub.s f1, f2, f3"))
    return Unit((*off, *g.word(other, some), f"csrrs x0, mstatus, {other} # float on", read, "fsw f1, 0(x4)",
                 f"csrrs {work}, mstatus, x0", dirty))  # fmt: skip
