// SPDX-License-Identifier: Apache-2.0
//! Translated blocks: straight pieces of a program whose costs are added up once, when they are translated.
//!
//! A block begins at any instruction and goes on over line ends, direct jumps and branches not taken, up to an instruction that
//! only the loop of `run.rs` executes. What is late when it begins belongs to it as its address does ([`Blocks::late`]), so each of its
//! steps knows how many cycles after the begin its instruction is issued, and each [`Way`] out what is late then: neither
//! time nor readiness of registers need be followed inside or from block to block.
//!
//! Nothing here decides what happens: a step that cannot be done at once (a miss, a trap, a line that is not held) leaves the block at the
//! boundary before its instruction, and the loop executes that from the beginning.

use crate::observe::Sites;
use crate::timing::Costs;
use engine::HartMemory;
use isa::IsaSet;
use std::collections::BTreeMap;
use units::Cycle;

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
    /// Branches: imm is the address, aux the first way out; rd see `translate.rs`.
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    /// A direct jump inside the block: imm is the target, aux the address behind it.
    Jump,
    /// An indirect jump: aux is the way out, and the imm of the step behind it the address behind it.
    Jalr,
    /// The block goes on in another line: imm is an address in it, aux its key.
    Line,
    /// The block ends: aux is the way out.
    End,
    /// The line that follows, of the address imm, had not been seen yet: the loop executes what comes, and learns it.
    Unknown,
    /// The loop executes the next instruction.
    Loop,
}

/// One step. For loads and stores aux is the issue, in cycles from the block's begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// What the step behind it does.
    pub next: Do,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    pub imm: i32,
    pub aux: u32,
}

/// One way out of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Where it leads, or [`NOWHERE`] if a register says that.
    pub pc: u32,
    /// Address behind the jump or branch that leaves, or [`NOWHERE`] where execution goes straight on.
    pub end: u32,
    /// Cycles from the block's begin to the begin of the next.
    pub cycles: u32,
    /// The block that it led to last.
    pub link: u32,
    /// What is late there.
    pub late: u16,
    /// Instructions that have retired then.
    pub retired: u16,
}

/// Ways out of a branch, counted from its first: it is taken, as foreseen or not, or it is not taken but was foreseen to be.
pub(crate) mod way {
    pub const TAKEN: u32 = 0;
    pub const TAKEN_WRONG: u32 = 1;
    pub const ON: u32 = 2;
}

/// The way out before a step, between instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leave {
    pub pc: u32,
    /// In cycles from the block's begin.
    pub boundary: u32,
    /// What is late then: the first in `Blocks::lates` and how many; cycles count from the block's begin.
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
    /// Its address.
    pub line: u32,
}

impl Key {
    /// The bytes have to be compared.
    pub fn forget(&mut self) {
        (self.seen, self.generation) = (0, 0);
    }

    /// Whether the line is held as it was when its bytes were last compared, or with the bytes that the block was translated from.
    #[inline]
    pub fn is_seen(&mut self, slot: u32, version: u32, texts: &[u8], bytes: &[u8]) -> bool {
        let seen = u64::from(slot) << 32 | u64::from(version);
        if self.seen == seen {
            return true;
        }
        let same = texts.get(self.text as usize..).is_some_and(|t| t.starts_with(bytes));
        if same {
            self.seen = seen;
        }
        same
    }
}

/// What is looked at whenever a block begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// The memory's generation and the era of its keys (see [`Lines::distrust`](crate::lines::Lines::distrust)) in which the piece was
    /// chosen; the first is 0 if it was not.
    pub generation: u64,
    pub era: u32,
    pub pc: u32,
    /// The last boundary that it passes without looking at interrupts.
    pub span: u32,
    /// First step.
    pub first: u32,
    /// How many there are.
    pub count: u16,
    /// What the first does.
    pub act: Do,
}

/// The rest of what is known of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// What is late when it begins.
    pub late: u32,
    /// The next block of the same place, or 0.
    pub next: u32,
    /// Its steps, with the checks of its lines and without.
    pub checked: Piece,
    pub unchecked: Piece,
    /// First key, and one past the last.
    pub keys: (u32, u32),
}

/// Steps of a block: the first, how many, and what the first does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub first: u32,
    pub count: u16,
    pub act: Do,
}

impl Block {
    /// Whether the steps were chosen in this era and the memory's generation.
    #[inline(always)]
    pub fn is_chosen(&self, era: u32, generation: u64) -> bool {
        self.generation == generation && self.era == era
    }

    fn choose(&mut self, piece: Piece) {
        (self.first, self.count, self.act) = (piece.first, piece.count, piece.act);
    }
}

const PLACES: usize = 4096;
const SEEN: usize = 1024;
/// Calls over which the mean is taken of how many instructions are executed at once.
const CALLS: u32 = 64;
/// So many they have to be, in that sum, for blocks to be faster than the loop: four and a half on average.
const WORTH: u32 = CALLS * 9 / 2;
/// How often the loop enters a line before blocks are tried again.
const REST: u32 = 256;
/// No block begins at an odd address.
pub(crate) const NOWHERE: u32 = 1;
/// The generation of a memory that does not count; no memory has it.
pub(crate) const UNCOUNTED: u64 = u64::MAX;
/// Steps of all blocks together; then all are forgotten.
const MOST_STEPS: usize = 1 << 17;
const MOST_LATE: usize = 1 << 12;

/// All blocks of a hart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// Instructions of the last [`CALLS`] calls, and how often the loop goes on without blocks.
    mean: u32,
    rest: u32,
    /// Never go on without blocks.
    pub insist: bool,
    /// First block of each place, 0 if there is none; more follow by `Plan::next`.
    pub places: Vec<u32>,
    /// Addresses that the loop has come to once.
    seen: Vec<u32>,
    pub blocks: Vec<Block>,
    pub plans: Vec<Plan>,
    pub steps: Vec<Step>,
    /// For each step the way out before it.
    pub leaves: Vec<Leave>,
    pub ways: Vec<Way>,
    /// Registers and when they can be used.
    pub lates: Vec<(u8, u32)>,
    /// What is late where a block begins, by number: a piece of `lates`. Number 0 is nothing.
    late: Vec<(u32, u32)>,
    late_numbers: BTreeMap<Vec<(u8, u32)>, u32>,
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
        let nothing = Piece { first: 0, count: 0, act: Do::End };
        self.blocks.push(Block { generation: 0, era: 0, pc: NOWHERE, span: 0, first: 0, count: 0, act: Do::End });
        self.plans.push(Plan { late: 0, next: 0, checked: nothing, unchecked: nothing, keys: (0, 0) });
        self.late.push((0, 0));
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
    fn place(pc: u32, late: u32) -> usize {
        (pc >> 1 ^ pc >> 13 ^ late << 5) as usize & (PLACES - 1)
    }

    /// The block that begins at `pc` with this late, if it has been translated.
    #[inline]
    pub fn find(&self, pc: u32, late: u32) -> Option<usize> {
        let mut index = *self.places.get(Self::place(pc, late))? as usize;
        while index != 0 {
            let plan = &self.plans[index];
            if self.blocks[index].pc == pc && plan.late == late {
                return Some(index);
            }
            index = plan.next as usize;
        }
        None
    }

    /// No way out.
    pub const NO_WAY: usize = usize::MAX;

    /// Note where a way leads.
    #[inline]
    pub fn set_link(&mut self, from: usize, index: usize) {
        if let Some(way) = self.ways.get_mut(from) {
            way.link = index as u32;
        }
    }

    /// Choose the steps to execute in this era and generation: without the checks if all lines are held. Where it matters in which
    /// order lines are used, nobody asks for them here.
    #[inline(never)]
    pub fn choose<M: HartMemory>(&mut self, index: usize, mem: &mut M, now: u64, era: u32, generation: u64) {
        let (block, plan) = (&mut self.blocks[index], &self.plans[index]);
        let keys = &mut self.keys[plan.keys.0 as usize..plan.keys.1 as usize];
        if block.era != era {
            block.era = era;
            keys.iter_mut().for_each(Key::forget);
        }
        block.choose(plan.checked);
        block.generation = generation;
        let held = |key: &mut Key| {
            if key.generation == generation {
                return true;
            }
            let Some((slot, version)) = mem.fetch_at_once(Cycle(now), key.line) else { return false };
            let same = key.is_seen(slot, version, &self.texts, mem.fetch_bytes(slot));
            if same {
                key.generation = generation;
            }
            same
        };
        if generation != UNCOUNTED && keys.iter_mut().all(held) {
            block.choose(plan.unchecked);
        }
    }

    /// The number of what is late: registers and after how many cycles they can be used.
    pub fn late_number(&mut self, late: &[(u8, u32)]) -> u32 {
        if late.is_empty() {
            return 0;
        }
        if let Some(number) = self.late_numbers.get(late) {
            return *number;
        }
        let from = self.lates.len() as u32;
        self.lates.extend_from_slice(late);
        self.late.push((from, self.lates.len() as u32));
        let number = self.late.len() as u32 - 1;
        self.late_numbers.insert(late.to_vec(), number);
        number
    }

    /// What is late, by number.
    pub fn late(&self, number: u32) -> &[(u8, u32)] {
        let (from, to) = self.late[number as usize];
        &self.lates[from as usize..to as usize]
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
    pub fn forget(&mut self, index: usize) {
        self.blocks[index].pc = NOWHERE;
    }

    /// Whether there is so much that it is better forgotten.
    pub fn is_full(&self) -> bool {
        self.steps.len() > MOST_STEPS || self.late.len() > MOST_LATE
    }

    /// A block has been translated.
    pub fn add(&mut self, block: Block, plan: Plan) -> usize {
        let index = self.blocks.len();
        let place = &mut self.places[Self::place(block.pc, plan.late)];
        self.plans.push(Plan { next: *place, ..plan });
        self.blocks.push(block);
        *place = index as u32;
        index
    }
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
