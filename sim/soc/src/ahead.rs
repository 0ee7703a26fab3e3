// SPDX-License-Identifier: Apache-2.0
//! How a core with caches runs ahead, alone or beside others on host threads.
//!
//! What it touches meanwhile is its own: its hart, its caches, and the memories that no other core sees. Lines of those are moved as it
//! goes on, whenever that is, and moved back if the core is rewound; everything else waits until the core is the earliest. So what
//! comes of it depends neither on how many run ahead at once nor on which host thread does it, and threads change nothing but the time.
//!
//! Which cores may start at the same time: nothing can happen to a core earlier than the next event, or than the arrival of a request that
//! the earliest core makes now. A core whose next boundary is not later than both is as final there as if it were the earliest.

use crate::fabric::{Fabric, Slave, SlaveMark, Target};
use crate::machine::{account, Core, Machine, Port, State, WayBack, SLICE};
use crate::view::{CachedSeen, Unseen};
use engine::{Cycle, Cycles, HartMemory as _};
use hart::{Hart, Stop};
use mem::{Backing, CachedPort};

/// Fewer cores than this for each thread are not worth waking it.
const WORTH: usize = 4;

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
}

impl Item<'_> {
    fn run(&mut self, delays: (Cycles, Cycles)) {
        let Core { hart, port: Port::Cached(port), marks, way_back, .. } = &mut *self.core else { return };
        if *way_back != WayBack::Fresh {
            hart.checkpoint();
            port.checkpoint();
            marks.clear();
        }
        let stop = run_ahead(hart, port, marks, &mut self.own, delays, self.limit);
        self.core.way_back = WayBack::Open;
        self.core.state = State::after(stop);
    }
}

impl Machine {
    /// Host threads that run cores ahead. How many there are changes nothing but the time that a run takes.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Let all cores that can run ahead do so on the host's threads, when the earliest acts at `now`. False if they are too few.
    pub(crate) fn run_batch(&mut self, now: Cycle, until: Cycle) -> bool {
        let horizon = (now + self.fabric.request).min(self.fabric.next_event()).min(until);
        let starts = |core: &Core| match (&core.port, &core.state) {
            (Port::Cached(_), State::Ready) if core.watch.is_none() => {
                core.hart.now() <= horizon && core.hart.now() < until
            }
            _ => false,
        };
        let ready: Vec<bool> = self.cores.iter().map(|core| !core.hart.is_observed() && starts(core)).collect();
        let count = ready.iter().filter(|r| **r).count();
        if count < WORTH * self.threads {
            return false;
        }
        let wake = self.fabric.next_wake();
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
                let from = core.hart.now();
                let limit = (from + SLICE).min(until);
                Item { core, own: Own(own), limit: if wake > from { limit.min(wake) } else { limit } }
            })
            .collect();
        let share = items.len().div_ceil(self.threads);
        std::thread::scope(|scope| {
            let mut shares = items.chunks_mut(share);
            let mine = shares.next();
            for theirs in shares {
                scope.spawn(move || theirs.iter_mut().for_each(|item| item.run(delays)));
            }
            mine.into_iter().flatten().for_each(|item| item.run(delays));
        });
        for (index, _) in ready.iter().enumerate().filter(|(_, ready)| **ready) {
            self.changed(index);
        }
        true
    }
}
