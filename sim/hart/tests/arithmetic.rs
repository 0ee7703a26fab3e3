// SPDX-License-Identifier: Apache-2.0
//! What operations compute, at the edges of their ranges.

mod common;
use common::asm::*;
use common::*;
use hart::{Hart, Timing};

/// Run `program` with x5 and x6 preset; the value of x7.
fn result(program: &[u32], a: u32, b: u32) -> u32 {
    let mut hart = Hart::new(config(Timing::IDEAL));
    hart.set_reg(5, a);
    hart.set_reg(6, b);
    let mut bus = Bus::new(&words(program));
    for _ in program {
        step(&mut hart, &mut bus);
    }
    hart.reg(7)
}

fn register(funct7: u32, funct3: u32, a: u32, b: u32) -> u32 {
    result(&[op(funct7, funct3, 7, 5, 6)], a, b)
}

const MIN: u32 = 0x8000_0000;
const ONES: u32 = 0xffff_ffff;

#[test]
fn sums_comparisons_and_logic() {
    assert_eq!(register(0, 0, ONES, 2), 1);
    assert_eq!(register(32, 0, 0, 1), ONES);
    assert_eq!((register(0, 2, ONES, 0), register(0, 2, 0, ONES)), (1, 0), "slt");
    assert_eq!((register(0, 3, ONES, 0), register(0, 3, 0, ONES)), (0, 1), "sltu");
    assert_eq!(register(0, 4, 0xff00_ff00, 0x0ff0_0ff0), 0xf0f0_f0f0);
    assert_eq!(register(0, 6, 0xff00_ff00, 0x0ff0_0ff0), 0xfff0_fff0);
    assert_eq!(register(0, 7, 0xff00_ff00, 0x0ff0_0ff0), 0x0f00_0f00);
    let immediate =
        |funct3: u32, imm: i32, a| result(&[(imm as u32) << 20 | 5 << 15 | funct3 << 12 | 7 << 7 | 0x13], a, 0);
    assert_eq!(immediate(3, -1, 5), 1, "sltiu compares with the extended immediate");
    assert_eq!(immediate(2, -1, ONES), 0);
    assert_eq!(immediate(7, -16, 0x1234_5678), 0x1234_5670);
    assert_eq!(immediate(6, -2048, 1), 0xffff_f801);
    assert_eq!(result(&[lui(7, 0xabcd_e000)], 0, 0), 0xabcd_e000);
    assert_eq!(result(&[auipc(7, 0xffff_f000)], 0, 0), 0);
    assert_eq!(result(&[addi(0, 5, 1), add(7, 0, 0)], 3, 0), 0, "x0 stays 0");
}

#[test]
fn shifts_use_five_bits() {
    assert_eq!(register(0, 1, 1, 33), 2);
    assert_eq!(register(0, 5, MIN, 63), 1);
    assert_eq!(register(32, 5, MIN, 31), ONES);
    assert_eq!(result(&[slli(7, 5, 31)], 3, 0), MIN);
    assert_eq!(result(&[srli(7, 5, 4)], MIN, 0), 0x0800_0000);
    assert_eq!(result(&[srli(7, 5, 4 | 0x400)], MIN, 0), 0xf800_0000, "srai");
}

#[test]
fn products() {
    assert_eq!(register(1, 0, 0x1234_5678, 0x9abc_def0), 0x242d_2080);
    assert_eq!(register(1, 1, MIN, MIN), 0x4000_0000, "mulh");
    assert_eq!(register(1, 1, ONES, ONES), 0);
    assert_eq!(register(1, 1, ONES, 2), ONES);
    assert_eq!(register(1, 2, ONES, ONES), ONES, "mulhsu");
    assert_eq!(register(1, 2, 2, ONES), 1);
    assert_eq!(register(1, 3, ONES, ONES), 0xffff_fffe, "mulhu");
}

#[test]
fn quotients() {
    let (div, divu, rem, remu) = (4, 5, 6, 7);
    let minus = |v: i32| -v as u32;
    assert_eq!(register(1, div, minus(7), 2), minus(3));
    assert_eq!(register(1, rem, minus(7), 2), minus(1));
    assert_eq!(register(1, rem, 7, minus(2)), 1);
    assert_eq!(register(1, divu, minus(7), 2), 0x7fff_fffc);
    assert_eq!(register(1, remu, ONES, 10), 5);
    assert_eq!((register(1, div, 5, 0), register(1, divu, 5, 0)), (ONES, ONES));
    assert_eq!((register(1, rem, 5, 0), register(1, remu, 5, 0)), (5, 5));
    assert_eq!((register(1, div, MIN, ONES), register(1, rem, MIN, ONES)), (MIN, 0));
}

#[test]
fn loads_extend() {
    let load_from = |funct3, offset| result(&[sw(5, 6, 64), load(funct3, 7, 6, 64 + offset)], 0x80f0_7f81, BASE);
    assert_eq!((load_from(0, 0), load_from(0, 1), load_from(0, 3)), (0xffff_ff81, 0x7f, 0xffff_ff80));
    assert_eq!((load_from(4, 0), load_from(4, 3)), (0x81, 0x80));
    assert_eq!((load_from(1, 0), load_from(1, 2)), (0x7f81, 0xffff_80f0));
    assert_eq!((load_from(5, 2), load_from(2, 0)), (0x80f0, 0x80f0_7f81));
    assert_eq!(result(&[sw(0, 6, 64), store(0, 5, 6, 65), lw(7, 6, 64)], ONES - 1, BASE), 0xfe00);
    assert_eq!(result(&[sw(0, 6, 64), store(1, 5, 6, 66), lw(7, 6, 64)], ONES - 1, BASE), 0xfffe_0000);
}

#[test]
fn atomics_return_the_old_word_and_store_the_new() {
    let old = 0xffff_fff0;
    let cases = [
        (1, 0x10),         // swap
        (0, 0),            // add
        (4, 0xffff_ffe0),  // xor
        (12, 0x10),        // and
        (8, 0xffff_fff0),  // or
        (16, 0xffff_fff0), // min
        (20, 0x10),        // max
        (24, 0x10),        // minu
        (28, 0xffff_fff0), // maxu
    ];
    for (funct5, new) in cases {
        for base in [BASE + 0x400, SLOW] {
            let mut hart = Hart::new(config(Timing::IDEAL));
            hart.set_reg(5, base);
            hart.set_reg(6, 0x10);
            let mut bus = Bus::new(&words(&[amo(funct5, 7, 6, 5)]));
            bus.set_word(base, old);
            step(&mut hart, &mut bus);
            assert_eq!((hart.reg(7), bus.word(base)), (old, new), "{funct5} at {base:#x}");
        }
    }
}

#[test]
fn a_store_conditional_needs_its_reservation() {
    let program = [amo(3, 7, 6, 5), amo(2, 8, 0, 5), amo(3, 9, 6, 5), amo(3, 10, 6, 5)];
    let mut hart = Hart::new(config(Timing::IDEAL));
    hart.set_reg(5, BASE + 64);
    hart.set_reg(6, 77);
    let mut bus = Bus::new(&words(&program));
    for _ in program {
        step(&mut hart, &mut bus);
    }
    assert_eq!((hart.reg(7), hart.reg(8), hart.reg(9), hart.reg(10), bus.word(BASE + 64)), (1, 0, 0, 1, 77));
}

#[test]
fn branches_compare_and_jumps_clear_the_lowest_bit() {
    let taken = |funct3, a, b| result(&[addi(7, 0, 1), branch(funct3, 5, 6, 8), addi(7, 0, 2)], a, b) == 1;
    let expected = [
        (0, false, true, false),
        (1, true, false, true),
        (4, true, false, false),
        (5, false, true, true),
        (6, false, false, true),
        (7, true, true, false),
    ];
    for (funct3, minus_one_two, equal, two_minus_one) in expected {
        assert_eq!(taken(funct3, ONES, 2), minus_one_two, "{funct3}");
        assert_eq!(taken(funct3, 2, 2), equal, "{funct3}");
        assert_eq!(taken(funct3, 2, ONES), two_minus_one, "{funct3}");
    }
    let mut hart = Hart::new(config(Timing::IDEAL));
    hart.set_reg(5, BASE + 101);
    let mut bus = Bus::new(&words(&[jalr(5, 5, 2)]));
    step(&mut hart, &mut bus);
    assert_eq!((hart.pc(), hart.reg(5)), (BASE + 102, BASE + 4), "the target is computed before the link is written");
}

#[test]
fn fence_i_makes_stores_to_code_visible() {
    // The second instruction is replaced by one that sets x7 to 2, first without and then with fence.i.
    for (fence, expected) in [(NOP, 1), (FENCE_I, 2)] {
        let program =
            [jal(0, 12), addi(7, 0, 1), jal(0, 24), beq(7, 0, -8), NOP, NOP, NOP, NOP, sw(5, 6, 4), fence, jal(0, -36)];
        let mut hart = Hart::new(config(Timing::IDEAL));
        hart.set_reg(5, addi(7, 0, 2));
        hart.set_reg(6, BASE);
        let mut bus = Bus::with_icache(&words(&program), 4);
        // jump, test, old instruction, jump, store, fence, jump, again.
        for _ in 0..8 {
            step(&mut hart, &mut bus);
        }
        assert_eq!(hart.reg(7), expected);
    }
}
