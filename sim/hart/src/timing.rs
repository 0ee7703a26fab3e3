// SPDX-License-Identifier: Apache-2.0
//! What instructions cost: a core's timing class as data, and the branch predictor that belongs to it.
//!
//! An instruction issues when its source registers are ready, completes its slot `cost` later, and its result can be used by
//! an instruction that issues `*_result` after that.

use isa::Code;

/// How the direction of a conditional branch is guessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Predictor {
    /// Not at all: a branch costs `branch_taken` or `branch_not_taken`.
    #[default]
    None,
    /// Backward is taken, forward is not.
    Static,
    /// A table of 2-bit counters by address, starting at "weakly not taken".
    TwoBit,
}

/// Costs of a core in cycles.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Timing {
    pub alu: u32,
    /// Loads; also load-reserved and the read-modify-writes.
    pub load: u32,
    pub load_result: u32,
    /// Stores; also store-conditional, whose result is as late as a load's.
    pub store: u32,
    pub branch_not_taken: u32,
    /// Taken and foreseen.
    pub branch_taken: u32,
    pub branch_mispredicted: u32,
    pub predictor: Predictor,
    /// Counters of [`Predictor::TwoBit`]: a power of two.
    pub predictor_entries: u32,
    pub jump: u32,
    pub jump_indirect: u32,
    pub shift: u32,
    pub shift_result: u32,
    pub mul: u32,
    pub mul_result: u32,
    pub div_base: u32,
    /// For each significant bit of the quotient's magnitude after the first; a division by zero has all 32.
    pub div_per_bit: u32,
    pub div_result: u32,
    pub csr: u32,
    /// Interrupt and exception entry.
    pub trap: u32,
    pub trap_return: u32,
    pub fence: u32,
    pub fence_i: u32,
    pub cache_op: u32,
}

impl Timing {
    /// Every instruction takes one cycle, and entering a trap takes one.
    pub const IDEAL: Timing = Timing {
        alu: 1,
        load: 1,
        load_result: 0,
        store: 1,
        branch_not_taken: 1,
        branch_taken: 1,
        branch_mispredicted: 1,
        predictor: Predictor::None,
        predictor_entries: 0,
        jump: 1,
        jump_indirect: 1,
        shift: 1,
        shift_result: 0,
        mul: 1,
        mul_result: 0,
        div_base: 1,
        div_per_bit: 0,
        div_result: 0,
        csr: 1,
        trap: 1,
        trap_return: 1,
        fence: 1,
        fence_i: 1,
        cache_op: 1,
    };
}

/// The same costs in the form that the loop adds up: instants count in 64 bits, and a result's lateness is
/// from the issue.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    pub alu: u64,
    pub load: u64,
    pub load_ready: u64,
    pub store: u64,
    pub store_ready: u64,
    pub jump: u64,
    pub jump_indirect: u64,
    pub shift: u64,
    pub shift_ready: u64,
    pub mul: u64,
    pub mul_ready: u64,
    pub div_base: u64,
    pub div_per_bit: u64,
    pub div_result: u64,
    pub csr: u64,
    pub trap: u64,
    pub trap_return: u64,
    pub fence: u64,
    pub fence_i: u64,
    pub cache_op: u64,
    /// Conditional branches by `2 * foreseen + taken`.
    pub branch: [u64; 4],
}

impl From<&Timing> for Costs {
    fn from(t: &Timing) -> Costs {
        let late = |cost: u32, result: u32| u64::from(cost) + u64::from(result);
        let wrong = u64::from(t.branch_mispredicted);
        Costs {
            alu: t.alu.into(),
            load: t.load.into(),
            load_ready: late(t.load, t.load_result),
            store: t.store.into(),
            store_ready: late(t.store, t.load_result),
            jump: t.jump.into(),
            jump_indirect: t.jump_indirect.into(),
            shift: t.shift.into(),
            shift_ready: late(t.shift, t.shift_result),
            mul: t.mul.into(),
            mul_ready: late(t.mul, t.mul_result),
            div_base: t.div_base.into(),
            div_per_bit: t.div_per_bit.into(),
            div_result: t.div_result.into(),
            csr: t.csr.into(),
            trap: t.trap.into(),
            trap_return: t.trap_return.into(),
            fence: t.fence.into(),
            fence_i: t.fence_i.into(),
            cache_op: t.cache_op.into(),
            branch: [t.branch_not_taken.into(), wrong, wrong, t.branch_taken.into()],
        }
    }
}

impl Costs {
    /// Cycles of an instruction that always takes the same, and after how many its result can be used, both from its issue: what a
    /// translated block adds up. Of a conditional branch, when it is not taken and was not foreseen to be. `None` where the cost
    /// depends on operands or on what others do: the loop executes those one by one.
    pub fn fixed(&self, code: Code) -> Option<(u64, u64)> {
        Some(match code {
            Code::Lui
            | Code::Auipc
            | Code::Addi
            | Code::Slti
            | Code::Sltiu
            | Code::Xori
            | Code::Ori
            | Code::Andi
            | Code::Add
            | Code::Sub
            | Code::Slt
            | Code::Sltu
            | Code::Xor
            | Code::Or
            | Code::And
            | Code::Pause
            | Code::Prefetch => (self.alu, self.alu),
            Code::Slli | Code::Srli | Code::Srai | Code::Sll | Code::Srl | Code::Sra => (self.shift, self.shift_ready),
            Code::Mul | Code::Mulh | Code::Mulhsu | Code::Mulhu => (self.mul, self.mul_ready),
            Code::Lb | Code::Lh | Code::Lw | Code::Lbu | Code::Lhu => (self.load, self.load_ready),
            Code::Sb | Code::Sh | Code::Sw => (self.store, self.store),
            Code::Beq | Code::Bne | Code::Blt | Code::Bge | Code::Bltu | Code::Bgeu => (self.branch[0], self.branch[0]),
            Code::Jal => (self.jump, self.jump),
            Code::Jalr => (self.jump_indirect, self.jump_indirect),
            Code::Fence => (self.fence, self.fence),
            _ => return None,
        })
    }

    /// No fixed result is later than this after its issue.
    pub fn latest(&self) -> u64 {
        self.alu.max(self.shift_ready).max(self.mul_ready).max(self.load_ready).max(self.jump).max(self.jump_indirect)
    }

    /// Cycles of a division whose quotient has this magnitude.
    #[inline]
    pub fn division(&self, magnitude: u32) -> u64 {
        let bits = u64::from((32 - magnitude.leading_zeros()).max(1));
        self.div_base + self.div_per_bit * (bits - 1)
    }
}

/// The predictor's memory.
#[derive(Clone, Debug)]
pub(crate) struct History {
    kind: Predictor,
    counters: Vec<u8>,
    saved: Vec<u8>,
}

impl History {
    pub fn new(t: &Timing) -> History {
        let entries = match t.predictor {
            Predictor::TwoBit => {
                assert!(t.predictor_entries.is_power_of_two(), "predictor_entries must be a power of two");
                t.predictor_entries as usize
            }
            Predictor::None | Predictor::Static => 0,
        };
        History { kind: t.predictor, counters: vec![1; entries], saved: vec![1; entries] }
    }

    /// Whether the branch at `pc` was foreseen to be taken; learns from what happened. Without a predictor nothing is
    /// foreseen and nothing mispredicted, which is the cost of having foreseen it.
    #[inline(always)]
    pub fn foresee(&mut self, pc: u32, backward: bool, taken: bool) -> bool {
        match self.kind {
            Predictor::TwoBit => {
                let index = (pc >> 1) as usize & (self.counters.len() - 1);
                let counter = &mut self.counters[index];
                let foreseen = *counter >= 2;
                *counter = if taken { (*counter + 1).min(3) } else { counter.saturating_sub(1) };
                foreseen
            }
            Predictor::Static => backward,
            Predictor::None => taken,
        }
    }

    pub fn checkpoint(&mut self) {
        self.saved.copy_from_slice(&self.counters);
    }

    pub fn rewind(&mut self) {
        self.counters.copy_from_slice(&self.saved);
    }

    pub fn hash(&self, f: &mut dyn FnMut(u64)) {
        for chunk in self.counters.chunks(32) {
            f(chunk.iter().fold(0, |v, c| v << 2 | u64::from(*c)));
        }
    }
}
