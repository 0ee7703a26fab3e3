// SPDX-License-Identifier: Apache-2.0
//! Tightly coupled memories in a machine: what accesses cost to the cycle, who has a way to them, what an image puts there.

#[path = "../../hart/tests/common/asm.rs"]
mod asm;

use asm::*;
use soc::{Cycle, Image, Machine, StopReason};
use std::path::Path;

const RAM: u32 = 0x0080_0000;
const CODE: u32 = 0x1000_0000;
const DATA: u32 = 0x2000_0000;

fn platform(class: &str) -> config::Platform {
    let text = format!(
        r#"
schema = 1
name = "tight"
clock_hz = 50_000_000
default_memory = "ram"
bypass_mask = 0x8000_0000
[seeded]
registers = false
start_skew_cycles = 0
[interconnect]
request_cycles = 1
response_cycles = 1
[[core]]
count = 2
class = "{class}"
icache = {{ size_bytes = 512, line_bytes = 32 }}
dcache = {{ size_bytes = 512, line_bytes = 32 }}
[[memory]]
name = "ram"
base = {RAM:#x}
size_bytes = 0x1_0000
kind = "sram"
width_bits = 32
access_cycles = 1
[[memory]]
name = "code"
core = 0
base = {CODE:#x}
size_bytes = 4096
kind = "tightly_coupled"
port = "instruction"
[[memory]]
name = "data"
core = 0
base = {DATA:#x}
size_bytes = 4096
kind = "tightly_coupled"
"#
    );
    let platforms = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../platforms");
    config::platform_resolve(&text, "tight.toml", &[platforms]).unwrap_or_else(|e| panic!("{e}"))
}

fn image(at: u32, words: &[u32]) -> Image {
    let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    Image::raw("program", bytes, at).unwrap_or_else(|e| panic!("{e}"))
}

fn machine(class: &str, core: usize, at: u32, words: &[u32]) -> Machine {
    let images = vec![(image(at, words), vec![core])];
    Machine::new(&platform(class), images, 1, false).unwrap_or_else(|e| panic!("{e}"))
}

/// Words of what core 0 sees at `addr`.
fn words<const N: usize>(machine: &Machine, addr: u32) -> [u32; N] {
    let bytes = machine.read(0, addr, 4 * N).expect("memory");
    std::array::from_fn(|i| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]))
}

const MCYCLE: u32 = 0xb00;

/// Store the difference of two readings of the cycle counter at `DATA`, then stop.
fn timed(setup: &[u32], body: &[u32]) -> Vec<u32> {
    let mut words = vec![lui(5, DATA)];
    words.extend(setup);
    words.push(csrrs(6, MCYCLE, 0));
    words.extend(body);
    words.extend([csrrs(7, MCYCLE, 0), op(32, 0, 7, 7, 6), sw(7, 5, 0), jal(0, 0)]);
    words
}

/// Cycles of `body`, without the counter's own, when `code` holds the program.
fn cycles(class: &str, code: u32, setup: &[u32], body: &[u32]) -> u32 {
    let reading = |body: &[u32]| {
        let mut m = machine(class, 0, code, &timed(setup, body));
        assert_eq!(m.run(Cycle(5000)).stop, StopReason::Budget);
        words::<1>(&m, DATA)[0]
    };
    reading(body) - reading(&[])
}

#[test]
fn each_access_takes_what_its_class_says_and_no_more() {
    // The first access to each address: nothing has to be brought.
    for i in 0..8 {
        assert_eq!(cycles("ideal", CODE, &[], &[lw(10, 5, 64 * i + 8)]), 1);
        assert_eq!(cycles("ideal", CODE, &[], &[sw(10, 5, 64 * i + 8)]), 1);
    }
    assert_eq!(cycles("ideal", CODE, &[addi(11, 5, 16)], &[amo(0, 10, 10, 11)]), 1);
    // Sixty-four instructions on eight lines that nobody has fetched, with a branch back over all of them.
    let mut body = vec![NOP; 63];
    body.push(addi(12, 12, 1));
    assert_eq!(cycles("ideal", CODE, &[], &body), 64);
    body.extend([addi(13, 0, 3), branch(4, 12, 13, -65 * 4)]);
    assert_eq!(cycles("ideal", CODE, &[], &body), 3 * 66);
    // nios2f: a loaded value can be used two cycles after the slot, not one.
    assert_eq!(cycles("nios2f", CODE, &[], &[lw(10, 5, 8), NOP, NOP, addi(11, 10, 0)]), 4);
    assert_eq!(cycles("nios2f", CODE, &[], &[lw(10, 5, 8), NOP, addi(11, 10, 0)]), 4);
    assert_eq!(cycles("nios2f", CODE, &[], &[lw(10, 5, 8), addi(11, 10, 0)]), 4);
    assert_eq!(cycles("nios2f", CODE, &[], &[lw(10, 5, 8)]), 1);
}

#[test]
fn the_accounts_say_that_nothing_was_waited_for() {
    let body: Vec<u32> =
        (0..16).map(|i| if i % 2 == 0 { lw(10, 5, 64 + 4 * i) } else { sw(10, 5, 64 + 4 * i) }).collect();
    let mut m = machine("nios2f", 0, CODE, &timed(&[], &body));
    m.run(Cycle(3000));
    let stats = m.stats();
    assert_eq!(stats.cores[0].accounts.get("fetch"), Some(&0));
    assert_eq!(stats.cores[0].accounts.get("miss"), Some(&0));
    assert_eq!(stats.cores[0].accounts["execute"], stats.cores[0].cycles);
    assert_eq!(stats.slaves.iter().map(|s| s.accesses).sum::<u64>(), 0, "no slave was asked");
    assert_eq!(stats.slaves.len(), 1, "and they are none themselves");
}

#[test]
fn a_core_has_no_way_to_anothers() {
    for (instruction, cause) in [(lw(6, 5, 0), 5), (sw(0, 5, 0), 7), (jalr(0, 5, 0), 1)] {
        let mut m = machine("ideal", 1, RAM, &[lui(5, DATA), instruction]);
        assert_eq!(m.run(Cycle(1000)).stop, StopReason::Fault);
        let fault = m.fault().expect("one");
        assert_eq!((fault.cause, fault.address, fault.core.as_str()), (cause, DATA, "cpu1"));
    }
    // Its own: instructions alone.
    for (instruction, cause) in [(lw(6, 5, 0), 5), (sw(0, 5, 0), 7), (amo(0, 6, 6, 5), 7)] {
        let mut m = machine("ideal", 0, RAM, &[lui(5, CODE), instruction]);
        assert_eq!(m.run(Cycle(1000)).stop, StopReason::Fault);
        assert_eq!(m.fault().map(|f| (f.cause, f.address)), Some((cause, CODE)));
    }
}

#[test]
fn an_image_fills_only_its_own_cores() {
    let m = machine("ideal", 0, DATA, &[0x1234_5678]);
    assert_eq!(words::<1>(&m, DATA), [0x1234_5678]);
    assert_eq!(words::<1>(&m, 0x8000_0000 | DATA), [0x1234_5678], "the bypass bit makes no other way");
    assert_eq!(m.read(1, DATA, 4), None);
    let refused = Machine::new(&platform("ideal"), vec![(image(DATA, &[1]), vec![1])], 1, false);
    let e = refused.err().expect("core 1 has no such memory").to_string();
    assert!(e.contains("segment 0x20000000..0x20000004 lies outside the memories"), "{e}");
}

#[test]
fn code_that_is_stored_is_executed_at_once_by_the_loop_and_by_blocks() {
    // A loop whose last instruction adds 1, then 2, then 3 …: each round writes it anew.
    let (code, count, sum, base, template) = (20, 21, 12, 23, 24);
    let at = DATA + 0x100;
    let program = [
        lui(base, DATA),
        addi(base, base, 0x100),
        lui(template, addi(sum, sum, 0)),
        addi(template, template, (addi(sum, sum, 0) & 0xfff) as i32),
        addi(count, 0, 0),
        // round:
        addi(count, count, 1),
        slli(code, count, 20),
        add(code, code, template),
        sw(code, base, 4 * 12),
        addi(6, 0, 200),
        NOP,
        NOP,
        NOP, // 12: addi sum, sum, count
        bne(count, 6, -8 * 4),
        lui(5, DATA),
        sw(sum, 5, 0),
        jal(0, 0),
    ];
    for class in ["ideal", "nios2f", "vexriscv-min"] {
        let mut m = machine(class, 0, at, &program);
        m.run(Cycle(40_000));
        assert_eq!(words::<1>(&m, DATA), [200 * 201 / 2], "{class}");
    }
}
