// SPDX-License-Identifier: Apache-2.0
//! How a core with caches runs ahead, alone or beside others on host threads.
//!
//! What it touches meanwhile is its own: its hart, its caches, and the memories that no other core sees. Lines of those are moved as it
//! goes on, whenever that is, and moved back if the core is rewound; everything else waits until the core is the earliest. So what
//! comes of it depends neither on how many run ahead at once nor on which host thread does it, and threads change nothing but the time.
//!
//! Any core may run ahead at any time, from where it is, as long as it can come back to where it is final. It is final at its next boundary if
//! that is not later than the next event, nor than the arrival of a request that the earliest core makes now: nothing can happen to it
//! earlier. So is one that has gone on for good. Those are checkpointed before they go on; the others keep the checkpoint that they
//! have, unless it is too long ago. All of a batch run to the same instant, so that most of them are final at the next.

use crate::fabric::{Fabric, Slave, SlaveMark, Target};
use crate::machine::{account, Core, Machine, Port, State, WayBack, SLICE};
use crate::view::{CachedSeen, Unseen};
use engine::{Cycle, Cycles, HartMemory as _};
use hart::{Hart, Stop};
use mem::{Backing, CachedPort};

/// Fewer cores than this for each thread are not worth waking it.
const WORTH: usize = 4;
/// Instructions of a batch that is worth its threads.
pub(crate) const PAYS: u64 = 1 << 14;
/// The part of what all cores could go on by that those of a batch may, so that it is begun: waking threads for less costs more than
/// they bring, and a little later there is more.
const ENOUGH: u64 = 4;
/// Cycles of a batch: starting threads and waiting for them is to take a small part of it.
const BATCH: Cycles = Cycles(4 * SLICE.0);
/// So far a core goes on from its checkpoint, in a batch; bounds the undo log.
const FAR: Cycles = Cycles(4 * BATCH.0);

/// What a core finds around it while it runs ahead.
pub(crate) trait Around {
    /// Let the hart run.
    fn run(&mut self, hart: &mut Hart, port: &mut CachedPort, limit: Cycle) -> Stop;
    /// The memory at `addr`, if it is the core's own: the number of its slave, the slave, the bytes.
    fn own(&mut self, addr: u32) -> Option<(usize, &mut Slave, &mut Backing)>;
}

/// The whole fabric, lent to one core.
pub(crate) struct Whole<'a> {
    pub fabric: &'a mut Fabric,
    pub core: usize,
}

impl Around for Whole<'_> {
    fn run(&mut self, hart: &mut Hart, port: &mut CachedPort, limit: Cycle) -> Stop {
        let memories = self.fabric.seen(self.core);
        hart.run(&mut CachedSeen { port, memories }, limit)
    }

    fn own(&mut self, addr: u32) -> Option<(usize, &mut Slave, &mut Backing)> {
        self.fabric.own_memory(self.core, addr)
    }
}

/// What is a core's own of the fabric.
struct Own<'a>(Vec<(usize, &'a mut Slave, &'a mut Backing)>);

impl Around for Own<'_> {
    fn run(&mut self, hart: &mut Hart, port: &mut CachedPort, limit: Cycle) -> Stop {
        hart.run(&mut Unseen(port), limit)
    }

    fn own(&mut self, addr: u32) -> Option<(usize, &mut Slave, &mut Backing)> {
        let (slave, s, memory) = self.0.iter_mut().find(|(_, s, _)| addr.wrapping_sub(s.base) < s.size)?;
        Some((*slave, s, memory))
    }
}

/// Let a core run from where it is until `limit`, over misses in its own memories. `delays`: of a request and of an answer.
pub(crate) fn run_ahead(
    hart: &mut Hart,
    port: &mut CachedPort,
    marks: &mut Vec<(usize, SlaveMark)>,
    around: &mut impl Around,
    delays: (Cycles, Cycles),
    limit: Cycle,
) -> Stop {
    loop {
        while let Some(line) = port.next_line_ahead() {
            let now = hart.now();
            let arrival = now + delays.0;
            if now >= limit {
                return Stop::Pending;
            }
            let Some((index, slave, memory)) = around.own(line.addr) else { return Stop::Pending };
            // Not a page that this would be the first to write: it could not be made untouched again.
            let known = memory.contains(line.addr, line.bytes) && (!line.write || memory.is_written(line.addr));
            if !known || !slave.has_no_past() || !slave.is_idle(arrival) {
                return Stop::Pending;
            }
            if !marks.iter().any(|(marked, _)| *marked == index) {
                marks.push((index, slave.mark()));
            }
            let end = slave.move_line(line, arrival);
            port.move_line_ahead(memory);
            let resume = end + delays.1;
            hart.resume_at(resume, &[(account(line.cause), resume - now)]);
        }
        let stop = around.run(hart, port, limit);
        if stop != Stop::Pending || port.next_line_ahead().is_none() {
            return stop;
        }
    }
}

/// One core of a batch.
struct Item<'a> {
    core: &'a mut Core,
    own: Own<'a>,
    limit: Cycle,
    /// It is checkpointed first.
    checkpoint: bool,
    /// Instructions that it then executed.
    executed: u64,
}

impl Item<'_> {
    fn run(&mut self, delays: (Cycles, Cycles)) {
        let Core { hart, port: Port::Cached(port), marks, .. } = &mut *self.core else { return };
        if self.checkpoint {
            hart.checkpoint();
            port.checkpoint();
            marks.clear();
        }
        let before = hart.retired();
        let stop = run_ahead(hart, port, marks, &mut self.own, delays, self.limit);
        self.executed = hart.retired() - before;
        self.core.way_back = WayBack::Open;
        self.core.state = State::after(stop);
    }
}

impl Machine {
    /// Host threads that run cores ahead. How many there are changes nothing but the time that a run takes.
    /// Where the host does not give them, one thread does it all.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
        let others = self.threads - 1;
        self.helpers = (others > 0)
            .then(|| {
                rayon::ThreadPoolBuilder::new().num_threads(others).thread_name(|n| format!("ahead {n}")).build().ok()
            })
            .flatten();
    }

    /// Instructions that cores executed in batches that more than one host thread shared, those that were taken back included. For who
    /// measures the simulator; it says nothing about the program.
    pub fn retired_in_batches(&self) -> u64 {
        self.in_batches
    }

    /// Let all cores that can run ahead do so on the host's threads, when the earliest acts at `now`. How many instructions they executed;
    /// `None` if they are too few.
    pub(crate) fn run_batch(&mut self, now: Cycle, until: Cycle) -> Option<u64> {
        let horizon = (now + self.fabric.request).min(self.fabric.next_event()).min(until);
        let wake = self.fabric.next_wake();
        let limit = |core: &Core| {
            let limit = (now + BATCH).min(until);
            if wake > core.hart.now() {
                limit.min(wake)
            } else {
                limit
            }
        };
        let is_final = |core: &Core| core.way_back == WayBack::Gone || core.hart.now() <= horizon;
        let starts = |core: &Core| {
            let near = is_final(core) || core.hart.now() < core.hart.checkpointed_at() + FAR;
            near && core.watch.is_none() && core.hart.now() < limit(core) && !core.hart.is_observed()
        };
        let ready: Vec<bool> = (0..self.cores.len())
            .map(|index| {
                let core = &self.cores[index];
                if !matches!(core.port, Port::Cached(_)) {
                    return false;
                }
                match core.state {
                    State::Ready => starts(core),
                    // At a line of its own memory it goes on.
                    State::Asking => starts(core) && core.not_before <= core.hart.now() && self.waits_for_own(index),
                    _ => false,
                }
            })
            .collect();
        let ahead = self
            .cores
            .iter()
            .zip(&ready)
            .filter(|(_, ready)| **ready)
            .map(|(core, _)| limit(core).since(core.hart.now()).0);
        let all = (now + BATCH).min(until).since(now).0 * self.cores.len() as u64;
        let (count, cycles) = ahead.fold((0, 0), |(count, sum), cycles| (count + 1, sum + cycles));
        if count < WORTH * self.threads || ENOUGH * cycles < all {
            return None;
        }
        let delays = (self.fabric.request, self.fabric.response);
        let mut memories: Vec<Option<&mut Backing>> = self.fabric.memories.iter_mut().map(Some).collect();
        let mut own: Vec<Vec<(usize, &mut Slave, &mut Backing)>> = Vec::new();
        own.resize_with(ready.len(), Vec::new);
        for (index, slave) in self.fabric.slaves.iter_mut().enumerate() {
            let Target::Memory { index: memory, .. } = slave.target else { continue };
            let Some(core) = slave.own.filter(|core| ready[*core]) else { continue };
            // What a second-level cache holds of it is not moved here.
            if self.fabric.l2s[memory].is_some() {
                continue;
            }
            if let Some(memory) = memories[memory].take() {
                own[core].push((index, slave, memory));
            }
        }
        let mut items: Vec<Item<'_>> = self
            .cores
            .iter_mut()
            .zip(own)
            .zip(&ready)
            .filter(|(_, ready)| **ready)
            .map(|((core, own), _)| {
                let checkpoint = core.way_back != WayBack::Fresh && is_final(core);
                Item { own: Own(own), limit: limit(core), checkpoint, executed: 0, core }
            })
            .collect();
        let share = items.len().div_ceil(self.threads);
        let mut shares = items.chunks_mut(share);
        let mine = shares.next();
        let run = move |share: &mut [Item<'_>]| share.iter_mut().for_each(|item| item.run(delays));
        match &self.helpers {
            Some(helpers) => helpers.in_place_scope(|scope| {
                for theirs in shares {
                    scope.spawn(move |_| run(theirs));
                }
                mine.into_iter().for_each(run);
            }),
            None => mine.into_iter().chain(shares).for_each(run),
        }
        let executed = items.iter().map(|item| item.executed).sum();
        self.in_batches += executed;
        for (index, _) in ready.iter().enumerate().filter(|(_, ready)| **ready) {
            self.changed(index);
        }
        Some(executed)
    }
}
