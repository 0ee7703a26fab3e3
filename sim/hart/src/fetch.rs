// SPDX-License-Identifier: Apache-2.0
//! Where the loop gets instructions from: the decoded line at an address, and the second half of one that lies across two lines.

use crate::lines::Lines;
use engine::{Fetch, HartMemory};
use units::Cycle;

/// The first entry to execute, or why there is none.
pub(crate) enum Found {
    /// Index of the line's first entry.
    Line(usize),
    Pending,
    Fault,
}

/// The second half of an instruction that lies across two lines.
pub(crate) enum Tail {
    Half(u16),
    Pending,
    Fault,
}

#[inline(always)]
pub(crate) fn line_at<M: HartMemory>(lines: &mut Lines, mem: &mut M, now: u64, pc: u32) -> Found {
    match mem.fetch(Cycle(now), pc) {
        Fetch::Line { slot, version } => {
            let base = pc & !(lines.line_bytes - 1);
            Found::Line(match lines.find(base, slot, version) {
                Some(first) => first,
                None => lines.learn(base, slot, version, mem.fetch_bytes(slot)),
            })
        }
        Fetch::Pending => Found::Pending,
        Fetch::Fault(_) => Found::Fault,
    }
}

#[inline(never)]
pub(crate) fn tail_at<M: HartMemory>(mem: &mut M, now: u64, pc: u32) -> Tail {
    match mem.fetch(Cycle(now), pc) {
        Fetch::Line { slot, .. } => {
            let bytes = mem.fetch_bytes(slot);
            Tail::Half(u16::from_le_bytes([bytes[0], bytes[1]]))
        }
        Fetch::Pending => Tail::Pending,
        Fetch::Fault(_) => Tail::Fault,
    }
}
