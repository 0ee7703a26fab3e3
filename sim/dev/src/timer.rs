// SPDX-License-Identifier: Apache-2.0
//! A core's timer.

use crate::{drive, half, with_half};
use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};

const COUNT: u32 = 0;
const COMPARE: u32 = 8;
const SIZE: u32 = 16;

/// A free-running 64-bit counter of the base clock with a compare register.
///
/// Register map (Signalbox's own, stated in `platforms/`; it takes the place of the interval timer that each core has
/// on the DE2, with the semantics of RISC-V's mtime and mtimecmp, Privileged Architecture 3.2.1):
/// +0 COUNT, 64 bits, read-only; +8 COMPARE, 64 bits, all ones at reset. Words only; a write to COUNT is refused.
///
/// Output 0 is high while COUNT >= COMPARE.
pub struct Timer {
    compare: u64,
    level: bool,
}

impl Default for Timer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer {
    /// A timer at reset.
    pub fn new() -> Timer {
        Timer { compare: u64::MAX, level: false }
    }

    fn update(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        let reached = now.0 >= self.compare;
        drive(ctx, 0, &mut self.level, reached, now);
        ctx.wake = Some(if reached { Cycle::NEVER } else { Cycle(self.compare) });
    }
}

impl Mmio for Timer {
    fn read(&mut self, _ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width) -> Reply {
        if width != Width::Word || off.0 % 4 != 0 || off.0 >= SIZE {
            return Reply::Fault;
        }
        let register = if off.0 < COMPARE { now.0 } else { self.compare };
        Reply::Done(half(register, (off.0 - COUNT) / 4 % 2), Cycles(0))
    }

    fn write(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width, value: u32) -> Reply {
        if width != Width::Word || off.0 % 4 != 0 || !(COMPARE..SIZE).contains(&off.0) {
            return Reply::Fault;
        }
        self.compare = with_half(self.compare, (off.0 - COMPARE) / 4, value);
        self.update(ctx, now);
        Reply::Done(0, Cycles(0))
    }

    fn wake(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        self.update(ctx, now);
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(self.compare);
        hash(u64::from(self.level));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    fn compare(b: &mut Bench<Timer>, now: u64, value: u64) {
        b.write(now, 8, Word, value as u32);
        b.write(now, 12, Word, (value >> 32) as u32);
    }

    #[test]
    fn the_line_is_low_at_n_minus_1_and_high_at_n() {
        let mut b = Bench::new(Timer::new());
        compare(&mut b, 10, 1000);
        assert_eq!(b.wake, Cycle(1000));
        assert!(!b.at(999).level(0));
        assert!(b.at(1000).level(0));
        assert_eq!(b.changes, [(1000, 0, true)]);
        assert_eq!(b.wake, Cycle::NEVER);
    }

    #[test]
    fn a_rewritten_compare_lowers_the_line() {
        let mut b = Bench::new(Timer::new());
        compare(&mut b, 0, 100);
        // The low half alone lowers it already; the high half is 0.
        b.write(150, 8, Word, 300);
        assert!(!b.level(0));
        assert!(!b.at(299).level(0));
        assert!(b.at(300).level(0));
        // All ones: off.
        b.write(310, 12, Word, !0);
        assert!(!b.level(0));
        // In the cycle that it names it is high at once.
        b.write(400, 12, Word, 0);
        b.write(400, 8, Word, 401);
        b.write(400, 8, Word, 400);
        assert_eq!(
            b.changes,
            [
                (100, 0, true),
                (150, 0, false),
                (300, 0, true),
                (310, 0, false),
                (400, 0, true),
                (400, 0, false),
                (400, 0, true)
            ]
        );
    }

    #[test]
    fn a_compare_moved_before_it_comes_never_fires() {
        let mut b = Bench::new(Timer::new());
        compare(&mut b, 0, 100);
        compare(&mut b, 99, 200);
        assert!(!b.at(199).level(0));
        assert!(b.at(200).level(0));
    }

    #[test]
    fn count_is_the_base_clock() {
        let mut b = Bench::new(Timer::new());
        let now = 0x1_2345_6789;
        assert_eq!(b.read(now, 0, Word), 0x2345_6789);
        assert_eq!(b.read(now, 4, Word), 1);
        assert_eq!((b.read(now, 8, Word), b.read(now, 12, Word)), (!0, !0));
    }

    #[test]
    fn what_is_refused() {
        let mut b = Bench::new(Timer::new());
        for (off, width) in [(0, Byte), (8, Half), (16, Word), (2, Word)] {
            assert_eq!(b.try_read(0, off, width), Reply::Fault);
        }
        for (off, width) in [(0, Word), (4, Word), (8, Byte), (16, Word)] {
            assert_eq!(b.try_write(0, off, width, 0), Reply::Fault);
        }
    }
}
