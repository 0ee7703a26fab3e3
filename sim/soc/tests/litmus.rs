// SPDX-License-Identifier: Apache-2.0
//! Litmus tests on snooping caches: what sequential consistency forbids does not happen, and what it allows does. Each round has variables of its own,
//! in lines that all cores may have; cores begin a round together and wait a few cycles that are drawn.

#[path = "../../hart/tests/common/asm.rs"]
mod asm;

use asm::*;
use soc::{Cycle, Image, Machine, StopReason};
use std::collections::BTreeMap;
use std::path::Path;

const BASE: u32 = 0x0080_0000;
const X: u32 = BASE + 0x4_0000;
const Y: u32 = BASE + 0x5_0000;
const GATE: u32 = BASE + 0x6_0000;
const RESULTS: u32 = BASE + 0x7_0000;
const LINE: u32 = 32;
const ROUNDS: u32 = 300;

#[derive(Clone, Copy)]
enum Op {
    /// Store 1 to X or Y.
    Store(u32),
    /// Load X or Y.
    Load(u32),
}
use Op::*;

fn platform(protocol: &str) -> config::Platform {
    let text = format!(
        r#"
schema = 1
name = "litmus"
clock_hz = 25_000_000
default_memory = "ram"
[coherence]
protocol = "{protocol}"
snoop_cycles = 2
intervention = "cache"
[[core]]
count = 4
class = "nios2f"
icache = {{ size_bytes = 8192, line_bytes = 32 }}
dcache = {{ size_bytes = 1024, line_bytes = {LINE}, ways = 2 }}
[[memory]]
name = "ram"
base = {BASE:#x}
size_bytes = 0x10_0000
kind = "sram"
width_bits = 32
access_cycles = 1
"#
    );
    let platforms = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../platforms");
    config::platform_resolve(&text, "litmus.toml", &[platforms]).unwrap_or_else(|e| panic!("{e}"))
}

/// What one core does, round after round: both variables' lines are read first, so that stores meet copies; then the cores meet.
fn program(core: u32, cores: u32, ops: &[Op], draw: &mut impl FnMut(u32) -> u32) -> Vec<u8> {
    let (x, y, gate, results, at, one, t, want, first) = (8, 9, 10, 11, 12, 13, 14, 15, 16);
    let mut words = vec![
        lui(x, X),
        lui(y, Y),
        lui(gate, GATE),
        lui(results, RESULTS + 0x4000 * core),
        addi(one, 0, 1),
        addi(want, 0, 0),
    ];
    for _ in 0..ROUNDS {
        words.extend([lw(t, x, 0), lw(t, y, 0)]);
        // The gate counts who has come: all of this round when it is a multiple of the cores.
        words.extend([addi(want, want, cores as i32), amo(0, t, one, gate), lw(t, gate, 0), branch(4, t, want, -4)]);
        (0..draw(24)).for_each(|_| words.push(NOP));
        let mut slot = 0;
        for op in ops {
            match op {
                Store(v) => words.push(sw(one, [x, y][*v as usize], 0)),
                Load(v) => {
                    words.push(lw(first + slot, [x, y][*v as usize], 0));
                    slot += 1;
                }
            }
        }
        for i in 0..slot {
            words.push(sw(first + i, results, 4 * i as i32));
        }
        words.extend([addi(results, results, 8), addi(x, x, LINE as i32), addi(y, y, LINE as i32)]);
    }
    words.extend([addi(at, 0, 0), WFI, jal(0, -4)]);
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// How often each outcome came: the loads of all cores, in order.
fn outcomes(protocol: &str, cores: &[&[Op]], seed: u64) -> BTreeMap<Vec<u32>, u32> {
    let mut state = seed;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u32 % below
    };
    let images = cores.iter().enumerate().map(|(core, ops)| {
        let code = program(core as u32, cores.len() as u32, ops, &mut draw);
        let image = Image::raw("litmus", code, BASE + 0x1_0000 * core as u32).unwrap_or_else(|e| panic!("{e}"));
        (image, vec![core])
    });
    let images = images.collect();
    let mut platform = platform(protocol);
    platform.seeded.memory = false;
    let mut machine = Machine::new(&platform, images, seed, false).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(machine.run(Cycle(10_000_000)).stop, StopReason::Deadlock, "all cores come to their end and sleep");
    let word = |addr| {
        let b = machine.read(0, addr, 4).unwrap_or_else(|| panic!("nothing at {addr:#x}"));
        u32::from_le_bytes([b[0], b[1], b[2], b[3]])
    };
    let mut counts = BTreeMap::new();
    for round in 0..ROUNDS {
        let mut seen = Vec::new();
        for (core, ops) in cores.iter().enumerate() {
            let loads = ops.iter().filter(|op| matches!(op, Load(_))).count() as u32;
            let base = RESULTS + 0x4000 * core as u32 + 8 * round;
            seen.extend((0..loads).map(|i| word(base + 4 * i)));
        }
        *counts.entry(seen).or_insert(0) += 1;
    }
    counts
}

/// A test's name, what each core does, the outcome that is forbidden, and how many others there are.
type Litmus = (&'static str, &'static [&'static [Op]], &'static [u32], usize);

const TESTS: &[Litmus] = &[
    ("store buffering", &[&[Store(0), Load(1)], &[Store(1), Load(0)]], &[0, 0], 3),
    ("message passing", &[&[Store(0), Store(1)], &[Load(1), Load(0)]], &[1, 0], 3),
    ("load buffering", &[&[Load(0), Store(1)], &[Load(1), Store(0)]], &[1, 1], 3),
    ("read-read coherence", &[&[Store(0)], &[Load(0), Load(0)]], &[1, 0], 3),
    (
        "independent reads of independent writes",
        &[&[Store(0)], &[Store(1)], &[Load(0), Load(1)], &[Load(1), Load(0)]],
        &[1, 0, 1, 0],
        15,
    ),
];

#[test]
fn what_sequential_consistency_forbids_does_not_happen() {
    for protocol in ["msi", "mesi"] {
        for (name, cores, forbidden, others) in TESTS {
            let mut all = BTreeMap::new();
            for seed in 1..=3 {
                println!("{protocol}, {name}, seed {seed}");
                for (outcome, count) in outcomes(protocol, cores, seed) {
                    *all.entry(outcome).or_insert(0) += count;
                }
            }
            println!("{all:?}");
            assert_eq!(all.get(*forbidden), None, "{all:?}");
            // Not a test that can only see one order.
            assert!(all.len() > others / 2, "{name}: {all:?}");
        }
    }
}
