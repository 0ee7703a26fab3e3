// SPDX-License-Identifier: Apache-2.0
//! The bytes of one memory.
//!
//! Pages are allocated when they are first written; an untouched page reads as what it would hold. So a large memory
//! costs what is used of it, and reading changes nothing.

use engine::Width;

const PAGE_BITS: u32 = 12;
const PAGE: usize = 1 << PAGE_BITS;

/// What a memory holds before it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Init {
    /// Pseudo-random bytes, a function of the seed and the offset, as in a memory that has just been powered.
    Random(u64),
    /// Zeros.
    Zero,
}

impl Init {
    /// The eight bytes at `offset` (a multiple of 8) of an untouched memory.
    fn word(self, offset: u64) -> u64 {
        match self {
            Init::Zero => 0,
            Init::Random(seed) => {
                let page = mix(seed.wrapping_add(mix(offset >> PAGE_BITS)));
                mix(page.wrapping_add((offset & (PAGE as u64 - 1)) >> 3))
            }
        }
    }

    fn byte(self, offset: usize) -> u8 {
        let offset = offset as u64;
        self.word(offset & !7).to_le_bytes()[(offset & 7) as usize]
    }

    fn page(self, index: usize) -> Box<[u8; PAGE]> {
        let mut page = Box::new([0; PAGE]);
        if self != Init::Zero {
            for (i, bytes) in page.chunks_exact_mut(8).enumerate() {
                bytes.copy_from_slice(&self.word(((index << PAGE_BITS) + i * 8) as u64).to_le_bytes());
            }
        }
        page
    }
}

/// One step of splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The bytes of one memory, addressed as the bus addresses them.
///
/// A range that is not inside the memory is the caller's bug: ask [`contains`](Self::contains) first.
pub struct Backing {
    base: u32,
    size: u32,
    init: Init,
    pages: Vec<Option<Box<[u8; PAGE]>>>,
}

impl Backing {
    /// A memory of `size` bytes at `base`.
    pub fn new(base: u32, size: u32, init: Init) -> Backing {
        let mut pages = Vec::new();
        pages.resize_with((size as usize).div_ceil(PAGE), || None);
        Backing { base, size, init, pages }
    }

    /// First address.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Number of bytes.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Whether the page that holds `addr` has been written.
    #[inline]
    pub fn is_written(&self, addr: u32) -> bool {
        matches!(self.pages.get((addr.wrapping_sub(self.base) as usize) >> PAGE_BITS), Some(Some(_)))
    }

    /// Whether all `bytes` bytes at `addr` are in this memory.
    #[inline]
    pub fn contains(&self, addr: u32, bytes: u32) -> bool {
        let offset = addr.wrapping_sub(self.base);
        offset < self.size && self.size - offset >= bytes
    }

    /// Load one value, zero-extended; any alignment.
    #[inline]
    pub fn load(&self, addr: u32, width: Width) -> u32 {
        debug_assert!(self.contains(addr, width.bytes()));
        let offset = addr.wrapping_sub(self.base) as usize;
        let at = offset & (PAGE - 1);
        if let Some(Some(page)) = self.pages.get(offset >> PAGE_BITS) {
            match width {
                Width::Byte => return u32::from(page[at]),
                Width::Half => {
                    if let Some(b) = page[at..].first_chunk::<2>() {
                        return u32::from(u16::from_le_bytes(*b));
                    }
                }
                Width::Word => {
                    if let Some(b) = page[at..].first_chunk::<4>() {
                        return u32::from_le_bytes(*b);
                    }
                }
            }
        }
        self.load_slow(addr, width)
    }

    #[cold]
    fn load_slow(&self, addr: u32, width: Width) -> u32 {
        let mut bytes = [0; 4];
        self.read(addr, &mut bytes[..width.bytes() as usize]);
        u32::from_le_bytes(bytes)
    }

    /// Store the low `width` of `value`; any alignment.
    #[inline]
    pub fn store(&mut self, addr: u32, width: Width, value: u32) {
        debug_assert!(self.contains(addr, width.bytes()));
        let offset = addr.wrapping_sub(self.base) as usize;
        let at = offset & (PAGE - 1);
        if let Some(Some(page)) = self.pages.get_mut(offset >> PAGE_BITS) {
            match width {
                Width::Byte => {
                    page[at] = value as u8;
                    return;
                }
                Width::Half => {
                    if let Some(b) = page[at..].first_chunk_mut::<2>() {
                        *b = (value as u16).to_le_bytes();
                        return;
                    }
                }
                Width::Word => {
                    if let Some(b) = page[at..].first_chunk_mut::<4>() {
                        *b = value.to_le_bytes();
                        return;
                    }
                }
            }
        }
        self.write(addr, &value.to_le_bytes()[..width.bytes() as usize]);
    }

    /// Copy the bytes at `addr` into `out`.
    #[inline]
    pub fn read(&self, addr: u32, out: &mut [u8]) {
        debug_assert!(self.contains(addr, out.len() as u32));
        let offset = addr.wrapping_sub(self.base) as usize;
        let at = offset & (PAGE - 1);
        // Most are lines of 32 bytes in a page that has been written.
        if let (Ok(line), Some(Some(page))) =
            (<&mut [u8; 32]>::try_from(&mut *out), self.pages.get(offset >> PAGE_BITS))
        {
            if let Some(from) = page.get(at..at + 32) {
                line.copy_from_slice(from);
                return;
            }
        }
        self.read_any(addr, out);
    }

    fn read_any(&self, addr: u32, out: &mut [u8]) {
        debug_assert!(self.contains(addr, out.len() as u32));
        let mut offset = addr.wrapping_sub(self.base) as usize;
        let mut done = 0;
        while done < out.len() {
            let at = offset & (PAGE - 1);
            let n = (PAGE - at).min(out.len() - done);
            let part = &mut out[done..done + n];
            match &self.pages[offset >> PAGE_BITS] {
                Some(page) => part.copy_from_slice(&page[at..at + n]),
                None => part.iter_mut().enumerate().for_each(|(i, b)| *b = self.init.byte(offset + i)),
            }
            offset += n;
            done += n;
        }
    }

    /// Copy `data` to `addr`.
    #[inline]
    pub fn write(&mut self, addr: u32, data: &[u8]) {
        debug_assert!(self.contains(addr, data.len() as u32));
        let offset = addr.wrapping_sub(self.base) as usize;
        let at = offset & (PAGE - 1);
        if let (Ok(line), Some(Some(page))) = (<&[u8; 32]>::try_from(data), self.pages.get_mut(offset >> PAGE_BITS)) {
            if let Some(to) = page.get_mut(at..at + 32) {
                to.copy_from_slice(line);
                return;
            }
        }
        self.write_any(addr, data);
    }

    fn write_any(&mut self, addr: u32, data: &[u8]) {
        debug_assert!(self.contains(addr, data.len() as u32));
        let mut offset = addr.wrapping_sub(self.base) as usize;
        let mut data = data;
        while !data.is_empty() {
            let (index, at) = (offset >> PAGE_BITS, offset & (PAGE - 1));
            let (part, rest) = data.split_at((PAGE - at).min(data.len()));
            let init = self.init;
            let page = self.pages[index].get_or_insert_with(|| init.page(index));
            page[at..at + part.len()].copy_from_slice(part);
            offset += part.len();
            data = rest;
        }
    }

    /// Feed the place, the initial contents and every page that was written into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(u64::from(self.base) << 32 | u64::from(self.size));
        hash(match self.init {
            Init::Zero => 0,
            Init::Random(seed) => mix(seed),
        });
        for (index, page) in self.pages.iter().enumerate() {
            if let Some(page) = page {
                hash(index as u64);
                for word in page.chunks_exact(8) {
                    hash(word.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(m: &Backing) -> Vec<u64> {
        let mut v = Vec::new();
        m.hash(&mut |w| v.push(w));
        v
    }

    #[test]
    fn untouched_bytes_are_the_seeds_and_stay_when_the_page_is_written() {
        let mut m = Backing::new(0x8000_0000, 3 * 4096, Init::Random(7));
        let mut before = [0; 4096 * 3];
        m.read(0x8000_0000, &mut before);
        assert!(before.chunks(8).any(|c| c != &before[..8]));
        assert_ne!(before[..4096], before[4096..8192]);
        m.store(0x8000_1004, Width::Word, 0x0403_0201);
        let mut after = [0; 4096 * 3];
        m.read(0x8000_0000, &mut after);
        before[0x1004..0x1008].copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(before, after);
        let first = |init| Backing::new(0, 16, init).load(0, Width::Word);
        assert_ne!(first(Init::Random(8)), first(Init::Random(7)));
        assert_eq!(first(Init::Zero), 0);
    }

    #[test]
    fn words_cross_pages_and_match_bytes() {
        let mut m = Backing::new(0x1000, 0x4000, Init::Zero);
        m.store(0x1ffe, Width::Word, 0xa1b2_c3d4);
        assert_eq!(m.load(0x1ffe, Width::Word), 0xa1b2_c3d4);
        assert_eq!(m.load(0x1fff, Width::Half), 0xb2c3);
        assert_eq!(m.load(0x2001, Width::Byte), 0xa1);
        m.store(0x2001, Width::Byte, 0xfff);
        assert_eq!(m.load(0x1ffe, Width::Word), 0xffb2_c3d4);
    }

    #[test]
    fn contains_knows_its_ends() {
        let m = Backing::new(0xffff_f000, 0x1000, Init::Zero);
        assert!(m.contains(0xffff_fffc, 4));
        assert!(!m.contains(0xffff_fffd, 4));
        assert!(!m.contains(0xffff_efff, 1));
        assert!(!m.contains(0, 1));
    }

    #[test]
    fn reading_does_not_change_the_hash_and_writing_does() {
        let mut m = Backing::new(0, 8192, Init::Random(1));
        let before = digest(&m);
        m.load(0x123, Width::Byte);
        assert_eq!(digest(&m), before);
        m.store(0, Width::Byte, 1);
        assert_ne!(digest(&m), before);
    }
}
