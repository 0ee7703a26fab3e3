// SPDX-License-Identifier: Apache-2.0
//! A real-time clock.

use crate::{drive, half, with_half};
use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};

const TIME_LOW: u32 = 0x00;
const TIME_HIGH: u32 = 0x04;
const ALARM_LOW: u32 = 0x08;
const ALARM_HIGH: u32 = 0x0c;
const IRQ_ENABLED: u32 = 0x10;
const CLEAR_ALARM: u32 = 0x14;
const ALARM_STATUS: u32 = 0x18;
const CLEAR_INTERRUPT: u32 = 0x1c;
const SIZE: u32 = 0x24;

const NANOSECONDS: u128 = 1_000_000_000;

/// The real-time clock of Android's Goldfish, as on QEMU's `virt`.
///
/// Register map (Android `GOLDFISH-VIRTUAL-HARDWARE.TXT`; QEMU 7.2 `hw/rtc/goldfish_rtc.c`): nanoseconds since 1970 in TIME_LOW (0x00)
/// and TIME_HIGH (0x04), which is the high half of what TIME_LOW read last; both writable, as here. A write to ALARM_LOW (0x08)
/// sets the alarm to it and ALARM_HIGH (0x0c); IRQ_ENABLED (0x10) bit 0; a write to CLEAR_ALARM (0x14) stops it, ALARM_STATUS (0x18)
/// says whether it runs, a write to CLEAR_INTERRUPT (0x1c) takes its interrupt back. Words; the rest of the 36 bytes reads zero.
///
/// The clock starts from the platform's date, not the host's, so that two runs are the same. An alarm that is not ahead
/// rings in the cycle of the write.
///
/// Output 0: interrupt.
pub struct GoldfishRtc {
    clock_hz: u64,
    /// The time at cycle 0, modulo 2^64.
    origin: u64,
    latched_high: u32,
    alarm: u64,
    running: bool,
    pending: bool,
    enabled: bool,
    level: bool,
}

impl GoldfishRtc {
    /// That counts the nanoseconds of a base clock, from `epoch_seconds` after 1970 on.
    pub fn new(clock_hz: u64, epoch_seconds: u32) -> GoldfishRtc {
        GoldfishRtc {
            clock_hz: clock_hz.max(1),
            origin: u64::from(epoch_seconds) * NANOSECONDS as u64,
            latched_high: 0,
            alarm: 0,
            running: false,
            pending: false,
            enabled: false,
            level: false,
        }
    }

    fn elapsed(&self, now: Cycle) -> u64 {
        (u128::from(now.0) * NANOSECONDS / u128::from(self.clock_hz)) as u64
    }

    fn time(&self, now: Cycle) -> u64 {
        self.origin.wrapping_add(self.elapsed(now))
    }

    /// The first cycle at which the clock shows `time`, which lies ahead.
    fn instant_of(&self, time: u64, now: Cycle) -> Cycle {
        let elapsed = u128::from(self.elapsed(now)) + u128::from(time - self.time(now));
        let cycles = (elapsed * u128::from(self.clock_hz)).div_ceil(NANOSECONDS);
        u64::try_from(cycles).map_or(Cycle::NEVER, Cycle)
    }

    /// Ring, or ask to be woken for it; and drive the interrupt.
    fn update(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        let mut wake = Cycle::NEVER;
        if self.running && self.alarm <= self.time(now) {
            self.running = false;
            self.pending = true;
        } else if self.running {
            wake = self.instant_of(self.alarm, now);
        }
        ctx.wake = Some(wake);
        drive(ctx, 0, &mut self.level, self.pending && self.enabled, now);
    }

    fn set_time(&mut self, now: Cycle, index: u32, value: u32) {
        let time = with_half(self.time(now), index, value);
        self.origin = time.wrapping_sub(self.elapsed(now));
    }
}

impl Mmio for GoldfishRtc {
    fn read(&mut self, _ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width) -> Reply {
        if width != Width::Word || off.0 >= SIZE {
            return Reply::Fault;
        }
        let value = match off.0 {
            TIME_LOW => {
                self.latched_high = half(self.time(now), 1);
                half(self.time(now), 0)
            }
            TIME_HIGH => self.latched_high,
            ALARM_LOW => half(self.alarm, 0),
            ALARM_HIGH => half(self.alarm, 1),
            IRQ_ENABLED => u32::from(self.enabled),
            ALARM_STATUS => u32::from(self.running),
            _ => 0,
        };
        Reply::Done(value, Cycles(0))
    }

    fn write(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width, value: u32) -> Reply {
        if width != Width::Word || off.0 >= SIZE {
            return Reply::Fault;
        }
        match off.0 {
            TIME_LOW => self.set_time(now, 0, value),
            TIME_HIGH => self.set_time(now, 1, value),
            ALARM_LOW => {
                self.alarm = with_half(self.alarm, 0, value);
                self.running = true;
            }
            ALARM_HIGH => self.alarm = with_half(self.alarm, 1, value),
            IRQ_ENABLED => self.enabled = value & 1 != 0,
            CLEAR_ALARM => self.running = false,
            CLEAR_INTERRUPT => self.pending = false,
            _ => {}
        }
        self.update(ctx, now);
        Reply::Done(0, Cycles(0))
    }

    fn wake(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        self.update(ctx, now);
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(self.origin);
        hash(self.alarm);
        let flags = [self.running, self.pending, self.enabled].into_iter().fold(0, |w, f| w << 1 | u64::from(f));
        hash(u64::from(self.latched_high) << 3 | flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    /// 100 MHz: ten nanoseconds a cycle.
    fn rtc() -> Bench<GoldfishRtc> {
        Bench::new(GoldfishRtc::new(100_000_000, 5))
    }

    #[test]
    fn time_is_read_in_two_halves_of_one_instant() {
        let mut b = rtc();
        assert_eq!(b.read(0, 0, Word), 705_032_704); // 5e9 modulo 2^32
        assert_eq!(b.read(0, 4, Word), 1);
        assert_eq!(b.read(3, 0, Word), 705_032_734);
        // 2^33 ns come between the reads: the high half is the old one until the low one is read again.
        let carry = ((1u64 << 33) - 5_000_000_000) / 10;
        assert_eq!(b.read(carry, 0, Word), 0xffff_fffe);
        assert_eq!((b.read(carry + 1, 4, Word), b.read(carry + 1, 0, Word), b.read(carry + 1, 4, Word)), (1, 8, 2));
        b.write(carry + 2, 4, Word, 7);
        b.write(carry + 2, 0, Word, 100);
        assert_eq!((b.read(carry + 4, 0, Word), b.read(carry + 4, 4, Word)), (120, 7));
    }

    #[test]
    fn the_alarm_rings_at_its_cycle_and_not_before() {
        let mut b = rtc();
        b.write(0, 0x10, Word, 1);
        b.write(0, 0x0c, Word, 1);
        b.write(0, 0x08, Word, 705_032_704 + 995); // 99.5 cycles ahead
        assert_eq!(b.read(99, 0x18, Word), 1);
        assert!(!b.level(0));
        assert!(b.at(100).level(0));
        assert_eq!(b.read(101, 0x18, Word), 0);
        b.write(102, 0x1c, Word, 1);
        assert_eq!(b.changes, [(100, 0, true), (102, 0, false)]);
    }

    #[test]
    fn an_alarm_that_has_passed_rings_at_once_and_can_be_masked() {
        let mut b = rtc();
        b.write(9, 0x08, Word, 0);
        assert_eq!(b.read(9, 0x18, Word), 0);
        assert!(b.changes.is_empty());
        b.write(10, 0x10, Word, 0xffff_ffff);
        assert_eq!(b.read(10, 0x10, Word), 1);
        b.write(11, 0x10, Word, 0);
        assert_eq!(b.changes, [(10, 0, true), (11, 0, false)]);
    }

    #[test]
    fn a_cleared_alarm_does_not_ring() {
        let mut b = rtc();
        b.write(0, 0x10, Word, 1);
        b.write(0, 0x0c, Word, 1);
        b.write(0, 0x08, Word, 705_033_704);
        b.write(50, 0x14, Word, 1);
        assert_eq!(b.wake, Cycle::NEVER);
        assert!(!b.at(1000).level(0));
    }

    #[test]
    fn words_only() {
        let mut b = rtc();
        assert_eq!(b.try_read(0, 0, Byte), Reply::Fault);
        assert_eq!(b.try_write(0, 8, Half, 0), Reply::Fault);
        assert_eq!(b.read(0, 0x20, Word), 0);
        assert_eq!(b.try_read(0, 0x24, Word), Reply::Fault);
    }
}
