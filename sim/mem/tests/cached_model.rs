// SPDX-License-Identifier: Apache-2.0
//! The port with caches against a model that is nothing but lines in a map before a flat memory, and rewinding
//! against the state and the answers of the first time.

mod common;

use common::{digest, for_seeds, Bus, Random, BASE, DEVICE};
use engine::{Access, AccessFault, AmoOp, CacheOp, Cycle, HartMemory, Width};
use mem::{CacheGeometry, CachedPort, CachedPortConfig, Policy, Replacement, TightConfig, TightPorts, Victim};
use std::collections::BTreeMap;

const SIZE: u32 = 4096;
/// A tightly coupled memory.
const TIGHT: u32 = BASE + SIZE;
const TIGHT_SIZE: u32 = 128;
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
    if r.below(8) == 0 {
        addr = TIGHT + r.below(TIGHT_SIZE);
    }
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

/// A line of the model: its address, its way, whether it is dirty, its bytes.
struct Held {
    line: u32,
    way: u32,
    dirty: bool,
    bytes: Vec<u8>,
}

/// A cache as one would explain it: in each set the lines by last use, the oldest first.
struct Lines {
    geometry: CacheGeometry,
    sets: BTreeMap<u32, Vec<Held>>,
    turn: BTreeMap<u32, u32>,
    register: u32,
}

impl Lines {
    fn new(geometry: CacheGeometry, seed: u16) -> Lines {
        Lines { geometry, sets: BTreeMap::new(), turn: BTreeMap::new(), register: u32::from(seed.max(1)) }
    }

    fn line(&self, addr: u32) -> u32 {
        addr / self.geometry.line_bytes * self.geometry.line_bytes
    }

    fn set(&mut self, addr: u32) -> &mut Vec<Held> {
        let set = addr / self.geometry.line_bytes % self.geometry.sets();
        self.sets.entry(set).or_default()
    }

    fn find(&mut self, addr: u32) -> Option<&mut Held> {
        let line = self.line(addr);
        self.set(addr).iter_mut().find(|h| h.line == line)
    }

    fn touch(&mut self, addr: u32) {
        let line = self.line(addr);
        let set = self.set(addr);
        if let Some(at) = set.iter().position(|h| h.line == line) {
            let held = set.remove(at);
            set.push(held);
        }
    }

    /// Take the line away that makes room for `addr`, and say in which way there is room now.
    fn room(&mut self, addr: u32) -> (Option<Held>, u32) {
        let CacheGeometry { ways, replacement, line_bytes, .. } = self.geometry;
        let index = addr / line_bytes % self.geometry.sets();
        let (turn, register) = (self.turn.get(&index).copied().unwrap_or(0), self.register);
        let set = self.set(addr);
        if let Some(way) = (0..ways).find(|w| set.iter().all(|h| h.way != *w)) {
            return (None, way);
        }
        let way = match replacement {
            Replacement::Lru => set[0].way,
            Replacement::RoundRobin => turn,
            Replacement::Random => register * ways / 65536,
        };
        let at = set.iter().position(|h| h.way == way).expect("the set is full");
        let gone = set.remove(at);
        self.turn.insert(index, (way + 1) % ways);
        self.register = register >> 1 ^ if register & 1 == 1 { 0xb400 } else { 0 };
        (Some(gone), way)
    }
}

/// A word as a reservation names it.
fn reserved(addr: u32) -> u32 {
    if addr & !BYPASS >= TIGHT {
        return addr & !BYPASS;
    }
    addr
}

/// Caches and memory as one would explain them.
struct Model {
    memory: Vec<u8>,
    tight: Vec<u8>,
    data: Lines,
    instructions: Lines,
    policy: Policy,
    device: u32,
    /// Address as the hart used it.
    reserved: Option<u32>,
    transfers: usize,
}

impl Model {
    fn data_transfers(&self) -> usize {
        let line = self.data.geometry.line_bytes;
        line.checked_div(self.policy.data_burst).unwrap_or(1) as usize
    }

    fn memory_line(&self, line: u32, bytes: u32) -> Vec<u8> {
        let at = (line - BASE) as usize;
        self.memory[at..at + bytes as usize].to_vec()
    }

    fn write_back(&mut self, held: &mut Held) {
        if std::mem::take(&mut held.dirty) {
            let at = (held.line - BASE) as usize;
            self.memory[at..at + held.bytes.len()].copy_from_slice(&held.bytes);
            self.transfers += self.data_transfers();
        }
    }

    fn unreserve(&mut self, line: u32) {
        let bytes = self.data.geometry.line_bytes;
        self.reserved = self.reserved.filter(|r| r / bytes * bytes != line);
    }

    /// Bring a line into the data cache.
    fn bring(&mut self, addr: u32) {
        let line = self.data.line(addr);
        if self.data.find(addr).is_none() {
            let (gone, way) = self.data.room(addr);
            // Read before the victim is written, or after: it is another line.
            if let Some(mut gone) = gone {
                self.write_back(&mut gone);
                self.unreserve(gone.line);
            }
            self.transfers += self.data_transfers();
            let bytes = self.memory_line(line, self.data.geometry.line_bytes);
            self.data.set(addr).push(Held { line, way, dirty: false, bytes });
        }
        self.data.touch(addr);
    }

    fn load(&mut self, addr: u32, width: Width) -> u32 {
        let value =
            |bytes: &[u8], at: usize| (0..width.bytes() as usize).map(|i| u32::from(bytes[at + i]) << (8 * i)).sum();
        if addr & !BYPASS >= TIGHT {
            return value(&self.tight, ((addr & !BYPASS) - TIGHT) as usize);
        }
        if addr & BYPASS != 0 {
            self.transfers += 1;
            return value(&self.memory, (addr - BYPASS - BASE) as usize);
        }
        self.bring(addr);
        let held = self.data.find(addr).expect("just brought");
        value(&held.bytes, (addr - held.line) as usize)
    }

    fn store(&mut self, addr: u32, width: Width, value: u32) {
        let value = &value.to_le_bytes()[..width.bytes() as usize];
        let to_memory = |memory: &mut Vec<u8>| {
            let at = (addr & !BYPASS) - BASE;
            memory[at as usize..at as usize + value.len()].copy_from_slice(value);
        };
        if addr & !BYPASS >= TIGHT {
            let at = ((addr & !BYPASS) - TIGHT) as usize;
            return self.tight[at..at + value.len()].copy_from_slice(value);
        }
        if addr & BYPASS != 0 {
            self.transfers += 1;
            return to_memory(&mut self.memory);
        }
        if !self.policy.no_write_allocate {
            self.bring(addr);
        }
        self.data.touch(addr);
        let through = self.policy.write_through;
        let held = self.data.find(addr).map(|held| {
            let at = (addr - held.line) as usize;
            held.bytes[at..at + value.len()].copy_from_slice(value);
            held.dirty |= !through;
        });
        if held.is_none() || through {
            self.transfers += 1;
            to_memory(&mut self.memory);
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
                // One locked transfer when it goes past the cache.
                let tight = addr & !BYPASS >= TIGHT;
                let past =
                    !tight && (addr & BYPASS != 0 || self.policy.no_write_allocate && self.data.find(addr).is_none());
                if past {
                    let at = ((addr & !BYPASS) - BASE) as usize;
                    let old = u32::from_le_bytes(self.memory[at..at + 4].try_into().expect("four"));
                    self.memory[at..at + 4].copy_from_slice(&op.apply(old, operand).to_le_bytes());
                    self.transfers += 1;
                    return Access::Done(old);
                }
                let old = self.load(addr, Width::Word);
                self.store(addr, Width::Word, op.apply(old, operand));
                Access::Done(old)
            }
            Op::LoadReserved(addr) => {
                let value = self.load(addr, Width::Word);
                // Where there is one way to a word, the bypass bit makes no other.
                self.reserved = Some(reserved(addr));
                Access::Done(value)
            }
            Op::StoreConditional(addr, value) => {
                self.data.touch(addr);
                if self.reserved.take() != Some(reserved(addr)) {
                    return Access::Done(1);
                }
                self.store(addr, Width::Word, value);
                Access::Done(0)
            }
            Op::Maintain(addr, op) => {
                let line = self.data.line(addr & !BYPASS);
                let set = self.data.set(line);
                if let Some(at) = set.iter().position(|h| h.line == line) {
                    let mut held = set.remove(at);
                    if op != CacheOp::Invalidate {
                        self.write_back(&mut held);
                    }
                    if op == CacheOp::Clean {
                        self.data.set(line).insert(at, held);
                    } else {
                        self.unreserve(line);
                    }
                }
                Access::Done(0)
            }
            Op::FenceI => {
                self.instructions.sets.clear();
                Access::Done(0)
            }
            Op::Fetch(_) => unreachable!("fetches are compared by bytes"),
        }
    }

    fn fetch(&mut self, pc: u32) -> Vec<u8> {
        let addr = pc & !BYPASS;
        let line = self.instructions.line(addr);
        if addr >= TIGHT {
            let at = (line - TIGHT) as usize;
            return self.tight[at..at + self.instructions.geometry.line_bytes as usize].to_vec();
        }
        if self.instructions.find(addr).is_none() {
            let (_, way) = self.instructions.room(addr);
            let geometry = self.instructions.geometry;
            let burst =
                if self.policy.instruction_burst == 0 { geometry.line_bytes } else { self.policy.instruction_burst };
            self.transfers += (geometry.line_bytes / burst) as usize;
            let bytes = self.memory_line(line, geometry.line_bytes);
            self.instructions.set(addr).push(Held { line, way, dirty: false, bytes });
        }
        self.instructions.touch(addr);
        self.instructions.find(addr).expect("just brought").bytes.clone()
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
            // The version of a line that was stored to and put back is another one.
            engine::Fetch::Line { slot, .. } if pc & !BYPASS >= TIGHT => {
                Access::Done(port.fetch_bytes(slot).iter().fold(slot, |h, b| h.rotate_left(5) ^ u32::from(*b)))
            }
            engine::Fetch::Line { slot, version } => Access::Done(slot << 24 ^ version),
            engine::Fetch::Pending => Access::Pending,
            engine::Fetch::Fault(fault) => Access::Fault(fault),
        },
    }
}

fn geometry(r: &mut Random, line_bytes: u32) -> CacheGeometry {
    let sets = 1 << r.below(4);
    // More than 16 ways only when fully associative.
    let ways = if sets == 1 { 2 + r.below(40) } else { 1 + r.below(6) };
    let replacement = [Replacement::Lru, Replacement::RoundRobin, Replacement::Random][r.below(3) as usize];
    CacheGeometry { size_bytes: line_bytes * sets * ways, line_bytes, ways, replacement }
}

fn tight_bytes() -> Vec<u8> {
    (0..TIGHT_SIZE).map(|i| (i * 5) as u8).collect()
}

fn config(r: &mut Random) -> CachedPortConfig {
    let line_bytes = [8, 16, 32, 64][r.below(4) as usize];
    let burst = |r: &mut Random| [0, 4, 8][r.below(3) as usize];
    let policy = Policy {
        write_through: r.below(4) == 0,
        no_write_allocate: r.below(4) == 0,
        victim: [Victim::First, Victim::After, Victim::Buffered][r.below(3) as usize],
        critical_word: r.below(2) == 0,
        data_burst: burst(r),
        instruction_burst: burst(r),
        store_buffer: Default::default(),
        restart: [0, 0],
        seeds: [r.next() as u16, r.next() as u16],
    };
    let policy = if policy.victim == Victim::Buffered { Policy { data_burst: 0, ..policy } } else { policy };
    CachedPortConfig {
        icache: Some(geometry(r, line_bytes)),
        dcache: Some(geometry(r, line_bytes)),
        policy,
        cacheable: vec![(BASE, SIZE)],
        bypass_mask: BYPASS,
        tightly_coupled: vec![TightConfig {
            base: TIGHT,
            ports: TightPorts { instruction: true, data: true },
            bytes: tight_bytes(),
        }],
    }
}

#[test]
fn values_transfers_and_memory_are_the_models() {
    for_seeds(60, |r| {
        let config = config(r);
        println!("{config:?}");
        let policy = config.policy;
        let (icache, dcache) = (config.icache.expect("has one"), config.dcache.expect("has one"));
        let (mut port, mut bus) = (CachedPort::new(config), Bus::new(SIZE as usize));
        let mut model = Model {
            memory: bus.memory.clone(),
            tight: tight_bytes(),
            data: Lines::new(dcache, policy.seeds[1]),
            instructions: Lines::new(icache, policy.seeds[0]),
            policy,
            device: bus.device,
            reserved: None,
            transfers: 0,
        };
        let mut transfers = 0;
        let mut known = BTreeMap::new();
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
                let (slot, version, bytes) = line.expect("a line");
                assert_eq!(
                    known.entry((slot, version)).or_insert(bytes.clone()),
                    &bytes,
                    "step {step}: an old version"
                );
                assert_eq!(bytes, model.fetch(pc), "step {step}: {op:?}");
            } else {
                let (access, seen) = bus.access(&mut port, |p| once(p, op));
                transfers += seen.len();
                assert_eq!(access, model.access(op), "step {step}: {op:?}");
            }
            assert_eq!(transfers, model.transfers, "step {step}: {op:?}");
            assert!(bus.memory == model.memory, "step {step}: {op:?}");
            let at = TIGHT + r.below(TIGHT_SIZE);
            assert_eq!(port.peek_tight(at), Some(model.tight[(at - TIGHT) as usize]), "step {step}: peek");
            let at = BASE + r.below(SIZE);
            let held = model.data.find(at).map(|h| h.bytes[(at - h.line) as usize]);
            assert_eq!(port.peek(at), held, "step {step}: peek");
        }
        let stats = port.stats();
        assert!(stats.dcache_misses > 20 && stats.icache_misses > 20, "{stats:?}");
        assert_eq!(stats.write_backs == 0, policy.write_through, "{stats:?}");
        assert_eq!(stats.write_throughs != 0, policy.write_through || policy.no_write_allocate, "{stats:?}");
    });
}

#[test]
fn a_rewound_port_is_as_it_was_and_does_the_same_again() {
    let mut rewound = [0u64; 2];
    for_seeds(60, |r| {
        let (mut port, mut bus) = (CachedPort::new(config(r)), Bus::new(SIZE as usize));
        let mut known = BTreeMap::new();
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
            let (line, _) = bus.fetch(&mut port, TIGHT + r.below(TIGHT_SIZE / 2) * 2);
            let (slot, version, bytes) = line.expect("a line");
            assert_eq!(known.entry((slot, version)).or_insert(bytes.clone()), &bytes, "step {step}: an old version");
        }
    });
    assert!(rewound[1] > 5000 || std::env::var("SIGNALBOX_SEED").is_ok(), "too little was undone: {rewound:?}");
}
