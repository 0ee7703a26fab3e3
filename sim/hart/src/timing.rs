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

/// What an instruction costs, and how much later its result can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Late {
    pub cost: u32,
    pub result: u32,
}

impl Late {
    /// One cycle, with the result at its end.
    pub const ONE: Late = Late { cost: 1, result: 0 };
}

/// Costs of floating-point instructions; loads and stores cost what the integer ones do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct FloatTiming {
    pub add: Late,
    pub mul: Late,
    /// Multiply and add with one rounding.
    pub fused: Late,
    pub div: Late,
    pub sqrt: Late,
    /// Comparisons, minimum and maximum.
    pub compare: Late,
    /// Between numbers and integers.
    pub convert: Late,
    /// Between the two register files, signs, classes.
    pub transfer: Late,
}

impl FloatTiming {
    /// Every instruction takes one cycle.
    pub const IDEAL: FloatTiming = FloatTiming {
        add: Late::ONE,
        mul: Late::ONE,
        fused: Late::ONE,
        div: Late::ONE,
        sqrt: Late::ONE,
        compare: Late::ONE,
        convert: Late::ONE,
        transfer: Late::ONE,
    };
}

/// Costs of a core in cycles.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Timing {
    pub alu: u32,
    pub alu_result: u32,
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
    /// For each step of an iterative shifter after the first `shift_free_steps`. An amount takes `amount / shift_step_bits` steps
    /// of that many bits and then `amount % shift_step_bits` of one.
    pub shift_per_step: u32,
    /// At least 1.
    pub shift_step_bits: u32,
    pub shift_free_steps: u32,
    pub mul: u32,
    /// The multiplications that give the high half.
    pub mul_high: u32,
    pub mul_result: u32,
    pub div_base: u32,
    /// For each significant bit of the quotient's magnitude after the first.
    pub div_per_bit: u32,
    /// A division by zero; `None`: as a quotient of 32 bits.
    pub div_by_zero: Option<u32>,
    pub div_result: u32,
    pub csr: u32,
    pub csr_result: u32,
    /// An instruction that writes mstatus or mie, or sets bits of them.
    pub csr_enable: u32,
    /// From the end of the instruction before to a control register instruction or mret, at least: the pipeline is empty then.
    pub csr_drain: u32,
    /// Exception entry.
    pub trap: u32,
    /// Interrupt entry.
    pub interrupt: u32,
    /// Of that, what is hidden where the core fetches anew anyway: behind a jump, a return, a flush, a wake.
    pub interrupt_overlap: u32,
    pub trap_return: u32,
    /// Until the hart sleeps.
    pub wfi: u32,
    /// From the line that wakes it to the next instruction.
    pub wake: u32,
    pub fence: u32,
    pub fence_i: u32,
    pub cache_op: u32,
    /// From one load or store to the next, at least.
    pub access_interval: u32,
    /// In addition, for each word boundary that a load or store crosses.
    pub access_misaligned: u32,
    /// In addition, for an instruction of 32 bits that lies across two words.
    pub fetch_misaligned: u32,
    /// The same, where such an instruction is the target of a jump or trap.
    pub target_misaligned: u32,
    /// In addition, for a taken branch, where such an instruction lies behind it: its fetch is finished first.
    pub branch_misaligned: u32,
    /// In addition, for a taken branch or jump, while an instruction behind it stalls in decode: the fetch of the target waits.
    pub jump_stalled: u32,
    /// In addition, for a load of bytes that were stored shortly before.
    pub load_stored: u32,
    /// How long before: cycles from the store's issue to the load's, at most.
    pub load_stored_within: u32,
    pub float: FloatTiming,
}

impl Timing {
    /// Every instruction takes one cycle, and entering a trap takes one.
    pub const IDEAL: Timing = Timing {
        alu: 1,
        alu_result: 0,
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
        shift_per_step: 0,
        shift_step_bits: 1,
        shift_free_steps: 0,
        mul: 1,
        mul_high: 1,
        mul_result: 0,
        div_base: 1,
        div_per_bit: 0,
        div_by_zero: None,
        div_result: 0,
        csr: 1,
        csr_result: 0,
        csr_enable: 1,
        csr_drain: 0,
        trap: 1,
        interrupt: 1,
        interrupt_overlap: 0,
        trap_return: 1,
        wfi: 1,
        wake: 0,
        fence: 1,
        fence_i: 1,
        cache_op: 1,
        access_interval: 0,
        access_misaligned: 0,
        fetch_misaligned: 0,
        target_misaligned: 0,
        branch_misaligned: 0,
        jump_stalled: 0,
        load_stored: 0,
        load_stored_within: 0,
        float: FloatTiming::IDEAL,
    };

    /// Cycles of a shift by this amount.
    fn shift_by(&self, amount: u32) -> u32 {
        let steps = amount / self.shift_step_bits + amount % self.shift_step_bits;
        self.shift + self.shift_per_step * steps.saturating_sub(self.shift_free_steps)
    }
}

/// The same costs in the form that the loop adds up: instants count in 64 bits, and a result's lateness is
/// from the issue.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    pub alu: u64,
    pub alu_ready: u64,
    pub load: u64,
    pub load_ready: u64,
    pub store: u64,
    pub store_ready: u64,
    pub jump: u64,
    pub jump_indirect: u64,
    /// The link register is written when a plain result would be, at the earliest with the jump.
    pub link_ready: u64,
    /// By amount.
    pub shift: [u64; 32],
    pub shift_result: u64,
    pub mul: u64,
    pub mul_ready: u64,
    pub mul_high: u64,
    pub mul_high_ready: u64,
    pub div_base: u64,
    pub div_per_bit: u64,
    pub div_by_zero: u64,
    pub div_result: u64,
    pub csr: u64,
    pub csr_result: u64,
    pub csr_enable: u64,
    pub csr_drain: u64,
    pub trap: u64,
    pub interrupt: u64,
    pub interrupt_overlap: u64,
    pub trap_return: u64,
    pub wfi: u64,
    pub wake: u64,
    pub fence: u64,
    pub fence_i: u64,
    pub cache_op: u64,
    pub access_interval: u64,
    pub access_misaligned: u64,
    pub fetch_misaligned: u64,
    pub target_misaligned: u64,
    pub branch_misaligned: u64,
    pub jump_stalled: u64,
    pub load_stored: u64,
    pub load_stored_within: u64,
    /// One of these or `csr_drain` is not zero, or links are late: the loop must look closer.
    pub detailed: bool,
    /// Cost, and when the result can be used, of floating-point instructions.
    pub float: [(u64, u64); 8],
    /// Conditional branches by `2 * foreseen + taken`.
    pub branch: [u64; 4],
}

impl From<&Timing> for Costs {
    fn from(t: &Timing) -> Costs {
        let late = |cost: u32, result: u32| u64::from(cost) + u64::from(result);
        let wrong = u64::from(t.branch_mispredicted);
        let iteration = |bits: u64| u64::from(t.div_base) + u64::from(t.div_per_bit) * (bits - 1);
        Costs {
            alu: t.alu.into(),
            alu_ready: late(t.alu, t.alu_result),
            load: t.load.into(),
            load_ready: late(t.load, t.load_result),
            store: t.store.into(),
            store_ready: late(t.store, t.load_result),
            jump: t.jump.into(),
            jump_indirect: t.jump_indirect.into(),
            link_ready: late(t.alu, t.alu_result),
            shift: std::array::from_fn(|amount| t.shift_by(amount as u32).into()),
            shift_result: t.shift_result.into(),
            mul: t.mul.into(),
            mul_ready: late(t.mul, t.mul_result),
            mul_high: t.mul_high.into(),
            mul_high_ready: late(t.mul_high, t.mul_result),
            div_base: t.div_base.into(),
            div_per_bit: t.div_per_bit.into(),
            div_by_zero: t.div_by_zero.map_or(iteration(32), u64::from),
            div_result: t.div_result.into(),
            csr: t.csr.into(),
            csr_result: t.csr_result.into(),
            csr_enable: t.csr_enable.into(),
            csr_drain: t.csr_drain.into(),
            trap: t.trap.into(),
            interrupt: t.interrupt.into(),
            interrupt_overlap: t.interrupt_overlap.min(t.interrupt).into(),
            trap_return: t.trap_return.into(),
            wfi: t.wfi.into(),
            wake: t.wake.into(),
            fence: t.fence.into(),
            fence_i: t.fence_i.into(),
            cache_op: t.cache_op.into(),
            access_interval: t.access_interval.into(),
            access_misaligned: t.access_misaligned.into(),
            fetch_misaligned: t.fetch_misaligned.into(),
            target_misaligned: t.target_misaligned.into(),
            branch_misaligned: t.branch_misaligned.into(),
            jump_stalled: t.jump_stalled.into(),
            load_stored: t.load_stored.into(),
            load_stored_within: t.load_stored_within.into(),
            detailed: t.access_interval
                | t.access_misaligned
                | t.fetch_misaligned
                | t.target_misaligned
                | t.branch_misaligned
                | t.jump_stalled
                | t.load_stored
                | t.alu_result
                | t.csr_drain
                | t.interrupt_overlap
                != 0,
            float: {
                let f = &t.float;
                let all = [f.add, f.mul, f.fused, f.div, f.sqrt, f.compare, f.convert, f.transfer];
                all.map(|l| (l.cost.into(), late(l.cost, l.result)))
            },
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
            | Code::Pause => (self.alu, self.alu_ready),
            Code::Slli | Code::Srli | Code::Srai | Code::Sll | Code::Srl | Code::Sra if !self.iterative_shift() => {
                (self.shift[0], self.shift[0] + self.shift_result)
            }
            Code::Mul => (self.mul, self.mul_ready),
            Code::Mulh | Code::Mulhsu | Code::Mulhu => (self.mul_high, self.mul_high_ready),
            Code::Lb | Code::Lh | Code::Lw | Code::Lbu | Code::Lhu => (self.load, self.load_ready),
            Code::Sb | Code::Sh | Code::Sw => (self.store, self.store),
            Code::Beq | Code::Bne | Code::Blt | Code::Bge | Code::Bltu | Code::Bgeu => (self.branch[0], self.branch[0]),
            Code::Jal => (self.jump, self.jump),
            Code::Jalr => (self.jump_indirect, self.jump_indirect),
            Code::Fence => (self.fence, self.fence),
            _ => return None,
        })
    }

    fn iterative_shift(&self) -> bool {
        self.shift.iter().any(|cost| *cost != self.shift[0])
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
    /// Counters that have changed since the checkpoint, one after the other; once there are more than these, all are taken for changed.
    touched: [u32; TOUCHED],
    touches: u64,
}

const TOUCHED: usize = 32;

impl History {
    pub fn new(t: &Timing) -> History {
        let entries = match t.predictor {
            Predictor::TwoBit => {
                assert!(t.predictor_entries.is_power_of_two(), "predictor_entries must be a power of two");
                t.predictor_entries as usize
            }
            Predictor::None | Predictor::Static => 0,
        };
        History {
            kind: t.predictor,
            counters: vec![1; entries],
            saved: vec![1; entries],
            touched: [0; TOUCHED],
            touches: 0,
        }
    }

    /// Whether the branch at `pc` was foreseen to be taken; learns from what happened. Without a predictor nothing is
    /// foreseen and nothing mispredicted, which is the cost of having foreseen it.
    #[inline(always)]
    pub fn foresee(&mut self, pc: u32, backward: bool, taken: bool) -> bool {
        if self.kind != Predictor::TwoBit {
            return if self.kind == Predictor::Static { backward } else { taken };
        }
        let index = (pc >> 1) as usize & (self.counters.len() - 1);
        self.touched[self.touches as usize % TOUCHED] = index as u32;
        self.touches += 1;
        let Some(counter) = self.counters.get_mut(index) else { return false };
        let was = *counter;
        // From each state, by `2 * counter + taken`, two bits each.
        *counter = (0b11_10_11_01_10_00_01_00 >> (4 * was + 2 * u8::from(taken))) as u8 & 3;
        was >= 2
    }

    pub fn checkpoint(&mut self) {
        if self.touches > TOUCHED as u64 {
            self.saved.copy_from_slice(&self.counters);
        } else {
            for index in &self.touched[..self.touches as usize] {
                self.saved[*index as usize] = self.counters[*index as usize];
            }
        }
        self.touches = 0;
    }

    pub fn rewind(&mut self) {
        if self.touches > TOUCHED as u64 {
            self.counters.copy_from_slice(&self.saved);
        } else {
            for index in &self.touched[..self.touches as usize] {
                self.counters[*index as usize] = self.saved[*index as usize];
            }
        }
        self.touches = 0;
    }

    pub fn hash(&self, f: &mut dyn FnMut(u64)) {
        for chunk in self.counters.chunks(32) {
            f(chunk.iter().fold(0, |v, c| v << 2 | u64::from(*c)));
        }
    }
}
