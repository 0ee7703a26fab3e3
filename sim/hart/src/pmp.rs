// SPDX-License-Identifier: Apache-2.0
//! Physical memory protection: its registers, and what they permit.
//!
//! Only where something is forbidden do accesses pass a [`Guarded`] memory, so that a hart in machine mode without locked
//! entries executes the same code as one without protection. For each kind of access the guard keeps one range in which
//! everything is permitted; an access outside it looks through the entries and keeps the range found there.

use crate::observe::Peek;
use engine::{Access, AccessFault, AmoOp, BusReply, BusRequest, CacheOp, Cycle, Fetch, HartMemory, Prefetch, Width};

/// Entries that the registers have room for.
pub(crate) const MOST_ENTRIES: usize = 16;

pub(crate) const READ: u8 = 1;
pub(crate) const WRITE: u8 = 2;
pub(crate) const EXECUTE: u8 = 4;
const MODE: u8 = 3 << 3;
const TOP_OF_RANGE: u8 = 1 << 3;
const NATURAL_4: u8 = 2 << 3;
const LOCKED: u8 = 1 << 7;

/// Bytes from the first to the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    first: u32,
    last: u32,
}

impl Range {
    const NONE: Range = Range { first: 1, last: 0 };

    #[inline(always)]
    fn has(self, addr: u32, bytes: u32) -> bool {
        addr >= self.first && addr <= self.last && self.last - addr >= bytes - 1
    }
}

/// The registers.
#[derive(Clone, Copy, Debug)]
struct Table {
    config: [u8; MOST_ENTRIES],
    address: [u32; MOST_ENTRIES],
    /// How many entries there are.
    entries: usize,
    /// Bits of an address that the granularity takes away.
    grain: u32,
}

impl Table {
    /// The bytes that an entry matches.
    fn range(&self, entry: usize) -> Option<Range> {
        let address = self.address[entry];
        let (first, end) = match self.config[entry] & MODE {
            0 => return None,
            TOP_OF_RANGE => {
                let below = if entry == 0 { 0 } else { self.address[entry - 1] };
                (u64::from(below & !self.grain_mask()) << 2, u64::from(address & !self.grain_mask()) << 2)
            }
            NATURAL_4 => (u64::from(address) << 2, (u64::from(address) << 2) + 4),
            _ => {
                // With trailing ones below the granularity, whatever was written there.
                let ones = (address | self.grain_mask() >> 1).trailing_ones();
                let size = 8u64 << ones;
                ((u64::from(address) << 2) & !(size - 1), ((u64::from(address) << 2) & !(size - 1)) + size)
            }
        };
        let last = end.saturating_sub(1).min(u64::from(u32::MAX));
        (first < end && first <= last).then_some(Range { first: first as u32, last: last as u32 })
    }

    /// Low bits of pmpaddr that do not count.
    fn grain_mask(&self) -> u32 {
        (1 << self.grain) - 1
    }

    /// Whether the byte at `addr` may be accessed so, and the range around it for which the same entry decides. An
    /// access that leaves that range is matched in part only, which is never permitted.
    fn decide(&self, addr: u32, user: bool, right: u8) -> (bool, Range) {
        let mut around = Range { first: 0, last: u32::MAX };
        for entry in 0..self.entries {
            let Some(range) = self.range(entry) else { continue };
            if range.has(addr, 1) {
                let config = self.config[entry];
                around.first = around.first.max(range.first);
                around.last = around.last.min(range.last);
                return (config & right != 0 || !user && config & LOCKED == 0, around);
            }
            if range.last < addr {
                around.first = around.first.max(range.last + 1);
            } else {
                around.last = around.last.min(range.first - 1);
            }
        }
        (!user, around)
    }

    /// Whether all bytes may be accessed so.
    fn permits(&self, addr: u32, bytes: u32, user: bool, right: u8) -> bool {
        let (permitted, around) = self.decide(addr, user, right);
        permitted && around.has(addr, bytes)
    }
}

/// The protection of a hart. Kept apart from what every checkpoint copies: it changes rarely.
#[derive(Clone, Debug)]
pub(crate) struct Pmp {
    table: Table,
    saved: Table,
    changed: bool,
    /// Changes with the table, and never comes back.
    version: u64,
}

/// What is checked, and against which version of the table; 0 is nothing.
pub(crate) type Regime = u64;

impl Pmp {
    /// # Panics
    /// There are more entries than registers, or the granularity is not a power of two of at least 4.
    pub fn new(entries: u8, granularity_bytes: u32) -> Pmp {
        assert!(usize::from(entries) <= MOST_ENTRIES, "at most {MOST_ENTRIES} entries of memory protection");
        assert!(granularity_bytes >= 4 && granularity_bytes.is_power_of_two(), "granularity of memory protection");
        let table = Table {
            config: [0; MOST_ENTRIES],
            address: [0; MOST_ENTRIES],
            entries: usize::from(entries),
            grain: granularity_bytes.trailing_zeros() - 2,
        };
        Pmp { table, saved: table, changed: false, version: 1 }
    }

    /// Whether register `number` is one of the protection's.
    pub fn has(number: u16) -> bool {
        matches!(number, 0x3a0..=0x3a3 | 0x3b0..=0x3bf)
    }

    /// The value of a register; those of absent entries are 0.
    pub fn read(&self, number: u16) -> u32 {
        let t = &self.table;
        if number < 0x3b0 {
            let first = usize::from(number & 3) * 4;
            return u32::from_le_bytes([0, 1, 2, 3].map(|i| t.config[first + i]));
        }
        let entry = usize::from(number & 15);
        let mask = t.grain_mask();
        match t.config[entry] & MODE {
            // NAPOT: the bits below the granularity are ones, but for the highest of them, which is stored.
            m if m > NATURAL_4 => t.address[entry] | mask >> 1,
            _ => t.address[entry] & !mask,
        }
    }

    /// Write a register. Locked and absent entries stay as they are.
    pub fn write(&mut self, number: u16, value: u32) {
        let t = &mut self.table;
        if number < 0x3b0 {
            let first = usize::from(number & 3) * 4;
            for (entry, byte) in (first..).zip(value.to_le_bytes()) {
                if entry < t.entries && t.config[entry] & LOCKED == 0 {
                    t.config[entry] = legal(byte, t.grain);
                }
            }
        } else {
            let entry = usize::from(number & 15);
            let next = t.config.get(entry + 1).copied().unwrap_or(0);
            let locked = t.config[entry] & LOCKED != 0 || next & LOCKED != 0 && next & MODE == TOP_OF_RANGE;
            if entry < t.entries && !locked {
                t.address[entry] = value;
            }
        }
        self.changed = true;
        self.version += 1;
    }

    /// What must be checked in this mode.
    pub fn regime(&self, user: bool, data_user: bool) -> Regime {
        if self.table.entries == 0 || !data_user && self.table.config.iter().all(|c| c & LOCKED == 0) {
            return 0;
        }
        self.version << 2 | u64::from(data_user) << 1 | u64::from(user)
    }

    /// Whether an access that is made in parts may be made as a whole.
    pub fn permits(&self, addr: u32, bytes: u32, user: bool, right: u8) -> bool {
        self.table.entries == 0 || self.table.permits(addr, bytes, user, right)
    }

    pub fn checkpoint(&mut self) {
        if self.changed {
            self.saved = self.table;
            self.changed = false;
        }
    }

    pub fn rewind(&mut self) {
        if self.changed {
            self.table = self.saved;
            self.changed = false;
            self.version += 1;
        }
    }

    pub fn hash(&self, f: &mut dyn FnMut(u64)) {
        for entry in 0..self.table.entries {
            f(u64::from(self.table.config[entry]) << 32 | u64::from(self.table.address[entry]));
        }
    }
}

/// What a byte of configuration holds when it is written. Writing without reading is reserved, and becomes neither; four
/// bytes as a region do not exist where the granularity is larger, and become no region.
fn legal(byte: u8, grain: u32) -> u8 {
    let mut byte = byte & (LOCKED | MODE | READ | WRITE | EXECUTE);
    if byte & READ == 0 {
        byte &= !WRITE;
    }
    if grain > 0 && byte & MODE == NATURAL_4 {
        byte &= !MODE;
    }
    byte
}

/// What a regime permits, with a range for each kind of access that has been found to be permitted.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    regime: Regime,
    table: Table,
    readable: Range,
    writable: Range,
    executable: Range,
    /// Boundaries of regions lie inside fetch lines, so that lines must be as small as the smallest region.
    fine: bool,
}

/// Bytes of a fetch line that no region's boundary divides.
const FINE: u32 = 4;

impl Guard {
    pub fn new(pmp: &Pmp) -> Guard {
        Guard {
            regime: 0,
            table: pmp.table,
            readable: Range::NONE,
            writable: Range::NONE,
            executable: Range::NONE,
            fine: false,
        }
    }

    /// Check under this regime from now on.
    pub fn enter(&mut self, regime: Regime, pmp: &Pmp, line_bytes: u32) {
        if self.regime == regime {
            return;
        }
        *self = Guard { regime, ..Guard::new(pmp) };
        let inside = |r: Range| (r.first | r.last.wrapping_add(1)) & (line_bytes - 1) != 0;
        self.fine = (0..self.table.entries).filter_map(|e| self.table.range(e)).any(inside);
    }

    #[cold]
    fn look(&mut self, addr: u32, bytes: u32, right: u8) -> bool {
        let user = self.regime & if right == EXECUTE { 1 } else { 2 } != 0;
        let (permitted, around) = self.table.decide(addr, user, right);
        if !permitted {
            return false;
        }
        let range = match right {
            READ => &mut self.readable,
            WRITE => &mut self.writable,
            _ => &mut self.executable,
        };
        *range = around;
        around.has(addr, bytes)
    }

    #[inline(always)]
    fn reads(&mut self, addr: u32, bytes: u32) -> bool {
        self.readable.has(addr, bytes) || self.look(addr, bytes, READ)
    }

    #[inline(always)]
    fn writes(&mut self, addr: u32, bytes: u32) -> bool {
        self.writable.has(addr, bytes) || self.look(addr, bytes, WRITE)
    }
}

/// A memory whose accesses are checked.
pub(crate) struct Guarded<'a, M> {
    pub mem: &'a mut M,
    pub guard: &'a mut Guard,
    /// Where in the memory's line the line lies that was fetched last.
    pub offset: usize,
}

impl<M: HartMemory> Guarded<'_, M> {
    /// Whether the halfword at `pc` may be executed; if so its line is the one whose bytes are asked for next.
    #[inline(always)]
    fn executes(&mut self, pc: u32) -> bool {
        if self.guard.fine {
            self.offset = (pc & (self.mem.fetch_line_bytes() - 1) & !(FINE - 1)) as usize;
        }
        self.guard.executable.has(pc, 2) || self.guard.look(pc, 2, EXECUTE)
    }
}

const REFUSED: Access = Access::Fault(AccessFault::Refused);

impl<M: Peek> Peek for Guarded<'_, M> {
    fn peek(&self, addr: u32) -> u8 {
        self.mem.peek(addr)
    }
}

impl<M: HartMemory> HartMemory for Guarded<'_, M> {
    const WATCHED: bool = M::WATCHED;

    fn fetch_line_bytes(&self) -> u32 {
        if self.guard.fine {
            FINE
        } else {
            self.mem.fetch_line_bytes()
        }
    }
    fn fetch_slots(&self) -> u32 {
        self.mem.fetch_slots()
    }
    #[inline]
    fn fetch(&mut self, now: Cycle, pc: u32) -> Fetch {
        if self.executes(pc) {
            self.mem.fetch(now, pc)
        } else {
            Fetch::Fault(AccessFault::Refused)
        }
    }
    fn fetch_bytes(&self, slot: u32) -> &[u8] {
        let bytes = self.mem.fetch_bytes(slot);
        if self.guard.fine {
            &bytes[self.offset..][..FINE as usize]
        } else {
            bytes
        }
    }
    #[inline]
    fn fetch_at_once(&mut self, now: Cycle, pc: u32) -> Option<(u32, u32)> {
        if !self.executes(pc) {
            return None;
        }
        self.mem.fetch_at_once(now, pc)
    }
    #[inline]
    fn load_in_front(&mut self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
        if self.guard.reads(addr, width.bytes()) {
            self.mem.load_in_front(now, addr, width)
        } else {
            None
        }
    }
    #[inline]
    fn store_in_front(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        self.guard.writes(addr, width.bytes()) && self.mem.store_in_front(now, addr, width, value)
    }
    #[inline]
    fn load_at_once(&mut self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
        if self.guard.reads(addr, width.bytes()) {
            self.mem.load_at_once(now, addr, width)
        } else {
            None
        }
    }
    #[inline]
    fn store_at_once(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        self.guard.writes(addr, width.bytes()) && self.mem.store_at_once(now, addr, width, value)
    }
    #[inline]
    fn load(&mut self, now: Cycle, addr: u32, width: Width) -> Access {
        if self.guard.reads(addr, width.bytes()) {
            self.mem.load(now, addr, width)
        } else {
            REFUSED
        }
    }
    #[inline]
    fn store(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> Access {
        if self.guard.writes(addr, width.bytes()) {
            self.mem.store(now, addr, width, value)
        } else {
            REFUSED
        }
    }
    fn amo(&mut self, now: Cycle, addr: u32, op: AmoOp, operand: u32) -> Access {
        if self.guard.reads(addr, 4) && self.guard.writes(addr, 4) {
            self.mem.amo(now, addr, op, operand)
        } else {
            REFUSED
        }
    }
    fn load_reserved(&mut self, now: Cycle, addr: u32) -> Access {
        if self.guard.reads(addr, 4) {
            self.mem.load_reserved(now, addr)
        } else {
            REFUSED
        }
    }
    fn store_conditional(&mut self, now: Cycle, addr: u32, value: u32) -> Access {
        if self.guard.writes(addr, 4) {
            self.mem.store_conditional(now, addr, value)
        } else {
            REFUSED
        }
    }
    /// Permitted where a load or a store is.
    fn cache_op(&mut self, now: Cycle, addr: u32, op: CacheOp) -> Access {
        if self.guard.reads(addr, 1) || self.guard.writes(addr, 1) {
            self.mem.cache_op(now, addr, op)
        } else {
            REFUSED
        }
    }
    /// A hint for what may not be accessed so is no hint.
    fn prefetch(&mut self, now: Cycle, addr: u32, what: Prefetch) {
        let permitted = match what {
            Prefetch::Fetch => self.guard.executable.has(addr, 1) || self.guard.look(addr, 1, EXECUTE),
            Prefetch::Read => self.guard.reads(addr, 1),
            Prefetch::Write => self.guard.writes(addr, 1),
        };
        if permitted {
            self.mem.prefetch(now, addr, what);
        }
    }
    fn executing(&mut self, now: Cycle, pc: u32, bytes: u32) {
        self.mem.executing(now, pc, bytes);
    }

    fn fence(&mut self, now: Cycle) -> Access {
        self.mem.fence(now)
    }

    fn fence_i(&mut self, now: Cycle) {
        self.mem.fence_i(now);
    }
    #[inline(always)]
    fn code_changed(&mut self) -> bool {
        self.mem.code_changed()
    }
    #[inline(always)]
    fn code_changed_at_once(&mut self) -> bool {
        self.mem.code_changed_at_once()
    }
    fn request(&mut self) -> Option<BusRequest> {
        self.mem.request()
    }
    fn complete(&mut self, reply: BusReply) {
        self.mem.complete(reply);
    }
    fn checkpoint(&mut self) {
        self.mem.checkpoint();
    }
    fn rewind(&mut self) {
        self.mem.rewind();
    }
}
