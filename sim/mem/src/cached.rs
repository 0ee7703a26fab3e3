// SPDX-License-Identifier: Apache-2.0
//! The memory port of a core with caches of its own: split, direct mapped, write-back, allocate on write miss, and
//! without coherence, as on Nios II/f (osek-linx 3.2.4). What another master writes is not seen until the line is
//! dropped.
//!
//! An access takes one of these ways:
//!  - it hits: answered at once, with an entry in the undo log if it stores;
//!  - it misses in a memory: the victim is written back if it is dirty, then the line is read, and the hart waits for
//!    both; then the access is repeated, and hits;
//!  - it has the bypass bit, or nothing there is a memory: it goes to the bus as it is, and the value is kept for
//!    the repetition.
//!
//! Since tags are addresses of memory lines, the first way needs no look at ranges or the bypass bit.

use crate::backing::Backing;
use crate::cache::{Cache, CacheGeometry, LineUndo, StoreUndo};
use crate::outstanding::{Asked, Kind, Outstanding, Transfer};
use engine::{
    Access, AccessFault, AmoOp, BusOp, BusReply, BusRequest, Bytes, CacheOp, Cause, Cycle, Fetch, HartMemory,
    MasterKind, Width,
};

/// What a [`CachedPort`] is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CachedPortConfig {
    /// Instruction cache; without one, a buffer of two lines of 32 bytes.
    pub icache: Option<CacheGeometry>,
    /// Data cache; without one, all data accesses go to the bus.
    pub dcache: Option<CacheGeometry>,
    /// The memories: (base, size), multiples of a line. Nothing else is ever cached.
    pub cacheable: Vec<(u32, u32)>,
    /// The address bit that makes a data access bypass the cache, and that no physical address has; 0 if there is none.
    pub bypass_mask: u32,
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
}

/// A line on its way between a cache and a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineMove {
    /// First byte.
    pub addr: u32,
    /// Bytes of the line.
    pub bytes: u32,
    /// To memory.
    pub write: bool,
    /// Which account its service is charged to.
    pub cause: Cause,
    /// Which master port of the hart.
    pub master: MasterKind,
}

/// Without an instruction cache. Two lines: an instruction may lie in two.
const FETCH_BUFFER: CacheGeometry = CacheGeometry { size_bytes: 64, line_bytes: 32 };

/// The reservation that this hart made last, and where it is kept.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Reservation {
    #[default]
    None,
    /// Of a word in the data cache; lost with the line.
    Cached(u32),
    /// Made on the bus; whether it stands is known there.
    Bus(u32),
}

/// A hart's caches and its suspended access.
pub struct CachedPort {
    icache: Cache,
    dcache: Cache,
    has_dcache: bool,
    cacheable: Vec<(u32, u32)>,
    bypass_mask: u32,
    reservation: Reservation,
    outstanding: Outstanding,
    /// Undo log since the checkpoint. A dropped line cannot be stored to until it is filled, which is a request and
    /// so a checkpoint: undoing all drops first and then all stores backwards is exact.
    stores: Vec<StoreUndo>,
    data_drops: Vec<LineUndo>,
    instruction_drops: Vec<LineUndo>,
    /// At the checkpoint; the suspended access only if there was one.
    saved: (Reservation, Option<Outstanding>),
    stats: CacheStats,
}

impl CachedPort {
    /// A port with empty caches.
    ///
    /// # Panics
    /// A geometry is not [valid](CacheGeometry::is_valid).
    pub fn new(config: CachedPortConfig) -> CachedPort {
        CachedPort {
            icache: Cache::new(config.icache.unwrap_or(FETCH_BUFFER)),
            // Never filled when there is none, so nothing hits.
            dcache: Cache::new(config.dcache.unwrap_or(FETCH_BUFFER)),
            has_dcache: config.dcache.is_some(),
            cacheable: config.cacheable,
            bypass_mask: config.bypass_mask,
            reservation: Reservation::None,
            outstanding: Outstanding::default(),
            stores: Vec::new(),
            data_drops: Vec::new(),
            instruction_drops: Vec::new(),
            saved: Default::default(),
            stats: CacheStats::default(),
        }
    }

    /// The byte at `addr` as the data cache has it; `None` when it is not there and memory is to be asked. Changes
    /// nothing.
    pub fn peek(&self, addr: u32) -> Option<u8> {
        let at = self.dcache.find(addr, 1)?;
        Some(self.dcache.read(at, Width::Byte) as u8)
    }

    /// Whether no access is suspended.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.outstanding.is_idle()
    }

    /// The line that has to be moved next for the suspended access, if that is what it waits for. It is served by
    /// [`move_line`](Self::move_line), or as any request by [`request`](HartMemory::request).
    #[inline]
    pub fn next_line(&self) -> Option<LineMove> {
        let data = |addr, write| LineMove {
            addr,
            bytes: self.dcache.line_bytes(),
            write,
            cause: Cause::Miss,
            master: MasterKind::Data,
        };
        Some(match self.outstanding.todo()? {
            Transfer::WriteBack(index) => data(self.dcache.tag(index as usize), true),
            Transfer::FillData(line) => data(line, false),
            Transfer::FillInstruction(addr) => LineMove {
                addr,
                bytes: self.icache.line_bytes(),
                write: false,
                cause: Cause::Fetch,
                master: MasterKind::Instruction,
            },
            Transfer::Uncached(_) | Transfer::Order => return None,
        })
    }

    /// Move the line that [`next_line`](Self::next_line) says between the cache and the memory that holds it. As others may see it then, this
    /// is a checkpoint.
    pub fn move_line(&mut self, memory: &mut Backing) {
        match self.outstanding.todo() {
            Some(Transfer::WriteBack(index)) => {
                let index = index as usize;
                memory.write(self.dcache.tag(index), self.dcache.line(index));
                self.dcache.set_clean(index);
                self.stats.write_backs += 1;
            }
            Some(Transfer::FillData(line)) => {
                self.unreserve(self.dcache.index_of(line));
                memory.read(line, self.dcache.place_for(line));
                self.stats.dcache_misses += 1;
            }
            Some(Transfer::FillInstruction(line)) => {
                memory.read(line, self.icache.place_for(line));
                self.stats.icache_misses += 1;
            }
            _ => return,
        }
        self.outstanding.moved();
        self.checkpoint();
    }

    /// The physical address of a data address.
    pub fn physical(&self, addr: u32) -> u32 {
        addr & !self.bypass_mask
    }

    /// Counts since reset. They are final: what is undone is not counted.
    pub fn stats(&self) -> CacheStats {
        self.stats
    }

    /// Feed all state into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        self.icache.hash(hash);
        self.dcache.hash(hash);
        hash(match self.reservation {
            Reservation::None => 0,
            Reservation::Cached(word) => 1 << 32 | u64::from(word),
            Reservation::Bus(word) => 2 << 32 | u64::from(word),
        });
        self.outstanding.hash(hash);
    }

    fn is_memory(&self, addr: u32) -> bool {
        self.cacheable.iter().any(|&(base, size)| addr.wrapping_sub(base) < size)
    }

    /// An access that does not hit: answered by its reply, faulting, or suspended.
    #[cold]
    fn miss(&mut self, addr: u32, kind: Kind) -> Access {
        let asked = Asked { addr, kind };
        if let Some(answer) = self.outstanding.consume(asked) {
            self.settle_reservation(asked, answer);
            return answer;
        }
        if !asked.is_aligned() {
            return Access::Fault(AccessFault::Misaligned);
        }
        let physical = self.physical(addr);
        let conditional = matches!(kind, Kind::StoreConditional(_));
        if self.has_dcache && physical == addr && self.is_memory(addr) {
            if conditional {
                // A reservation in the cache is lost with its line, so it does not stand.
                self.reservation = Reservation::None;
                return Access::Done(1);
            }
            let fill = Transfer::FillData(self.dcache.line_of(addr));
            let victim = self.dcache.index_of(addr);
            return if self.dcache.is_dirty(victim) {
                self.outstanding.suspend(asked, Transfer::WriteBack(victim as u32), Some(fill))
            } else {
                self.outstanding.suspend(asked, fill, None)
            };
        }
        if conditional && self.reservation != Reservation::Bus(physical) {
            self.reservation = Reservation::None;
            return Access::Done(1);
        }
        self.outstanding.suspend(asked, Transfer::Uncached(physical), None)
    }

    fn settle_reservation(&mut self, asked: Asked, answer: Access) {
        match (asked.kind, answer) {
            (Kind::LoadReserved, Access::Done(_)) => self.reservation = Reservation::Bus(self.physical(asked.addr)),
            (Kind::StoreConditional(_), _) => self.reservation = Reservation::None,
            _ => {}
        }
    }

    #[cold]
    fn fetch_miss(&mut self, addr: u32) -> Fetch {
        let line = self.icache.line_of(addr);
        let asked = Asked { addr: line, kind: Kind::Fetch };
        if let Some(Access::Fault(fault)) = self.outstanding.consume(asked) {
            return Fetch::Fault(fault);
        }
        if !self.is_memory(addr) {
            return Fetch::Fault(AccessFault::Unmapped);
        }
        self.outstanding.suspend(asked, Transfer::FillInstruction(line), None);
        Fetch::Pending
    }

    /// Empty a place of the data cache, and lose a reservation in it.
    fn drop_data(&mut self, index: usize) {
        self.unreserve(index);
        let undo = self.dcache.drop_line(index);
        self.data_drops.push(undo);
    }

    fn unreserve(&mut self, index: usize) {
        if matches!(self.reservation, Reservation::Cached(word) if self.dcache.index_of(word) == index) {
            self.reservation = Reservation::None;
        }
    }
}

impl HartMemory for CachedPort {
    fn fetch_line_bytes(&self) -> u32 {
        self.icache.line_bytes()
    }

    fn fetch_slots(&self) -> u32 {
        self.icache.lines()
    }

    #[inline]
    fn fetch(&mut self, _now: Cycle, pc: u32) -> Fetch {
        let addr = pc & !self.bypass_mask;
        if self.icache.holds(addr) {
            let index = self.icache.index_of(addr);
            return Fetch::Line { slot: index as u32, version: self.icache.version(index) };
        }
        self.fetch_miss(addr)
    }

    #[inline]
    fn fetch_bytes(&self, slot: u32) -> &[u8] {
        self.icache.line(slot as usize)
    }

    #[inline(always)]
    fn fetch_at_once(&mut self, _now: Cycle, pc: u32) -> Option<(u32, u32)> {
        let addr = pc & !self.bypass_mask;
        let index = self.icache.index_of(addr);
        self.icache.holds(addr).then(|| (index as u32, self.icache.version(index)))
    }

    #[inline(always)]
    fn fetch_generation(&self) -> u64 {
        self.icache.changes()
    }

    #[inline(always)]
    fn load_at_once(&mut self, _now: Cycle, addr: u32, width: Width) -> Option<u32> {
        let at = self.dcache.find(addr, width.bytes())?;
        Some(self.dcache.read(at, width))
    }

    #[inline(always)]
    fn store_at_once(&mut self, _now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        let Some(at) = self.dcache.find(addr, width.bytes()) else { return false };
        let undo = self.dcache.write(at, width, value);
        self.stores.push(undo);
        true
    }

    #[inline]
    fn load(&mut self, _now: Cycle, addr: u32, width: Width) -> Access {
        match self.dcache.find(addr, width.bytes()) {
            Some(at) => Access::Done(self.dcache.read(at, width)),
            None => self.miss(addr, Kind::Load(width)),
        }
    }

    #[inline]
    fn store(&mut self, _now: Cycle, addr: u32, width: Width, value: u32) -> Access {
        match self.dcache.find(addr, width.bytes()) {
            Some(at) => {
                let undo = self.dcache.write(at, width, value);
                self.stores.push(undo);
                Access::Done(0)
            }
            None => self.miss(addr, Kind::Store(width, value)),
        }
    }

    fn amo(&mut self, _now: Cycle, addr: u32, op: AmoOp, operand: u32) -> Access {
        match self.dcache.find(addr, 4) {
            Some(at) => {
                let old = self.dcache.word(at);
                let undo = self.dcache.write(at, Width::Word, op.apply(old, operand));
                self.stores.push(undo);
                Access::Done(old)
            }
            None => self.miss(addr, Kind::Amo(op, operand)),
        }
    }

    fn load_reserved(&mut self, _now: Cycle, addr: u32) -> Access {
        match self.dcache.find(addr, 4) {
            Some(at) => {
                self.reservation = Reservation::Cached(addr);
                Access::Done(self.dcache.word(at))
            }
            None => self.miss(addr, Kind::LoadReserved),
        }
    }

    fn store_conditional(&mut self, _now: Cycle, addr: u32, value: u32) -> Access {
        match self.dcache.find(addr, 4) {
            Some(at) => {
                let stands = self.reservation == Reservation::Cached(addr);
                self.reservation = Reservation::None;
                if stands {
                    let undo = self.dcache.write(at, Width::Word, value);
                    self.stores.push(undo);
                }
                Access::Done(u32::from(!stands))
            }
            None => self.miss(addr, Kind::StoreConditional(value)),
        }
    }

    /// Acts on the line of the physical address, with or without the bypass bit (Zicbom: all copies of the block).
    fn cache_op(&mut self, _now: Cycle, addr: u32, op: CacheOp) -> Access {
        let asked = Asked { addr, kind: Kind::Maintain(op) };
        if let Some(answer @ Access::Fault(_)) = self.outstanding.consume(asked) {
            return answer;
        }
        let physical = self.physical(addr);
        if !self.is_memory(physical) {
            return Access::Fault(AccessFault::Unmapped);
        }
        let index = self.dcache.index_of(physical);
        if !self.dcache.holds(physical) {
            return Access::Done(0);
        }
        if self.dcache.is_dirty(index) && op != CacheOp::Invalidate {
            return self.outstanding.suspend(asked, Transfer::WriteBack(index as u32), None);
        }
        if op != CacheOp::Clean {
            self.drop_data(index);
        }
        Access::Done(0)
    }

    fn fence_i(&mut self, _now: Cycle) {
        for index in 0..self.icache.lines() as usize {
            if self.icache.is_held(index) {
                let undo = self.icache.drop_line(index);
                self.instruction_drops.push(undo);
            }
        }
    }

    /// Taking a request shows it to others, so it is a checkpoint.
    fn request(&mut self) -> Option<BusRequest> {
        let (asked, transfer) = self.outstanding.take()?;
        self.checkpoint();
        let miss = |addr, op| BusRequest { addr, op, cause: Cause::Miss, master: MasterKind::Data };
        Some(match transfer {
            Transfer::WriteBack(index) => {
                let index = index as usize;
                miss(self.dcache.tag(index), BusOp::Write { data: Bytes::new(self.dcache.line(index)) })
            }
            Transfer::FillData(line) => miss(line, BusOp::Read { bytes: self.dcache.line_bytes() }),
            Transfer::FillInstruction(line) => BusRequest {
                addr: line,
                op: BusOp::Read { bytes: self.icache.line_bytes() },
                cause: Cause::Fetch,
                master: MasterKind::Instruction,
            },
            Transfer::Uncached(addr) => asked.uncached(addr),
            Transfer::Order => miss(asked.addr, BusOp::Order),
        })
    }

    /// What came back is final, so this is a checkpoint, too.
    fn complete(&mut self, reply: BusReply) {
        let Some((_, transfer)) = self.outstanding.served() else { return };
        match (transfer, reply) {
            (_, BusReply::Fault(fault)) => self.outstanding.answer(Access::Fault(fault)),
            (Transfer::WriteBack(index), _) => {
                self.dcache.set_clean(index as usize);
                self.stats.write_backs += 1;
            }
            (Transfer::FillData(line), BusReply::Line(bytes)) if bytes.len() == self.dcache.line_bytes() as usize => {
                self.unreserve(self.dcache.index_of(line));
                self.dcache.fill(line, &bytes);
                self.stats.dcache_misses += 1;
            }
            (Transfer::FillInstruction(line), BusReply::Line(bytes))
                if bytes.len() == self.icache.line_bytes() as usize =>
            {
                self.icache.fill(line, &bytes);
                self.stats.icache_misses += 1;
            }
            (Transfer::Uncached(_), BusReply::Value(value)) => self.outstanding.answer(Access::Done(value)),
            (Transfer::Order, _) => {}
            // Bytes of another shape than asked for: the target does not do such transfers.
            _ => self.outstanding.answer(Access::Fault(AccessFault::Refused)),
        }
        self.checkpoint();
    }

    fn checkpoint(&mut self) {
        self.stores.clear();
        self.data_drops.clear();
        self.instruction_drops.clear();
        self.saved.0 = self.reservation;
        // Nearly always there is none, and it is not small.
        if self.outstanding.is_idle() {
            self.saved.1 = None;
        } else {
            self.saved.1 = Some(self.outstanding);
        }
    }

    fn rewind(&mut self) {
        while let Some(undo) = self.instruction_drops.pop() {
            self.icache.undo_drop(undo);
        }
        while let Some(undo) = self.data_drops.pop() {
            self.dcache.undo_drop(undo);
        }
        while let Some(undo) = self.stores.pop() {
            self.dcache.undo_store(undo);
        }
        self.reservation = self.saved.0;
        self.outstanding = self.saved.1.unwrap_or_default();
    }
}
