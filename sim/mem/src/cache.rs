// SPDX-License-Identifier: Apache-2.0
//! A direct-mapped cache that holds bytes.
//!
//! The place of an address follows from the address alone, so the byte at `addr` is at `addr mod size` in one flat
//! array, and looking up is one comparison. It fails for another line, an empty place and a misaligned access
//! alike: the tag of a held line is its address, whose low bits are zero, and a misaligned access brings low bits.
//!
//! Deliberately lacks: where lines come from and go to, and associativity.

use engine::Width;

/// Size and line of a direct-mapped cache; both powers of two, lines of 8 to 64 bytes, two lines at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheGeometry {
    /// Bytes in all.
    pub size_bytes: u32,
    /// Bytes of a line.
    pub line_bytes: u32,
}

impl CacheGeometry {
    /// Whether a [`Cache`] can have this geometry.
    pub fn is_valid(&self) -> bool {
        self.size_bytes.is_power_of_two()
            && self.line_bytes.is_power_of_two()
            && (8..=64).contains(&self.line_bytes)
            && self.size_bytes >= 2 * self.line_bytes
    }
}

/// The tag of an empty place: no aligned address of a line, and with bit 2 set, no misaligned one that is compared.
const EMPTY: u32 = 4;

/// Tags, dirty bits and bytes.
pub struct Cache {
    line_bits: u32,
    /// Clears the bits inside a line.
    line_mask: u32,
    /// Keeps the place in the cache.
    place_mask: u32,
    /// Address of the line in each place.
    tags: Vec<u32>,
    dirty: Vec<bool>,
    /// Changes whenever the bytes of a place may have changed by fill or invalidation; never 0.
    versions: Vec<u32>,
    /// Never goes back, so that a version means the same bytes even after an undo.
    last_version: u32,
    changes: u64,
    bytes: Vec<u8>,
}

impl Cache {
    /// An empty cache.
    ///
    /// # Panics
    /// The geometry is not [valid](CacheGeometry::is_valid); a platform is checked before it is built.
    pub fn new(geometry: CacheGeometry) -> Cache {
        assert!(geometry.is_valid(), "{geometry:?} is no geometry of a direct-mapped cache");
        let lines = (geometry.size_bytes / geometry.line_bytes) as usize;
        Cache {
            line_bits: geometry.line_bytes.trailing_zeros(),
            line_mask: !(geometry.line_bytes - 1),
            place_mask: geometry.size_bytes - 1,
            tags: vec![EMPTY; lines],
            dirty: vec![false; lines],
            versions: vec![1; lines],
            last_version: 1,
            changes: 1,
            bytes: vec![0; geometry.size_bytes as usize],
        }
    }

    /// Bytes of a line.
    #[inline]
    pub fn line_bytes(&self) -> u32 {
        1 << self.line_bits
    }

    /// Number of lines.
    pub fn lines(&self) -> u32 {
        self.tags.len() as u32
    }

    /// Address of the line that holds `addr`.
    #[inline]
    pub fn line_of(&self, addr: u32) -> u32 {
        addr & self.line_mask
    }

    /// The place for `addr`, whatever it holds.
    #[inline]
    pub fn index_of(&self, addr: u32) -> usize {
        ((addr & self.place_mask) >> self.line_bits) as usize
    }

    /// Where the `bytes` bytes (1, 2 or 4) at `addr` are in the cache's bytes; `None` when the line is not held or
    /// `addr` is not aligned.
    #[inline(always)]
    pub fn find(&self, addr: u32, bytes: u32) -> Option<usize> {
        let wanted = addr & (self.line_mask | (bytes - 1));
        (self.tags[self.index_of(addr)] == wanted).then_some((addr & self.place_mask) as usize)
    }

    /// Whether the line that holds `addr` is held.
    #[inline]
    pub fn holds(&self, addr: u32) -> bool {
        self.tags[self.index_of(addr)] == self.line_of(addr)
    }

    /// Read at a place that [`find`](Self::find) gave for this width.
    #[inline(always)]
    pub fn read(&self, at: usize, width: Width) -> u32 {
        match width {
            Width::Byte => u32::from(self.bytes[at]),
            Width::Half => self.bytes[at..].first_chunk().map_or(0, |b| u32::from(u16::from_le_bytes(*b))),
            Width::Word => self.word(at),
        }
    }

    /// The word at a place that is a multiple of 4.
    #[inline(always)]
    pub fn word(&self, at: usize) -> u32 {
        self.bytes[at..].first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
    }

    /// Write at a place that [`find`](Self::find) gave, mark the line dirty, and say what was there before.
    #[inline(always)]
    pub(crate) fn write(&mut self, at: usize, width: Width, value: u32) -> StoreUndo {
        let place = at & !3;
        let old = self.word(place);
        let dirty = &mut self.dirty[at >> self.line_bits];
        let undo = StoreUndo { place_dirty: place as u32 | u32::from(*dirty), old };
        *dirty = true;
        let shift = (at as u32 & 3) * 8;
        let mask = (u32::MAX >> (32 - width.bytes() * 8)) << shift;
        self.set_word(place, (old & !mask) | ((value << shift) & mask));
        undo
    }

    #[inline(always)]
    fn set_word(&mut self, at: usize, value: u32) {
        if let Some(b) = self.bytes[at..].first_chunk_mut() {
            *b = value.to_le_bytes();
        }
    }

    pub(crate) fn undo_store(&mut self, undo: StoreUndo) {
        let place = (undo.place_dirty & !3) as usize;
        self.set_word(place, undo.old);
        self.dirty[place >> self.line_bits] = undo.place_dirty & 1 != 0;
    }

    /// Whether a place holds a line.
    pub fn is_held(&self, index: usize) -> bool {
        self.tags[index] != EMPTY
    }

    /// Whether a place holds a line with bytes that memory lacks.
    pub fn is_dirty(&self, index: usize) -> bool {
        self.dirty[index]
    }

    /// Address of the line in a place; meaningful when [held](Self::is_held).
    pub fn tag(&self, index: usize) -> u32 {
        self.tags[index]
    }

    /// Memory has the bytes of the line in this place now.
    pub(crate) fn set_clean(&mut self, index: usize) {
        self.dirty[index] = false;
    }

    /// Version of a place.
    #[inline]
    pub fn version(&self, index: usize) -> u32 {
        self.versions[index]
    }

    /// Bytes of the line in a place.
    #[inline]
    pub fn line(&self, index: usize) -> &[u8] {
        let at = index << self.line_bits;
        &self.bytes[at..at + (1 << self.line_bits)]
    }

    /// Put a clean line into its place.
    pub(crate) fn fill(&mut self, line: u32, bytes: &[u8]) {
        self.place_for(line).copy_from_slice(bytes);
    }

    /// The bytes of the place that `line` has from now on, to be filled with it.
    #[inline]
    pub(crate) fn place_for(&mut self, line: u32) -> &mut [u8] {
        let index = self.index_of(line);
        self.tags[index] = line;
        self.dirty[index] = false;
        self.change(index);
        let at = index << self.line_bits;
        &mut self.bytes[at..at + (1 << self.line_bits)]
    }

    /// Empty a place, dirty or not, and say what it held.
    pub(crate) fn drop_line(&mut self, index: usize) -> LineUndo {
        let undo = LineUndo {
            index: index as u32,
            tag: self.tags[index],
            version: self.versions[index],
            dirty: self.dirty[index],
        };
        self.tags[index] = EMPTY;
        self.dirty[index] = false;
        self.change(index);
        undo
    }

    pub(crate) fn undo_drop(&mut self, undo: LineUndo) {
        let index = undo.index as usize;
        self.tags[index] = undo.tag;
        self.dirty[index] = undo.dirty;
        self.versions[index] = undo.version;
        self.changes += 1;
    }

    /// How often lines have come, gone, or come back by an undo; never 0.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    fn change(&mut self, index: usize) {
        self.changes += 1;
        self.last_version = self.last_version.checked_add(1).unwrap_or(1);
        self.versions[index] = self.last_version;
    }

    /// Feed tags, dirty bits and held bytes into `hash`. Versions are left out: they count what was undone, too.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for index in 0..self.tags.len() {
            hash(u64::from(self.tags[index]) << 1 | u64::from(self.dirty[index]));
            if self.is_held(index) {
                for part in self.line(index).chunks_exact(8) {
                    hash(part.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)));
                }
            }
        }
    }
}

/// What a store changed: the place of the word, whether the line was dirty (bit 0), the word.
#[derive(Clone, Copy)]
pub(crate) struct StoreUndo {
    place_dirty: u32,
    old: u32,
}

/// What a place held before it was emptied.
#[derive(Clone, Copy)]
pub(crate) struct LineUndo {
    index: u32,
    tag: u32,
    version: u32,
    dirty: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> Cache {
        let mut c = Cache::new(CacheGeometry { size_bytes: 256, line_bytes: 32 });
        let bytes: Vec<u8> = (0..32).collect();
        c.fill(0x1020, &bytes);
        c
    }

    #[test]
    fn one_comparison_finds_what_is_held_and_aligned() {
        let c = cache();
        assert_eq!(c.find(0x1020, 4), Some(0x20));
        assert_eq!(c.find(0x103c, 4), Some(0x3c));
        assert_eq!(c.find(0x103f, 1), Some(0x3f));
        for (addr, bytes) in
            [(0x1021, 4), (0x1022, 4), (0x1021, 2), (0x1040, 4), (0x101c, 4), (0x1120, 4), (0x8000_1020, 4)]
        {
            assert_eq!(c.find(addr, bytes), None, "{bytes} bytes at {addr:#x}");
        }
        // An empty place holds no address at all, aligned or not.
        for addr in (0..64).chain(0xffff_ffe0..=0xffff_ffff) {
            for bytes in [1, 2, 4] {
                assert_eq!(Cache::new(CacheGeometry { size_bytes: 256, line_bytes: 8 }).find(addr, bytes), None);
            }
        }
    }

    #[test]
    fn writes_of_all_widths_are_undone() {
        let mut c = cache();
        let before: Vec<u8> = c.line(1).to_vec();
        let undo = [
            c.write(0x20, Width::Word, 0xa1b2_c3d4),
            c.write(0x26, Width::Half, 0xffff_1234),
            c.write(0x29, Width::Byte, 0xffff_ff56),
        ];
        assert_eq!(c.read(0x20, Width::Word), 0xa1b2_c3d4);
        assert_eq!(c.read(0x24, Width::Word), 0x1234_0504);
        assert_eq!(c.read(0x28, Width::Word), 0x0b0a_5608);
        assert_eq!(c.read(0x26, Width::Half), 0x1234);
        assert!(c.is_dirty(1));
        undo.into_iter().rev().for_each(|u| c.undo_store(u));
        assert_eq!(c.line(1), before);
        assert!(!c.is_dirty(1));
    }

    #[test]
    fn a_version_never_comes_back_with_other_bytes() {
        let mut c = cache();
        let held = c.version(1);
        let undo = c.drop_line(1);
        let empty = c.version(1);
        c.undo_drop(undo);
        assert_eq!(c.version(1), held);
        c.fill(0x2020, &[0; 32]);
        assert!(c.version(1) != held && c.version(1) != empty);
    }

    #[test]
    fn geometries() {
        let valid = |size_bytes, line_bytes| CacheGeometry { size_bytes, line_bytes }.is_valid();
        assert!(valid(4096, 32) && valid(16, 8) && valid(65536, 64));
        assert!(!valid(4095, 32) && !valid(4096, 4) && !valid(4096, 128) && !valid(32, 32) && !valid(4096, 24));
    }
}
