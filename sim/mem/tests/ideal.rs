// SPDX-License-Identifier: Apache-2.0
//! The port without caches: what is answered until when, what other harts see, and what a rewind brings back.

mod common;

use common::{digest, for_seeds, Bus, BASE, DEVICE};
use engine::{
    Access, AccessFault, AmoOp, BusOp, BusReply, CacheOp, Cause, Cycle, Fetch, HartMemory, MasterKind, Width,
};
use mem::{Backing, IdealPort, IdealView, Init, Reservations};
use Width::{Byte, Half, Word};

const SIZE: u32 = 0x4_0000;

/// Some harts before one memory.
struct Harts {
    ports: Vec<IdealPort>,
    memories: Vec<Backing>,
    reservations: Reservations,
}

impl Harts {
    fn new(harts: usize) -> Harts {
        let memories = vec![Backing::new(0x100, 0x100, Init::Zero), Backing::new(BASE, SIZE, Init::Random(3))];
        Harts {
            ports: (0..harts).map(|_| IdealPort::new()).collect(),
            memories,
            reservations: Reservations::new(harts),
        }
    }

    fn view(&mut self, hart: usize, ordered_until: u64) -> IdealView<'_> {
        IdealView::new(&mut self.ports[hart], &mut self.memories, &mut self.reservations, hart, Cycle(ordered_until))
    }

    /// A view that answers everything at once.
    fn now(&mut self, hart: usize) -> IdealView<'_> {
        self.view(hart, u64::MAX)
    }

    fn line(&mut self, hart: usize, pc: u32) -> (u32, u32, Vec<u8>) {
        let mut view = self.now(hart);
        match view.fetch(Cycle(0), pc) {
            Fetch::Line { slot, version } => (slot, version, view.fetch_bytes(slot).to_vec()),
            other => panic!("{other:?}"),
        }
    }

    fn digest(&self, hart: usize) -> Vec<u64> {
        digest(|h| self.ports[hart].hash(h))
    }
}

/// One access of each kind to shared memory.
type Try = fn(&mut IdealView<'_>, Cycle) -> Access;

const ACCESSES: [Try; 6] = [
    |v, t| v.load(t, BASE, Word),
    |v, t| v.store(t, BASE, Word, 1),
    |v, t| v.amo(t, BASE, AmoOp::Add, 1),
    |v, t| v.load_reserved(t, BASE),
    |v, t| v.store_conditional(t, BASE, 1),
    |v, t| match v.fetch(t, BASE) {
        Fetch::Line { .. } => Access::Done(0),
        Fetch::Pending => Access::Pending,
        Fetch::Fault(fault) => Access::Fault(fault),
    },
];

#[test]
fn answered_at_n_minus_1_and_suspended_at_n() {
    for (i, access) in ACCESSES.into_iter().enumerate() {
        let mut harts = Harts::new(1);
        assert!(matches!(access(&mut harts.view(0, 100), Cycle(99)), Access::Done(_)), "access {i}");
        let mut harts = Harts::new(1);
        let mut view = harts.view(0, 100);
        assert_eq!(access(&mut view, Cycle(100)), Access::Pending, "access {i}");
        let request = view.request().expect("suspended");
        let fetch = i == 5;
        assert_eq!((request.addr, request.op), (BASE, BusOp::Order));
        assert_eq!(request.cause, if fetch { Cause::Fetch } else { Cause::Uncached });
        assert_eq!(request.master, if fetch { MasterKind::Instruction } else { MasterKind::Data });
        view.complete(BusReply::Value(0));
        assert_eq!(view.request(), None);
        // In its turn it is done, even if the owner says no new time; the next one is suspended again.
        assert!(matches!(access(&mut view, Cycle(100)), Access::Done(_)), "access {i}");
        if !fetch {
            assert_eq!(access(&mut view, Cycle(101)), Access::Pending, "access {i}");
        }
    }
}

#[test]
fn a_suspended_access_does_nothing_until_its_turn() {
    let mut harts = Harts::new(2);
    let old = harts.memories[1].load(BASE, Word);
    assert_eq!(harts.view(0, 0).store(Cycle(5), BASE, Word, 77), Access::Pending);
    assert_eq!(harts.now(1).load(Cycle(5), BASE, Word), Access::Done(old));
    harts.view(0, 0).rewind();
    assert_eq!(harts.view(0, 0).request(), None, "dropped");
    assert_eq!(harts.memories[1].load(BASE, Word), old);
}

#[test]
fn misaligned_accesses_are_split_in_memory_alone() {
    let mut harts = Harts::new(1);
    harts.memories[1].write(BASE, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let mut view = harts.now(0);
    assert_eq!(view.load(Cycle(0), BASE + 1, Word), Access::Done(0x0504_0302));
    assert_eq!(view.store(Cycle(0), BASE + 3, Half, 0xbbaa), Access::Done(0));
    assert_eq!(view.load(Cycle(0), BASE, Word), Access::Done(0xaa03_0201));
    let misaligned = Access::Fault(AccessFault::Misaligned);
    assert_eq!(view.amo(Cycle(0), BASE + 2, AmoOp::Add, 1), misaligned);
    assert_eq!(view.load_reserved(Cycle(0), BASE + 1), misaligned);
    assert_eq!(view.load(Cycle(0), DEVICE + 2, Word), misaligned);
    // Over the end of the memory, and the last byte.
    assert_eq!(view.load(Cycle(0), BASE + SIZE - 2, Word), misaligned);
    assert!(matches!(view.load(Cycle(0), BASE + SIZE - 1, Byte), Access::Done(_)));
}

#[test]
fn devices_are_reached_by_the_bus_once() {
    let (mut harts, mut bus) = (Harts::new(1), Bus::new(0));
    let mut view = harts.now(0);
    for expected in [5, 6] {
        let (value, seen) = bus.access(&mut view, |v| v.load(Cycle(0), DEVICE, Word));
        assert_eq!((value, seen.len(), seen[0].cause), (Access::Done(expected), 1, Cause::Uncached));
    }
    assert_eq!(bus.access(&mut view, |v| v.store(Cycle(0), DEVICE, Byte, 1)).0, Access::Fault(AccessFault::Refused));
    assert_eq!(bus.access(&mut view, |v| v.load(Cycle(0), 0x10, Word)).0, Access::Fault(AccessFault::Unmapped));
    assert_eq!(view.cache_op(Cycle(0), BASE, CacheOp::Flush), Access::Done(0));
    assert_eq!(view.cache_op(Cycle(0), DEVICE, CacheOp::Flush), Access::Fault(AccessFault::Unmapped));
    assert_eq!(view.fetch(Cycle(0), DEVICE), Fetch::Fault(AccessFault::Unmapped));
    // A value that has come survives a rewind until its access is final.
    assert_eq!(view.load(Cycle(0), DEVICE, Word), Access::Pending);
    bus.drain(&mut view);
    assert_eq!(view.load(Cycle(0), DEVICE, Word), Access::Done(7));
    view.rewind();
    assert_eq!(view.load(Cycle(0), DEVICE, Word), Access::Done(7));
}

#[test]
fn own_stores_are_fetched_and_others_after_fence_i() {
    let mut harts = Harts::new(2);
    let (slot, version, _) = harts.line(0, BASE + 0x46);
    // Its own store, misaligned into the line.
    let _ = harts.now(0).store(Cycle(0), BASE + 0x3e, Word, 0xddcc_bbaa);
    let (_, second, bytes) = harts.line(0, BASE + 0x40);
    assert_ne!(second, version);
    assert_eq!(bytes[..2], [0xcc, 0xdd]);
    // Neighbours and the same place of another line change nothing.
    let _ = harts.now(0).store(Cycle(0), BASE + 0x60, Word, 1);
    let _ = harts.now(0).store(Cycle(0), BASE + 0x40 + 4096 * 32, Word, 1);
    assert_eq!(harts.line(0, BASE + 0x40).1, second);
    // Another hart's.
    let _ = harts.now(1).store(Cycle(0), BASE + 0x40, Byte, 0x11);
    assert_eq!(harts.line(0, BASE + 0x40), (slot, second, bytes));
    harts.now(0).fence_i(Cycle(0));
    let (_, third, bytes) = harts.line(0, BASE + 0x40);
    assert_ne!(third, second);
    assert_eq!(bytes[..2], [0x11, 0xdd]);
}

#[test]
fn a_fence_i_that_ran_ahead_is_undone() {
    let mut harts = Harts::new(1);
    let held = harts.line(0, BASE);
    harts.now(0).checkpoint();
    let before = harts.digest(0);
    let mut ahead = harts.view(0, 10);
    ahead.fence_i(Cycle(20));
    assert_eq!(ahead.fetch(Cycle(21), BASE), Fetch::Pending);
    ahead.rewind();
    assert_eq!(ahead.request(), None);
    assert_eq!(ahead.fetch(Cycle(11), BASE), Fetch::Line { slot: held.0, version: held.1 });
    assert_eq!(harts.digest(0), before);
    assert_eq!(harts.line(0, BASE), held);
    // And one that is final is not, nor is it confused with the undone one.
    harts.now(0).fence_i(Cycle(30));
    harts.now(0).checkpoint();
    harts.now(0).rewind();
    assert_ne!(harts.line(0, BASE).1, held.1);
}

/// The owner's bug, found in debug builds: what is final cannot be rewound.
#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "checkpoint at ordered_until")]
fn a_rewind_past_a_final_store_is_refused() {
    let mut harts = Harts::new(1);
    let mut view = harts.view(0, 10);
    assert_eq!(view.store(Cycle(9), BASE, Word, 1), Access::Done(0));
    view.rewind();
}

#[test]
fn reservations_are_shared() {
    let mut harts = Harts::new(2);
    let t = Cycle(0);
    assert_eq!(harts.now(0).store_conditional(t, BASE, 5), Access::Done(1));
    let _ = harts.now(0).load_reserved(t, BASE);
    assert_eq!(harts.now(0).store_conditional(t, BASE, 5), Access::Done(0));
    assert_eq!(harts.now(1).load(t, BASE, Word), Access::Done(5));
    // Both reserve; the second store-conditional fails.
    let _ = harts.now(0).load_reserved(t, BASE);
    let _ = harts.now(1).load_reserved(t, BASE);
    assert_eq!(harts.now(1).store_conditional(t, BASE, 6), Access::Done(0));
    assert_eq!(harts.now(0).store_conditional(t, BASE, 7), Access::Done(1));
    // A byte and an atomic of another hart break it, too; its own store does not.
    for (breaks, access) in [
        (true, (|v, t| v.store(t, BASE + 3, Byte, 0)) as Try),
        (true, |v, t| v.amo(t, BASE, AmoOp::Or, 0)),
        (false, |v, t| v.store(t, BASE + 4, Word, 0)),
        (false, |v, t| v.load(t, BASE, Word)),
    ] {
        let _ = harts.now(0).load_reserved(t, BASE);
        access(&mut harts.now(1), t);
        assert_eq!(harts.now(0).store_conditional(t, BASE, 0), Access::Done(u32::from(breaks)));
    }
    let _ = harts.now(0).load_reserved(t, BASE);
    let _ = harts.now(0).store(t, BASE, Word, 9);
    assert_eq!(harts.now(0).store_conditional(t, BASE, 0), Access::Done(0));
}

/// Harts in a random order, each with a random horizon, against flat bytes: whoever is suspended acts in its turn.
#[test]
fn all_harts_see_one_memory() {
    for_seeds(40, |r| {
        let mut harts = Harts::new(3);
        let mut flat = vec![0; 256];
        harts.memories[1].read(BASE, &mut flat);
        let mut reserved: [Option<usize>; 3] = [None; 3];
        for step in 0..3000u64 {
            let hart = r.below(3) as usize;
            let width = [Byte, Half, Word][r.below(3) as usize];
            let at = r.below(250) as usize;
            let word = at & !3;
            let value = r.next() as u32;
            let n = width.bytes() as usize;
            let get =
                |flat: &[u8], at: usize, n: usize| (0..n).map(|i| u32::from(flat[at + i]) << (8 * i)).sum::<u32>();
            let put = |flat: &mut Vec<u8>, reserved: &mut [Option<usize>; 3], at: usize, n: usize, value: u32| {
                flat[at..at + n].copy_from_slice(&value.to_le_bytes()[..n]);
                for (other, word) in reserved.iter_mut().enumerate() {
                    if other != hart && word.is_some_and(|w| w < at + n && at < w + 4) {
                        *word = None;
                    }
                }
            };
            let which = r.below(5);
            let expected = match which {
                0 => get(&flat, at, n),
                1 => {
                    put(&mut flat, &mut reserved, at, n, value);
                    0
                }
                2 => {
                    let old = get(&flat, word, 4);
                    put(&mut flat, &mut reserved, word, 4, old ^ value);
                    old
                }
                3 => {
                    reserved[hart] = Some(word);
                    get(&flat, word, 4)
                }
                _ if reserved[hart] == Some(word) => {
                    put(&mut flat, &mut reserved, word, 4, value);
                    reserved[hart] = None;
                    0
                }
                _ => {
                    reserved[hart] = None;
                    1
                }
            };
            let now = Cycle(step);
            let mut view = harts.view(hart, step + u64::from(r.below(2)));
            let access = |v: &mut IdealView<'_>| match which {
                0 => v.load(now, BASE + at as u32, width),
                1 => v.store(now, BASE + at as u32, width, value),
                2 => v.amo(now, BASE + word as u32, AmoOp::Xor, value),
                3 => v.load_reserved(now, BASE + word as u32),
                _ => v.store_conditional(now, BASE + word as u32, value),
            };
            let mut answer = access(&mut view);
            if answer == Access::Pending {
                assert_eq!(view.request().map(|q| q.op), Some(BusOp::Order));
                view.complete(BusReply::Value(0));
                answer = access(&mut view);
            }
            assert_eq!(answer, Access::Done(expected), "step {step}: access {which} of hart {hart}");
            if r.below(20) == 0 {
                // The hart's own code is what it stored last.
                let pc = BASE + r.below(8) * 32;
                let from = (pc - BASE) as usize;
                harts.now(hart).fence_i(now);
                assert_eq!(harts.line(hart, pc).2, flat[from..from + 32]);
            }
        }
        let mut bytes = vec![0; 256];
        harts.memories[1].read(BASE, &mut bytes);
        assert_eq!(bytes, flat);
    });
}
