// SPDX-License-Identifier: Apache-2.0
//! Instructions that a user defines: values, cycles, what is awaited, what is illegal.

mod common;
use common::asm::*;
use common::*;
use hart::{Hart, HartConfig};
use isa::{Custom, Expression};

const HANDLER: u32 = BASE + 0x200;

fn custom(
    name: &str,
    opcode: u8,
    funct3: u8,
    funct7: Option<u8>,
    value: &str,
    cycles: u32,
    result_cycles: u32,
) -> Custom {
    let value = Expression::parse(value).unwrap();
    Custom { name: name.to_string(), opcode, funct3, funct7, value, cycles, result_cycles }
}

fn config_with() -> HartConfig {
    HartConfig {
        custom: vec![
            custom("mix", 0, 0, Some(1), "rotl(rs1, 5) ^ rs2", 1, 0),
            custom("slow", 0, 0, Some(2), "rs1 * rs2", 7, 3),
            custom("addx", 1, 3, None, "rs1 + imm * 2", 2, 0),
            custom("zero", 3, 7, Some(127), "0", 1, 0),
        ],
        ..config(nios2f())
    }
}

/// An instruction with two sources in custom-`n`.
fn r(n: u32, funct3: u32, funct7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    let opcode = [0x0b, 0x2b, 0x5b, 0x7b][n as usize];
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn run(program: &[u32]) -> (Hart, Vec<u64>) {
    let mut all = vec![
        lui(31, HANDLER + 0x800),
        addi(31, 31, (HANDLER & 0xfff) as i32),
        csrrw(0, 0x305, 31),
        lui(2, BASE + 0x1000),
    ];
    let prologue = all.len();
    all.extend(program);
    let mut bus = Bus::new(&words(&all));
    let mut hart = Hart::new(config_with());
    for _ in 0..prologue {
        step(&mut hart, &mut bus);
    }
    let start = hart.now().0;
    let ends = program.iter().map(|_| step(&mut hart, &mut bus) - start).collect();
    (hart, ends)
}

#[test]
fn they_compute_at_their_cycles() {
    let (hart, ends) = run(&[
        addi(5, 0, 3),
        addi(6, 0, 100),
        r(0, 0, 1, 7, 5, 6),
        r(0, 0, 2, 8, 7, 6),
        r(1, 3, 0x7f, 9, 5, 31), /* imm -1 */
        add(10, 8, 9),
        r(3, 7, 127, 10, 0, 0),
        r(0, 0, 1, 0, 5, 6),
    ]);
    assert_eq!([7, 8, 9, 10, 0].map(|i| hart.reg(i)), [96 ^ 100, (96 ^ 100) * 100, 1, 0, 0]);
    // The product is ready 3 after its slot; the fifth neither waits for it nor for x31, which its immediate looks like.
    assert_eq!(ends, [1, 2, 3, 10, 12, 14, 15, 16]);
}

#[test]
fn only_what_is_read_is_awaited() {
    // A load's result comes two cycles after its slot.
    assert_eq!(run(&[lw(5, 2, 0), r(0, 0, 1, 7, 5, 0)]).1, [1, 4]);
    assert_eq!(run(&[lw(5, 2, 0), r(0, 0, 1, 7, 0, 5)]).1, [1, 4]);
    assert_eq!(run(&[lw(5, 2, 0), r(1, 3, 0, 7, 0, 5)]).1, [1, 3], "an immediate");
    assert_eq!(run(&[lw(5, 2, 0), r(3, 7, 127, 7, 5, 5)]).1, [1, 2], "nothing is read");
}

#[test]
fn what_is_not_defined_is_illegal() {
    for bits in [r(0, 0, 3, 7, 5, 6), r(0, 1, 1, 7, 5, 6), r(2, 0, 1, 7, 5, 6), r(3, 7, 126, 7, 5, 6)] {
        let (hart, _) = run(&[bits]);
        assert_eq!((hart.pc(), hart.csr(0x342), hart.csr(0x343)), (HANDLER, Some(2), Some(bits)));
    }
    let mut plain = Hart::new(config(nios2f()));
    let mut bus = Bus::new(&words(&[r(0, 0, 1, 7, 5, 6)]));
    step(&mut plain, &mut bus);
    assert!(plain.fault().is_some(), "a core without instructions of its own");
}

#[test]
fn a_disassembly_shows_their_names() {
    let customs = config_with().custom;
    let text = |bits| isa::text_with(&isa::decode(isa::IsaSet::CUSTOM, bits), 0, &customs);
    assert_eq!(text(r(0, 0, 1, 10, 11, 12)), "mix a0,a1,a2");
    assert_eq!(text(r(1, 3, 0x7f, 9, 5, 31)), "addx s1,t0,-1");
    assert_eq!(text(r(2, 0, 0, 1, 2, 3)), "custom-2 0x003100db");
    assert_eq!(text(add(10, 11, 12)), "add a0,a1,a2");
}
