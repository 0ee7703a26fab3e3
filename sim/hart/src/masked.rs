// SPDX-License-Identifier: Apache-2.0
//! The longest time that a program kept interrupts masked.
//!
//! Asked where the mask changes and nowhere else: at writes of mstatus, at traps, at mret. What happens before interrupts are on for the
//! first time is start-up and no stretch, nor is what is never ended.

/// A time during which no interrupt could be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaskedStretch {
    /// Its length: from the end of the instruction that masked, or the entry of the trap, to the end of the one that let interrupts in.
    pub cycles: u64,
    /// When it began.
    pub at: u64,
    /// The instruction that masked, or the first one of the trap's handler.
    pub from_pc: u32,
    /// The instruction that unmasked.
    pub to_pc: u32,
}

const OPEN: u64 = u64::MAX;

/// What is kept between two changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaskWatch {
    /// When interrupts were masked; [`OPEN`] while they are not, or have never been on.
    since: u64,
    from_pc: u32,
    longest: MaskedStretch,
}

impl MaskWatch {
    pub fn new() -> MaskWatch {
        MaskWatch { since: OPEN, from_pc: 0, longest: MaskedStretch::default() }
    }

    /// The mask was `before` (true: interrupts could be taken) and is `after`, from `at` on, by the instruction at `pc`.
    #[inline]
    pub fn changed(&mut self, before: bool, after: bool, at: u64, pc: u32) {
        if before && !after {
            (self.since, self.from_pc) = (at, pc);
        } else if after && !before && self.since != OPEN {
            let cycles = at.saturating_sub(self.since);
            if cycles > self.longest.cycles {
                self.longest = MaskedStretch { cycles, at: self.since, from_pc: self.from_pc, to_pc: pc };
            }
            self.since = OPEN;
        }
    }

    pub fn longest(&self) -> Option<MaskedStretch> {
        (self.longest.cycles > 0).then_some(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_up_is_no_stretch() {
        let mut w = MaskWatch::new();
        w.changed(false, true, 1000, 4);
        assert_eq!(w.longest(), None);
        w.changed(true, false, 1010, 8);
        assert_eq!(w.longest(), None, "it has not ended");
        w.changed(false, true, 1017, 12);
        assert_eq!(w.longest(), Some(MaskedStretch { cycles: 7, at: 1010, from_pc: 8, to_pc: 12 }));
    }

    #[test]
    fn the_first_of_equals_is_kept_and_no_change_is_none() {
        let mut w = MaskWatch::new();
        w.changed(false, true, 0, 0);
        for at in [10, 30] {
            w.changed(true, false, at, 8);
            w.changed(false, false, at + 3, 12);
            w.changed(false, true, at + 9, 16);
        }
        assert_eq!(w.longest().map(|s| (s.cycles, s.at)), Some((9, 10)));
        w.changed(true, true, 1000, 20);
        w.changed(true, false, 1000, 20);
        w.changed(false, true, 1010, 24);
        assert_eq!(w.longest().map(|s| (s.cycles, s.at)), Some((10, 1000)));
    }
}
