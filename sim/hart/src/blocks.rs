// SPDX-License-Identifier: Apache-2.0
//! Translated blocks: straight pieces of a program whose costs are added up once, when they are translated.
//!
//! A block begins at any instruction and goes on over line ends, direct jumps and branches not taken, up to an instruction that
//! only the loop of `run.rs` executes. Each of its steps knows how many cycles after the block's begin its instruction is issued,
//! *if no result is late when the block begins*; then neither time nor readiness of registers need be followed inside. What is
//! late where the block is left is listed with each [`Exit`].
//!
//! Nothing here decides what happens: a step that cannot be done at once (a miss, a trap, a line that is not held) leaves the block at the
//! boundary before its instruction, and the loop executes that from the beginning.

use crate::lines::{self, tag, Lines, SINK};
use crate::observe::Sites;
use crate::timing::Costs;
use isa::{Code, IsaSet};

/// What a step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Do {
    /// rd = imm: lui, auipc, and either with an addi.
    Const,
    Addi,
    Slti,
    Sltiu,
    Xori,
    Ori,
    Andi,
    Slli,
    Srli,
    Srai,
    Add,
    Sub,
    Sll,
    Slt,
    Sltu,
    Xor,
    Srl,
    Sra,
    Or,
    And,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Lb,
    Lh,
    Lw,
    Lbu,
    Lhu,
    Sb,
    Sh,
    Sw,
    /// Branches: imm is the address, aux the exit, rd whether it goes backward.
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    /// A direct jump inside the block: imm is the target, aux the address behind it.
    Jump,
    /// An indirect jump: aux is the exit.
    Jalr,
    /// The block goes on in another line: imm is an address in it, aux its key.
    Line,
    /// The block ends: aux is the exit.
    End,
    /// The line that follows, of the address imm, had not been seen yet: the loop executes what comes, and learns it.
    Unknown,
    /// The loop executes the next instruction.
    Loop,
}

/// One step. For loads and stores aux is the issue, in cycles from the block's begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub act: Do,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    pub imm: i32,
    pub aux: u32,
}

/// A way out of a block. Cycles count from the block's begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// Where it leads: of a branch, when it is taken.
    pub target: u32,
    /// Address behind the instruction that leaves.
    pub end: u32,
    /// When that instruction is issued; of a way out between instructions, the boundary.
    pub issue: u32,
    /// Instructions that have retired then.
    pub retired: u32,
    /// Results that are late then, in `Blocks::lates`.
    pub lates: (u32, u32),
    /// The same as a set, and when the last can be used.
    pub late_set: u32,
    pub late_until: u32,
    /// The blocks that it led to last, of a branch: when it is taken, when not.
    pub links: [u32; 2],
}

/// The way out before a step, between instructions: as [`Exit`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leave {
    pub pc: u32,
    pub boundary: u32,
    pub lates: u32,
    pub lates_count: u16,
    pub retired: u16,
}

/// What is checked when a block reaches a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    /// Slot and version under which the line's bytes were last compared; 0 if they have to be.
    pub seen: u64,
    /// The memory's [generation](engine::HartMemory::fetch_generation) then.
    pub generation: u64,
    /// The bytes it was translated from, in `Blocks::texts`.
    pub text: u32,
}

impl Key {
    /// The bytes have to be compared.
    pub fn forget(&mut self) {
        (self.seen, self.generation) = (0, 0);
    }
}

#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Block {
    pub pc: u32,
    /// The next block of the same place, or 0.
    pub next: u32,
    /// The era of its keys; see [`Lines::distrust`].
    pub era: u32,
    /// First step, and one past the last.
    pub first: u32,
    pub last: u32,
    /// First key, and one past the last.
    pub keys: (u32, u32),
    /// The last boundary that it passes without looking at interrupts.
    pub span: u32,
    /// Registers that are read, before they are written, earlier than 1, 2, … cycles after the begin; the last: ever.
    pub early: [u32; EARLY],
    /// Registers that are written.
    pub writes: u32,
}

pub(crate) const EARLY: usize = 4;
const PLACES: usize = 4096;
const SEEN: usize = 1024;
/// Calls over which the mean is taken of how many instructions are executed at once.
const CALLS: u32 = 64;
/// So many they have to be, in that sum, for blocks to be faster than the loop: four and a half on average.
const WORTH: u32 = CALLS * 9 / 2;
/// How often the loop enters a line before blocks are tried again.
const REST: u32 = 256;
/// No block begins at an odd address.
const NOWHERE: u32 = 1;
/// Steps of all blocks together; then all are forgotten.
const MOST_STEPS: usize = 1 << 17;
/// Instructions of a block.
const MOST_INSTRUCTIONS: u32 = 32;
/// Cycles of a block.
const MOST_CYCLES: u64 = 1 << 16;

/// All blocks of a hart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// Instructions of the last [`CALLS`] calls, and how often the loop goes on without blocks.
    mean: u32,
    rest: u32,
    /// Never go on without blocks.
    pub insist: bool,
    /// First block of each place, 0 if there is none; more follow by `Block::next`.
    pub places: Vec<u32>,
    /// Addresses that the loop has come to once.
    seen: Vec<u32>,
    pub blocks: Vec<Block>,
    pub steps: Vec<Step>,
    /// For each step the way out before it.
    pub leaves: Vec<Leave>,
    pub exits: Vec<Exit>,
    pub lates: Vec<(u8, u32)>,
    pub keys: Vec<Key>,
    pub texts: Vec<u8>,
}

/// What of a hart decides how its blocks are translated; constant.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub set: IsaSet,
    pub costs: &'a Costs,
    pub sites: Option<&'a Sites>,
    pub misaligned_fetch: u32,
}

impl Blocks {
    pub fn clear(&mut self) {
        let (insist, mean) = (self.insist, 2 * WORTH);
        *self = Blocks { insist, mean, places: vec![0; PLACES], seen: vec![NOWHERE; SEEN], ..Blocks::default() };
        // Number 0 says that there is none.
        self.blocks.push(Block { pc: NOWHERE, ..Block::default() });
    }

    /// Whether to look for blocks: not for a while after they were too short to be worth it.
    #[inline(always)]
    pub fn pay(&mut self) -> bool {
        if self.rest == 0 {
            return true;
        }
        self.rest -= 1;
        false
    }

    /// So many instructions were executed at once.
    #[inline(always)]
    pub fn paid(&mut self, instructions: u64) {
        self.mean = self.mean - self.mean / CALLS + instructions.min(64) as u32;
        if self.mean < WORTH && !self.insist {
            (self.mean, self.rest) = (WORTH * 5 / 4, REST);
        }
    }

    #[inline(always)]
    fn place(pc: u32) -> usize {
        (pc >> 1 ^ pc >> 13) as usize & (PLACES - 1)
    }

    /// The block that begins at `pc`, if it has been translated.
    #[inline(always)]
    pub fn find(&self, pc: u32) -> Option<usize> {
        let mut index = *self.places.get(Self::place(pc))? as usize;
        while index != 0 {
            let block = &self.blocks[index];
            if block.pc == pc {
                return Some(index);
            }
            index = block.next as usize;
        }
        None
    }

    /// No exit.
    pub const NO_LINK: u32 = u32::MAX;

    /// The block that begins at `pc`, if an exit led to it last.
    #[inline(always)]
    pub fn link(&self, from: u32, pc: u32) -> Option<usize> {
        let index = self.exits.get((from / 2) as usize)?.links[(from % 2) as usize] as usize;
        (self.blocks[index].pc == pc).then_some(index)
    }

    /// Note where an exit leads.
    #[inline]
    pub fn set_link(&mut self, from: u32, index: usize) {
        if let Some(exit) = self.exits.get_mut((from / 2) as usize) {
            exit.links[(from % 2) as usize] = index as u32;
        }
    }

    /// The loop has come to `pc`, where no block begins: whether it came there before.
    pub fn seen(&mut self, pc: u32) -> bool {
        if self.places.is_empty() {
            self.clear();
        }
        let seen = &mut self.seen[(pc >> 1) as usize & (SEEN - 1)];
        std::mem::replace(seen, pc) == pc
    }

    /// A block must be translated anew.
    #[cold]
    pub fn forget(block: &mut Block) {
        block.pc = NOWHERE;
    }

    /// Translate the block that begins at `pc`; `None` if its first line is not known.
    #[cold]
    #[inline(never)]
    pub fn translate(&mut self, lines: &Lines, rules: Rules<'_>, pc: u32) -> Option<usize> {
        lines.half(pc)?;
        if self.steps.len() > MOST_STEPS {
            self.clear();
        }
        let first = self.steps.len() as u32;
        let keys = self.keys.len() as u32;
        let mut t = Translation::new(self, lines, rules, pc);
        t.run();
        let (span, early, writes) = (t.span, t.early, t.writes);
        let place = &mut self.places[Self::place(pc)];
        let block = Block {
            pc,
            next: *place,
            era: lines.era(),
            first,
            last: self.steps.len() as u32,
            keys: (keys, self.keys.len() as u32),
            span,
            early,
            writes,
        };
        let index = self.blocks.len();
        self.blocks.push(block);
        *place = index as u32;
        Some(index)
    }

    /// A line is not held as it was when its bytes were last compared. Whether they are what the block was translated from.
    #[cold]
    #[inline(never)]
    pub fn same_text(key: &mut Key, texts: &[u8], seen: u64, bytes: &[u8]) -> bool {
        let same = texts.get(key.text as usize..).is_some_and(|t| t.starts_with(bytes));
        if same {
            key.seen = seen;
        }
        same
    }
}

/// What registers have been through while a block is translated.
struct Translation<'a> {
    out: &'a mut Blocks,
    lines: &'a Lines,
    rules: Rules<'a>,
    begin: u32,
    pc: u32,
    now: u64,
    retired: u32,
    /// When each register can be used.
    ready: [u64; 33],
    /// When all of them can.
    latest: u64,
    /// The line that was checked last.
    checked: Option<u32>,
    span: u32,
    early: [u32; EARLY],
    writes: u32,
}

impl<'a> Translation<'a> {
    fn new(out: &'a mut Blocks, lines: &'a Lines, rules: Rules<'a>, pc: u32) -> Translation<'a> {
        Translation {
            out,
            lines,
            rules,
            begin: pc,
            pc,
            now: 0,
            retired: 0,
            ready: [0; 33],
            latest: 0,
            checked: None,
            span: 0,
            early: [0; EARLY],
            writes: 0,
        }
    }

    fn push(&mut self, step: Step) {
        let e = self.way_out(self.pc, self.pc, self.now);
        self.out.steps.push(step);
        self.out.leaves.push(Leave {
            pc: self.pc,
            boundary: e.issue,
            lates: e.lates.0,
            lates_count: (e.lates.1 - e.lates.0) as u16,
            retired: e.retired as u16,
        });
    }

    fn stop(&mut self, act: Do, address: u32) {
        let exit = if act == Do::End { self.exit(self.pc, self.pc, self.now) } else { 0 };
        self.push(Step { act, rd: SINK, rs1: 0, rs2: 0, imm: address as i32, aux: exit });
    }

    fn exit(&mut self, target: u32, end: u32, issue: u64) -> u32 {
        let exit = self.way_out(target, end, issue);
        self.out.exits.push(exit);
        self.out.exits.len() as u32 - 1
    }

    /// The way out of an instruction that is issued at `issue`, or at the boundary there.
    fn way_out(&mut self, target: u32, end: u32, issue: u64) -> Exit {
        let from = self.out.lates.len() as u32;
        let (mut late_set, mut late_until) = (0u32, 0);
        let mut left = if issue < self.latest { self.writes } else { 0 };
        while left != 0 {
            let r = left.trailing_zeros() as u8;
            left &= left - 1;
            let ready = self.ready[usize::from(r)];
            if ready > issue {
                self.out.lates.push((r, ready as u32));
                late_set |= 1 << r;
                late_until = late_until.max(ready as u32);
            }
        }
        let lates = (from, self.out.lates.len() as u32);
        Exit { target, end, issue: issue as u32, retired: self.retired, lates, late_set, late_until, links: [0; 2] }
    }

    /// Make sure that the line that holds `pc` is checked by then.
    fn line(&mut self, pc: u32) {
        let base = pc & !(self.lines.line_bytes - 1);
        // Coming back to a line counts as a use of it, so it is asked for again.
        if self.checked == Some(base) {
            return;
        }
        self.checked = Some(base);
        let text = self.out.texts.len() as u32;
        self.out.texts.extend_from_slice(self.lines.text(base));
        self.out.keys.push(Key { seen: 0, generation: 0, text });
        let aux = self.out.keys.len() as u32 - 1;
        self.push(Step { act: Do::Line, rd: SINK, rs1: 0, rs2: 0, imm: base as i32, aux });
    }

    fn reads(&mut self, register: u8, issue: u64) {
        let bit = 1u32 << register;
        if register == 0 || self.writes & bit != 0 {
            return;
        }
        for (i, set) in self.early.iter_mut().enumerate() {
            if issue < i as u64 + 1 || i == EARLY - 1 {
                *set |= bit;
            }
        }
    }

    fn run(&mut self) {
        loop {
            let pc = self.pc;
            // Which halves are known?
            let Some(low) = self.lines.half(pc) else { return self.stop(Do::Unknown, pc) };
            let long = isa::length(low) == 4;
            // Each block begins with the check of its first line.
            self.line(pc);
            let behind = pc.wrapping_add(2);
            let high = if long { self.lines.half(behind) } else { Some(0) };
            let Some(high) = high else { return self.stop(Do::Unknown, behind) };
            let entry = lines::entry(self.rules.set, self.rules.sites, pc, low, high);
            if long {
                self.line(behind);
            }
            if entry.tag != tag::PLAIN {
                return self.stop(Do::Loop, 0);
            }
            if self.retired >= MOST_INSTRUCTIONS || self.now >= MOST_CYCLES {
                return self.stop(Do::End, 0);
            }
            if !self.instruction(entry.op) {
                return;
            }
        }
    }

    /// Translate one instruction; false if the block ends with it, or before it.
    fn instruction(&mut self, op: isa::Op) -> bool {
        let costs = self.rules.costs;
        let act = act(op.code);
        let fixed = costs.fixed(op.code);
        let (Some(act), Some((cost, result))) = (act, fixed) else {
            // What has no effect but its time needs no step.
            if let (Code::Pause, Some((cost, _))) = (op.code, fixed) {
                let issue = self.issue(op);
                self.next(op.len, issue + cost);
                return true;
            }
            self.stop(Do::Loop, 0);
            return false;
        };
        let end = self.pc.wrapping_add(u32::from(op.len));
        let target = self.pc.wrapping_add(op.imm as u32);
        let direct = matches!(op.code, Code::Jal) || (Do::Beq as u8..=Do::Bgeu as u8).contains(&(act as u8));
        if direct && target & self.rules.misaligned_fetch != 0 {
            self.stop(Do::Loop, 0);
            return false;
        }
        let issue = self.issue(op);
        let mut step = Step { act, rd: op.rd, rs1: op.rs1, rs2: op.rs2, imm: op.imm, aux: issue as u32 };
        match op.code {
            Code::Jal => {
                step = Step { imm: target as i32, aux: end, ..step };
                self.push(step);
                self.writes(op.rd, issue + cost);
                self.next(op.len, issue + cost);
                self.pc = target;
                if target == self.begin {
                    self.stop(Do::End, 0);
                }
                target != self.begin
            }
            Code::Jalr => {
                // The link is not late.
                self.writes(op.rd, 0);
                self.retired += 1;
                let exit = self.exit(0, end, issue);
                self.retired -= 1;
                self.push(Step { aux: exit, ..step });
                self.next(op.len, issue + cost);
                false
            }
            Code::Beq | Code::Bne | Code::Blt | Code::Bge | Code::Bltu | Code::Bgeu => {
                self.retired += 1;
                let exit = self.exit(target, end, issue);
                self.retired -= 1;
                let step = Step { rd: u8::from(op.imm < 0), imm: self.pc as i32, aux: exit, ..step };
                self.push(step);
                self.next(op.len, issue + costs.branch[0]);
                true
            }
            Code::Lui | Code::Auipc => {
                let value = if op.code == Code::Lui { op.imm as u32 } else { target };
                self.push(Step { imm: value as i32, ..step });
                self.writes(op.rd, issue + result);
                self.next(op.len, issue + cost);
                true
            }
            _ => {
                let writes = !(Do::Sb as u8..=Do::Sw as u8).contains(&(act as u8));
                if !self.fuse(op, act) {
                    self.push(step);
                }
                if writes {
                    self.writes(op.rd, issue + result);
                }
                self.next(op.len, issue + cost);
                true
            }
        }
    }

    /// lui or auipc and then addi make one constant.
    fn fuse(&mut self, op: isa::Op, act: Do) -> bool {
        let Some(last) = self.out.steps.last_mut() else { return false };
        let fits = act == Do::Addi && last.act == Do::Const && last.rd == op.rd && op.rs1 == op.rd && op.rd != SINK;
        if fits {
            last.imm = last.imm.wrapping_add(op.imm);
        }
        fits
    }

    fn issue(&mut self, op: isa::Op) -> u64 {
        let ready = |r: u8| self.ready[usize::from(r).min(32)];
        let issue = self.now.max(ready(op.rs1)).max(ready(op.rs2));
        self.reads(op.rs1, issue);
        self.reads(op.rs2, issue);
        issue
    }

    fn writes(&mut self, rd: u8, ready: u64) {
        if rd < SINK {
            self.ready[usize::from(rd)] = ready;
            self.latest = self.latest.max(ready);
            self.writes |= 1 << rd;
        }
    }

    fn next(&mut self, len: u8, now: u64) {
        self.span = self.span.max(self.now as u32);
        self.now = now;
        self.retired += 1;
        self.pc = self.pc.wrapping_add(u32::from(len));
    }
}

fn act(code: Code) -> Option<Do> {
    Some(match code {
        Code::Lui | Code::Auipc => Do::Const,
        Code::Jal => Do::Jump,
        Code::Jalr => Do::Jalr,
        Code::Beq => Do::Beq,
        Code::Bne => Do::Bne,
        Code::Blt => Do::Blt,
        Code::Bge => Do::Bge,
        Code::Bltu => Do::Bltu,
        Code::Bgeu => Do::Bgeu,
        Code::Lb => Do::Lb,
        Code::Lh => Do::Lh,
        Code::Lw => Do::Lw,
        Code::Lbu => Do::Lbu,
        Code::Lhu => Do::Lhu,
        Code::Sb => Do::Sb,
        Code::Sh => Do::Sh,
        Code::Sw => Do::Sw,
        Code::Addi => Do::Addi,
        Code::Slti => Do::Slti,
        Code::Sltiu => Do::Sltiu,
        Code::Xori => Do::Xori,
        Code::Ori => Do::Ori,
        Code::Andi => Do::Andi,
        Code::Slli => Do::Slli,
        Code::Srli => Do::Srli,
        Code::Srai => Do::Srai,
        Code::Add => Do::Add,
        Code::Sub => Do::Sub,
        Code::Sll => Do::Sll,
        Code::Slt => Do::Slt,
        Code::Sltu => Do::Sltu,
        Code::Xor => Do::Xor,
        Code::Srl => Do::Srl,
        Code::Sra => Do::Sra,
        Code::Or => Do::Or,
        Code::And => Do::And,
        Code::Mul => Do::Mul,
        Code::Mulh => Do::Mulh,
        Code::Mulhsu => Do::Mulhsu,
        Code::Mulhu => Do::Mulhu,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_rest_for_a_while_and_come_back() {
        let mut blocks = Blocks::default();
        blocks.clear();
        let mut short = 0;
        while blocks.pay() {
            blocks.paid(0);
            short += 1;
        }
        assert!((40..60).contains(&short), "{short}");
        let rested = 1 + (0..10 * REST).take_while(|_| !blocks.pay()).count();
        assert_eq!(rested, REST as usize);
        // What is long enough does not rest again.
        for _ in 0..10 * CALLS {
            blocks.paid(5);
            assert!(blocks.pay());
        }
        blocks.insist = true;
        for _ in 0..10 * CALLS {
            blocks.paid(0);
            assert!(blocks.pay());
        }
    }
}
