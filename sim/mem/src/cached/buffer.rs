// SPDX-License-Identifier: Apache-2.0
//! The store buffer of a [`CachedPort`], as its owner of time uses it.
//!
//! It takes what goes to memory word by word: stores of a write-through cache, store misses without allocate, stores past the cache. Stores to
//! devices wait until it is empty and are answered themselves, so a refused store is known to its instruction.

use super::CachedPort;
use crate::outstanding::{Kind, Transfer};
use crate::store_buffer::Entry;
use engine::{Access, BusOp, BusRequest, Bytes, Cause, Cycle, HartMemory, MasterKind};

impl CachedPort {
    /// Whether the core has a store buffer.
    #[inline]
    pub fn has_store_buffer(&self) -> bool {
        self.buffer.config.depth != 0
    }

    /// Whether the access at which the hart is suspended is a store that only has to get into the buffer.
    pub fn is_store_to_buffer(&self) -> bool {
        if !self.has_store_buffer() {
            return false;
        }
        let Some((asked, Transfer::Through(addr) | Transfer::Uncached(addr), _)) = self.outstanding.todo() else {
            return false;
        };
        matches!(asked.kind, Kind::Store(..)) && self.is_memory(addr)
    }

    /// Whether the access at which the hart is suspended is a load that may go before stores in the buffer.
    fn overtakes(&self, now: Cycle) -> bool {
        if !self.buffer.config.forwards {
            return false;
        }
        match self.outstanding.todo() {
            Some((asked, Transfer::FillData(line), _)) => {
                matches!(asked.kind, Kind::Load(_)) && !self.buffer.meets(now, line, self.dcache.line_bytes())
            }
            _ => false,
        }
    }

    fn forwarded(&self, now: Cycle) -> Option<u32> {
        if !self.buffer.config.forwards {
            return None;
        }
        match self.outstanding.todo() {
            Some((asked, Transfer::FillData(_), 0)) => match asked.kind {
                Kind::Load(width) => self.buffer.value(now, asked.addr, width.bytes()),
                _ => None,
            },
            _ => None,
        }
    }

    /// From when on the suspended access can be made by a hart at `now`, when the data master is free from `free` on.
    pub fn acts_at(&self, now: Cycle, free: Cycle) -> Cycle {
        if !self.needs_data_master() {
            return now;
        }
        if !self.has_store_buffer() {
            return now.max(free);
        }
        if self.is_store_to_buffer() {
            return self.buffer.room_at(now);
        }
        if self.forwarded(now).is_some() {
            return now;
        }
        let at = now.max(free);
        if self.overtakes(at) {
            return at;
        }
        self.buffer.empty_at(at)
    }

    /// Whether the suspended access is to be made before the next store of the buffer is issued, where both can be.
    pub fn goes_first(&self, now: Cycle) -> bool {
        self.is_store_to_buffer() || self.forwarded(now).is_some() || self.overtakes(now)
    }

    /// Do the suspended access without the bus, if the buffer lets it: it takes the store of the instruction at `pc`, or has the
    /// value of the load. This is a checkpoint.
    pub fn at_buffer(&mut self, now: Cycle, pc: u32) -> bool {
        self.buffer.forget(now);
        let answer = if self.is_store_to_buffer() {
            let Some((asked, transfer, _)) = self.outstanding.todo() else { return false };
            let Kind::Store(width, value) = asked.kind else { return false };
            let bytes = Bytes::new(&value.to_le_bytes()[..width.bytes() as usize]);
            let (addr, cause) = match transfer {
                Transfer::Through(addr) => (addr, Cause::Miss),
                _ => (self.physical(asked.addr), Cause::Uncached),
            };
            if let (Cause::Miss, Some(place)) = (cause, self.dcache.place_of(addr)) {
                self.dcache.write_clean(place, addr, &bytes);
            }
            self.buffer.push(Entry::new(addr, bytes, cause, now, pc));
            0
        } else {
            match self.forwarded(now) {
                Some(value) => value,
                None => return false,
            }
        };
        self.outstanding.take();
        self.outstanding.served();
        self.outstanding.answer(Access::Done(answer));
        self.checkpoint();
        true
    }

    /// Whether the access that is being served is one of the data master.
    pub fn uses_data_master(&self) -> bool {
        let asked =
            self.outstanding.taken().map(|(asked, _)| asked).or(self.outstanding.todo().map(|(asked, ..)| asked));
        asked.is_some_and(|asked| asked.kind != Kind::Fetch)
    }

    /// What the wait for the suspended access is charged to.
    pub fn asks_for(&self) -> Option<Cause> {
        self.outstanding.todo().map(|(_, transfer, _)| match transfer {
            Transfer::Uncached(_) => Cause::Uncached,
            Transfer::FillInstruction(_) => Cause::Fetch,
            _ => Cause::Miss,
        })
    }

    /// When a store has entered the buffer that can be issued, as far as the data master goes.
    pub fn buffered_at(&self) -> Option<Cycle> {
        self.buffer.next_at()
    }

    /// Issue the oldest store of the buffer; also the instruction that stored.
    pub fn issue_buffered(&mut self) -> Option<(BusRequest, u32)> {
        let Entry { addr, bytes, cause, pc, .. } = self.buffer.issue()?;
        let op = BusOp::Write { data: bytes };
        Some((BusRequest { addr, op, cause, master: MasterKind::Data }, pc))
    }

    /// The issued store has been granted, and will have been answered at `complete`. Says when the data master is free.
    pub fn buffered_done(&mut self, granted: Cycle, complete: Cycle) -> Cycle {
        let at = if self.buffer.config.posted { granted } else { complete };
        if self.buffer.answered(at).is_some_and(|e| e.cause == Cause::Miss) {
            self.stats.write_throughs += 1;
        }
        at
    }

    /// Nothing happens before `now` any more: forget stores that were done.
    pub fn forget_buffered(&mut self, now: Cycle) {
        self.buffer.forget(now);
    }

    /// The newest byte of a store in the buffer at a physical address.
    pub fn peek_buffered(&self, addr: u32) -> Option<u8> {
        self.buffer.byte(Cycle::ZERO, addr)
    }
}
