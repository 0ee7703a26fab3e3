// SPDX-License-Identifier: Apache-2.0
//! Exceptions, interrupts, sleep, and what an owner of time sees of them.

mod common;
use common::asm::*;
use common::*;
use engine::{Cycle, HartMemory};
use hart::{Hart, HartConfig, Misaligned, Stop, Timing};
use trace::{kind, Account};
use units::Cycles;

const HANDLER: u32 = BASE + 0x200;

/// A hart whose handler is at HANDLER (set without instructions: the program begins by writing mtvec), with an endless
/// handler.
fn trapping(config: HartConfig, program: &[u32]) -> (Hart, Bus) {
    let mut all = vec![lui(31, HANDLER + 0x800), addi(31, 31, (HANDLER & 0xfff) as i32), csrrw(0, 0x305, 31)];
    all.extend(program);
    let mut bus = Bus::new(&words(&all));
    for i in 0..16 {
        bus.set_word(HANDLER + 4 * i, NOP);
    }
    let mut hart = Hart::new(config);
    for _ in 0..3 {
        step(&mut hart, &mut bus);
    }
    assert_eq!(hart.csr(0x305), Some(HANDLER));
    (hart, bus)
}

/// mcause, mepc relative to the program, mtval after `n` steps of a program.
fn trap_of(config: HartConfig, program: &[u32], n: usize) -> (u32, u32, u32) {
    let (mut hart, mut bus) = trapping(config, program);
    for _ in 0..n {
        step(&mut hart, &mut bus);
    }
    assert_eq!(hart.pc(), HANDLER);
    (hart.csr(0x342).unwrap(), hart.csr(0x341).unwrap().wrapping_sub(BASE + 12), hart.csr(0x343).unwrap())
}

fn ideal() -> HartConfig {
    config(Timing::IDEAL)
}

#[test]
fn each_exception_has_its_cause_and_value() {
    let base = lui(2, BASE);
    assert_eq!(trap_of(ideal(), &[0xffff_ffff], 1), (2, 0, 0xffff_ffff));
    assert_eq!(trap_of(ideal(), &[0], 1), (2, 0, 0), "the all-zero halfword, two bytes long");
    assert_eq!(trap_of(ideal(), &[NOP, 0x8002], 2), (2, 4, 0x8002), "c.jr x0");
    assert_eq!(trap_of(ideal(), &[ECALL], 1), (11, 0, 0));
    assert_eq!(trap_of(ideal(), &[EBREAK], 1), (3, 0, 0));
    assert_eq!(trap_of(ideal(), &[0x9002], 1), (3, 0, 0), "c.ebreak");
    assert_eq!(trap_of(ideal(), &[base, lw(5, 2, 2)], 2), (4, 4, BASE + 2));
    assert_eq!(trap_of(ideal(), &[base, load(5, 5, 2, 1)], 2), (4, 4, BASE + 1));
    assert_eq!(trap_of(ideal(), &[base, store(1, 5, 2, 3)], 2), (6, 4, BASE + 3));
    assert_eq!(trap_of(ideal(), &[lw(5, 0, 16)], 1), (5, 0, 16));
    assert_eq!(trap_of(ideal(), &[sw(5, 0, 16)], 1), (7, 0, 16));
    assert_eq!(trap_of(ideal(), &[cbo(2, 0)], 1), (7, 0, 0));
    assert_eq!(trap_of(ideal(), &[addi(5, 2, 2), amo(2, 6, 0, 5)], 2), (4, 4, 2), "lr");
    assert_eq!(trap_of(ideal(), &[addi(5, 2, 2), amo(3, 6, 6, 5)], 2), (6, 4, 2), "sc");
    assert_eq!(trap_of(ideal(), &[addi(5, 2, 4), amo(0, 6, 6, 5)], 2), (7, 4, 4), "amoadd");
    let split = HartConfig { misaligned: Misaligned::Split, ..ideal() };
    assert_eq!(trap_of(split, &[addi(5, 2, 2), amo(0, 6, 6, 5)], 2), (6, 4, 2), "never split");
    assert_eq!(trap_of(ideal(), &[jalr(0, 0, 64), NOP], 2), (1, 64u32.wrapping_sub(BASE + 12), 64));
}

#[test]
fn registers_that_do_not_exist_are_illegal_with_the_instruction_as_value() {
    for bits in [csrrw(5, 0x7ff, 6), csrrs(5, 0x180, 0), csrrwi(1, 0xf11, 3), csrrsi(9, 0xc00, 1), csrrw(0, 0xc01, 0)] {
        assert_eq!(trap_of(ideal(), &[bits], 1), (2, 0, bits), "{bits:#x}");
    }
    let (mut hart, mut bus) = trapping(ideal(), &[csrrs(5, 0xf14, 0), csrrs(6, 0xc00, 0), csrrs(7, 0x3b5, 0)]);
    for _ in 0..3 {
        step(&mut hart, &mut bus);
    }
    assert_eq!((hart.pc(), hart.reg(5), hart.reg(6)), (BASE + 24, 0, 4));
}

#[test]
fn absent_extensions_are_illegal() {
    let with = |isa: &str| HartConfig { isa: isa.parse().unwrap(), ..ideal() };
    assert_eq!(trap_of(with("rv32i_zicsr"), &[mul(5, 5, 5)], 1).0, 2);
    assert_eq!(trap_of(with("rv32i_zicsr"), &[0x0001_0001], 1), (2, 0, 1), "c.nop");
    assert_eq!(trap_of(with("rv32i_zicsr"), &[jal(0, 6)], 1), (0, 0, BASE + 12 + 6), "a target between words");
    assert_eq!(trap_of(with("rv32imc_zicsr"), &[cbo(0, 2)], 1).0, 2);
    assert_eq!(trap_of(with("rv32imc_zicsr"), &[FENCE_I], 1).0, 2);
}

#[test]
fn split_accesses_are_made_of_bytes() {
    let split = HartConfig { misaligned: Misaligned::Split, ..ideal() };
    let program =
        [lui(2, BASE), lui(5, 0x1234_5000), addi(5, 5, 0x678), sw(5, 2, 0x301), lw(6, 2, 0x301), load(1, 7, 2, 0x303)];
    let (mut hart, mut bus) = trapping(split.clone(), &program);
    for _ in 0..6 {
        step(&mut hart, &mut bus);
    }
    assert_eq!((hart.reg(6), hart.reg(7)), (0x1234_5678, 0x1234));
    assert_eq!(hart.now().0, 9, "each in the time of one access");
    // In slow memory each byte suspends, and none is made twice.
    let program = [lui(2, SLOW), lui(5, 0x1234_5000), addi(5, 5, 0x678), sw(5, 2, 1), lw(6, 2, 1)];
    let (mut hart, mut bus) = trapping(split, &program);
    for _ in 0..5 {
        step(&mut hart, &mut bus);
    }
    assert_eq!(hart.reg(6), 0x1234_5678);
    assert_eq!(hart.accounts()[Account::Uncached as usize], 8 * LATENCY);
    assert_eq!(hart.now().0, 8 + 8 * LATENCY);
    assert_eq!(bus.seen.len(), 16, "each byte once before and once after it was served");
}

#[test]
fn a_trap_saves_and_mret_restores() {
    let program = [csrrsi(0, 0x300, 8), ECALL];
    let (mut hart, mut bus) = trapping(config(nios2f()), &program);
    bus.set_word(HANDLER, MRET);
    step(&mut hart, &mut bus);
    assert_eq!(hart.csr(0x300), Some(0x1808));
    let (before, retired) = (hart.now().0, hart.retired());
    step(&mut hart, &mut bus);
    assert_eq!(hart.csr(0x300), Some(0x1880), "MIE moved to MPIE, MPP stays machine mode");
    assert_eq!(hart.now().0, before + 5);
    assert_eq!(hart.accounts()[Account::Interrupt as usize], 5);
    assert_eq!(hart.retired(), retired, "ecall does not retire");
    step(&mut hart, &mut bus);
    assert_eq!((hart.csr(0x300), hart.pc()), (Some(0x1888), BASE + 16));
}

/// Interrupts on, lines 3, 7, 11, 16 to 31 enabled, then an endless run of two-cycle jumps.
fn interruptible() -> (Hart, Bus) {
    let program = [addi(5, 0, -1), csrrw(0, 0x304, 5), csrrsi(0, 0x300, 8), jal(0, 0)];
    let (mut hart, mut bus) = trapping(HartConfig { observe: true, ..config(nios2f()) }, &program);
    for _ in 0..3 {
        step(&mut hart, &mut bus);
    }
    assert_eq!((hart.now().0, hart.csr(0x304)), (15, Some(0xffff_0888)));
    (hart, bus)
}

#[test]
fn an_interrupt_is_taken_at_the_first_boundary_at_or_after_its_cycle() {
    for (at, taken) in [(14, 15), (15, 15), (16, 17), (17, 17), (18, 19), (100, 101)] {
        let (mut hart, mut bus) = interruptible();
        hart.set_line(7, true, Cycle(at));
        assert_eq!(hart.next_line_change(), Some(Cycle(at)));
        assert_eq!(hart.run(&mut bus, Cycle(taken)), Stop::Limit);
        assert_eq!((hart.pc(), hart.now().0), (BASE + 24, taken), "at {at}: not before");
        assert_eq!(hart.run(&mut bus, Cycle(taken + 1)), Stop::Limit);
        assert_eq!((hart.pc(), hart.now().0), (HANDLER, taken + 5), "at {at}");
        assert_eq!((hart.csr(0x342), hart.csr(0x341)), (Some(0x8000_0007), Some(BASE + 24)));
        let r = hart.records().last().unwrap();
        assert_eq!((r.kind, r.cycle, r.args), (kind::IRQ_ENTER, Cycle(taken), [7, BASE + 24, 0, 0, 0]));
        assert_eq!((r.accounts[4], hart.accounts()[4]), (0, 5), "the entry is charged behind the stamp");
        assert_eq!(hart.next_line_change(), None);
    }
}

#[test]
fn priorities() {
    let order = |lines: &[u8]| {
        let (mut hart, mut bus) = interruptible();
        for bit in lines {
            hart.set_line(*bit, true, Cycle(15));
        }
        hart.run(&mut bus, Cycle(16));
        hart.csr(0x342).unwrap() & 0xff
    };
    assert_eq!(order(&[31, 16, 7, 3, 11]), 11);
    assert_eq!(order(&[31, 16, 7, 3]), 3);
    assert_eq!(order(&[31, 16, 7]), 7);
    assert_eq!(order(&[31, 17, 16]), 16);
    assert_eq!(order(&[31]), 31);
}

#[test]
fn vectored_interrupts_go_to_their_slot_and_exceptions_to_the_base() {
    let (mut hart, mut bus) =
        trapping(ideal(), &[csrrsi(0, 0x305, 1), addi(5, 0, -1), csrrw(0, 0x304, 5), csrrsi(0, 0x300, 8), ECALL]);
    for _ in 0..4 {
        step(&mut hart, &mut bus);
    }
    let mut other = hart.clone();
    hart.set_line(16, true, hart.now());
    hart.run(&mut bus, hart.now() + Cycles(1));
    assert_eq!(hart.pc(), HANDLER + 64);
    step(&mut other, &mut bus);
    assert_eq!(other.pc(), HANDLER);
}

#[test]
fn mtvec_keeps_its_value_when_the_mode_is_reserved() {
    let (mut hart, mut bus) = trapping(ideal(), &[addi(5, 0, 0x402), csrrw(0, 0x305, 5)]);
    step(&mut hart, &mut bus);
    step(&mut hart, &mut bus);
    assert_eq!(hart.csr(0x305), Some(HANDLER));
}

#[test]
fn a_line_that_falls_again_before_the_boundary_does_nothing() {
    let (mut hart, mut bus) = interruptible();
    hart.set_line(16, true, Cycle(18));
    hart.set_line(16, false, Cycle(19));
    assert_eq!(hart.run(&mut bus, Cycle(1000)), Stop::Limit);
    assert_eq!(hart.pc(), BASE + 24);
}

#[test]
fn the_write_that_enables_lets_the_interrupt_in_before_the_next_instruction() {
    let (mut hart, mut bus) =
        trapping(config(nios2f()), &[addi(5, 0, -1), csrrw(0, 0x304, 5), csrrsi(0, 0x300, 8), addi(9, 0, 1)]);
    hart.set_line(7, true, Cycle(0));
    hart.run(&mut bus, Cycle(16));
    assert_eq!((hart.pc(), hart.reg(9), hart.csr(0x341)), (HANDLER, 0, Some(BASE + 24)));
}

#[test]
fn a_trap_without_a_vector_stops_the_hart() {
    let mut hart = Hart::new(ideal());
    let mut bus = Bus::new(&words(&[NOP, lw(5, 0, 8), NOP]));
    let fault = Stop::Fault { cause: 5, pc: BASE + 4, tval: 8 };
    assert_eq!(hart.run(&mut bus, Cycle(100)), fault);
    assert_eq!(hart.run(&mut bus, Cycle(200)), fault, "and it stays stopped");
    assert_eq!((hart.now().0, hart.pc(), hart.fault()), (1, BASE + 4, Some(fault)));
    assert_eq!(hart.last_instructions(&bus), [(BASE, NOP), (BASE + 4, lw(5, 0, 8))]);
}

#[test]
fn a_vector_that_cannot_be_executed_stops_the_hart_with_the_first_trap() {
    for vector in [0x400, BASE + 0x800] {
        // Nothing is mapped at 0x400; at BASE + 0x800 there are zeros.
        let program =
            [lui(31, vector + 0x800), addi(31, 31, (vector << 20) as i32 >> 20), csrrw(0, 0x305, 31), NOP, ECALL];
        let mut hart = Hart::new(ideal());
        let mut bus = Bus::new(&words(&program));
        let fault = Stop::Fault { cause: 11, pc: BASE + 16, tval: 0 };
        assert_eq!(hart.run(&mut bus, Cycle(100)), fault, "{vector:#x}");
        assert_eq!(hart.pc(), BASE + 16);
    }
}

#[test]
fn wfi_sleeps_until_an_enabled_line_rises() {
    // Interrupts off: execution goes on behind wfi.
    let program = [lui(5, 0x20000), csrrw(0, 0x304, 5), WFI, addi(9, 0, 1)];
    let (mut hart, mut bus) = trapping(HartConfig { observe: true, ..config(nios2f()) }, &program);
    assert_eq!(hart.run(&mut bus, Cycle(1000)), Stop::Sleep);
    assert!(hart.asleep());
    assert_eq!((hart.now().0, hart.pc()), (12, BASE + 24), "1 + 1 + 4, 1 + 4, and 1 for wfi");
    assert_eq!(hart.run(&mut bus, Cycle(2000)), Stop::Sleep);
    assert_eq!(hart.next_line_change(), None);
    hart.set_line(16, true, Cycle(50));
    assert_eq!(hart.next_line_change(), Some(Cycle(50)));
    assert_eq!(hart.run(&mut bus, Cycle(50)), Stop::Sleep, "before the limit only");
    assert_eq!(hart.next_line_change(), Some(Cycle(50)));
    assert_eq!(hart.run(&mut bus, Cycle(2000)), Stop::Sleep, "line 16 is not enabled");
    assert_eq!((hart.now().0, hart.next_line_change()), (12, None));
    hart.set_line(17, true, Cycle(60));
    assert_eq!(hart.run(&mut bus, Cycle(61)), Stop::Limit);
    assert_eq!((hart.now().0, hart.reg(9)), (61, 1));
    assert_eq!(hart.accounts()[Account::Idle as usize], 48);
    let kinds: Vec<_> = hart.records().iter().map(|r| (r.kind, r.cycle.0, r.accounts[5])).collect();
    assert_eq!(kinds, [(kind::SLEEP, 12, 0), (kind::WAKE, 60, 48)]);
}

#[test]
fn wfi_with_a_line_already_high_goes_on_at_once() {
    let program = [lui(5, 0x20000), csrrw(0, 0x304, 5), WFI, addi(9, 0, 1)];
    let (mut hart, mut bus) = trapping(HartConfig { observe: true, ..config(nios2f()) }, &program);
    hart.set_line(17, true, Cycle(0));
    assert_eq!(hart.run(&mut bus, Cycle(13)), Stop::Limit);
    assert_eq!((hart.now().0, hart.reg(9)), (13, 1));
    assert_eq!(hart.records().iter().map(|r| r.cycle.0).collect::<Vec<_>>(), [12, 12]);
}

#[test]
fn waking_with_interrupts_on_takes_the_interrupt_behind_wfi() {
    let program = [lui(5, 0x20000), csrrw(0, 0x304, 5), csrrsi(0, 0x300, 8), WFI, NOP];
    let (mut hart, mut bus) = trapping(config(nios2f()), &program);
    assert_eq!(hart.run(&mut bus, Cycle(1000)), Stop::Sleep);
    hart.set_line(17, true, Cycle(100));
    assert_eq!(hart.run(&mut bus, Cycle(101)), Stop::Limit);
    assert_eq!((hart.now().0, hart.pc(), hart.csr(0x341)), (105, HANDLER, Some(BASE + 28)));
    assert_eq!((hart.accounts()[4], hart.accounts()[5]), (5, 84));
}

#[test]
fn a_suspended_access_is_repeated_before_any_interrupt() {
    let program = [addi(5, 0, -1), csrrw(0, 0x304, 5), csrrsi(0, 0x300, 8), lui(2, SLOW), lw(6, 2, 4), NOP];
    let (mut hart, mut bus) = trapping(config(nios2f()), &program);
    bus.set_word(SLOW + 4, 99);
    assert_eq!(hart.run(&mut bus, Cycle(1000)), Stop::Pending);
    assert_eq!((hart.now().0, hart.pc(), hart.suspended()), (16, BASE + 28, true));
    assert!(hart.passed(Cycle(16)), "the boundary of the load has been passed");
    assert!(!hart.passed(Cycle(17)));
    hart.set_line(7, true, Cycle(17));
    serve(&mut hart, &mut bus);
    assert_eq!(hart.now().0, 26);
    assert_eq!(hart.run(&mut bus, Cycle(26)), Stop::Limit, "still suspended");
    assert!(hart.suspended());
    assert_eq!(hart.run(&mut bus, Cycle(28)), Stop::Limit);
    assert_eq!((hart.reg(6), hart.pc(), hart.csr(0x341)), (99, HANDLER, Some(BASE + 32)));
    assert_eq!(hart.now().0, 32, "26, 1 for the load, 5 for the entry");
    assert_eq!(bus.seen, [Seen::Load(16, SLOW + 4), Seen::Load(26, SLOW + 4)]);
}

#[test]
fn rewinding_and_announcing_a_change_gives_what_announcing_it_before_gives() {
    let (mut hart, mut bus) = interruptible();
    hart.checkpoint();
    bus.checkpoint();
    hart.set_line(16, true, Cycle(40));
    let mut straight = (hart.clone(), bus.clone());
    straight.0.set_line(7, true, Cycle(30));
    straight.0.run(&mut straight.1, Cycle(50));

    hart.run(&mut bus, Cycle(60));
    assert_eq!(hart.csr(0x342), Some(0x8000_0010));
    assert!(hart.passed(Cycle(30)));
    hart.rewind();
    bus.rewind();
    assert!(!hart.passed(Cycle(30)));
    hart.set_line(7, true, Cycle(30));
    hart.run(&mut bus, Cycle(50));
    assert_eq!(hart.csr(0x342), Some(0x8000_0007), "line 16 was announced before and rises while the handler runs");
    assert_eq!(hash(&hart), hash(&straight.0));
    assert_eq!(hart.records(), straight.0.records());
}

#[test]
fn counters_can_be_written_and_stopped() {
    let program = [
        csrrw(0, 0xb02, 0), // minstret = 0
        csrrs(5, 0xb02, 0), // the next instruction reads what was written
        addi(6, 0, 100),
        csrrw(0, 0xb00, 6), // mcycle = 100, from its completion on
        csrrs(7, 0xc00, 0),
        csrrwi(0, 0x320, 5), // stop both
        csrrs(8, 0xb00, 0),
        NOP,
        csrrs(9, 0xb00, 0),
        csrrs(10, 0xb02, 0),
        csrrwi(0, 0x320, 0),
        csrrs(11, 0xb00, 0),
        csrrs(12, 0xb80, 0),
        csrrs(13, 0xc01, 0),
    ];
    let (mut hart, mut bus) = trapping(HartConfig { time_divider: 10, ..config(nios2f()) }, &program);
    for _ in 0..program.len() {
        step(&mut hart, &mut bus);
    }
    assert_eq!(hart.reg(5), 0);
    assert_eq!(hart.reg(7), 100);
    assert_eq!(hart.reg(8), 108, "two control register instructions later");
    assert_eq!(hart.reg(9), 108);
    assert_eq!(hart.reg(10), 5, "five instructions behind the one that wrote 0");
    assert_eq!(hart.reg(11), 108);
    assert_eq!(hart.reg(12), 0);
    assert_eq!(u64::from(hart.reg(13)), (hart.now().0 - 4) / 10);
}

#[test]
fn the_last_instructions_are_found_through_jumps() {
    // A loop of three instructions, one of them compressed, run 20 times, then an illegal one.
    let mut program = words(&[addi(5, 0, 20)]);
    program.extend([0xfd, 0x12]); // c.addi x5, -1
    program.extend(words(&[addi(6, 6, 1), bne(5, 0, -6), 0xffff_ffff]));
    let mut hart = Hart::new(ideal());
    let mut bus = Bus::new(&program);
    assert!(matches!(hart.run(&mut bus, Cycle(1000)), Stop::Fault { cause: 2, .. }));
    let last = hart.last_instructions(&bus);
    assert_eq!(last.len(), 32);
    assert_eq!(last[31], (BASE + 14, 0xffff_ffff));
    let body = [(BASE + 4, 0x12fd), (BASE + 6, addi(6, 6, 1)), (BASE + 10, bne(5, 0, -6))];
    for (i, got) in last[..31].iter().rev().enumerate() {
        assert_eq!(*got, body[2 - i % 3], "{i}");
    }
}

#[test]
fn the_exception_whose_handler_runs_is_kept_through_rewinds() {
    let (mut hart, mut bus) = trapping(ideal(), &[addi(5, 0, 8), lw(6, 5, 0), sw(6, 5, 4)]);
    bus.set_word(HANDLER, csrrs(28, 0x341, 0));
    bus.set_word(HANDLER + 4, addi(28, 28, 4));
    bus.set_word(HANDLER + 8, csrrw(0, 0x341, 28));
    bus.set_word(HANDLER + 12, MRET);
    assert_eq!(hart.exception_open(), None);
    step(&mut hart, &mut bus);
    step(&mut hart, &mut bus);
    step(&mut hart, &mut bus);
    let e = *hart.exception_open().unwrap();
    assert_eq!((e.cause, e.pc, e.tval, e.at, e.regs[5]), (5, BASE + 16, 8, Cycle(4), 8));
    let before = hart.last_before_exception(&bus);
    assert_eq!(before[before.len() - 2..], [(BASE + 12, addi(5, 0, 8)), (BASE + 16, lw(6, 5, 0))]);
    hart.checkpoint();
    for _ in 0..3 {
        step(&mut hart, &mut bus);
    }
    assert_eq!(hart.exception_open(), None, "mret");
    step(&mut hart, &mut bus);
    assert_eq!(hart.exception_open().unwrap().cause, 7);
    hart.rewind();
    assert_eq!(hart.exception_open(), Some(&e));
    assert_eq!(hart.last_before_exception(&bus), before);
}
