# SPDX-License-Identifier: Apache-2.0
"""Random programs for RV32IMAC with Zicsr and Zifencei in machine mode; more is in `privileged` and `floating`.

Only behaviour that the specification fixes, or that both machines state, is generated. Left out on purpose: counters
(they count cycles), interrupts of timers (they come at different instructions), wfi that waits, and an SC.W whose
success the specification leaves open.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeAlias

from tests.fuzz.isa import floating, privileged, registers
from tests.fuzz.isa.program import CODE_SLOT, CONTEXT, SCRATCH, SCRATCH_BYTES, Program, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EDGES = (0, 1, 2, 3, 4, 7, 8, 31, 32, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000,
         0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x55555555, 0xAAAAAAAA, 0xFFFF8000, 0xFFFFFF80)  # fmt: skip

WRITABLE = [f"x{n}" for n in range(32) if f"x{n}" not in (CONTEXT, SCRATCH)]
NONZERO = WRITABLE[1:]
COMPRESSED = [f"x{n}" for n in range(8, 16)]
ANY = [f"x{n}" for n in range(32)]

REGISTER = ("add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and")
MULTIPLY = ("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu")
IMMEDIATE = ("addi", "slti", "sltiu", "xori", "ori", "andi")
SHIFT = ("slli", "srli", "srai")
LOADS = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4}
STORES = {"sb": 1, "sh": 2, "sw": 4}
BRANCHES = ("beq", "bne", "blt", "bge", "bltu", "bgeu")
ATOMICS = ("amoswap.w", "amoadd.w", "amoxor.w", "amoand.w", "amoor.w", "amomin.w", "amomax.w", "amominu.w", "amomaxu.w")
CSR_REGISTER = ("csrrw", "csrrs", "csrrc")
CSR_IMMEDIATE = ("csrrwi", "csrrsi", "csrrci")

# Encodings that are reserved, or belong to extensions that neither machine has. Several read and write registers where
# they exist, so that an implementation which executes them is seen.
ILLEGAL_WORDS = {
    "custom-0": 0x0000000B, "custom-1": 0x0020852B, "custom-2": 0x0020855B, "custom-3": 0x0020857B,
    "addw": 0x0020853B, "addiw": 0x0010851B, "ld": 0x00023503, "load funct3 7": 0x00027503, "lwu": 0x00026503,
    "store funct3 3": 0x00A23023, "store funct3 4": 0x00A24023, "branch funct3 2": 0x00A52463,
    "branch funct3 3": 0x00A53463, "jalr funct3 1": 0x00051567, "slli shamt 32": 0x02051513,
    "srli shamt 32": 0x02055513, "srai shamt 32": 0x42055513, "op funct7 2": 0x04B50533,
    "op funct7 0x20 sll": 0x40B51533, "op funct7 0x21": 0x42B50533, "op funct7 0x7f": 0xFEB50533, "amo.d": 0x00B5352F,
    "amo funct3 0": 0x00B5052F, "amo funct5 0x1f": 0xF8B5252F, "amo funct5 5": 0x28B5252F,
    "lr.w with rs2": 0x1015252F, "system funct3 4": 0x00054573, "system 0x7ff": 0x7FF00073,
    "ecall with rd": 0x00000573, "ebreak with rs1": 0x00150073,
    **floating.ILLEGAL, "misc-mem funct3 7": 0x0000700F, "48 bits": 0x0000001F,
    "all ones": 0xFFFFFFFF,
}  # fmt: skip
ILLEGAL_HALVES = {
    "zero": 0x0000, "c.addi4spn 0": 0x0004, "c.fld": 0x2108, "reserved 100 00": 0x8108,
    "c.fsd": 0xA108, "c.lui 0": 0x6501, "c.addi16sp 0": 0x6101, "c.subw": 0x9D0D, "c.addw": 0x9D2D,
    "reserved 9c41": 0x9C41, "c.lwsp x0": 0x4002, "c.slli 32": 0x1502, "c.srli 32": 0x9101, "c.srai 32": 0x9501,
    "c.fldsp": 0x2502, "c.jr x0": 0x8002, "c.fsdsp": 0xA02A,
}  # fmt: skip
HINTS = {
    "c.nop hint": 0x0005, "c.addi 0 hint": 0x0501, "c.li x0 hint": 0x4005, "c.lui x0 hint": 0x6005,
    "c.slli x0 hint": 0x0006, "c.slli 0 hint": 0x0502, "c.srli 0 hint": 0x8101, "c.srai 0 hint": 0x8501,
    "c.mv x0 hint": 0x802A, "c.add x0 hint": 0x902A,
}  # fmt: skip
# addi x10, x10, 1 and -1, sub x10, x10, x11, mul x10, x10, x11
PATCHES = (0x00150513, 0xFFF50513, 0x40B50533, 0x02B50533)
ABSENT_CSRS = (0x003, 0x100, 0x105, 0x180, 0x200, 0x5C0, 0x7C0, 0x8C0, 0xBC0, 0xFC0)
READ_ONLY_CSRS = ("mhartid",)
UNMAPPED = (0x05000000, 0x05000FFC, 0x01000000)

MAX_TRAPS = 24

OPTIONAL = ("cbo.clean", "cbo.flush", "cbo.inval")

# Every instruction of the set, each of which a good number of programs must contain.
EXPECTED = {
    "lui", "auipc", "jal", "jalr", *BRANCHES, *LOADS, *STORES, *IMMEDIATE, *SHIFT, *REGISTER, "fence", "fence.i",
    "ecall", "ebreak", "mret", *MULTIPLY, "lr.w", "sc.w", *ATOMICS, *CSR_REGISTER, *CSR_IMMEDIATE, "c.addi4spn",
    "c.lw", "c.sw", "c.nop", "c.addi", "c.jal", "c.li", "c.addi16sp", "c.lui", "c.srli", "c.srai", "c.andi",
    "c.sub", "c.xor", "c.or", "c.and", "c.j", "c.beqz", "c.bnez", "c.slli", "c.lwsp", "c.jr", "c.mv", "c.ebreak",
    "c.jalr", "c.add", "c.swsp", *HINTS, *privileged.EXPECTED, *floating.EXPECTED,
    *registers.EXPECTED,
    *(f"illegal {name}" for name in (*ILLEGAL_WORDS, *ILLEGAL_HALVES)),
}  # fmt: skip


Weighted: TypeAlias = "tuple[Callable[[], Unit], int]"


class Generator:
    """Makes one program from a seed: the same everywhere, as long as the same optional instructions are asked for."""

    def __init__(self, name: str, optional: Sequence[str] = ()) -> None:
        self.name = name
        self.optional = tuple(optional)
        self.random = random.Random(name)
        self.traps = 0
        self.protects = self.random.random() < 0.6
        self.classes: list[Weighted] = [
            (self.register, 14), (self.multiply, 10), (self.immediate, 10), (self.upper, 4), (self.constant, 6),
            (self.load, 9), (self.store, 9), (self.compressed, 22), (self.compressed_memory, 6), (self.stack, 4),
            (self.hint, 2), (self.atomic, 8), (self.reserved, 4), (self.csr, 8), (self.status, 3), (self.fence, 2),
            (self.branch, 9), (self.jump, 5), (self.loop, 3), (self.patch, 1), (self.trap_return, 1),
            (self.exception, 5), (self.user, 5), (self.counters, 2), (self.lent, 1), (self.wait, 1),
            (self.executed, 1), (self.interrupted, 1), (self.registers, 5),
        ]  # fmt: skip
        if self.protects:
            self.classes += [(self.protect, 4), (self.locked, 1)]
        self.writable, self.nonzero, self.any = WRITABLE, NONZERO, ANY
        self.memory: list[Weighted] = [(self.load, 4), (self.store, 4), (self.compressed_memory, 2), (self.atomic, 2)]
        self.in_user_mode: list[Weighted] = [
            *self.memory, (self.register, 2), (self.immediate, 1), (self.constant, 2), (self.upper, 1),
            (self.compressed, 3), (self.stack, 2), (self.fence, 1), (self.exception, 1), (self.forbidden, 4),
            (self.executed, 2),
        ]  # fmt: skip
        # A program with floating point switches it on first; in the others it stays off.
        self.floats = self.random.random() < 0.5
        if self.floats:
            floats: list[Weighted] = [
                (self.float_tie, 12), (self.float_constant, 40), (self.float_operation, 90), (self.float_memory, 8),
                (self.float_state, 6),
            ]  # fmt: skip
            self.classes += [*floats, (self.float_switched, 2)]
            self.in_user_mode += [(make, weight // 4) for make, weight in floats]
        if optional:
            self.classes.append((self.cache, 4))
        apart = {self.branch, self.jump, self.loop, self.patch, self.trap_return, self.user, self.lent, self.wait,
                 self.interrupted, self.float_switched}  # fmt: skip
        self.simple = [c for c in self.classes if c[0] not in apart]

    # -- values --

    def one(self, of: tuple[str, ...] | list[str]) -> str:
        return self.random.choice(of)

    def value(self) -> int:
        kind = self.random.randrange(4)
        if kind == 0:
            return self.random.choice(EDGES)
        if kind == 1:
            return self.random.randrange(-64, 64) & 0xFFFFFFFF
        if kind == 2:
            return (1 << self.random.randrange(32)) + self.random.randrange(-1, 2) & 0xFFFFFFFF
        return self.random.getrandbits(32)

    def word(self, register: str, value: int) -> tuple[str, str]:
        """The two instructions that load a constant."""
        low = ((value & 0xFFF) ^ 0x800) - 0x800
        return f"lui {register}, {(value - low) >> 12 & 0xFFFFF:#x}", f"addi {register}, {register}, {low}"

    def imm12(self) -> int:
        return self.random.choice((self.random.randrange(-2048, 2048), self.random.randrange(-8, 8), -2048, 2047))

    def program(self) -> Program:
        count = self.random.randrange(60, 180)
        units = tuple(self.unit(self.classes) for _ in range(count))
        if self.floats:
            units = (floating.switched_on(self), *units)
        return Program(self.name, tuple(self.value() for _ in range(31)), self.random.getrandbits(32) | 1, units)

    def unit(self, classes: list[Weighted]) -> Unit:
        makers, weights = zip(*classes, strict=True)
        make: Callable[[], Unit] = self.random.choices(makers, weights)[0]
        return make()

    # -- modes --

    def user(self) -> Unit:
        return privileged.user(self)

    def registers(self) -> Unit:
        return registers.registers(self)

    def forbidden(self) -> Unit:
        return privileged.forbidden(self)

    def protect(self) -> Unit:
        return privileged.protect(self)

    def counters(self) -> Unit:
        return privileged.counters(self)

    def lent(self) -> Unit:
        return privileged.lent(self)

    def wait(self) -> Unit:
        return privileged.wait(self)

    def locked(self) -> Unit:
        return privileged.locked(self)

    def executed(self) -> Unit:
        return privileged.executed(self)

    def interrupted(self) -> Unit:
        return privileged.interrupted(self)

    # -- floating point --

    def float_constant(self) -> Unit:
        return floating.constant(self)

    def float_tie(self) -> Unit:
        return floating.tie(self)

    def float_operation(self) -> Unit:
        return floating.operation(self)

    def float_memory(self) -> Unit:
        return floating.memory(self)

    def float_state(self) -> Unit:
        return floating.state(self)

    def float_switched(self) -> Unit:
        return floating.switched(self)

    # -- arithmetic --

    def register(self) -> Unit:
        return Unit((f"{self.one(REGISTER)} {self.one(WRITABLE)}, {self.one(ANY)}, {self.one(ANY)}",))

    def multiply(self) -> Unit:
        a = self.one(ANY)
        b = a if self.random.random() < 0.1 else self.one(ANY)
        return Unit((f"{self.one(MULTIPLY)} {self.one(WRITABLE)}, {a}, {b}",))

    def immediate(self) -> Unit:
        if self.random.random() < 0.3:
            return Unit((f"{self.one(SHIFT)} {self.one(WRITABLE)}, {self.one(ANY)}, {self.random.randrange(32)}",))
        return Unit((f"{self.one(IMMEDIATE)} {self.one(WRITABLE)}, {self.one(ANY)}, {self.imm12()}",))

    def upper(self) -> Unit:
        return Unit((f"{self.one(('lui', 'auipc'))} {self.one(WRITABLE)}, {self.random.getrandbits(20):#x}",))

    def constant(self) -> Unit:
        return Unit(self.word(self.one(NONZERO), self.value()))

    # -- memory --

    def place(self, size: int, *, aligned: bool) -> int:
        """Where an access of `size` bytes may lie, relative to the middle of the scratch memory."""
        at = self.random.randrange(-SCRATCH_BYTES // 2, SCRATCH_BYTES // 2 - size + 1)
        # QEMU checks an access over a page's border as a whole or in parts, as its TLB happens to be.
        crosses = self.protects and -size < at < 0
        return at & -size if aligned or crosses else at

    def based(self, size: int, *, aligned: bool, limit: int = 1900) -> tuple[str, str, int]:
        """A line that makes a base register, the register, and the offset to use with it."""
        offset = (
            self.random.choice((self.random.randrange(-limit, limit), self.random.randrange(-16, 16), 0))
            if limit
            else 0
        )
        base = self.one(NONZERO)
        return f"addi {base}, {SCRATCH}, {self.place(size, aligned=aligned) - offset}", base, offset

    def load(self) -> Unit:
        name = self.one(list(LOADS))
        line, base, offset = self.based(LOADS[name], aligned=self.random.random() < 0.6)
        return Unit((line, f"{name} {self.one(WRITABLE)}, {offset}({base})"))

    def store(self) -> Unit:
        name = self.one(list(STORES))
        line, base, offset = self.based(STORES[name], aligned=self.random.random() < 0.6)
        return Unit((line, f"{name} {self.one(ANY)}, {offset}({base})"))

    def compressed_memory(self) -> Unit:
        base, offset = self.one(COMPRESSED), 4 * self.random.randrange(32)
        at = self.place(4, aligned=self.random.random() < 0.8)
        return Unit(
            (
                f"addi {base}, {SCRATCH}, {at - offset}",
                f"{self.one(('c.lw', 'c.sw'))} {self.one(COMPRESSED)}, {offset}({base})",
            )
        )

    def stack(self) -> Unit:
        offset = 4 * self.random.randrange(64)
        to_stack = f"addi x2, {SCRATCH}, {self.place(4, aligned=True) - offset}"
        kind = self.random.randrange(4)
        if kind == 0:
            return Unit((to_stack, f"c.swsp {self.one(ANY)}, {offset}(x2)"))
        if kind == 1:
            return Unit((to_stack, f"c.lwsp {self.one(NONZERO)}, {offset}(x2)"))
        if kind == 2:
            return Unit((f"c.addi4spn {self.one(COMPRESSED)}, x2, {4 * self.random.randrange(1, 256)}",))
        return Unit((f"c.addi16sp x2, {16 * self.random.choice([n for n in range(-32, 32) if n])}",))

    def cache(self) -> Unit:
        """The instructions that not every QEMU has. There is no cache on these machines; they must do nothing."""
        line, base, _ = self.based(1, aligned=False, limit=0)
        return Unit((line, f"{self.one(self.optional)} ({base})"))

    def fence(self) -> Unit:
        return Unit((self.one(("fence rw, rw", "fence", "fence.i", "fence.tso", "fence w, r")),))

    def ordering(self) -> str:
        return self.one(("", ".aq", ".rl", ".aqrl"))

    def atomic(self) -> Unit:
        name = self.one(ATOMICS)
        aligned = not self.may_trap(0.1)
        line, base, _ = self.based(4, aligned=True, limit=0)
        access = f"{name}{self.ordering()} {self.one(WRITABLE)}, {self.one(ANY)}, ({base}) # {name}"
        if aligned:
            return Unit((line, access))
        return Unit((line, f"ori {base}, {base}, {self.random.randrange(1, 4)}", access))

    def reserved(self) -> Unit:
        """LR and SC. The last SC of each kind ends the reservation, so that none is left for what follows."""
        line, base, _ = self.based(4, aligned=True, limit=0)
        others = [r for r in NONZERO if r != base]
        load = f"lr.w{self.ordering()} {self.one(others)}, ({base}) # lr.w"
        store = f"sc.w{self.ordering()} {self.one(others)}, {self.one(ANY)}, ({base}) # sc.w"
        between = [
            f"{self.one(REGISTER)} {self.one(others)}, {self.one(ANY)}, {self.one(ANY)}"
            for _ in range(self.random.randrange(3))
        ]
        kind = self.random.randrange(4)
        if kind == 0:  # succeeds, then fails for lack of a reservation
            return Unit((line, load, *between, store, store))
        if kind == 1 and self.may_trap(0.5):
            return Unit((line, f"ori {base}, {base}, 2", load))
        return Unit((line, load, *between, store))

    # -- compressed arithmetic --

    def compressed(self) -> Unit:
        r, s, t, u = (
            self.one(NONZERO),
            self.one([x for x in ANY if x != "x0"]),
            self.one(COMPRESSED),
            self.one(COMPRESSED),
        )
        small = self.random.choice([n for n in range(-32, 32) if n])
        upper = self.random.choice([*range(1, 32), *range(0xFFFE0, 0x100000)])
        shift = self.random.randrange(1, 32)
        return Unit((self.one((
            "c.nop", f"c.addi {r}, {small}", f"c.li {r}, {small}", f"c.lui {r if r != 'x2' else 'x5'}, {upper:#x}",
            f"c.srli {t}, {shift}", f"c.srai {t}, {shift}", f"c.andi {t}, {small}", f"c.slli {r}, {shift}",
            f"c.sub {t}, {u}", f"c.xor {t}, {u}", f"c.or {t}, {u}", f"c.and {t}, {u}",
            f"c.mv {r}, {s}", f"c.add {r}, {s}",
        )),))  # fmt: skip

    def hint(self) -> Unit:
        name = self.one(list(HINTS))
        return Unit((f".2byte {HINTS[name]:#x} # {name}",))

    # -- CSRs --

    def csr(self) -> Unit:
        kind = self.random.randrange(6)
        if kind == 0:
            return Unit((f"csrrs {self.one(WRITABLE)}, {self.one(('misa', 'mhartid', 'mtvec', 'mie'))}, x0",))
        if kind == 1:  # bit 0 of mepc is fixed; QEMU of some versions keeps it
            source = self.one(NONZERO)
            return Unit((f"c.andi {source}, -2" if source in COMPRESSED else f"andi {source}, {source}, -2",
                         f"csrrw {self.one(WRITABLE)}, mepc, {source}"))  # fmt: skip
        if kind == 2:
            return Unit((f"csrrs {self.one(WRITABLE)}, mhartid, x0", f"csrrci {self.one(WRITABLE)}, mhartid, 0"))
        name = self.one(("mscratch", "mscratch", "mtval"))
        if kind == 3:
            return Unit((f"{self.one(CSR_IMMEDIATE)} {self.one(WRITABLE)}, {name}, {self.random.randrange(32)}",))
        return Unit((f"{self.one(CSR_REGISTER)} {self.one(WRITABLE)}, {name}, {self.one(ANY)}",))

    def status(self) -> Unit:
        """mstatus.MIE and MPIE, and mie.MSIE and MEIE. No source of those interrupts is ever active."""
        register, to = self.one(NONZERO), self.one(WRITABLE)
        if self.random.random() < 0.5:
            bits = self.random.choice((0, 0x08, 0x80, 0x88))
            return Unit((f"addi {register}, x0, {bits}", f"{self.one(('csrrs', 'csrrc'))} {to}, mstatus, {register}",
                         f"andi {to}, {to}, 0x88"))  # fmt: skip
        if self.random.random() < 0.5:
            return Unit((f"{self.one(CSR_IMMEDIATE)} {self.one(WRITABLE)}, mie, {self.random.choice((0, 8))}",))
        return Unit((f"lui {register}, 1", f"addi {register}, {register}, {self.random.choice((-2048, -2040))}",
                     f"{self.one(CSR_REGISTER)} {self.one(WRITABLE)}, mie, {register}"))  # fmt: skip

    # -- control --

    def body(self, most: int) -> tuple[Unit, ...]:
        return tuple(self.unit(self.simple) for _ in range(self.random.randrange(most + 1)))

    def branch(self) -> Unit:
        if self.random.random() < 0.3:
            head = f"{self.one(('c.beqz', 'c.bnez'))} {self.one(COMPRESSED)}, {{label}}"
        else:
            head = f"{self.one(BRANCHES)} {self.one(ANY)}, {self.one(ANY)}, {{label}}"
        return Unit((head,), self.body(4), ("{label}:",))

    def jump(self) -> Unit:
        kind, target = self.random.randrange(6), self.one(NONZERO)
        address = (
            "{label}_a:",
            f"auipc {target}, %pcrel_hi({{label}})",
            f"addi {target}, {target}, %pcrel_lo({{label}}_a)",
        )
        if kind == 0:
            head: tuple[str, ...] = (f"jal {self.one(WRITABLE)}, {{label}}",)
        elif kind == 1:
            head = ("c.j {label}",)
        elif kind == 2:
            head = ("c.jal {label}",)
        elif kind == 3:
            head = (*address, f"c.{self.one(('jr', 'jalr'))} {target}")
        else:
            offset = self.random.choice((0, 1, -1, 4, -2048 + 2, 2047))
            even = offset & -2  # bit 0 of a jump's target is ignored
            back = (f"addi {target}, {target}, {-even}",) if even else ()
            head = (*address, *back, f"jalr {self.one(WRITABLE)}, {offset}({target})")
        return Unit(head, self.body(4), ("{label}:",))

    def loop(self) -> Unit:
        """Two to eight turns; nothing inside writes the counter."""
        before, self.traps = self.traps, MAX_TRAPS  # an exception inside would come at every turn
        counter = self.one(COMPRESSED)
        inside = [unit for unit in self.body(8) if not any(writes(line, counter) for line in unit.head)]
        self.traps = before
        back = f"c.bnez {counter}, {{label}}" if self.random.random() < 0.5 else f"bne {counter}, x0, {{label}}"
        return Unit(
            (f"addi {counter}, x0, {self.random.randrange(2, 9)}", "{label}:"),
            tuple(inside),
            (f"addi {counter}, {counter}, -1", back),
        )

    def patch(self) -> Unit:
        """Write an instruction into memory, fence.i, execute it and come back."""
        work, link = self.random.sample([r for r in NONZERO if r != "x10"], 2)
        return Unit((
            *self.word(work, self.random.choice(PATCHES)), f"sw {work}, {CODE_SLOT}({CONTEXT})",
            *self.word(work, int(link[1:]) << 15 | 0x67), f"sw {work}, {CODE_SLOT + 4}({CONTEXT})",  # jalr x0, 0(link)
            "fence.i",
            f"addi {work}, {CONTEXT}, {CODE_SLOT}", f"jalr {link}, 0({work})",
        ))  # fmt: skip

    def trap_return(self) -> Unit:
        """mret to a label, in machine mode."""
        target = self.one(NONZERO)
        return Unit(("{label}_a:", f"auipc {target}, %pcrel_hi({{label}})",
                     f"addi {target}, {target}, %pcrel_lo({{label}}_a)", f"csrrw x0, mepc, {target}",
                     f"lui {target}, 2", f"addi {target}, {target}, -2048",
                     f"csrrs x0, mstatus, {target}", "mret"), self.body(3), ("{label}:",))  # fmt: skip

    # -- exceptions --

    def may_trap(self, chance: float) -> bool:
        """Whether to make an exception here; a program has a bounded number of them."""
        if self.traps >= MAX_TRAPS or self.random.random() >= chance:
            return False
        self.traps += 1
        return True

    def exception(self) -> Unit:
        if not self.may_trap(1.0):
            return self.register()
        kind = self.random.randrange(7)
        if kind == 0:
            return Unit(("ecall",))
        if kind == 1:
            return Unit((self.one(("ebreak", "c.ebreak")),))
        if kind == 2:
            name = self.one(list(ILLEGAL_WORDS))
            return Unit((f".4byte {ILLEGAL_WORDS[name]:#x} # illegal {name}",))
        if kind == 3:
            name = self.one(list(ILLEGAL_HALVES))
            return Unit((f".2byte {ILLEGAL_HALVES[name]:#x} # illegal {name}",))
        if kind == 4:
            number = self.random.choice(ABSENT_CSRS)
            return Unit(
                (f"{self.one(CSR_REGISTER)} {self.one(WRITABLE)}, {number:#x}, {self.one(ANY)} # illegal absent CSR",)
            )
        if kind == 5:
            # A write is an attempt to write whatever the value; QEMU 7.2 lets one pass that sets no bit.
            name, source, to = self.one(READ_ONLY_CSRS), self.one(NONZERO), self.one(WRITABLE)
            access = self.one((f"csrrw {to}, {name}, x0", f"csrrs {to}, {name}, {source}", f"csrrwi {to}, {name}, 0"))
            return Unit((f"ori {source}, {source}, 1", f"{access} # illegal write of a read-only CSR"))
        base, address = self.one(NONZERO), self.random.choice(UNMAPPED)
        low = ((address & 0xFFF) ^ 0x800) - 0x800
        to = f"lui {base}, {(address - low) >> 12:#x}"
        if self.random.random() < 0.5:
            return Unit((to, f"{self.one(list(LOADS))} {self.one(WRITABLE)}, {low}({base}) # load from nowhere"))
        return Unit((to, f"{self.one(list(STORES))} {self.one(ANY)}, {low}({base}) # store to nowhere"))


def writes(line: str, register: str) -> bool:
    """Whether an instruction may write a register: it is the first operand (also of a store; that does no harm)."""
    words = line.partition("#")[0].replace(",", " ").split()
    return (len(words) > 1 and words[1] == register) or words[0] in {"c.jal", "c.jalr"}


def generate(seed: int, index: int, optional: Sequence[str] = ()) -> Program:
    """The program number `index` of a seed, with these optional instructions besides the set that is always there."""
    return Generator(f"{seed}/{index}", optional).program()
