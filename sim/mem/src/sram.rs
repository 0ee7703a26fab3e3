// SPDX-License-Identifier: Apache-2.0
//! Timing of a static memory: a number of beats of its data bus, each of the same length.

use engine::{Cycle, Cycles};

/// Parameters of a static memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SramTiming {
    /// Width of the data bus.
    pub width_bits: u32,
    /// Cycles of one beat.
    pub access_cycles: u32,
}

/// A static memory's port. It has no state: each access costs the same whatever came before.
pub struct Sram {
    timing: SramTiming,
}

impl Sram {
    /// A memory with this timing.
    pub fn new(timing: SramTiming) -> Sram {
        Sram { timing }
    }

    /// How long the transfer of `bytes` bytes at `offset` holds the memory; called as
    /// [`Sdram::service`](crate::Sdram::service) is.
    pub fn service(&mut self, _start: Cycle, offset: u32, bytes: u32, _write: bool) -> Cycles {
        self.beats(offset, bytes)
    }

    /// How long the data bus is used for `bytes` bytes at `offset`.
    pub fn beats(&self, offset: u32, bytes: u32) -> Cycles {
        Cycles(beats(self.timing.width_bits, offset, bytes) * u64::from(self.timing.access_cycles))
    }
}

/// Beats of a bus of `width_bits` that the bytes at `offset` touch; at least one.
#[inline]
pub(crate) fn beats(width_bits: u32, offset: u32, bytes: u32) -> u64 {
    let beat = (width_bits / 8).max(1);
    let (first, last) = (u64::from(offset), u64::from(offset) + u64::from(bytes.max(1)) - 1);
    if beat.is_power_of_two() {
        // Nearly always, and a division takes longer than all the rest of a transfer's cost.
        let shift = beat.trailing_zeros();
        return (last >> shift) - (first >> shift) + 1;
    }
    last / u64::from(beat) - first / u64::from(beat) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beat_is_as_wide_as_the_bus() {
        let mut m = Sram::new(SramTiming { width_bits: 16, access_cycles: 2 });
        for (offset, bytes, cycles) in [(0, 1, 2), (1, 1, 2), (0, 2, 2), (1, 2, 4), (0, 4, 4), (0, 32, 32)] {
            assert_eq!(m.service(Cycle(9), offset, bytes, false), Cycles(cycles), "{bytes} bytes at {offset}");
        }
        assert_eq!(Sram::new(SramTiming { width_bits: 32, access_cycles: 1 }).service(Cycle(0), 8, 4, true), Cycles(1));
    }
}
