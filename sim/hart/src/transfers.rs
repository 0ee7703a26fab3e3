// SPDX-License-Identifier: Apache-2.0
//! The last control transfers, from which the last instructions follow: between two transfers execution is sequential.

use crate::observe::Peek;

/// As many as instructions are asked for: each of them might be a jump.
const KEPT: usize = 32;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfers {
    /// Address behind the last instruction of a run, and where the next run begins.
    ring: [(u32, u32); KEPT],
    count: u32,
    /// Where the first run began.
    origin: u32,
}

impl Transfers {
    pub fn new(origin: u32) -> Transfers {
        Transfers { ring: [(0, 0); KEPT], count: 0, origin }
    }

    #[inline(always)]
    pub fn push(&mut self, end: u32, target: u32) {
        self.ring[self.count as usize % KEPT] = (end, target);
        self.count = self.count.wrapping_add(1);
    }

    /// Become what `later` is, which has gone on from here.
    pub fn follow(&mut self, later: &Transfers) {
        self.copy_new(later, later.count.wrapping_sub(self.count));
        (self.count, self.origin) = (later.count, later.origin);
    }

    /// Become what `earlier` is, from which this has gone on.
    pub fn go_back(&mut self, earlier: &Transfers) {
        let from = self.count;
        (self.count, self.origin) = (earlier.count, earlier.origin);
        for back in 1..=from.wrapping_sub(earlier.count).min(KEPT as u32) {
            let at = from.wrapping_sub(back) as usize % KEPT;
            self.ring[at] = earlier.ring[at];
        }
    }

    /// Copy the last `new` transfers of `later`, whose places they have here, too.
    fn copy_new(&mut self, later: &Transfers, new: u32) {
        for back in 1..=new.min(KEPT as u32) {
            let at = later.count.wrapping_sub(back) as usize % KEPT;
            self.ring[at] = later.ring[at];
        }
    }

    /// The runs of sequential code that end with one that ends before `end`, latest first: (start, end).
    fn runs(&self, end: u32) -> Vec<(u32, u32)> {
        let mut runs = Vec::with_capacity(KEPT + 1);
        let mut end = end;
        let kept = (self.count as usize).min(KEPT);
        for back in 1..=kept {
            let (before, start) = self.ring[(self.count as usize - back) % KEPT];
            runs.push((start, end));
            end = before;
        }
        if self.count as usize <= KEPT {
            runs.push((self.origin, end));
        }
        runs
    }

    /// Addresses and bits of the last executed instructions, oldest first, up to the one that ends at `end`.
    pub fn last(&self, end: u32, mem: &impl Peek) -> Vec<(u32, u32)> {
        let mut out: Vec<(u32, u32)> = Vec::with_capacity(KEPT);
        for (start, end) in self.runs(end) {
            let mut run = Vec::new();
            let mut pc = start;
            while pc < end {
                let bits = bits_at(mem, pc);
                run.push((pc, bits));
                pc = pc.saturating_add(u32::from(isa::length(bits as u16)));
            }
            out.extend(run.into_iter().rev().take(KEPT - out.len()));
            if out.len() == KEPT {
                break;
            }
        }
        out.reverse();
        out
    }
}

/// The instruction at `pc`, 16 bits of it if that is all.
pub(crate) fn bits_at(mem: &impl Peek, pc: u32) -> u32 {
    let byte = |i: u32| u32::from(mem.peek(pc.wrapping_add(i)));
    let low = byte(0) | byte(1) << 8;
    if isa::length(low as u16) == 2 {
        low
    } else {
        low | byte(2) << 16 | byte(3) << 24
    }
}
