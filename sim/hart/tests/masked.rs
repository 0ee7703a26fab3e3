// SPDX-License-Identifier: Apache-2.0
//! The longest time that interrupts were masked: by a program, by a trap, and not by what was undone.

mod common;
use common::asm::*;
use common::*;
use engine::{Cycle, HartMemory};
use hart::{Hart, MaskedStretch, Timing};

const HANDLER: u32 = BASE + 0x200;

/// mtvec at HANDLER and all lines enabled; 5 instructions, a cycle each.
fn start(program: &[u32], handler: &[u32]) -> (Hart, Bus) {
    let mut all = vec![
        lui(31, HANDLER + 0x800),
        addi(31, 31, (HANDLER & 0xfff) as i32),
        csrrw(0, 0x305, 31),
        addi(5, 0, -1),
        csrrw(0, 0x304, 5),
    ];
    all.extend(program);
    let mut bus = Bus::new(&words(&all));
    for (i, word) in handler.iter().enumerate() {
        bus.set_word(HANDLER + 4 * i as u32, *word);
    }
    (Hart::new(config(Timing::IDEAL)), bus)
}

fn run_to(hart: &mut Hart, bus: &mut Bus, end: u64) {
    while hart.now().0 < end {
        step(hart, bus);
    }
}

#[test]
fn a_critical_section_from_the_end_of_its_first_to_the_end_of_its_last_instruction() {
    let on = csrrsi(0, 0x300, 8);
    let off = csrrci(0, 0x300, 8);
    let (mut hart, mut bus) = start(&[on, NOP, off, NOP, NOP, NOP, on, off, NOP, on, jal(0, 0)], &[]);
    run_to(&mut hart, &mut bus, 7);
    assert_eq!(hart.longest_masked(), None, "start-up is no stretch");
    run_to(&mut hart, &mut bus, 16);
    let at = BASE + 4 * 5;
    let expected = MaskedStretch { cycles: 4, at: 8, from_pc: at + 8, to_pc: at + 24 };
    assert_eq!(
        hart.longest_masked(),
        Some(expected),
        "three instructions and the one that unmasks; the second is shorter"
    );
}

#[test]
fn a_write_of_another_register_or_of_other_bits_ends_nothing() {
    let program =
        [csrrsi(0, 0x300, 8), csrrci(0, 0x300, 8), csrrw(0, 0x340, 5), csrrs(6, 0x300, 0), csrrsi(0, 0x300, 8)];
    let (mut hart, mut bus) = start(&program, &[]);
    run_to(&mut hart, &mut bus, 10);
    assert_eq!(hart.longest_masked().map(|m| m.cycles), Some(3));
}

#[test]
fn a_trap_from_its_entry_to_mret() {
    let program = [csrrsi(0, 0x300, 8), NOP, NOP, jal(0, 0)];
    let handler = [csrrw(0, 0x304, 0), NOP, NOP, MRET];
    let (mut hart, mut bus) = start(&program, &handler);
    hart.set_line(7, true, Cycle(7));
    run_to(&mut hart, &mut bus, 20);
    let entry = u64::from(Timing::IDEAL.trap);
    let found = hart.longest_masked().unwrap();
    assert_eq!((found.from_pc, found.to_pc), (HANDLER, HANDLER + 12));
    assert_eq!((found.at, found.cycles), (7, entry + 4));
}

#[test]
fn what_is_undone_was_never_masked() {
    let program = [csrrsi(0, 0x300, 8), NOP, csrrci(0, 0x300, 8), NOP, NOP, csrrsi(0, 0x300, 8), jal(0, 0)];
    let (mut hart, mut bus) = start(&program, &[csrrw(0, 0x304, 0), MRET]);
    run_to(&mut hart, &mut bus, 6);
    hart.checkpoint();
    bus.checkpoint();
    run_to(&mut hart, &mut bus, 12);
    assert_eq!(hart.longest_masked().map(|m| m.cycles), Some(3));
    hart.rewind();
    bus.rewind();
    assert_eq!(hart.longest_masked(), None);
    run_to(&mut hart, &mut bus, 12);
    assert_eq!(hart.longest_masked().map(|m| (m.at, m.cycles)), Some((8, 3)));
}
