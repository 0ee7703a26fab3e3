// SPDX-License-Identifier: Apache-2.0
//! What a [`CachedPort`](crate::CachedPort) is made of and what it tells about itself.

use crate::geometry::CacheGeometry;
use crate::store_buffer::StoreBufferConfig;
use crate::tightly::TightConfig;
use engine::Bytes;

/// When a dirty victim is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Victim {
    /// Before the line that takes its place is read.
    #[default]
    First,
    /// It is moved aside, the line is read, then the victim is written; the hart waits for both.
    After,
    /// It is moved aside, the line is read, the hart goes on, and the victim is written meanwhile.
    Buffered,
}

/// What caches do, besides their geometry. The default is that of Nios II/f.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Policy {
    /// Each store is written to memory at once; lines are never dirty.
    pub write_through: bool,
    /// A store that misses does not read the line: its word is written to memory.
    pub no_write_allocate: bool,
    /// When a dirty victim is written.
    pub victim: Victim,
    /// The hart goes on when the word that it wants is there; the rest of the line follows.
    pub critical_word: bool,
    /// Bytes of one transfer of the data cache: a power of two up to a line; 0 is a line.
    pub data_burst: u32,
    /// The same for the instruction cache.
    pub instruction_burst: u32,
    /// Stores that are on their way to memory while the hart goes on.
    pub store_buffer: StoreBufferConfig,
    /// Cycles from a line's arrival to the repetition of the access that waits for it: instructions, data.
    pub restart: [u32; 2],
    /// Where the shift registers of pseudo-random replacement start: instruction cache, data cache.
    pub seeds: [u16; 2],
}

/// What a [`CachedPort`] is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CachedPortConfig {
    /// Instruction cache; without one, a buffer of two lines of 32 bytes.
    pub icache: Option<CacheGeometry>,
    /// Data cache; without one, all data accesses go to the bus.
    pub dcache: Option<CacheGeometry>,
    /// What they do.
    pub policy: Policy,
    /// The memories: (base, size), multiples of a line. Nothing else is ever cached.
    pub cacheable: Vec<(u32, u32)>,
    /// The address bit that makes a data access bypass the cache, and that no physical address has; 0 if there is none.
    pub bypass_mask: u32,
    /// Tightly coupled memories, apart from each other and from what is cacheable.
    pub tightly_coupled: Vec<TightConfig>,
}

/// How the data caches of a bus agree on who may write to a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Modified, shared, invalid: the first store to a line that was read asks the others, even if there are none.
    Msi,
    /// Also exclusive: a line that nobody else has is written to without asking.
    Mesi,
}

/// What a snoop asks of a data cache about a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Snoop {
    /// Somebody gets a copy to read.
    Share,
    /// Somebody reads its bytes and keeps no copy.
    Look,
    /// Somebody will have written to it: the line goes.
    Take,
    /// The line goes, whatever is in it.
    Discard,
}

/// What a data cache answers to a snoop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Snooped {
    /// It had the line.
    pub held: bool,
    /// The line's bytes, if it was modified.
    pub modified: Option<Bytes>,
}

/// Counts since reset.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct CacheStats {
    /// Lines read into the instruction cache.
    pub icache_misses: u64,
    /// Lines read into the data cache.
    pub dcache_misses: u64,
    /// Lines written from the data cache.
    pub write_backs: u64,
    /// Stores to cached memory that went to memory themselves.
    pub write_throughs: u64,
    /// Stores that asked for a line's other copies to be dropped.
    pub upgrades: u64,
    /// Lines lost to a snoop.
    pub invalidations: u64,
    /// Modified lines that were given to a snoop.
    pub interventions: u64,
}

/// What a request is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Serving {
    /// A line, or a part of one, for the data cache.
    Fill,
    /// The same for the instruction cache.
    FillInstruction,
    /// A line, or a part of one, from the data cache.
    WriteBack,
    /// Leave to write to a line that is held.
    Upgrade,
    /// Maintenance of a line in all caches.
    Maintain,
    /// The access itself, past the cache or through it.
    Direct,
    /// Nothing is transferred.
    Order,
}

/// An access that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AskedAccess {
    /// As the hart used it.
    pub addr: u32,
    /// How many bytes.
    pub bytes: u32,
    /// It reads.
    pub loads: bool,
    /// It writes.
    pub stores: bool,
}
