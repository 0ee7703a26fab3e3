// SPDX-License-Identifier: Apache-2.0
//! Instants and durations of simulated time, and the widths and offsets of an access.
//!
//! Deliberately lacks: any notion of frequency (a clock domain is an integer divider of the base clock),
//! and any conversion between an instant and a duration that does not say so.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

/// An instant: base-clock cycles since reset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Cycle(pub u64);

/// A duration in base-clock cycles.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Cycles(pub u64);

impl Cycle {
    /// The instant that never comes.
    pub const NEVER: Cycle = Cycle(u64::MAX);
    /// Reset.
    pub const ZERO: Cycle = Cycle(0);

    /// The duration since `earlier`, zero when `earlier` is later.
    #[inline(always)]
    pub fn since(self, earlier: Cycle) -> Cycles {
        Cycles(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Cycles> for Cycle {
    type Output = Cycle;
    #[inline(always)]
    fn add(self, d: Cycles) -> Cycle {
        Cycle(self.0 + d.0)
    }
}

impl AddAssign<Cycles> for Cycle {
    #[inline(always)]
    fn add_assign(&mut self, d: Cycles) {
        self.0 += d.0;
    }
}

impl Sub for Cycle {
    type Output = Cycles;
    /// Panics in debug builds when `earlier` is later: a caller that is not sure uses [`Cycle::since`].
    #[inline(always)]
    fn sub(self, earlier: Cycle) -> Cycles {
        Cycles(self.0 - earlier.0)
    }
}

impl Cycles {
    /// No time at all.
    pub const ZERO: Cycles = Cycles(0);
}

impl Sub for Cycles {
    type Output = Cycles;
    /// Panics in debug builds when `part` is longer.
    #[inline(always)]
    fn sub(self, part: Cycles) -> Cycles {
        Cycles(self.0 - part.0)
    }
}

impl Add for Cycles {
    type Output = Cycles;
    #[inline(always)]
    fn add(self, d: Cycles) -> Cycles {
        Cycles(self.0 + d.0)
    }
}

impl AddAssign for Cycles {
    #[inline(always)]
    fn add_assign(&mut self, d: Cycles) {
        self.0 += d.0;
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle {}", self.0)
    }
}

impl fmt::Display for Cycles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cycles", self.0)
    }
}

/// Width of one access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 8 bits
    Byte,
    /// 16 bits
    Half,
    /// 32 bits
    Word,
}

impl Width {
    /// Size in bytes: 1, 2 or 4.
    #[inline(always)]
    pub fn bytes(self) -> u32 {
        match self {
            Width::Byte => 1,
            Width::Half => 2,
            Width::Word => 4,
        }
    }
}

/// Byte offset inside a device: a device never learns its base address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Offset(pub u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_differ_by_durations() {
        assert_eq!(Cycle(7) - Cycle(4), Cycles(3));
        assert_eq!(Cycle(4).since(Cycle(7)), Cycles(0));
        assert_eq!(Cycle(4) + Cycles(3), Cycle(7));
    }
}
