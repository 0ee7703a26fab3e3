// SPDX-License-Identifier: Apache-2.0
//! Exact cycles of each class of instructions, on the costs of Nios II/f.

mod common;
use common::asm::*;
use common::*;
use hart::{Hart, HartConfig, Predictor, Timing};

fn nios(program: &[u32]) -> Vec<u64> {
    completions(nios2f(), program)
}

#[test]
fn plain_operations_take_one_cycle_and_do_not_wait_for_each_other() {
    assert_eq!(nios(&[addi(5, 0, 1), addi(5, 5, 1), add(6, 5, 5), xori(7, 6, 1)]), [1, 2, 3, 4]);
}

#[test]
fn a_user_of_a_load_stalls_as_long_as_it_must() {
    let base = lui(2, BASE);
    assert_eq!(nios(&[base, lw(5, 2, 64), add(6, 5, 5)]), [1, 2, 5]);
    assert_eq!(nios(&[base, lw(5, 2, 64), NOP, add(6, 5, 5)]), [1, 2, 3, 5]);
    assert_eq!(nios(&[base, lw(5, 2, 64), NOP, NOP, add(6, 5, 5)]), [1, 2, 3, 4, 5]);
    assert_eq!(nios(&[base, lw(5, 2, 64), add(6, 2, 2), add(6, 6, 5)]), [1, 2, 3, 5], "either source");
    assert_eq!(nios(&[base, lw(5, 2, 64), sw(5, 2, 68)]), [1, 2, 5], "a store waits for its value");
    assert_eq!(nios(&[base, sw(2, 2, 64), lw(5, 2, 64), sw(6, 5, 68)]), [1, 2, 3, 6], "and for its address");
    assert_eq!(nios(&[base, lw(5, 2, 64), bne(5, 6, 8)])[2], 5, "and a branch, foreseen to fall through");
}

#[test]
fn an_overwritten_late_result_is_not_waited_for() {
    let base = lui(2, BASE);
    assert_eq!(nios(&[base, lw(5, 2, 64), addi(5, 0, 1), add(6, 5, 5)]), [1, 2, 3, 4]);
    assert_eq!(nios(&[base, lw(0, 2, 64), add(6, 0, 0)]), [1, 2, 3], "x0 is never late");
}

#[test]
fn stores_take_one_cycle() {
    assert_eq!(nios(&[lui(2, BASE), sw(2, 2, 64), sw(2, 2, 68), NOP]), [1, 2, 3, 4]);
}

#[test]
fn shifts_are_late_by_two() {
    assert_eq!(nios(&[addi(5, 0, 1), slli(6, 5, 3), NOP, add(7, 6, 6)]), [1, 2, 3, 5]);
    assert_eq!(nios(&[addi(5, 0, 1), op(0, 1, 6, 5, 5), add(7, 6, 6)]), [1, 2, 5]);
}

#[test]
fn a_product_takes_five_and_is_late_by_two() {
    assert_eq!(nios(&[addi(5, 0, 3), mul(6, 5, 5), NOP]), [1, 6, 7]);
    assert_eq!(nios(&[addi(5, 0, 3), mul(6, 5, 5), add(7, 6, 6)]), [1, 6, 9]);
    assert_eq!(nios(&[addi(5, 0, 3), op(1, 3, 6, 5, 5), add(7, 6, 6)]), [1, 6, 9], "the high half too");
}

#[test]
fn a_quotient_takes_from_4_to_66() {
    let div = |a: &[u32]| {
        let mut p = a.to_vec();
        p.push(divu(7, 5, 6));
        let c = nios(&p);
        c[a.len()] - c[a.len() - 1]
    };
    assert_eq!(div(&[addi(5, 0, 5), addi(6, 0, 9)]), 4, "quotient 0");
    assert_eq!(div(&[addi(5, 0, 9), addi(6, 0, 9)]), 4, "quotient 1");
    assert_eq!(div(&[addi(5, 0, 20), addi(6, 0, 10)]), 6, "quotient 2");
    assert_eq!(div(&[addi(5, 0, 255), addi(6, 0, 1)]), 18, "8 bits");
    assert_eq!(div(&[addi(5, 0, -1), addi(6, 0, 1)]), 66, "32 bits");
    assert_eq!(div(&[addi(5, 0, 1), addi(6, 0, 0)]), 66, "by zero");
    let signed = nios(&[addi(5, 0, -255), addi(6, 0, 1), op(1, 4, 7, 5, 6), add(8, 7, 7)]);
    assert_eq!(signed, [1, 2, 20, 23], "the magnitude counts; the result is late by two");
    let remainder = nios(&[addi(5, 0, -255), addi(6, 0, 1), op(1, 6, 7, 5, 6)]);
    assert_eq!(remainder[2], 20);
}

#[test]
fn jumps() {
    assert_eq!(nios(&[jal(0, 4), NOP]), [2, 3]);
    assert_eq!(nios(&[auipc(5, 0), jalr(0, 5, 8), NOP]), [1, 4, 5]);
    assert_eq!(nios(&[jal(1, 4), add(5, 1, 1)]), [2, 3], "the link is not late");
}

#[test]
fn branches_are_learnt_by_two_bit_counters() {
    // A loop of five passes: counter 1, taken four times, then not.
    let mut hart = Hart::new(config(nios2f()));
    let mut bus = Bus::new(&words(&[addi(5, 0, 5), addi(5, 5, -1), bne(5, 0, -4), NOP]));
    let mut costs = Vec::new();
    let mut before = step(&mut hart, &mut bus);
    for _ in 0..5 {
        before = step(&mut hart, &mut bus).max(before);
        let after = step(&mut hart, &mut bus);
        costs.push(after - before);
        before = after;
    }
    assert_eq!(costs, [4, 2, 2, 2, 4], "weakly not taken, taken, strongly taken twice, mispredicted at the end");
    assert_eq!(nios(&[bne(0, 0, 8), NOP]), [1, 2], "not taken and foreseen");
}

#[test]
fn the_other_predictors() {
    let t = |predictor| Timing { predictor, predictor_entries: 0, ..nios2f() };
    let forward_taken = [beq(0, 0, 4), NOP];
    let forward_not = [bne(0, 0, 8), NOP];
    assert_eq!(completions(t(Predictor::None), &forward_taken), [2, 3]);
    assert_eq!(completions(t(Predictor::None), &forward_not), [1, 2]);
    assert_eq!(completions(t(Predictor::Static), &forward_taken), [4, 5]);
    assert_eq!(completions(t(Predictor::Static), &forward_not), [1, 2]);
    let backward = [jal(0, 8), NOP, beq(0, 0, -4), bne(0, 0, -8)];
    assert_eq!(completions(t(Predictor::Static), &backward)[..2], [2, 4], "backward is foreseen");
    let backward_not = [bne(0, 0, -8), NOP];
    assert_eq!(completions(t(Predictor::Static), &backward_not), [4, 5]);
}

#[test]
fn control_registers_and_trap_return() {
    assert_eq!(nios(&[csrrw(0, 0x340, 5), csrrs(6, 0x340, 0), add(7, 6, 6)]), [4, 8, 9]);
    let c = nios(&[auipc(5, 0), addi(5, 5, 16), csrrw(0, 0x341, 5), MRET, NOP]);
    assert_eq!(c, [1, 2, 6, 11, 12]);
}

#[test]
fn fences_and_cache_operations() {
    let t = Timing { fence: 3, fence_i: 7, cache_op: 2, ..nios2f() };
    assert_eq!(completions(t, &[FENCE, FENCE_I, lui(2, BASE), cbo(1, 2), NOP]), [3, 10, 11, 13, 14]);
}

#[test]
fn a_prefetch_is_told_to_the_memory_and_costs_an_addition() {
    use engine::Prefetch::{Fetch, Read, Write};
    let program = [
        lui(2, BASE),
        lw(1, 2, 0),
        prefetch(0, 2, 64),
        prefetch(1, 2, -2048),
        prefetch(3, 0, 32),
        prefetch(1, 1, 0),
        NOP,
    ];
    let mut hart = Hart::new(config(nios2f()));
    let mut bus = Bus::new(&words(&program));
    let ends: Vec<u64> = program.iter().map(|_| step(&mut hart, &mut bus)).collect();
    // What a hint is for (0, 1, 3) is no register: the fourth does not wait for x1, which is loaded late.
    assert_eq!(ends, [1, 2, 3, 4, 5, 6, 7]);
    let told = [
        Seen::Prefetch(2, BASE + 64, Fetch),
        Seen::Prefetch(3, BASE - 2048, Read),
        Seen::Prefetch(4, 32, Write),
        Seen::Prefetch(5, bus.word(BASE), Read),
    ];
    assert_eq!(bus.seen[1..], told, "an address that does not exist is no fault");
    let without = HartConfig { isa: "rv32i".parse().unwrap(), ..config(nios2f()) };
    let mut hart = Hart::new(without);
    let mut bus = Bus::new(&words(&program));
    for _ in 0..7 {
        step(&mut hart, &mut bus);
    }
    assert_eq!((hart.now().0, bus.seen.len()), (7, 1), "ori x0 for a core that does not know the hint");
}

#[test]
fn atomics_cost_what_loads_cost() {
    let c = nios(&[lui(2, BASE), amo(0, 5, 2, 2), add(6, 5, 5), amo(2, 5, 0, 2), amo(3, 6, 2, 2), add(7, 6, 6)]);
    assert_eq!(c, [1, 2, 5, 6, 7, 10]);
}

#[test]
fn a_line_fill_and_an_uncached_access_are_charged() {
    let mut hart = Hart::new(config(nios2f()));
    let mut bus = Bus::with_icache(&words(&[lui(2, SLOW), lw(5, 2, 0), add(6, 5, 5)]), 4);
    assert_eq!(step(&mut hart, &mut bus), 11, "10 for the line");
    assert_eq!(step(&mut hart, &mut bus), 22, "10 for the access");
    assert_eq!(step(&mut hart, &mut bus), 25, "the result is late by two from there");
    assert_eq!(hart.accounts(), [10, 0, 10, 0, 0, 0]);
}

#[test]
fn an_instruction_across_two_lines_fetches_both() {
    // 15 compressed nops, then a 32-bit instruction with its halves on both sides of the line's end.
    let mut program: Vec<u8> = [1u8, 0].repeat(15);
    program.extend(addi(5, 0, 77).to_le_bytes());
    program.extend([1u8, 0].repeat(8));
    let mut hart = Hart::new(config(nios2f()));
    let mut bus = Bus::with_icache(&program, 4);
    assert_eq!(drive(&mut hart, &mut bus, 25), hart::Stop::Limit);
    assert_eq!((hart.pc(), hart.now().0, hart.reg(5)), (BASE + 30, 25, 0), "15 and 10 for the first line");
    assert_eq!(step(&mut hart, &mut bus), 36, "10 for the second line, 1 for the instruction");
    assert_eq!(hart.reg(5), 77);
    assert_eq!(hart.accounts(), [20, 0, 0, 0, 0, 0]);
    // With a single slot, the second line evicts the first: the half that was read stays read.
    let mut hart = Hart::new(config(nios2f()));
    let mut bus = Bus::with_icache(&program, 1);
    drive(&mut hart, &mut bus, 30);
    step(&mut hart, &mut bus);
    assert_eq!((hart.reg(5), hart.accounts()[0]), (77, 20));
}

// Timing that cores in the certificate have. Their RTL confirms the numbers; these tests hold the engine to them.

fn half(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// c.nop
const C: u16 = 1;

/// Places 32-bit instructions behind one compressed nop, and one more at the end.
fn shifted(program: &[u32]) -> Vec<u32> {
    let mut halves = vec![C];
    halves.extend(program.iter().flat_map(|w| [*w as u16, (w >> 16) as u16]));
    halves.push(C);
    halves.chunks(2).map(|c| half(c[0], c[1])).collect()
}

#[test]
fn an_iterative_shifter_takes_time_by_the_amount() {
    // PicoRV32: steps of four bits, then of one.
    let two_stage = Timing { shift: 4, shift_per_step: 1, shift_step_bits: 4, ..Timing::IDEAL };
    let by = |t: &Timing, amount| completions(t.clone(), &[slli(6, 5, amount)])[0];
    let cost = [0, 1, 3, 4, 5, 16, 31].map(|n| by(&two_stage, n));
    assert_eq!(cost, [4, 5, 7, 5, 6, 8, 14]);
    // VexRiscv: one bit a cycle, the first is free.
    let light = Timing { shift_per_step: 1, shift_free_steps: 1, ..Timing::IDEAL };
    assert_eq!([0, 1, 2, 31].map(|n| by(&light, n)), [1, 1, 2, 31]);
    // The amount in a register counts modulo 32, and a late result is late from the end.
    let late = Timing { shift_result: 4, ..light };
    assert_eq!(completions(late, &[addi(6, 0, 35), op(0, 1, 7, 5, 6), add(8, 7, 7)]), [1, 4, 9]);
}

#[test]
fn the_high_half_and_a_division_by_zero_have_their_own_cost() {
    let t = Timing { mul: 3, mul_high: 4, div_base: 37, div_by_zero: Some(2), ..Timing::IDEAL };
    assert_eq!(
        completions(t.clone(), &[mul(5, 6, 6), op(1, 1, 5, 6, 6), op(1, 2, 5, 6, 6), op(1, 3, 5, 6, 6)]),
        [3, 7, 11, 15]
    );
    assert_eq!(completions(t.clone(), &[addi(6, 0, 7), divu(5, 6, 6), divu(5, 6, 0)]), [1, 38, 40]);
    assert_eq!(completions(t, &[op(1, 4, 5, 6, 0), op(1, 6, 5, 6, 0), op(1, 7, 5, 6, 0)]), [2, 4, 6], "all four");
}

#[test]
fn without_bypasses_every_result_is_late() {
    let t = Timing { alu_result: 4, load_result: 4, jump: 4, jump_indirect: 4, ..Timing::IDEAL };
    assert_eq!(completions(t.clone(), &[addi(5, 0, 1), addi(5, 5, 1), NOP, add(6, 5, 5)]), [1, 6, 7, 11]);
    assert_eq!(completions(t.clone(), &[jal(1, 4), add(5, 1, 1)]), [4, 6], "the link is written like any result");
    assert_eq!(completions(t, &[lui(2, BASE), NOP, NOP, NOP, NOP, lw(5, 2, 64), add(6, 5, 5)])[5..], [6, 11]);
}

#[test]
fn control_registers_wait_for_an_empty_pipeline() {
    let t = Timing { csr_drain: 2, csr_result: 1, jump: 4, ..Timing::IDEAL };
    assert_eq!(completions(t.clone(), &[NOP, csrrs(5, 0x340, 0), csrrs(5, 0x340, 0), NOP]), [1, 4, 7, 8]);
    assert_eq!(completions(t.clone(), &[NOP, csrrs(5, 0x340, 0), add(6, 5, 5)]), [1, 4, 6], "the value is late by one");
    assert_eq!(completions(t, &[NOP, jal(0, 4), csrrs(5, 0x340, 0)]), [1, 5, 6], "behind a jump the pipeline is empty");
}

#[test]
fn writing_an_interrupt_enable_flushes_and_clearing_it_does_not() {
    let t = Timing { csr_enable: 3, ..Timing::IDEAL };
    // csrrw, csrrs, csrrc of mstatus; csrrs of mie; csrrs that only reads; csrrw of mscratch.
    let csrrc = |csr: u32| csr << 20 | 5 << 15 | 3 << 12 | 0x73;
    let program = [
        csrrw(0, 0x300, 5),
        csrrs(0, 0x300, 5),
        csrrc(0x300),
        csrrs(0, 0x304, 5),
        csrrs(6, 0x300, 0),
        csrrw(0, 0x340, 5),
    ];
    assert_eq!(completions(t, &program), [3, 6, 7, 10, 11, 12]);
}

#[test]
fn accesses_keep_their_distance() {
    let t = Timing { access_interval: 2, ..Timing::IDEAL };
    assert_eq!(completions(t.clone(), &[lui(2, BASE), sw(2, 2, 64), sw(2, 2, 68), lw(5, 2, 64), NOP]), [1, 2, 4, 6, 7]);
    assert_eq!(completions(t, &[lui(2, BASE), sw(2, 2, 64), NOP, sw(2, 2, 68)]), [1, 2, 3, 4], "hidden behind another");
}

#[test]
fn an_access_across_a_word_boundary_takes_longer() {
    let t = Timing { load: 2, store: 2, access_misaligned: 1, ..Timing::IDEAL };
    let costs = |access: u32| {
        let mut hart = Hart::new(hart::HartConfig { misaligned: hart::Misaligned::Split, ..config(t.clone()) });
        let mut bus = Bus::new(&words(&[lui(2, BASE), access]));
        step(&mut hart, &mut bus);
        step(&mut hart, &mut bus) - 1
    };
    let lh = |offset| lw(5, 2, offset) & !(7 << 12) | 1 << 12;
    let sh = |offset| sw(5, 2, offset) & !(7 << 12) | 1 << 12;
    assert_eq!([64, 65, 66, 67].map(|o| costs(lw(5, 2, o))), [2, 3, 3, 3]);
    assert_eq!([64, 65, 66, 67].map(|o| costs(lh(o))), [2, 2, 2, 3]);
    assert_eq!([64, 65, 66, 67].map(|o| costs(sw(5, 2, o))), [2, 3, 3, 3]);
    assert_eq!([65, 67].map(|o| costs(sh(o))), [2, 3]);
}

#[test]
fn an_instruction_across_two_words_takes_longer() {
    let picorv32 = Timing { fetch_misaligned: 1, ..Timing::IDEAL };
    assert_eq!(completions(picorv32.clone(), &[NOP, NOP]), [1, 2]);
    assert_eq!(completions(picorv32, &shifted(&[NOP, NOP])), [1, 3, 5]);
    let ibex = Timing { target_misaligned: 1, jump: 2, ..Timing::IDEAL };
    assert_eq!(completions(ibex.clone(), &shifted(&[NOP, NOP])), [1, 2, 3], "in sequence the fetch is ahead");
    assert_eq!(completions(ibex.clone(), &shifted(&[jal(0, 4), NOP, NOP])), [1, 3, 5, 6], "as a target it is not");
    let compressed = [half(C, jal(0, 4) as u16), half((jal(0, 4) >> 16) as u16, C), NOP];
    assert_eq!(completions(ibex, &compressed), [1, 3, 4], "a compressed target lies in one word");
}

#[test]
fn a_taken_branch_waits_for_the_fetch_behind_it() {
    let t = Timing { branch_taken: 5, branch_misaligned: 1, jump: 3, ..Timing::IDEAL };
    let branch = beq(0, 0, 8);
    assert_eq!(completions(t.clone(), &[branch, NOP, NOP])[0], 5, "behind it lies a whole word");
    assert_eq!(completions(t.clone(), &shifted(&[branch, NOP, NOP]))[1], 7, "half an instruction");
    let followed = [half(C, branch as u16), half((branch >> 16) as u16, C), half(C, C), NOP];
    assert_eq!(completions(t.clone(), &followed)[1], 6, "a compressed one");
    assert_eq!(completions(t.clone(), &shifted(&[bne(0, 0, 8), NOP, NOP]))[1], 2, "not taken");
    assert_eq!(completions(t, &shifted(&[jal(0, 8), NOP, NOP]))[1], 4, "a jump does not fetch what lies behind it");
}

#[test]
fn a_jump_waits_while_what_lies_behind_it_stalls() {
    let t = Timing { alu_result: 4, jump: 4, shift_per_step: 1, shift_free_steps: 1, jump_stalled: 1, ..Timing::IDEAL };
    let cost = |before: &[u32], behind: [u32; 2]| {
        let program = [before, &[jal(0, 12), behind[0], behind[1], NOP]].concat();
        let c = completions(t.clone(), &program);
        c[before.len()] - before.len() as u64
    };
    assert_eq!(cost(&[], [NOP, NOP]), 4);
    assert_eq!(cost(&[], [addi(5, 0, 1), addi(6, 5, 1)]), 5, "the second uses the first");
    assert_eq!(cost(&[], [addi(5, 0, 1), addi(6, 7, 1)]), 4);
    assert_eq!(cost(&[], [slli(5, 6, 2), NOP]), 5, "the first takes two cycles");
    assert_eq!(cost(&[], [slli(5, 6, 1), NOP]), 4);
    assert_eq!(cost(&[addi(5, 0, 1)], [addi(6, 5, 1), NOP]), 5, "the first waits for what is before the jump");
    assert_eq!(cost(&[addi(5, 0, 1), NOP, NOP], [addi(6, 5, 1), NOP]), 4, "not long enough to matter");
    assert_eq!(cost(&[addi(5, 0, 1), NOP, NOP], [NOP, addi(6, 5, 1)]), 4);
    assert_eq!(cost(&[addi(5, 0, 1), NOP], [NOP, addi(6, 5, 1)]), 5, "the second does");
}

#[test]
fn where_a_run_is_cut_does_not_matter_to_detailed_timing() {
    let t = Timing {
        load: 2,
        alu_result: 1,
        csr_drain: 2,
        access_interval: 3,
        fetch_misaligned: 1,
        target_misaligned: 2,
        branch_misaligned: 1,
        jump_stalled: 1,
        ..nios2f()
    };
    let program =
        shifted(&[lui(2, SLOW), lw(5, 2, 0), add(6, 5, 5), lw(5, 2, 4), beq(0, 0, 8), NOP, csrrs(5, 0x340, 0), NOP]);
    let whole = completions(t.clone(), &program);
    for pieces in [1, 2, 3, 7] {
        let mut hart = Hart::new(config(t.clone()));
        let mut bus = Bus::new(&words(&program));
        let mut limit = 0;
        while hart.now().0 < *whole.last().unwrap() {
            limit += pieces;
            drive(&mut hart, &mut bus, limit);
        }
        assert_eq!(hart.now().0, *whole.last().unwrap(), "in pieces of {pieces}");
    }
}

/// Cycles from the boundary at which line 16 is seen to the first instruction of its handler, after the instructions of `before`.
fn interrupted(t: &Timing, before: &[u32], at: u64) -> (u64, u64) {
    let handler = BASE + 4 * (before.len() as u32 + 8);
    let mut program = vec![lui(5, handler), addi(5, 5, (handler & 0xfff) as i32), csrrw(0, 0x305, 5)];
    program.extend([lui(6, 16 << 12), csrrs(0, 0x304, 6), csrrsi(0, 0x300, 8)]);
    program.extend(before);
    program.extend([NOP; 4]);
    let mut hart = Hart::new(config(t.clone()));
    let mut bus = Bus::new(&words(&program));
    let begin = (0..6).map(|_| step(&mut hart, &mut bus)).last().unwrap();
    hart.set_line(16, true, units::Cycle(begin + at));
    for _ in 0..100 {
        let before = hart.now().0;
        if drive(&mut hart, &mut bus, before + 1) == hart::Stop::Sleep {
            let wakes = hart.next_line_change().unwrap();
            hart.run(&mut bus, wakes.max(hart.now()) + units::Cycles(1));
        }
        if hart.pc() == handler {
            return (begin, hart.now().0 - begin);
        }
    }
    panic!("no interrupt");
}

#[test]
fn an_interrupt_overlaps_with_a_fetch_that_is_made_anew() {
    let t = Timing { trap: 9, interrupt: 3, interrupt_overlap: 1, jump: 2, csr_enable: 3, ..Timing::IDEAL };
    assert_eq!(interrupted(&t, &[NOP, NOP, NOP], 2).1, 5, "two instructions, then the entry");
    assert_eq!(interrupted(&t, &[NOP, jal(0, 4), NOP], 2).1, 5, "one and a jump of two, of which one is shared");
    let plain = Timing { interrupt_overlap: 0, ..t };
    assert_eq!(interrupted(&plain, &[NOP, jal(0, 4), NOP], 2).1, 6);
}

#[test]
fn falling_asleep_and_waking_take_time() {
    let t = Timing { interrupt: 3, interrupt_overlap: 1, wfi: 3, wake: 2, ..Timing::IDEAL };
    assert_eq!(interrupted(&t, &[WFI, NOP], 20).1, 24, "2 to wake, 3 less 1 to enter");
    assert_eq!(interrupted(&t, &[WFI, NOP], 1).1, 7, "asleep at 3, whatever came before");
    let mut hart = Hart::new(config(t));
    let mut bus = Bus::new(&words(&[lui(6, 16 << 12), csrrs(0, 0x304, 6), WFI, NOP]));
    hart.set_line(16, true, units::Cycle(30));
    (0..3).for_each(|_| {
        step(&mut hart, &mut bus);
    });
    assert!(hart.asleep());
    hart.run(&mut bus, units::Cycle(31));
    assert_eq!((hart.asleep(), hart.now().0, hart.accounts()[5]), (false, 32, 25), "idle from 5 to 30");
}

#[test]
fn a_load_of_what_was_just_stored_is_made_again() {
    let t = Timing { load_stored: 5, load_stored_within: 2, ..Timing::IDEAL };
    let run = |program: &[u32]| completions(t.clone(), &[&[lui(2, BASE)], program].concat()).last().unwrap() - 1;
    let (stored, loaded) = (sw(2, 2, 64), lw(5, 2, 64));
    assert_eq!(run(&[stored, loaded]), 2 + 5);
    assert_eq!(run(&[stored, NOP, loaded]), 3 + 5, "two cycles after");
    assert_eq!(run(&[stored, NOP, NOP, loaded]), 4, "three are enough");
    assert_eq!(run(&[stored, lw(5, 2, 68)]), 2, "another word");
    assert_eq!(run(&[store(1, 2, 2, 66), load(5, 5, 2, 64)]), 2, "another half of the word");
    assert_eq!(run(&[store(1, 2, 2, 66), loaded]), 2 + 5, "a part of it");
    assert_eq!(run(&[store(0, 2, 2, 67), load(4, 5, 2, 67)]), 2 + 5, "the byte");
    assert_eq!(run(&[stored, sw(2, 2, 80), loaded]), 3 + 5, "the last but one");
    assert_eq!(run(&[stored, loaded, loaded]), 3 + 5, "once it has been made again, it is there");
    assert_eq!(run(&[stored, loaded, add(6, 5, 5)]), 3 + 5);
}
