// SPDX-License-Identifier: Apache-2.0
//! Changes of interrupt lines that are still to come, in order of time.
//!
//! A change that has been applied stays in the queue until the next checkpoint, because a rewind must apply it again.

use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub at: u64,
    pub bit: u8,
    pub what: What,
}

/// What of a line changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Level(bool),
    /// Where an interrupt of it begins; 0: as `mtvec` says.
    Vector(u32),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    queue: VecDeque<Change>,
    applied: usize,
}

impl Input {
    /// When the next change happens; never is the greatest number.
    pub fn next(&self) -> u64 {
        self.queue.get(self.applied).map_or(u64::MAX, |c| c.at)
    }

    /// Take the next change if it happens by `now`.
    pub fn take(&mut self, now: u64) -> Option<Change> {
        let change = *self.queue.get(self.applied)?;
        if change.at > now {
            return None;
        }
        self.applied += 1;
        Some(change)
    }

    /// Add a change behind those of the same instant.
    pub fn add(&mut self, change: Change) {
        let place = self.queue.partition_point(|c| c.at <= change.at);
        debug_assert!(place >= self.applied, "a line change at {} comes after a later one was seen", change.at);
        self.queue.insert(place.max(self.applied), change);
    }

    pub fn checkpoint(&mut self) {
        self.queue.drain(..self.applied);
        self.applied = 0;
    }

    pub fn rewind(&mut self) {
        self.applied = 0;
    }

    pub fn hash(&self, f: &mut dyn FnMut(u64)) {
        for c in self.queue.iter().skip(self.applied) {
            f(c.at);
            f(match c.what {
                What::Level(level) => u64::from(c.bit) << 1 | u64::from(level),
                What::Vector(address) => 1 << 63 | u64::from(c.bit) << 32 | u64::from(address),
            });
        }
    }
}
