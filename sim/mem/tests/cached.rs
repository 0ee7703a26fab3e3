// SPDX-License-Identifier: Apache-2.0
//! The port with caches, case by case: what goes to the bus, in which order, and what is seen without coherence.

mod common;

use common::{digest, Bus, BASE, DEVICE};
use engine::{
    Access, AccessFault, AmoOp, BusOp, BusReply, BusRequest, CacheOp, Cause, Cycle, Fetch, HartMemory, MasterKind,
    Width,
};
use mem::{CacheGeometry, CacheStats, CachedPort, CachedPortConfig, Policy};
use Width::{Byte, Half, Word};

const SIZE: usize = 16 * 1024;
const BYPASS: u32 = 0x8000_0000;
const T: Cycle = Cycle(0);

fn config() -> CachedPortConfig {
    CachedPortConfig {
        icache: Some(CacheGeometry::direct(1024, 32)),
        dcache: Some(CacheGeometry::direct(512, 32)),
        policy: Policy::default(),
        cacheable: vec![(BASE, SIZE as u32)],
        bypass_mask: BYPASS,
        tightly_coupled: Vec::new(),
    }
}

fn bench() -> (CachedPort, Bus) {
    (CachedPort::new(config()), Bus::new(SIZE))
}

fn load(port: &mut CachedPort, bus: &mut Bus, addr: u32, width: Width) -> (Access, Vec<BusRequest>) {
    bus.access(port, |p| p.load(T, addr, width))
}

fn store(port: &mut CachedPort, bus: &mut Bus, addr: u32, value: u32) -> Vec<BusRequest> {
    let (done, seen) = bus.access(port, |p| p.store(T, addr, Word, value));
    assert_eq!(done, Access::Done(0));
    seen
}

fn fill(line: u32) -> BusRequest {
    BusRequest { addr: line, op: BusOp::Read { bytes: 32 }, cause: Cause::Miss, master: MasterKind::Data }
}

#[test]
fn a_dirty_victim_is_written_back_before_the_line_is_read() {
    let (mut port, mut bus) = bench();
    assert_eq!(store(&mut port, &mut bus, BASE + 4, 0x1122_3344), [fill(BASE)]);
    assert_eq!(bus.memory[4], 28, "memory is not written yet");
    // The same place, another line.
    let mut line = bus.memory[0..32].to_vec();
    line[4..8].copy_from_slice(&0x1122_3344u32.to_le_bytes());
    let write_back =
        BusRequest { addr: BASE, op: BusOp::Write { data: line.into() }, cause: Cause::Miss, master: MasterKind::Data };
    let (value, seen) = load(&mut port, &mut bus, BASE + 512 + 1, Byte);
    assert_eq!(value, Access::Done(u32::from(bus.memory[513])));
    assert_eq!(seen, [write_back, fill(BASE + 512)]);
    assert_eq!(bus.memory[4..8], [0x44, 0x33, 0x22, 0x11]);
    // The victim is clean now.
    let (value, seen) = load(&mut port, &mut bus, BASE + 4, Word);
    assert_eq!((value, seen), (Access::Done(0x1122_3344), vec![fill(BASE)]));
    assert_eq!(
        port.stats(),
        CacheStats { icache_misses: 0, dcache_misses: 3, write_backs: 1, ..CacheStats::default() }
    );
}

#[test]
fn without_maintenance_the_old_value_is_read() {
    let (mut port, mut bus) = bench();
    let (old, _) = load(&mut port, &mut bus, BASE + 64, Word);
    bus.memory[64..68].copy_from_slice(&[9; 4]);
    assert_eq!(load(&mut port, &mut bus, BASE + 64, Word), (old, vec![]));
    // Past the cache the new one is seen, and the line stays.
    let (new, seen) = load(&mut port, &mut bus, BYPASS | (BASE + 64), Word);
    assert_eq!(new, Access::Done(0x0909_0909));
    let uncached =
        BusRequest { addr: BASE + 64, op: BusOp::Read { bytes: 4 }, cause: Cause::Uncached, master: MasterKind::Data };
    assert_eq!(seen, [uncached]);
    assert_eq!(load(&mut port, &mut bus, BASE + 64, Word), (old, vec![]));
    assert_eq!(bus.access(&mut port, |p| p.cache_op(T, BASE + 95, CacheOp::Invalidate)), (Access::Done(0), vec![]));
    assert_eq!(load(&mut port, &mut bus, BASE + 64, Word), (new, vec![fill(BASE + 64)]));
}

#[test]
fn cache_operations() {
    let cases = [(CacheOp::Clean, true, true), (CacheOp::Flush, true, false), (CacheOp::Invalidate, false, false)];
    for (op, write_back, held) in cases {
        let (mut port, mut bus) = bench();
        store(&mut port, &mut bus, BASE + 32, 7);
        // By the address with the bypass bit, too.
        let (done, seen) = bus.access(&mut port, |p| p.cache_op(T, BYPASS | (BASE + 40), op));
        assert_eq!(done, Access::Done(0));
        assert_eq!(seen.len(), usize::from(write_back), "{op:?}");
        assert_eq!(bus.memory[32] == 7, write_back);
        assert_eq!(port.peek(BASE + 32), held.then_some(7));
        // Clean or gone: nothing more goes to the bus.
        assert_eq!(bus.access(&mut port, |p| p.cache_op(T, BASE + 40, CacheOp::Clean)).1, []);
        // Another line in the same place is not touched.
        let (_, seen) = bus.access(&mut port, |p| p.cache_op(T, BASE + 32 + 512, CacheOp::Flush));
        assert_eq!(seen, []);
        assert_eq!(port.peek(BASE + 32).is_some(), held);
        assert_eq!(port.cache_op(T, DEVICE, op), Access::Fault(AccessFault::Unmapped));
    }
}

#[test]
fn devices_are_never_cached_and_are_accessed_once() {
    let (mut port, mut bus) = bench();
    for expected in 5..8 {
        let (value, seen) = load(&mut port, &mut bus, DEVICE, Word);
        assert_eq!((value, seen.len()), (Access::Done(expected), 1));
    }
    assert_eq!(load(&mut port, &mut bus, BYPASS | DEVICE, Word).0, Access::Done(8));
    store(&mut port, &mut bus, DEVICE, 40);
    assert_eq!(bus.device, 40);
    assert_eq!(port.peek(DEVICE), None);
}

#[test]
fn faults_answer_the_repeated_access() {
    let (mut port, mut bus) = bench();
    assert_eq!(load(&mut port, &mut bus, 0x4000_0000, Word).0, Access::Fault(AccessFault::Unmapped));
    assert_eq!(load(&mut port, &mut bus, DEVICE, Byte).0, Access::Fault(AccessFault::Refused));
    assert_eq!(bus.access(&mut port, |p| p.amo(T, DEVICE, AmoOp::Add, 1)).0, Access::Fault(AccessFault::Refused));
    for (addr, width) in
        [(BASE + 1, Word), (BASE + 2, Word), (BASE + 1, Half), (BYPASS | (BASE + 1), Half), (DEVICE + 2, Word)]
    {
        assert_eq!(load(&mut port, &mut bus, addr, width), (Access::Fault(AccessFault::Misaligned), vec![]));
    }
    // A memory that is in the map but does not answer: the fill's fault is the access's, and it is not kept.
    let mut port = CachedPort::new(CachedPortConfig { cacheable: vec![(0x2000_0000, 4096)], ..config() });
    for _ in 0..2 {
        let (access, seen) = load(&mut port, &mut bus, 0x2000_0010, Word);
        assert_eq!((access, seen.len()), (Access::Fault(AccessFault::Unmapped), 1));
        let (line, seen) = bus.fetch(&mut port, 0x2000_0010);
        assert_eq!((line, seen.len()), (Err(AccessFault::Unmapped), 1));
    }
}

#[test]
fn a_reply_of_another_shape_is_a_fault() {
    let (mut port, _) = bench();
    assert_eq!(port.load(T, BASE, Word), Access::Pending);
    assert!(port.request().is_some());
    port.complete(BusReply::Line(vec![0; 16].into()));
    assert_eq!(port.load(T, BASE, Word), Access::Fault(AccessFault::Refused));
}

#[test]
fn instructions_are_stale_until_fence_i() {
    let (mut port, mut bus) = bench();
    // The bypass bit means nothing to a fetch.
    let (line, seen) = bus.fetch(&mut port, BYPASS | (BASE + 100));
    let (slot, version, bytes) = line.expect("memory");
    assert_eq!(bytes, bus.memory[96..128]);
    let request = BusRequest { cause: Cause::Fetch, master: MasterKind::Instruction, ..fill(BASE + 96) };
    assert_eq!(seen, [request]);
    bus.memory[100] ^= 0xff;
    store(&mut port, &mut bus, BASE + 104, 0);
    assert_eq!(port.fetch(T, BASE + 96), Fetch::Line { slot, version });
    assert_eq!(port.fetch_bytes(slot), bytes);
    port.fence_i(T);
    let (line, seen) = bus.fetch(&mut port, BASE + 98);
    let (_, new_version, new_bytes) = line.expect("memory");
    assert_eq!((seen.len(), &new_bytes[..]), (1, &bus.memory[96..128]));
    assert_ne!(new_version, version);
    assert_eq!(port.fetch(T, DEVICE), Fetch::Fault(AccessFault::Unmapped));
}

#[test]
fn without_caches_data_goes_to_the_bus_and_code_through_two_lines() {
    let mut port = CachedPort::new(CachedPortConfig { icache: None, dcache: None, ..config() });
    let mut bus = Bus::new(SIZE);
    for _ in 0..2 {
        let (value, seen) = load(&mut port, &mut bus, BASE + 2, Half);
        assert_eq!(value, Access::Done(u32::from(bus.memory[2]) | u32::from(bus.memory[3]) << 8));
        assert_eq!((seen[0].cause, &seen[0].op), (Cause::Uncached, &BusOp::Read { bytes: 2 }));
    }
    store(&mut port, &mut bus, BASE, 77);
    assert_eq!(bus.memory[0], 77);
    assert_eq!(port.cache_op(T, BASE, CacheOp::Flush), Access::Done(0));
    // An instruction over two lines finds both; a third line takes the place of the first.
    for (pc, requests) in [(BASE + 30, 1), (BASE + 32, 1), (BASE + 30, 0), (BASE + 64, 1), (BASE + 32, 0), (BASE, 1)] {
        assert_eq!(bus.fetch(&mut port, pc).1.len(), requests, "{pc:#x}");
    }
    assert_eq!(port.fetch_slots(), 2);
}

#[test]
fn atomics_act_on_the_line_or_on_the_bus() {
    let (mut port, mut bus) = bench();
    store(&mut port, &mut bus, BASE, 10);
    assert_eq!(bus.access(&mut port, |p| p.amo(T, BASE, AmoOp::Add, 5)), (Access::Done(10), vec![]));
    assert_eq!(load(&mut port, &mut bus, BASE, Word).0, Access::Done(15));
    let (old, seen) = bus.access(&mut port, |p| p.amo(T, BYPASS | (BASE + 4), AmoOp::Swap, 3));
    assert_eq!(old, Access::Done(u32::from_le_bytes([28, 35, 42, 49])));
    assert_eq!(seen[0].op, BusOp::Amo { op: AmoOp::Swap, operand: 3 });
    assert_eq!(bus.memory[4], 3);
}

#[test]
fn reservations_of_the_line_and_of_the_bus() {
    let sc = |port: &mut CachedPort, bus: &mut Bus, addr| bus.access(port, |p| p.store_conditional(T, addr, 1));
    let lr = |port: &mut CachedPort, bus: &mut Bus, addr| bus.access(port, |p| p.load_reserved(T, addr));
    let (mut port, mut bus) = bench();
    // In the cache: once, only this word, and only while the line is there.
    assert_eq!(sc(&mut port, &mut bus, BASE), (Access::Done(1), vec![]));
    lr(&mut port, &mut bus, BASE);
    assert_eq!(sc(&mut port, &mut bus, BASE), (Access::Done(0), vec![]));
    assert_eq!(sc(&mut port, &mut bus, BASE), (Access::Done(1), vec![]));
    lr(&mut port, &mut bus, BASE);
    assert_eq!(sc(&mut port, &mut bus, BASE + 4).0, Access::Done(1));
    assert_eq!(sc(&mut port, &mut bus, BASE).0, Access::Done(1));
    lr(&mut port, &mut bus, BASE);
    load(&mut port, &mut bus, BASE + 512, Word);
    load(&mut port, &mut bus, BASE, Word);
    assert_eq!(sc(&mut port, &mut bus, BASE).0, Access::Done(1), "the line was away");
    lr(&mut port, &mut bus, BASE);
    bus.access(&mut port, |p| p.cache_op(T, BASE, CacheOp::Flush));
    assert_eq!(sc(&mut port, &mut bus, BASE).0, Access::Done(1), "the line was flushed");
    // On the bus.
    let uncached = BYPASS | (BASE + 64);
    assert_eq!(lr(&mut port, &mut bus, uncached).1[0].op, BusOp::LoadReserved);
    let (done, seen) = sc(&mut port, &mut bus, uncached);
    assert_eq!((done, &seen[0].op), (Access::Done(0), &BusOp::StoreConditional { value: 1 }));
    lr(&mut port, &mut bus, uncached);
    bus.reserved = None;
    assert_eq!(sc(&mut port, &mut bus, uncached).0, Access::Done(1), "somebody stored there");
    // The latest reservation counts: the one on the bus is forgotten, though the bus still has it.
    lr(&mut port, &mut bus, uncached);
    lr(&mut port, &mut bus, BASE);
    assert_eq!(sc(&mut port, &mut bus, uncached), (Access::Done(1), vec![]));
}

#[test]
fn an_uncached_value_survives_a_rewind_until_its_access_is_final() {
    let (mut port, mut bus) = bench();
    assert_eq!(port.load(T, DEVICE, Word), Access::Pending);
    assert_eq!(bus.drain(&mut port).len(), 1);
    let before = digest(|h| port.hash(h));
    assert_eq!(port.load(T, DEVICE, Word), Access::Done(5));
    port.rewind();
    assert_eq!(digest(|h| port.hash(h)), before);
    assert_eq!(port.load(T, DEVICE, Word), Access::Done(5), "the device is not read again");
    port.checkpoint();
    port.rewind();
    assert_eq!(port.load(T, DEVICE, Word), Access::Pending);
}

#[test]
fn an_answer_is_used_by_its_repetition_and_by_nothing_else() {
    // Where the rest of a line may still be on its way, the access is done when its word is there.
    let policy = Policy { critical_word: true, ..Policy::default() };
    let (mut port, mut bus) = (CachedPort::new(CachedPortConfig { policy, ..config() }), Bus::new(SIZE));
    for rewound in [false, true] {
        assert_eq!(port.load(T, BASE, Word), Access::Pending);
        bus.drain(&mut port);
        let first = port.load(T, BASE, Word);
        if rewound {
            port.rewind();
            assert!(port.is_answered());
            assert_eq!(port.load(T, BASE, Word), first);
        }
        assert!(!port.is_answered());
        bus.memory[0] += 1;
        port.cache_op(T, BASE, CacheOp::Invalidate);
        assert_eq!(port.load(T, BASE, Word), Access::Pending, "the line is gone");
        bus.drain(&mut port);
        assert_ne!(port.load(T, BASE, Word), first);
        port.cache_op(T, BASE, CacheOp::Invalidate);
        port.checkpoint();
    }
}

#[test]
fn a_request_not_taken_is_dropped_by_a_rewind() {
    let (mut port, mut bus) = bench();
    store(&mut port, &mut bus, BASE, 1);
    port.checkpoint();
    store(&mut port, &mut bus, BASE + 4, 2);
    assert_eq!(port.load(T, BASE + 512, Word), Access::Pending);
    port.rewind();
    assert_eq!(port.request(), None);
    assert_eq!(load(&mut port, &mut bus, BASE + 4, Word).0, Access::Done(u32::from_le_bytes([28, 35, 42, 49])));
    // Taken: it is final, and so is what came before it.
    store(&mut port, &mut bus, BASE + 8, 3);
    assert_eq!(port.load(T, BASE + 512, Word), Access::Pending);
    let write_back = port.request().expect("the victim is dirty");
    port.rewind();
    port.complete(bus.serve(&write_back));
    assert_eq!(port.request(), Some(fill(BASE + 512)));
    assert_eq!(bus.memory[8], 3);
}
