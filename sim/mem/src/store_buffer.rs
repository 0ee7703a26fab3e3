// SPDX-License-Identifier: Apache-2.0
//! A store buffer: stores that have left the core and are on their way to memory, in order.
//!
//! ```text
//!   the core stores at t      the port is free       granted        answered
//!      t ---- waiting ---------> u ---- issued ------> T ------------> c: the place is free again
//!      the core goes on
//! ```
//!
//! A store enters when its core is the earliest in the system, so what is in here is final: no rewinding takes it out. It becomes visible to
//! others when the memory is granted, as every write does. The owner of time issues one at a time.

use engine::{Bytes, Cause, Cycle};
use std::collections::VecDeque;

/// What a core's store buffer is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoreBufferConfig {
    /// Stores that it holds, the one that is on the bus included; 0: there is none.
    pub depth: u32,
    /// A load takes the bytes that it finds here, and one of other lines goes before stores that have not been issued. Else loads
    /// that need the bus wait until the buffer is empty.
    pub forwards: bool,
    /// A store is done when memory is granted; else when it answers.
    pub posted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Waiting,
    Issued,
    Done(Cycle),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Physical.
    pub addr: u32,
    pub bytes: Bytes,
    pub cause: Cause,
    /// When it entered, and the instruction that stored.
    pub at: Cycle,
    pub pc: u32,
    stage: Stage,
}

impl Entry {
    pub fn new(addr: u32, bytes: Bytes, cause: Cause, at: Cycle, pc: u32) -> Entry {
        Entry { addr, bytes, cause, at, pc, stage: Stage::Waiting }
    }
}

/// The buffer, in the order of stores.
#[derive(Default)]
pub(crate) struct StoreBuffer {
    pub config: StoreBufferConfig,
    entries: VecDeque<Entry>,
}

impl StoreBuffer {
    pub fn new(config: StoreBufferConfig) -> StoreBuffer {
        StoreBuffer { config, entries: VecDeque::new() }
    }

    /// Nothing is in it that has not been forgotten.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forget what was done at `now` or before.
    pub fn forget(&mut self, now: Cycle) {
        while self.entries.front().is_some_and(|e| matches!(e.stage, Stage::Done(at) if at <= now)) {
            self.entries.pop_front();
        }
    }

    pub fn push(&mut self, entry: Entry) {
        debug_assert!(self.entries.len() < self.config.depth as usize, "no room");
        self.entries.push_back(entry);
    }

    /// From when on, at `now` or later, there is room; NEVER while that is not known.
    pub fn room_at(&self, now: Cycle) -> Cycle {
        match self.entries.len().checked_sub(self.config.depth as usize) {
            None => now,
            Some(over) => self.done_at(over).max(now),
        }
    }

    /// From when on it is empty; NEVER while that is not known.
    pub fn empty_at(&self, now: Cycle) -> Cycle {
        match self.entries.len().checked_sub(1) {
            None => now,
            Some(last) => self.done_at(last).max(now),
        }
    }

    fn done_at(&self, index: usize) -> Cycle {
        match self.entries[index].stage {
            Stage::Done(at) => at,
            _ => Cycle::NEVER,
        }
    }

    /// The store that goes next, unless one is on its way.
    pub fn next(&mut self) -> Option<&mut Entry> {
        if self.entries.iter().any(|e| e.stage == Stage::Issued) {
            return None;
        }
        self.entries.iter_mut().find(|e| e.stage == Stage::Waiting)
    }

    /// When that has entered.
    pub fn next_at(&self) -> Option<Cycle> {
        if self.entries.iter().any(|e| e.stage == Stage::Issued) {
            return None;
        }
        self.entries.iter().find(|e| e.stage == Stage::Waiting).map(|e| e.at)
    }

    /// The next store is on its way.
    pub fn issue(&mut self) -> Option<Entry> {
        let next = self.next()?;
        next.stage = Stage::Issued;
        Some(*next)
    }

    /// It has been answered, as of `at`.
    pub fn answered(&mut self, at: Cycle) -> Option<Entry> {
        let entry = self.entries.iter_mut().find(|e| e.stage == Stage::Issued)?;
        entry.stage = Stage::Done(at);
        Some(*entry)
    }

    /// Whether a store to the `bytes` bytes from `addr` on has not been done at `now`.
    pub fn meets(&self, now: Cycle, addr: u32, bytes: u32) -> bool {
        self.entries.iter().any(|e| {
            let done = matches!(e.stage, Stage::Done(at) if at <= now);
            !done && (e.addr.wrapping_sub(addr) < bytes || addr.wrapping_sub(e.addr) < e.bytes.len() as u32)
        })
    }

    /// The newest byte at an address that is not in memory at `now`.
    pub fn byte(&self, now: Cycle, addr: u32) -> Option<u8> {
        let entry = self.entries.iter().rev().find(|e| addr.wrapping_sub(e.addr) < e.bytes.len() as u32)?;
        if matches!(entry.stage, Stage::Done(at) if at <= now) {
            return None;
        }
        Some(entry.bytes[(addr - entry.addr) as usize])
    }

    /// The value of a load, if all its bytes are here.
    pub fn value(&self, now: Cycle, addr: u32, bytes: u32) -> Option<u32> {
        let byte = |i: u32| self.byte(now, addr.wrapping_add(i)).map(|b| u32::from(b) << (8 * i));
        (0..bytes).map(byte).sum()
    }

    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for e in &self.entries {
            let bytes = e.bytes.iter().rev().fold(1, |v, b| v << 8 | u64::from(*b));
            hash(u64::from(e.addr) << 32 | e.at.0 & 0xffff_ffff);
            hash(bytes);
            hash(match e.stage {
                Stage::Waiting => 0,
                Stage::Issued => 1,
                Stage::Done(at) => 2 + at.0,
            });
        }
    }
}
