// SPDX-License-Identifier: Apache-2.0
//! What happens between instructions: line changes, interrupts, exceptions, sleeping and waking.

use crate::input::{Change, What};
use crate::{Exception, Hart, Stop};
use trace::{kind, Account};
use units::Cycle;

/// Exception causes as `mcause` names them.
pub(crate) mod cause {
    pub const FETCH_MISALIGNED: u32 = 0;
    pub const FETCH_FAULT: u32 = 1;
    pub const ILLEGAL: u32 = 2;
    pub const BREAKPOINT: u32 = 3;
    pub const LOAD_MISALIGNED: u32 = 4;
    pub const LOAD_FAULT: u32 = 5;
    pub const STORE_MISALIGNED: u32 = 6;
    pub const STORE_FAULT: u32 = 7;
    pub const ECALL_U: u32 = 8;
    pub const ECALL_M: u32 = 11;
    pub const INTERRUPT: u32 = 1 << 31;
}

impl Hart {
    /// Act on everything that is due at the boundary before `pc`. Answers until when instructions may be executed
    /// without asking again, or why the hart stops here: at a limit before the limit to be executed under another regime.
    #[inline(never)]
    pub(crate) fn attend(&mut self, limit: u64) -> Result<u64, Stop> {
        loop {
            if self.s.now >= limit {
                return Err(Stop::Limit);
            }
            self.apply_changes(self.s.now);
            if let Some(number) = self.s.csrs.interrupt() {
                self.interrupt(number)?;
            }
            let until = limit.min(self.input.next()).min(u64::MAX - 1);
            if self.s.now < until {
                if self.regime != self.wanted_regime() {
                    return Err(Stop::Limit);
                }
                return Ok(until);
            }
        }
    }

    fn apply_changes(&mut self, now: u64) {
        while let Some(change) = self.input.take(now) {
            match change.what {
                What::Level(level) => self.s.csrs.set_line(change.bit, level),
                What::Vector(address) => self.s.vector = address & !3,
            }
        }
    }

    fn interrupt(&mut self, number: u32) -> Result<(), Stop> {
        let pc = self.s.pc;
        let cause = cause::INTERRUPT | number;
        let own = self.vectored == Some(number) && self.s.vector != 0;
        if self.s.csrs.vector() == 0 && !own {
            return Err(self.dead(cause, pc, 0));
        }
        self.note(kind::IRQ_ENTER, [number, pc, 0, 0, 0]);
        let target = if own { self.s.vector } else { self.s.csrs.interrupt_vector(number) };
        self.enter(cause, 0, pc, target);
        Ok(())
    }

    /// Take the exception of the instruction at `pc` whose last executed byte lies before `end`.
    #[cold]
    #[inline(never)]
    pub(crate) fn exception(&mut self, cause: u32, tval: u32, end: u32) -> Result<(), Stop> {
        let pc = self.s.pc;
        self.s.boundary = None;
        self.s.split = Default::default();
        let vector = self.s.csrs.vector();
        if vector == 0 {
            return Err(self.dead(cause, pc, tval));
        }
        if pc == vector && !self.s.csrs.user {
            // The handler's own first instruction faults: it would for ever. What it was entered for is worth more than
            // how it failed.
            let entered = self.s.entered == Some(self.s.retired);
            let c = self.s.csrs;
            return Err(if entered { self.dead(c.mcause, c.mepc, c.mtval) } else { self.dead(cause, pc, tval) });
        }
        self.note(kind::TRAP_ENTER, [cause, pc, tval, 0, 0]);
        if !matches!(cause, cause::ECALL_M | cause::ECALL_U) && !self.s.in_exception {
            self.s.in_exception = true;
            let exception = Exception { cause, pc, tval, at: Cycle(self.s.now), regs: self.regs() };
            self.exceptions.keep(exception, self.transfers);
        }
        self.enter(cause, tval, end, vector);
        Ok(())
    }

    fn enter(&mut self, cause: u32, tval: u32, end: u32, target: u32) {
        self.s.masked.changed(self.s.csrs.may_interrupt(), false, self.s.now, target);
        self.s.csrs.enter(cause, self.s.pc, tval);
        self.transfers.push(end, target);
        self.s.pc = target;
        self.s.entered = Some(self.s.retired);
        let hidden = if self.s.jumped || self.s.flushed { self.costs.interrupt_overlap } else { 0 };
        let interrupt = cause & cause::INTERRUPT != 0;
        let cost = if interrupt { self.costs.interrupt - hidden } else { self.costs.trap };
        self.s.now += cost;
        self.s.jumped = true;
        self.s.accounts[Account::Interrupt as usize] += cost;
    }

    /// mret at `at`, which has completed at `now`; answers where execution goes on.
    pub(crate) fn leave(&mut self, now: u64, at: u32) -> u32 {
        let before = self.s.csrs.may_interrupt();
        let pc = self.s.csrs.leave();
        self.s.masked.changed(before, self.s.csrs.may_interrupt(), now, at);
        self.s.in_exception = false;
        pc
    }

    fn dead(&mut self, cause: u32, pc: u32, tval: u32) -> Stop {
        let stop = Stop::Fault { cause, pc, tval };
        self.s.pc = pc;
        self.s.dead = Some(stop);
        stop
    }

    /// wfi has completed.
    pub(crate) fn sleep(&mut self) {
        self.s.asleep = true;
        self.note(kind::SLEEP, [0; 5]);
    }

    /// Look at the next line changes of a sleeping hart, up to one instant before `limit`, and wake it there if they do so.
    ///
    /// Not further: what has been seen cannot be preceded any more, and the owner knows only when that instant has come
    /// that nothing comes before it.
    pub(crate) fn wake(&mut self, limit: u64) -> bool {
        let slept = self.s.now;
        let at = if self.s.csrs.wakes() != 0 { slept } else { self.input.next().max(slept) };
        if at >= limit {
            return false;
        }
        self.apply_changes(at);
        if self.s.csrs.wakes() == 0 {
            return false;
        }
        self.s.now = at;
        self.s.accounts[Account::Idle as usize] += at - slept;
        self.s.asleep = false;
        self.note(kind::WAKE, [0; 5]);
        self.s.now += self.costs.wake;
        self.s.flushed = true;
        true
    }

    pub(crate) fn note(&mut self, kind: u16, args: [u32; 5]) {
        if let Some(r) = &mut self.recorder {
            r.push(kind, self.s.now, args, &self.s.accounts);
        }
    }

    /// When the line `bit` changes to `level`. May be called at any time for an instant that this hart has not
    /// passed; see [`Hart::passed`].
    pub fn set_line(&mut self, bit: u8, level: bool, at: Cycle) {
        self.input.add(Change { at: at.0, bit, what: What::Level(level) });
    }

    /// The line `bit` is one of a vectored interrupt block: an interrupt of it begins where [`set_vector`](Self::set_vector) says. Before the
    /// first instruction; one line at most.
    pub fn set_vectored(&mut self, bit: u8) {
        self.vectored = Some(u32::from(bit));
    }

    /// Where an interrupt of the vectored line begins from `at` on; 0 is where `mtvec` says. As for [`set_line`](Self::set_line).
    pub fn set_vector(&mut self, bit: u8, address: u32, at: Cycle) {
        self.input.add(Change { at: at.0, bit, what: What::Vector(address) });
    }

    /// Whether the hart has already decided what to do at the first boundary at or after `at`. If so, a change at `at`
    /// is too late, unless the owner rewinds first. A hart that is suspended has passed the boundary of the instruction
    /// that it is suspended at.
    pub fn passed(&self, at: Cycle) -> bool {
        match &self.s.boundary {
            Some(b) => at.0 <= b.now,
            None => at.0 < self.s.now,
        }
    }

    /// The instant of the next line change that has not been seen yet. A sleeping hart with an enabled line already high
    /// has one now: it wakes when it runs on.
    pub fn next_line_change(&self) -> Option<Cycle> {
        if self.s.asleep && self.s.csrs.wakes() != 0 {
            return Some(Cycle(self.s.now));
        }
        Some(Cycle(self.input.next())).filter(|at| *at != Cycle::NEVER)
    }
}
