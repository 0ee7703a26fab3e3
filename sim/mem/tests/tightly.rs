// SPDX-License-Identifier: Apache-2.0
//! Tightly coupled memories of a port, case by case; `cached_model.rs` compares them with a model.

mod common;

use common::{digest, Bus, BASE};
use engine::{Access, AccessFault, AmoOp, CacheOp, Cycle, Fetch, HartMemory, Width};
use mem::{CacheGeometry, CachedPort, CachedPortConfig, Policy, TightConfig, TightPorts};
use Width::{Byte, Half, Word};

const CODE: u32 = 0x2000_0000;
const DATA: u32 = 0x3000_0000;
const BOTH: u32 = 0x4000_0000;
const BYPASS: u32 = 0x8000_0000;
const T: Cycle = Cycle(0);

fn port() -> CachedPort {
    let tight = |base, instruction, data| TightConfig {
        base,
        ports: TightPorts { instruction, data },
        bytes: (0..128).map(|i| i as u8).collect(),
    };
    CachedPort::new(CachedPortConfig {
        icache: Some(CacheGeometry::direct(256, 32)),
        dcache: Some(CacheGeometry::direct(256, 32)),
        policy: Policy::default(),
        cacheable: vec![(BASE, 4096)],
        bypass_mask: BYPASS,
        tightly_coupled: vec![tight(CODE, true, false), tight(DATA, false, true), tight(BOTH, true, true)],
    })
}

#[test]
fn accesses_are_answered_at_once_and_leave_the_caches_alone() {
    let mut p = port();
    assert_eq!(p.load(T, DATA + 6, Half), Access::Done(0x0706));
    assert_eq!(p.load_at_once(T, DATA + 127, Byte), Some(127));
    assert_eq!(p.store(T, DATA + 5, Byte, 0x1ff), Access::Done(0));
    assert!(p.store_at_once(T, DATA + 6, Half, 0xabcd));
    // The bypass bit is not part of the address, and here is nothing to bypass.
    assert_eq!(p.load(T, BYPASS | (DATA + 4), Word), Access::Done(0xabcd_ff04));
    assert_eq!(p.amo(T, DATA + 4, AmoOp::Swap, 7), Access::Done(0xabcd_ff04));
    assert_eq!(p.load(T, DATA + 4, Word), Access::Done(7));
    for op in [CacheOp::Clean, CacheOp::Flush, CacheOp::Invalidate] {
        assert_eq!(p.cache_op(T, DATA + 4, op), Access::Done(0));
    }
    assert_eq!(p.load(T, DATA + 4, Word), Access::Done(7), "there is one copy");
    assert_eq!((p.fence(T), p.request()), (Access::Done(0), None));
    assert!(!p.holds(DATA + 4));
    assert_eq!((p.stats().dcache_misses, p.stats().icache_misses), (0, 0));
}

#[test]
fn misaligned_accesses_and_ends_are_faults() {
    let mut p = port();
    for (addr, width) in [(DATA + 1, Half), (DATA + 2, Word), (DATA + 126, Word)] {
        assert_eq!(p.load(T, addr, width), Access::Fault(AccessFault::Misaligned));
        assert_eq!(p.load_at_once(T, addr, width), None);
        assert!(!p.store_at_once(T, addr, width, 0));
    }
    // Behind the end is nothing: it goes to the bus, where nobody answers.
    assert_eq!(p.load(T, DATA + 128, Word), Access::Pending);
}

#[test]
fn a_port_that_is_not_there_refuses() {
    let (mut p, mut bus) = (port(), Bus::new(4096));
    let refused = Access::Fault(AccessFault::Refused);
    assert_eq!(p.load(T, CODE, Word), refused);
    assert_eq!(p.store(T, CODE, Word, 1), refused);
    assert_eq!(p.amo(T, CODE, AmoOp::Add, 1), refused);
    assert_eq!(p.cache_op(T, CODE, CacheOp::Clean), refused);
    assert_eq!(p.load_at_once(T, CODE, Word), None);
    assert!(!p.store_at_once(T, CODE, Word, 1));
    assert_eq!(p.fetch(T, DATA), Fetch::Fault(AccessFault::Refused));
    assert_eq!(p.fetch_at_once(T, DATA), None);
    let (line, seen) = bus.fetch(&mut p, CODE + 34);
    let (slot, _, bytes) = line.expect("a line");
    assert_eq!((bytes, seen.len()), ((32..64).collect(), 0));
    assert!((8..p.fetch_slots()).contains(&slot), "{slot} is no place of the cache");
    assert_eq!(p.fetch_slots(), 8 + 4 + 4);
}

#[test]
fn a_store_to_code_is_new_code() {
    let mut p = port();
    let Fetch::Line { slot, version } = p.fetch(T, BOTH + 64) else { panic!("a line") };
    let generation = p.fetch_generation();
    // Another line.
    assert!(p.store_at_once(T, BOTH, Word, 1));
    assert!(!p.code_changed() && p.fetch_generation() == generation);
    // Blocks leave it to the loop, which asks.
    assert!(!p.store_at_once(T, BOTH + 68, Word, 1));
    assert_eq!(p.store(T, BOTH + 68, Word, 0x1234), Access::Done(0));
    assert!(p.code_changed() && !p.code_changed());
    assert_ne!(p.fetch_generation(), generation);
    let Fetch::Line { slot: again, version: new } = p.fetch(T, BOTH + 64) else { panic!("a line") };
    assert!(again == slot && new != version);
    assert_eq!(p.fetch_bytes(slot)[4..8], [0x34, 0x12, 0, 0]);
    p.rewind();
    let Fetch::Line { version: old, .. } = p.fetch(T, BOTH + 64) else { panic!("a line") };
    assert!(old != new, "it is another line again");
    assert_eq!(p.fetch_bytes(slot)[4..8], [68, 69, 70, 71]);
}

#[test]
fn reservations_stand_until_they_are_used() {
    let mut p = port();
    assert_eq!(p.store_conditional(T, DATA, 9), Access::Done(1));
    assert_eq!(p.load_reserved(T, DATA), Access::Done(0x0302_0100));
    assert_eq!(p.store_conditional(T, DATA + 4, 9), Access::Done(1), "another word");
    assert_eq!(p.load_reserved(T, DATA), Access::Done(0x0302_0100));
    assert_eq!(p.store_conditional(T, DATA, 9), Access::Done(0));
    assert_eq!(p.store_conditional(T, DATA, 10), Access::Done(1));
    assert_eq!(p.load(T, DATA, Word), Access::Done(9));
}

#[test]
fn stores_are_undone_and_hashed() {
    let mut p = port();
    p.store(T, DATA, Word, 1);
    p.checkpoint();
    let before = digest(|h| p.hash(h));
    p.store(T, DATA, Byte, 2);
    p.amo(T, DATA, AmoOp::Add, 5);
    p.store(T, BOTH + 124, Half, 0xffff);
    let after = digest(|h| p.hash(h));
    assert_ne!(before, after);
    p.rewind();
    assert_eq!(digest(|h| p.hash(h)), before);
    assert_eq!(p.load(T, DATA, Word), Access::Done(1));
    assert_eq!(p.peek_tight(BOTH + 124), Some(124));
}
