// SPDX-License-Identifier: Apache-2.0
//! Data caches that snoop: what a transaction at a shared memory's port does to the copies of its line, and what that costs.
//!
//! The port of a shared memory is where transactions on its lines have their order: when one is granted at T, all data caches see its
//! address at T, and answer `snoop_cycles` later. Who has the line modified gives it up or writes it to memory first.
//!
//! ```text
//!  grant T      T+snoop                    from memory: S(line)                                 memory's answer
//!    |-- address --|                                                                                 |
//!    |             |-- intervention --|-- beats of the line ---------------------- "cache" ----------|
//!    |             |-- intervention --|-- S(write line) --|-- S(line) ------------ "memory" ---------|
//! ```
//!
//! A core that has run past T on a line that it loses is rewound and runs again up to T, so that it meets the snoop where it would have;
//! a copy that is only read by somebody else disturbs nobody who has not written to it since his checkpoint.
//!
//! Which caches may have a line is remembered ([`Holders`]), so that others are not looked at. That changes no cycle.

use crate::fabric::{Posted, Queued, Target};
use crate::machine::{Machine, Port, WayBack};
use crate::shadow::Who;
use crate::transfer::Reached;
use engine::{BusOp, BusRequest, Bytes, CacheOp, Cause, Cycle, Cycles, MasterKind};
use mem::{CachedPort, Protocol, Service, Snoop, Snooped};

/// Lines of a page of [`Holders`].
const PAGE: usize = 256;

/// For each line of a memory the cores that may have it: bit core modulo 64.
struct Holders {
    base: u32,
    pages: Vec<Option<Box<[u64; PAGE]>>>,
}

/// How the data caches of a machine are kept coherent.
pub(crate) struct Coherence {
    pub protocol: Protocol,
    pub line_bytes: u32,
    /// From a grant to the answer of the caches.
    pub snoop: Cycles,
    /// From there until the cache that has a modified line begins to send it.
    pub intervention: Cycles,
    /// A modified line goes to the cache that asks for it, else to memory first.
    pub from_cache: bool,
    /// Of the wires between caches.
    pub width_bits: u32,
    /// By memory.
    holders: Vec<Holders>,
    /// By core: the line that it got last, and when it was all there.
    arrived: Vec<(u32, Cycle)>,
    /// A planted fault: one in so many invalidations is not done.
    #[cfg(test)]
    pub forgets: u64,
}

/// What the caches answered to a transaction.
#[derive(Default)]
pub(crate) struct Found {
    /// When those that have it modified have it whole.
    ready: Cycle,
    /// Modified lines: address and bytes.
    modified: Vec<(u32, Bytes)>,
}

/// A line that another cache sends.
pub(crate) struct Supplied {
    pub line: Bytes,
    pub service: Service,
    pub tail: Cycles,
}

/// The numbers of a platform.
pub(crate) struct Costs {
    pub snoop_cycles: u32,
    pub intervention_cycles: u32,
    pub width_bits: u32,
    pub from_cache: bool,
}

impl Coherence {
    /// Of caches with lines of `line_bytes` before these memories: (base, size).
    pub fn new(
        protocol: Protocol,
        line_bytes: u32,
        costs: &Costs,
        memories: impl Iterator<Item = (u32, u32)>,
        cores: usize,
    ) -> Coherence {
        let holders = memories.map(|(base, size)| {
            let mut pages = Vec::new();
            pages.resize_with((size as usize).div_ceil(PAGE * line_bytes as usize), || None);
            Holders { base, pages }
        });
        Coherence {
            protocol,
            line_bytes,
            snoop: Cycles(u64::from(costs.snoop_cycles)),
            intervention: Cycles(u64::from(costs.intervention_cycles)),
            from_cache: costs.from_cache,
            width_bits: costs.width_bits,
            holders: holders.collect(),
            arrived: vec![(0, Cycle::ZERO); cores],
            #[cfg(test)]
            forgets: 0,
        }
    }

    fn holders(&mut self, memory: usize, line: u32) -> Option<&mut u64> {
        let line_bytes = self.line_bytes;
        let holders = self.holders.get_mut(memory)?;
        let index = ((line - holders.base) / line_bytes) as usize;
        let page = holders.pages.get_mut(index / PAGE)?.get_or_insert_with(|| Box::new([0; PAGE]));
        Some(&mut page[index % PAGE])
    }

    fn beats(&self, bytes: u32) -> Cycles {
        Cycles(u64::from((bytes * 8).div_ceil(self.width_bits)))
    }

    /// From the grant until all caches have answered.
    pub fn answered(&self, now: Cycle, found: &Found) -> Cycles {
        self.snoop.max(found.ready.since(now))
    }

    /// Bring modified lines where the transaction needs them, from `start` on: when memory may be accessed, or the line itself.
    pub fn intervene(
        &self,
        start: Cycle,
        found: &Found,
        request: &BusRequest,
        reached: &mut Reached<'_>,
    ) -> (Cycle, Option<Supplied>) {
        let fills = match request.op {
            BusOp::Read { bytes } => request.cause == Cause::Miss && bytes == self.line_bytes,
            BusOp::ReadOwn { .. } => true,
            _ => false,
        };
        if let ([(line, bytes)], true, true) = (&found.modified[..], fills, self.from_cache) {
            let answered = self.intervention + self.beats(self.line_bytes);
            let mut held = answered;
            // Who will write to it has it modified; else memory takes it from the wires, too.
            if matches!(request.op, BusOp::Read { .. }) {
                let Service { held: written, answered } =
                    reached.service(start + self.intervention, *line, self.line_bytes, true);
                reached.write(*line, bytes);
                held = held.max(self.intervention + written.max(answered));
            }
            let tail = answered - self.intervention - self.beats(4);
            return (start, Some(Supplied { line: *bytes, service: Service { held, answered }, tail }));
        }
        let mut at = start;
        for (line, bytes) in &found.modified {
            at += self.intervention;
            let Service { held, answered } = reached.service(at, *line, self.line_bytes, true);
            at += held.max(answered);
            reached.write(*line, bytes);
        }
        (at, None)
    }

    /// What a core has asked for is all there at `at`.
    pub fn arrives(&mut self, core: usize, port: &CachedPort, request: &BusRequest, at: Cycle) {
        let fills = matches!(request.op, BusOp::Read { .. } | BusOp::ReadOwn { .. }) && request.cause == Cause::Miss;
        if fills && port.is_snooped(request.addr) {
            self.arrived[core] = (request.addr, at);
        }
    }

    /// Feed what decides future cycles into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for (line, at) in &self.arrived {
            hash(u64::from(*line));
            hash(at.0);
        }
    }
}

impl Machine {
    /// A request is granted at `now`: what it turns out to be, and what the data caches answer to it. `None` where nobody is asked.
    pub(crate) fn snoop(&mut self, slave: usize, queued: &mut Queued, now: Cycle) -> Option<Found> {
        let coherence = self.fabric.coherence.as_ref()?;
        let s = &self.fabric.slaves[slave];
        let (Target::Memory { index: memory, .. }, None) = (&s.target, s.own) else { return None };
        let (memory, base, size) = (*memory, s.base, s.size);
        let (line_bytes, protocol) = (coherence.line_bytes, coherence.protocol);
        let core = queued.core;
        let Port::Cached(port) = &mut self.cores[core].port else { return None };
        // A store from the buffer is what it is, whatever its core does meanwhile.
        let written_back = match queued.posted {
            Some(Posted::Store(_)) => false,
            posted => {
                if let Some(op) = port.granted(posted.is_some()) {
                    queued.request.op = op;
                }
                posted.is_some() || port.is_write_back()
            }
        };
        let request = queued.request;
        let fills = request.master == MasterKind::Data && request.cause == Cause::Miss;
        // What the other caches are asked, and whether the master's own is, too.
        let (what, own) = match request.op {
            BusOp::Order => return Some(Found::default()),
            // Who writes a line back has the only copy.
            BusOp::Write { .. } if written_back => return None,
            BusOp::Read { .. } if fills => (Snoop::Share, false),
            BusOp::Read { .. } | BusOp::Maintain { op: CacheOp::Clean, .. } => (Snoop::Look, true),
            BusOp::ReadOwn { .. } | BusOp::Upgrade { .. } => (Snoop::Take, false),
            BusOp::Maintain { op: CacheOp::Invalidate, .. } => (Snoop::Discard, true),
            _ => (Snoop::Take, true),
        };
        let (bytes, _) = crate::transfer::extent(&request.op);
        let first = request.addr & !(line_bytes - 1);
        let mut found = Found::default();
        let mut shared = protocol == Protocol::Msi;
        for line in (first..=request.addr + (bytes.max(1) - 1)).step_by(line_bytes as usize) {
            if line < base || line - base >= size {
                continue;
            }
            shared |= self.snoop_line(memory, line, what, (!own).then_some(core), now, &mut found);
        }
        if !own {
            shared |= self.fabric.reservations.others_in(core, first, line_bytes);
            if let Port::Cached(port) = &mut self.cores[core].port {
                port.fills_shared(shared && what == Snoop::Share);
            }
            let coherence = self.fabric.coherence.as_mut()?;
            if let Some(holders) = coherence.holders(memory, first) {
                *holders |= 1 << (core % 64);
            }
        }
        Some(found)
    }

    /// Ask all caches but `except`'s about a line. Whether one of them has it afterwards.
    fn snoop_line(
        &mut self,
        memory: usize,
        line: u32,
        what: Snoop,
        except: Option<usize>,
        now: Cycle,
        found: &mut Found,
    ) -> bool {
        let Some(coherence) = &mut self.fabric.coherence else { return false };
        let Some(holders) = coherence.holders(memory, line).map(|h| *h) else { return false };
        let mut left = 0u64;
        let mut bits = holders;
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            for core in (bit..self.cores.len()).step_by(64).filter(|core| Some(*core) != except) {
                let Snooped { held, modified } = self.snoop_core(core, line, what, now);
                if let Some(bytes) = modified {
                    let arrived = self.fabric.coherence.as_ref().map_or((0, Cycle::ZERO), |c| c.arrived[core]);
                    if arrived.0 == line {
                        found.ready = found.ready.max(arrived.1);
                    }
                    found.modified.push((line, bytes));
                    let who = Who { core, pc: self.cores[core].hart.pc(), cycle: now.0 };
                    self.checker.iter_mut().for_each(|c| c.intervened(who, line, bytes.len() as u32));
                }
                left |= u64::from(held && matches!(what, Snoop::Share | Snoop::Look)) << bit;
            }
        }
        // Its own bit stays as it was: it may have the line or not.
        let own = except.map_or(0, |core| holders & 1 << (core % 64));
        if let Some(holders) = self.fabric.coherence.as_mut().and_then(|c| c.holders(memory, line)) {
            *holders = left | own;
        }
        left != 0
    }

    /// A snoop at `now` reaches a core's data cache.
    fn snoop_core(&mut self, index: usize, line: u32, what: Snoop, now: Cycle) -> Snooped {
        #[cfg(test)]
        if self.forgets(what) {
            return Snooped::default();
        }
        let core = &mut self.cores[index];
        let Port::Cached(port) = &core.port else { return Snooped::default() };
        if port.may_hold(line) {
            let read_only = matches!(what, Snoop::Share | Snoop::Look);
            let undisturbed = read_only && !port.has_changed(line);
            if core.state.may_be_ahead() && core.way_back == WayBack::Open && !undisturbed {
                if core.hart.passed(now) {
                    self.go_back_to(index, now);
                }
                self.checkpoint(index);
                self.changed(index);
            }
        }
        let core = &mut self.cores[index];
        let Port::Cached(port) = &mut core.port else { return Snooped::default() };
        if what == Snoop::Discard {
            if let (Some(checker), Some((line, bytes))) = (&mut self.checker, port.dirty_line(line)) {
                checker.discarded(Who { core: index, pc: core.hart.pc(), cycle: now.0 }, line, bytes);
            }
        }
        port.snoop(line, what)
    }

    #[cfg(test)]
    fn forgets(&mut self, what: Snoop) -> bool {
        let Some(coherence) = &mut self.fabric.coherence else { return false };
        if coherence.forgets == 0 || what != Snoop::Take {
            return false;
        }
        coherence.forgets -= 1;
        coherence.forgets == 0
    }
}

#[cfg(test)]
#[path = "snoop_tests.rs"]
mod tests;
