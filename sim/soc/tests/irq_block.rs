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
