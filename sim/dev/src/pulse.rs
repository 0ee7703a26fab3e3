// SPDX-License-Identifier: Apache-2.0
//! The doorbell of a core.

use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};

const IPENDING: u32 = 0;
const ICLEAR: u32 = 4;

/// "Pulse IRQ": 32 interrupt sources that other cores set and the interrupted core clears.
///
/// Register map (osek-linx 3.7.2.2): +0 ipending, a written 1 sets the bit, reads tell what is pending; +4 iclear, a
/// written 1 clears the bit, reads are zero. Words only.
///
/// Output 0 is high while any bit is pending.
#[derive(Default)]
pub struct PulseIrq {
    pending: u32,
    level: bool,
}

impl PulseIrq {
    /// Nothing pending.
    pub fn new() -> PulseIrq {
        PulseIrq::default()
    }
}

impl Mmio for PulseIrq {
    fn read(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, off: Offset, width: Width) -> Reply {
        match (off.0, width) {
            (IPENDING, Width::Word) => Reply::Done(self.pending, Cycles(0)),
            (ICLEAR, Width::Word) => Reply::Done(0, Cycles(0)),
            _ => Reply::Fault,
        }
    }

    fn write(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width, value: u32) -> Reply {
        match (off.0, width) {
            (IPENDING, Width::Word) => self.pending |= value,
            (ICLEAR, Width::Word) => self.pending &= !value,
            _ => return Reply::Fault,
        }
        crate::drive(ctx, 0, &mut self.level, self.pending != 0, now);
        Reply::Done(0, Cycles(0))
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(u64::from(self.pending));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    #[test]
    fn bits_are_set_by_one_register_and_cleared_by_the_other() {
        let mut b = Bench::new(PulseIrq::new());
        b.write(10, 0, Word, 0b0101);
        b.write(11, 0, Word, 0b1001);
        assert_eq!(b.read(12, 0, Word), 0b1101);
        b.write(13, 4, Word, 0b0101);
        assert_eq!(b.read(14, 0, Word), 0b1000);
        assert_eq!(b.read(14, 4, Word), 0);
        assert!(b.level(0));
        b.write(15, 4, Word, !0);
        // High from the first bit to the last, with no edge between.
        assert_eq!(b.changes, [(10, 0, true), (15, 0, false)]);
    }

    #[test]
    fn zeros_do_nothing() {
        let mut b = Bench::new(PulseIrq::new());
        b.write(1, 0, Word, 0);
        b.write(2, 4, Word, !0);
        assert!(b.changes.is_empty());
        b.write(3, 0, Word, 1 << 31);
        b.write(4, 4, Word, 0);
        assert_eq!(b.read(5, 0, Word), 1 << 31);
    }

    #[test]
    fn only_two_words() {
        let mut b = Bench::new(PulseIrq::new());
        for (off, width) in [(0, Byte), (0, Half), (8, Word), (1, Word)] {
            assert_eq!(b.try_read(0, off, width), Reply::Fault);
            assert_eq!(b.try_write(0, off, width, 1), Reply::Fault);
        }
        assert_eq!(b.read(0, 0, Word), 0);
    }
}
