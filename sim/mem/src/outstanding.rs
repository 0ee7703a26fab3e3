// SPDX-License-Identifier: Apache-2.0
//! The access at which a hart is suspended: what must be served for it, and the answer that its repetition consumes.
//!
//! ```text
//!   suspend(asked, todo)      request()        complete(reply)            the hart repeats `asked`
//!   ---- todo ---------------> taken ---------> todo: the next transfer
//!                                               or answer / line filled -> answered at once
//! ```
//!
//! It is small and `Copy`, so a port saves it whole at a checkpoint.

use engine::{Access, AccessFault, AmoOp, BusOp, BusRequest, Bytes, CacheOp, Cause, MasterKind, Width};

/// What a hart wants of an address. Two accesses are the same when their values are, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Fetch,
    Load(Width),
    Store(Width, u32),
    Amo(AmoOp, u32),
    LoadReserved,
    StoreConditional(u32),
    Maintain(CacheOp),
}

/// An access as the hart made it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    pub addr: u32,
    pub kind: Kind,
}

impl Asked {
    /// Bytes of the access.
    pub fn bytes(&self) -> u32 {
        match self.kind {
            Kind::Load(w) | Kind::Store(w, _) => w.bytes(),
            Kind::Amo(..) | Kind::LoadReserved | Kind::StoreConditional(_) => 4,
            Kind::Fetch | Kind::Maintain(_) => 1,
        }
    }

    /// Whether memory changes.
    pub fn stores(&self) -> bool {
        matches!(self.kind, Kind::Store(..) | Kind::Amo(..) | Kind::StoreConditional(_))
    }

    /// Whether the address is a multiple of the width.
    pub fn is_aligned(&self) -> bool {
        self.addr & (self.bytes() - 1) == 0
    }

    /// The transfer that does this access past all caches, at physical address `addr`.
    pub fn uncached(&self, addr: u32) -> BusRequest {
        let op = match self.kind {
            Kind::Fetch | Kind::Maintain(_) => BusOp::Order,
            Kind::Load(w) => BusOp::Read { bytes: w.bytes() },
            Kind::Store(w, value) => BusOp::Write { data: Bytes::new(&value.to_le_bytes()[..w.bytes() as usize]) },
            Kind::Amo(op, operand) => BusOp::Amo { op, operand },
            Kind::LoadReserved => BusOp::LoadReserved,
            Kind::StoreConditional(value) => BusOp::StoreConditional { value },
        };
        BusRequest { addr, op, cause: Cause::Uncached, master: MasterKind::Data }
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        let (kind, detail, value) = match self.kind {
            Kind::Fetch => (1, 0, 0),
            Kind::Load(w) => (2, w.bytes(), 0),
            Kind::Store(w, value) => (3, w.bytes(), value),
            Kind::Amo(op, operand) => (4, op as u32, operand),
            Kind::LoadReserved => (5, 0, 0),
            Kind::StoreConditional(value) => (6, 0, value),
            Kind::Maintain(op) => (7, op as u32, 0),
        };
        hash(u64::from(self.addr) << 32 | kind << 8 | u64::from(detail));
        hash(u64::from(value));
    }
}

/// One transfer that the suspended access needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Transfer {
    /// Write the line in this place of the data cache to memory.
    WriteBack(u32),
    /// Write the line that was moved aside to memory.
    WriteAside,
    /// Read this line into the data cache.
    FillData(u32),
    /// Read this line into the instruction cache.
    FillInstruction(u32),
    /// The store itself, to memory and to the line if it is held, at this physical address.
    Through(u32),
    /// Have the copies of this line in other caches dropped, so that it may be written to.
    Upgrade(u32),
    /// Maintain this line in all caches.
    Maintain(u32, CacheOp),
    /// The access itself, past the caches, at this physical address.
    Uncached(u32),
    /// Wait until this hart is the earliest, and its data master is free.
    Order,
}

/// The suspended access of a port, if there is one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Outstanding {
    asked: Option<Asked>,
    todo: Option<Transfer>,
    next: Option<Transfer>,
    taken: Option<Transfer>,
    /// Bytes of the transfer that earlier bursts have moved.
    moved: u32,
    answer: Option<(Asked, Access)>,
}

impl Outstanding {
    /// Suspend at `asked` until `first` is served, and what it turns out to need.
    pub fn suspend(&mut self, asked: Asked, first: Transfer) -> Access {
        *self = Outstanding { asked: Some(asked), todo: Some(first), ..Outstanding::default() };
        Access::Pending
    }

    /// Nothing is asked for, and no answer waits.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.asked.is_none()
    }

    /// A line has been moved: on to what comes after it. The repetition of the access finds the line.
    #[inline]
    pub fn line_moved(&mut self) {
        self.todo = self.next.take();
        self.rest();
    }

    /// Once nothing is left to be served and no answer waits, nothing is asked for.
    #[inline]
    pub fn rest(&mut self) {
        if self.todo.is_none() && self.taken.is_none() && self.answer.is_none() {
            self.asked = None;
        }
    }

    /// What is to be served now, with the access that needs it, and how much of it has been.
    pub fn todo(&self) -> Option<(Asked, Transfer, u32)> {
        self.asked.zip(self.todo).map(|(asked, todo)| (asked, todo, self.moved))
    }

    /// Serve this first.
    pub fn before(&mut self, first: Transfer) {
        debug_assert!(self.next.is_none() && self.moved == 0);
        self.next = self.todo.replace(first);
    }

    /// Serve this afterwards.
    pub fn then(&mut self, after: Transfer) {
        match self.todo {
            None => self.todo = Some(after),
            Some(_) => self.next = Some(after),
        }
    }

    /// What is to be served now is being served.
    pub fn take(&mut self) -> Option<(Asked, Transfer)> {
        self.taken = Some(self.todo.take()?);
        self.asked.zip(self.taken)
    }

    /// What is to be served, or is being served, turns out to be this instead.
    pub fn becomes(&mut self, other: Transfer) {
        match &mut self.taken {
            Some(taken) => *taken = other,
            None => self.todo = Some(other),
        }
    }

    /// What is being served.
    pub fn taken(&self) -> Option<(Asked, Transfer)> {
        self.asked.zip(self.taken)
    }

    /// What was taken has been served.
    pub fn served(&mut self) -> Option<(Asked, Transfer)> {
        let taken = self.taken.take()?;
        self.todo = self.next.take();
        self.asked.map(|asked| (asked, taken))
    }

    /// Bytes that earlier bursts of the transfer have moved.
    pub fn moved(&self) -> u32 {
        self.moved
    }

    /// The next burst of a transfer.
    pub fn again(&mut self, transfer: Transfer, moved: u32) {
        self.next = self.todo.replace(transfer);
        self.moved = moved;
    }

    /// All bursts of a transfer have been served.
    pub fn finished(&mut self) {
        self.moved = 0;
    }

    /// The repetition of the suspended access is answered with this, once the rest is served.
    pub fn answer(&mut self, access: Access) {
        self.answer = self.asked.map(|asked| (asked, access));
    }

    /// The repetition of the suspended access is answered with this; nothing more is to be served for it.
    pub fn fail(&mut self, fault: AccessFault) {
        (self.todo, self.next, self.moved) = (None, None, 0);
        self.answer(Access::Fault(fault));
    }

    /// The address of the access whose answer waits for its repetition.
    pub fn answered(&self) -> Option<u32> {
        self.answer.map(|(asked, _)| asked.addr)
    }

    /// The value that waits for the repetition of the access.
    pub fn answer_value(&self) -> Option<u32> {
        match self.answer {
            Some((_, Access::Done(value))) => Some(value),
            _ => None,
        }
    }

    /// The answer for `asked`, once.
    pub fn consume(&mut self, asked: Asked) -> Option<Access> {
        let (of, access) = self.answer?;
        (of == asked).then(|| {
            *self = Outstanding::default();
            access
        })
    }

    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        // Whether a request has been taken already says nothing about what comes.
        for transfer in [self.todo.or(self.taken), self.next] {
            hash(match transfer {
                None => 0,
                Some(Transfer::WriteBack(place)) => 1 << 32 | u64::from(place),
                Some(Transfer::FillData(line)) => 2 << 32 | u64::from(line),
                Some(Transfer::FillInstruction(line)) => 3 << 32 | u64::from(line),
                Some(Transfer::Uncached(addr)) => 4 << 32 | u64::from(addr),
                Some(Transfer::Order) => 5 << 32,
                Some(Transfer::Through(addr)) => 6 << 32 | u64::from(addr),
                Some(Transfer::WriteAside) => 7 << 32,
                Some(Transfer::Upgrade(line)) => 8 << 32 | u64::from(line),
                Some(Transfer::Maintain(line, op)) => (9 + op as u64) << 32 | u64::from(line),
            });
        }
        hash(u64::from(self.moved));
        // The access matters as long as something is to be served or consumed for it.
        if self.todo.is_some() || self.taken.is_some() {
            if let Some(asked) = &self.asked {
                asked.hash(hash);
            }
        }
        if let Some((asked, access)) = &self.answer {
            asked.hash(hash);
            hash(match access {
                Access::Done(value) => u64::from(*value),
                Access::Pending => 1 << 32,
                Access::Fault(fault) => 2 << 32 | *fault as u64,
            });
        }
    }
}
