// SPDX-License-Identifier: Apache-2.0
//! The exception whose handler is running, kept for who explains why a program ended itself inside the handler.
//!
//! Kept apart from the state that every checkpoint copies: it is large and changes rarely.

use crate::observe::Peek;
use crate::transfers::{bits_at, Transfers};
use crate::trap::cause;
use crate::Hart;
use units::Cycle;

/// An exception as it was taken; environment calls are not kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exception {
    /// As in mcause.
    pub cause: u32,
    /// Of the instruction.
    pub pc: u32,
    /// As in mtval.
    pub tval: u32,
    /// When it was taken.
    pub at: Cycle,
    /// Registers before the handler's first instruction.
    pub regs: [u32; 32],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Excepted {
    exception: Exception,
    transfers: Transfers,
}

/// The exception taken last, and the one at the checkpoint.
#[derive(Clone, Debug)]
pub(crate) struct Exceptions {
    last: Excepted,
    saved: Excepted,
    changed: bool,
}

impl Exceptions {
    pub fn new(transfers: Transfers) -> Exceptions {
        let none = Excepted { exception: Exception::default(), transfers };
        Exceptions { last: none, saved: none, changed: false }
    }

    pub fn keep(&mut self, exception: Exception, transfers: Transfers) {
        self.last = Excepted { exception, transfers };
        self.changed = true;
    }

    pub fn checkpoint(&mut self) {
        if self.changed {
            self.saved = self.last;
            self.changed = false;
        }
    }

    pub fn rewind(&mut self) {
        if self.changed {
            self.last = self.saved;
            self.changed = false;
        }
    }
}

impl Hart {
    /// The exception whose handler has not returned yet, if there is one.
    pub fn exception_open(&self) -> Option<&Exception> {
        self.s.in_exception.then_some(&self.exceptions.last.exception)
    }

    /// As [`Hart::last_instructions`], but up to the exception whose handler has not returned.
    pub fn last_before_exception(&self, mem: &impl Peek) -> Vec<(u32, u32)> {
        let Excepted { exception, transfers } = &self.exceptions.last;
        transfers.last(end_of_trapped(exception.cause, exception.pc, mem), mem)
    }
}

/// Address behind the last instruction that was begun when a trap with this cause was taken at `pc`.
pub(crate) fn end_of_trapped(cause: u32, pc: u32, mem: &impl Peek) -> u32 {
    if cause == cause::FETCH_FAULT || cause & cause::INTERRUPT != 0 {
        pc
    } else {
        pc.wrapping_add(u32::from(isa::length(bits_at(mem, pc) as u16)))
    }
}
