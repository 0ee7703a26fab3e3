// SPDX-License-Identifier: Apache-2.0
//! Interrupt block of one core: 32 sources on one line, dispatched by software, by what the block has worked out, or by the core's jump to it.

use crate::drive;
use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};

const SOURCES: usize = 32;
const HANDLERS: u32 = 0x80;
const LEVELS: u32 = 0x100;
const SIZE: u32 = 0x180;
/// Levels go up to here, as those of a Nios II with an external interrupt controller do.
const LEVEL_MAX: u32 = 63;
/// NUMBER when nothing is requested.
const NONE: u32 = 32;

/// Thirty-two sources, each with an enable bit, a level and a handler; a level-sensitive line to the core.
///
/// Register map, Signalbox's own; words. PENDING and ENABLE are `ipending` and `ienable` of a Nios II's internal controller, for a
/// dispatcher that looks for the lowest bit in software (osek-linx 2.6.1). HANDLER and LEVEL are what its vectored controller hands to the
/// core, the requested handler address and interrupt level, to be read: one load and one jump instead of a search.
///
/// | offset | register | |
/// |---|---|---|
/// | 0x00 | PENDING | sources that are high or set by software, and enabled; read-only |
/// | 0x04 | ENABLE | one bit each, 0 at reset |
/// | 0x08 | RAW | sources that are high or set by software, enabled or not; read-only |
/// | 0x0c | SET | a one raises a source by software; reads those that are |
/// | 0x10 | CLEAR | a one takes that back; reads 0 |
/// | 0x14 | NUMBER | the requested source: of those pending that of the highest level, the lowest number among equals; 32: none |
/// | 0x18 | HANDLER | its handler address; 0: none |
/// | 0x1c | LEVEL | its level; 0: none |
/// | 0x80 + 4n | | handler address of source n |
/// | 0x100 + 4n | | level of source n, 0 to 63, 1 at reset; a source of level 0 is pending and not requested |
///
/// Inputs: the number of the source. Output 0 is high while a source is requested. A [vectored](IrqBlock::vectored) block also tells the
/// core HANDLER as it changes, in no time: an interrupt of its line begins there, unless it is 0.
pub struct IrqBlock {
    inputs: u32,
    software: u32,
    enable: u32,
    handlers: [u32; SOURCES],
    levels: [u32; SOURCES],
    output: bool,
    /// Whether the core is told HANDLER, and what it was told last.
    vectored: bool,
    told: u32,
}

impl Default for IrqBlock {
    fn default() -> Self {
        Self::new()
    }
}

impl IrqBlock {
    /// Everything off.
    pub fn new() -> IrqBlock {
        IrqBlock {
            inputs: 0,
            software: 0,
            enable: 0,
            handlers: [0; SOURCES],
            levels: [1; SOURCES],
            output: false,
            vectored: false,
            told: 0,
        }
    }

    /// The same, and its core jumps to HANDLER by itself, as one does to the requested handler address of Nios II's vectored controller.
    pub fn vectored() -> IrqBlock {
        IrqBlock { vectored: true, ..IrqBlock::new() }
    }

    fn raw(&self) -> u32 {
        self.inputs | self.software
    }

    fn pending(&self) -> u32 {
        self.raw() & self.enable
    }

    /// The source that is served first.
    fn requested(&self) -> Option<usize> {
        let pending = self.pending();
        let candidates = (0..SOURCES).filter(|n| pending >> n & 1 != 0 && self.levels[*n] > 0);
        // The first of the greatest: `max_by_key` would give the last.
        candidates.reduce(|best, n| if self.levels[n] > self.levels[best] { n } else { best })
    }

    fn update(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        let requested = self.requested();
        let high = requested.is_some();
        if self.vectored {
            let handler = requested.map_or(0, |n| self.handlers[n]);
            if handler != self.told {
                self.told = handler;
                ctx.vectors.push((0, handler, now));
            }
        }
        drive(ctx, 0, &mut self.output, high, now);
    }

    fn place(off: u32, width: Width) -> Option<u32> {
        (width == Width::Word && off % 4 == 0 && off < SIZE).then_some(off)
    }
}

/// The source of a register of the table that begins at `from`.
fn entry(off: u32, from: u32) -> usize {
    ((off - from) / 4) as usize % SOURCES
}

impl Mmio for IrqBlock {
    fn read(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, off: Offset, width: Width) -> Reply {
        let Some(off) = Self::place(off.0, width) else { return Reply::Fault };
        let requested = self.requested();
        let value = match off {
            0x00 => self.pending(),
            0x04 => self.enable,
            0x08 => self.raw(),
            0x0c => self.software,
            0x14 => requested.map_or(NONE, |n| n as u32),
            0x18 => requested.map_or(0, |n| self.handlers[n]),
            0x1c => requested.map_or(0, |n| self.levels[n]),
            HANDLERS..LEVELS => self.handlers[entry(off, HANDLERS)],
            LEVELS.. => self.levels[entry(off, LEVELS)],
            _ => 0,
        };
        Reply::Done(value, Cycles(0))
    }

    fn write(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width, value: u32) -> Reply {
        let Some(off) = Self::place(off.0, width) else { return Reply::Fault };
        match off {
            0x04 => self.enable = value,
            0x0c => self.software |= value,
            0x10 => self.software &= !value,
            HANDLERS..LEVELS => self.handlers[entry(off, HANDLERS)] = value,
            LEVELS.. => self.levels[entry(off, LEVELS)] = value & LEVEL_MAX,
            _ => {}
        }
        self.update(ctx, now);
        Reply::Done(0, Cycles(0))
    }

    fn line(&mut self, ctx: &mut DeviceCtx, now: Cycle, input: u32, level: bool) {
        let bit = 1u32.checked_shl(input).unwrap_or(0);
        if level {
            self.inputs |= bit;
        } else {
            self.inputs &= !bit;
        }
        self.update(ctx, now);
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(u64::from(self.inputs) << 32 | u64::from(self.software));
        hash(u64::from(self.enable) << 32 | u64::from(self.output));
        hash(u64::from(self.told));
        for n in 0..SOURCES {
            hash(u64::from(self.handlers[n]) << 32 | u64::from(self.levels[n]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    fn block() -> Bench<IrqBlock> {
        Bench::new(IrqBlock::new())
    }

    fn input(b: &mut Bench<IrqBlock>, now: u64, source: u32, level: bool) {
        b.line(now, source, level);
    }

    /// PENDING, NUMBER, HANDLER, LEVEL.
    fn view(b: &mut Bench<IrqBlock>, now: u64) -> [u32; 4] {
        [0x00, 0x14, 0x18, 0x1c].map(|off| b.read(now, off, Word))
    }

    #[test]
    fn registers_hold_what_is_written() {
        let mut b = block();
        for (off, written, read) in [
            (0x00, !0, 0),
            (0x04, 0x8000_0001, 0x8000_0001),
            (0x08, !0, 0),
            (0x10, 0, 0),
            (0x14, 5, 32),
            (0x18, 5, 0),
            (0x20, 5, 0),
            (0x7c, 5, 0),
            (0x80, 0x1234, 0x1234),
            (0xfc, 0x5678, 0x5678),
            (0x100, 0xff, 63),
            (0x17c, 7, 7),
        ] {
            b.write(0, off, Word, written);
            assert_eq!(b.read(0, off, Word), read, "{off:#x}");
        }
        assert_eq!(b.read(0, 0x104, Word), 1, "the level at reset");
        for (off, width) in [(0, Byte), (4, Half), (2, Word), (SIZE, Word)] {
            assert_eq!(b.try_read(0, off, width), Reply::Fault);
            assert_eq!(b.try_write(0, off, width, 0), Reply::Fault);
        }
    }

    #[test]
    fn the_line_follows_what_is_enabled_at_its_instant() {
        let mut b = block();
        b.write(0, 0x04, Word, 1 << 5);
        input(&mut b, 10, 5, true);
        input(&mut b, 11, 6, true);
        input(&mut b, 20, 5, false);
        b.write(30, 0x04, Word, 1 << 6);
        b.write(31, 0x04, Word, 0);
        b.write(40, 0x0c, Word, 1);
        b.write(50, 0x04, Word, 1);
        b.write(60, 0x10, Word, 1);
        assert_eq!(
            b.changes,
            [(10, 0, true), (20, 0, false), (30, 0, true), (31, 0, false), (50, 0, true), (60, 0, false)]
        );
        assert_eq!(b.read(60, 0x08, Word), 1 << 6);
        input(&mut b, 70, 32, true);
        assert_eq!(b.read(70, 0x08, Word), 1 << 6, "there is no source 32");
    }

    #[test]
    fn the_highest_level_is_requested_and_the_lowest_number_among_equals() {
        let mut b = block();
        b.write(0, 0x04, Word, !0);
        for n in 0..32 {
            b.write(0, HANDLERS + 4 * n, Word, 0x1000 + 16 * n);
        }
        assert_eq!(view(&mut b, 0), [0, 32, 0, 0]);
        b.write(0, 0x0c, Word, 1 << 31 | 1 << 9 | 1 << 4);
        assert_eq!(view(&mut b, 0), [0x8000_0210, 4, 0x1040, 1]);
        b.write(0, LEVELS + 4 * 9, Word, 3);
        b.write(0, LEVELS + 4 * 31, Word, 3);
        assert_eq!(view(&mut b, 0), [0x8000_0210, 9, 0x1090, 3]);
        b.write(0, 0x10, Word, 1 << 9);
        assert_eq!(view(&mut b, 0)[1..], [31, 0x11f0, 3]);
        b.write(0, LEVELS + 4 * 31, Word, 0);
        assert_eq!(view(&mut b, 0), [0x8000_0010, 4, 0x1040, 1], "level 0 is pending and not requested");
        b.write(5, 0x10, Word, 1 << 4);
        assert_eq!(view(&mut b, 5), [0x8000_0000, 32, 0, 0]);
        assert!(!b.level(0));
    }

    #[test]
    fn all_state_is_hashed() {
        let hash = |b: &Bench<IrqBlock>| {
            let mut h = 0u64;
            b.device.hash(&mut |v| h = (h ^ v).wrapping_mul(0x0100_0000_01b3).rotate_left(23));
            h
        };
        let base = hash(&block());
        for (off, value) in [(0x04, 1), (0x0c, 1), (HANDLERS, 4), (LEVELS + 4, 2)] {
            let mut b = block();
            b.write(0, off, Word, value);
            assert_ne!(hash(&b), base, "{off:#x}");
        }
        let mut b = block();
        input(&mut b, 0, 3, true);
        assert_ne!(hash(&b), base);
    }
}
