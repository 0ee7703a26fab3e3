// SPDX-License-Identifier: Apache-2.0
//! Tiles that work on memories of their own, tightly coupled ones among them, miss their caches, and interrupt each other: the same to the bit however many host threads run
//! them, and wherever the run is cut.

#[path = "../../hart/tests/common/asm.rs"]
mod asm;

use asm::*;
use soc::{Cycle, Image, Machine, StopReason};
use std::path::Path;

const CORES: u32 = 16;
const BASE: u32 = 0x0080_0000;
/// Of the tightly coupled memories.
const TIGHT: u32 = 0x3000_0000;

fn platform() -> config::Platform {
    let text = format!(
        r#"
schema = 1
name = "tiles"
clock_hz = 25_000_000
default_memory = "local"
[interconnect]
request_cycles = 1
response_cycles = 1
[[core]]
count = {CORES}
name = "tile{{}}"
class = "nios2f"
icache = {{ size_bytes = 512, line_bytes = 32 }}
dcache = {{ size_bytes = 512, line_bytes = 32 }}
[[memory]]
name = "local"
per_core = true
base = {BASE:#x}
size_bytes = 0x1_0000
kind = "sram"
width_bits = 32
access_cycles = 1
[[memory]]
name = "tight"
per_core = true
base = {TIGHT:#x}
size_bytes = 1024
kind = "tightly_coupled"
port = "data"
[[device]]
name = "clint"
model = "clint"
base = 0x0200_0000
size_bytes = 0x1_0000
hz = 25_000_000
"#
    );
    let platforms = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../platforms");
    config::platform_resolve(&text, "tiles.toml", &[platforms]).unwrap_or_else(|e| panic!("{e}"))
}

/// Each core goes through 4 KB with a step that depends on it, and after each round interrupts the next core.
fn program() -> Vec<u8> {
    let (id, msip, next, buf, end, sum, v, t, step, own, tight) = (5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let handler = 0x200;
    let mut words = vec![
        csrrs(id, 0xf14, 0),
        lui(msip, 0x0200_0000),
        addi(next, id, 1),
        andi(next, next, CORES as i32 - 1),
        slli(next, next, 2),
        add(next, next, msip),
        slli(own, id, 2),
        add(own, own, msip),
        auipc(t, 0),
        addi(t, t, handler - 8 * 4),
        csrrw(0, 0x305, t),
        addi(t, 0, 8),
        csrrw(0, 0x304, t),
        csrrsi(0, 0x300, 8),
        addi(step, id, 9),
        slli(step, step, 2),
        lui(tight, TIGHT),
        // round:
        lui(buf, BASE + 0x2000),
        lui(end, BASE + 0x3000),
        // word:
        lw(v, buf, 0),
        add(sum, sum, v),
        addi(sum, sum, 1),
        sw(sum, buf, 0),
        lw(t, tight, 4),
        add(t, t, sum),
        sw(t, tight, 4),
        andi(t, sum, 1),
        beq(t, 0, 8),
        mul(sum, sum, step),
        add(buf, buf, step),
        branch(6, buf, end, -44), // bltu to word
        addi(t, 0, 1),
        sw(t, next, 0),
        jal(0, -64), // to round
    ];
    words.resize(handler as usize / 4, NOP);
    words.extend([sw(0, own, 0), lui(30, TIGHT), lw(31, 30, 0), addi(31, 31, 1), sw(31, 30, 0), MRET]);
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// The same with write-through caches, and stores that go to memory from a buffer.
fn buffered(forwards: bool) -> config::Platform {
    let mut platform = platform();
    for core in &mut platform.cores {
        core.class.store_buffer = 3;
        core.class.store_buffer_load = forwards.then_some(config::BufferedLoad::Forward);
        let dcache = core.dcache.as_mut().expect("one");
        dcache.write = config::Write::Through;
        dcache.allocate = false;
    }
    platform
}

fn machine(platform: &config::Platform, threads: usize, checked: bool) -> Machine {
    let image = Image::raw("program", program(), BASE).unwrap_or_else(|e| panic!("{e}"));
    let cores = (0..CORES as usize).collect();
    let new = if checked { Machine::checked } else { Machine::new };
    let mut machine = new(platform, vec![(image, cores)], 3, false).unwrap_or_else(|e| panic!("{e}"));
    machine.set_threads(threads);
    machine
}

/// What can be seen of a machine that has run to each of these cycles.
fn run(platform: &config::Platform, threads: usize, cuts: &[u64]) -> (u64, soc::Stats, u32, u64) {
    finish(machine(platform, threads, false), cuts)
}

fn finish(mut machine: Machine, cuts: &[u64]) -> (u64, soc::Stats, u32, u64) {
    for cut in cuts {
        assert_eq!(machine.run(Cycle(*cut)).stop, StopReason::Budget);
    }
    let taken = machine.read(1, TIGHT, 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    (machine.state_hash(), machine.stats(), taken, machine.retired_in_batches())
}

#[test]
fn neither_threads_nor_cuts_change_anything() {
    let end = 60_000;
    let platform = platform();
    let alone = run(&platform, 1, &[end]);
    let (_, stats, taken, _) = &alone;
    // The cores miss, are interrupted, and do not run in step.
    assert!(*taken > 15, "{taken} interrupts");
    assert!(stats.cores.iter().all(|c| c.dcache.as_ref().is_some_and(|d| d.misses > 300 && d.write_backs > 200)));
    assert_ne!(stats.cores[0].instructions, stats.cores[1].instructions);
    for threads in [1, 2, 4, 8] {
        for cuts in [vec![end], vec![1, 777, 50_001, end], (1..=60).map(|i| i * end / 60).collect()] {
            let got = run(&platform, threads, &cuts);
            assert_eq!(got.0, alone.0, "{threads} threads, {} cuts: the state differs", cuts.len());
            assert_eq!(got.1, alone.1, "{threads} threads, {} cuts", cuts.len());
            // Those that are enough to share it do execute side by side, as far as their rounds let them.
            let shared = threads > 1 && CORES as usize >= 4 * threads;
            assert_eq!(got.3 > 0, shared, "{threads} threads, {} cuts: {} in batches", cuts.len(), got.3);
        }
    }
}

#[test]
fn nor_do_they_where_stores_are_on_their_way() {
    let end = 20_000;
    for forwards in [false, true] {
        let platform = buffered(forwards);
        let alone = run(&platform, 1, &[end]);
        let (_, stats, taken, _) = &alone;
        assert!(*taken > 3, "{taken} interrupts");
        assert!(stats.cores.iter().all(|c| c.dcache.as_ref().is_some_and(|d| d.write_throughs > 300)));
        for threads in [1, 2, 4] {
            for cuts in [vec![end], vec![1, 777, 15_001, end], (1..=20).map(|i| i * end / 20).collect()] {
                let got = run(&platform, threads, &cuts);
                assert_eq!(got.0, alone.0, "{threads} threads, {} cuts: the state differs", cuts.len());
                assert_eq!(got.1, alone.1, "{threads} threads, {} cuts", cuts.len());
            }
        }
        let watched = finish(machine(&platform, 1, true), &[end]);
        assert_eq!((watched.0, &watched.1), (alone.0, &alone.1), "watched by the coherence checker");
    }
}
