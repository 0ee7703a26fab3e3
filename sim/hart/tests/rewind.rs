// SPDX-License-Identifier: Apache-2.0
//! Random programs under random line changes: however an owner of time slices, checkpoints and rewinds a hart, and
//! whether or not it is observed, the same happens at the same cycles.
//!
//! `HART_SEED=n cargo test -p hart --test rewind` repeats one program.

mod common;
use common::asm::*;
use common::*;
use engine::{Cycle, HartMemory};
use hart::{Exception, FloatTiming, Hart, HartConfig, Late, Misaligned, Privilege, Stop, Timing};
use trace::{kind, Account, Operand, Probe, Record};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    fn register(&mut self) -> u32 {
        5 + self.below(9) as u32
    }
}

struct Case {
    program: Vec<u8>,
    probes: Vec<Probe>,
    /// Line changes by time.
    changes: Vec<(u64, u8, bool)>,
    /// Lines of the instruction cache. There is always one: programs that jump between instructions overwrite themselves,
    /// and what a store to code does before fence.i must not depend on when the hart looks.
    icache: usize,
    privilege: Privilege,
    float: bool,
    until: u64,
}

const VECTOR: u32 = BASE + 0x40;
const BODY: u32 = BASE + 0x80;

/// Counts traps in x30, and goes on behind an instruction that caused one.
fn handler() -> Vec<u32> {
    vec![
        addi(30, 30, 1),
        csrrs(28, 0x342, 0),
        branch(4, 28, 0, 32), // an interrupt: return
        csrrs(28, 0x341, 0),
        load(5, 29, 28, 0),
        andi(29, 29, 3),
        addi(28, 28, 2),
        addi(29, 29, -3),
        bne(29, 0, 8),
        addi(28, 28, 2),
        // the branch above comes here for interrupts with x28 negative
        branch(4, 28, 0, 8),
        csrrw(0, 0x341, 28),
        MRET,
    ]
}

fn instruction(r: &mut Random) -> Vec<u8> {
    let (a, b, c) = (r.register(), r.register(), r.register());
    let base = 2 + (r.below(3) == 0) as u32;
    let offset = (r.below(16) * 4) as i32 + if r.below(8) == 0 { r.below(4) as i32 } else { 0 };
    let f = |r: &mut Random| r.below(4) as u32;
    let word = match r.below(56) {
        48 | 49 => flw(f(r), base, offset),
        50 => fsw(f(r), base, offset),
        51..=53 => fop([0, 4, 8, 12, 0x2c, 0x10, 0x14][r.below(7) as usize], r.below(8) as u32, f(r), f(r), f(r)),
        54 => fma(f(r), 7, f(r), f(r), f(r), f(r)),
        55 => [fmv_w_x(f(r), a), fmv_x_w(a, f(r)), fop(0x68, 7, f(r), a, 1), fop(0x60, 0, a, f(r), 0)]
            [r.below(4) as usize],
        40 | 41 => csrrw(a, 0x3b0 + r.below(16) as u32, b),
        42 => csrrw(a, 0x3a0 + r.below(3) as u32, b),
        43 => csrrw(a, 0x300, b),
        44 => csrrs(0, 0x300, b),
        45 => csrrw(a, 0x306, b),
        46 => csrrw(a, 0x30a, b),
        47 => MRET,
        0..=5 => op(0, r.below(8) as u32, a, b, c),
        6..=8 => addi(a, b, r.below(4096) as i32 - 2048),
        9..=10 => op(1, r.below(8) as u32, a, b, c),
        11 => op(32, 0, a, b, c),
        12..=15 => load([0, 1, 2, 4, 5][r.below(5) as usize], a, base, offset),
        16..=18 => store(r.below(3) as u32, a, base, offset),
        19..=21 => branch([0, 1, 4, 5, 6, 7][r.below(6) as usize], a, b, 4 + 2 * r.below(4) as i32),
        22 => jal([0, 1][r.below(2) as usize], 4),
        23 => amo([0, 1, 4, 8, 12, 16, 20, 24, 28][r.below(9) as usize], a, b, base),
        24 => amo(2, a, 0, base),
        25 => amo(3, a, b, base),
        26 => csrrs(a, [0xb00, 0xb02, 0xc01, 0x344, 0x300, 0x341][r.below(6) as usize], 0),
        27 => csrrsi(0, 0x300, 8),
        28 => csrrci(0, 0x300, 8),
        29 => WFI,
        30 => FENCE_I,
        31 => ECALL,
        32 => 0xffff_ffff,
        33 => csrrw(a, 0x340, b),
        34 => cbo(r.below(3) as u32, base),
        35 => csrrw(0, 0xb02, a),
        // c.addi, c.mv, c.lw from x10 (which may point anywhere)
        36..=38 => return (0x0001 | a << 7 | 5 << 2).to_le_bytes()[..2].to_vec(),
        _ => return (0x8002 | a << 7 | b << 2).to_le_bytes()[..2].to_vec(),
    };
    word.to_le_bytes().to_vec()
}

fn case(seed: u64) -> Case {
    let r = &mut Random(seed);
    let mut program = words(&[
        lui(31, VECTOR + 0x800),
        addi(31, 31, (VECTOR & 0xfff) as i32),
        csrrw(0, 0x305, 31),
        lui(2, BASE + 0x2000),
        lui(3, SLOW),
        addi(5, 0, -1),
        csrrw(0, 0x304, 5),
        csrrsi(0, 0x300, 8),
        // User mode may do all that no other entry forbids.
        csrrw(0, 0x3bf, 5),
        lui(6, 0x1f00_0000),
        csrrw(0, 0x3a3, 6),
        lui(6, 0x2000),
        csrrs(0, 0x300, 6),
        jal(0, (BODY - BASE) as i32 - 52),
    ]);
    program.resize((VECTOR - BASE) as usize, 0);
    program.extend(words(&handler()));
    program.resize((BODY - BASE) as usize, 0);
    let mut probes = Vec::new();
    for _ in 0..20 + r.below(100) {
        if r.below(6) == 0 {
            let operands = vec![Operand::Reg(r.register() as u8), Operand::Mem { base: 2, offset: 8 }, Operand::Imm(5)];
            // Records of any kind; those of tasks read a string, here from wherever the register points.
            let kind = if r.below(4) == 0 { 32 } else { 72 };
            let operands = if kind == 32 { vec![operands[2], operands[0]] } else { operands };
            probes.push(Probe { addr: BASE + program.len() as u32, kind, operands });
        }
        program.extend(instruction(r));
    }
    program.extend([1, 0].repeat(4));
    let back = BODY as i32 - (BASE as i32 + program.len() as i32);
    program.extend(jal(0, back).to_le_bytes());
    let until = 3000 + r.below(3000);
    let mut changes = Vec::new();
    let mut at = 0;
    while at < until {
        at += r.below(200);
        let bit = [3, 7, 11, 16, 17, 31][r.below(6) as usize];
        changes.push((at, bit, true));
        changes.push((at + 1 + r.below(30), bit, false));
    }
    changes.sort_by_key(|c| c.0);
    let icache = if r.below(4) == 0 { (SIZE / 32) as usize } else { 1 << r.below(4) };
    let privilege = if r.below(3) == 0 {
        Privilege::MACHINE
    } else {
        Privilege { user: true, pmp_entries: 16 * (r.below(4) != 0) as u8, pmp_granularity_bytes: 4 << r.below(3) }
    };
    Case { program, probes, changes, icache, privilege, float: r.below(2) == 0, until }
}

fn machine(case: &Case, observe: bool) -> (Hart, Bus) {
    let mut bus = Bus::with_icache(&case.program, case.icache);
    // Memories need not count.
    bus.changes = u64::from(case.until % 5 != 0);
    let late = Late { cost: 2, result: 5 };
    let float = FloatTiming { add: late, mul: late, div: Late { cost: 17, result: 2 }, ..FloatTiming::IDEAL };
    let plain = Timing { predictor_entries: 8, float, ..nios2f() };
    let detailed = Timing {
        alu_result: 1,
        csr_drain: 2,
        shift_per_step: 1,
        access_interval: 3,
        access_misaligned: 2,
        fetch_misaligned: 1,
        target_misaligned: 2,
        branch_misaligned: 1,
        jump_stalled: 1,
        load_stored: 5,
        load_stored_within: 2,
        ..plain.clone()
    };
    let timing = if case.until % 3 == 0 { detailed } else { plain };
    let isa = if case.float { "rv32imafc_zicsr_zifencei_zicbom_zicbop" } else { "rv32imac_zicsr_zifencei_zicbom" };
    let isa = isa.parse().unwrap();
    let misaligned = if case.until % 2 == 0 { Misaligned::Split } else { Misaligned::Trap };
    let config = HartConfig {
        observe,
        misaligned,
        privilege: case.privilege,
        isa,
        probes: case.probes.clone(),
        ..config(timing)
    };
    let mut hart = Hart::new(config);
    if case.until % 7 != 0 {
        hart.insist_on_blocks();
    }
    (hart, bus)
}

#[derive(PartialEq, Debug)]
struct Outcome {
    hash: u64,
    now: u64,
    retired: u64,
    asleep: bool,
    accounts: [u64; 6],
    ram: Vec<u8>,
    records: Vec<Record>,
    strings: Vec<String>,
    last: Vec<(u32, u32)>,
    user: bool,
    exception: Option<Exception>,
    before_exception: Option<Vec<(u32, u32)>>,
    in_blocks: InBlocks,
}

/// Instructions executed in translated blocks; how many they are is nobody's business but this test's.
#[derive(Debug)]
struct InBlocks(u64);

impl PartialEq for InBlocks {
    fn eq(&self, _: &InBlocks) -> bool {
        true
    }
}

fn outcome(mut hart: Hart, bus: Bus, mut records: Vec<Record>) -> Outcome {
    hart.checkpoint();
    records.extend(hart.take_records());
    Outcome {
        hash: hash(&hart),
        now: hart.now().0,
        retired: hart.retired(),
        in_blocks: InBlocks(hart.retired_in_blocks()),
        asleep: hart.asleep(),
        accounts: hart.accounts(),
        last: hart.last_instructions(&bus),
        user: hart.in_user_mode(),
        exception: hart.exception_open().copied(),
        before_exception: hart.exception_open().map(|_| hart.last_before_exception(&bus)),
        ram: bus.ram,
        records,
        strings: hart.strings().to_vec(),
    }
}

/// Everything is known before, nothing is ever taken back.
fn straight(case: &Case, observe: bool) -> Outcome {
    let (mut hart, mut bus) = machine(case, observe);
    for (at, bit, level) in &case.changes {
        hart.set_line(*bit, *level, Cycle(*at));
    }
    drive(&mut hart, &mut bus, case.until);
    outcome(hart, bus, Vec::new())
}

/// Changes are announced when their time has come, to a hart that has run ahead by any distance.
fn chaotic(case: &Case, r: &mut Random) -> (Outcome, u32) {
    let (mut hart, mut bus) = machine(case, true);
    let mut changes = case.changes.iter().copied().peekable();
    let mut records = Vec::new();
    let mut rewinds = 0;
    let mut stop = Stop::Limit;
    loop {
        // What the rest of the system does next; the hart's past before it is final.
        let horizon = changes.peek().map_or(u64::MAX, |c| c.0);
        let early = !hart.passed(Cycle(horizon)) || horizon == u64::MAX;
        if early && r.below(3) == 0 {
            hart.checkpoint();
            bus.checkpoint();
            if r.below(2) == 0 {
                records.extend(hart.take_records());
            }
        }
        let announce = match stop {
            Stop::Pending => !early || hart.now().0 > horizon,
            Stop::Sleep => hart.next_line_change().is_none_or(|at| at.0 >= horizon) && horizon != u64::MAX,
            _ => horizon != u64::MAX && (hart.now().0 >= case.until || r.below(4) == 0 && hart.now().0 >= horizon),
        };
        if announce {
            let (at, bit, level) = changes.next().unwrap();
            if hart.passed(Cycle(at)) || r.below(8) == 0 {
                hart.rewind();
                bus.rewind();
                rewinds += 1;
                stop = if hart.asleep() { Stop::Sleep } else { Stop::Limit };
            }
            hart.set_line(bit, level, Cycle(at));
            continue;
        }
        match stop {
            Stop::Pending => {
                hart.checkpoint();
                bus.checkpoint();
                serve(&mut hart, &mut bus);
                hart.checkpoint();
                bus.checkpoint();
            }
            Stop::Fault { .. } => break,
            Stop::Sleep if hart.next_line_change().is_none_or(|at| at.max(hart.now()).0 >= case.until) => break,
            Stop::Limit if hart.now().0 >= case.until => break,
            _ => {}
        }
        let limit = (hart.now().0.max(hart.next_line_change().map_or(0, |c| c.0 * u64::from(hart.asleep())))
            + 1
            + r.below(300))
        .min(case.until);
        stop = hart.run(&mut bus, Cycle(limit));
    }
    // Those behind the end are part of the state as well.
    for (at, bit, level) in changes {
        hart.set_line(bit, level, Cycle(at));
    }
    (outcome(hart, bus, records), rewinds)
}

/// As [`straight`], instruction by instruction, without translated blocks.
fn looped(case: &Case) -> Outcome {
    let (mut hart, mut bus) = machine(case, true);
    bus.short = false;
    for (at, bit, level) in &case.changes {
        hart.set_line(*bit, *level, Cycle(*at));
    }
    drive(&mut hart, &mut bus, case.until);
    assert_eq!(hart.retired_in_blocks(), 0);
    outcome(hart, bus, Vec::new())
}

fn check(seed: u64) -> (u32, Outcome) {
    let case = case(seed);
    let plain = straight(&case, false);
    let seen = straight(&case, true);
    let same = Outcome { records: Vec::new(), strings: Vec::new(), ..straight(&case, true) };
    assert_eq!(plain, same, "HART_SEED={seed}: observing changes something");
    let loops = looped(&case);
    assert!(seen == loops, "HART_SEED={seed}: blocks change something: {:?}", differences(&seen, &loops));
    let mut rewinds = 0;
    for turn in 0..3 {
        let (got, n) = chaotic(&case, &mut Random(seed ^ (turn << 32)));
        assert!(got == seen, "HART_SEED={seed}: turn {turn} differs: {:?}", differences(&got, &seen));
        rewinds += n;
    }
    (rewinds, seen)
}

fn differences(a: &Outcome, b: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    out.push(format!("now {} {} retired {} {} asleep {} {}", a.now, b.now, a.retired, b.retired, a.asleep, b.asleep));
    out.push(format!("accounts {:?} {:?}", a.accounts, b.accounts));
    if let Some(i) = (0..a.records.len().max(b.records.len())).find(|i| a.records.get(*i) != b.records.get(*i)) {
        out.push(format!("record {i}: {:?} {:?}", a.records.get(i), b.records.get(i)));
    }
    out.push(format!("ram equal {}, last equal {}", a.ram == b.ram, a.last == b.last));
    out.push(format!("strings {:?} {:?}", a.strings.len(), b.strings.len()));
    out
}

#[test]
fn however_it_is_driven_the_same_happens() {
    if let Some(seed) = std::env::var("HART_SEED").ok().and_then(|s| s.parse().ok()) {
        check(seed);
        return;
    }
    let mut rewinds = 0;
    let (mut retired, mut in_blocks, mut traps, mut sleeps, mut idle, mut fetch) = (0, 0, 0, 0, 0, 0);
    let (mut users, mut refused) = (0, 0);
    for seed in 0..400 {
        let (n, outcome) = check(seed);
        rewinds += n;
        retired += outcome.retired;
        in_blocks += outcome.in_blocks.0;
        traps += outcome.records.iter().filter(|r| r.kind < 3).count();
        sleeps += outcome.records.iter().filter(|r| r.kind == 4).count();
        users += u32::from(outcome.user);
        // Of user mode: calls, and what memory protection refuses.
        refused += outcome.records.iter().filter(|r| r.kind == kind::TRAP_ENTER && [1, 8].contains(&r.args[0])).count();
        idle += outcome.accounts[Account::Idle as usize];
        fetch += outcome.accounts[Account::Fetch as usize];
    }
    // The programs do what they are for.
    println!("{rewinds} rewinds, {retired} instructions, {in_blocks} in blocks, {traps} traps, {sleeps} sleeps, {idle} idle, {fetch} fetch");
    assert!(in_blocks > retired / 10);
    println!("{users} end in user mode, {refused} calls and refused fetches of user mode");
    assert!(users > 20 && refused > 1000);
    assert!(rewinds > 1000 && retired > 100_000 && traps > 1000 && sleeps > 1000 && idle > 10_000 && fetch > 10_000);
}
