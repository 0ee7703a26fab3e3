// SPDX-License-Identifier: Apache-2.0
//! Timing of a single-data-rate SDRAM behind its controller.
//!
//! A bank holds one row open. An access to it costs the column latency (reads) and the beats; another row must be
//! opened first, and the open one closed before that:
//!
//! ```text
//!   row open     |overhead|             |cas (reads)|beat beat …|
//!   bank closed  |overhead|trcd         |cas (reads)|beat beat …|
//!   other row    |overhead|trp trcd     |cas (reads)|beat beat …|
//!   refresh                 [trp] trfc, then as with the bank closed
//! ```
//!
//! A refresh is due at `phase`, `phase + interval`, … . It closes all rows (`trp` if one is open); it waits for the
//! transfer that is being served, and a transfer that starts at or after its instant waits for it. Nothing happens
//! at the instant itself: it is made up for at the next access.
//!
//! Consecutive rows lie in consecutive banks: bank = (offset / row_bytes) mod banks.

use crate::sram::beats;
use engine::{Cycle, Cycles};

/// Parameters of an SDRAM and its controller; all times in cycles of the base clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SdramTiming {
    /// Width of the data bus.
    pub width_bits: u32,
    /// READ command to first data.
    pub cas: u32,
    /// ACTIVATE to READ or WRITE.
    pub trcd: u32,
    /// PRECHARGE to ACTIVATE.
    pub trp: u32,
    /// Length of a refresh.
    pub trfc: u32,
    /// From one refresh to the next; 0 means never.
    pub refresh_interval: u32,
    /// Number of banks.
    pub banks: u32,
    /// Bytes of a row of one bank.
    pub row_bytes: u32,
    /// What controller and fabric add to a read.
    pub read_overhead: u32,
    /// What controller and fabric add to a write.
    pub write_overhead: u32,
}

/// An SDRAM's rows and refresh.
pub struct Sdram {
    timing: SdramTiming,
    /// Open row of each bank.
    rows: Vec<Option<u32>>,
    next_refresh: Cycle,
    busy_until: Cycle,
}

impl Sdram {
    /// A memory with all rows closed. `phase` (any number, a seed for example) places the first refresh within the
    /// interval.
    pub fn new(timing: SdramTiming, phase: u64) -> Sdram {
        let next_refresh = match timing.refresh_interval {
            0 => Cycle::NEVER,
            interval => Cycle(phase % u64::from(interval)),
        };
        Sdram { timing, rows: vec![None; timing.banks.max(1) as usize], next_refresh, busy_until: Cycle::ZERO }
    }

    /// Transfer `bytes` bytes at `offset`, granted at `start`, which is not before the end of the last transfer.
    /// Returns how long it holds the memory.
    pub fn service(&mut self, start: Cycle, offset: u32, bytes: u32, write: bool) -> Cycles {
        let t = self.timing;
        let mut now = self.refresh(start);
        now += Cycles(u64::from(if write { t.write_overhead } else { t.read_overhead }));
        // A burst that leaves its row continues in the next.
        let (mut at, mut left) = (offset, bytes.max(1));
        while left > 0 {
            let part = match t.row_bytes {
                0 => left,
                row => left.min(row - modulo(at, row)),
            };
            now += self.open(at);
            now += Cycles(if write { 0 } else { u64::from(t.cas) } + beats(t.width_bits, at, part));
            at = at.wrapping_add(part);
            left -= part;
        }
        self.busy_until = now;
        now - start
    }

    /// How long the data bus is used for `bytes` bytes at `offset`.
    pub fn beats(&self, offset: u32, bytes: u32) -> Cycles {
        Cycles(beats(self.timing.width_bits, offset, bytes))
    }

    /// Open the row that holds `offset`.
    fn open(&mut self, offset: u32) -> Cycles {
        let row_bytes = self.timing.row_bytes.max(1);
        let row = if row_bytes.is_power_of_two() { offset >> row_bytes.trailing_zeros() } else { offset / row_bytes };
        let banks = self.rows.len() as u32;
        let bank = &mut self.rows[modulo(row, banks) as usize];
        let cost = match *bank {
            Some(open) if open == row => 0,
            Some(_) => self.timing.trp + self.timing.trcd,
            None => self.timing.trcd,
        };
        *bank = Some(row);
        Cycles(u64::from(cost))
    }

    /// Make up for the refreshes due by `start`; returns when the memory is ready.
    fn refresh(&mut self, start: Cycle) -> Cycle {
        if start < self.next_refresh {
            return start;
        }
        let interval = u64::from(self.timing.refresh_interval);
        let trfc = Cycles(u64::from(self.timing.trfc));
        // First the one due longest: it waited for the last transfer, and it found rows open.
        let close = if self.rows.iter().any(Option::is_some) { self.timing.trp } else { 0 };
        let mut ready = self.next_refresh.max(self.busy_until) + Cycles(u64::from(close)) + trfc;
        self.rows.fill(None);
        // Then those since: only the last can still be in progress.
        let more = (start - self.next_refresh).0 / interval;
        self.next_refresh += Cycles(more * interval);
        if more > 0 {
            ready = ready.max(self.next_refresh) + trfc;
        }
        self.next_refresh += Cycles(interval);
        start.max(ready)
    }

    /// Feed the state into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for row in &self.rows {
            hash(row.map_or(u64::MAX, u64::from));
        }
        hash(self.next_refresh.0);
        hash(self.busy_until.0);
    }
}

/// `a % b` for a `b` that is nearly always a power of two.
#[inline]
fn modulo(a: u32, b: u32) -> u32 {
    if b.is_power_of_two() {
        a & (b - 1)
    } else {
        a % b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The DE2's memory (reference/core-timing.md), with a controller of 4 and 2 cycles.
    const DE2: SdramTiming = SdramTiming {
        width_bits: 16,
        cas: 3,
        trcd: 1,
        trp: 1,
        trfc: 4,
        refresh_interval: 781,
        banks: 4,
        row_bytes: 512,
        read_overhead: 4,
        write_overhead: 2,
    };

    fn without_refresh() -> Sdram {
        Sdram::new(SdramTiming { refresh_interval: 0, ..DE2 }, 0)
    }

    #[test]
    fn a_word_is_two_beats_and_a_line_sixteen() {
        let mut m = without_refresh();
        // Closed bank: trcd 1.
        assert_eq!(m.service(Cycle(0), 0, 32, false), Cycles(4 + 1 + 3 + 16));
        // Open row.
        assert_eq!(m.service(Cycle(100), 32, 32, false), Cycles(4 + 3 + 16));
        assert_eq!(m.service(Cycle(200), 64, 4, false), Cycles(4 + 3 + 2));
        assert_eq!(m.service(Cycle(300), 64, 4, true), Cycles(2 + 2));
        assert_eq!(m.service(Cycle(400), 64, 1, true), Cycles(2 + 1));
        assert_eq!(m.service(Cycle(500), 64, 32, true), Cycles(2 + 16));
    }

    #[test]
    fn each_bank_keeps_its_own_row() {
        let mut m = without_refresh();
        for bank in 0..4 {
            assert_eq!(m.service(Cycle(0), bank * 512, 4, true), Cycles(2 + 1 + 2), "bank {bank} is closed");
        }
        for bank in 0..4 {
            assert_eq!(m.service(Cycle(0), bank * 512 + 508, 4, true), Cycles(2 + 2), "bank {bank} is open");
        }
        // 2048 bytes on: the same bank, another row; then back.
        assert_eq!(m.service(Cycle(0), 2048, 4, true), Cycles(2 + 1 + 1 + 2));
        assert_eq!(m.service(Cycle(0), 0, 4, true), Cycles(2 + 1 + 1 + 2));
        assert_eq!(m.service(Cycle(0), 512, 4, true), Cycles(2 + 2));
    }

    #[test]
    fn a_burst_over_the_end_of_a_row_opens_the_next() {
        let mut m = without_refresh();
        assert_eq!(m.service(Cycle(0), 496, 32, true), Cycles(2 + (1 + 8) + (1 + 8)));
    }

    /// Service of an open-row word write at `start`, refresh due at 781.
    fn write_at(start: u64) -> Cycles {
        let mut m = Sdram::new(DE2, 781 * 5);
        m.service(Cycle(1), 0, 4, true); // past the refresh at 0
        m.service(Cycle(20), 0, 4, true);
        m.service(Cycle(start), 0, 4, true)
    }

    #[test]
    fn a_refresh_delays_what_starts_in_it() {
        // One cycle before: not yet. At its instant: trp 1 + trfc 4, and the row is to be opened again, trcd 1.
        assert_eq!(write_at(780), Cycles(2 + 2));
        assert_eq!(write_at(781), Cycles(5 + 2 + 1 + 2));
        assert_eq!(write_at(785), Cycles(1 + 2 + 1 + 2));
        assert_eq!(write_at(786), Cycles(2 + 1 + 2));
        assert_eq!(write_at(787), Cycles(2 + 1 + 2));
        // The next one finds the rows closed: 1562 .. 1566.
        assert_eq!(write_at(1561), Cycles(2 + 1 + 2));
        assert_eq!(write_at(1562), Cycles(4 + 2 + 1 + 2));
        assert_eq!(write_at(1565), Cycles(1 + 2 + 1 + 2));
        assert_eq!(write_at(1566), Cycles(2 + 1 + 2));
        assert_eq!(write_at(781 * 1000), Cycles(4 + 2 + 1 + 2));
    }

    #[test]
    fn a_refresh_waits_for_the_transfer_in_service() {
        let mut m = Sdram::new(DE2, 100);
        assert_eq!(m.service(Cycle(90), 0, 32, true), Cycles(2 + 1 + 16)); // until 109; due at 100
        assert_eq!(m.service(Cycle(109), 0, 4, true), Cycles(5 + 2 + 1 + 2)); // 109 .. 114 refresh
        let mut m = Sdram::new(DE2, 100);
        m.service(Cycle(90), 0, 32, true);
        assert_eq!(m.service(Cycle(114), 0, 4, true), Cycles(2 + 1 + 2));
    }

    #[test]
    fn refreshes_come_once_an_interval() {
        // A word every 11 cycles (no two refreshes in one gap): each refresh costs exactly one reopening.
        let mut m = Sdram::new(SdramTiming { trfc: 1, trp: 1, ..DE2 }, 3);
        let (mut now, mut reopened) = (0, 0);
        while now < 781 * 100 + 3 {
            let d = m.service(Cycle(now), 0, 4, true).0;
            reopened += u64::from(d > 4);
            now += 11;
        }
        // 1 first opening (before the refresh at 3), then the refreshes at 3 + 781 k for k = 0 .. 99.
        assert_eq!(reopened, 101);
    }

    #[test]
    fn the_phase_is_part_of_the_state() {
        let digest = |phase| {
            let mut v = Vec::new();
            Sdram::new(DE2, phase).hash(&mut |w| v.push(w));
            v
        };
        assert_ne!(digest(1), digest(2));
        assert_eq!(digest(1), digest(782));
    }
}
