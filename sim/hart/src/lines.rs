// SPDX-License-Identifier: Apache-2.0
//! Decoded instruction lines.
//!
//! A line is found by its address and is valid while the memory answers with the same slot and version. When it does not, the
//! bytes are compared before anything is thrown away, so two lines that take turns in one cache slot are decoded
//! once. Instructions are decoded when they are first executed.
//!
//! Behind the last halfword of each line stands an entry that leads to the next line, so the loop need not ask whether it has
//! reached the end. A *scratch* line holds a single instruction that is executed outside its line: one that
//! lies across two lines, or one that was suspended.

use crate::observe::Sites;
use isa::{Code, IsaSet, Op};

/// What an entry is, in the low bits of its tag.
pub(crate) mod tag {
    /// An instruction.
    pub const PLAIN: u8 = 0;
    /// A halfword that nobody has executed yet.
    pub const RAW: u8 = 1;
    /// The end of the line.
    pub const NEXT: u8 = 2;
    /// The first half of an instruction whose second half is in the next line; the half is in the immediate.
    pub const STRADDLE: u8 = 3;
    /// Mask of the above.
    pub const KIND: u8 = 3;
    /// A probe looks at this instruction.
    pub const PROBE: u8 = 0x80;
}

/// Register number that swallows results for x0.
pub(crate) const SINK: u8 = 32;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    pub op: Op,
    pub tag: u8,
}

impl Entry {
    fn marker(tag: u8) -> Entry {
        Entry { op: Op::default(), tag }
    }

    /// An instruction ready to execute.
    pub fn new(mut op: Op, probed: bool) -> Entry {
        if op.rd == 0 {
            op.rd = SINK;
        }
        Entry { op, tag: if probed { tag::PROBE } else { tag::PLAIN } }
    }
}

/// What is known about a place, as two words so that it is checked by two comparisons.
#[derive(Clone, Copy, Default, Debug)]
struct Known {
    /// Slot and version.
    key: u64,
    /// Address of the first byte, and the era in which the key was seen: in a later one the bytes must be compared.
    place: u64,
}

/// No line begins at an odd address.
const NOWHERE: u64 = 1;
const MOST_LINES: u32 = 4096;

#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    pub entries: Vec<Entry>,
    known: Vec<Known>,
    bytes: Vec<u8>,
    era: u32,
    pub line_bytes: u32,
    shift: u32,
    mask: u32,
    stride: usize,
    /// Index of the scratch line.
    pub scratch: usize,
}

impl Lines {
    /// Take the memory's geometry; forgets everything when it is not the one already known, and says so.
    pub fn prepare(&mut self, line_bytes: u32, slots: u32) -> bool {
        let lines = slots.saturating_mul(8).clamp(64, MOST_LINES).next_power_of_two();
        if self.line_bytes == line_bytes && self.known.len() == lines as usize {
            return false;
        }
        assert!(line_bytes.is_power_of_two() && (4..=64).contains(&line_bytes), "fetch line of {line_bytes} bytes");
        self.line_bytes = line_bytes;
        self.shift = line_bytes.trailing_zeros();
        self.mask = lines - 1;
        self.stride = line_bytes as usize / 2 + 1;
        self.scratch = lines as usize * self.stride;
        self.known = vec![Known { key: 0, place: NOWHERE }; lines as usize];
        self.bytes = vec![0; (lines * line_bytes) as usize];
        // Two ends behind the scratch instruction, because it may be two halfwords long.
        self.entries = vec![Entry::marker(tag::NEXT); self.scratch + 3];
        true
    }

    /// Nothing that was decoded may be used before its bytes have been compared.
    pub fn distrust(&mut self) {
        self.era = self.era.wrapping_add(1);
        if self.era == 0 {
            self.known.fill(Known { key: 0, place: NOWHERE });
        }
    }

    fn known(&self, base: u32, slot: u32, version: u32) -> Known {
        Known { key: u64::from(slot) << 32 | u64::from(version), place: u64::from(self.era) << 32 | u64::from(base) }
    }

    fn place(&self, base: u32) -> usize {
        ((base >> self.shift) & self.mask) as usize
    }

    /// Index of the line's first entry, if it is known under this slot and version.
    #[inline(always)]
    pub fn find(&self, base: u32, slot: u32, version: u32) -> Option<usize> {
        let place = self.place(base);
        let (have, want) = (self.known[place], self.known(base, slot, version));
        (have.key == want.key && have.place == want.place).then_some(place * self.stride)
    }

    /// Make the line known; answers as [`find`](Self::find).
    #[cold]
    pub fn learn(&mut self, base: u32, slot: u32, version: u32, bytes: &[u8]) -> usize {
        let place = self.place(base);
        let n = self.line_bytes as usize;
        let first = place * self.stride;
        let held = &mut self.bytes[place * n..][..n];
        if self.known[place].place as u32 != base || held != &bytes[..n] {
            held.copy_from_slice(&bytes[..n]);
            self.entries[first..first + n / 2].fill(Entry::marker(tag::RAW));
        }
        self.known[place] = self.known(base, slot, version);
        first
    }

    /// Decode the instruction at `pc`, which is in a line that is known.
    #[cold]
    pub fn decode(&mut self, set: IsaSet, sites: Option<&Sites>, pc: u32) {
        let n = self.line_bytes as usize;
        let base = pc & !(self.line_bytes - 1);
        let offset = (pc - base) as usize;
        let at = self.place(base) * self.stride + offset / 2;
        let line = &self.bytes[self.place(base) * n..][..n];
        let half = |o: usize| u16::from_le_bytes([line[o], line[o + 1]]);
        let low = half(offset);
        self.entries[at] = if isa::length(low) == 4 && offset + 2 == n {
            Entry { op: Op { imm: i32::from(low), ..Op::default() }, tag: tag::STRADDLE }
        } else {
            let high = if isa::length(low) == 4 { half(offset + 2) } else { 0 };
            entry(set, sites, pc, low, high)
        };
    }

    /// The era in which keys are seen now; see [`distrust`](Self::distrust).
    pub fn era(&self) -> u32 {
        self.era
    }

    /// The halfword at `pc` as it was when its line was learnt last, if it is known.
    pub fn half(&self, pc: u32) -> Option<u16> {
        let base = pc & !(self.line_bytes - 1);
        let known = self.known.get(self.place(base))?.place as u32 == base;
        let offset = (pc - base) as usize;
        known.then(|| self.text(base)[offset..].first_chunk().map_or(0, |b| u16::from_le_bytes(*b)))
    }

    /// The bytes of the line at `base`, which is known.
    pub fn text(&self, base: u32) -> &[u8] {
        let n = self.line_bytes as usize;
        &self.bytes[self.place(base) * n..][..n]
    }

    /// Put one instruction in the scratch line.
    pub fn set_scratch(&mut self, entry: Entry) {
        self.entries[self.scratch] = entry;
    }
}

/// The entry of the instruction with these halves at `pc`.
pub(crate) fn entry(set: IsaSet, sites: Option<&Sites>, pc: u32, low: u16, high: u16) -> Entry {
    let op = isa::decode(set, u32::from(low) | u32::from(high) << 16);
    let probed = op.code != Code::Illegal && sites.is_some_and(|s| s.has(pc));
    Entry::new(op, probed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: [u8; 4] = [0x13, 0, 0, 0];
    /// addi x1, x1, 1
    const STEP: [u8; 4] = [0x93, 0x80, 0x10, 0];

    fn bytes(first: [u8; 4]) -> Vec<u8> {
        [first, NOP, NOP, NOP].concat()
    }

    fn set() -> IsaSet {
        IsaSet::C
    }

    #[test]
    fn what_was_decoded_stays_only_while_the_bytes_do() {
        let mut lines = Lines::default();
        lines.prepare(16, 4);
        assert_eq!(lines.find(0x100, 2, 7), None);
        let first = lines.learn(0x100, 2, 7, &bytes(NOP));
        assert_eq!(lines.find(0x100, 2, 7), Some(first));
        lines.decode(set(), None, 0x100);
        assert_eq!((lines.entries[first].op.code, lines.entries[first].tag), (Code::Addi, tag::PLAIN));
        for (slot, version) in [(2, 8), (3, 7)] {
            assert_eq!(lines.find(0x100, slot, version), None, "refilled, or moved");
            assert_eq!(lines.learn(0x100, slot, version, &bytes(NOP)), first);
            assert_eq!(lines.entries[first].tag, tag::PLAIN, "the same bytes need no decoding");
        }
        lines.learn(0x100, 2, 9, &bytes(STEP));
        assert_eq!(lines.entries[first].tag, tag::RAW);
        // After a rewind a version may come again with other bytes.
        lines.distrust();
        assert_eq!(lines.find(0x100, 2, 9), None);
        lines.learn(0x100, 2, 9, &bytes(NOP));
        assert_eq!(lines.find(0x100, 2, 9), Some(first));
        // Lines that share a place.
        assert_eq!(lines.find(0x100 + 64 * 16, 2, 9), None);
    }

    #[test]
    fn behind_each_line_stands_its_end() {
        let mut lines = Lines::default();
        lines.prepare(16, 4);
        let first = lines.learn(0x100, 0, 1, &[[1, 0].repeat(7), vec![0x13, 0]].concat());
        lines.decode(set(), None, 0x10e);
        assert_eq!(lines.entries[first + 7].tag, tag::STRADDLE);
        assert_eq!(lines.entries[first + 8].tag, tag::NEXT);
        lines.set_scratch(Entry::new(Op::default(), false));
        assert_eq!([1, 2].map(|i| lines.entries[lines.scratch + i].tag), [tag::NEXT; 2]);
    }
}
