// SPDX-License-Identifier: Apache-2.0
//! A hardware mutex.

use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};

const MUTEX: u32 = 0;
const RESET: u32 = 4;

/// Altera's Mutex core: test-and-set in one write.
///
/// Register map (Altera Embedded Peripherals IP User Guide, "Mutex Core"): +0 mutex, OWNER in 31:16 and VALUE in 15:0;
/// a write takes effect when VALUE is 0 (unlocked) or the written OWNER is the owner, and else does nothing, so a
/// processor writes and reads back. +4 reset, bit 0 is 1 after reset and is cleared by writing 1. Words only.
pub struct HwMutex {
    owner: u16,
    value: u16,
    reset: bool,
}

impl Default for HwMutex {
    fn default() -> Self {
        Self::new()
    }
}

impl HwMutex {
    /// Unlocked, with the reset bit set.
    pub fn new() -> HwMutex {
        HwMutex { owner: 0, value: 0, reset: true }
    }
}

impl Mmio for HwMutex {
    fn read(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, off: Offset, width: Width) -> Reply {
        match (off.0, width) {
            (MUTEX, Width::Word) => Reply::Done(u32::from(self.owner) << 16 | u32::from(self.value), Cycles(0)),
            (RESET, Width::Word) => Reply::Done(u32::from(self.reset), Cycles(0)),
            _ => Reply::Fault,
        }
    }

    fn write(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, off: Offset, width: Width, value: u32) -> Reply {
        match (off.0, width) {
            (MUTEX, Width::Word) => {
                let owner = (value >> 16) as u16;
                if self.value == 0 || self.owner == owner {
                    (self.owner, self.value) = (owner, value as u16);
                }
            }
            (RESET, Width::Word) => self.reset &= value & 1 == 0,
            _ => return Reply::Fault,
        }
        Reply::Done(0, Cycles(0))
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(u64::from(self.owner) << 32 | u64::from(self.value) << 1 | u64::from(self.reset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    #[test]
    fn one_owner_at_a_time() {
        let mut b = Bench::new(HwMutex::new());
        assert_eq!(b.read(0, 0, Word), 0);
        b.write(1, 0, Word, 0x0001_0001);
        assert_eq!(b.read(2, 0, Word), 0x0001_0001);
        // Somebody else fails to take it, and to release it.
        b.write(3, 0, Word, 0x0002_0001);
        b.write(4, 0, Word, 0x0002_0000);
        assert_eq!(b.read(5, 0, Word), 0x0001_0001);
        // Its owner may change the value, and releases it.
        b.write(6, 0, Word, 0x0001_abcd);
        assert_eq!(b.read(7, 0, Word), 0x0001_abcd);
        b.write(8, 0, Word, 0x0001_0000);
        assert_eq!(b.read(9, 0, Word), 0x0001_0000);
        b.write(10, 0, Word, 0x0002_0001);
        assert_eq!(b.read(11, 0, Word), 0x0002_0001);
        assert!(b.changes.is_empty());
    }

    #[test]
    fn the_reset_bit_is_cleared_by_one() {
        let mut b = Bench::new(HwMutex::new());
        assert_eq!(b.read(0, 4, Word), 1);
        b.write(1, 4, Word, 0xfffe);
        assert_eq!(b.read(2, 4, Word), 1);
        b.write(3, 4, Word, 1);
        assert_eq!(b.read(4, 4, Word), 0);
        b.write(5, 4, Word, 1);
        assert_eq!(b.read(6, 4, Word), 0);
    }

    #[test]
    fn only_two_words() {
        let mut b = Bench::new(HwMutex::new());
        for (off, width) in [(0, Byte), (2, Half), (8, Word)] {
            assert_eq!(b.try_read(0, off, width), Reply::Fault);
            assert_eq!(b.try_write(0, off, width, 1), Reply::Fault);
        }
    }
}
