// SPDX-License-Identifier: Apache-2.0
//! The stamps and operands of probes.

mod common;
use common::asm::*;
use common::*;
use engine::Cycle;
use hart::Hart;
use trace::{kind, Operand, Probe, Record};

const MARK: u16 = 72;
const CREATE: u16 = 32;

fn probe(addr: u32, operands: &[Operand]) -> Probe {
    Probe { addr, kind: MARK, operands: operands.to_vec() }
}

fn stamps(records: &[Record]) -> Vec<(u64, [u64; 3])> {
    records.iter().map(|r| (r.cycle.0, [r.accounts[0], r.accounts[2], r.accounts[4]])).collect()
}

#[test]
fn the_stamp_is_the_completion_of_the_instruction_before() {
    // lw is late by two: the probe at its user is stamped before the stall.
    let program = [lui(2, BASE), lw(5, 2, 64), add(6, 5, 5), NOP];
    let probes = (0..4).map(|i| probe(BASE + 4 * i, &[])).collect();
    let mut hart = Hart::new(observed(nios2f(), probes));
    let mut bus = Bus::new(&words(&program));
    drive(&mut hart, &mut bus, 6);
    assert_eq!(stamps(hart.records()), [(0, [0; 3]), (1, [0; 3]), (2, [0; 3]), (5, [0; 3])]);
}

#[test]
fn the_stamp_is_before_the_fetch_and_the_access_of_its_own_instruction() {
    let mut program = vec![NOP; 8];
    program.extend([lui(2, SLOW), lw(5, 2, 0), NOP]);
    let probes = (0..11).map(|i| probe(BASE + 4 * i, &[])).collect();
    let mut hart = Hart::new(observed(nios2f(), probes));
    let mut bus = Bus::with_icache(&words(&program), 4);
    drive(&mut hart, &mut bus, 41);
    let got = stamps(hart.records());
    assert_eq!(got[0], (0, [0; 3]), "before the first line");
    assert_eq!(got[1], (11, [10, 0, 0]));
    assert_eq!(got[8], (18, [10, 0, 0]), "before the second line");
    assert_eq!(got[9], (29, [20, 0, 0]), "before the access");
    assert_eq!(got[10], (40, [20, 10, 0]));
}

#[test]
fn a_fetch_and_an_access_of_one_instruction_share_one_boundary() {
    let mut program = vec![lui(2, SLOW), NOP, NOP, NOP, NOP, NOP, NOP, NOP];
    program.extend([lw(5, 2, 0), NOP]);
    let mut hart = Hart::new(observed(nios2f(), vec![probe(BASE + 32, &[]), probe(BASE + 36, &[])]));
    let mut bus = Bus::with_icache(&words(&program), 4);
    drive(&mut hart, &mut bus, 60);
    assert_eq!(stamps(hart.records())[..2], [(18, [10, 0, 0]), (39, [20, 10, 0])]);
}

#[test]
fn operands_are_read_before_the_instruction_executes() {
    let program = [lui(2, BASE), addi(5, 0, 7), sw(5, 2, 64), sw(0, 2, 64), addi(5, 5, 1), NOP];
    let all = [Operand::Imm(-3), Operand::Reg(5), Operand::Mem { base: 2, offset: 64 }];
    let probes = vec![probe(BASE + 16, &all), probe(BASE + 12, &all)];
    let mut hart = Hart::new(observed(nios2f(), probes));
    let mut bus = Bus::new(&words(&program));
    drive(&mut hart, &mut bus, 6);
    let args: Vec<_> = hart.records().iter().map(|r| r.args).collect();
    let minus3 = -3i32 as u32;
    assert_eq!(args, [[minus3, 7, 7, 0, 0], [minus3, 7, 0, 0, 0]]);
}

#[test]
fn probes_at_one_address_keep_their_order_and_strings_are_shared() {
    let program = [lui(2, BASE), addi(5, 2, 64), NOP, NOP];
    let create = |task| Probe { addr: BASE + 8, kind: CREATE, operands: vec![Operand::Imm(task), Operand::Reg(5)] };
    let mut hart = Hart::new(observed(nios2f(), vec![create(1), create(2), probe(BASE + 8, &[]), create(3)]));
    let mut bus = Bus::new(&words(&program));
    bus.ram[64..71].copy_from_slice(b"master\0");
    drive(&mut hart, &mut bus, 4);
    let got: Vec<_> = hart.records().iter().map(|r| (r.kind, r.args[0], r.args[1])).collect();
    assert_eq!(got, [(CREATE, 1, 0), (CREATE, 2, 0), (MARK, 0, 0), (CREATE, 3, 0)]);
    assert_eq!(hart.strings(), ["master"]);
    assert!(hart.take_records().is_empty(), "nothing is final yet");
    hart.checkpoint();
    assert_eq!(hart.take_records().len(), 4);
    assert!(hart.records().is_empty());
}

#[test]
fn an_instruction_that_traps_has_no_record_of_its_own() {
    let handler = BASE + 32;
    let mut program = vec![auipc(31, 0), addi(31, 31, 32), csrrw(0, 0x305, 31), lw(5, 0, 0), NOP, NOP, NOP, NOP];
    program.extend([csrrs(6, 0x341, 0), addi(6, 6, 4), csrrw(0, 0x341, 6), MRET]);
    let probes = vec![probe(BASE + 12, &[]), probe(handler, &[]), probe(BASE + 16, &[])];
    let mut hart = Hart::new(observed(nios2f(), probes));
    let mut bus = Bus::new(&words(&program));
    drive(&mut hart, &mut bus, 26);
    let got: Vec<_> = hart.records().iter().map(|r| (r.kind, r.cycle.0, r.args[0])).collect();
    // 6 set-up, trap 5, csr 4, 1, csr 4, mret 5.
    assert_eq!(got, [(kind::TRAP_ENTER, 6, 5), (MARK, 11, 0), (kind::TRAP_RETURN, 25, BASE + 16), (MARK, 25, 0)]);
    assert_eq!(hart.records()[0].args, [5, BASE + 12, 0, 0, 0]);
}

#[test]
fn an_interrupt_before_the_instruction_leaves_the_stamp_to_its_later_execution() {
    let mut program = vec![
        auipc(31, 0),
        addi(31, 31, 32),
        csrrw(0, 0x305, 31),
        addi(5, 0, -1),
        csrrw(0, 0x304, 5),
        csrrsi(0, 0x300, 8),
        NOP,
        NOP,
    ];
    program.extend([MRET]);
    let mut hart = Hart::new(observed(nios2f(), vec![probe(BASE + 24, &[])]));
    let mut bus = Bus::new(&words(&program));
    // set-up completes at 15; the line is high for one boundary.
    hart.set_line(7, true, Cycle(15));
    hart.set_line(7, false, Cycle(16));
    drive(&mut hart, &mut bus, 26);
    let got: Vec<_> = hart.records().iter().map(|r| (r.kind, r.cycle.0)).collect();
    assert_eq!(got, [(kind::IRQ_ENTER, 15), (kind::TRAP_RETURN, 25), (MARK, 25)]);
    assert_eq!(hart.records()[2].accounts, [0, 0, 0, 0, 5, 0]);
}

#[test]
fn a_rewind_takes_records_and_strings_back() {
    let create = Probe { addr: BASE + 4, kind: CREATE, operands: vec![Operand::Imm(1), Operand::Reg(5)] };
    let mut hart = Hart::new(observed(nios2f(), vec![probe(BASE, &[]), create]));
    hart.set_reg(5, BASE + 64);
    let mut bus = Bus::new(&words(&[NOP, NOP, NOP]));
    bus.ram[64..67].copy_from_slice(b"ab\0");
    drive(&mut hart, &mut bus, 1);
    hart.checkpoint();
    drive(&mut hart, &mut bus, 3);
    assert_eq!((hart.records().len(), hart.strings()), (2, &["ab".to_string()][..]));
    hart.rewind();
    assert_eq!((hart.records().len(), hart.strings().len()), (1, 0));
    drive(&mut hart, &mut bus, 3);
    assert_eq!((hart.records().len(), hart.records()[1].args[1], hart.strings().len()), (2, 0, 1));
}
