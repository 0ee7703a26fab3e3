// SPDX-License-Identifier: Apache-2.0
//! A cache that holds bytes: direct mapped, of several ways, or fully associative.
//!
//! **The front.** Each set has one entry that names a line it holds and where its bytes are. An access that meets it is found by
//! one comparison, and changes no replacement state: in a direct-mapped cache the entry is the only line, under LRU it is the
//! most recent one, and the other policies do not care about hits. Everything else is looked up among the ways
//! ([`Cache::look`]), which moves the front. The comparison fails for another line, an empty set and a misaligned access alike:
//! the tag of a held line is its address, whose low bits are zero, and a misaligned access brings low bits. A second tag
//! in the entry is the line only while a store to it is private: never in a write-through cache.
//!
//! **Replacement.** An empty way is taken first, the lowest. Else LRU takes the least recently used, round robin the way after
//! the one it took last in this set, pseudo-random the way that a 16-bit shift register names, which steps with each choice.
//!
//! Deliberately lacks: where lines come from and go to.

use crate::geometry::CacheGeometry;
use crate::order::Order;
use engine::{Bytes, Width};

/// The tag of an empty place: no aligned address of a line, and with bit 2 set, no misaligned one that is compared.
const EMPTY: u32 = 4;
/// Marks the branch that calls it as the one that need not be fast.
#[cold]
#[inline]
fn unlikely() {}

/// Sets of more ways are not searched way by way if the finder knows better.
const SEARCHED: u32 = 16;

/// What is found by one comparison, by set; apart from each other, so that each access reads what it needs and no more.
struct Front {
    /// Address of the line.
    tags: Vec<u32>,
    /// The same while a store to it is private, else [`EMPTY`].
    store_tags: Vec<u32>,
    /// Its place; a direct-mapped cache does not ask.
    places: Vec<u32>,
}

/// Tags, dirty bits, replacement state and bytes.
pub struct Cache {
    line_bits: u32,
    /// Clears the bits inside a line.
    line_mask: u32,
    /// Keeps the set, after the shift by `line_bits`.
    set_mask: u32,
    direct: bool,
    /// Keeps the byte of a direct-mapped cache.
    place_mask: u32,
    front: Front,
    /// The places of a set follow each other.
    places: Vec<Place>,
    /// Never goes back, so that a version means the same bytes even after an undo.
    last_version: u32,
    changes: u64,
    bytes: Vec<u8>,
    /// Whether stores to held lines may be private at all.
    private_stores: bool,
    order: Box<Order>,
    geometry: CacheGeometry,
    /// Lines held by each set; not kept when direct mapped.
    held: Vec<u32>,
    /// Where a line of a wide set may be; checked against its tag.
    finder: Vec<u32>,
}

/// What is known of one place, together, since a miss needs all of it.
#[derive(Clone, Copy)]
struct Place {
    /// Address of the line.
    tag: u32,
    /// Changes whenever the bytes may have changed by fill or invalidation; never 0.
    version: u32,
    dirty: bool,
    /// A store to the line must be seen by others first.
    shared: bool,
}

const NO_LINE: Place = Place { tag: EMPTY, version: 1, dirty: false, shared: false };

impl Cache {
    /// An empty cache; `seed` is where the shift register of pseudo-random replacement starts.
    ///
    /// # Panics
    /// The geometry is not [valid](CacheGeometry::is_valid); a platform is checked before it is built.
    pub fn new(geometry: CacheGeometry, seed: u16) -> Cache {
        assert!(geometry.is_valid(), "{geometry:?} is no geometry of a cache");
        let lines = (geometry.size_bytes / geometry.line_bytes) as usize;
        let sets = geometry.sets() as usize;
        let finder = if geometry.ways > SEARCHED { (lines * 4).next_power_of_two() } else { 0 };
        Cache {
            geometry,
            line_bits: geometry.line_bytes.trailing_zeros(),
            line_mask: !(geometry.line_bytes - 1),
            set_mask: sets as u32 - 1,
            direct: geometry.ways == 1,
            place_mask: geometry.size_bytes - 1,
            front: Front { tags: vec![EMPTY; sets], store_tags: vec![EMPTY; sets], places: vec![0; sets] },
            places: vec![NO_LINE; lines],
            last_version: 1,
            changes: 1,
            bytes: vec![0; geometry.size_bytes as usize],
            held: vec![0; if geometry.ways == 1 { 0 } else { sets }],
            order: Box::new(Order::new(geometry, seed)),
            private_stores: true,
            finder: vec![0; finder],
        }
    }

    /// The same cache, in which no store hits: each goes through to memory.
    pub(crate) fn without_private_stores(mut self) -> Cache {
        self.private_stores = false;
        self
    }

    /// Bytes of a line.
    #[inline]
    pub fn line_bytes(&self) -> u32 {
        1 << self.line_bits
    }

    /// Number of lines.
    pub fn lines(&self) -> u32 {
        self.places.len() as u32
    }

    /// Address of the line that holds `addr`.
    #[inline]
    pub fn line_of(&self, addr: u32) -> u32 {
        addr & self.line_mask
    }

    #[inline(always)]
    fn set_of(&self, addr: u32) -> usize {
        ((addr >> self.line_bits) & self.set_mask) as usize
    }

    /// Where the `bytes` bytes (1, 2 or 4) at `addr` are in the cache's bytes; `None` when the front does not hold the line
    /// or `addr` is not aligned.
    #[inline(always)]
    pub fn find(&self, addr: u32, bytes: u32) -> Option<usize> {
        let set = self.set_of(addr);
        let wanted = addr & (self.line_mask | (bytes - 1));
        (self.front.tags[set] == wanted).then_some(self.index(set, addr))
    }

    /// As [`find`](Self::find), for a store that nobody else need see.
    #[inline(always)]
    pub fn find_store(&self, addr: u32, bytes: u32) -> Option<usize> {
        let set = self.set_of(addr);
        let wanted = addr & (self.line_mask | (bytes - 1));
        (self.front.store_tags[set] == wanted).then_some(self.index(set, addr))
    }

    /// The place of the line that holds `addr`, if the front knows it.
    #[inline(always)]
    pub fn find_line(&self, addr: u32) -> Option<usize> {
        let set = self.set_of(addr);
        if self.front.tags[set] != self.line_of(addr) {
            return None;
        }
        if self.direct {
            return Some(set);
        }
        unlikely();
        Some(self.front.places[set] as usize)
    }

    /// In a direct-mapped cache the address alone says where its byte is.
    #[inline(always)]
    fn index(&self, set: usize, addr: u32) -> usize {
        if self.direct {
            return (addr & self.place_mask) as usize;
        }
        unlikely();
        self.at(self.front.places[set] as usize, addr)
    }

    /// The place of the line that holds `addr`, if it is held. Changes nothing.
    pub fn place_of(&self, addr: u32) -> Option<usize> {
        let line = self.line_of(addr);
        let set = self.set_of(addr);
        if self.direct {
            return (self.places[set].tag == line).then_some(set);
        }
        if self.geometry.ways > SEARCHED {
            let place = self.finder[self.finder_at(line)] as usize;
            if self.places[place].tag == line {
                return Some(place);
            }
        }
        let ways = self.geometry.ways as usize;
        let first = set * ways;
        self.places[first..first + ways].iter().position(|p| p.tag == line).map(|way| first + way)
    }

    fn finder_at(&self, line: u32) -> usize {
        (line >> self.line_bits) as usize & (self.finder.len() - 1)
    }

    /// Use the line that holds `addr` if it is held: it becomes the most recent one, and the front of its set.
    pub(crate) fn look(&mut self, addr: u32) -> Option<usize> {
        let place = self.place_of(addr)?;
        if !self.direct {
            self.order.touch(place as u32);
        }
        self.put_in_front(place);
        Some(place)
    }

    /// As [`look`](Self::look), when the front does not know the line; a direct-mapped cache has nowhere else to look.
    #[cold]
    pub(crate) fn look_aside(&mut self, addr: u32) -> Option<usize> {
        if self.direct {
            return None;
        }
        self.look(addr)
    }

    fn put_in_front(&mut self, place: usize) {
        let Place { tag, shared, .. } = self.places[place];
        let private = self.private_stores && !shared;
        let set = self.set_of(tag);
        self.front.tags[set] = tag;
        self.front.store_tags[set] = if private { tag } else { EMPTY };
        if !self.direct {
            self.front.places[set] = place as u32;
        }
    }

    /// Forget what the front of the set of `addr` holds; it is looked up again.
    pub(crate) fn clear_front(&mut self, addr: u32) {
        self.clear_front_of(self.set_of(addr));
    }

    fn clear_front_of(&mut self, set: usize) {
        self.front.tags[set] = EMPTY;
        self.front.store_tags[set] = EMPTY;
    }

    /// Where the byte at `addr` is, given the place of its line.
    #[inline]
    pub(crate) fn at(&self, place: usize, addr: u32) -> usize {
        (place << self.line_bits) + (addr & !self.line_mask) as usize
    }

    /// The place of the byte at an index that [`find`](Self::find) gave.
    #[inline(always)]
    pub fn place_at(&self, at: usize) -> usize {
        at >> self.line_bits
    }

    /// Whether the line that holds `addr` is held.
    pub fn holds(&self, addr: u32) -> bool {
        self.place_of(addr).is_some()
    }

    /// Read at an index that [`find`](Self::find) gave for this width.
    #[inline(always)]
    pub fn read(&self, at: usize, width: Width) -> u32 {
        match width {
            Width::Byte => u32::from(self.bytes[at]),
            Width::Half => self.bytes[at..].first_chunk().map_or(0, |b| u32::from(u16::from_le_bytes(*b))),
            Width::Word => self.word(at),
        }
    }

    /// The word at an index that is a multiple of 4.
    #[inline(always)]
    pub fn word(&self, at: usize) -> u32 {
        self.bytes[at..].first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
    }

    /// Write at an index that [`find`](Self::find) gave, mark the line dirty, and say what was there before.
    #[inline(always)]
    pub(crate) fn write(&mut self, at: usize, width: Width, value: u32) -> StoreUndo {
        let word = at & !3;
        let old = self.word(word);
        let dirty = &mut self.places[at >> self.line_bits].dirty;
        let undo = StoreUndo { word_dirty: word as u32 | u32::from(*dirty), old };
        *dirty = true;
        let shift = (at as u32 & 3) * 8;
        let mask = (u32::MAX >> (32 - width.bytes() * 8)) << shift;
        self.set_word(word, (old & !mask) | ((value << shift) & mask));
        undo
    }

    #[inline(always)]
    fn set_word(&mut self, at: usize, value: u32) {
        if let Some(b) = self.bytes[at..].first_chunk_mut() {
            *b = value.to_le_bytes();
        }
    }

    /// Write bytes into the line in a place without making it dirty: memory has them, too.
    pub(crate) fn write_clean(&mut self, place: usize, addr: u32, bytes: &[u8]) {
        let at = self.at(place, addr);
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Write bytes into the line in a place, which is dirty then if that is said.
    pub(crate) fn write_bytes(&mut self, place: usize, addr: u32, bytes: &[u8], dirty: bool) {
        self.write_clean(place, addr, bytes);
        self.places[place].dirty |= dirty;
    }

    pub(crate) fn undo_store(&mut self, undo: StoreUndo) {
        let word = (undo.word_dirty & !3) as usize;
        self.set_word(word, undo.old);
        self.places[word >> self.line_bits].dirty = undo.word_dirty & 1 != 0;
    }

    /// Whether a place holds a line.
    pub fn is_held(&self, place: usize) -> bool {
        self.places[place].tag != EMPTY
    }

    /// Whether a place holds a line with bytes that memory lacks.
    pub fn is_dirty(&self, place: usize) -> bool {
        self.places[place].dirty
    }

    /// Address of the line in a place; meaningful when [held](Self::is_held).
    pub fn tag(&self, place: usize) -> u32 {
        self.places[place].tag
    }

    /// Memory has the bytes of the line in this place now.
    pub(crate) fn set_clean(&mut self, place: usize) {
        self.places[place].dirty = false;
    }

    /// Whether a store to the line in this place must be seen by others first.
    pub(crate) fn is_shared(&self, place: usize) -> bool {
        self.places[place].shared
    }

    /// Say so.
    pub(crate) fn set_shared(&mut self, place: usize, shared: bool) {
        self.places[place].shared = shared;
        let tag = self.places[place].tag;
        let set = self.set_of(tag);
        if tag != EMPTY && self.front.tags[set] == tag {
            self.front.store_tags[set] = if self.private_stores && !shared { tag } else { EMPTY };
        }
    }

    /// Version of a place.
    #[inline]
    pub fn version(&self, place: usize) -> u32 {
        self.places[place].version
    }

    /// Bytes of the line in a place.
    #[inline]
    pub fn line(&self, place: usize) -> &[u8] {
        let at = place << self.line_bits;
        &self.bytes[at..at + (1 << self.line_bits)]
    }

    /// The place that a new line for `addr` would take.
    pub(crate) fn victim(&self, addr: u32) -> usize {
        let set = self.set_of(addr);
        if self.direct {
            return set;
        }
        let ways = self.geometry.ways;
        let first = set * ways as usize;
        if self.held[set] < ways {
            if let Some(way) = self.places[first..first + ways as usize].iter().position(|p| p.tag == EMPTY) {
                return first + way;
            }
        }
        self.order.victim(set)
    }

    /// Empty the place that a new line will take. Not undone: the line is asked for.
    pub(crate) fn replace(&mut self, place: usize) {
        if self.is_held(place) {
            if !self.direct {
                let set = self.set_of(self.places[place].tag);
                self.order.chosen(set, place as u32);
            }
            self.drop_line(place);
        }
    }

    /// Put a clean line into the place that was emptied for it; it is the most recent one.
    pub(crate) fn fill(&mut self, place: usize, line: u32, bytes: &[u8]) {
        self.place_for(place, line).copy_from_slice(bytes);
    }

    /// The bytes of the place that `line` has from now on, to be filled with it.
    #[inline]
    pub(crate) fn place_for(&mut self, place: usize, line: u32) -> &mut [u8] {
        let held = self.is_held(place);
        let version = self.new_version();
        self.places[place] = Place { tag: line, version, dirty: false, shared: false };
        if !self.direct {
            let set = self.set_of(line);
            self.held[set] += u32::from(!held);
            self.order.touch(place as u32);
            if !self.finder.is_empty() {
                let at = self.finder_at(line);
                self.finder[at] = place as u32;
            }
        }
        self.put_in_front(place);
        let at = place << self.line_bits;
        &mut self.bytes[at..at + (1 << self.line_bits)]
    }

    /// Empty a place, dirty or not, and say what it held.
    pub(crate) fn drop_line(&mut self, place: usize) -> LineUndo {
        let Place { tag, version, dirty, shared } = self.places[place];
        let set = self.set_of(tag);
        if !self.direct {
            self.held[set] -= u32::from(tag != EMPTY);
        }
        if self.front.tags[set] == tag {
            self.clear_front_of(set);
        }
        let new = self.new_version();
        let held = &mut self.places[place];
        (held.tag, held.version, held.dirty) = (EMPTY, new, false);
        LineUndo { place: place as u32, tag, version, dirty, shared }
    }

    pub(crate) fn undo_drop(&mut self, undo: LineUndo) {
        let place = undo.place as usize;
        if !self.direct {
            let set = self.set_of(undo.tag);
            self.held[set] += 1;
        }
        self.places[place].tag = undo.tag;
        self.places[place].dirty = undo.dirty;
        self.places[place].shared = undo.shared;
        self.places[place].version = undo.version;
        self.changes += 1;
    }

    /// How often lines have come, gone, or come back by an undo; never 0.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Something that counts as a line has changed elsewhere.
    pub(crate) fn note_change(&mut self) {
        self.changes += 1;
    }

    /// Whether it matters in which order lines are used.
    #[inline]
    pub fn orders_hits(&self) -> bool {
        self.order.counts_hits()
    }

    /// Whether each line has one place only.
    #[inline]
    pub(crate) fn is_direct(&self) -> bool {
        self.direct
    }

    /// What is in a place of a direct-mapped cache, to be put back by [`undo_fill`](Self::undo_fill).
    pub(crate) fn keep(&self, place: usize) -> (LineUndo, Bytes) {
        let Place { tag, version, dirty, shared } = self.places[place];
        (LineUndo { place: place as u32, tag, version, dirty, shared }, Bytes::new(self.line(place)))
    }

    /// Put back what was in a place of a direct-mapped cache.
    pub(crate) fn undo_fill(&mut self, undo: LineUndo, bytes: &[u8]) {
        let place = undo.place as usize;
        let at = place << self.line_bits;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.clear_front_of(place);
        self.undo_drop(undo);
    }

    /// Memory lacks bytes of the line in this place again.
    pub(crate) fn set_dirty(&mut self, place: usize) {
        self.places[place].dirty = true;
    }

    fn new_version(&mut self) -> u32 {
        self.changes += 1;
        self.last_version = self.last_version.checked_add(1).unwrap_or(1);
        self.last_version
    }

    /// The replacement state is final up to here.
    #[inline]
    pub(crate) fn checkpoint(&mut self) {
        if !self.direct {
            self.order.checkpoint();
        }
    }

    /// Undo what hits changed in the replacement state since the checkpoint.
    pub(crate) fn rewind(&mut self) {
        while let Some(set) = self.order.undo() {
            self.clear_front_of(set);
        }
    }

    /// Feed tags, dirty bits, replacement state and held bytes into `hash`. Versions are left out: they count what was
    /// undone, too; so is the front, which follows from the rest or is a matter of the host.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for place in 0..self.places.len() {
            let shared = self.is_held(place) && self.places[place].shared;
            hash(u64::from(self.places[place].tag) << 2 | u64::from(self.places[place].dirty) | u64::from(shared) << 1);
            if self.is_held(place) {
                for part in self.line(place).chunks_exact(8) {
                    hash(part.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)));
                }
            }
        }
        self.order.hash(hash);
    }
}

/// What a store changed: the index of the word, whether the line was dirty (bit 0), the word.
#[derive(Clone, Copy)]
pub(crate) struct StoreUndo {
    pub(crate) word_dirty: u32,
    old: u32,
}

/// What a place held before it was emptied.
#[derive(Clone, Copy)]
pub(crate) struct LineUndo {
    pub(crate) place: u32,
    pub(crate) tag: u32,
    version: u32,
    dirty: bool,
    shared: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Replacement;

    fn cache() -> Cache {
        let mut c = Cache::new(CacheGeometry::direct(256, 32), 1);
        let bytes: Vec<u8> = (0..32).collect();
        let place = c.victim(0x1020);
        c.fill(place, 0x1020, &bytes);
        c
    }

    /// Bring a line in as a port does, and say which line went.
    fn bring(c: &mut Cache, line: u32) -> Option<u32> {
        if c.look(line).is_some() {
            return None;
        }
        let place = c.victim(line);
        let gone = c.is_held(place).then(|| c.tag(place));
        c.replace(place);
        c.fill(place, line, &[0; 64][..c.line_bytes() as usize]);
        gone
    }

    fn ways(ways: u32, sets: u32, replacement: Replacement) -> Cache {
        Cache::new(CacheGeometry { size_bytes: 32 * ways * sets, line_bytes: 32, ways, replacement }, 0xace1)
    }

    #[test]
    fn one_comparison_finds_what_is_held_and_aligned() {
        let c = cache();
        assert_eq!(c.find(0x1020, 4), Some(0x20));
        assert_eq!(c.find(0x103c, 4), Some(0x3c));
        assert_eq!(c.find(0x103f, 1), Some(0x3f));
        assert_eq!(c.find_store(0x103f, 1), Some(0x3f));
        for (addr, bytes) in
            [(0x1021, 4), (0x1022, 4), (0x1021, 2), (0x1040, 4), (0x101c, 4), (0x1120, 4), (0x8000_1020, 4)]
        {
            assert_eq!(c.find(addr, bytes), None, "{bytes} bytes at {addr:#x}");
        }
        // An empty place holds no address at all, aligned or not.
        for addr in (0..64).chain(0xffff_ffe0..=0xffff_ffff) {
            for bytes in [1, 2, 4] {
                assert_eq!(Cache::new(CacheGeometry::direct(256, 8), 1).find(addr, bytes), None);
            }
        }
        let through = Cache::new(CacheGeometry::direct(256, 32), 1).without_private_stores();
        assert_eq!(through.find_store(0x1020, 4), None);
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
        c.replace(1);
        c.fill(1, 0x2020, &[0; 32]);
        assert!(c.version(1) != held && c.version(1) != empty);
    }

    #[test]
    fn the_least_recently_used_line_makes_room() {
        let mut c = ways(4, 2, Replacement::Lru);
        // Set 0 has the lines 0x00, 0x40, 0x80, …
        for line in [0x000, 0x040, 0x080, 0x0c0] {
            assert_eq!(bring(&mut c, line), None);
        }
        assert_eq!(bring(&mut c, 0x020), None, "set 1 is another");
        bring(&mut c, 0x000);
        bring(&mut c, 0x080);
        assert_eq!(bring(&mut c, 0x100), Some(0x040));
        assert_eq!(bring(&mut c, 0x140), Some(0x0c0));
        assert_eq!(bring(&mut c, 0x180), Some(0x000));
        // An empty way is taken before any line goes.
        let place = c.place_of(0x140).expect("held");
        c.drop_line(place);
        assert_eq!(bring(&mut c, 0x1c0), None);
        assert_eq!(c.place_of(0x1c0), Some(place));
        assert_eq!(bring(&mut c, 0x200), Some(0x080));
    }

    #[test]
    fn round_robin_and_random_do_not_care_about_hits() {
        let mut c = ways(4, 1, Replacement::RoundRobin);
        for i in 0..4 {
            bring(&mut c, i * 32);
        }
        for i in 4..12 {
            bring(&mut c, (i - 4) * 32);
            assert_eq!(bring(&mut c, i * 32), Some((i - 4) * 32));
        }
        // The register 0xace1: ways 2, 3, 3, 1 of four by its top bits (0xace1, 0xe270, 0x7138, 0x389c, …).
        let mut c = ways(4, 1, Replacement::Random);
        for i in 0..4 {
            bring(&mut c, i * 32);
        }
        let gone: Vec<_> = (4..8).map(|i| bring(&mut c, i * 32)).collect();
        assert_eq!(gone, [Some(0x40), Some(0x60), Some(0x20), Some(0x00)]);
    }

    #[test]
    fn what_hits_changed_is_undone() {
        let digest = |c: &Cache| {
            let mut v = Vec::new();
            c.hash(&mut |w| v.push(w));
            v
        };
        for geometry in [(4, 2), (16, 1), (64, 1), (3, 4)] {
            let mut c = ways(geometry.0, geometry.1, Replacement::Lru);
            let lines = geometry.0 * geometry.1;
            for i in 0..lines {
                bring(&mut c, i * 32);
            }
            c.checkpoint();
            let before = digest(&c);
            for i in [1, 0, 2, 1, lines - 1, 0, 0, 2] {
                assert!(c.look(i % lines * 32).is_some());
            }
            assert_ne!(digest(&c), before);
            c.rewind();
            assert_eq!(digest(&c), before);
            // The front does not remember a line that is not the most recent one.
            let oldest = c.tag(c.victim(0));
            assert_eq!(c.find(oldest, 4), None);
        }
    }

    #[test]
    fn geometries() {
        let valid = |size_bytes, line_bytes, ways| {
            CacheGeometry { size_bytes, line_bytes, ways, replacement: Replacement::Lru }.is_valid()
        };
        assert!(valid(4096, 32, 1) && valid(16, 8, 1) && valid(65536, 64, 1));
        assert!(valid(4096, 32, 128) && valid(4096, 32, 16) && valid(3072, 32, 3) && valid(64, 32, 2));
        assert!(!valid(4095, 32, 1) && !valid(4096, 4, 1) && !valid(4096, 128, 1) && !valid(32, 32, 1));
        assert!(!valid(4096, 24, 1) && !valid(4096, 32, 3) && !valid(4096, 32, 0) && !valid(4096, 32, 256));
        assert!(!valid(0, 32, 1));
    }
}
