// SPDX-License-Identifier: Apache-2.0
//! The checker against values: each store brings a larger one, so a value that was read, or destroyed, says how old it is.

use super::*;
use mem::{Backing, CacheGeometry, CachedPortConfig, Init, Policy, Replacement, Victim};

const BASE: u32 = 0x1000;
const SIZE: u32 = 1024;
const BYPASS: u32 = 0x8000_0000;

fn random(state: &mut u64) -> impl FnMut(u64) -> u64 + '_ {
    |below| {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) % below
    }
}

struct World {
    memory: Backing,
    ports: Vec<CachedPort>,
    watches: Vec<Watch>,
    checker: Checker,
    now: u64,
    /// What a coherent memory would hold.
    newest: Vec<u32>,
    expected: Vec<(Kind, usize, u64)>,
    /// The checker is not told of the fills.
    blind: bool,
}

impl World {
    fn new(seed: u64, blind: bool) -> World {
        let mut state = seed;
        let mut r = random(&mut state);
        let mut port = || {
            let ways = 1 + r(3) as u32;
            let cache = CacheGeometry { size_bytes: 64 * ways, line_bytes: 16, ways, replacement: Replacement::Lru };
            let through = r(4) == 0;
            CachedPort::new(CachedPortConfig {
                icache: None,
                dcache: Some(cache),
                policy: Policy {
                    write_through: through,
                    no_write_allocate: r(3) == 0,
                    victim: if through || r(2) == 0 { Victim::First } else { Victim::Buffered },
                    ..Policy::default()
                },
                cacheable: vec![(BASE, SIZE)],
                bypass_mask: BYPASS,
                tightly_coupled: Vec::new(),
            })
        };
        World {
            memory: Backing::new(BASE, SIZE, Init::Zero),
            ports: (0..3).map(|_| port()).collect(),
            watches: (0..3).map(Watch::new).collect(),
            checker: Checker::new(&[(BASE, SIZE)], 3),
            now: 1,
            newest: vec![0; SIZE as usize / 4],
            expected: Vec::new(),
            blind,
        }
    }

    fn truth(&mut self, addr: u32) -> &mut u32 {
        &mut self.newest[(((addr & !BYPASS) - BASE) / 4) as usize]
    }

    fn serve(&mut self, core: usize, request: &BusRequest, transfer: Transfer) -> BusReply {
        self.now += 1;
        let addr = request.addr;
        let who = Who { core, pc: addr, cycle: self.now };
        let reply = match &request.op {
            BusOp::Read { bytes: 4 } => BusReply::Value(self.memory.load(addr, Width::Word)),
            BusOp::Read { bytes } => {
                let mut line = engine::Bytes::zeros(*bytes as usize);
                self.memory.read(addr, &mut line);
                BusReply::Line(line)
            }
            BusOp::Write { data } if data.len() == 4 => {
                self.memory.write(addr, data);
                let value = self.memory.load(addr, Width::Word);
                *self.truth(addr) = value;
                BusReply::Value(0)
            }
            BusOp::Write { data } => {
                let mut lost = false;
                for (at, new) in (addr..).step_by(4).zip(data.chunks_exact(4)) {
                    let new = u32::from_le_bytes([new[0], new[1], new[2], new[3]]);
                    let old = self.memory.load(at, Width::Word);
                    lost |= old > new;
                    if *self.truth(at) == old {
                        *self.truth(at) = new;
                    }
                }
                if lost {
                    self.expected.push((Kind::LostWrite, core, self.now));
                }
                self.memory.write(addr, data);
                BusReply::Value(0)
            }
            _ => BusReply::Value(0),
        };
        if !(self.blind && transfer.fills_data()) {
            self.checker.served(who, transfer, request, None);
        }
        reply
    }

    /// An access of a core to its end; the value.
    fn access(&mut self, core: usize, access: impl Fn(&mut CheckedSeen<'_>, Cycle) -> Access) -> u32 {
        self.now += 1;
        loop {
            let now = Cycle(self.now);
            let mut seen = CheckedSeen {
                port: &mut self.ports[core],
                memories: Seen::new(&[], &[], &[], core),
                watch: &mut self.watches[core],
            };
            match access(&mut seen, now) {
                Access::Done(value) => {
                    seen.checkpoint();
                    return value;
                }
                Access::Fault(fault) => panic!("{fault:?}"),
                Access::Pending => {}
            }
            while let Some(request) = self.ports[core].request() {
                let port = &self.ports[core];
                let (transfer, asked) = (Transfer::of(port, &request), port.asked());
                let reply = self.serve(core, &request, transfer);
                self.ports[core].complete(reply);
                if let Some(asked) = asked.filter(|_| transfer.fills_data() && self.ports[core].is_answered()) {
                    let who = Who { core, pc: asked.addr, cycle: self.now };
                    self.checker.performed(who, asked, &self.ports[core]);
                }
            }
            if let Some(request) = self.ports[core].posted() {
                self.serve(core, &request, Transfer::POSTED);
                self.ports[core].posted_done();
            }
            self.now += 1;
        }
    }

    fn found(&mut self) -> Vec<(Kind, usize, u64)> {
        self.checker.advance(Cycle(self.now + 1), self.watches.iter_mut().collect());
        let entries = std::mem::take(&mut self.checker.entries);
        self.checker.known.clear();
        entries.iter().map(|e| (e.found.kind, e.found.by.core, e.found.by.cycle)).collect()
    }

    fn step(&mut self, r: &mut impl FnMut(u64) -> u64) {
        let core = r(3) as usize;
        let past = if r(5) == 0 { BYPASS } else { 0 };
        let addr = BASE + 4 * r(64) as u32;
        match r(10) {
            0..=3 => {
                let value = self.access(core, |p, now| p.load(now, past | addr, Width::Word));
                let (newest, now) = (*self.truth(addr), self.now);
                if value < newest {
                    self.expected.push((Kind::StaleRead, core, now));
                }
            }
            4..=7 => {
                let value = self.now as u32 * 4;
                self.access(core, |p, now| p.store(now, past | addr, Width::Word, value));
                *self.truth(addr) = value;
            }
            8 => {
                self.access(core, |p, now| p.cache_op(now, addr, CacheOp::Flush));
            }
            _ => {
                let mut lost = false;
                if let Some((line, bytes)) = self.ports[core].dirty_line(addr) {
                    for at in (line..line + bytes).step_by(4) {
                        let byte = |i: u32| u32::from(self.ports[core].peek(at + i).unwrap_or(0)) << (8 * i);
                        let held = byte(0) | byte(1) | byte(2) | byte(3);
                        let memory = self.memory.load(at, Width::Word);
                        if held > memory && held == *self.truth(at) {
                            lost = true;
                            *self.truth(at) = memory;
                        }
                    }
                }
                self.access(core, |p, now| p.cache_op(now, addr, CacheOp::Invalidate));
                if lost {
                    self.expected.push((Kind::DiscardedWrite, core, self.now));
                }
            }
        }
    }
}

fn compare(seeds: u64, blind: bool) {
    let mut counts = BTreeMap::new();
    for seed in 1..=seeds {
        println!("seed {seed}");
        let mut world = World::new(seed, blind);
        let mut state = seed ^ 0x5eed;
        let mut r = random(&mut state);
        for step in 0..3000 {
            world.expected.clear();
            world.step(&mut r);
            let mut expected: Vec<(Kind, usize)> = world.expected.iter().map(|e| (e.0, e.1)).collect();
            let mut found: Vec<(Kind, usize)> = world.found().iter().map(|e| (e.0, e.1)).collect();
            // A victim is written in the background after the access that wanted its place.
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "step {step}");
            for (kind, _) in found {
                *counts.entry(kind).or_insert(0u32) += 1;
            }
        }
    }
    for kind in [Kind::StaleRead, Kind::LostWrite, Kind::DiscardedWrite] {
        assert!(counts.get(&kind).is_some_and(|n| *n > 100), "too little of {kind:?}: {counts:?}");
    }
}

#[test]
fn what_is_found_is_what_the_values_say() {
    compare(20, false);
}

#[test]
#[should_panic(expected = "step")]
fn a_checker_that_misses_fills_is_noticed() {
    compare(1, true);
}
