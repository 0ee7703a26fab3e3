// SPDX-License-Identifier: Apache-2.0
//! A memory that counts and can be scripted, and owners of time that drive a hart against it.
#![allow(dead_code)]

pub mod asm;

use engine::{
    Access, AccessFault, AmoOp, BusOp, BusReply, BusRequest, Bytes, CacheOp, Cause, Cycle, Cycles, Fetch, HartMemory,
    MasterKind, Prefetch, Width,
};
use hart::{Hart, HartConfig, Misaligned, Peek, Predictor, Privilege, Stop, Timing};
use trace::{Account, Probe};

/// First byte of the memory and of the program.
pub const BASE: u32 = 0x1000;
/// Size of the memory.
pub const SIZE: u32 = 0x1_0000;
/// From here on an access is uncached: it suspends.
pub const SLOW: u32 = 0x8000;
/// Cycles that a suspended access and a line fill take.
pub const LATENCY: u64 = 10;

const LINE: u32 = 32;

/// What one call asked for, with its instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    Load(u64, u32),
    Store(u64, u32, u32),
    CacheOp(u64, u32, CacheOp),
    Prefetch(u64, u32, Prefetch),
}

#[derive(Clone, Debug)]
struct Fetched {
    tags: Vec<u32>,
    bytes: Vec<u8>,
}

/// The memory double.
#[derive(Clone, Debug)]
pub struct Bus {
    /// Answer the short ways of translated blocks; without them the loop executes each instruction on its own.
    pub short: bool,
    /// How often lines came or went; 0 if they are not counted.
    pub changes: u64,
    pub ram: Vec<u8>,
    undo: Vec<(usize, u8)>,
    /// Present when instruction lines must be fetched: a direct-mapped cache.
    lines: Option<Fetched>,
    saved_tags: Vec<u32>,
    version: u32,
    versions: Vec<u32>,
    waiting: Option<BusRequest>,
    asked: bool,
    answer: Option<(u32, u32)>,
    saved_answer: Option<(u32, u32)>,
    reserved: Option<u32>,
    saved_reserved: Option<u32>,
    pub seen: Vec<Seen>,
}

impl Bus {
    /// All lines are held from the start; what a program stores to its own code is seen at once or after fence.i.
    pub fn new(program: &[u8]) -> Bus {
        let mut ram = vec![0; SIZE as usize];
        ram[..program.len()].copy_from_slice(program);
        Bus {
            ram,
            undo: Vec::new(),
            lines: None,
            saved_tags: Vec::new(),
            version: 1,
            versions: vec![1; (SIZE / LINE) as usize],
            waiting: None,
            asked: false,
            answer: None,
            saved_answer: None,
            reserved: None,
            saved_reserved: None,
            seen: Vec::new(),
            short: true,
            changes: 1,
        }
    }

    /// Lines are fetched into a cache of `slots` lines.
    pub fn with_icache(program: &[u8], slots: usize) -> Bus {
        let mut bus = Bus::new(program);
        bus.lines = Some(Fetched { tags: vec![0; slots], bytes: vec![0; slots * LINE as usize] });
        bus.saved_tags = vec![0; slots];
        bus.versions = vec![0; slots];
        bus
    }

    pub fn word(&self, addr: u32) -> u32 {
        let at = (addr - BASE) as usize;
        u32::from_le_bytes(self.ram[at..at + 4].try_into().unwrap())
    }

    pub fn set_word(&mut self, addr: u32, value: u32) {
        let at = (addr - BASE) as usize;
        self.ram[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    fn place(addr: u32, bytes: u32) -> Option<usize> {
        let at = addr.wrapping_sub(BASE);
        (at < SIZE && at + bytes <= SIZE).then_some(at as usize)
    }

    fn changed(&mut self) {
        self.changes += u64::from(self.changes != 0);
    }

    fn at_once(&self, addr: u32, width: Width) -> bool {
        self.short && addr < SLOW && addr % width.bytes() == 0
    }

    fn read(&self, at: usize, bytes: u32) -> u32 {
        (0..bytes as usize).fold(0, |v, i| v | u32::from(self.ram[at + i]) << (8 * i))
    }

    fn write(&mut self, at: usize, bytes: u32, value: u32) {
        for i in 0..bytes as usize {
            self.undo.push((at + i, self.ram[at + i]));
            self.ram[at + i] = (value >> (8 * i)) as u8;
        }
    }

    /// Do the access now, or suspend at it when it is slow and has not been answered.
    fn access(&mut self, addr: u32, width: Width, op: BusOp) -> Access {
        let Some(at) = Self::place(addr, width.bytes()) else { return Access::Fault(AccessFault::Unmapped) };
        assert_eq!(addr % width.bytes(), 0, "the hart makes aligned accesses only");
        if addr >= SLOW {
            if let Some((to, value)) = self.answer.take() {
                assert_eq!(to, addr, "the suspended access is the one that is repeated");
                return Access::Done(value);
            }
            self.waiting = Some(BusRequest { addr, op, cause: Cause::Uncached, master: MasterKind::Data });
            self.asked = false;
            return Access::Pending;
        }
        Access::Done(self.perform(at, width.bytes(), &op))
    }

    fn perform(&mut self, at: usize, bytes: u32, op: &BusOp) -> u32 {
        let old = self.read(at, bytes);
        match op {
            BusOp::Read { .. } => old,
            BusOp::Write { data } => {
                let value = data.iter().rev().fold(0, |v, b| v << 8 | u32::from(*b));
                self.write(at, bytes, value);
                0
            }
            BusOp::Amo { op, operand } => {
                self.write(at, 4, op.apply(old, *operand));
                old
            }
            BusOp::LoadReserved => {
                self.reserved = Some(at as u32);
                old
            }
            BusOp::StoreConditional { value } => {
                let stands = self.reserved.take() == Some(at as u32);
                if stands {
                    self.write(at, 4, *value);
                }
                u32::from(!stands)
            }
            BusOp::Order | BusOp::ReadOwn { .. } | BusOp::Upgrade { .. } | BusOp::Maintain { .. } => 0,
        }
    }

    /// Serve the request that the hart is suspended at. Answers its account.
    pub fn serve(&mut self) -> Option<Account> {
        let request = self.request()?;
        let account = match request.cause {
            Cause::Fetch => Account::Fetch,
            Cause::Miss => Account::Miss,
            Cause::Uncached => Account::Uncached,
        };
        let at = (request.addr - BASE) as usize;
        let reply = match &request.op {
            BusOp::Read { bytes } if *bytes == LINE => BusReply::Line(self.ram[at..at + LINE as usize].to_vec().into()),
            BusOp::Read { bytes } => BusReply::Value(self.perform(at, *bytes, &request.op)),
            BusOp::Write { data } => BusReply::Value(self.perform(at, data.len() as u32, &request.op)),
            _ => BusReply::Value(self.perform(at, 4, &request.op)),
        };
        self.waiting = Some(request);
        self.complete(reply);
        Some(account)
    }
}

impl Peek for Bus {
    fn peek(&self, addr: u32) -> u8 {
        Self::place(addr, 1).map_or(0, |at| self.ram[at])
    }
}

impl HartMemory for Bus {
    fn fetch_line_bytes(&self) -> u32 {
        LINE
    }
    fn fetch_slots(&self) -> u32 {
        self.lines.as_ref().map_or(SIZE / LINE, |l| l.tags.len() as u32)
    }
    fn fetch(&mut self, _now: Cycle, pc: u32) -> Fetch {
        let Some(at) = Self::place(pc & !(LINE - 1), LINE) else { return Fetch::Fault(AccessFault::Unmapped) };
        let line = pc / LINE;
        match &self.lines {
            None => Fetch::Line { slot: at as u32 / LINE, version: self.version },
            Some(l) => {
                let slot = line as usize % l.tags.len();
                if l.tags[slot] == line {
                    return Fetch::Line { slot: slot as u32, version: self.versions[slot] };
                }
                self.waiting = Some(BusRequest {
                    addr: pc & !(LINE - 1),
                    op: BusOp::Read { bytes: LINE },
                    cause: Cause::Fetch,
                    master: MasterKind::Instruction,
                });
                self.asked = false;
                Fetch::Pending
            }
        }
    }
    fn fetch_bytes(&self, slot: u32) -> &[u8] {
        let bytes = self.lines.as_ref().map_or(&self.ram, |l| &l.bytes);
        &bytes[(slot * LINE) as usize..][..LINE as usize]
    }
    fn fetch_at_once(&mut self, _now: Cycle, pc: u32) -> Option<(u32, u32)> {
        let at = Self::place(pc & !(LINE - 1), LINE).filter(|_| self.short)?;
        let Some(l) = &self.lines else { return Some((at as u32 / LINE, self.version)) };
        let slot = (pc / LINE) as usize % l.tags.len();
        (l.tags[slot] == pc / LINE).then_some((slot as u32, self.versions[slot]))
    }
    fn fetch_generation(&self) -> u64 {
        self.changes
    }
    fn load_at_once(&mut self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
        let at = Self::place(addr, width.bytes()).filter(|_| self.at_once(addr, width))?;
        self.seen.push(Seen::Load(now.0, addr));
        Some(self.read(at, width.bytes()))
    }
    fn store_at_once(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        let Some(at) = Self::place(addr, width.bytes()).filter(|_| self.at_once(addr, width)) else { return false };
        self.seen.push(Seen::Store(now.0, addr, value));
        self.write(at, width.bytes(), value);
        true
    }
    fn load(&mut self, now: Cycle, addr: u32, width: Width) -> Access {
        self.seen.push(Seen::Load(now.0, addr));
        self.access(addr, width, BusOp::Read { bytes: width.bytes() })
    }
    fn store(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> Access {
        self.seen.push(Seen::Store(now.0, addr, value));
        let data = Bytes::new(&value.to_le_bytes()[..width.bytes() as usize]);
        self.access(addr, width, BusOp::Write { data })
    }
    fn amo(&mut self, _now: Cycle, addr: u32, op: AmoOp, operand: u32) -> Access {
        self.access(addr, Width::Word, BusOp::Amo { op, operand })
    }
    fn load_reserved(&mut self, _now: Cycle, addr: u32) -> Access {
        self.access(addr, Width::Word, BusOp::LoadReserved)
    }
    fn store_conditional(&mut self, _now: Cycle, addr: u32, value: u32) -> Access {
        self.access(addr, Width::Word, BusOp::StoreConditional { value })
    }
    fn cache_op(&mut self, now: Cycle, addr: u32, op: CacheOp) -> Access {
        self.seen.push(Seen::CacheOp(now.0, addr, op));
        if Self::place(addr, 1).is_none() {
            return Access::Fault(AccessFault::Unmapped);
        }
        Access::Done(0)
    }
    fn prefetch(&mut self, now: Cycle, addr: u32, what: Prefetch) {
        self.seen.push(Seen::Prefetch(now.0, addr, what));
    }
    fn fence_i(&mut self, _now: Cycle) {
        self.version += 1;
        self.changed();
        if let Some(l) = &mut self.lines {
            l.tags.fill(0);
        }
    }
    fn request(&mut self) -> Option<BusRequest> {
        self.asked = true;
        self.waiting.take()
    }
    fn complete(&mut self, reply: BusReply) {
        assert!(self.asked);
        let request = self.waiting.take().expect("a request is being served");
        match reply {
            BusReply::Line(data) => {
                self.version += 1;
                self.changed();
                let l = self.lines.as_mut().expect("a line was asked for");
                let slot = (request.addr / LINE) as usize % l.tags.len();
                l.tags[slot] = request.addr / LINE;
                l.bytes[slot * LINE as usize..][..LINE as usize].copy_from_slice(&data);
                self.versions[slot] = self.version;
            }
            BusReply::Value(v) => self.answer = Some((request.addr, v)),
            BusReply::Fault(_) => unreachable!("the double answers what it has asked for"),
        }
    }
    fn checkpoint(&mut self) {
        self.undo.clear();
        self.saved_answer = self.answer;
        self.saved_reserved = self.reserved;
        if let Some(l) = &self.lines {
            self.saved_tags.copy_from_slice(&l.tags);
        }
    }
    fn rewind(&mut self) {
        self.changed();
        for (at, old) in self.undo.drain(..).rev() {
            self.ram[at] = old;
        }
        self.answer = self.saved_answer;
        self.reserved = self.saved_reserved;
        self.waiting = None;
        if let Some(l) = &mut self.lines {
            l.tags.copy_from_slice(&self.saved_tags);
        }
    }
}

/// Nios II/f as published, with the multiplier of Cyclone II.
pub fn nios2f() -> Timing {
    Timing {
        load_result: 2,
        branch_taken: 2,
        branch_mispredicted: 4,
        predictor: Predictor::TwoBit,
        predictor_entries: 256,
        jump: 2,
        jump_indirect: 3,
        shift_result: 2,
        mul: 5,
        mul_high: 5,
        mul_result: 2,
        div_base: 4,
        div_per_bit: 2,
        div_result: 2,
        csr: 4,
        csr_enable: 4,
        trap: 5,
        interrupt: 5,
        trap_return: 5,
        ..Timing::IDEAL
    }
}

pub fn config(timing: Timing) -> HartConfig {
    HartConfig {
        core: 0,
        hartid: 0,
        isa: "rv32imac_zicsr_zifencei_zicbom_zicbop".parse().unwrap(),
        custom: Vec::new(),
        privilege: Privilege::MACHINE,
        timing,
        misaligned: Misaligned::Trap,
        time_divider: 1,
        reset_pc: BASE,
        observe: false,
        probes: Vec::new(),
    }
}

pub fn observed(timing: Timing, probes: Vec<Probe>) -> HartConfig {
    HartConfig { observe: true, probes, ..config(timing) }
}

/// The bytes of a program of words.
pub fn words(program: &[u32]) -> Vec<u8> {
    program.iter().flat_map(|w| w.to_le_bytes()).collect()
}

pub fn hash(hart: &Hart) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    hart.hash(&mut |v| h = (h ^ v).wrapping_mul(0x0100_0000_01b3).rotate_left(23));
    h
}

/// Serve what the hart is suspended at, as an owner does that is always the earliest.
pub fn serve(hart: &mut Hart, bus: &mut Bus) {
    while let Some(account) = bus.serve() {
        hart.resume_at(hart.now() + Cycles(LATENCY), &[(account, Cycles(LATENCY))]);
    }
}

/// Run to `until`, serving everything at once.
pub fn drive(hart: &mut Hart, bus: &mut Bus, until: u64) -> Stop {
    loop {
        match hart.run(bus, Cycle(until)) {
            Stop::Pending => serve(hart, bus),
            Stop::Sleep if hart.next_line_change().is_some_and(|at| at.max(hart.now()).0 < until) => {}
            stop => return stop,
        }
    }
}

/// Execute one instruction, serving what it waits for; its completion.
pub fn step(hart: &mut Hart, bus: &mut Bus) -> u64 {
    let retired = hart.retired();
    loop {
        let until = hart.now() + Cycles(1);
        match hart.run(bus, until) {
            Stop::Pending => serve(hart, bus),
            _ => {
                if hart.retired() > retired || hart.asleep() {
                    return hart.now().0;
                }
                if !hart.suspended() {
                    // A trap was entered.
                    return hart.now().0;
                }
            }
        }
    }
}

/// The completions of the first instructions of a program in an always-hit memory.
pub fn completions(timing: Timing, program: &[u32]) -> Vec<u64> {
    let mut hart = Hart::new(config(timing));
    let mut bus = Bus::new(&words(program));
    program.iter().map(|_| step(&mut hart, &mut bus)).collect()
}
