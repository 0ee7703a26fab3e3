// SPDX-License-Identifier: Apache-2.0
//! Accesses that are not multiples of their width: trapped, or made byte by byte.
//!
//! A byte access that is suspended is repeated alone: those before it were made once and stay made.

use crate::pmp::{READ, WRITE};
use crate::{Hart, Misaligned};
use engine::{Access, AccessFault, HartMemory, Width};
use units::Cycle;

/// How far a split access has come.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Split {
    done: u32,
    value: u32,
}

impl Hart {
    #[cold]
    pub(crate) fn odd_load<M: HartMemory>(&mut self, mem: &mut M, now: u64, addr: u32, width: Width) -> Access {
        self.split(addr, width, READ, |at, _| mem.load(Cycle(now), at, Width::Byte))
    }

    #[cold]
    pub(crate) fn odd_store<M: HartMemory>(
        &mut self,
        mem: &mut M,
        now: u64,
        addr: u32,
        width: Width,
        value: u32,
    ) -> Access {
        self.split(addr, width, WRITE, |at, shift| mem.store(Cycle(now), at, Width::Byte, (value >> shift) & 0xff))
    }

    fn split(&mut self, addr: u32, width: Width, right: u8, mut byte: impl FnMut(u32, u32) -> Access) -> Access {
        if self.config.misaligned == Misaligned::Trap {
            return Access::Fault(AccessFault::Misaligned);
        }
        // All of it is protected as one access: none of it is made when a part may not be, and machine mode too fails where
        // an entry matches a part only.
        let user = self.s.csrs.data_user();
        if self.s.split.done == 0 && !self.pmp.permits(addr, width.bytes(), user, right) {
            return Access::Fault(AccessFault::Refused);
        }
        while self.s.split.done < width.bytes() {
            let shift = self.s.split.done * 8;
            match byte(addr.wrapping_add(self.s.split.done), shift) {
                Access::Done(v) => {
                    self.s.split.value |= v << shift;
                    self.s.split.done += 1;
                }
                other => return other,
            }
        }
        Access::Done(std::mem::take(&mut self.s.split).value)
    }
}
