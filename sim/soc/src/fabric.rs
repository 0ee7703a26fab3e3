// SPDX-License-Identifier: Apache-2.0
//! The interconnect: slaves with their queues, arbitrated at the slave, and what they do when it is a master's turn.
//!
//! ```text
//!  master issues      request reaches the slave      granted            done            resumed
//!     t ----request_cycles----> t+q ----bus wait----> T ----service----> T+d --response_cycles--> T+d+p
//! ```
//!
//! A grant at cycle T is decided when every component has reached T, so all requests that arrive at or before T are
//! known: the order is exact. Requests arrive at least one cycle after they are issued.

use crate::agenda::Agenda;
use crate::onchip::OnChip;
use crate::slave_stats::{wait_class, SlaveStats, WAIT_CLASSES};
use crate::snoop::{Coherence, Found};
use crate::transfer::{extent, transfer, Reached};
use crate::view::Seen;
use engine::{
    AccessFault, BusOp, BusReply, BusRequest, Cycle, Cycles, DeviceCtx, Line, MasterKind, Mmio, Offset, Reply,
    ToNetwork, Width,
};
use mem::{AvalonSdram, Backing, CachedPort, LineMove, Masters, Reservations, RoundRobin, Sdram, Service, Sram, L2};
use std::collections::VecDeque;

/// What a memory's access costs.
pub(crate) enum MemoryTiming {
    Sdram(Sdram),
    AvalonSdram(AvalonSdram),
    Sram(Sram),
    /// Answers in the cycle of the grant plus one.
    Ideal,
}

/// Where an interrupt output of a device goes.
#[derive(Clone, Default)]
pub(crate) struct Wires {
    pub lines: Vec<Line>,
    /// Inputs of other devices: index of the slave, and number of its input.
    pub inputs: Vec<(usize, u32)>,
}

impl MemoryTiming {
    /// How long an access at `start` holds the memory.
    #[inline]
    pub(crate) fn service(&mut self, start: Cycle, offset: u32, bytes: u32, write: bool) -> Service {
        match self {
            MemoryTiming::Sdram(t) => t.service(start, offset, bytes, write).into(),
            MemoryTiming::AvalonSdram(t) => t.service(start, offset, bytes, write),
            MemoryTiming::Sram(t) => t.service(start, offset, bytes, write).into(),
            MemoryTiming::Ideal => Cycles(1).into(),
        }
    }

    /// How long the beats of a burst take that follow its first word.
    pub(crate) fn tail(&self, offset: u32, bytes: u32) -> Cycles {
        let word = bytes.min(4);
        match self {
            MemoryTiming::Sdram(t) => t.beats(offset, bytes) - t.beats(offset, word),
            MemoryTiming::AvalonSdram(t) => t.beats(offset, bytes) - t.beats(offset, word),
            MemoryTiming::Sram(t) => t.beats(offset, bytes) - t.beats(offset, word),
            MemoryTiming::Ideal => Cycles::ZERO,
        }
    }
}

/// What stands behind a slave port.
pub(crate) enum Target {
    /// Index into [`Fabric::memories`].
    Memory { index: usize, timing: MemoryTiming },
    Device {
        device: Box<dyn Mmio + Send + Sync>,
        access: Cycles,
        outputs: Vec<Wires>,
        console: Option<Vec<u8>>,
        /// Its wake-ups are the ticks of a clock, not progress.
        ticks: bool,
    },
}

/// Where a slave answers.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Region {
    pub base: u32,
    pub size: u32,
    pub slave: u32,
}

/// A request that waits at a slave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queued {
    pub core: usize,
    pub master: usize,
    pub issued: Cycle,
    pub arrival: Cycle,
    pub request: BusRequest,
    /// Whether nobody waits for it, and what it is then.
    pub posted: Option<Posted>,
}

/// A write that its core does not wait for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Posted {
    /// A line that has made room.
    Victim,
    /// A store from the store buffer, by the instruction at this address.
    Store(u32),
}

pub(crate) struct Slave {
    pub base: u32,
    pub size: u32,
    /// The core that alone sees it.
    pub own: Option<usize>,
    pub target: Target,
    pub arbiter: RoundRobin,
    /// Masters whose requests have not been seen to arrive, by arrival.
    pub coming: VecDeque<(Cycle, u32)>,
    /// Masters whose requests have arrived.
    pub waiting: Masters,
    pub free_at: Cycle,
    pub stats: SlaveStats,
}

/// What a service of a memory without a past changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlaveMark {
    free_at: Cycle,
    last: usize,
    counts: (u64, u64, u64),
    waits: [u64; WAIT_CLASSES],
}

impl Slave {
    /// Whether it has nothing to do at `arrival`, and nobody waits for it.
    #[inline]
    pub fn is_idle(&self, arrival: Cycle) -> bool {
        self.free_at <= arrival && self.coming.is_empty() && self.waiting.is_empty()
    }

    /// Whether what an access costs does not depend on those before.
    pub fn has_no_past(&self) -> bool {
        matches!(self.target, Target::Memory { timing: MemoryTiming::Sram(_) | MemoryTiming::Ideal, .. })
    }

    /// What a service changes, to be put back.
    pub fn mark(&self) -> SlaveMark {
        let s = &self.stats;
        SlaveMark {
            free_at: self.free_at,
            last: self.arbiter.last(),
            counts: (s.accesses, s.busy_cycles, s.wait_cycles),
            waits: s.wait_histogram,
        }
    }

    /// Be as at the mark.
    pub fn go_back(&mut self, mark: SlaveMark) {
        self.free_at = mark.free_at;
        self.arbiter.grant_alone(mark.last);
        (self.stats.accesses, self.stats.busy_cycles, self.stats.wait_cycles) = mark.counts;
        self.stats.wait_histogram = mark.waits;
    }

    /// Serve the transfer of a line to the core whose own memory this is; answers its end. The line is moved by the port.
    pub fn move_line(&mut self, line: LineMove, arrival: Cycle) -> Cycle {
        let offset = line.addr - self.base;
        let service = match &mut self.target {
            Target::Memory { timing, .. } => timing.service(arrival, offset, line.bytes, line.write),
            Target::Device { .. } => Cycles(1).into(),
        };
        let master = self.own.unwrap_or(0) * 2 + usize::from(line.master == MasterKind::Data);
        self.arbiter.grant_alone(master);
        self.count(arrival, Cycles(0), service)
    }

    /// Note a service; says when it is answered.
    fn count(&mut self, granted: Cycle, waited: Cycles, service: Service) -> Cycle {
        self.free_at = granted + service.held;
        self.stats.accesses += 1;
        self.stats.busy_cycles += service.held.0;
        self.stats.wait_cycles += waited.0;
        self.stats.wait_histogram[wait_class(waited.0)] += 1;
        granted + service.answered
    }
}

/// A request that has been served.
pub(crate) struct Served {
    pub queued: Queued,
    pub granted: Cycle,
    pub end: Cycle,
    /// How long before `end` the word that is wanted of a line was there, if the memory sends it first.
    pub tail: Cycles,
    pub reply: BusReply,
}

/// What a device did besides answering.
#[derive(Default)]
pub(crate) struct Effects {
    pub lines: Vec<(Line, bool, Cycle)>,
    /// Where interrupts of lines begin; seen before what lines do.
    pub vectors: Vec<(Line, u32, Cycle)>,
    pub finish: Option<engine::Finish>,
    /// Something other than a clock acted or was touched.
    pub stirred: bool,
    /// Inputs of devices that change; [`Fabric::deliver`] empties it before anybody else sees this.
    inputs: Vec<(usize, u32, bool, Cycle)>,
    /// What network interfaces send: index of the slave, and what; [`Fabric::deliver`] empties it, too.
    network: Vec<(usize, ToNetwork)>,
}

pub(crate) struct Fabric {
    pub slaves: Vec<Slave>,
    pub memories: Vec<Backing>,
    /// Second-level caches, by memory.
    pub l2s: Vec<Option<L2>>,
    pub reservations: Reservations,
    /// How data caches are kept coherent, if they are.
    pub coherence: Option<Box<Coherence>>,
    pub request: Cycles,
    pub response: Cycles,
    /// The request of each master that waits at a slave.
    pub requests: Vec<Option<Queued>>,
    /// When each slave decides its next grant.
    pub grants: Agenda,
    /// When each slave's device wants to act.
    pub wakes: Agenda,
    /// Slaves that every core sees, by base address, and the one that was looked up last.
    pub regions: Vec<Region>,
    pub last: Region,
    /// Slaves that one core alone sees, by base address, for each core; empty when there are none.
    pub own: Vec<Vec<Region>>,
    /// Of each memory, the core that alone sees it.
    pub owners: Vec<Option<usize>>,
    /// The network on chip.
    pub network: Option<Box<OnChip>>,
}

fn region_at(regions: &[Region], addr: u32) -> Option<Region> {
    let behind = regions.partition_point(|r| r.base <= addr);
    regions.get(behind.checked_sub(1)?).copied().filter(|r| addr - r.base < r.size)
}

fn width_of(bytes: u32) -> Option<Width> {
    match bytes {
        1 => Some(Width::Byte),
        2 => Some(Width::Half),
        4 => Some(Width::Word),
        _ => None,
    }
}

fn word(bytes: &[u8]) -> u32 {
    let mut w = [0u8; 4];
    w[..bytes.len().min(4)].copy_from_slice(&bytes[..bytes.len().min(4)]);
    u32::from_le_bytes(w)
}

impl Fabric {
    /// The memories that a core sees, to look at.
    pub fn seen(&self, core: usize) -> Seen<'_> {
        Seen::new(&self.memories, &self.l2s, &self.owners, core)
    }

    /// When a slave or a device acts next.
    #[inline]
    pub fn next_event(&self) -> Cycle {
        self.grants.next().min(self.wakes.next()).min(self.network_at())
    }

    /// When something comes out of the network on chip, or may.
    #[inline]
    pub fn network_at(&self) -> Cycle {
        self.network.as_ref().map_or(Cycle::NEVER, |n| n.acts_at())
    }

    /// When a device acts next.
    #[inline]
    pub fn next_wake(&self) -> Cycle {
        self.wakes.next()
    }

    /// The slave that answers a core at a physical address.
    #[inline]
    pub fn slave_at(&mut self, core: usize, addr: u32) -> Option<usize> {
        let last = self.last;
        if addr.wrapping_sub(last.base) < last.size {
            return Some(last.slave as usize);
        }
        if let Some(region) = self.own.get(core).and_then(|own| region_at(own, addr)) {
            return Some(region.slave as usize);
        }
        let region = region_at(&self.regions, addr)?;
        self.last = region;
        Some(region.slave as usize)
    }

    /// The memory at `addr` that `core` alone sees: the number of its slave, the slave, the bytes.
    #[inline]
    pub fn own_memory(&mut self, core: usize, addr: u32) -> Option<(usize, &mut Slave, &mut Backing)> {
        let region = region_at(self.own.get(core)?, addr)?;
        let slave = &mut self.slaves[region.slave as usize];
        let Target::Memory { index, .. } = slave.target else { return None };
        if self.l2s[index].is_some() {
            return None;
        }
        Some((region.slave as usize, slave, &mut self.memories[index]))
    }

    /// Whether a slave has nothing to do at `arrival`, and nobody waits for it.
    #[inline]
    pub fn is_idle(&self, slave: usize, arrival: Cycle) -> bool {
        self.slaves[slave].is_idle(arrival)
    }

    /// Put a request into its slave's queue and schedule the grant.
    pub fn enqueue(&mut self, slave: usize, queued: Queued) {
        let s = &mut self.slaves[slave];
        let place = s.coming.iter().rposition(|(at, _)| *at <= queued.arrival).map_or(0, |i| i + 1);
        s.coming.insert(place, (queued.arrival, queued.master as u32));
        if s.waiting.is_empty() {
            self.grants.set(slave, s.coming[0].0.max(s.free_at));
        }
        self.requests[queued.master] = Some(queued);
    }

    /// Decide the grant of a slave at `now`; it is served next, and then its [`next_grant`](Self::next_grant) is scheduled.
    pub fn grant(&mut self, slave: usize, now: Cycle) -> Option<Queued> {
        let s = &mut self.slaves[slave];
        while let Some((_, master)) = s.coming.front().filter(|(at, _)| *at <= now) {
            s.waiting.insert(*master as usize);
            s.coming.pop_front();
        }
        let granted = s.arbiter.grant(&s.waiting);
        if let Some(master) = granted {
            s.waiting.remove(master);
        }
        granted.and_then(|master| self.requests[master].take())
    }

    /// Schedule the next grant of a slave.
    pub fn next_grant(&mut self, slave: usize) {
        let s = &self.slaves[slave];
        let next = match s.coming.front() {
            _ if !s.waiting.is_empty() => s.free_at,
            Some((arrival, _)) => s.free_at.max(*arrival),
            None => Cycle::NEVER,
        };
        self.grants.set(slave, next);
    }

    /// Serve a request granted at `now`; `found` is what other caches answered, if they were asked.
    pub fn serve(
        &mut self,
        slave: usize,
        queued: Queued,
        found: Option<Found>,
        now: Cycle,
        effects: &mut Effects,
    ) -> Served {
        let s = &mut self.slaves[slave];
        let off = queued.request.addr - s.base;
        let mut tail = Cycles::ZERO;
        let (service, reply) = match &mut s.target {
            Target::Memory { index, timing } => {
                let (op, addr) = (&queued.request.op, queued.request.addr);
                let (bytes, write) = extent(op);
                if off.checked_add(bytes).is_none_or(|end| end > s.size) {
                    (Cycles(1).into(), BusReply::Fault(AccessFault::Unmapped))
                } else {
                    let (base, shared) = (s.base, s.own.is_none());
                    let mut reached =
                        Reached { memory: &mut self.memories[*index], l2: self.l2s[*index].as_mut(), timing, base };
                    tail = reached.tail(addr, bytes);
                    let mut start = now;
                    let mut supplied = None;
                    if let (Some(found), Some(coherence)) = (found, &self.coherence) {
                        start += coherence.answered(now, &found);
                        (start, supplied) = coherence.intervene(start, &found, &queued.request, &mut reached);
                    }
                    let lead = start - now;
                    let transfers = !matches!(op, BusOp::Order | BusOp::Upgrade { .. } | BusOp::Maintain { .. });
                    let mut service = match &supplied {
                        Some(supplied) => supplied.service,
                        None if transfers => reached.service(start, addr, bytes, write),
                        None => Cycles::ZERO.into(),
                    };
                    if matches!(op, BusOp::Amo { .. }) {
                        // Locked: nothing comes in between.
                        let read = service.answered;
                        let Service { held, answered } = reached.service(start + read, addr, bytes, true);
                        service = Service { held: read + held, answered: read + answered };
                    }
                    service = Service { held: lead + service.held, answered: lead + service.answered };
                    let reply = transfer(&mut reached, &mut self.reservations, queued.core, &queued.request, shared);
                    match supplied {
                        Some(supplied) => {
                            tail = supplied.tail;
                            (service, BusReply::Line(supplied.line))
                        }
                        None => (service, reply),
                    }
                }
            }
            Target::Device { device, access, outputs, console, ticks } => {
                let mut ctx = DeviceCtx { core: queued.core as u16, ..DeviceCtx::default() };
                let reply = match &queued.request.op {
                    BusOp::Read { bytes } => width_of(*bytes).map(|w| device.read(&mut ctx, now, Offset(off), w)),
                    BusOp::Write { data } => {
                        width_of(data.len() as u32).map(|w| device.write(&mut ctx, now, Offset(off), w, word(data)))
                    }
                    _ => None,
                };
                // Setting a clock is part of a tick; a line that rises from it (a doorbell) is not.
                effects.stirred |= !*ticks || ctx.outputs.iter().any(|(_, level, _)| *level);
                if let Some(wake) = apply(slave, ctx, outputs, console, effects) {
                    self.wakes.set(slave, wake);
                }
                match reply {
                    Some(Reply::Done(value, cycles)) => ((*access + cycles).into(), BusReply::Value(value)),
                    Some(Reply::Fault) | None => ((*access).into(), BusReply::Fault(AccessFault::Refused)),
                }
            }
        };
        self.deliver(now, effects);
        let end = self.slaves[slave].count(now, now.since(queued.arrival), service);
        Served { queued, granted: now, end, tail, reply }
    }

    /// Move a line of `core` between its cache and an idle memory, from the request's arrival on, if that is what is there: nobody
    /// else can arrive by then. Answers when it is done.
    #[inline]
    pub fn move_alone(&mut self, core: usize, port: &mut CachedPort, line: LineMove, arrival: Cycle) -> Option<Cycle> {
        let slave = self.slave_at(core, line.addr)?;
        let s = &mut self.slaves[slave];
        if !s.is_idle(arrival) {
            return None;
        }
        let Target::Memory { index, timing } = &mut s.target else { return None };
        if self.l2s[*index].is_some() {
            return None;
        }
        let memory = &mut self.memories[*index];
        if !memory.contains(line.addr, line.bytes) {
            return None;
        }
        let service = timing.service(arrival, line.addr - s.base, line.bytes, line.write);
        if line.write && s.own.is_none() {
            self.reservations.stored(core, line.addr, line.bytes);
        }
        port.move_line(memory);
        s.arbiter.grant_alone(core * 2 + usize::from(line.master == MasterKind::Data));
        Some(s.count(arrival, Cycles(0), service))
    }

    /// Let every device whose instant has come act, in their order on the bus.
    pub fn wake_devices(&mut self, now: Cycle, effects: &mut Effects) {
        let mut due = Vec::new();
        while self.wakes.next() <= now {
            let (slave, _) = self.wakes.first();
            self.wakes.set(slave, Cycle::NEVER);
            due.push(slave);
        }
        due.sort_unstable();
        for slave in due {
            if let Target::Device { device, outputs, console, ticks, .. } = &mut self.slaves[slave].target {
                let mut ctx = DeviceCtx::default();
                device.wake(&mut ctx, now);
                effects.stirred |= !*ticks;
                if let Some(wake) = apply(slave, ctx, outputs, console, effects) {
                    self.wakes.set(slave, wake);
                }
            }
        }
        self.deliver(now, effects);
    }

    /// Let devices see what other devices drive into them, in the order in which it happened.
    fn deliver(&mut self, now: Cycle, effects: &mut Effects) {
        while !effects.inputs.is_empty() {
            for (slave, input, level, at) in std::mem::take(&mut effects.inputs) {
                if let Target::Device { device, outputs, console, .. } = &mut self.slaves[slave].target {
                    let mut ctx = DeviceCtx::default();
                    device.line(&mut ctx, at, input, level);
                    if let Some(wake) = apply(slave, ctx, outputs, console, effects) {
                        self.wakes.set(slave, wake);
                    }
                }
            }
        }
        if let Some(network) = &mut self.network {
            effects.network.drain(..).for_each(|(slave, what)| network.send(slave, what, now));
        }
    }

    /// Let the network on chip act at `now`: interfaces learn what happened at the edge before, and edges before `limit` are
    /// executed until something happens. Whoever else acts, acts at `limit` - 1 or later, and reaches a router a cycle after.
    pub fn step_network(&mut self, now: Cycle, limit: Cycle, effects: &mut Effects) {
        let Some(network) = &mut self.network else { return };
        let mut happened = network.run(now, limit);
        effects.stirred |= !happened.is_empty();
        for &(slave, what) in &happened {
            if let Target::Device { device, outputs, console, .. } = &mut self.slaves[slave].target {
                let mut ctx = DeviceCtx::default();
                device.network(&mut ctx, now, what);
                if let Some(wake) = apply(slave, ctx, outputs, console, effects) {
                    self.wakes.set(slave, wake);
                }
            }
        }
        happened.clear();
        if let Some(network) = &mut self.network {
            network.give_back(happened);
        }
        self.deliver(now, effects);
    }

    /// Type bytes at a console device; false when there is none of that name.
    pub fn input(&mut self, name: &str, now: Cycle, bytes: &[u8], effects: &mut Effects) -> bool {
        for (index, s) in self.slaves.iter_mut().enumerate() {
            if s.stats.name != name {
                continue;
            }
            if let Target::Device { device, outputs, console, .. } = &mut s.target {
                if console.is_some() {
                    let mut ctx = DeviceCtx::default();
                    device.input(&mut ctx, now, bytes);
                    effects.stirred = true;
                    if let Some(wake) = apply(index, ctx, outputs, console, effects) {
                        self.wakes.set(index, wake);
                    }
                    self.deliver(now, effects);
                    return true;
                }
            }
        }
        false
    }

    /// Feed all state into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for m in &self.memories {
            m.hash(hash);
        }
        self.l2s.iter().flatten().for_each(|l2| l2.hash(hash));
        self.reservations.hash(hash);
        self.coherence.iter().for_each(|c| c.hash(hash));
        if let Some(network) = &self.network {
            network.hash(hash);
        }
        for (index, s) in self.slaves.iter().enumerate() {
            s.arbiter.hash(hash);
            hash(s.free_at.0);
            let arrived = s.waiting.iter();
            let coming = s.coming.iter().map(|(_, master)| *master as usize);
            let requests = || arrived.clone().chain(coming.clone()).filter_map(|m| self.requests[m].as_ref());
            hash(requests().count() as u64);
            for q in requests() {
                hash(q.arrival.0);
                hash(u64::from(q.request.addr));
            }
            match &s.target {
                Target::Memory { timing: MemoryTiming::Sdram(t), .. } => t.hash(hash),
                Target::Memory { timing: MemoryTiming::AvalonSdram(t), .. } => t.hash(hash),
                Target::Memory { .. } => {}
                Target::Device { device, .. } => {
                    hash(self.wakes.at(index).0);
                    device.hash(hash);
                }
            }
        }
    }

    /// The memory that holds `bytes` bytes at `addr`, as a core sees it.
    pub fn memory_at(&self, core: usize, addr: u32, bytes: u32) -> Option<usize> {
        let seen = |i: usize| self.owners[i].is_none_or(|own| own == core);
        (0..self.memories.len()).find(|&i| seen(i) && self.memories[i].contains(addr, bytes))
    }

    /// Drain all consoles.
    pub fn take_console(&mut self) -> Vec<(String, Vec<u8>)> {
        self.slaves
            .iter_mut()
            .filter_map(|s| match &mut s.target {
                Target::Device { console: Some(bytes), .. } if !bytes.is_empty() => {
                    Some((s.stats.name.clone(), std::mem::take(bytes)))
                }
                _ => None,
            })
            .collect()
    }
}

/// Note what a device did; answers when it wants to act, if it said so.
fn apply(
    slave: usize,
    ctx: DeviceCtx,
    outputs: &[Wires],
    console: &mut Option<Vec<u8>>,
    effects: &mut Effects,
) -> Option<Cycle> {
    for (output, address, at) in ctx.vectors {
        let lines = outputs.get(output as usize).into_iter().flat_map(|wires| &wires.lines);
        effects.vectors.extend(lines.map(|line| (*line, address, at)));
    }
    for (output, level, at) in ctx.outputs {
        let Some(wires) = outputs.get(output as usize) else { continue };
        effects.lines.extend(wires.lines.iter().map(|line| (*line, level, at)));
        effects.inputs.extend(wires.inputs.iter().map(|(slave, input)| (*slave, *input, level, at)));
    }
    if let Some(console) = console {
        console.extend_from_slice(&ctx.console);
    }
    effects.network.extend(ctx.network.into_iter().map(|what| (slave, what)));
    effects.finish = effects.finish.or(ctx.finish);
    ctx.wake
}
