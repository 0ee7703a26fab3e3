// SPDX-License-Identifier: Apache-2.0
//! User mode and physical memory protection: who may do what, and what an attempt costs and says.

mod common;
use common::asm::*;
use common::*;
use engine::{CacheOp, Cycle};
use hart::{Hart, HartConfig, Misaligned, Privilege, Stop, Timing};
use trace::Account;

const HANDLER: u32 = BASE + 0x200;
/// Where user mode begins.
const USER: u32 = BASE + 0x400;

const READ: u8 = 1;
const WRITE: u8 = 2;
const EXECUTE: u8 = 4;
const ALL: u8 = 7;
const TOR: u8 = 8;
const NA4: u8 = 16;
const NAPOT: u8 = 24;
const LOCKED: u8 = 128;

const MSTATUS: u32 = 0x300;
const MPRV: u32 = 1 << 17;

fn privileged() -> HartConfig {
    let privilege = Privilege { user: true, pmp_entries: 16, pmp_granularity_bytes: 4 };
    HartConfig { privilege, ..config(Timing::IDEAL) }
}

/// A hart in machine mode at BASE whose handler does nothing, and the program of user mode.
fn machine(config: HartConfig, user: &[u32]) -> (Hart, Bus) {
    let mut bus = Bus::new(&[]);
    for i in 0..64 {
        bus.set_word(HANDLER + 4 * i, NOP);
    }
    for (i, word) in user.iter().enumerate() {
        bus.set_word(USER + 4 * i as u32, *word);
    }
    let mut hart = Hart::new(config);
    set(&mut hart, &mut bus, 0x305, HANDLER);
    (hart, bus)
}

/// Execute one instruction in machine mode, wherever the hart is.
fn execute(hart: &mut Hart, bus: &mut Bus, word: u32) {
    let at = hart.pc();
    let before = bus.word(at);
    bus.set_word(at, word);
    bus.set_word(at + 4, FENCE_I);
    step(hart, bus);
    if hart.pc() == at + 4 {
        step(hart, bus);
    }
    bus.set_word(at, before);
}

/// Write a control register by an instruction.
fn set(hart: &mut Hart, bus: &mut Bus, number: u32, value: u32) {
    hart.set_reg(31, value);
    execute(hart, bus, csrrw(0, number, 31));
}

fn protect(hart: &mut Hart, bus: &mut Bus, entry: u32, config: u8, address: u32) {
    set(hart, bus, 0x3b0 + entry, address);
    let register = 0x3a0 + entry / 4;
    let shift = 8 * (entry % 4);
    let old = hart.csr(register as u16).unwrap();
    set(hart, bus, register, old & !(0xff << shift) | u32::from(config) << shift);
}

/// pmpaddr of a naturally aligned region.
fn napot(base: u32, size: u32) -> u32 {
    base >> 2 | (size / 8 - 1)
}

/// Go to user mode by mret.
fn descend(hart: &mut Hart, bus: &mut Bus) {
    set(hart, bus, 0x341, USER);
    let status = hart.csr(0x300).unwrap();
    set(hart, bus, MSTATUS, status & !(3 << 11));
    execute(hart, bus, MRET);
    assert!(hart.in_user_mode());
    assert_eq!(hart.pc(), USER);
}

/// In user mode, everything permitted.
fn user(config: HartConfig, program: &[u32]) -> (Hart, Bus) {
    let (mut hart, mut bus) = machine(config, program);
    protect(&mut hart, &mut bus, 15, NAPOT | ALL, u32::MAX);
    descend(&mut hart, &mut bus);
    (hart, bus)
}

fn trap(hart: &Hart) -> (u32, u32, u32) {
    assert_eq!(hart.pc(), HANDLER);
    assert!(!hart.in_user_mode());
    (hart.csr(0x342).unwrap(), hart.csr(0x341).unwrap(), hart.csr(0x343).unwrap())
}

#[test]
fn a_trap_from_user_mode_and_back() {
    let (mut hart, mut bus) = user(HartConfig { timing: nios2f(), ..privileged() }, &[ECALL, NOP]);
    let (before, interrupt) = (hart.now().0, hart.accounts()[Account::Interrupt as usize]);
    step(&mut hart, &mut bus);
    assert_eq!(trap(&hart), (8, USER, 0), "an environment call from user mode");
    assert_eq!(hart.now().0, before + 5, "the cost of an entry");
    assert_eq!(hart.accounts()[Account::Interrupt as usize], interrupt + 5);
    assert_eq!(hart.csr(0x300).unwrap() & 0x1800, 0, "MPP is user mode");
    set(&mut hart, &mut bus, 0x341, USER + 4);
    execute(&mut hart, &mut bus, MRET);
    assert_eq!((hart.in_user_mode(), hart.pc()), (true, USER + 4));
    step(&mut hart, &mut bus);
    // From machine mode the same call has another cause, and returning leaves user mode as the previous mode.
    let (mut hart, mut bus) = machine(privileged(), &[]);
    assert_eq!(hart.csr(0x301), Some(0x4010_1105));
    execute(&mut hart, &mut bus, ECALL);
    assert_eq!((trap(&hart).0, hart.csr(0x300).unwrap() & 0x1800), (11, 0x1800));
    execute(&mut hart, &mut bus, MRET);
    assert_eq!((hart.in_user_mode(), hart.csr(0x300).unwrap() & 0x1800), (false, 0));
}

#[test]
fn modes_that_do_not_exist_are_not_stored() {
    let (mut hart, mut bus) = machine(privileged(), &[]);
    set(&mut hart, &mut bus, MSTATUS, 0xffff_ffff);
    assert_eq!(hart.csr(0x300), Some(0x0022_1888));
    for reserved in [1 << 11, 2 << 11] {
        set(&mut hart, &mut bus, MSTATUS, reserved);
        assert_eq!(hart.csr(0x300), Some(0x1800), "MPP keeps what it was");
    }
    set(&mut hart, &mut bus, MSTATUS, 0);
    assert_eq!(hart.csr(0x300), Some(0));
    let (mut hart, mut bus) = machine(config(Timing::IDEAL), &[]);
    assert_eq!(hart.csr(0x301), Some(0x4000_1105));
    set(&mut hart, &mut bus, MSTATUS, 0xffff_e7ff);
    assert_eq!(hart.csr(0x300), Some(0x1888), "without user mode");
    for number in [0x306, 0x30a, 0x31a] {
        assert_eq!(hart.csr(number), None);
    }
}

#[test]
fn what_user_mode_may_not_execute() {
    let words = [
        MRET,
        csrrs(5, 0x300, 0),
        csrrw(0, 0x340, 5),
        csrrs(5, 0xf14, 0),
        csrrs(5, 0x3b0, 0),
        csrrs(5, 0xb00, 0),
        csrrs(5, 0xc00, 0),
        csrrs(5, 0xc81, 0),
        csrrs(5, 0xc02, 0),
        csrrs(5, 0xc03, 0),
        cbo(0, 2),
        cbo(1, 2),
        cbo(2, 2),
    ];
    for word in words {
        let (mut hart, mut bus) = user(privileged(), &[word]);
        step(&mut hart, &mut bus);
        assert_eq!(trap(&hart), (2, USER, word), "{word:#010x}");
        execute(&mut hart, &mut bus, csrrs(0, 0xc00, 0));
        assert_eq!(hart.csr(0x342), Some(2));
    }
}

#[test]
fn event_counters_are_hardwired_and_only_two_counters_can_be_stopped() {
    let (mut hart, mut bus) = machine(privileged(), &[]);
    // mhpmcounter3 to 31 with their upper halves, mhpmevent3 to 31.
    for number in (0xb03..=0xb1f).chain(0xb83..=0xb9f).chain(0x323..=0x33f) {
        set(&mut hart, &mut bus, number, u32::MAX);
        assert_eq!(hart.csr(number as u16), Some(0), "{number:#x}");
    }
    for number in (0xc03..=0xc1fu16).chain(0xc83..=0xc9f) {
        assert_eq!(hart.csr(number), Some(0), "{number:#x}");
    }
    set(&mut hart, &mut bus, 0x320, u32::MAX);
    assert_eq!(hart.csr(0x320), Some(0b101));
    let stopped = (hart.csr(0xb00), hart.csr(0xb02));
    execute(&mut hart, &mut bus, NOP);
    assert_eq!((hart.csr(0xb00), hart.csr(0xb02)), stopped);
    assert_eq!(hart.csr(0x342), Some(0), "nothing trapped");
}

#[test]
fn counters_are_shown_one_by_one() {
    for (bit, numbers) in [(1, [0xc00, 0xc80]), (2, [0xc01, 0xc81]), (4, [0xc02, 0xc82])] {
        for (other, number) in [(false, numbers[0]), (false, numbers[1]), (true, numbers[0]), (true, numbers[1])] {
            let (mut hart, mut bus) = machine(privileged(), &[csrrs(5, number, 0)]);
            protect(&mut hart, &mut bus, 0, NAPOT | ALL, u32::MAX);
            set(&mut hart, &mut bus, 0x306, if other { 7 & !bit } else { bit });
            descend(&mut hart, &mut bus);
            step(&mut hart, &mut bus);
            assert_eq!(hart.in_user_mode(), !other, "{number:#x}");
        }
    }
    let (mut hart, mut bus) = machine(privileged(), &[]);
    set(&mut hart, &mut bus, 0x306, u32::MAX);
    assert_eq!(hart.csr(0x306), Some(7), "event counters stay hidden");
}

#[test]
fn interrupts_reach_user_mode_whatever_mstatus_says() {
    for enabled in [false, true] {
        let (mut hart, mut bus) = machine(privileged(), &[NOP, NOP, NOP, NOP]);
        protect(&mut hart, &mut bus, 0, NAPOT | ALL, u32::MAX);
        set(&mut hart, &mut bus, 0x304, 1 << 7);
        set(&mut hart, &mut bus, MSTATUS, if enabled { 0x80 } else { 0 });
        descend(&mut hart, &mut bus);
        let now = hart.now().0;
        hart.set_line(7, true, Cycle(now + 2));
        assert_eq!(hart.run(&mut bus, Cycle(now + 3)), Stop::Limit);
        assert_eq!(trap(&hart), (0x8000_0007, USER + 8, 0), "at the boundary two instructions later");
        assert_eq!(hart.csr(0x300).unwrap() & 0x1888, if enabled { 0x80 } else { 0 }, "MPIE is what MIE was");
        assert_eq!(hart.run(&mut bus, Cycle(now + 6)), Stop::Limit);
        assert!(!hart.in_user_mode() && hart.pc() > HANDLER, "not again in machine mode with interrupts off");
    }
}

#[test]
fn wfi_in_user_mode() {
    let (mut hart, mut bus) = user(privileged(), &[WFI]);
    assert_eq!(hart.run(&mut bus, Cycle(10_000)), Stop::Sleep);
    let (mut hart, mut bus) = machine(privileged(), &[WFI]);
    protect(&mut hart, &mut bus, 0, NAPOT | ALL, u32::MAX);
    set(&mut hart, &mut bus, MSTATUS, 1 << 21);
    descend(&mut hart, &mut bus);
    step(&mut hart, &mut bus);
    assert_eq!(trap(&hart), (2, USER, WFI), "mstatus.TW");
    let (mut hart, mut bus) = machine(privileged(), &[]);
    set(&mut hart, &mut bus, MSTATUS, 1 << 21);
    execute(&mut hart, &mut bus, WFI);
    assert!(hart.asleep(), "not in machine mode");
}

#[test]
fn cache_block_operations_as_menvcfg_says() {
    let done = |envcfg: u32, word: u32| {
        let (mut hart, mut bus) = machine(privileged(), &[lui(2, BASE), word]);
        protect(&mut hart, &mut bus, 0, NAPOT | ALL, u32::MAX);
        set(&mut hart, &mut bus, 0x30a, envcfg);
        descend(&mut hart, &mut bus);
        step(&mut hart, &mut bus);
        step(&mut hart, &mut bus);
        bus.seen.iter().find_map(|s| match s {
            Seen::CacheOp(_, BASE, op) => Some(*op),
            _ => None,
        })
    };
    assert_eq!(done(1 << 6, cbo(1, 2)), Some(CacheOp::Clean));
    assert_eq!(done(1 << 6, cbo(2, 2)), Some(CacheOp::Flush));
    assert_eq!(done(1 << 6, cbo(0, 2)), None);
    assert_eq!(done(1 << 4, cbo(0, 2)), Some(CacheOp::Flush), "an invalidation that loses nothing");
    assert_eq!(done(3 << 4, cbo(0, 2)), Some(CacheOp::Invalidate));
    assert_eq!(done(3 << 4, cbo(2, 2)), None);
    let (mut hart, mut bus) = machine(privileged(), &[]);
    set(&mut hart, &mut bus, 0x30a, u32::MAX);
    assert_eq!(hart.csr(0x30a), Some(0x71));
    set(&mut hart, &mut bus, 0x30a, 2 << 4);
    assert_eq!(hart.csr(0x30a), Some(0x30), "the reserved choice is not stored");
}

/// The trap of one instruction of user mode with x2 = `at` under these entries, or nothing.
fn under(entries: &[(u8, u32)], config: HartConfig, at: u32, word: u32) -> Option<(u32, u32, u32)> {
    let (mut hart, mut bus) = machine(config, &[word, NOP]);
    for (i, (config, address)) in entries.iter().enumerate() {
        protect(&mut hart, &mut bus, i as u32, *config, *address);
    }
    // User mode's code, behind all others.
    protect(&mut hart, &mut bus, 14, NAPOT | EXECUTE, napot(USER, 64));
    descend(&mut hart, &mut bus);
    hart.set_reg(2, at);
    step(&mut hart, &mut bus);
    (!hart.in_user_mode()).then(|| trap(&hart))
}

#[test]
fn regions_of_every_form() {
    let at = BASE + 0x1000;
    let load = |entries: &[(u8, u32)], addr: u32| under(entries, privileged(), addr, lw(5, 2, 0)).is_none();
    assert!(!load(&[], at), "what no entry matches is forbidden to user mode");
    for (entries, first, last) in [
        (vec![(NA4 | READ, at >> 2)], at, at),
        (vec![(NAPOT | READ, napot(at, 8))], at, at + 4),
        (vec![(NAPOT | READ, napot(at, 256))], at, at + 252),
        (vec![(0, at >> 2), (TOR | READ, (at + 12) >> 2)], at, at + 8),
        (vec![(TOR | READ | EXECUTE, (at + 4) >> 2)], at, at),
    ] {
        assert!(load(&entries, first) && load(&entries, last), "{entries:?}");
        assert!(!load(&entries, last + 4), "{entries:?}");
        assert_eq!(load(&entries, first - 4), entries[0].0 & NAPOT == TOR, "{entries:?}: from 0 if it is the first");
    }
    assert!(!load(&[(0, at >> 2), (TOR | READ, at >> 2)], at), "an empty range");
    // The lowest entry decides.
    assert!(!load(&[(NA4, at >> 2), (NAPOT | ALL, napot(at, 64))], at));
    assert!(load(&[(NA4, at >> 2), (NAPOT | ALL, napot(at, 64))], at + 4));
    assert!(load(&[(NAPOT | READ, napot(at, 64)), (NA4, at >> 2)], at));
}

#[test]
fn each_access_needs_its_right() {
    let at = BASE + 0x1000;
    let with =
        |rights: u8, word: u32| under(&[(NAPOT | rights, napot(at, 64))], privileged(), at, word).map(|t| (t.0, t.2));
    let load = Some((5, at));
    let store = Some((7, at));
    for (word, right, refused) in [
        (lw(5, 2, 0), READ, load),
        (sw(5, 2, 0), READ | WRITE, store),
        (amo(0, 5, 5, 2), READ | WRITE, store),
        (amo(2, 5, 0, 2), READ, load),
        (amo(3, 5, 5, 2), READ | WRITE, store),
    ] {
        assert_eq!(with(right, word), None, "{word:#x}");
        assert_eq!(with(EXECUTE, word), refused, "{word:#x}");
    }
    assert_eq!(with(READ, sw(5, 2, 0)), store);
    assert_eq!(with(READ, amo(0, 5, 5, 2)), store);
    assert_eq!(with(WRITE, sw(5, 2, 0)), store, "writing without reading is reserved and permits nothing");
    // A cache-block operation needs the one or the other; without any it is a store that faults.
    let config = |hart: &mut Hart, bus: &mut Bus| set(hart, bus, 0x30a, 0x70);
    for (rights, refused) in [(READ, false), (EXECUTE, true)] {
        let (mut hart, mut bus) = machine(privileged(), &[cbo(2, 2)]);
        config(&mut hart, &mut bus);
        protect(&mut hart, &mut bus, 0, NAPOT | rights, napot(at, 64));
        protect(&mut hart, &mut bus, 1, NAPOT | EXECUTE, napot(USER, 64));
        descend(&mut hart, &mut bus);
        hart.set_reg(2, at);
        step(&mut hart, &mut bus);
        assert_eq!(!hart.in_user_mode(), refused);
        if refused {
            assert_eq!(trap(&hart), (7, USER, at));
        }
    }
}

#[test]
fn instructions_are_checked_where_they_are_fetched() {
    let end = USER + 12;
    // Up to the end of a region that ends inside a fetch line, then beyond it.
    let (mut hart, mut bus) = machine(privileged(), &[NOP, NOP, NOP, NOP]);
    protect(&mut hart, &mut bus, 0, 0, USER >> 2);
    protect(&mut hart, &mut bus, 1, TOR | EXECUTE, end >> 2);
    descend(&mut hart, &mut bus);
    let retired = hart.retired();
    for _ in 0..4 {
        step(&mut hart, &mut bus);
    }
    assert_eq!(trap(&hart), (1, end, end));
    assert_eq!(hart.retired(), retired + 3);
    // An instruction of which half is permitted faults at its other half.
    let (mut hart, mut bus) = machine(privileged(), &[NOP, NOP, 0x0013_0001]);
    protect(&mut hart, &mut bus, 0, 0, USER >> 2);
    protect(&mut hart, &mut bus, 1, TOR | EXECUTE, end >> 2);
    descend(&mut hart, &mut bus);
    for _ in 0..4 {
        step(&mut hart, &mut bus);
    }
    assert_eq!(trap(&hart), (1, end - 2, end));
    // A jump to what may be read only; the handler's own address is no exception.
    for target in [USER + 0x100, HANDLER] {
        let (mut hart, mut bus) = machine(privileged(), &[jalr(0, 2, 0)]);
        protect(&mut hart, &mut bus, 0, NAPOT | EXECUTE, napot(USER, 64));
        protect(&mut hart, &mut bus, 1, NAPOT | READ, u32::MAX);
        descend(&mut hart, &mut bus);
        hart.set_reg(2, target);
        step(&mut hart, &mut bus);
        step(&mut hart, &mut bus);
        assert_eq!(trap(&hart), (1, target, target));
    }
}

#[test]
fn a_misaligned_access_is_protected_whole() {
    let at = BASE + 0x1000;
    let split = HartConfig { misaligned: Misaligned::Split, ..privileged() };
    let entries = [(NAPOT | READ | WRITE, napot(at, 64))];
    assert_eq!(under(&entries, split.clone(), at + 57, lw(5, 2, 0)), None);
    assert_eq!(under(&entries, split.clone(), at + 62, lw(5, 2, 0)), Some((5, USER, at + 62)));
    let (mut hart, mut bus) = machine(split, &[sw(5, 2, 0)]);
    protect(&mut hart, &mut bus, 0, entries[0].0, entries[0].1);
    protect(&mut hart, &mut bus, 1, NAPOT | EXECUTE, napot(USER, 64));
    descend(&mut hart, &mut bus);
    hart.set_reg(2, at + 62);
    hart.set_reg(5, u32::MAX);
    step(&mut hart, &mut bus);
    assert_eq!(trap(&hart), (7, USER, at + 62));
    assert_eq!(bus.word(at + 60), 0, "no byte of it is stored");
    // Machine mode may access all that is not locked, but not what an entry matches in part.
    let (mut hart, mut bus) = machine(HartConfig { misaligned: Misaligned::Split, ..privileged() }, &[]);
    protect(&mut hart, &mut bus, 0, NAPOT, napot(at, 64));
    hart.set_reg(2, at);
    execute(&mut hart, &mut bus, lw(5, 2, 57));
    assert_ne!(hart.pc(), HANDLER);
    execute(&mut hart, &mut bus, lw(5, 2, 62));
    assert_eq!((trap(&hart).0, trap(&hart).2), (5, at + 62));
}

#[test]
fn locked_entries_bind_machine_mode_and_cannot_be_changed() {
    let at = BASE + 0x1000;
    let (mut hart, mut bus) = machine(privileged(), &[]);
    protect(&mut hart, &mut bus, 1, NAPOT | READ, napot(at, 16));
    hart.set_reg(2, at);
    execute(&mut hart, &mut bus, sw(5, 2, 0));
    assert_ne!(hart.pc(), HANDLER, "not locked");
    protect(&mut hart, &mut bus, 1, LOCKED | NAPOT | READ, napot(at, 16));
    execute(&mut hart, &mut bus, lw(5, 2, 0));
    assert_ne!(hart.pc(), HANDLER);
    execute(&mut hart, &mut bus, sw(5, 2, 12));
    assert_eq!((trap(&hart).0, trap(&hart).2), (7, at + 12));
    // Neither its byte nor its address can be written any more.
    protect(&mut hart, &mut bus, 1, 0, 0);
    assert_eq!((hart.csr(0x3a0), hart.csr(0x3b1)), (Some(0x9900), Some(napot(at, 16))));
    // Nor the address below a locked range.
    protect(&mut hart, &mut bus, 2, 0, at >> 2);
    protect(&mut hart, &mut bus, 3, LOCKED | TOR | ALL, (at + 64) >> 2);
    set(&mut hart, &mut bus, 0x3b2, 0);
    assert_eq!(hart.csr(0x3b2), Some(at >> 2));
}

#[test]
fn mprv_lends_loads_and_stores_the_rights_of_user_mode() {
    let at = BASE + 0x1000;
    let (mut hart, mut bus) = machine(privileged(), &[]);
    protect(&mut hart, &mut bus, 0, NAPOT | READ, napot(at, 16));
    hart.set_reg(2, at);
    set(&mut hart, &mut bus, MSTATUS, MPRV);
    execute(&mut hart, &mut bus, lw(5, 2, 0));
    assert_ne!(hart.pc(), HANDLER, "instructions are still fetched with the rights of machine mode");
    execute(&mut hart, &mut bus, sw(5, 2, 0));
    assert_eq!((trap(&hart).0, trap(&hart).2), (7, at));
    // The trap made machine mode the previous one, so that loads and stores are its own again.
    execute(&mut hart, &mut bus, sw(5, 2, 0));
    assert_ne!(hart.pc(), HANDLER);
    set(&mut hart, &mut bus, MSTATUS, MPRV | 0x1800);
    execute(&mut hart, &mut bus, MRET);
    assert_eq!(hart.csr(0x300).unwrap() & MPRV, MPRV, "mret to machine mode keeps it");
    set(&mut hart, &mut bus, 0x341, USER);
    set(&mut hart, &mut bus, MSTATUS, MPRV);
    execute(&mut hart, &mut bus, MRET);
    assert_eq!(hart.csr(0x300).unwrap() & MPRV, 0, "mret to user mode clears it");
}

#[test]
fn granularity_and_the_number_of_entries() {
    let with = |entries, bytes| HartConfig {
        privilege: Privilege { user: true, pmp_entries: entries, pmp_granularity_bytes: bytes },
        ..config(Timing::IDEAL)
    };
    let (mut hart, mut bus) = machine(with(4, 64), &[]);
    for entry in 0..16 {
        protect(&mut hart, &mut bus, entry, NAPOT | ALL, u32::MAX);
    }
    assert_eq!((hart.csr(0x3a0), hart.csr(0x3a1), hart.csr(0x3b4)), (Some(0x1f1f_1f1f), Some(0), Some(0)));
    protect(&mut hart, &mut bus, 0, NAPOT | ALL, 0);
    assert_eq!(hart.csr(0x3b0), Some(7), "below the granularity ones can be read");
    protect(&mut hart, &mut bus, 0, TOR | ALL, u32::MAX);
    assert_eq!(hart.csr(0x3b0), Some(0xffff_fff0), "and zeros when it is the end of a range");
    protect(&mut hart, &mut bus, 0, NA4 | ALL, 0);
    assert_eq!(hart.csr(0x3a0).unwrap() & 0xff, 7, "four bytes are no region here");
    let at = BASE + 0x1000;
    let load = |addr| under(&[(NAPOT | READ, at >> 2)], with(16, 64), addr, lw(5, 2, 0)).is_none();
    assert!(load(at) && load(at + 60) && !load(at + 64) && !load(at - 4));
    // Without entries there is no protection, and its registers read 0.
    let (mut hart, mut bus) = machine(with(0, 4), &[lw(5, 0, 0x7fc), sw(5, 0, 0)]);
    protect(&mut hart, &mut bus, 0, LOCKED | NAPOT, u32::MAX);
    assert_eq!((hart.csr(0x3a0), hart.csr(0x3b0)), (Some(0), Some(0)));
    descend(&mut hart, &mut bus);
    hart.set_reg(2, at);
    step(&mut hart, &mut bus);
    assert_eq!(trap(&hart), (5, USER, 0x7fc), "there is no memory");
}

#[test]
fn protection_costs_no_cycles() {
    let program: Vec<u32> = (0..40).flat_map(|i| [lw(5, 2, i), sw(5, 2, 256 + i), addi(5, 5, 1)]).collect();
    let run = |entry: Option<u32>| {
        let (mut hart, mut bus) =
            machine(HartConfig { timing: nios2f(), ..privileged() }, &[&program[..], &[ECALL]].concat());
        hart.set_reg(2, BASE + 0x2000);
        if let Some(entry) = entry {
            protect(&mut hart, &mut bus, entry, NAPOT | ALL, u32::MAX);
            descend(&mut hart, &mut bus);
        } else {
            set(&mut hart, &mut bus, 0x341, USER);
            set(&mut hart, &mut bus, MSTATUS, 0x1800);
            execute(&mut hart, &mut bus, MRET);
        }
        let before = hart.now().0;
        while hart.pc() != HANDLER {
            step(&mut hart, &mut bus);
        }
        hart.now().0 - before
    };
    let plain = run(None);
    assert_eq!((run(Some(0)), run(Some(15))), (plain, plain));
}
