// SPDX-License-Identifier: Apache-2.0
//! Random programs on several cores with snooping caches, against a flat memory that does what they did in the order of simulated time:
//! each load must read the last store. The same runs unwatched, cut anywhere and on any number of host threads must end in the same state.

#[path = "../../hart/tests/common/asm.rs"]
mod asm;

use crate::machine::{Machine, Port, StopReason};
use crate::{Cycle, Image, Stats};
use asm::*;
use std::path::Path;

const BASE: u32 = 0x0080_0000;
const SHARED: u32 = BASE + 0x8000;
const LINE: u32 = 16;
const OWN: u32 = 0x0400_0000;
/// Rounds of each program, after which its core sleeps.
const ROUNDS: i32 = 40;
const MANY: u64 = 1_000_000;
const END: u64 = 20_000_000;

fn random(state: &mut u64) -> impl FnMut(u64) -> u64 + '_ {
    |below| {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) % below
    }
}

/// A platform whose caches are drawn.
fn platform(cores: usize, r: &mut impl FnMut(u64) -> u64) -> config::Platform {
    let protocol = ["msi", "mesi", "mesi"][r(3) as usize];
    let intervention = ["memory", "cache"][r(2) as usize];
    let snoop = 1 + r(3);
    let ways = [1, 1, 2, 4][r(4) as usize];
    let sets = 2 << r(2);
    let size = LINE as u64 * ways * sets;
    let replacement = ["lru", "round_robin", "random"][r(3) as usize];
    let victim = ["first", "after", "buffered"][r(3) as usize];
    let refill = ["line", "critical_word"][r(2) as usize];
    let allocate = r(4) != 0;
    let memory = ["kind = \"sram\"\nwidth_bits = 32\naccess_cycles = 2", "kind = \"ideal\""][r(2) as usize];
    let l2 = if r(3) == 0 && !memory.contains("ideal") {
        "l2 = { size_bytes = 1024, line_bytes = 32, ways = 2, hit_cycles = 2, width_bits = 32 }"
    } else {
        ""
    };
    let text = format!(
        r#"
schema = 1
name = "snooping"
clock_hz = 25_000_000
bypass_mask = 0x8000_0000
default_memory = "ram"
[interconnect]
request_cycles = {request}
response_cycles = {response}
[coherence]
protocol = "{protocol}"
snoop_cycles = {snoop}
intervention = "{intervention}"
intervention_cycles = {delay}
width_bits = 64
[[core]]
count = {cores}
class = "nios2f"
icache = {{ size_bytes = 256, line_bytes = 32 }}
dcache = {{ size_bytes = {size}, line_bytes = {LINE}, ways = {ways}, replacement = "{replacement}", victim = "{victim}", refill = "{refill}", allocate = {allocate} }}
[[memory]]
name = "ram"
base = {BASE:#x}
size_bytes = 0x4_0000
{memory}
{l2}
[[memory]]
name = "own"
per_core = true
base = {OWN:#x}
size_bytes = 0x1000
kind = "sram"
width_bits = 32
access_cycles = 1
"#,
        request = 1 + r(2),
        response = r(3),
        delay = r(3),
    );
    let platforms = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../platforms");
    let mut platform =
        config::platform_resolve(&text, "snooping.toml", &[platforms]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    // Stores past the caches, and misses without allocate, may be on their way while their core goes on.
    let depth = [0, 0, 2][r(3) as usize];
    let load = [config::BufferedLoad::Wait, config::BufferedLoad::Forward][r(2) as usize];
    for core in &mut platform.cores {
        core.class.store_buffer = depth;
        core.class.store_buffer_load = (depth != 0).then_some(load);
    }
    platform
}

/// A program: rounds of random accesses to a few lines, some past the cache, some to the core's own memory.
fn program(r: &mut impl FnMut(u64) -> u64) -> Vec<u8> {
    let (shared, past, own, at, value, got, left) = (8, 9, 10, 11, 12, 13, 14);
    let mut words = vec![
        lui(shared, SHARED),
        lui(past, SHARED | 0x8000_0000),
        lui(own, OWN),
        csrrs(value, 0xf14, 0),
        slli(value, value, 16),
        addi(left, 0, ROUNDS),
    ];
    let first = words.len() as i32;
    for _ in 0..60 {
        // Few lines make cores meet, many make lines leave.
        let span = if r(3) == 0 { 64 } else { 8 };
        let offset = (r(span) * 4) as i32;
        let base = if r(12) == 0 { past } else { shared };
        words.push(addi(value, value, 1 + r(3) as i32));
        match r(16) {
            0..=3 => words.extend([lw(got, base, offset), add(value, value, got)]),
            4 => words.push(load([0, 1, 4, 5][r(4) as usize], got, base, offset & !1)),
            5..=7 => words.push(sw(value, base, offset)),
            8 => words.push(store(r(2) as u32, value, base, offset + r(2) as i32 * 2)),
            9 => words.extend([addi(at, base, offset), amo([0, 1, 4][r(3) as usize], got, value, at)]),
            10 => {
                words.push(addi(at, base, offset));
                words.push(amo(2, got, 0, at));
                (0..r(6)).for_each(|_| words.push(NOP));
                words.push(amo(3, got, value, at));
                words.push(add(value, value, got));
            }
            11 => words.extend([addi(at, shared, offset), cbo(1 + r(2) as u32, at)]),
            12 => words.extend([lw(got, own, offset), sw(value, own, (r(64) * 4) as i32)]),
            13 => words.push(FENCE),
            14 => (0..r(40)).for_each(|_| words.push(addi(value, value, 3))),
            _ => words.push(mul(value, value, value)),
        }
    }
    words.extend([addi(left, left, -1), beq(left, 0, 8)]);
    words.push(jal(0, (first - words.len() as i32) * 4));
    words.extend([WFI, jal(0, -4)]);
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// A machine of `cores` cores, each with a program of its own.
fn machine(seed: u64, check: bool) -> Machine {
    let mut state = seed;
    let mut r = random(&mut state);
    // So many that host threads are worth it, from a seed on.
    let cores = if seed > MANY { 20 } else { 2 + r(4) as usize };
    let platform = platform(cores, &mut r);
    let images = (0..cores).map(|core| {
        let start = BASE + (if core < 8 { 0 } else { 0x2000 }) + 0x1000 * core as u32;
        let image = Image::raw("program", program(&mut r), start).unwrap_or_else(|e| panic!("{e}"));
        (image, vec![core])
    });
    let images = images.collect();
    let machine = if check { Machine::checked } else { Machine::new }(&platform, images, seed, false);
    machine.unwrap_or_else(|e| panic!("{e}"))
}

/// Let it run over these cycles to its end: when that was, and what can be seen of it.
fn run(machine: &mut Machine, cuts: &[u64]) -> (u64, u64, Stats) {
    for cut in cuts {
        machine.run(Cycle(*cut));
    }
    let outcome = machine.run(Cycle(END));
    assert_eq!(outcome.stop, StopReason::Deadlock);
    (outcome.cycle, machine.state_hash(), machine.stats())
}

/// At most one cache may write to a line, and then nobody else has it; clean lines are those of memory.
fn states_hold(machine: &Machine) -> Result<(), String> {
    for line in (SHARED..SHARED + 64 * 4).step_by(LINE as usize) {
        let mut holders = 0;
        let mut owners = 0;
        for core in &machine.cores {
            let Port::Cached(port) = &core.port else { continue };
            holders += u32::from(port.holds(line));
            owners += u32::from(port.owns(line));
        }
        if owners > 1 || owners == 1 && holders > 1 {
            return Err(format!("{owners} owners and {holders} holders of {line:#x}"));
        }
    }
    Ok(())
}

#[derive(Debug, Default)]
struct Seen {
    loads: u64,
    upgrades: u64,
    invalidations: u64,
    interventions: u64,
    write_backs: u64,
}

impl Seen {
    fn add(&mut self, stats: &Stats) {
        for cache in stats.cores.iter().filter_map(|c| c.dcache.as_ref()) {
            let s = cache.snooping.as_ref().expect("it snoops");
            self.upgrades += s.upgrades;
            self.invalidations += s.invalidations;
            self.interventions += s.interventions;
            self.write_backs += cache.write_backs;
        }
    }
}

/// Run a seed watched, with an invalidation forgotten or not; what is wrong.
fn watched(seed: u64, forgets: u64, seen: &mut Seen) -> Result<(u64, u64, Stats), String> {
    let mut machine = machine(seed, true);
    machine.fabric.coherence.as_mut().expect("it is coherent").forgets = forgets;
    machine.checker.as_mut().expect("it is watched").values.own = Some(OWN);
    for part in 1..=20 {
        machine.run(Cycle(1500 * part));
        states_hold(&machine)?;
    }
    let result = run(&mut machine, &[]);
    states_hold(&machine)?;
    let found = machine.coherence();
    let checker = machine.checker.as_ref().expect("it is watched");
    if let Some(wrong) = checker.values.wrong.first() {
        return Err(format!("a load read an old value: {wrong:x?}"));
    }
    if let Some(first) = found.first() {
        return Err(format!("the checker found {first:?}"));
    }
    seen.loads += checker.values.loads;
    seen.add(&result.2);
    Ok(result)
}

/// `SIGNALBOX_SEED` says where to begin, `SIGNALBOX_ROUNDS` how many.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let first = number("SIGNALBOX_SEED");
    let first_seed = first.unwrap_or(1);
    first_seed..first_seed + number("SIGNALBOX_ROUNDS").unwrap_or(if first.is_some() { 1 } else { 32 })
}

#[test]
fn each_load_reads_the_last_store() {
    let mut seen = Seen::default();
    for seed in seeds() {
        println!("seed {seed}");
        let watched = watched(seed, 0, &mut seen).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(run(&mut machine(seed, false), &[]), watched, "watched and not");
    }
    println!("{seen:?}");
    if seeds().count() > 1 {
        let least = [seen.loads / 10, seen.upgrades, seen.invalidations, seen.interventions, seen.write_backs];
        assert!(least.iter().all(|n| *n > 1000), "{seen:?}");
    }
}

#[test]
fn neither_threads_nor_cuts_change_anything() {
    // The last one was cut while a store waited for room in the buffer.
    for seed in [1, 2, 2020, MANY + 1] {
        println!("seed {seed}");
        let whole = run(&mut machine(seed, false), &[]);
        for threads in [1, 2, 4, 8] {
            for cuts in [vec![], vec![1, 777, 20_001], (1..=300).map(|i| i * 100).collect()] {
                let mut machine = machine(seed, false);
                machine.set_threads(threads);
                assert_eq!(run(&mut machine, &cuts), whole, "{threads} threads, {} cuts", cuts.len());
            }
        }
    }
}

#[test]
fn an_invalidation_that_is_forgotten_is_noticed() {
    let noticed = (1..=20).filter(|seed| {
        let result = watched(*seed, 5, &mut Seen::default());
        println!("seed {seed}: {:?}", result.as_ref().err());
        result.is_err()
    });
    assert!(noticed.count() >= 12);
}
