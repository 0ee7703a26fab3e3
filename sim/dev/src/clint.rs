// SPDX-License-Identifier: Apache-2.0
//! Core-local interruptor.

use crate::{drive, half, with_half};
use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};

const MTIMECMP: u32 = 0x4000;
const MTIME: u32 = 0xbff8;
const SIZE: u32 = 0x1_0000;

struct Hart {
    msip: bool,
    mtimecmp: u64,
    /// mtimecmp has been written since reset.
    armed: bool,
    mtip: bool,
}

/// SiFive's core-local interruptor, as on QEMU's `virt`.
///
/// Register map (SiFive FU540-C000 Manual v1p0, chapter 9; QEMU `docs/specs`, `hw/intc/riscv_aclint.c`):
/// `0x0000 + 4*hart` msip (bit 0), `0x4000 + 8*hart` mtimecmp, `0xbff8` mtime; words, 64 KB. The rest of it, harts that
/// do not exist included, reads zero and ignores writes; accesses of other widths are refused.
///
/// mtime is writable and counts base cycles by a divider; mtip is high while mtime >= mtimecmp. The manual leaves the
/// reset value of mtimecmp open; as in QEMU it is 0, and nothing is pending before it has been written. (Software for 32
/// bits is common that writes the low half alone.)
///
/// Outputs: `2*hart` msip, `2*hart + 1` mtip.
pub struct Clint {
    harts: Vec<Hart>,
    divider: u64,
    /// mtime at the start of simulated time, modulo 2^64.
    origin: u64,
}

impl Clint {
    /// For `harts` harts; mtime starts at `initial` and advances every `divider` cycles of the base clock.
    pub fn new(harts: usize, divider: u32, initial: u64) -> Clint {
        let harts = (0..harts).map(|_| Hart { msip: false, mtimecmp: 0, armed: false, mtip: false }).collect();
        Clint { harts, divider: u64::from(divider.max(1)), origin: initial }
    }

    /// mtime at an instant: also the `time` CSR.
    pub fn mtime(&self, now: Cycle) -> u64 {
        self.origin.wrapping_add(now.0 / self.divider)
    }

    /// The first instant after `now` at which mtime has come to `value`, which lies ahead.
    fn instant_of(&self, value: u64, now: Cycle) -> Cycle {
        let ticks = (now.0 / self.divider).saturating_add(value - self.mtime(now));
        Cycle(ticks.saturating_mul(self.divider))
    }

    /// Drive the timer outputs and ask to be woken at the next one that rises.
    fn update(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        let mtime = self.mtime(now);
        let mut wake = Cycle::NEVER;
        for i in 0..self.harts.len() {
            let compare = self.harts[i].mtimecmp;
            if !self.harts[i].armed {
                continue;
            }
            drive(ctx, 2 * i as u32 + 1, &mut self.harts[i].mtip, mtime >= compare, now);
            if mtime < compare {
                wake = wake.min(self.instant_of(compare, now));
            }
        }
        ctx.wake = Some(wake);
    }
}

/// The register at an offset.
enum Register {
    Msip(usize),
    /// Hart and half.
    Mtimecmp(usize, u32),
    /// Half.
    Mtime(u32),
    Reserved,
}

impl Clint {
    fn register(&self, off: u32, width: Width) -> Option<Register> {
        if width != Width::Word || off % 4 != 0 || off >= SIZE {
            return None;
        }
        let which = off / 4 % 2;
        let (msip, compare) = ((off / 4) as usize, (off.wrapping_sub(MTIMECMP) / 8) as usize);
        Some(match off {
            ..MTIMECMP if msip < self.harts.len() => Register::Msip(msip),
            MTIMECMP..MTIME if compare < self.harts.len() => Register::Mtimecmp(compare, which),
            MTIME.. if off < MTIME + 8 => Register::Mtime(which),
            _ => Register::Reserved,
        })
    }
}

impl Mmio for Clint {
    fn read(&mut self, _ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width) -> Reply {
        let value = match self.register(off.0, width) {
            None => return Reply::Fault,
            Some(Register::Msip(i)) => u32::from(self.harts[i].msip),
            Some(Register::Mtimecmp(i, which)) => half(self.harts[i].mtimecmp, which),
            Some(Register::Mtime(which)) => half(self.mtime(now), which),
            Some(Register::Reserved) => 0,
        };
        Reply::Done(value, Cycles(0))
    }

    fn write(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width, value: u32) -> Reply {
        match self.register(off.0, width) {
            None => return Reply::Fault,
            Some(Register::Msip(i)) => drive(ctx, 2 * i as u32, &mut self.harts[i].msip, value & 1 != 0, now),
            Some(Register::Mtimecmp(i, which)) => {
                self.harts[i].mtimecmp = with_half(self.harts[i].mtimecmp, which, value);
                self.harts[i].armed = true;
                self.update(ctx, now);
            }
            Some(Register::Mtime(which)) => {
                let mtime = with_half(self.mtime(now), which, value);
                self.origin = mtime.wrapping_sub(now.0 / self.divider);
                self.update(ctx, now);
            }
            Some(Register::Reserved) => {}
        }
        Reply::Done(0, Cycles(0))
    }

    fn wake(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        self.update(ctx, now);
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(self.origin);
        for hart in &self.harts {
            hash(u64::from(hart.msip) | u64::from(hart.mtip) << 1 | u64::from(hart.armed) << 2);
            hash(hart.mtimecmp);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    fn compare(b: &mut Bench<Clint>, now: u64, hart: u32, value: u64) {
        b.write(now, 0x4000 + 8 * hart, Word, value as u32);
        b.write(now, 0x4004 + 8 * hart, Word, (value >> 32) as u32);
    }

    #[test]
    fn the_timer_line_is_low_at_n_minus_1_and_high_at_n() {
        let mut b = Bench::new(Clint::new(2, 10, 0));
        compare(&mut b, 7, 1, 50);
        assert!(!b.at(499).level(3));
        assert!(b.at(500).level(3));
        assert!(!b.level(1));
        assert_eq!(b.changes, [(500, 3, true)]);
        assert_eq!(b.read(509, 0xbff8, Word), 50);
        assert_eq!(b.read(510, 0xbff8, Word), 51);
    }

    #[test]
    fn a_rewritten_compare_lowers_the_line_and_moves_the_wake() {
        let mut b = Bench::new(Clint::new(1, 10, 0));
        compare(&mut b, 0, 0, 50);
        compare(&mut b, 600, 0, 70);
        assert!(!b.level(1));
        assert!(!b.at(699).level(1));
        assert!(b.at(700).level(1));
        // A compare that has passed raises the line in the cycle of the write; the low half is written first.
        compare(&mut b, 800, 0, 1 << 32);
        compare(&mut b, 900, 0, 3);
        assert_eq!(b.changes, [(500, 1, true), (600, 1, false), (700, 1, true), (800, 1, false), (900, 1, true)]);
        // Moved away before it comes: no line at all.
        compare(&mut b, 1000, 0, 200);
        compare(&mut b, 1999, 0, 300);
        assert!(!b.at(2999).level(1));
        assert!(b.at(3000).level(1));
    }

    #[test]
    fn each_hart_is_woken_at_its_own_instant_in_any_order() {
        for (first, second) in [(0, 1), (1, 0)] {
            let mut b = Bench::new(Clint::new(2, 10, 0));
            compare(&mut b, 0, first, 30);
            compare(&mut b, 0, second, 50);
            assert!(!b.at(299).level(2 * first + 1));
            b.at(1000);
            assert_eq!(b.changes, [(300, 2 * first + 1, true), (500, 2 * second + 1, true)]);
        }
    }

    #[test]
    fn mtime_is_writable_and_has_an_initial_value() {
        let mut b = Bench::new(Clint::new(1, 10, 0xffff_fffe));
        assert_eq!(b.read(19, 0xbff8, Word), 0xffff_ffff);
        assert_eq!(b.read(20, 0xbff8, Word), 0);
        assert_eq!(b.read(20, 0xbffc, Word), 1);
        compare(&mut b, 25, 0, 1000);
        assert!(b.level(1));
        b.write(30, 0xbffc, Word, 0);
        b.write(30, 0xbff8, Word, 995);
        assert_eq!(b.device.mtime(Cycle(39)), 995);
        assert!(!b.at(79).level(1));
        assert!(b.at(80).level(1));
        assert_eq!(b.device.mtime(Cycle(80)), 1000);
    }

    #[test]
    fn msip_is_one_bit_per_hart() {
        let mut b = Bench::new(Clint::new(2, 10, 0));
        b.write(5, 4, Word, 0xffff_ffff);
        assert_eq!(b.read(6, 4, Word), 1);
        assert_eq!(b.read(6, 0, Word), 0);
        b.write(9, 4, Word, 2);
        assert_eq!(b.changes, [(5, 2, true), (9, 2, false)]);
    }

    #[test]
    fn reserved_words_read_zero_and_other_widths_are_refused() {
        let mut b = Bench::new(Clint::new(2, 10, 77));
        for off in [8, 0x3ffc, 0x4010, 0xbff4, 0xc000, 0xfffc] {
            b.write(0, off, Word, !0);
            assert_eq!(b.read(0, off, Word), 0, "{off:#x}");
        }
        assert_eq!(b.try_read(0, 0, Byte), Reply::Fault);
        assert_eq!(b.try_write(0, 0x4000, Half, 0), Reply::Fault);
        assert_eq!(b.try_read(0, 2, Word), Reply::Fault);
        assert_eq!(b.try_read(0, 0x1_0000, Word), Reply::Fault);
        assert!(b.changes.is_empty());
    }

    #[test]
    fn nothing_is_pending_before_the_first_write_and_the_low_half_is_enough() {
        let mut b = Bench::new(Clint::new(2, 10, 7));
        assert_eq!((b.read(0, 0x4000, Word), b.read(0, 0x400c, Word)), (0, 0));
        b.write(5, 0x4008, Word, 100); // another hart's does not count
        assert!(!b.at(900).level(1));
        b.write(901, 0x4000, Word, 110);
        assert!(b.changes.is_empty());
        assert!(!b.at(1029).level(1));
        assert!(b.at(1030).level(1));
        assert_eq!(b.changes, [(930, 3, true), (1030, 1, true)]);
    }

    #[test]
    fn a_compare_that_never_comes_asks_for_no_wake() {
        let mut b = Bench::new(Clint::new(1, 10, 0));
        compare(&mut b, 0, 0, u64::MAX);
        assert_eq!(b.wake, Cycle::NEVER);
    }
}
