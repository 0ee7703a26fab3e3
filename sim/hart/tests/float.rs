// SPDX-License-Identifier: Apache-2.0
//! Floating-point instructions in the hart: cycles, registers, modes, flags, mstatus.FS. The arithmetic has its own tests.

mod common;
use common::asm::*;
use common::*;
use hart::{FloatTiming, Hart, HartConfig, Late, Stop, Timing};
use trace::Account;

const HANDLER: u32 = BASE + 0x200;
const DYNAMIC: u32 = 7;
/// mstatus.FS
const DIRTY: u32 = 3 << 13;
const SD: u32 = 1 << 31;
const FFLAGS: u32 = 1;
const FRM: u32 = 2;
const FCSR: u32 = 3;

fn late(cost: u32, result: u32) -> Late {
    Late { cost, result }
}

fn timing() -> Timing {
    let float = FloatTiming {
        add: late(1, 3),
        mul: late(1, 4),
        fused: late(2, 5),
        div: late(20, 1),
        sqrt: late(30, 0),
        compare: late(1, 1),
        convert: late(2, 2),
        transfer: late(1, 0),
    };
    Timing { float, ..nios2f() }
}

fn with_float(timing: Timing) -> HartConfig {
    HartConfig { isa: "rv32imafc_zicsr".parse().unwrap(), ..config(timing) }
}

/// The unit on, the handler set, x2 = BASE + 0x1000, in 5 instructions.
const PROLOGUE: usize = 6;

fn machine(config: HartConfig, program: &[u32]) -> (Hart, Bus) {
    let mut all = vec![
        lui(31, HANDLER + 0x800),
        addi(31, 31, (HANDLER & 0xfff) as i32),
        csrrw(0, 0x305, 31),
        lui(5, DIRTY),
        csrrs(0, 0x300, 5),
        lui(2, BASE + 0x1000),
    ];
    all.extend(program);
    let mut bus = Bus::new(&words(&all));
    for i in 0..16 {
        bus.set_word(HANDLER + 4 * i, NOP);
    }
    let mut hart = Hart::new(config);
    for _ in 0..PROLOGUE {
        step(&mut hart, &mut bus);
    }
    (hart, bus)
}

fn run(config: HartConfig, program: &[u32]) -> Hart {
    let (mut hart, mut bus) = machine(config, program);
    for _ in program {
        step(&mut hart, &mut bus);
    }
    hart
}

/// Completions of a program, from 0 at its beginning.
fn completions(program: &[u32]) -> Vec<u64> {
    let (mut hart, mut bus) = machine(with_float(timing()), program);
    let start = hart.now().0;
    program.iter().map(|_| step(&mut hart, &mut bus) - start).collect()
}

#[test]
fn cycles_of_each_class() {
    let fadd = fop(0, DYNAMIC, 1, 2, 3);
    assert_eq!(completions(&[fadd, fop(0, 0, 4, 5, 6), NOP]), [1, 2, 3], "no waiting for each other");
    assert_eq!(completions(&[fadd, fop(0, 0, 4, 1, 6)]), [1, 5], "ready 4 after the issue at 0, then 1");
    assert_eq!(completions(&[fop(0x08, 0, 1, 2, 3), fop(4, 0, 4, 5, 1)]), [1, 6]);
    assert_eq!(completions(&[fop(0x0c, 0, 1, 2, 3), fmv_x_w(5, 1)]), [20, 22]);
    assert_eq!(completions(&[fop(0x2c, 0, 1, 2, 0), fmv_x_w(5, 1)]), [30, 31]);
    assert_eq!(completions(&[fma(0, 0, 1, 2, 3, 4), fmv_x_w(5, 1)]), [2, 8]);
    assert_eq!(completions(&[fadd, fma(3, 0, 5, 2, 3, 1)]), [1, 6], "the addend is awaited");
    assert_eq!(completions(&[fop(0x50, 2, 10, 2, 3), add(11, 10, 0)]), [1, 3], "feq");
    assert_eq!(completions(&[fop(0x14, 1, 1, 2, 3), fmv_x_w(5, 1)]), [1, 3], "fmax");
    assert_eq!(completions(&[fop(0x60, 1, 10, 2, 0), add(11, 10, 0)]), [2, 5], "fcvt.w.s");
    assert_eq!(completions(&[fop(0x68, 1, 1, 5, 0), fmv_x_w(5, 1)]), [2, 5], "fcvt.s.w");
    assert_eq!(completions(&[fop(0x10, 0, 1, 2, 2), fop(0x70, 1, 5, 1, 0)]), [1, 2], "fsgnj, fclass");
    // Loads and stores cost what the integer ones do: a load's result comes 2 later, a store waits for what it stores.
    assert_eq!(completions(&[flw(1, 2, 0), fmv_x_w(5, 1)]), [1, 4]);
    assert_eq!(completions(&[fadd, fsw(1, 2, 0)]), [1, 5]);
    assert_eq!(completions(&[lw(5, 2, 0), fmv_w_x(1, 5)]), [1, 4]);
    // The register files are apart: f5 does not wait for x5.
    assert_eq!(completions(&[lw(5, 2, 0), fop(0, 0, 1, 5, 5)]), [1, 2]);
}

#[test]
fn values_go_between_registers_memory_and_the_unit() {
    // 3, 4 and 0.5 from integers and memory; 3 * 4 + 0.5, its negation, its integer.
    let program = [
        addi(5, 0, 3),
        fop(0x68, 0, 0, 5, 0),
        addi(5, 0, 4),
        fop(0x68, 0, 31, 5, 1),
        lui(5, 0x3f00_0000),
        sw(5, 2, 8),
        flw(1, 2, 8),
        fma(0, 0, 2, 0, 31, 1),
        fma(3, 0, 3, 0, 31, 1),
        fsw(2, 2, 0),
        fsw(3, 2, 4),
        lw(10, 2, 0),
        lw(11, 2, 4),
        fop(0x60, 1, 12, 3, 0),
        fop(0x60, 2, 13, 3, 0),
    ];
    let hart = run(with_float(Timing::IDEAL), &program);
    assert_eq!([10, 11].map(|r| f32::from_bits(hart.reg(r))), [12.5, -12.5]);
    assert_eq!([12, 13].map(|r| hart.reg(r) as i32), [-12, -13], "towards zero, down");
    assert_eq!([0, 31, 1].map(|r| f32::from_bits(hart.float_reg(r))), [3.0, 4.0, 0.5]);
    assert_eq!(hart.csr(FFLAGS as u16), Some(1), "inexact");
}

#[test]
fn compressed_loads_and_stores() {
    // c.fsw f8, 0(x8); c.flw f15, 0(x8); c.fswsp f15, 4(sp); c.flwsp f1, 4(sp)
    let program = [addi(8, 2, 64), lui(5, 0x4040_0000), fmv_w_x(8, 5), 0x601c_e000, 0x6092_e23e];
    let (mut hart, mut bus) = machine(with_float(Timing::IDEAL), &program);
    for _ in 0..7 {
        step(&mut hart, &mut bus);
    }
    assert_eq!([8, 15, 1].map(|r| f32::from_bits(hart.float_reg(r))), [3.0; 3]);
    assert_eq!((bus.word(BASE + 0x1040), bus.word(BASE + 0x1004)), (0x4040_0000, 0x4040_0000));
}

#[test]
fn rounding_modes_and_flags() {
    // 1 / 3 in each mode, by the instruction and by frm.
    let third = |set: &[u32], mode: u32| {
        let mut program = vec![addi(5, 0, 1), fop(0x68, 0, 0, 5, 0), addi(5, 0, 3), fop(0x68, 0, 1, 5, 0)];
        program.extend(set);
        program.extend([fop(0x0c, mode, 2, 0, 1), fmv_x_w(10, 2)]);
        run(with_float(Timing::IDEAL), &program).reg(10)
    };
    let expected = [0x3eaa_aaab, 0x3eaa_aaaa, 0x3eaa_aaaa, 0x3eaa_aaab, 0x3eaa_aaab];
    for mode in 0..5 {
        assert_eq!(third(&[], mode), expected[mode as usize]);
        assert_eq!(third(&[csrrwi(0, FRM, mode)], DYNAMIC), expected[mode as usize]);
        assert_eq!(third(&[csrrwi(0, FRM, mode)], 1), expected[1], "the instruction's own mode comes first");
    }
    let hart = run(
        with_float(Timing::IDEAL),
        &[
            addi(5, 0, -1),
            csrrw(0, FCSR, 5),
            csrrs(10, FCSR, 0),
            csrrwi(11, FFLAGS, 0),
            csrrs(12, FCSR, 0),
            csrrs(13, FRM, 0),
        ],
    );
    assert_eq!([10, 11, 12, 13].map(|r| hart.reg(r)), [0xff, 0x1f, 0xe0, 7]);
}

/// mcause and mtval after a program's last instruction, which must trap.
fn trap(config: HartConfig, program: &[u32]) -> (u32, u32) {
    let hart = run(config, program);
    assert_eq!(hart.pc(), HANDLER);
    assert_eq!(hart.csr(0x341), Some(BASE + 4 * (PROLOGUE + program.len() - 1) as u32));
    (hart.csr(0x342).unwrap(), hart.csr(0x343).unwrap())
}

#[test]
fn illegal_without_the_unit_or_a_mode() {
    let off = [lui(5, DIRTY), csrrw(0, 0x300, 0)];
    let words = [
        fop(0, 0, 1, 2, 3),
        fop(0x50, 2, 10, 2, 3),
        fmv_x_w(10, 1),
        fma(0, 0, 1, 2, 3, 4),
        flw(1, 2, 0),
        fsw(1, 2, 0),
        csrrs(5, FCSR, 0),
        csrrwi(0, FRM, 0),
    ];
    for word in words {
        assert_eq!(trap(with_float(Timing::IDEAL), &[&off[..], &[word]].concat()), (2, word), "{word:#x}");
    }
    assert_eq!(trap(with_float(Timing::IDEAL), &[off[0], off[1], 0x0001_6080]), (2, 0x6080), "c.flw, two bytes long");
    for mode in 5..8 {
        let add = fop(0, DYNAMIC, 1, 2, 3);
        assert_eq!(trap(with_float(Timing::IDEAL), &[csrrwi(0, FRM, mode), add]), (2, add), "frm {mode}");
        let hart = run(with_float(Timing::IDEAL), &[csrrwi(0, FRM, mode), fop(0, 1, 1, 2, 3), fop(0x10, 0, 1, 2, 3)]);
        assert_ne!(hart.pc(), HANDLER, "a mode of its own, and an operation that does not round");
    }
    let without = config(Timing::IDEAL);
    assert_eq!(trap(without.clone(), &[fop(0, 0, 1, 2, 3)]).0, 2);
    assert_eq!(trap(without.clone(), &[csrrs(5, FCSR, 0)]).0, 2);
    assert_eq!(run(without, &[NOP]).csr(0x300).unwrap() & DIRTY, 0, "there is nothing to be dirty");
    assert_eq!(trap(with_float(Timing::IDEAL), &[flw(1, 2, 2)]), (4, BASE + 0x1002));
    assert_eq!(trap(with_float(Timing::IDEAL), &[fsw(1, 0, 0)]), (7, 0));
}

#[test]
fn what_makes_the_state_dirty() {
    let state = |program: &[u32]| {
        let clean = [lui(5, 1 << 13), csrrw(0, 0x300, 5), lui(5, 0x3f80_0000)];
        let hart = run(with_float(Timing::IDEAL), &[&clean[..], program].concat());
        let status = hart.csr(0x300).unwrap();
        assert_eq!(status & SD != 0, status & DIRTY == DIRTY);
        (status & DIRTY) >> 13
    };
    assert_eq!(state(&[fsw(1, 2, 0), fmv_x_w(6, 1), fop(0x50, 2, 6, 1, 1), csrrs(6, FCSR, 0)]), 1, "reading");
    assert_eq!(state(&[fop(0x60, 0, 6, 1, 0)]), 1, "0 to integer raises nothing");
    assert_eq!(state(&[flw(1, 2, 0)]), 3);
    assert_eq!(state(&[fmv_w_x(1, 5)]), 3);
    assert_eq!(state(&[fop(0, 0, 1, 2, 3)]), 3);
    assert_eq!(state(&[csrrwi(0, FRM, 0)]), 3);
    // A comparison that raises a flag: a signaling operand, loaded as data and made clean again.
    let signaling = [lui(6, 0x7fa0_0000), fmv_w_x(1, 6), lui(5, 1 << 13), csrrw(0, 0x300, 5), fop(0x50, 2, 6, 1, 1)];
    assert_eq!(state(&signaling), 3);
}

#[test]
fn a_suspended_load_and_a_rewind_keep_the_registers() {
    let program = [lui(2, SLOW), flw(1, 2, 4), fop(0, 0, 3, 1, 1), fsw(3, 2, 8), fmv_x_w(10, 3)];
    let (mut hart, mut bus) = machine(with_float(timing()), &program);
    bus.set_word(SLOW + 4, 0x4000_0000);
    hart.checkpoint();
    use engine::{Cycle, HartMemory};
    bus.checkpoint();
    for _ in 0..2 {
        for _ in &program {
            step(&mut hart, &mut bus);
        }
        assert_eq!((hart.reg(10), bus.word(SLOW + 8)), (0x4080_0000, 0x4080_0000));
        assert_eq!(hart.accounts()[Account::Uncached as usize], 2 * LATENCY);
        hart.rewind();
        bus.rewind();
        assert_eq!((hart.float_reg(1), hart.float_reg(3)), (0, 0));
    }
    assert_eq!(hart.run(&mut bus, Cycle(1 << 20)), Stop::Pending);
}
