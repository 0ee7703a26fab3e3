// SPDX-License-Identifier: Apache-2.0
//! The control registers, and the modes that they describe: machine mode, and user mode where the core has it.
//!
//! The event counters exist without storage: they read 0 and ignore writes, which the manual allows, so that start-up code
//! that sets them runs. A register that does not exist is `None`: an illegal instruction. Physical memory protection is in
//! `pmp`, the floating-point unit's share of mstatus here.

use crate::pmp::Pmp;
use crate::Hart;
use isa::{Code, IsaSet, Op};

/// Bits of mstatus that hold something.
const MIE: u32 = 1 << 3;
const MPIE: u32 = 1 << 7;
const MPP: u32 = 3 << 11;
const MPRV: u32 = 1 << 17;
const TW: u32 = 1 << 21;
/// mstatus.FS, and SD, which summarises it.
const FS: u32 = 3 << 13;
const SD: u32 = 1 << 31;
/// misa.U
const MISA_USER: u32 = 1 << 20;
/// Counters that mcounteren can show to user mode: cycle, time, instret.
const COUNTERS: u32 = 7;
/// Bits of menvcfg: fences order I/O as memory, and what cache-block operations do in user mode.
const FIOM: u32 = 1;
const CBIE: u32 = 3 << 4;
const CBCFE: u32 = 1 << 6;
/// Interrupt inputs that exist: software, timer, external, and the direct lines.
pub(crate) const LINES: u32 = 0xffff_0888;
/// Counters that mcountinhibit can stop: cycle and instret.
const INHIBIT_CYCLE: u32 = 1;
const INHIBIT_INSTRET: u32 = 4;

/// Counts at one boundary, for the counters that follow them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub now: u64,
    pub retired: u64,
}

/// A counter that can be written and stopped: it runs at a distance from the count that it follows.
#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    /// Added to the count, or the whole value while stopped.
    offset: u64,
}

impl Counter {
    fn get(self, count: u64, stopped: bool) -> u64 {
        if stopped {
            self.offset
        } else {
            count.wrapping_add(self.offset)
        }
    }

    fn set(&mut self, value: u64, count: u64, stopped: bool) {
        self.offset = if stopped { value } else { value.wrapping_sub(count) };
    }
}

/// Who this hart is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub hartid: u32,
    pub isa: IsaSet,
    /// Whether there is a user mode.
    pub user: bool,
    pub time_divider: u64,
}

impl Identity {
    fn misa(self) -> u32 {
        self.isa.misa() | if self.user { MISA_USER } else { 0 }
    }
}

/// What a cache-block operation does in the mode that it is executed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Block {
    Illegal,
    Flush,
    AsWritten,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Csrs {
    pub identity: Identity,
    /// The interrupt inputs as they are now: mip.
    pub lines: u32,
    /// The hart is in user mode.
    pub user: bool,
    /// mstatus.MPP is user mode.
    was_user: bool,
    mprv: bool,
    timeout_wait: bool,
    /// mstatus.FS: off, initial, clean, dirty.
    float_state: u8,
    /// fflags and frm.
    pub flags: u8,
    pub rounding: u8,
    counteren: u32,
    envcfg: u32,
    mie: u32,
    interruptible: bool,
    was_interruptible: bool,
    mtvec: u32,
    mscratch: u32,
    pub mepc: u32,
    pub mcause: u32,
    pub mtval: u32,
    inhibit: u32,
    cycle: Counter,
    instret: Counter,
}

fn low(v: u64) -> u32 {
    v as u32
}

fn high(v: u64) -> u32 {
    (v >> 32) as u32
}

impl Csrs {
    pub fn new(identity: Identity) -> Csrs {
        Csrs {
            identity,
            lines: 0,
            user: false,
            was_user: identity.user,
            mprv: false,
            timeout_wait: false,
            float_state: 0,
            flags: 0,
            rounding: 0,
            counteren: 0,
            envcfg: 0,
            mie: 0,
            interruptible: false,
            was_interruptible: false,
            mtvec: 0,
            mscratch: 0,
            mepc: 0,
            mcause: 0,
            mtval: 0,
            inhibit: 0,
            cycle: Counter::default(),
            instret: Counter::default(),
        }
    }

    /// Set or clear an input.
    pub fn set_line(&mut self, bit: u8, level: bool) {
        let mask = (1u32 << (bit & 31)) & LINES;
        if level {
            self.lines |= mask;
        } else {
            self.lines &= !mask;
        }
    }

    /// Enabled inputs that are high, whether or not interrupts are on.
    pub fn wakes(&self) -> u32 {
        self.lines & self.mie
    }

    /// Whether an interrupt could be taken now if one were pending.
    pub fn may_interrupt(&self) -> bool {
        self.interruptible || self.user
    }

    /// The interrupt to take now: external, software, timer, then the direct lines from the lowest bit on.
    pub fn interrupt(&self) -> Option<u32> {
        let high = self.wakes();
        if high == 0 || !self.may_interrupt() {
            return None;
        }
        let first = [11, 3, 7].into_iter().find(|bit| high >> bit & 1 != 0);
        Some(first.unwrap_or(high.trailing_zeros()))
    }

    /// Base of the trap vector.
    pub fn vector(&self) -> u32 {
        self.mtvec & !3
    }

    /// Where an interrupt with this number goes.
    pub fn interrupt_vector(&self, number: u32) -> u32 {
        self.vector().wrapping_add(if self.mtvec & 1 == 0 { 0 } else { number * 4 })
    }

    /// The state changes of a trap's entry.
    pub fn enter(&mut self, cause: u32, epc: u32, tval: u32) {
        self.was_user = self.user;
        self.user = false;
        self.was_interruptible = self.interruptible;
        self.interruptible = false;
        self.mepc = epc;
        self.mcause = cause;
        self.mtval = tval;
    }

    /// The state changes of mret; answers where execution goes on.
    pub fn leave(&mut self) -> u32 {
        self.user = self.was_user;
        self.was_user = self.identity.user;
        self.mprv &= !self.user;
        self.interruptible = self.was_interruptible;
        self.was_interruptible = true;
        self.mepc
    }

    /// Whether loads and stores have the rights of user mode.
    pub fn data_user(&self) -> bool {
        self.user || self.mprv && self.was_user
    }

    /// Whether the mode that the hart is in may access register `number` at all.
    pub fn may_access(&self, number: u16) -> bool {
        match number {
            _ if !self.user => true,
            0xc00..=0xc1f | 0xc80..=0xc9f => self.counteren >> (number & 31) & 1 != 0,
            _ => number >> 8 & 3 == 0,
        }
    }

    /// Whether floating-point instructions and registers may be used.
    #[inline(always)]
    pub fn float_on(&self) -> bool {
        self.float_state != 0
    }

    /// A floating-point register, flag or mode has been written.
    #[inline(always)]
    pub fn float_dirty(&mut self) {
        self.float_state = 3;
    }

    /// Whether wfi is an illegal instruction here.
    pub fn refuses_wfi(&self) -> bool {
        self.user && self.timeout_wait
    }

    /// cbo.clean and cbo.flush.
    pub fn block_clean(&self) -> Block {
        if self.user && self.envcfg & CBCFE == 0 {
            Block::Illegal
        } else {
            Block::AsWritten
        }
    }

    /// cbo.inval.
    pub fn block_invalidate(&self) -> Block {
        match self.envcfg & CBIE {
            _ if !self.user => Block::AsWritten,
            0 => Block::Illegal,
            CBIE => Block::AsWritten,
            _ => Block::Flush,
        }
    }

    fn mstatus(&self) -> u32 {
        let bits = [
            (self.interruptible, MIE),
            (self.was_interruptible, MPIE),
            (!self.was_user, MPP),
            (self.mprv, MPRV),
            (self.timeout_wait, TW),
        ];
        let float = u32::from(self.float_state) << 13 | if self.float_state == 3 { SD } else { 0 };
        bits.iter().filter(|(set, _)| *set).map(|(_, bit)| bit).sum::<u32>() | float
    }

    fn set_mstatus(&mut self, value: u32) {
        self.interruptible = value & MIE != 0;
        self.was_interruptible = value & MPIE != 0;
        if self.identity.isa.has(IsaSet::F) {
            self.float_state = ((value & FS) >> 13) as u8;
        }
        if self.identity.user {
            self.mprv = value & MPRV != 0;
            self.timeout_wait = value & TW != 0;
            // A mode that does not exist is not stored.
            match value & MPP {
                MPP => self.was_user = false,
                0 => self.was_user = true,
                _ => {}
            }
        }
    }

    fn set_envcfg(&mut self, value: u32) {
        let mut bits = FIOM;
        if self.identity.isa.has(IsaSet::ZICBOM) {
            bits |= CBCFE;
            // Of cbo.inval's choices the third is reserved.
            if value & CBIE != 2 << 4 {
                bits |= CBIE;
            }
        }
        self.envcfg = self.envcfg & !bits | value & bits;
    }

    /// mcycle (or what it stopped at).
    fn mcycle(&self, at: Counts) -> u64 {
        self.cycle.get(at.now, self.inhibit & INHIBIT_CYCLE != 0)
    }

    fn minstret(&self, at: Counts) -> u64 {
        self.instret.get(at.retired, self.inhibit & INHIBIT_INSTRET != 0)
    }

    /// The value of register `number`; `None` when there is none.
    pub fn read(&self, number: u16, at: Counts) -> Option<u32> {
        Some(match number {
            1..=3 if !self.float_on() => return None,
            1 => u32::from(self.flags),
            2 => u32::from(self.rounding),
            3 => u32::from(self.rounding) << 5 | u32::from(self.flags),
            0x300 => self.mstatus(),
            0x301 => self.identity.misa(),
            0x304 => self.mie,
            0x305 => self.mtvec,
            0x320 => self.inhibit,
            0x340 => self.mscratch,
            0x341 => self.mepc,
            0x342 => self.mcause,
            0x343 => self.mtval,
            0x344 => self.lines,
            0xb00 | 0xc00 => low(self.mcycle(at)),
            0xb80 | 0xc80 => high(self.mcycle(at)),
            0xb02 | 0xc02 => low(self.minstret(at)),
            0xb82 | 0xc82 => high(self.minstret(at)),
            0xc01 => low(at.now / self.identity.time_divider),
            0xc81 => high(at.now / self.identity.time_divider),
            0xf14 => self.identity.hartid,
            // mcounteren, menvcfg, menvcfgh: what user mode may do.
            0x306 if self.identity.user => self.counteren,
            0x30a if self.identity.user => self.envcfg,
            0x31a if self.identity.user => 0,
            // mstatush, mhpmevent
            0x310 | 0x323..=0x33f => 0,
            // mhpmcounter(h), hpmcounter(h)
            0xb03..=0xb1f | 0xb83..=0xb9f | 0xc03..=0xc1f | 0xc83..=0xc9f => 0,
            // mvendorid, marchid, mimpid, mconfigptr
            0xf11..=0xf13 | 0xf15 => 0,
            _ => return None,
        })
    }

    /// Write register `number`, which exists; `None` when it is read-only. `after` are the counts once the writing
    /// instruction has completed: the value of a counter holds from there on.
    pub fn write(&mut self, number: u16, value: u32, after: Counts) -> Option<()> {
        if number >> 10 == 3 {
            return None;
        }
        let lower = |old: u64| old & !0xffff_ffff | u64::from(value);
        let upper = |old: u64| old & 0xffff_ffff | u64::from(value) << 32;
        match number {
            1..=3 => {
                if number != 2 {
                    self.flags = value as u8 & 31;
                }
                if number != 1 {
                    self.rounding = (if number == 2 { value } else { value >> 5 }) as u8 & 7;
                }
                self.float_dirty();
            }
            0x300 => self.set_mstatus(value),
            0x304 => self.mie = value & LINES,
            // A reserved mode is not stored.
            0x305 if value & 2 == 0 => self.mtvec = value,
            0x306 => self.counteren = value & COUNTERS,
            0x30a => self.set_envcfg(value),
            0x320 => self.inhibit_counters(value, after),
            0x340 => self.mscratch = value,
            0x341 => self.mepc = value & if self.identity.isa.has(IsaSet::C) { !1 } else { !3 },
            0x342 => self.mcause = value,
            0x343 => self.mtval = value,
            0xb00 => self.set_cycle(lower(self.mcycle(after)), after),
            0xb80 => self.set_cycle(upper(self.mcycle(after)), after),
            0xb02 => self.set_instret(lower(self.minstret(after)), after),
            0xb82 => self.set_instret(upper(self.minstret(after)), after),
            _ => {}
        }
        Some(())
    }

    fn set_cycle(&mut self, value: u64, after: Counts) {
        self.cycle.set(value, after.now, self.inhibit & INHIBIT_CYCLE != 0);
    }

    fn set_instret(&mut self, value: u64, after: Counts) {
        self.instret.set(value, after.retired, self.inhibit & INHIBIT_INSTRET != 0);
    }

    fn inhibit_counters(&mut self, value: u32, after: Counts) {
        let (cycle, instret) = (self.mcycle(after), self.minstret(after));
        self.inhibit = value & (INHIBIT_CYCLE | INHIBIT_INSTRET);
        self.set_cycle(cycle, after);
        self.set_instret(instret, after);
    }

    pub fn hash(&self, f: &mut dyn FnMut(u64)) {
        let pairs = [
            (self.lines, self.mie),
            (self.mtvec, self.mscratch),
            (self.mepc, self.mcause),
            (self.mtval, self.inhibit),
            (self.counteren, self.envcfg),
            (self.mstatus(), u32::from(self.user)),
            (u32::from(self.flags), u32::from(self.rounding)),
        ];
        for (a, b) in pairs {
            f(u64::from(a) << 32 | u64::from(b));
        }
        f(self.cycle.offset);
        f(self.instret.offset);
    }
}

impl Hart {
    /// Read and write a control register; `None` is an illegal instruction.
    #[inline(never)]
    pub(crate) fn csr_access(&mut self, op: &Op, pc: u32, operand: u32, issue: u64, retired: u64) -> Option<u32> {
        let number = (op.imm & 0xfff) as u16;
        if !self.s.csrs.may_access(number) {
            return None;
        }
        let protects = Pmp::has(number);
        let old =
            if protects { self.pmp.read(number) } else { self.s.csrs.read(number, Counts { now: issue, retired })? };
        let immediate = ((op.imm >> 16) & 31) as u32;
        let (operand, writes) = match op.code {
            Code::Csrrw => (operand, true),
            Code::Csrrwi => (immediate, true),
            Code::Csrrs | Code::Csrrc => (operand, op.rs1 != 0),
            _ => (immediate, immediate != 0),
        };
        if writes {
            let value = match op.code {
                Code::Csrrw | Code::Csrrwi => operand,
                Code::Csrrs | Code::Csrrsi => old | operand,
                _ => old & !operand,
            };
            if protects {
                self.pmp.write(number, value);
                return Some(old);
            }
            let after = Counts { now: issue + self.csr_cost(op), retired: retired + 1 };
            let before = self.s.csrs.may_interrupt();
            self.s.csrs.write(number, value, after)?;
            self.s.masked.changed(before, self.s.csrs.may_interrupt(), after.now, pc);
        }
        Some(old)
    }
}
