// SPDX-License-Identifier: Apache-2.0
//! The port with caches against a model that is nothing but lines in a map before a flat memory, and rewinding
//! against the state and the answers of the first time.

mod common;

use common::{digest, for_seeds, Bus, Random, BASE, DEVICE};
use engine::{Access, AccessFault, AmoOp, CacheOp, Cycle, HartMemory, Width};
use mem::{CacheGeometry, CachedPort, CachedPortConfig};
use std::collections::BTreeMap;

const SIZE: u32 = 4096;
const BYPASS: u32 = 0x8000_0000;
const T: Cycle = Cycle(0);

#[derive(Clone, Copy, Debug)]
enum Op {
    Load(u32, Width),
    Store(u32, Width, u32),
    Amo(u32, AmoOp, u32),
    LoadReserved(u32),
    StoreConditional(u32, u32),
    Maintain(u32, CacheOp),
    FenceI,
    Fetch(u32),
}

fn random_op(r: &mut Random) -> Op {
    let width = [Width::Byte, Width::Half, Width::Word, Width::Word][r.below(4) as usize];
    // Few places, so that lines meet; now and then a device, the bypass, or a misaligned address.
    let mut addr = BASE + (r.below(SIZE / 256) * 256 + r.below(64));
    if r.below(16) != 0 {
        addr &= !(width.bytes() - 1);
    }
    let word = addr & !3;
    let value = r.next() as u32;
    let alias = if r.below(6) == 0 { BYPASS } else { 0 };
    let amo = [AmoOp::Swap, AmoOp::Add, AmoOp::Xor, AmoOp::Min, AmoOp::MaxU][r.below(5) as usize];
    let maintain = [CacheOp::Clean, CacheOp::Flush, CacheOp::Invalidate][r.below(3) as usize];
    match r.below(32) {
        0..=9 => Op::Load(alias | addr, width),
        10..=19 => Op::Store(alias | addr, width, value),
        20..=21 => Op::Amo(alias | word, amo, value),
        22 => Op::LoadReserved(alias | word),
        23 => Op::StoreConditional(alias | word, value),
        24..=26 => Op::Maintain(alias | addr, maintain),
        27 => Op::FenceI,
        28..=30 => Op::Fetch(alias | (addr & !1)),
        _ => Op::Load(DEVICE, Width::Word),
    }
}

/// Caches and memory as one would explain them.
struct Model {
    memory: Vec<u8>,
    line: u32,
    data_places: u32,
    instruction_places: u32,
    /// By place: line address, dirty, bytes.
    data: BTreeMap<u32, (u32, bool, Vec<u8>)>,
    instructions: BTreeMap<u32, (u32, Vec<u8>)>,
    device: u32,
    /// Address as the hart used it.
    reserved: Option<u32>,
    transfers: usize,
}

impl Model {
    fn memory_line(&self, line: u32) -> Vec<u8> {
        let at = (line - BASE) as usize;
        self.memory[at..at + self.line as usize].to_vec()
    }

    fn write_back(&mut self, place: u32) {
        if let Some((line, dirty @ true, bytes)) = self.data.get_mut(&place) {
            let at = (*line - BASE) as usize;
            self.memory[at..at + bytes.len()].copy_from_slice(bytes);
            *dirty = false;
            self.transfers += 1;
        }
    }

    /// The bytes from which `addr` is read, brought into the cache if it is cached.
    fn bytes(&mut self, addr: u32) -> (&mut [u8], usize) {
        if addr & BYPASS != 0 {
            self.transfers += 1;
            return (&mut self.memory, (addr - BYPASS - BASE) as usize);
        }
        let line = addr & !(self.line - 1);
        let place = line / self.line % self.data_places;
        if self.data.get(&place).is_none_or(|held| held.0 != line) {
            self.write_back(place);
            if self
                .data
                .remove(&place)
                .is_some_and(|held| self.reserved.is_some_and(|r| r & !(self.line - 1) == held.0))
            {
                self.reserved = None;
            }
            self.transfers += 1;
            let bytes = self.memory_line(line);
            self.data.insert(place, (line, false, bytes));
        }
        let held = self.data.get_mut(&place).expect("just filled");
        (&mut held.2, (addr - line) as usize)
    }

    fn load(&mut self, addr: u32, width: Width) -> u32 {
        let (bytes, at) = self.bytes(addr);
        (0..width.bytes() as usize).map(|i| u32::from(bytes[at + i]) << (8 * i)).sum()
    }

    fn store(&mut self, addr: u32, width: Width, value: u32) {
        let (bytes, at) = self.bytes(addr);
        for i in 0..width.bytes() as usize {
            bytes[at + i] = (value >> (8 * i)) as u8;
        }
        if addr & BYPASS == 0 {
            let place = addr / self.line % self.data_places;
            self.data.get_mut(&place).expect("held").1 = true;
        }
    }

    fn access(&mut self, op: Op) -> Access {
        match op {
            Op::Load(DEVICE, _) => {
                self.transfers += 1;
                self.device += 1;
                Access::Done(self.device - 1)
            }
            Op::Load(addr, width) | Op::Store(addr, width, _) if addr % width.bytes() != 0 => {
                Access::Fault(AccessFault::Misaligned)
            }
            Op::Load(addr, width) => Access::Done(self.load(addr, width)),
            Op::Store(addr, width, value) => {
                self.store(addr, width, value);
                Access::Done(0)
            }
            Op::Amo(addr, op, operand) => {
                let old = self.load(addr, Width::Word);
                self.store(addr, Width::Word, op.apply(old, operand));
                // One locked transfer when it goes past the cache.
                self.transfers -= usize::from(addr & BYPASS != 0);
                Access::Done(old)
            }
            Op::LoadReserved(addr) => {
                let value = self.load(addr, Width::Word);
                self.reserved = Some(addr);
                Access::Done(value)
            }
            Op::StoreConditional(addr, value) => {
                if self.reserved.take() != Some(addr) {
                    return Access::Done(1);
                }
                self.store(addr, Width::Word, value);
                Access::Done(0)
            }
            Op::Maintain(addr, op) => {
                let line = addr & !BYPASS & !(self.line - 1);
                let place = line / self.line % self.data_places;
                if self.data.get(&place).is_some_and(|held| held.0 == line) {
                    if op != CacheOp::Invalidate {
                        self.write_back(place);
                    }
                    if op != CacheOp::Clean {
                        self.data.remove(&place);
                        self.reserved = self.reserved.filter(|r| r & !(self.line - 1) != line);
                    }
                }
                Access::Done(0)
            }
            Op::FenceI => {
                self.instructions.clear();
                Access::Done(0)
            }
            Op::Fetch(_) => unreachable!("fetches are compared by bytes"),
        }
    }

    fn fetch(&mut self, pc: u32) -> Vec<u8> {
        let line = pc & !BYPASS & !(self.line - 1);
        let place = line / self.line % self.instruction_places;
        if self.instructions.get(&place).is_none_or(|held| held.0 != line) {
            self.transfers += 1;
            let bytes = self.memory_line(line);
            self.instructions.insert(place, (line, bytes));
        }
        self.instructions[&place].1.clone()
    }
}

fn once(port: &mut CachedPort, op: Op) -> Access {
    match op {
        Op::Load(addr, width) => port.load(T, addr, width),
        Op::Store(addr, width, value) => port.store(T, addr, width, value),
        Op::Amo(addr, op, operand) => port.amo(T, addr, op, operand),
        Op::LoadReserved(addr) => port.load_reserved(T, addr),
        Op::StoreConditional(addr, value) => port.store_conditional(T, addr, value),
        Op::Maintain(addr, op) => port.cache_op(T, addr, op),
        Op::FenceI => {
            port.fence_i(T);
            Access::Done(0)
        }
        Op::Fetch(pc) => match port.fetch(T, pc) {
            engine::Fetch::Line { slot, version } => Access::Done(slot << 24 ^ version),
            engine::Fetch::Pending => Access::Pending,
            engine::Fetch::Fault(fault) => Access::Fault(fault),
        },
    }
}

fn geometry(r: &mut Random) -> (CacheGeometry, CacheGeometry) {
    let line_bytes = [8, 16, 32, 64][r.below(4) as usize];
    (
        CacheGeometry { size_bytes: line_bytes << (1 + r.below(4)), line_bytes },
        CacheGeometry { size_bytes: line_bytes << (1 + r.below(4)), line_bytes },
    )
}

fn port(icache: CacheGeometry, dcache: CacheGeometry) -> CachedPort {
    CachedPort::new(CachedPortConfig {
        icache: Some(icache),
        dcache: Some(dcache),
        cacheable: vec![(BASE, SIZE)],
        bypass_mask: BYPASS,
    })
}

#[test]
fn values_transfers_and_memory_are_the_models() {
    for_seeds(60, |r| {
        let (icache, dcache) = geometry(r);
        let (mut port, mut bus) = (port(icache, dcache), Bus::new(SIZE as usize));
        let mut model = Model {
            memory: bus.memory.clone(),
            line: dcache.line_bytes,
            data_places: dcache.size_bytes / dcache.line_bytes,
            instruction_places: icache.size_bytes / icache.line_bytes,
            data: BTreeMap::new(),
            instructions: BTreeMap::new(),
            device: bus.device,
            reserved: None,
            transfers: 0,
        };
        let mut transfers = 0;
        for step in 0..4000 {
            // Another master writes to memory, and nobody tells the caches.
            if r.below(10) == 0 {
                let at = r.below(SIZE) as usize;
                let byte = r.next() as u8;
                (bus.memory[at], model.memory[at]) = (byte, byte);
            }
            let op = random_op(r);
            if let Op::Fetch(pc) = op {
                let (line, seen) = bus.fetch(&mut port, pc);
                transfers += seen.len();
                assert_eq!(line.map(|l| l.2), Ok(model.fetch(pc)), "step {step}: {op:?}");
            } else {
                let (access, seen) = bus.access(&mut port, |p| once(p, op));
                transfers += seen.len();
                assert_eq!(access, model.access(op), "step {step}: {op:?}");
            }
            assert_eq!(transfers, model.transfers, "step {step}: {op:?}");
            assert!(bus.memory == model.memory, "step {step}: {op:?}");
            let at = BASE + r.below(SIZE);
            let held = model.data.get(&(at / model.line % model.data_places)).filter(|h| h.0 == at & !(model.line - 1));
            assert_eq!(port.peek(at), held.map(|h| h.2[(at % model.line) as usize]), "step {step}: peek");
        }
        let stats = port.stats();
        assert!(stats.dcache_misses > 100 && stats.icache_misses > 20 && stats.write_backs > 50, "{stats:?}");
    });
}

#[test]
fn a_rewound_port_is_as_it_was_and_does_the_same_again() {
    let mut rewound = [0u64; 2];
    for_seeds(60, |r| {
        let (icache, dcache) = geometry(r);
        let (mut port, mut bus) = (port(icache, dcache), Bus::new(SIZE as usize));
        for step in 0..400 {
            // Somewhere to start from.
            for _ in 0..r.below(8) {
                let op = random_op(r);
                let _ = bus.access(&mut port, |p| match op {
                    Op::Fetch(_) | Op::FenceI => Access::Done(0),
                    _ => once(p, op),
                });
                let _ = bus.fetch(&mut port, BASE + r.below(SIZE / 2) * 2);
            }
            // Sometimes the checkpoint lies between an access's reply and its repetition.
            if r.below(4) == 0 && once(&mut port, random_op(r)) == Access::Pending {
                bus.drain(&mut port);
            }
            port.checkpoint();
            let before = digest(|h| port.hash(h));
            let ops: Vec<Op> = (0..r.below(40)).map(|_| random_op(r)).collect();
            let run = |port: &mut CachedPort| {
                let mut answers = Vec::new();
                for op in &ops {
                    answers.push(once(port, *op));
                    if answers.last() == Some(&Access::Pending) {
                        break;
                    }
                }
                answers
            };
            let first = run(&mut port);
            let after = digest(|h| port.hash(h));
            rewound[usize::from(after != before)] += 1;
            port.rewind();
            assert!(digest(|h| port.hash(h)) == before, "step {step}: {ops:?}");
            assert_eq!(run(&mut port), first, "step {step}: {ops:?}");
            assert!(digest(|h| port.hash(h)) == after, "step {step}: {ops:?}");
            port.rewind();
            assert!(digest(|h| port.hash(h)) == before, "step {step}: {ops:?}");
            assert_eq!(port.request(), None, "step {step}: a request that nobody took");
        }
    });
    assert!(rewound[1] > 5000 || std::env::var("SIGNALBOX_SEED").is_ok(), "too little was undone: {rewound:?}");
}
