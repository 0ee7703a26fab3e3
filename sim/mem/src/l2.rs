// SPDX-License-Identifier: Apache-2.0
//! A second-level cache between a memory and everybody who uses it: unified, holding bytes, serving one transfer at a time.
//!
//! ```text
//!   granted    lookup          lines that miss, one after the other                 the transfer
//!     |------hit_cycles------|[victim to memory, if dirty][line from memory] …|---beats of its port---|
//! ```
//!
//! Everything that goes to the memory goes through it, in the order in which the slave's arbiter grants, so it needs no coherence
//! of its own. It does not care what first-level caches hold (neither inclusive nor exclusive). A write that covers a whole
//! line does not read it first.
//!
//! Deliberately lacks: time of its own, queues, and misses under misses.

use crate::backing::Backing;
use crate::cache::Cache;
use crate::geometry::CacheGeometry;
use crate::sram::beats;
use engine::{Cycle, Cycles};

/// What an [`L2`] is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct L2Config {
    /// Size, lines, ways, replacement.
    pub geometry: CacheGeometry,
    /// Cycles of a lookup.
    pub hit_cycles: u32,
    /// Width of its port to the interconnect.
    pub width_bits: u32,
    /// Each write goes to memory at once; lines are never dirty.
    pub write_through: bool,
    /// A write that misses goes to memory without reading the line.
    pub no_write_allocate: bool,
    /// Where the shift register of pseudo-random replacement starts.
    pub seed: u16,
}

/// Counts since reset, in lines.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct L2Stats {
    /// Lines that were there.
    pub hits: u64,
    /// Lines that were not.
    pub misses: u64,
    /// Dirty lines written to memory.
    pub write_backs: u64,
}

/// A second-level cache.
pub struct L2 {
    cache: Cache,
    config: L2Config,
    stats: L2Stats,
}

impl L2 {
    /// An empty cache.
    ///
    /// # Panics
    /// The geometry is not [valid](CacheGeometry::is_valid).
    pub fn new(config: L2Config) -> L2 {
        L2 { cache: Cache::new(config.geometry, config.seed), config, stats: L2Stats::default() }
    }

    /// Counts since reset.
    pub fn stats(&self) -> L2Stats {
        self.stats
    }

    /// Make a transfer of `bytes` bytes at `addr` possible and say how long it takes from `now` on; `service` is the memory's own
    /// time: (start, address, bytes, write). [`read`](Self::read) or [`write`](Self::write) then moves the bytes.
    pub fn prepare(
        &mut self,
        memory: &mut Backing,
        now: Cycle,
        addr: u32,
        bytes: u32,
        write: bool,
        service: &mut dyn FnMut(Cycle, u32, u32, bool) -> Cycles,
    ) -> Cycles {
        let mut at = now + Cycles(u64::from(self.config.hit_cycles));
        for (part, len) in self.parts(addr, bytes) {
            let hit = self.cache.look(part).is_some();
            *(if hit { &mut self.stats.hits } else { &mut self.stats.misses }) += 1;
            if !(hit || write && self.config.no_write_allocate) {
                at += self.bring(memory, at, part, write && len == self.cache.line_bytes(), service);
            }
            if write && (self.config.write_through || !hit && self.config.no_write_allocate) {
                at += service(at, part, len, true);
            }
        }
        // Nothing of this is undone.
        self.cache.checkpoint();
        (at - now) + Cycles(beats(self.config.width_bits, addr, bytes))
    }

    /// The beats of a line that follow its first word.
    pub fn tail(&self, addr: u32, bytes: u32) -> Cycles {
        let beats = |bytes| Cycles(beats(self.config.width_bits, addr, bytes));
        beats(bytes) - beats(bytes.min(4))
    }

    fn bring(
        &mut self,
        memory: &mut Backing,
        now: Cycle,
        addr: u32,
        overwritten: bool,
        service: &mut dyn FnMut(Cycle, u32, u32, bool) -> Cycles,
    ) -> Cycles {
        let mut at = now;
        let (line, bytes) = (self.cache.line_of(addr), self.cache.line_bytes());
        let place = self.cache.victim(line);
        if self.cache.is_dirty(place) {
            let victim = self.cache.tag(place);
            at += service(at, victim, bytes, true);
            memory.write(victim, self.cache.line(place));
            self.stats.write_backs += 1;
        }
        self.cache.replace(place);
        let mut filled = [0u8; 64];
        let filled = &mut filled[..bytes as usize];
        memory.read(line, filled);
        if !overwritten {
            at += service(at, line, bytes, false);
        }
        self.cache.fill(place, line, filled);
        at - now
    }

    /// The parts of a transfer by line: (address, bytes).
    fn parts(&self, addr: u32, bytes: u32) -> impl Iterator<Item = (u32, u32)> {
        let line = self.cache.line_bytes();
        let mut done = 0;
        std::iter::from_fn(move || {
            let at = addr.wrapping_add(done);
            let len = (line - at % line).min(bytes - done);
            done += len;
            (len != 0).then_some((at, len))
        })
    }

    /// The bytes at `addr`, wherever they are.
    pub fn read(&self, memory: &Backing, addr: u32, out: &mut [u8]) {
        let mut done = 0;
        for (at, len) in self.parts(addr, out.len() as u32) {
            let part = &mut out[done..done + len as usize];
            match self.cache.place_of(at) {
                Some(place) => {
                    let offset = (at - self.cache.line_of(at)) as usize;
                    part.copy_from_slice(&self.cache.line(place)[offset..offset + len as usize]);
                }
                None => memory.read(at, part),
            }
            done += len as usize;
        }
    }

    /// Write bytes where [`prepare`](Self::prepare) made room for them.
    pub fn write(&mut self, memory: &mut Backing, addr: u32, data: &[u8]) {
        let mut done = 0;
        for (at, len) in self.parts(addr, data.len() as u32) {
            let part = &data[done..done + len as usize];
            let place = self.cache.place_of(at);
            if let Some(place) = place {
                self.cache.write_bytes(place, at, part, !self.config.write_through);
            }
            if place.is_none() || self.config.write_through {
                memory.write(at, part);
            }
            done += len as usize;
        }
    }

    /// Feed all state into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        self.cache.hash(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backing::Init;
    use crate::order::Replacement;

    const BASE: u32 = 0x1000;

    fn l2(write_through: bool, no_write_allocate: bool) -> (L2, Backing) {
        let geometry = CacheGeometry { size_bytes: 128, line_bytes: 32, ways: 2, replacement: Replacement::Lru };
        let config = L2Config { geometry, hit_cycles: 5, width_bits: 64, write_through, no_write_allocate, seed: 1 };
        let mut memory = Backing::new(BASE, 0x1000, Init::Zero);
        (0..0x1000).step_by(4).for_each(|a| memory.store(BASE + a, engine::Width::Word, a));
        (L2::new(config), memory)
    }

    /// A transfer, how long it takes, and what it asks of a memory with 100 cycles an access and 1 a byte.
    fn go(l2: &mut L2, memory: &mut Backing, addr: u32, bytes: u32, write: bool) -> (u64, Vec<(u64, u32, u32, bool)>) {
        let mut seen = Vec::new();
        let took = l2.prepare(memory, Cycle(1000), addr, bytes, write, &mut |at, addr, bytes, write| {
            seen.push((at.0 - 1000, addr, bytes, write));
            Cycles(100 + u64::from(bytes))
        });
        (took.0, seen)
    }

    #[test]
    fn hits_and_misses_are_exact() {
        let (mut c, mut m) = l2(false, false);
        // 5 for the lookup, 132 for the line, 4 beats of 8 bytes.
        assert_eq!(go(&mut c, &mut m, BASE, 32, false), (5 + 132 + 4, vec![(5, BASE, 32, false)]));
        assert_eq!(go(&mut c, &mut m, BASE + 8, 4, false), (5 + 1, vec![]));
        assert_eq!(go(&mut c, &mut m, BASE, 32, true), (5 + 4, vec![]));
        c.write(&mut m, BASE, &[7; 32]);
        // Two more lines of the set: the dirty one is the oldest and goes first.
        go(&mut c, &mut m, BASE + 64, 4, false);
        let (took, seen) = go(&mut c, &mut m, BASE + 128, 4, false);
        assert_eq!((took, seen), (5 + 132 + 132 + 1, vec![(5, BASE, 32, true), (137, BASE + 128, 32, false)]));
        assert_eq!(m.load(BASE, engine::Width::Word), 0x0707_0707);
        // A line that is overwritten whole is not read.
        assert_eq!(go(&mut c, &mut m, BASE + 32, 32, true), (5 + 4, vec![]));
        // A longer line of the first level takes two of these.
        let (took, seen) = go(&mut c, &mut m, BASE + 0x100, 64, false);
        assert_eq!(took, 5 + 132 + 132 + 8);
        assert_eq!(seen.iter().map(|s| s.1).collect::<Vec<_>>(), [BASE + 0x100, BASE + 0x120]);
        assert_eq!(c.stats(), L2Stats { hits: 2, misses: 6, write_backs: 1 });
    }

    #[test]
    fn writes_by_policy() {
        for (through, no_allocate) in [(true, false), (false, true), (true, true)] {
            let (mut c, mut m) = l2(through, no_allocate);
            let (took, seen) = go(&mut c, &mut m, BASE + 4, 4, true);
            let read = if no_allocate { 0 } else { 132 };
            assert_eq!(took, 5 + read + 104 + 1);
            assert_eq!(seen.last(), Some(&(5 + read, BASE + 4, 4, true)));
            c.write(&mut m, BASE + 4, &[1, 2, 3, 4]);
            assert_eq!(m.load(BASE + 4, engine::Width::Word), 0x0403_0201);
            // On a line that is held: to memory only if it goes through.
            go(&mut c, &mut m, BASE, 4, false);
            let (took, _) = go(&mut c, &mut m, BASE, 4, true);
            assert_eq!(took, 5 + if through { 104 } else { 0 } + 1);
            c.write(&mut m, BASE, &[9; 4]);
            assert_eq!(m.load(BASE, engine::Width::Word) == 0x0909_0909, through);
            let mut bytes = [0; 8];
            c.read(&m, BASE, &mut bytes);
            assert_eq!(bytes, [9, 9, 9, 9, 1, 2, 3, 4]);
        }
    }

    #[test]
    fn bytes_are_those_of_a_flat_memory() {
        let mut state = 1u64;
        let mut r = |below: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32 % below
        };
        for policy in 0..4 {
            let (mut c, mut m) = l2(policy & 1 != 0, policy & 2 != 0);
            let mut flat = vec![0; 0x400];
            m.read(BASE, &mut flat);
            for step in 0..20_000 {
                let bytes = [1, 2, 4, 16, 32, 64][r(6) as usize];
                let offset = r(0x400 / bytes) * bytes;
                let range = offset as usize..(offset + bytes) as usize;
                let write = r(2) == 0;
                go(&mut c, &mut m, BASE + offset, bytes, write);
                if write {
                    flat[range].fill_with(|| r(256) as u8);
                    c.write(&mut m, BASE + offset, &flat[offset as usize..(offset + bytes) as usize]);
                } else {
                    let mut seen = vec![0; bytes as usize];
                    c.read(&m, BASE + offset, &mut seen);
                    assert_eq!(seen, flat[range], "policy {policy}, step {step}");
                }
            }
            assert!(c.stats().hits > 1000 && c.stats().misses > 1000);
            assert_eq!(c.stats().write_backs > 1000, policy & 1 == 0);
        }
    }
}
