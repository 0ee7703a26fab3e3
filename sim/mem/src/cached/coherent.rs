// SPDX-License-Identifier: Apache-2.0
//! A data cache on a bus that snoops: what other masters' transactions do to its lines, and what becomes of its own when they
//! were overtaken.
//!
//! A line is *modified* when it is dirty, *exclusive* when it is neither dirty nor shared, *shared* when the cache may not write to it
//! without asking ([`Cache`](crate::cache::Cache) keeps both bits), and *invalid* when it is not held. An exclusive line becomes modified
//! by the store alone.
//!
//! ```text
//!            load misses: Read, others have it            Share                 S  shared
//!   invalid ------------------------------------> shared         modified, exclusive ---> shared
//!            load misses: Read, nobody has it             Look
//!   invalid ------------------------------------> exclusive (MESI)      modified ---> exclusive (MESI), shared (MSI)
//!            store misses: ReadOwn                        Take, Discard
//!   invalid ------------------------------------> modified       any ---> invalid; a reservation in it is lost
//!            store hits a shared line: Upgrade
//!   shared  ------------------------------------> modified
//! ```
//!
//! The access for which a line was asked is done when the bus grants it, before any other transaction can take the line away: so
//! each transaction completes one access at least, and cores that fight for a line all make progress.
//!
//! **Overtaken.** Between asking and the grant another transaction may be granted first. An upgrade whose line is gone reads it
//! instead; a store-conditional has failed. A write-back whose line was taken, or written on the way, has nothing left to write.

use super::{CachedPort, Reservation};
use crate::outstanding::{Asked, Kind, Transfer};
use crate::policy::{Protocol, Serving, Snoop, Snooped};
use engine::{Access, BusOp, Bytes};

/// What a port knows of its bus.
pub(super) struct Coherence {
    protocol: Protocol,
    /// The memories that several cores see: (base, size).
    memories: Vec<(u32, u32)>,
    /// The line that is being read is, or may be, in another cache.
    shared: bool,
    /// What is being served was overtaken and moves nothing.
    overtaken: bool,
}

impl CachedPort {
    /// The same port on a bus that snoops accesses to these memories: (base, size).
    #[must_use]
    pub fn on_coherent_bus(mut self, protocol: Protocol, memories: Vec<(u32, u32)>) -> CachedPort {
        self.coherent = Some(Box::new(Coherence { protocol, memories, shared: false, overtaken: false }));
        self
    }

    /// Whether other caches are asked about the memory at a physical address.
    #[inline]
    pub fn is_snooped(&self, addr: u32) -> bool {
        self.coherent.as_ref().is_some_and(|c| c.memories.iter().any(|&(base, size)| addr.wrapping_sub(base) < size))
    }

    /// The protocol by which other caches share lines with this one.
    pub fn protocol(&self) -> Option<Protocol> {
        self.coherent.as_ref().map(|c| c.protocol)
    }

    /// Whether the data cache has the line, or may have had it at the checkpoint.
    pub fn may_hold(&self, line: u32) -> bool {
        self.dcache.holds(line) || self.has_dropped(line)
    }

    /// Whether the cache may write to the line without asking.
    pub fn owns(&self, line: u32) -> bool {
        self.dcache.place_of(line).is_some_and(|place| !self.dcache.is_shared(place))
    }

    fn has_dropped(&self, line: u32) -> bool {
        self.data_drops.iter().any(|undo| undo.tag == line) || self.moves.iter().any(|undo| undo.replaced(line))
    }

    /// Whether the line was stored to, dropped or brought back since the checkpoint.
    pub fn has_changed(&self, line: u32) -> bool {
        let Some(place) = self.dcache.place_of(line) else { return true };
        let first = self.dcache.at(place, line) as u32;
        let within = |word: u32| word.wrapping_sub(first) < self.dcache.line_bytes();
        self.has_dropped(line) || self.stores.iter().any(|undo| within(undo.word_dirty & !3))
    }

    /// A transaction of another master, or of this one past its data cache, reaches the line. This is final, and a checkpoint of the
    /// port, unless it is a [`Snoop::Share`] or [`Snoop::Look`] at a line that has not [changed](Self::has_changed).
    pub fn snoop(&mut self, line: u32, what: Snoop) -> Snooped {
        let Some(place) = self.dcache.place_of(line) else { return self.snoop_aside(line, what) };
        let dirty = self.dcache.is_dirty(place);
        let supplies = dirty && what != Snoop::Discard;
        let modified = supplies.then(|| Bytes::new(self.dcache.line(place)));
        self.stats.interventions += u64::from(supplies);
        match what {
            Snoop::Share => {
                self.dcache.set_clean(place);
                self.dcache.set_shared(place, true);
            }
            Snoop::Look if dirty => {
                self.dcache.set_clean(place);
                self.dcache.set_shared(place, self.protocol() == Some(Protocol::Msi));
            }
            Snoop::Look => {}
            Snoop::Take | Snoop::Discard => {
                self.unreserve(place);
                self.dcache.drop_line(place);
                self.stats.invalidations += 1;
                self.forget();
            }
        }
        Snooped { held: true, modified }
    }

    /// A victim on its way to memory is no copy, but nobody else has its bytes.
    fn snoop_aside(&mut self, line: u32, what: Snoop) -> Snooped {
        let length = self.dcache.line_bytes() as usize;
        let Some(aside) = self.aside.as_mut().filter(|a| a.line == line && !a.taken) else { return Snooped::default() };
        aside.taken = true;
        let supplies = what != Snoop::Discard;
        self.stats.interventions += u64::from(supplies);
        Snooped { held: false, modified: supplies.then(|| Bytes::new(&aside.bytes[..length])) }
    }

    /// What has been undone so far cannot be undone past a line that is gone.
    fn forget(&mut self) {
        use engine::HartMemory;
        self.checkpoint();
    }

    /// The bus grants the request that is being served, or the posted one: what it turns out to be, if others were faster.
    pub fn granted(&mut self, posted: bool) -> Option<BusOp> {
        self.coherent.as_ref()?;
        if posted {
            return self.aside.as_ref().is_some_and(|a| a.taken).then_some(BusOp::Order);
        }
        let (asked, transfer) = self.outstanding.taken()?;
        match transfer {
            Transfer::Upgrade(line) if !self.dcache.holds(line) => Some(self.lost(asked, line)),
            Transfer::WriteBack(place) if !self.dcache.is_dirty(place as usize) => Some(self.overtaken()),
            Transfer::WriteAside if self.aside.as_ref().is_some_and(|a| a.taken) => Some(self.overtaken()),
            _ => None,
        }
    }

    fn overtaken(&mut self) -> BusOp {
        self.coherent.iter_mut().for_each(|c| c.overtaken = true);
        BusOp::Order
    }

    /// The line that was to be written to is gone: it is read, or the word goes to memory, or the store-conditional has failed.
    fn lost(&mut self, asked: Asked, line: u32) -> BusOp {
        let bytes = self.dcache.line_bytes();
        if matches!(asked.kind, Kind::StoreConditional(_)) {
            return BusOp::Order;
        }
        if self.policy.no_write_allocate {
            self.outstanding.becomes(Transfer::Through(asked.addr));
            return self.through(asked);
        }
        // Its place, or another one of its set, has been empty since.
        self.place = self.dcache.victim(line);
        self.outstanding.becomes(Transfer::FillData(line));
        BusOp::ReadOwn { bytes }
    }

    /// What is to be asked for next, when others were faster while the hart waited for its turn.
    pub(super) fn reconsider(&mut self) {
        let Some((asked, Transfer::Upgrade(line), _)) = self.outstanding.todo() else { return };
        if self.dcache.holds(line) {
            return;
        }
        match asked.kind {
            Kind::StoreConditional(_) => {
                self.outstanding.take();
                self.outstanding.served();
                self.upgraded(asked);
            }
            _ if self.policy.no_write_allocate => self.outstanding.becomes(Transfer::Through(asked.addr)),
            _ => self.outstanding.becomes(Transfer::FillData(line)),
        }
    }

    /// The line that is being read is, or may be, in another cache: to be said before the request is completed.
    pub fn fills_shared(&mut self, shared: bool) {
        self.coherent.iter_mut().for_each(|c| c.shared = shared);
    }

    /// A line has been read; whether others can take it away.
    pub(super) fn filled_by_bus(&mut self, line: u32) -> bool {
        let snooped = self.is_snooped(line);
        if let Some(c) = &self.coherent {
            self.dcache.set_shared(self.place, snooped && c.shared);
        }
        snooped
    }

    /// The other copies of the line are gone, and the access is done; or a store-conditional has failed.
    pub(super) fn upgraded(&mut self, asked: Asked) {
        let answer = match self.dcache.place_of(asked.addr) {
            Some(place) => {
                self.stats.upgrades += 1;
                self.dcache.set_shared(place, false);
                self.hit(place, asked)
            }
            None => {
                self.reservation = Reservation::None;
                Access::Done(1)
            }
        };
        self.outstanding.answer(answer);
        // The repetition has to come by, or its answer would stay.
        self.dcache.clear_front(asked.addr);
    }

    /// Whether the write-back that was served had nothing to write.
    pub(super) fn written_by_snoop(&mut self, transfer: Transfer) -> bool {
        let overtaken = self.coherent.as_mut().is_some_and(|c| std::mem::take(&mut c.overtaken));
        if overtaken && transfer == Transfer::WriteAside {
            self.aside = None;
        }
        overtaken
    }

    /// What a request is for, when it is to be snooped.
    pub fn is_write_back(&self) -> bool {
        self.serving() == Some(Serving::WriteBack)
    }
}
