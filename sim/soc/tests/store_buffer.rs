// SPDX-License-Identifier: Apache-2.0
//! Store buffers in a machine, to the cycle: what stores cost, who waits for them, and when others see them.
//!
//! Memory: a request takes a cycle, a word 5, a line of 32 bytes 40, the answer one. So a store that enters at 0 is granted at 1 and its place
//! is free at 7; a line that is asked for at t is there at t + 42.

#[path = "../../hart/tests/common/asm.rs"]
mod asm;

use asm::*;
use soc::{Cycle, Image, Machine, StopReason};
use std::path::Path;

const RAM: u32 = 0x0080_0000;
const CODE: u32 = 0x1000_0000;
const DATA: u32 = 0x2000_0000;
const DEVICE: u32 = 0x0200_0000;
const BYPASS: u32 = 0x8000_0000;
const MCYCLE: u32 = 0xb00;

fn platform(depth: u32, forwards: bool) -> config::Platform {
    let text = format!(
        r#"
schema = 1
name = "buffered"
clock_hz = 50_000_000
default_memory = "ram"
bypass_mask = {BYPASS:#x}
[seeded]
registers = false
memory = false
start_skew_cycles = 0
[interconnect]
request_cycles = 1
response_cycles = 1
[[core]]
count = 2
class = "ideal"
dcache = {{ size_bytes = 512, line_bytes = 32, write = "through", allocate = false }}
[[memory]]
name = "ram"
base = {RAM:#x}
size_bytes = 0x1_0000
kind = "sram"
width_bits = 32
access_cycles = 5
[[memory]]
name = "code"
per_core = true
base = {CODE:#x}
size_bytes = 4096
kind = "tightly_coupled"
[[memory]]
name = "data"
per_core = true
base = {DATA:#x}
size_bytes = 4096
kind = "tightly_coupled"
[[device]]
name = "clint"
model = "clint"
base = {DEVICE:#x}
size_bytes = 0x1_0000
hz = 50_000_000
"#
    );
    let platforms = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../platforms");
    let mut platform = config::platform_resolve(&text, "buffered.toml", &[platforms]).unwrap_or_else(|e| panic!("{e}"));
    for core in &mut platform.cores {
        core.class.store_buffer = depth;
        core.class.store_buffer_load = forwards.then_some(config::BufferedLoad::Forward);
    }
    platform
}

fn image(words: &[u32]) -> Image {
    let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    Image::raw("program", bytes, CODE).unwrap_or_else(|e| panic!("{e}"))
}

/// x5 points to memory, x6 to the same past the cache, x7 to a device, x8 to the core's own memory.
const SETUP: [fn() -> u32; 4] =
    [|| lui(5, RAM + 0x1000), || lui(6, BYPASS | (RAM + 0x1000)), || lui(7, DEVICE), || lui(8, DATA)];

/// Cycles of `body`, and the word at 4 of the core's own memory. `setup` is done before, and has nothing left to do.
fn run(depth: u32, forwards: bool, setup: &[u32], body: &[u32]) -> (u32, u32) {
    let reading = |body: &[u32]| {
        let mut words: Vec<u32> = SETUP.iter().map(|i| i()).collect();
        words.extend(setup);
        words.push(FENCE);
        words.push(csrrs(20, MCYCLE, 0));
        words.extend(body);
        words.extend([csrrs(21, MCYCLE, 0), op(32, 0, 21, 21, 20), sw(21, 8, 0), jal(0, 0)]);
        let mut m = Machine::new(&platform(depth, forwards), vec![(image(&words), vec![0])], 1, false)
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(m.run(Cycle(3000)).stop, StopReason::Budget);
        let bytes = m.read(0, DATA, 8).expect("memory");
        let word = |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
        (word(0), word(4))
    };
    let (cycles, seen) = reading(body);
    (cycles - reading(&[]).0, seen)
}

fn cycles(depth: u32, forwards: bool, body: &[u32]) -> u32 {
    run(depth, forwards, &[], body).0
}

fn stores(n: i32) -> Vec<u32> {
    (0..n).map(|i| sw(0, 5, 4 * i)).collect()
}

#[test]
fn a_store_retires_when_it_is_in_the_buffer() {
    for n in 1..8 {
        assert_eq!(cycles(0, false, &stores(n)), 8 * n as u32, "{n} stores that are waited for");
    }
    for depth in 1..6u32 {
        for n in 1..8u32 {
            // One that finds no room goes in when the oldest is answered, 7 after the one before it.
            let waits = n.saturating_sub(depth);
            let expected = if waits == 0 { n } else { 7 * waits + 1 };
            assert_eq!(cycles(depth, false, &stores(n as i32)), expected, "{n} stores, depth {depth}");
            assert_eq!(cycles(depth, true, &stores(n as i32)), expected, "{n} stores, depth {depth}");
        }
    }
}

#[test]
fn a_full_buffer_stalls_until_the_cycle_in_which_there_is_room() {
    // The place of the first store is free at 7: a third one at 6 waits one cycle, at 7 none.
    for nops in 0..10 {
        let mut body = stores(2);
        body.extend(vec![NOP; nops]);
        body.push(sw(0, 5, 8));
        let (at, expected) = (2 + nops as u32, 8.max(2 + nops as u32 + 1));
        assert_eq!(cycles(2, false, &body), expected, "a store at {at}");
    }
}

#[test]
fn loads_that_hit_go_on_and_see_the_store() {
    let held = [lw(9, 5, 0)];
    for forwards in [false, true] {
        let body = [addi(9, 0, 77), sw(9, 5, 4), lw(10, 5, 4), sw(10, 8, 4)];
        assert_eq!(run(4, forwards, &held, &body), (4, 77));
    }
}

#[test]
fn loads_that_miss_wait_or_go_first_as_the_class_says() {
    let other = lw(10, 5, 64);
    // Two stores at 0 and 1, done at 7 and 14. The line is asked for at 14, there at 56.
    assert_eq!(cycles(4, false, &[stores(2), vec![other]].concat()), 57);
    // At 7, when the port is free; the second store goes when the line is there, at 49, and is done at 56.
    assert_eq!(cycles(4, true, &[stores(2), vec![other]].concat()), 50);
    assert_eq!(cycles(4, true, &[stores(2), vec![other, FENCE]].concat()), 57);
    assert_eq!(cycles(4, false, &[stores(2), vec![other, FENCE]].concat()), 58);
    // A load at 6 waits one cycle, at 7 none; at 8 the second store is on its way, and it waits until 14.
    for nops in 3..9u32 {
        let body = [stores(2), vec![NOP; nops as usize], vec![other]].concat();
        let asked = if 2 + nops <= 7 { 7 } else { 14 };
        assert_eq!(cycles(4, true, &body), 43 + asked, "a load at {}", 2 + nops);
    }
}

#[test]
fn loads_of_what_is_in_the_buffer_wait_or_find_it_there() {
    let body = [addi(9, 0, 0x123), sw(9, 5, 0), lw(10, 5, 0), sw(10, 8, 4)];
    // The store at 1 is done at 8; the line is there at 50.
    assert_eq!(run(4, false, &[], &body), (52, 0x123));
    assert_eq!(run(4, true, &[], &body), (4, 0x123));
    // The newest of several, byte by byte; a byte from each.
    let two = [addi(9, 0, 0x123), sw(9, 5, 0), addi(9, 0, 0x45), store(0, 9, 5, 1), lw(10, 5, 0), sw(10, 8, 4)];
    assert_eq!(run(4, true, &[], &two), (6, 0x4523));
    let half =
        [addi(9, 0, 0x12), store(0, 9, 5, 0), addi(9, 0, 0x34), store(0, 9, 5, 1), load(5, 10, 5, 0), sw(10, 8, 4)];
    assert_eq!(run(4, true, &[], &half), (6, 0x3412));
    // A part of a word is not enough: the line is asked for when the store is done.
    let part = [addi(9, 0, 0x12), store(0, 9, 5, 0), lw(10, 5, 0), sw(10, 8, 4)];
    assert_eq!(run(4, true, &[], &part), (52, 0x12));
    // Another word of the line: it waits for that, too, or the line would lack the store.
    let line = [addi(9, 0, 0x12), sw(9, 5, 0), lw(10, 5, 4), lw(10, 5, 0), sw(10, 8, 4)];
    assert_eq!(run(4, true, &[], &line), (53, 0x12));
    // When it has been done, memory is asked: at 8, not at 7.
    for nops in 0..10u32 {
        let body = [vec![addi(9, 0, 1), sw(9, 5, 0)], vec![NOP; nops as usize], vec![lw(10, 5, 0)]].concat();
        let at = 2 + nops;
        assert_eq!(cycles(4, true, &body), if at < 8 { at + 1 } else { at + 43 }, "a load at {at}");
    }
}

#[test]
fn posted_stores_are_done_when_memory_is_granted() {
    let cycles = |n: i32, more: &[u32]| {
        let mut words: Vec<u32> = SETUP.iter().map(|i| i()).collect();
        words.extend([csrrs(20, MCYCLE, 0)]);
        words.extend([stores(n), more.to_vec()].concat());
        words.extend([csrrs(21, MCYCLE, 0), op(32, 0, 21, 21, 20), sw(21, 8, 0), jal(0, 0)]);
        let mut platform = platform(2, false);
        platform.cores[0].class.store_buffer_posted = true;
        platform.cores[0].class.line_load = 3;
        let mut m = Machine::new(&platform, vec![(image(&words), vec![0])], 1, false).expect("a machine");
        m.run(Cycle(3000));
        m.read(0, DATA, 4).expect("memory").iter().rev().fold(0, |v, b| v << 8 | u32::from(*b)) - 1
    };
    // At 0, granted at 1; the second one at 1 arrives at 2 and is granted at 6, the third one, which has entered at 2, is issued
    // then and granted at 11, the fourth one at 16. So the fourth store finds room at 6, the fifth one at 11.
    assert_eq!([1, 2, 3, 4, 5].map(|n| cycles(n, &[])), [1, 2, 3, 7, 12]);
    assert_eq!(cycles(1, &[FENCE]), 2);
    assert_eq!(cycles(2, &[FENCE]), 7);
    assert_eq!(cycles(3, &[FENCE]), 12);
    // The line is asked for at 6, arrives at 7, is granted at 11, complete at 52; the core needs 3 more, then the load's own.
    assert_eq!(cycles(2, &[lw(10, 5, 64)]), 52 + 3 + 1);
}

#[test]
fn what_orders_waits_until_the_buffer_is_empty() {
    let expected = [
        (FENCE, 15),
        (FENCE_I, 15),
        // A locked read and write of 5 each, with request and answer.
        (amo(0, 10, 0, 5), 14 + 12 + 1),
        (amo(2, 10, 0, 5), 14 + 42 + 1),
        (cbo(1, 5), 15),
        (cbo(0, 5), 15),
        (lw(10, 6, 64), 14 + 7 + 1),
        // A store past the cache goes in like the others; one to a device does not.
        (sw(0, 6, 64), 3),
        (sw(0, 7, 4), 14 + 3 + 1),
        (lw(10, 7, 4), 14 + 3 + 1),
    ];
    for (instruction, cycles_of) in expected {
        for forwards in [false, true] {
            let got = cycles(4, forwards, &[stores(2), vec![instruction]].concat());
            assert_eq!(got, cycles_of, "{instruction:#010x}, forwards: {forwards}");
        }
    }
    // An atomic in a line that is held goes to memory all the same, behind the stores; its write is a transfer of 7.
    let body = [stores(2), vec![amo(0, 10, 0, 5)]].concat();
    assert_eq!(run(4, false, &[lw(9, 5, 0)], &body).0, 14 + 7 + 1);
}

#[test]
fn a_store_that_is_refused_is_known_to_its_instruction() {
    let mut words: Vec<u32> = SETUP.iter().map(|i| i()).collect();
    words.extend([lui(9, 0x7000_0000), sw(0, 5, 0), sw(0, 9, 0), NOP, NOP]);
    let mut m = Machine::new(&platform(4, false), vec![(image(&words), vec![0])], 1, false).expect("a machine");
    assert_eq!(m.run(Cycle(3000)).stop, StopReason::Fault);
    assert_eq!(m.fault().map(|f| (f.cause, f.pc, f.address)), Some((7, CODE + 6 * 4, 0x7000_0000)));
}

/// What core 1 reads past its cache of a word that core 0 stores to, by the cycle at which it asks.
fn seen_by_another(depth: u32) -> Vec<u32> {
    (0..24)
        .map(|nops| {
            let branch_to_one = [csrrs(9, 0xf14, 0), bne(9, 0, 4 * 64)];
            let mut words: Vec<u32> = SETUP.iter().map(|i| i()).collect();
            words.extend(branch_to_one);
            words.extend([addi(9, 0, 1), sw(9, 5, 128), sw(9, 5, 0), jal(0, 0)]);
            words.resize(5 + 64, NOP);
            words.extend(vec![NOP; nops]);
            words.extend([lw(10, 6, 0), sw(10, 8, 4), jal(0, 0)]);
            let images = vec![(image(&words), vec![0, 1])];
            let mut m = Machine::new(&platform(depth, false), images, 1, false).expect("a machine");
            m.run(Cycle(500));
            m.read(1, DATA + 4, 1).expect("memory")[0].into()
        })
        .collect()
}

#[test]
fn others_see_a_store_when_it_is_granted_and_not_before() {
    // Core 0 stores at 7 and 8. Core 1 asks from 6 on. The first store is granted at 8 and holds the memory until 13; the second one is
    // issued at 14 and arrives at 15, where core 1 is served first if it arrives then, too: it asks at 14.
    let seen = seen_by_another(2);
    assert_eq!(seen.iter().position(|s| *s == 1), Some(9), "{seen:?}");
    assert!(seen[9..].iter().all(|s| *s == 1), "{seen:?}");
    // Without a buffer the second store is issued at 15.
    let waited = seen_by_another(0);
    assert_eq!(waited.iter().position(|s| *s == 1), Some(10), "{waited:?}");
}
