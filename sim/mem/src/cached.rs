// SPDX-License-Identifier: Apache-2.0
//! The memory port of a core with caches of its own: split, and without coherence, as on Nios II/f (osek-linx 3.2.4).
//! What another master writes is not seen until the line is dropped.
//!
//! An access takes one of these ways:
//!  - it hits, and a store is private: answered at once, with an entry in the undo log if it stores;
//!  - it misses in a memory: the line is read, its victim is written if it is dirty (before, after, or in the background);
//!    then the access is repeated, and hits;
//!  - it stores in a write-through cache, or misses in one that does not allocate on stores: the word is written to memory, and
//!    to the line if it is held;
//!  - it has the bypass bit, or nothing there is a memory: it goes to the bus as it is, and the value is kept for
//!    the repetition.
//!
//! Since tags are addresses of memory lines, the first way needs no look at ranges or the bypass bit. What lies in a tightly coupled memory
//! is no line, so it is looked for where no line is found: those memories cost nothing where there are none.
//!
//! The data master makes one transfer at a time. While it writes a victim in the background or the rest of a line is still on its
//! way, whatever needs the bus for data waits for it; the owner of time knows until when ([`CachedPort::needs_data_master`]).

use crate::cache::{Cache, LineUndo, StoreUndo};
use crate::geometry::CacheGeometry;
use crate::outstanding::{Asked, Kind, Outstanding, Transfer};
use crate::policy::{CacheStats, CachedPortConfig, Policy, Victim};
use crate::store_buffer::StoreBuffer;
use crate::tightly::Tightly;
use engine::{
    Access, AccessFault, AmoOp, BusOp, BusReply, BusRequest, Bytes, CacheOp, Cause, Cycle, Fetch, HartMemory,
    MasterKind, Width,
};

mod alone;
mod aside;
mod buffer;
mod burst;
mod coherent;
mod owner;

pub use alone::LineMove;

/// Without an instruction cache. Two lines: an instruction may lie in two.
const FETCH_BUFFER: CacheGeometry = CacheGeometry::direct(64, 32);
/// The longest line.
const LINE: usize = 64;

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

/// A victim that was moved aside.
struct Aside {
    line: u32,
    bytes: [u8; LINE],
    /// It is being written in the background.
    posted: bool,
    /// A snoop has taken it: there is nothing to write any more.
    taken: bool,
}

/// A hart's caches and its suspended access.
pub struct CachedPort {
    icache: Cache,
    dcache: Cache,
    has_dcache: bool,
    /// Lines may take the short way; see [`alone`].
    simple: bool,
    policy: Policy,
    cacheable: Vec<(u32, u32)>,
    /// What is snooped on a coherent bus.
    coherent: Option<Box<coherent::Coherence>>,
    bypass_mask: u32,
    tightly: Option<Box<Tightly>>,
    /// Its stores are final: nothing of it is undone.
    buffer: StoreBuffer,
    reservation: Reservation,
    outstanding: Outstanding,
    /// The line that is being read, and the place that was emptied for it.
    filling: Box<[u8; LINE]>,
    place: usize,
    aside: Option<Box<Aside>>,
    /// A line of which more than the wanted word arrives at this instant.
    arriving: Option<(u32, Cycle)>,
    /// Undo log since the checkpoint. A dropped line cannot be stored to until it is filled, which is a request and
    /// so a checkpoint: undoing all drops first and then all stores backwards is exact.
    stores: Vec<StoreUndo>,
    data_drops: Vec<LineUndo>,
    instruction_drops: Vec<LineUndo>,
    /// Lines moved ahead, between which the order of drops and stores is the same.
    moves: Vec<alone::MoveUndo>,
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
        let policy = config.policy;
        // Never filled when there is none, so nothing hits.
        let dcache = Cache::new(config.dcache.unwrap_or(FETCH_BUFFER), policy.seeds[1]);
        let line_bytes = |cache: Option<CacheGeometry>| cache.unwrap_or(FETCH_BUFFER).line_bytes;
        let icache = Cache::new(config.icache.unwrap_or(FETCH_BUFFER), policy.seeds[0]);
        CachedPort {
            tightly: Tightly::new(config.tightly_coupled, icache.line_bytes(), icache.lines()),
            simple: alone::is_simple(&policy, [line_bytes(config.icache), line_bytes(config.dcache)]),
            icache,
            dcache: if policy.write_through { dcache.without_private_stores() } else { dcache },
            has_dcache: config.dcache.is_some(),
            buffer: StoreBuffer::new(policy.store_buffer),
            policy,
            cacheable: config.cacheable,
            coherent: None,
            bypass_mask: config.bypass_mask,
            reservation: Reservation::None,
            outstanding: Outstanding::default(),
            filling: Box::new([0; LINE]),
            place: 0,
            aside: None,
            arriving: None,
            stores: Vec::new(),
            data_drops: Vec::new(),
            instruction_drops: Vec::new(),
            moves: Vec::new(),
            saved: Default::default(),
            stats: CacheStats::default(),
        }
    }

    fn is_memory(&self, addr: u32) -> bool {
        self.cacheable.iter().any(|&(base, size)| addr.wrapping_sub(base) < size)
    }

    /// An access that the front does not answer: it hits elsewhere, is answered by its reply, faults, or is suspended.
    #[cold]
    fn miss(&mut self, now: Cycle, addr: u32, kind: Kind) -> Access {
        let asked = Asked { addr, kind };
        if let Some(answer) = self.outstanding.consume(asked) {
            self.settle_reservation(asked, answer);
            if self.arriving.is_none_or(|(_, at)| at <= now) {
                self.dcache.look(addr);
            }
            return answer;
        }
        if !asked.is_aligned() {
            return Access::Fault(AccessFault::Misaligned);
        }
        let physical = self.physical(addr);
        if let Some(answer) = self.tight(physical, kind) {
            return answer;
        }
        let conditional = matches!(kind, Kind::StoreConditional(_));
        if !self.buffer.is_empty() && !matches!(kind, Kind::Load(_) | Kind::Store(..)) {
            // An atomic comes behind all stores before it.
            return self.outstanding.suspend(asked, Transfer::Order);
        }
        if self.has_dcache && physical == addr && self.is_memory(addr) {
            let line = self.dcache.line_of(addr);
            if self.arriving.is_some_and(|(of, at)| of == line && now < at) {
                return self.outstanding.suspend(asked, Transfer::Order);
            }
            if let Some(place) = self.dcache.look(addr) {
                return self.hit(place, asked);
            }
            if conditional {
                // A reservation in the cache is lost with its line, so it does not stand.
                self.reservation = Reservation::None;
                return Access::Done(1);
            }
            if asked.stores() && self.policy.no_write_allocate {
                return self.outstanding.suspend(asked, Transfer::Through(addr));
            }
            return self.outstanding.suspend(asked, Transfer::FillData(line));
        }
        if conditional && self.reservation != Reservation::Bus(physical) {
            self.reservation = Reservation::None;
            return Access::Done(1);
        }
        self.outstanding.suspend(asked, Transfer::Uncached(physical))
    }

    /// Do an access on a line that is held; a store that is not private is suspended.
    fn hit(&mut self, place: usize, asked: Asked) -> Access {
        let Asked { addr, kind } = asked;
        if let Kind::StoreConditional(_) = kind {
            let stands = self.reservation == Reservation::Cached(addr);
            if stands && self.dcache.is_shared(place) {
                return self.outstanding.suspend(asked, Transfer::Upgrade(self.dcache.tag(place)));
            }
            self.reservation = Reservation::None;
            if !stands {
                return Access::Done(1);
            }
        }
        if asked.stores() && self.dcache.is_shared(place) {
            return self.outstanding.suspend(asked, Transfer::Upgrade(self.dcache.tag(place)));
        }
        if asked.stores() && self.policy.write_through {
            return self.outstanding.suspend(asked, Transfer::Through(addr));
        }
        let at = self.dcache.at(place, addr);
        let (width, value, answer) = match kind {
            Kind::Load(width) => return Access::Done(self.dcache.read(at, width)),
            Kind::LoadReserved => {
                self.reservation = Reservation::Cached(addr);
                return Access::Done(self.dcache.word(at));
            }
            Kind::Fetch | Kind::Maintain(_) => return Access::Done(0),
            Kind::Store(width, value) => (width, value, 0),
            Kind::StoreConditional(value) => (Width::Word, value, 0),
            Kind::Amo(op, operand) => {
                let old = self.dcache.word(at);
                (Width::Word, op.apply(old, operand), old)
            }
        };
        let undo = self.dcache.write(at, width, value);
        self.stores.push(undo);
        Access::Done(answer)
    }

    fn settle_reservation(&mut self, asked: Asked, answer: Access) {
        let past = self.physical(asked.addr) != asked.addr || !self.has_dcache || !self.is_memory(asked.addr);
        match (asked.kind, answer) {
            (Kind::LoadReserved, Access::Done(_)) if past => {
                self.reservation = Reservation::Bus(self.physical(asked.addr));
            }
            (Kind::StoreConditional(_), _) => self.reservation = Reservation::None,
            _ => {}
        }
    }

    #[cold]
    fn fetch_miss(&mut self, addr: u32) -> Fetch {
        if let Some(found) = self.tightly.as_mut().and_then(|t| t.fetch(addr)) {
            return match found {
                Ok((slot, version)) => Fetch::Line { slot, version },
                Err(fault) => Fetch::Fault(fault),
            };
        }
        if let Some(place) = self.icache.look(addr) {
            return Fetch::Line { slot: place as u32, version: self.icache.version(place) };
        }
        let line = self.icache.line_of(addr);
        let asked = Asked { addr: line, kind: Kind::Fetch };
        if let Some(Access::Fault(fault)) = self.outstanding.consume(asked) {
            return Fetch::Fault(fault);
        }
        if !self.is_memory(addr) {
            return Fetch::Fault(AccessFault::Unmapped);
        }
        self.outstanding.suspend(asked, Transfer::FillInstruction(line));
        Fetch::Pending
    }

    /// Empty a place of the data cache, and lose a reservation in it.
    fn drop_data(&mut self, place: usize) {
        self.unreserve(place);
        let undo = self.dcache.drop_line(place);
        self.data_drops.push(undo);
    }

    fn unreserve(&mut self, place: usize) {
        if matches!(self.reservation, Reservation::Cached(word)
            if self.dcache.is_held(place) && self.dcache.line_of(word) == self.dcache.tag(place))
        {
            self.reservation = Reservation::None;
        }
    }

    /// Make room for a line in the data cache. Whether its victim is to be written first.
    fn make_room(&mut self, line: u32) -> bool {
        self.place = self.dcache.victim(line);
        if self.dcache.is_dirty(self.place) {
            if self.policy.victim == Victim::First {
                return true;
            }
            debug_assert!(
                self.aside.is_none(),
                "the owner lets no data transfer begin before the last victim is written"
            );
            let mut bytes = [0; LINE];
            let held = self.dcache.line(self.place);
            bytes[..held.len()].copy_from_slice(held);
            let line = self.dcache.tag(self.place);
            self.aside = Some(Box::new(Aside { line, bytes, posted: false, taken: false }));
        }
        self.unreserve(self.place);
        self.dcache.replace(self.place);
        false
    }

    /// The transfer of a store that goes through to memory.
    fn through(&self, asked: Asked) -> BusOp {
        let word = self.dcache.place_of(asked.addr).map(|p| self.dcache.word(self.dcache.at(p, asked.addr) & !3));
        match (asked.kind, word) {
            (Kind::Amo(op, operand), Some(old)) => {
                BusOp::Write { data: Bytes::new(&op.apply(old, operand).to_le_bytes()) }
            }
            (Kind::Amo(op, operand), None) => BusOp::Amo { op, operand },
            (Kind::Store(width, value), _) => {
                BusOp::Write { data: Bytes::new(&value.to_le_bytes()[..width.bytes() as usize]) }
            }
            (Kind::StoreConditional(value), _) => BusOp::Write { data: Bytes::new(&value.to_le_bytes()) },
            _ => BusOp::Order,
        }
    }

    /// Memory has the word of a store that goes through; now the line has it, too.
    fn went_through(&mut self, asked: Asked, reply: u32) {
        self.stats.write_throughs += 1;
        let Some(place) = self.dcache.place_of(asked.addr) else {
            self.outstanding.answer(Access::Done(reply));
            return;
        };
        let old = self.dcache.word(self.dcache.at(place, asked.addr) & !3);
        let (bytes, answer) = match asked.kind {
            Kind::Store(width, value) => (&value.to_le_bytes()[..width.bytes() as usize], 0),
            Kind::StoreConditional(value) => (&value.to_le_bytes()[..], 0),
            Kind::Amo(op, operand) => (&op.apply(old, operand).to_le_bytes()[..], old),
            _ => (&[][..], 0),
        };
        self.dcache.write_clean(place, asked.addr, bytes);
        self.outstanding.answer(Access::Done(answer));
    }

    /// The line that the suspended access needs is there: the repetition will hit. Where others may want the line before that, or
    /// its other words are not there yet, the access is done now.
    fn filled(&mut self, asked: Asked, line: u32, bytes: &[u8]) {
        self.dcache.fill(self.place, line, bytes);
        self.stats.dcache_misses += 1;
        let snooped = self.filled_by_bus(line);
        if asked.stores() && self.policy.write_through {
            self.outstanding.then(Transfer::Through(asked.addr));
        } else if self.policy.critical_word || snooped {
            let answer = self.hit(self.place, asked);
            self.outstanding.answer(answer);
            // The repetition has to come by, or its answer would stay.
            self.dcache.clear_front(line);
        }
        if self.aside.is_some() && self.policy.victim == Victim::After {
            self.outstanding.then(Transfer::WriteAside);
        }
        if self.policy.critical_word {
            self.arriving = Some((line, Cycle::ZERO));
        }
    }
}

impl HartMemory for CachedPort {
    fn fetch_line_bytes(&self) -> u32 {
        self.icache.line_bytes()
    }

    fn fetch_slots(&self) -> u32 {
        self.tightly.as_ref().map_or(self.icache.lines(), |t| t.slots())
    }

    #[inline(always)]
    fn fetch(&mut self, _now: Cycle, pc: u32) -> Fetch {
        let addr = pc & !self.bypass_mask;
        if let Some(place) = self.icache.find_line(addr) {
            return Fetch::Line { slot: place as u32, version: self.icache.version(place) };
        }
        self.fetch_miss(addr)
    }

    #[inline]
    fn fetch_bytes(&self, slot: u32) -> &[u8] {
        if slot >= self.icache.lines() {
            return self.tightly.as_ref().map_or(&[], |t| t.line(slot));
        }
        self.icache.line(slot as usize)
    }

    #[inline(always)]
    fn fetch_at_once(&mut self, _now: Cycle, pc: u32) -> Option<(u32, u32)> {
        let addr = pc & !self.bypass_mask;
        match self.icache.find_line(addr) {
            Some(place) => Some((place as u32, self.icache.version(place))),
            None => self.fetch_aside(addr),
        }
    }

    #[inline(always)]
    fn fetch_generation(&self) -> u64 {
        // A hit makes a line the most recent one: blocks have to ask for each.
        if self.icache.orders_hits() {
            return 0;
        }
        self.icache.changes()
    }

    #[inline(always)]
    fn load_in_front(&mut self, _now: Cycle, addr: u32, width: Width) -> Option<u32> {
        let at = self.dcache.find(addr, width.bytes())?;
        Some(self.dcache.read(at, width))
    }

    #[inline(always)]
    fn store_in_front(&mut self, _now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        // Not where the log would have to grow.
        if self.stores.len() == self.stores.capacity() {
            return false;
        }
        let Some(at) = self.dcache.find_store(addr, width.bytes()) else { return false };
        let undo = self.dcache.write(at, width, value);
        self.stores.push(undo);
        true
    }

    #[inline(always)]
    fn load_at_once(&mut self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
        let at = match self.dcache.find(addr, width.bytes()) {
            Some(at) => at,
            None => return self.load_aside(now, addr, width),
        };
        Some(self.dcache.read(at, width))
    }

    #[inline(always)]
    fn store_at_once(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        let at = match self.dcache.find_store(addr, width.bytes()) {
            Some(at) => at,
            None => return self.store_aside(now, addr, width, value),
        };
        let undo = self.dcache.write(at, width, value);
        self.stores.push(undo);
        true
    }

    #[inline(always)]
    fn code_changed(&mut self) -> bool {
        self.tightly.as_mut().is_some_and(|t| t.take_changed())
    }

    /// A store that changes code is not made at once: see [`store_aside`](Self::store_aside).
    #[inline(always)]
    fn code_changed_at_once(&mut self) -> bool {
        false
    }

    #[inline(always)]
    fn load(&mut self, now: Cycle, addr: u32, width: Width) -> Access {
        match self.dcache.find(addr, width.bytes()) {
            Some(at) => Access::Done(self.dcache.read(at, width)),
            None => self.miss(now, addr, Kind::Load(width)),
        }
    }

    #[inline(always)]
    fn store(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> Access {
        match self.dcache.find_store(addr, width.bytes()) {
            Some(at) => {
                let undo = self.dcache.write(at, width, value);
                self.stores.push(undo);
                Access::Done(0)
            }
            None => self.miss(now, addr, Kind::Store(width, value)),
        }
    }

    fn amo(&mut self, now: Cycle, addr: u32, op: AmoOp, operand: u32) -> Access {
        self.miss(now, addr, Kind::Amo(op, operand))
    }

    fn load_reserved(&mut self, now: Cycle, addr: u32) -> Access {
        self.miss(now, addr, Kind::LoadReserved)
    }

    fn store_conditional(&mut self, now: Cycle, addr: u32, value: u32) -> Access {
        self.miss(now, addr, Kind::StoreConditional(value))
    }

    /// Acts on the line of the physical address, with or without the bypass bit (Zicbom: all copies of the block).
    fn cache_op(&mut self, now: Cycle, addr: u32, op: CacheOp) -> Access {
        let asked = Asked { addr, kind: Kind::Maintain(op) };
        if let Some(answer) = self.outstanding.consume(asked) {
            return answer;
        }
        let physical = self.physical(addr);
        if let Some(answer) = self.tight(physical, Kind::Maintain(op)) {
            return answer;
        }
        if !self.is_memory(physical) {
            return Access::Fault(AccessFault::Unmapped);
        }
        let line = self.dcache.line_of(physical);
        let aside = self.aside.as_ref().is_some_and(|a| a.line == line);
        let behind = aside || !self.buffer.is_empty();
        if behind || self.arriving.is_some_and(|(of, at)| of == line && now < at) {
            return self.outstanding.suspend(asked, Transfer::Order);
        }
        if self.is_snooped(physical) {
            return self.outstanding.suspend(asked, Transfer::Maintain(line, op));
        }
        let Some(place) = self.dcache.place_of(physical) else { return Access::Done(0) };
        if self.dcache.is_dirty(place) && op != CacheOp::Invalidate {
            return self.outstanding.suspend(asked, Transfer::WriteBack(place as u32));
        }
        if op != CacheOp::Clean {
            self.drop_data(place);
        }
        Access::Done(0)
    }

    /// What was stored must be in memory or in the cache: a victim on its way is waited for.
    fn fence(&mut self, _now: Cycle) -> Access {
        if self.aside.is_none() && self.buffer.is_empty() {
            return Access::Done(0);
        }
        self.outstanding.suspend(Asked { addr: 0, kind: Kind::Maintain(CacheOp::Clean) }, Transfer::Order)
    }

    fn fence_i(&mut self, _now: Cycle) {
        for place in 0..self.icache.lines() as usize {
            if self.icache.is_held(place) {
                let undo = self.icache.drop_line(place);
                self.instruction_drops.push(undo);
            }
        }
    }

    /// Taking a request shows it to others, so it is a checkpoint.
    fn request(&mut self) -> Option<BusRequest> {
        if self.coherent.is_some() {
            self.reconsider();
        }
        match self.outstanding.todo()? {
            (_, Transfer::FillData(line), 0) if self.make_room(line) => {
                self.outstanding.before(Transfer::WriteBack(self.place as u32));
            }
            (_, Transfer::FillInstruction(line), 0) => {
                self.place = self.icache.victim(line);
                self.icache.replace(self.place);
            }
            _ => {}
        }
        let moved = self.outstanding.moved();
        let (asked, transfer) = self.outstanding.take()?;
        self.checkpoint();
        let miss = |addr, op| BusRequest { addr, op, cause: Cause::Miss, master: MasterKind::Data };
        let part = |line: &[u8], burst: u32| Bytes::new(&line[moved as usize..(moved + burst) as usize]);
        let burst = self.data_burst();
        Some(match transfer {
            Transfer::WriteBack(place) => {
                let line = self.dcache.line(place as usize);
                miss(self.dcache.tag(place as usize) + moved, BusOp::Write { data: part(line, burst) })
            }
            Transfer::WriteAside => {
                let (line, bytes) = self.aside.as_ref().map_or((0, [0; LINE]), |a| (a.line, a.bytes));
                miss(line + moved, BusOp::Write { data: part(&bytes, burst) })
            }
            Transfer::FillData(line) if asked.stores() && self.is_snooped(line) => {
                miss(line, BusOp::ReadOwn { bytes: burst })
            }
            Transfer::FillData(line) => miss(line + moved, BusOp::Read { bytes: burst }),
            Transfer::Upgrade(line) => miss(line, BusOp::Upgrade { bytes: burst }),
            Transfer::Maintain(line, op) => miss(line, BusOp::Maintain { op, bytes: burst }),
            Transfer::FillInstruction(line) => BusRequest {
                addr: line + moved,
                op: BusOp::Read { bytes: self.instruction_burst() },
                cause: Cause::Fetch,
                master: MasterKind::Instruction,
            },
            Transfer::Through(addr) => miss(addr, self.through(asked)),
            Transfer::Uncached(addr) => asked.uncached(addr),
            Transfer::Order => miss(asked.addr, BusOp::Order),
        })
    }

    /// What came back is final, so this is a checkpoint, too.
    fn complete(&mut self, reply: BusReply) {
        let Some((asked, transfer)) = self.outstanding.served() else { return };
        let (line_bytes, burst) = (self.dcache.line_bytes(), self.data_burst());
        match (transfer, &reply) {
            (_, BusReply::Fault(fault)) => self.outstanding.fail(*fault),
            (Transfer::Upgrade(_), _) => self.upgraded(asked),
            (Transfer::Maintain(..), _) => self.outstanding.answer(Access::Done(0)),
            (Transfer::WriteBack(_) | Transfer::WriteAside, _) if self.written_by_snoop(transfer) => {}
            (Transfer::WriteBack(_) | Transfer::WriteAside, _) => {
                if self.burst_done(transfer, line_bytes, burst) {
                    self.stats.write_backs += 1;
                    match transfer {
                        Transfer::WriteBack(place) => self.dcache.set_clean(place as usize),
                        _ => self.aside = None,
                    }
                }
            }
            (Transfer::FillData(line), BusReply::Line(bytes)) if bytes.len() == line_bytes as usize => {
                self.filled(asked, line, bytes);
            }
            (Transfer::FillData(line), _) => match self.burst(transfer, &reply, line_bytes, burst) {
                Ok(true) => {
                    let bytes = *self.filling;
                    self.filled(asked, line, &bytes[..line_bytes as usize]);
                }
                Ok(false) => {}
                Err(fault) => self.outstanding.fail(fault),
            },
            (Transfer::FillInstruction(line), BusReply::Line(bytes))
                if bytes.len() == self.icache.line_bytes() as usize =>
            {
                self.icache.fill(self.place, line, bytes);
                self.stats.icache_misses += 1;
            }
            (Transfer::FillInstruction(line), _) => {
                let (bytes, burst) = (self.icache.line_bytes(), self.instruction_burst());
                match self.burst(transfer, &reply, bytes, burst) {
                    Ok(true) => {
                        self.icache.fill(self.place, line, &self.filling[..bytes as usize]);
                        self.stats.icache_misses += 1;
                    }
                    Ok(false) => {}
                    Err(fault) => self.outstanding.fail(fault),
                }
            }
            (Transfer::Through(_), BusReply::Value(value)) => self.went_through(asked, *value),
            (Transfer::Uncached(_), BusReply::Value(value)) => self.outstanding.answer(Access::Done(*value)),
            (Transfer::Order, _) => {}
            _ => self.outstanding.fail(AccessFault::Refused),
        }
        self.outstanding.rest();
        self.checkpoint();
    }

    fn checkpoint(&mut self) {
        self.moves.clear();
        self.stores.clear();
        self.data_drops.clear();
        self.instruction_drops.clear();
        self.icache.checkpoint();
        self.dcache.checkpoint();
        if let Some(tightly) = &mut self.tightly {
            tightly.checkpoint();
        }
        self.saved.0 = self.reservation;
        // Nearly always there is none, and it is not small.
        if self.outstanding.is_idle() {
            self.saved.1 = None;
        } else {
            self.saved.1 = Some(self.outstanding);
        }
    }

    fn rewind(&mut self) {
        debug_assert!(self.moves.is_empty(), "lines moved ahead are undone first");
        self.undo_logs((0, 0, 0));
        self.icache.rewind();
        self.dcache.rewind();
        if self.tightly.as_mut().is_some_and(|t| t.rewind()) {
            self.icache.note_change();
        }
        if let Some((line, _)) = self.arriving {
            // It may have been found in the meantime; now it is on its way again.
            self.dcache.clear_front(line);
        }
        self.reservation = self.saved.0;
        self.outstanding = self.saved.1.unwrap_or_default();
        if let Some(addr) = self.outstanding.answered() {
            self.dcache.clear_front(addr);
        }
    }
}
