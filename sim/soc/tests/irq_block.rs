// SPDX-License-Identifier: Apache-2.0
//! A source of an interrupt block, from the timer's edge to the first instruction of its handler, to the cycle.

#[path = "../../hart/tests/common/asm.rs"]
mod asm;

use asm::*;
use soc::{Cycle, Image, Machine};
use std::path::Path;

const BASE: u32 = 0x8000_0000;
const VECTOR: u32 = BASE + 0x100;
const HANDLER: u32 = BASE + 0x200;
const RESULTS: u32 = BASE + 0x1000;

const PLATFORM: &str = r#"
schema = 1
name = "block"
clock_hz = 1_000_000

[seeded]
registers = false
memory = false
start_skew_cycles = 0
refresh_phase = false

[interconnect]
request_cycles = 1
response_cycles = 0

[[core]]
class = "ideal"

[[memory]]
name = "ram"
base = 0x8000_0000
size_bytes = 0x1_0000
kind = "ideal"

[[device]]
name = "timer"
model = "timer"
base = 0x1000_0000

[[device]]
name = "block"
model = "irq_block"
base = 0x2000_0000
inputs = [{ source = 7, device = "timer" }]
outputs = [{ core = 0, bit = 16 }]
"#;

/// The program's words at their addresses.
fn program() -> Vec<u8> {
    let mut bytes = vec![0; 0x300];
    let mut place = |at: u32, words: &[u32]| {
        for (i, word) in words.iter().enumerate() {
            let at = (at - BASE) as usize + 4 * i;
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
    };
    place(
        BASE,
        &[
            lui(2, RESULTS),
            lui(10, 0x2000_0000),
            lui(11, 0x1000_0000),
            lui(5, BASE),
            addi(6, 5, (HANDLER - BASE) as i32),
            sw(6, 10, 0x80 + 4 * 7),
            addi(6, 0, 1 << 7),
            sw(6, 10, 0x04),
            addi(5, 5, (VECTOR - BASE) as i32),
            csrrw(0, 0x305, 5),
            lui(7, 1 << 16),
            csrrw(0, 0x304, 7),
            csrrsi(0, 0x300, 8),
            addi(8, 0, 200),
            sw(8, 11, 8),
            sw(0, 11, 12),
            jal(0, 0),
        ],
    );
    place(VECTOR, &[csrrs(20, 0xb00, 0), lw(21, 10, 0x18), jalr(0, 21, 0)]);
    place(
        HANDLER,
        &[
            csrrs(22, 0xb00, 0),
            lw(23, 10, 0x14),
            lw(24, 10, 0x1c),
            sw(20, 2, 0),
            sw(22, 2, 4),
            sw(23, 2, 8),
            sw(24, 2, 12),
            jal(0, 0),
        ],
    );
    bytes
}

#[test]
fn a_source_reaches_its_handler_at_the_cycle() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../platforms");
    let platform = config::platform_resolve(PLATFORM, "block.toml", &[shipped]).expect("a platform");
    let image = Image::raw("program", program(), BASE).expect("an image");
    let mut machine = Machine::new(&platform, vec![(image, vec![0])], 1, false).expect("a machine");
    machine.run(Cycle(1000));
    let bytes = machine.read(0, RESULTS, 16).expect("memory");
    let words: Vec<u32> = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    // The edge at 200 passes the block in no time and meets a boundary there; entering costs one cycle. The counter is read in one,
    // the handler's address is loaded in one of its own and two on the way to the block, the jump takes one.
    assert_eq!(words, [201, 206, 7, 1], "vector, handler, NUMBER, LEVEL");
}

/// Thirty-two handlers of 32 bytes from `BASE` + 0x800 on. Each notes its own number, the cycles since the source was raised and NUMBER,
/// and takes the source back. The sources are raised by software one by one, the last one first, then all at once.
fn thirty_two() -> Vec<u8> {
    let mut bytes = vec![0; 0x1000];
    let mut place = |at: u32, words: &[u32]| {
        for (i, word) in words.iter().enumerate() {
            let at = at as usize + 4 * i;
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
    };
    let (results, handler, entry, source, block, before) = (2, 5, 6, 7, 10, 20);
    let (cycles, own, bit, number) = (22, 23, 21, 24);
    place(
        0,
        &[
            lui(results, RESULTS),
            lui(block, 0x2000_0000),
            lui(handler, BASE + 0x1000),
            addi(handler, handler, -0x800),
            addi(entry, block, 0x80),
            addi(source, 0, 32),
            // The table.
            sw(handler, entry, 0),
            addi(handler, handler, 32),
            addi(entry, entry, 4),
            addi(source, source, -1),
            bne(source, 0, -4 * 4),
            addi(source, 0, -1),
            sw(source, block, 0x04),
            lui(source, 1 << 16),
            csrrw(0, 0x304, source),
            csrrsi(0, 0x300, 8),
            lui(source, 1 << 31),
            // One by one.
            csrrs(before, 0xb00, 0),
            sw(source, block, 0x0c),
            srli(source, source, 1),
            bne(source, 0, -3 * 4),
            // All.
            addi(source, 0, -1),
            sw(source, block, 0x0c),
            jal(0, 0),
        ],
    );
    let tail = 0x700;
    for n in 0..32 {
        let at = 0x800 + 32 * n;
        place(
            at,
            &[
                csrrs(cycles, 0xb00, 0),
                addi(own, 0, n as i32),
                lw(number, block, 0x14),
                addi(bit, 0, 1),
                op(0, 1, bit, bit, own),
                sw(bit, block, 0x10),
                jal(0, tail as i32 - (at as i32 + 24)),
            ],
        );
    }
    place(
        tail,
        &[
            op(32, 0, cycles, cycles, before),
            sw(own, results, 0),
            sw(cycles, results, 4),
            sw(number, results, 8),
            addi(results, results, 12),
            MRET,
        ],
    );
    bytes
}

fn words(machine: &Machine, at: u32, count: usize) -> Vec<u32> {
    let bytes = machine.read(0, at, 4 * count).expect("memory");
    bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn machine(platform: &str, program: Vec<u8>) -> Machine {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../platforms");
    let platform = config::platform_resolve(platform, "block.toml", &[shipped]).unwrap_or_else(|e| panic!("{e}"));
    let image = Image::raw("program", program, BASE).expect("an image");
    Machine::new(&platform, vec![(image, vec![0])], 1, false).expect("a machine")
}

fn vectored() -> String {
    PLATFORM.replace("model = \"irq_block\"", "model = \"irq_block\"\nvectored = true")
}

#[test]
fn each_of_32_sources_is_taken_at_its_own_vector() {
    let run = |cuts: &[u64]| {
        let mut m = machine(&vectored(), thirty_two());
        cuts.iter().for_each(|cut| {
            m.run(Cycle(*cut));
        });
        (words(&m, RESULTS, 64 * 3), m.state_hash())
    };
    let (seen, hash) = run(&[5000]);
    let (single, all) = seen.split_at(32 * 3);
    for (i, entry) in single.chunks(3).enumerate() {
        let n = 31 - i as u32;
        // Read at 0, stored at 1, at the block at 2, done at 3, and the store's own cycle; then one to enter.
        assert_eq!(entry, [n, 5, n], "source {n}: handler, cycles, NUMBER");
    }
    // All together: equal levels, so the lowest first, and NUMBER agrees with who was entered.
    let order: Vec<(u32, u32)> = all.chunks(3).map(|e| (e[0], e[2])).collect();
    assert_eq!(order, (0..32).map(|n| (n, n)).collect::<Vec<_>>());
    let cuts: Vec<u64> = (1..=500).map(|i| i * 10).collect();
    assert_eq!(run(&cuts), (seen.clone(), hash), "however the run is cut");
    // Without the jump, everything goes to mtvec, which leads nowhere here.
    let mut m = machine(PLATFORM, thirty_two());
    assert_eq!(m.run(Cycle(5000)).stop, soc::StopReason::Fault);
}

#[test]
fn the_core_jumps_to_the_handler_five_cycles_earlier_than_a_dispatcher() {
    let mut m = machine(&vectored(), program());
    m.run(Cycle(1000));
    // x20 is what VECTOR would read: it is not executed. The first instruction of HANDLER reads the counter after the one cycle of entry.
    assert_eq!(words(&m, RESULTS, 4), [0, 201, 7, 1], "vector, handler, NUMBER, LEVEL");
}
