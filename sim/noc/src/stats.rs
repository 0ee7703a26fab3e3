// SPDX-License-Identifier: Apache-2.0
//! What each link has carried, and how long packets waited for it.

/// Classes of the histogram of waiting: 0, 1, 2–3, 4–7 … cycles; the last is open.
pub const WAIT_CLASSES: usize = 16;

/// Counters of one output of a router: a link to a neighbour, or the local output. Observation only: no part of the state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LinkStats {
    /// Headers that have left by it.
    pub packets: u64,
    /// Flits that have left by it; divided by the cycles, its load.
    pub flits: u64,
    /// Cycles in which a packet held the link, had a flit, and could not move it: no room behind, or a sink that does not accept.
    pub blocked_cycles: u64,
    /// Packets by the cycles that their header waited for the link: from the edge at which it was first at the head of its
    /// buffer to the edge at which it left, less the 7 that an isolated header takes (never below 0).
    pub waits: [u64; WAIT_CLASSES],
    /// Sum of these waits.
    pub wait_cycles: u64,
    /// The longest of them.
    pub wait_max: u64,
}

impl LinkStats {
    pub(crate) fn waited(&mut self, cycles: u64) {
        self.packets += 1;
        self.wait_cycles += cycles;
        self.wait_max = self.wait_max.max(cycles);
        self.waits[class(cycles)] += 1;
    }
}

fn class(cycles: u64) -> usize {
    ((64 - cycles.leading_zeros()) as usize).min(WAIT_CLASSES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_powers_of_two() {
        let classes: Vec<usize> = [0, 1, 2, 3, 4, 7, 8, 1 << 13, (1 << 14) - 1, 1 << 14, u64::MAX].map(class).into();
        assert_eq!(classes, [0, 1, 2, 2, 3, 3, 4, 14, 14, 15, 15]);
    }
}
