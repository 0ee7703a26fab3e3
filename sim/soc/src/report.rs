// SPDX-License-Identifier: Apache-2.0
//! What can be asked of a machine between runs: counters, hashes, memory, traces, faults. Nothing here changes state.

use crate::fault::{explain, CoreBacktrace, Executed, Fault};
use crate::image::Image;
use crate::machine::{Machine, Port, State};
use crate::slave_stats::{L2Stats, SlaveStats};
use crate::symbols::{backtrace, describe, Frame};
use crate::view::{peek_cached, peek_memories};
use hart::{Peek, Stop};
use serde::Serialize;
use std::collections::BTreeMap;
use trace::{ArgType, Record, ACCOUNT_NAMES};

/// Counters of one cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheStats {
    /// Line fills.
    pub misses: u64,
    /// Dirty lines written back.
    pub write_backs: u64,
    /// Stores that went to memory themselves.
    pub write_throughs: u64,
    /// What snooping did; none where data caches do not snoop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snooping: Option<SnoopStats>,
}

/// What snooping did to a data cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SnoopStats {
    /// Stores to a shared line that asked for its other copies to be dropped.
    pub upgrades: u64,
    /// Lines lost to another master.
    pub invalidations: u64,
    /// Modified lines given to another master.
    pub interventions: u64,
}

/// The longest time that a core's program kept interrupts masked; see [`hart::MaskedStretch`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MaskedTime {
    /// Its length.
    pub cycles: u64,
    /// When it began.
    pub at: u64,
    /// The instruction that masked, or the trap's handler.
    pub from_pc: u32,
    /// Its symbol.
    pub from: Option<String>,
    /// The instruction that unmasked.
    pub to_pc: u32,
    /// Its symbol.
    pub to: Option<String>,
}

/// Counters of one core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoreStats {
    /// Name.
    pub name: String,
    /// Instructions retired.
    pub instructions: u64,
    /// Cycles since reset.
    pub cycles: u64,
    /// Cycles by account; their sum is `cycles`.
    pub accounts: BTreeMap<&'static str, u64>,
    /// The longest time that interrupts were masked once they had been on.
    pub longest_masked: Option<MaskedTime>,
    /// Instruction cache.
    pub icache: Option<CacheStats>,
    /// Data cache.
    pub dcache: Option<CacheStats>,
}

/// Counters of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Simulated time.
    pub cycles: u64,
    /// Per core.
    pub cores: Vec<CoreStats>,
    /// Per memory and device.
    pub slaves: Vec<SlaveStats>,
    /// Per link of the network on chip.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkUse>,
}

/// What an output of a router has carried; see [`noc::LinkStats`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkUse {
    /// Its router.
    pub x: u32,
    /// Its router.
    pub y: u32,
    /// Side of the router: east, west, north, south or local.
    pub direction: &'static str,
    /// Headers.
    pub packets: u64,
    /// Flits.
    pub flits: u64,
    /// Cycles in which a flit found no room behind it.
    pub blocked_cycles: u64,
    /// Cycles that headers waited.
    pub wait_cycles: u64,
    /// The longest wait.
    pub wait_max: u64,
    /// Headers by waiting time: 0, 1, 2–3, 4–7, … cycles.
    pub waits: [u64; noc::WAIT_CLASSES],
}

/// Strings are numbered per core while they are made; in the whole trace they follow each other.
fn rebase_strings(record: &Record, base: u32) -> Record {
    let mut r = *record;
    if let Some(kind) = trace::schema().by_kind(r.kind) {
        for (arg, (_, ty)) in r.args.iter_mut().zip(&kind.args) {
            if *ty == ArgType::Str {
                *arg += base;
            }
        }
    }
    r
}

/// What a core's loads would see, for the hart's own reconstruction of what it executed.
struct CoreEyes<'a> {
    machine: &'a Machine,
    core: usize,
}

impl Peek for CoreEyes<'_> {
    fn peek(&self, addr: u32) -> u8 {
        self.machine.peek(self.core, addr).unwrap_or(0)
    }
}

/// Feeds words into a running hash (the mixing step of splitmix64, chained).
pub(crate) struct Hasher(u64);

impl Hasher {
    pub(crate) fn new() -> Hasher {
        Hasher(0x5b1d_e57a_7e00_0001)
    }

    pub(crate) fn add(&mut self, value: u64) {
        let mut z = (self.0.rotate_left(5) ^ value).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 31);
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0
    }
}

impl Machine {
    /// Console output since the last call, per UART with output.
    pub fn take_console(&mut self) -> Vec<(String, Vec<u8>)> {
        self.fabric.take_console()
    }

    /// Type bytes at a UART; false when the platform has none of that name.
    pub fn input(&mut self, uart: &str, bytes: &[u8]) -> bool {
        let now = self.now;
        let mut effects = crate::fabric::Effects::default();
        let known = self.fabric.input(uart, now, bytes, &mut effects);
        self.apply(effects, now);
        known
    }

    /// Hash of registers, caches, memories, arbiters, devices and pending requests.
    pub fn state_hash(&self) -> u64 {
        let mut h = Hasher::new();
        h.add(self.now.0);
        for core in &self.cores {
            core.hart.hash(&mut |v| h.add(v));
            match &core.port {
                Port::Cached(p) => p.hash(&mut |v| h.add(v)),
                Port::Ideal(p) => p.hash(&mut |v| h.add(v)),
            }
            h.add(match &core.state {
                State::Ready => 0,
                // The port hashes what is asked for.
                State::Asking | State::Next(_) => 1,
                State::Waiting => 3,
                State::Asleep => 4,
                State::Off => 5,
                State::Faulted => 6,
                State::Calling => 7,
            });
            h.add(core.not_before.0);
        }
        self.fabric.hash(&mut |v| h.add(v));
        h.finish()
    }

    /// Instructions that translated blocks executed, those that were taken back included. For who measures the simulator; it says
    /// nothing about the program.
    pub fn retired_in_blocks(&self) -> u64 {
        self.cores.iter().map(|core| core.hart.retired_in_blocks()).sum()
    }

    /// Counters since reset.
    pub fn stats(&self) -> Stats {
        let cores = self
            .cores
            .iter()
            .enumerate()
            .map(|(index, core)| {
                let cycles = core.hart.now().0.max(self.now.0);
                let accounts = core.hart.accounts();
                let mut named: BTreeMap<&'static str, u64> = ACCOUNT_NAMES.iter().copied().zip(accounts).collect();
                // A sleeping core is idle up to now; its hart books that when it wakes.
                if matches!(core.state, State::Asleep | State::Off) {
                    *named.entry("idle").or_default() += self.now.since(core.hart.now()).0;
                }
                let rest = cycles - named.values().sum::<u64>().min(cycles);
                named.insert("execute", rest);
                let counts = match &core.port {
                    Port::Cached(p) => p.stats(),
                    Port::Ideal(_) => mem::CacheStats::default(),
                };
                CoreStats {
                    name: core.name.clone(),
                    instructions: core.hart.retired(),
                    cycles,
                    accounts: named,
                    longest_masked: core.hart.longest_masked().map(|m| MaskedTime {
                        cycles: m.cycles,
                        at: m.at,
                        from_pc: m.from_pc,
                        from: self.describe_symbol(index, m.from_pc),
                        to_pc: m.to_pc,
                        to: self.describe_symbol(index, m.to_pc),
                    }),
                    icache: core.has_icache.then_some(CacheStats {
                        misses: counts.icache_misses,
                        write_backs: 0,
                        write_throughs: 0,
                        snooping: None,
                    }),
                    dcache: core.has_dcache.then_some(CacheStats {
                        misses: counts.dcache_misses,
                        write_backs: counts.write_backs,
                        write_throughs: counts.write_throughs,
                        snooping: self.fabric.coherence.as_ref().map(|_| SnoopStats {
                            upgrades: counts.upgrades,
                            invalidations: counts.invalidations,
                            interventions: counts.interventions,
                        }),
                    }),
                }
            })
            .collect();
        let links = self.fabric.network.as_ref().map_or_else(Vec::new, |network| network.links());
        let links = links.into_iter().map(|(x, y, direction, link)| LinkUse {
            x,
            y,
            direction,
            packets: link.packets,
            flits: link.flits,
            blocked_cycles: link.blocked_cycles,
            wait_cycles: link.wait_cycles,
            wait_max: link.wait_max,
            waits: link.waits,
        });
        Stats {
            cycles: self.now.0,
            cores,
            slaves: self.fabric.slaves.iter().enumerate().map(|(i, s)| self.slave_stats(i, &s.stats)).collect(),
            links: links.collect(),
        }
    }

    fn slave_stats(&self, index: usize, stats: &SlaveStats) -> SlaveStats {
        let l2 = self.fabric.l2s.get(index).and_then(Option::as_ref).map(|l2| {
            let mem::L2Stats { hits, misses, write_backs } = l2.stats();
            L2Stats { hits, misses, write_backs }
        });
        SlaveStats { l2, ..stats.clone() }
    }

    /// Records of all cores by (cycle, core, order), encoded, and the strings they refer to.
    pub fn trace(&self) -> (Vec<u8>, Vec<String>) {
        let mut strings: Vec<String> = Vec::new();
        let mut records = Vec::new();
        for core in &self.cores {
            let base = strings.len() as u32;
            records.extend(core.hart.records().iter().map(|r| rebase_strings(r, base)));
            strings.extend_from_slice(core.hart.strings());
        }
        // Stable: records of one core keep their order.
        records.sort_by_key(|r| (r.cycle, r.core));
        let mut bytes = Vec::with_capacity(records.len() * trace::RECORD_BYTES);
        for r in &records {
            r.encode(&mut bytes);
        }
        (bytes, strings)
    }

    fn peek(&self, core: usize, addr: u32) -> Option<u8> {
        let seen = self.fabric.seen(core);
        if let Some(byte) = self.peek_modified(core, addr) {
            return Some(byte);
        }
        match &self.cores.get(core)?.port {
            Port::Cached(port) => peek_cached(port, seen, addr),
            Port::Ideal(_) => peek_memories(seen, addr),
        }
    }

    /// On a coherent bus, the byte at `addr` of a memory that several cores see, if a cache has it modified.
    fn peek_modified(&self, core: usize, addr: u32) -> Option<u8> {
        self.fabric.coherence.as_ref()?;
        let Port::Cached(port) = &self.cores.get(core)?.port else { return None };
        let addr = port.physical(addr);
        let memory = self.fabric.memory_at(core, addr, 1)?;
        if self.fabric.owners[memory].is_some() {
            return None;
        }
        let ports = self.cores.iter().filter_map(|c| match &c.port {
            Port::Cached(port) => Some(port),
            Port::Ideal(_) => None,
        });
        ports.filter(|p| p.dirty_line(addr).is_some() || !p.holds(addr)).find_map(|p| p.peek(addr))
    }

    /// `n` bytes at `addr` as a core's loads would see them.
    pub fn read(&self, core: usize, addr: u32, n: usize) -> Option<Vec<u8>> {
        (0..n).map(|i| self.peek(core, addr.wrapping_add(i as u32))).collect()
    }

    fn read_word(&self, core: usize, addr: u32) -> Option<u32> {
        let b = self.read(core, addr, 4)?;
        Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    fn image_of(&self, core: usize) -> Option<&Image> {
        self.images.get(self.cores.get(core)?.image?)
    }

    /// The address of a symbol in a core's image.
    pub fn symbol(&self, core: usize, name: &str) -> Option<u32> {
        self.image_of(core)?.symbol(name)
    }

    /// The variable of a core's image that holds an address, with the offset in it.
    pub(crate) fn object(&self, core: usize, addr: u32) -> Option<String> {
        let (name, off) = self.image_of(core)?.object(addr)?;
        Some(if off == 0 { name.to_string() } else { format!("{name}+{off:#x}") })
    }

    /// What a core's image says of an address.
    pub fn describe(&self, core: usize, pc: u32) -> Option<Frame> {
        Some(describe(self.image_of(core)?, pc))
    }

    /// The fault that ended the run.
    pub fn fault(&self) -> Option<&Fault> {
        self.faulted.as_ref()
    }

    fn stack_of(&self, core: usize, pc: u32, regs: &[u32; 32]) -> CoreBacktrace {
        let name = self.cores[core].name.clone();
        let frames = match self.image_of(core) {
            None => Vec::new(),
            Some(image) => backtrace(image, pc, regs, &mut |addr| self.read_word(core, addr)),
        };
        CoreBacktrace { core: name, frames }
    }

    /// Keep what a trap of `core` says: it could not be delivered, or the program ended itself inside its handler.
    pub(crate) fn note_fault(&mut self, core: usize, cause: u32, pc: u32, address: u32, regs: &[u32; 32]) {
        let place = self.describe(core, pc);
        let mut backtraces = vec![self.stack_of(core, pc, regs)];
        for other in 0..self.cores.len() {
            if other != core && self.cores[other].image.is_some() {
                let hart = &self.cores[other].hart;
                backtraces.push(self.stack_of(other, hart.pc(), &hart.regs()));
            }
        }
        let hart = &self.cores[core].hart;
        let eyes = CoreEyes { machine: self, core };
        let last = if hart.exception_open().is_some() {
            hart.last_before_exception(&eyes)
        } else {
            hart.last_instructions(&eyes)
        };
        let last = last
            .into_iter()
            .map(|(pc, bits)| Executed {
                pc,
                text: isa::text_with(&isa::decode(hart.isa(), bits), pc, hart.customs()),
                symbol: self.describe_symbol(core, pc),
            })
            .collect();
        let (kind, what) = explain(cause, address);
        let name = self.cores[core].name.clone();
        let symbol = place.as_ref().and_then(|p| p.symbol.clone());
        let file = place.as_ref().and_then(|p| p.file.clone());
        let line = place.as_ref().and_then(|p| p.line);
        let at = match (&symbol, &file, line) {
            (Some(s), Some(f), Some(l)) => format!("{pc:#010x} in {s} ({f}:{l})"),
            (Some(s), _, _) => format!("{pc:#010x} in {s}"),
            _ => format!("{pc:#010x}, outside the image"),
        };
        self.faulted = Some(Fault {
            kind: kind.to_string(),
            message: format!("{kind} on {name}: {what}, at pc {at}"),
            core: name,
            cycle: self.cores[core].hart.now().0,
            cause,
            pc,
            address,
            symbol,
            file,
            line,
            backtraces,
            last,
        });
    }

    fn describe_symbol(&self, core: usize, pc: u32) -> Option<String> {
        let (name, off) = self.image_of(core)?.symbolize(pc)?;
        Some(if off == 0 { name.to_string() } else { format!("{name}+{off:#x}") })
    }

    /// Keep the exception whose handler ended the program. False when no core is inside one.
    pub(crate) fn note_exception(&mut self) -> bool {
        for core in 0..self.cores.len() {
            if let Some(e) = self.cores[core].hart.exception_open().copied() {
                self.note_fault(core, e.cause, e.pc, e.tval, &e.regs);
                return true;
            }
        }
        false
    }

    /// A hart stopped at a trap that nothing handles.
    pub(crate) fn hart_fault(&mut self, core: usize) {
        if let Some(Stop::Fault { cause, pc, tval }) = self.cores[core].hart.fault() {
            let regs = self.cores[core].hart.regs();
            self.note_fault(core, cause, pc, tval, &regs);
        }
    }
}
