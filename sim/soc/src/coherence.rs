// SPDX-License-Identifier: Apache-2.0
//! The coherence checker: it watches what cores do with their caches and what goes over the bus, and says which core used an old
//! value, or destroyed a newer one, and with which instructions.
//!
//! Harts run ahead of each other on private hits, so what they do is written down first ([`Watch`], a part of the core that is
//! rewound with it) and looked at in the order of simulated time once it is final ([`Checker::advance`]). It observes only:
//! a watched machine has the same cycles and the same state. Without it nothing is written down; the loop that executes
//! instructions is another one.

use crate::machine::Machine;
use crate::shadow::{Found, Kind, Shadow, Who};
use crate::symbols::Frame;
use crate::transfer::extent;
use crate::view::{peek_cached, Seen};
use engine::{Access, AmoOp, BusOp, BusReply, BusRequest, CacheOp, Cycle, Fetch, HartMemory, Width};
use hart::Peek;
use mem::{CachedPort, Serving};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};

/// So many events of a core make the owner of time look at them.
const MANY: usize = 1 << 16;

/// What a core did, or the bus did for it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Execute,
    Load,
    Store,
    Discard,
    ReadMemory,
    /// Whether the core's cache has the bytes, too.
    WriteMemory(bool),
    /// Whether into the instruction cache.
    Fill(bool),
    WriteBack,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    who: Who,
    what: What,
    addr: u32,
    bytes: u32,
    /// What was read or written, of a load, a store, or the same past the caches. Tests compare it with a flat memory.
    #[cfg_attr(not(test), expect(dead_code))]
    value: u32,
}

/// What a core did with its caches since the checker looked.
#[derive(Default)]
pub(crate) struct Watch {
    core: usize,
    pc: u32,
    events: VecDeque<Event>,
    /// Events that cannot be undone any more.
    settled: usize,
}

impl Watch {
    pub fn new(core: usize) -> Watch {
        Watch { core, ..Watch::default() }
    }

    fn push(&mut self, now: Cycle, what: What, addr: u32, bytes: u32, value: u32) {
        let who = Who { core: self.core, pc: self.pc, cycle: now.0 };
        self.events.push_back(Event { who, what, addr, bytes, value });
    }

    /// Nothing will be undone.
    pub fn settle(&mut self) {
        self.settled = self.events.len();
    }

    /// Whether the checker should look.
    pub fn is_full(&self) -> bool {
        self.events.len() > MANY
    }
}

/// The port of a watched core.
pub(crate) struct CheckedSeen<'a> {
    pub port: &'a mut CachedPort,
    pub memories: Seen<'a>,
    pub watch: &'a mut Watch,
}

impl Peek for CheckedSeen<'_> {
    fn peek(&self, addr: u32) -> u8 {
        peek_cached(self.port, self.memories, addr).unwrap_or(0)
    }
}

impl CheckedSeen<'_> {
    /// Make an access, and write it down if the cache answered it. What the bus answered has been written down there.
    fn watched(
        &mut self,
        now: Cycle,
        addr: u32,
        bytes: u32,
        did: &[What],
        access: impl FnOnce(&mut CachedPort) -> Access,
    ) -> Access {
        let repeated = self.port.is_answered();
        let answer = access(self.port);
        match answer {
            Access::Done(read) if !repeated && self.port.holds(addr) => {
                for what in did {
                    let value = if matches!(what, What::Store) { held(self.port, addr, bytes) } else { read };
                    self.watch.push(now, *what, addr, bytes, value);
                }
            }
            Access::Pending => self.not_yet(),
            _ => {}
        }
        answer
    }

    /// The instruction is suspended and will be executed again.
    fn not_yet(&mut self) {
        let executed =
            self.watch.events.back().is_some_and(|e| matches!(e.what, What::Execute) && e.who.pc == self.watch.pc);
        if executed && self.watch.events.len() > self.watch.settled {
            self.watch.events.pop_back();
        }
    }
}

/// The bytes that a port's data cache holds at `addr`.
fn held(port: &CachedPort, addr: u32, bytes: u32) -> u32 {
    (0..bytes).rev().fold(0, |value, i| value << 8 | u32::from(port.peek(addr + i).unwrap_or(0)))
}

impl HartMemory for CheckedSeen<'_> {
    const WATCHED: bool = true;

    fn fetch_line_bytes(&self) -> u32 {
        self.port.fetch_line_bytes()
    }
    fn fetch_slots(&self) -> u32 {
        self.port.fetch_slots()
    }
    fn fetch(&mut self, now: Cycle, pc: u32) -> Fetch {
        self.port.fetch(now, pc)
    }
    fn fetch_bytes(&self, slot: u32) -> &[u8] {
        self.port.fetch_bytes(slot)
    }
    fn executing(&mut self, now: Cycle, pc: u32, bytes: u32) {
        self.watch.pc = pc;
        self.watch.push(now, What::Execute, pc, bytes, 0);
    }
    fn load(&mut self, now: Cycle, addr: u32, width: Width) -> Access {
        self.watched(now, addr, width.bytes(), &[What::Load], |p| p.load(now, addr, width))
    }
    fn store(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> Access {
        self.watched(now, addr, width.bytes(), &[What::Store], |p| p.store(now, addr, width, value))
    }
    fn amo(&mut self, now: Cycle, addr: u32, op: AmoOp, operand: u32) -> Access {
        self.watched(now, addr, 4, &[What::Load, What::Store], |p| p.amo(now, addr, op, operand))
    }
    fn load_reserved(&mut self, now: Cycle, addr: u32) -> Access {
        self.watched(now, addr, 4, &[What::Load], |p| p.load_reserved(now, addr))
    }
    fn store_conditional(&mut self, now: Cycle, addr: u32, value: u32) -> Access {
        let repeated = self.port.is_answered();
        let answer = self.watched(now, addr, 4, &[], |p| p.store_conditional(now, addr, value));
        if answer == Access::Done(0) && !repeated {
            self.watch.push(now, What::Store, addr, 4, value);
        }
        answer
    }
    fn cache_op(&mut self, now: Cycle, addr: u32, op: CacheOp) -> Access {
        let dirty = self.port.dirty_line(addr);
        let answer = self.port.cache_op(now, addr, op);
        match (answer, dirty) {
            (Access::Done(_), Some((line, bytes))) if op == CacheOp::Invalidate => {
                self.watch.push(now, What::Discard, line, bytes, 0);
            }
            (Access::Pending, _) => self.not_yet(),
            _ => {}
        }
        answer
    }
    fn fence(&mut self, now: Cycle) -> Access {
        let answer = self.port.fence(now);
        if answer == Access::Pending {
            self.not_yet();
        }
        answer
    }
    fn fence_i(&mut self, now: Cycle) {
        self.port.fence_i(now);
    }
    fn code_changed(&mut self) -> bool {
        self.port.code_changed()
    }
    fn request(&mut self) -> Option<BusRequest> {
        let request = self.port.request();
        if request.is_some() {
            self.watch.settled = self.watch.events.len();
        }
        request
    }
    fn complete(&mut self, reply: BusReply) {
        self.port.complete(reply);
        self.watch.settled = self.watch.events.len();
    }
    fn checkpoint(&mut self) {
        self.port.checkpoint();
        self.watch.settled = self.watch.events.len();
    }
    fn rewind(&mut self) {
        self.port.rewind();
        self.watch.events.truncate(self.watch.settled);
    }
}

/// A finding, and how often it came.
struct Entry {
    found: Found,
    count: u64,
    last: u64,
}

/// What the checker knows and has found.
pub(crate) struct Checker {
    shadow: Shadow,
    bus: VecDeque<Event>,
    entries: Vec<Entry>,
    /// By kind, who, and who wrote: the same two instructions make one entry.
    known: BTreeMap<(Kind, usize, u32, usize, u32), usize>,
    #[cfg(test)]
    pub values: Values,
}

/// A transfer as the port saw it, before it was completed.
#[derive(Clone, Copy)]
pub(crate) struct Transfer {
    serving: Option<Serving>,
    held: bool,
}

impl Transfer {
    pub fn of(port: &CachedPort, request: &BusRequest) -> Transfer {
        Transfer { serving: port.serving(), held: port.holds(request.addr) }
    }

    /// Of an access past the cache, or through it if `held`.
    pub fn direct(held: bool) -> Transfer {
        Transfer { serving: Some(Serving::Direct), held }
    }

    /// Whether it brings bytes into the data cache.
    pub fn fills_data(&self) -> bool {
        self.serving == Some(Serving::Fill)
    }

    /// Whether the access that waits for it is done with it, in the data cache.
    pub fn ends_access(&self, request: &BusRequest) -> bool {
        let upgrades = self.serving == Some(Serving::Upgrade) && request.op != BusOp::Order;
        self.fills_data() || upgrades
    }

    /// A victim that is written in the background.
    pub const POSTED: Transfer = Transfer { serving: Some(Serving::WriteBack), held: false };
}

impl Checker {
    pub fn new(memories: &[(u32, u32)], cores: usize) -> Checker {
        Checker {
            shadow: Shadow::new(memories, cores),
            bus: VecDeque::new(),
            entries: Vec::new(),
            known: BTreeMap::new(),
            #[cfg(test)]
            values: Values::default(),
        }
    }

    /// The bus has served a request of a core's port, successfully.
    pub fn served(&mut self, who: Who, transfer: Transfer, request: &BusRequest, reply: Option<u32>) {
        let (addr, bytes) = (request.addr, extent(&request.op).0);
        let mut push = |what, value| self.bus.push_back(Event { who, what, addr, bytes, value });
        match (transfer.serving, &request.op) {
            (None | Some(Serving::Order | Serving::Upgrade | Serving::Maintain), _) | (_, BusOp::Order) => {}
            (Some(Serving::Fill), _) => push(What::Fill(false), 0),
            (Some(Serving::FillInstruction), _) => push(What::Fill(true), 0),
            (Some(Serving::WriteBack), _) => push(What::WriteBack, 0),
            (Some(Serving::Direct), op) => {
                let read = reply.unwrap_or(0);
                // A read-modify-write in a write-through cache reads its own line.
                if transfer.held && transfer.serving_amo(op) {
                    push(What::Load, read);
                }
                match op {
                    BusOp::Read { .. } | BusOp::LoadReserved => push(What::ReadMemory, read),
                    BusOp::Write { data } => {
                        let value = data.iter().take(4).rev().fold(0, |value, b| value << 8 | u32::from(*b));
                        push(What::WriteMemory(transfer.held && request.cause == engine::Cause::Miss), value);
                    }
                    BusOp::Amo { op, operand } => {
                        push(What::ReadMemory, read);
                        push(What::WriteMemory(false), op.apply(read, *operand));
                    }
                    BusOp::StoreConditional { value } if reply == Some(0) => push(What::WriteMemory(false), *value),
                    _ => {}
                }
            }
        }
    }

    /// A core's modified line was read by a snoop, and memory has it, or somebody who will write it.
    pub fn intervened(&mut self, who: Who, addr: u32, bytes: u32) {
        self.bus.push_back(Event { who, what: What::WriteBack, addr, bytes, value: 0 });
    }

    /// A core's modified line was dropped by a snoop.
    pub fn discarded(&mut self, who: Who, addr: u32, bytes: u32) {
        self.bus.push_back(Event { who, what: What::Discard, addr, bytes, value: 0 });
    }

    /// The access for which a line was read, or might be written to, has been done in the core's data cache.
    pub fn performed(&mut self, who: Who, asked: mem::AskedAccess, port: &CachedPort) {
        let mem::AskedAccess { addr, bytes, loads, stores } = asked;
        let answer = port.answer().unwrap_or(0);
        if loads {
            self.bus.push_back(Event { who, what: What::Load, addr, bytes, value: answer });
        }
        if stores {
            self.bus.push_back(Event { who, what: What::Store, addr, bytes, value: held(port, addr, bytes) });
        }
    }

    /// Look at everything before `horizon`; nothing that comes later happens before it.
    pub fn advance(&mut self, horizon: Cycle, mut watches: Vec<&mut Watch>) {
        let mut horizon = horizon.0;
        for watch in &watches {
            if let Some(open) = watch.events.get(watch.settled) {
                horizon = horizon.min(open.who.cycle);
            }
        }
        loop {
            // In a cycle the bus comes first, then the cores by number.
            let mut first = self.bus.front().map(|e| (e.who.cycle, None));
            for (i, watch) in watches.iter().enumerate() {
                let event = watch.events.front();
                if let Some(e) = event.filter(|e| first.is_none_or(|(cycle, _)| e.who.cycle < cycle)) {
                    first = Some((e.who.cycle, Some(i)));
                }
            }
            let Some((_, from)) = first.filter(|(cycle, _)| *cycle < horizon) else { return };
            let event = match from {
                None => self.bus.pop_front(),
                Some(i) => {
                    watches[i].settled -= 1;
                    watches[i].events.pop_front()
                }
            };
            if let Some(event) = event {
                self.look(event);
            }
        }
    }

    fn look(&mut self, event: Event) {
        #[cfg(test)]
        self.values.look(&event);
        let Event { who, what, addr, bytes, .. } = event;
        match what {
            What::Execute => self.shadow.execute(who, bytes),
            What::Load => self.shadow.load(who, addr, bytes),
            What::Store => self.shadow.store(who, addr, bytes),
            What::Discard => self.shadow.discard(who, addr, bytes),
            What::ReadMemory => self.shadow.read_memory(who, addr, bytes),
            What::WriteMemory(held) => self.shadow.write_memory(who, addr, bytes, held),
            What::Fill(instructions) => self.shadow.fill(who.core, instructions, addr, bytes),
            What::WriteBack => self.shadow.write_back(who, addr, bytes),
        }
        for found in std::mem::take(&mut self.shadow.found) {
            let key = (found.kind, found.by.core, found.by.pc, found.writer.core, found.writer.pc);
            let at = *self.known.entry(key).or_insert(self.entries.len());
            if at == self.entries.len() {
                self.entries.push(Entry { found, count: 0, last: 0 });
            }
            self.entries[at].count += 1;
            self.entries[at].last = found.by.cycle;
        }
    }
}

impl Transfer {
    fn serving_amo(&self, op: &BusOp) -> bool {
        matches!(op, BusOp::Amo { .. })
    }
}

/// An instruction of a core, at a cycle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Place {
    /// Name of the core.
    pub core: String,
    /// When.
    pub cycle: u64,
    /// Where.
    #[serde(flatten)]
    pub frame: Frame,
}

/// What the coherence checker found: two instructions that met without maintenance between them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CoherenceFinding {
    /// `stale-read`, `stale-instruction`, `lost-write` or `discarded-write`.
    pub kind: &'static str,
    /// One sentence.
    pub message: String,
    /// The first byte concerned.
    pub address: u32,
    /// Bytes concerned, the first time.
    pub bytes: u32,
    /// Name of the variable there, with offset.
    pub object: Option<String>,
    /// Who read, executed, wrote back or dropped, the first time.
    pub by: Place,
    /// Who wrote what was not seen, or was lost.
    pub writer: Place,
    /// For a lost write: the last store that made the line dirty.
    pub stored: Option<Place>,
    /// Whether the newer value was in memory; else it was in the writer's cache alone.
    pub in_memory: bool,
    /// How often these two instructions met like this.
    pub count: u64,
    /// When they did for the last time.
    pub last_cycle: u64,
}

impl Machine {
    /// What the coherence checker has found so far, in the order of the first time; empty when it is off.
    pub fn coherence(&self) -> Vec<CoherenceFinding> {
        let entries = self.checker.iter().flat_map(|c| &c.entries);
        entries.map(|e| self.finding(e)).collect()
    }

    fn place(&self, who: Who) -> Place {
        let frame =
            self.describe(who.core, who.pc).unwrap_or(Frame { pc: who.pc, symbol: None, file: None, line: None });
        Place { core: self.cores[who.core].name.clone(), cycle: who.cycle, frame }
    }

    fn finding(&self, entry: &Entry) -> CoherenceFinding {
        let Found { kind, addr, bytes, by, writer, in_memory, stored } = entry.found;
        let object = [by.core, writer.core].into_iter().find_map(|core| self.object(core, addr));
        let (by, writer) = (self.place(by), self.place(writer));
        let what = match &object {
            Some(name) => format!("{bytes} bytes at {addr:#010x} ({name})"),
            None => format!("{bytes} bytes at {addr:#010x}"),
        };
        let newer = match in_memory {
            true => "memory has the newer value".to_string(),
            false => format!("only the cache of {} has the newer value", writer.core),
        };
        let (kind, message) = match kind {
            Kind::StaleRead => {
                ("stale-read", format!("{} read an old value of {what}; {newer}, written by {}", by.core, writer.core))
            }
            Kind::StaleInstruction => (
                "stale-instruction",
                format!("{} executed an instruction that {} had overwritten: {what}; {newer}", by.core, writer.core),
            ),
            Kind::LostWrite => (
                "lost-write",
                format!("{} wrote back a line and destroyed what {} had written: {what}", by.core, writer.core),
            ),
            Kind::DiscardedWrite => {
                ("discarded-write", format!("{} dropped a line with what it had written itself: {what}", by.core))
            }
        };
        CoherenceFinding {
            kind,
            message,
            address: addr,
            bytes,
            object,
            by,
            writer,
            stored: stored.map(|who| self.place(who)),
            in_memory,
            count: entry.count,
            last_cycle: entry.last,
        }
    }
}

#[cfg(test)]
#[path = "coherence_tests.rs"]
mod tests;

#[cfg(test)]
mod values;
#[cfg(test)]
pub(crate) use values::Values;
