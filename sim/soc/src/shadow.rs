// SPDX-License-Identifier: Apache-2.0
//! Who wrote each byte, in memory and in every copy of it: what the coherence checker knows.
//!
//! Each byte has a *stamp*, who wrote it and when: one for the newest write by anybody, one for what memory holds, one for what each
//! data and instruction cache holds. A copy is stale when its stamp is older than the newest. The calls come in the order of
//! simulated time; what memory held before the first write has the oldest stamp of all.
//!
//! Deliberately lacks: values (a byte that was overwritten with itself counts as written), time of its own, and names.

/// Who wrote a byte, with which instruction, when. Stamps of one byte are ordered by time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Stamp {
    /// The cycle times 2048, plus the core and one; 0 before the first write.
    order: u64,
    pub pc: u32,
}

impl Stamp {
    pub fn new(who: Who) -> Stamp {
        Stamp { order: who.cycle << 11 | (who.core as u64 + 1), pc: who.pc }
    }

    /// The write; meaningful when there was one.
    pub fn who(self) -> Who {
        Who { core: ((self.order & 0x7ff) as usize).saturating_sub(1), cycle: self.order >> 11, pc: self.pc }
    }
}

/// An instruction of a core at an instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Who {
    pub core: usize,
    pub pc: u32,
    pub cycle: u64,
}

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// A load read an old value.
    StaleRead,
    /// An instruction was executed that had been overwritten.
    StaleInstruction,
    /// A line was written back over bytes that were newer.
    LostWrite,
    /// A line was dropped with bytes that nobody else has.
    DiscardedWrite,
}

/// One finding, about the first byte concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub kind: Kind,
    pub addr: u32,
    /// Bytes of the access concerned.
    pub bytes: u32,
    /// Who read, executed, wrote back or dropped.
    pub by: Who,
    /// Who wrote what was not seen, or is lost.
    pub writer: Who,
    /// Whether memory had the newer value; else it was in the writer's cache alone.
    pub in_memory: bool,
    /// The last store of `by`'s core to the line, for a line that was written back.
    pub stored: Option<Who>,
}

const GRANULE: u32 = 32;
const PAGE: u32 = 4096;

type Granule = Box<[Stamp; GRANULE as usize]>;
type Page = Box<[Option<Granule>; (PAGE / GRANULE) as usize]>;

/// A stamp for each byte of the memories; only what differs from "never written" takes space.
struct Stamps {
    /// Base, size, pages.
    regions: Vec<(u32, u32, Vec<Option<Page>>)>,
}

impl Stamps {
    fn new(memories: &[(u32, u32)]) -> Stamps {
        let region = |&(base, size): &(u32, u32)| {
            let mut pages = Vec::new();
            pages.resize_with(size.div_ceil(PAGE) as usize, || None);
            (base, size, pages)
        };
        Stamps { regions: memories.iter().map(region).collect() }
    }

    fn get(&self, addr: u32) -> Stamp {
        let found = self.regions.iter().find(|r| addr.wrapping_sub(r.0) < r.1).and_then(|(base, _, pages)| {
            let offset = addr - base;
            let granules = pages[(offset / PAGE) as usize].as_ref()?;
            let granule = granules[(offset % PAGE / GRANULE) as usize].as_ref()?;
            Some(granule[(offset % GRANULE) as usize])
        });
        found.unwrap_or_default()
    }

    fn set(&mut self, addr: u32, stamp: Stamp) {
        let Some((base, _, pages)) = self.regions.iter_mut().find(|r| addr.wrapping_sub(r.0) < r.1) else { return };
        let offset = addr - *base;
        let page = &mut pages[(offset / PAGE) as usize];
        if stamp == Stamp::default() && page.is_none() {
            return;
        }
        let granule =
            &mut page.get_or_insert_with(|| Box::new([const { None }; 128]))[(offset % PAGE / GRANULE) as usize];
        if stamp == Stamp::default() && granule.is_none() {
            return;
        }
        granule.get_or_insert_with(|| Box::new([Stamp::default(); GRANULE as usize]))[(offset % GRANULE) as usize] =
            stamp;
    }
}

/// The stamps of a machine.
pub(crate) struct Shadow {
    newest: Stamps,
    memory: Stamps,
    /// By core.
    data: Vec<Stamps>,
    instructions: Vec<Stamps>,
    pub found: Vec<Found>,
}

impl Shadow {
    /// Of a machine with these memories (base, size), before anything is written.
    pub fn new(memories: &[(u32, u32)], cores: usize) -> Shadow {
        let all = || (0..cores).map(|_| Stamps::new(memories)).collect();
        Shadow {
            newest: Stamps::new(memories),
            memory: Stamps::new(memories),
            data: all(),
            instructions: all(),
            found: Vec::new(),
        }
    }

    /// The bytes at `addr` for which `old` is older than `new`: how many, and the first with the new stamp.
    fn older(addr: u32, bytes: u32, old: &Stamps, new: &Stamps) -> Option<(u32, u32, Stamp)> {
        let mut first = None;
        let mut count = 0;
        for at in (0..bytes).map(|i| addr.wrapping_add(i)) {
            let stamp = new.get(at);
            if stamp.order > old.get(at).order {
                count += 1;
                first = first.or(Some((at, stamp)));
            }
        }
        first.map(|(at, stamp)| (at, count, stamp))
    }

    fn stale(&mut self, kind: Kind, by: Who, at: u32, bytes: u32, newest: Stamp) {
        let in_memory = self.memory.get(at) == newest;
        self.found.push(Found { kind, addr: at, bytes, by, writer: newest.who(), in_memory, stored: None });
    }

    /// A load from the core's data cache.
    pub fn load(&mut self, by: Who, addr: u32, bytes: u32) {
        if let Some((at, count, newest)) = Self::older(addr, bytes, &self.data[by.core], &self.newest) {
            self.stale(Kind::StaleRead, by, at, count, newest);
        }
    }

    /// A load past the caches.
    pub fn read_memory(&mut self, by: Who, addr: u32, bytes: u32) {
        if let Some((at, count, newest)) = Self::older(addr, bytes, &self.memory, &self.newest) {
            self.stale(Kind::StaleRead, by, at, count, newest);
        }
    }

    /// An instruction from the core's instruction cache.
    pub fn execute(&mut self, by: Who, bytes: u32) {
        if let Some((at, count, newest)) = Self::older(by.pc, bytes, &self.instructions[by.core], &self.newest) {
            self.stale(Kind::StaleInstruction, by, at, count, newest);
        }
    }

    /// A store into the core's data cache.
    pub fn store(&mut self, by: Who, addr: u32, bytes: u32) {
        let stamp = Stamp::new(by);
        for at in (0..bytes).map(|i| addr.wrapping_add(i)) {
            self.newest.set(at, stamp);
            self.data[by.core].set(at, stamp);
        }
    }

    /// A store to memory, past the core's data cache, or through it if it holds the line.
    pub fn write_memory(&mut self, by: Who, addr: u32, bytes: u32, held: bool) {
        let stamp = Stamp::new(by);
        for at in (0..bytes).map(|i| addr.wrapping_add(i)) {
            self.newest.set(at, stamp);
            self.memory.set(at, stamp);
            if held {
                self.data[by.core].set(at, stamp);
            }
        }
    }

    /// A line, or a part of one, is read into a cache of the core.
    pub fn fill(&mut self, core: usize, instructions: bool, addr: u32, bytes: u32) {
        let copy = if instructions { &mut self.instructions[core] } else { &mut self.data[core] };
        for at in (0..bytes).map(|i| addr.wrapping_add(i)) {
            copy.set(at, self.memory.get(at));
        }
    }

    /// A line, or a part of one, is written from the core's data cache to memory.
    pub fn write_back(&mut self, by: Who, addr: u32, bytes: u32) {
        let copy = &self.data[by.core];
        if let Some((at, count, lost)) = Self::older(addr, bytes, copy, &self.memory) {
            let own = (0..bytes).map(|i| copy.get(addr + i)).filter(|s| s.order != 0 && s.who().core == by.core);
            self.found.push(Found {
                kind: Kind::LostWrite,
                addr: at,
                bytes: count,
                by,
                writer: lost.who(),
                in_memory: true,
                stored: own.max_by_key(|s| s.order).map(Stamp::who),
            });
        }
        for at in (0..bytes).map(|i| addr + i) {
            let stamp = copy.get(at);
            // What is destroyed is nowhere any more; who still reads it is not told about it again.
            if self.newest.get(at) == self.memory.get(at) {
                self.newest.set(at, stamp);
            }
            self.memory.set(at, stamp);
        }
    }

    /// A dirty line is dropped from the core's data cache without being written back.
    pub fn discard(&mut self, by: Who, addr: u32, bytes: u32) {
        let copy = &self.data[by.core];
        let mut first = None;
        let mut count = 0;
        for at in (0..bytes).map(|i| addr + i) {
            let (stamp, memory) = (copy.get(at), self.memory.get(at));
            if stamp.order > memory.order && stamp == self.newest.get(at) {
                count += 1;
                first = first.or(Some((at, stamp)));
                self.newest.set(at, memory);
            }
        }
        if let Some((at, lost)) = first {
            let kind = Kind::DiscardedWrite;
            self.found.push(Found {
                kind,
                addr: at,
                bytes: count,
                by,
                writer: lost.who(),
                in_memory: false,
                stored: None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(core: usize, cycle: u64) -> Who {
        Who { core, pc: 0x100 * core as u32 + cycle as u32, cycle }
    }

    fn shadow() -> Shadow {
        Shadow::new(&[(0x1000, 0x2000)], 2)
    }

    #[test]
    fn a_stale_copy_is_found_byte_by_byte() {
        let mut s = shadow();
        s.fill(0, false, 0x1020, 32);
        s.fill(1, false, 0x1020, 32);
        s.store(who(1, 5), 0x1024, 4);
        s.load(who(0, 6), 0x1020, 4);
        s.load(who(1, 6), 0x1024, 4);
        assert_eq!(s.found, []);
        s.load(who(0, 7), 0x1022, 4);
        let stale = Found {
            kind: Kind::StaleRead,
            addr: 0x1024,
            bytes: 2,
            by: who(0, 7),
            writer: who(1, 5),
            in_memory: false,
            stored: None,
        };
        assert_eq!(std::mem::take(&mut s.found), [stale]);
        s.read_memory(who(0, 8), 0x1024, 4);
        assert_eq!(s.found.pop(), Some(Found { bytes: 4, by: who(0, 8), ..stale }));
        s.write_back(who(1, 9), 0x1020, 32);
        s.read_memory(who(0, 10), 0x1024, 4);
        assert_eq!(s.found, []);
        s.load(who(0, 11), 0x1024, 1);
        assert_eq!(s.found.pop(), Some(Found { bytes: 1, by: who(0, 11), in_memory: true, ..stale }));
        s.fill(0, false, 0x1020, 32);
        s.load(who(0, 12), 0x1024, 4);
        assert_eq!(s.found, []);
    }

    #[test]
    fn a_write_back_destroys_only_what_is_newer() {
        let mut s = shadow();
        s.fill(0, false, 0x1000, 32);
        s.fill(1, false, 0x1000, 32);
        s.store(who(0, 5), 0x1000, 4);
        s.store(who(1, 6), 0x1010, 8);
        s.write_back(who(0, 7), 0x1000, 32);
        assert_eq!(s.found, [], "nobody had written what it overwrote");
        s.write_back(who(1, 8), 0x1000, 32);
        let lost = Found {
            kind: Kind::LostWrite,
            addr: 0x1000,
            bytes: 4,
            by: who(1, 8),
            writer: who(0, 5),
            in_memory: true,
            stored: Some(who(1, 6)),
        };
        assert_eq!(std::mem::take(&mut s.found), [lost]);
        // It is told once: reading the old value from memory is no news, and the writer's copy is not older than it.
        s.read_memory(who(0, 9), 0x1000, 4);
        s.load(who(0, 10), 0x1000, 4);
        assert_eq!(s.found, []);
    }

    #[test]
    fn own_writes_past_the_cache_make_the_own_line_stale() {
        let mut s = shadow();
        s.fill(0, false, 0x1000, 32);
        s.write_memory(who(0, 3), 0x1004, 4, false);
        s.load(who(0, 4), 0x1004, 4);
        assert_eq!(s.found.pop().map(|f| (f.writer, f.in_memory)), Some((who(0, 3), true)));
        s.write_memory(who(0, 5), 0x1004, 4, true);
        s.load(who(0, 6), 0x1004, 4);
        assert_eq!(s.found, []);
    }

    #[test]
    fn instructions_and_discarded_lines() {
        let mut s = shadow();
        s.fill(0, true, 0x1000, 32);
        s.store(who(0, 3), 0x1002, 2);
        s.execute(Who { core: 0, pc: 0x1004, cycle: 4 }, 4);
        assert_eq!(s.found, []);
        s.execute(Who { core: 0, pc: 0x1000, cycle: 5 }, 4);
        assert_eq!(s.found.pop().map(|f| (f.kind, f.addr, f.bytes)), Some((Kind::StaleInstruction, 0x1002, 2)));
        s.discard(who(0, 6), 0x1000, 32);
        assert_eq!(s.found.pop().map(|f| (f.kind, f.addr, f.bytes)), Some((Kind::DiscardedWrite, 0x1002, 2)));
        s.execute(Who { core: 0, pc: 0x1000, cycle: 7 }, 4);
        assert_eq!(s.found, [], "what was discarded was never there");
        // A store that somebody else's has replaced since is no loss.
        s.store(who(0, 8), 0x1002, 2);
        s.write_memory(who(1, 9), 0x1002, 2, false);
        s.discard(who(0, 10), 0x1000, 32);
        assert_eq!(s.found, []);
    }

    #[test]
    fn addresses_outside_the_memories_are_nobodys() {
        let mut s = shadow();
        s.store(who(0, 1), 0x3000, 4);
        s.load(who(1, 2), 0x3000, 4);
        s.write_memory(who(1, 2), u32::MAX - 1, 4, true);
        assert_eq!(s.found, []);
    }
}
