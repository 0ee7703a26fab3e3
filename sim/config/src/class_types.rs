// SPDX-License-Identifier: Apache-2.0
//! Resolved core classes: plain data, every default filled in.

use serde::{Deserialize, Serialize};

/// Branch prediction of a core class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predictor {
    /// None: a branch costs `branch_taken` or `branch_not_taken`.
    None,
    /// Backward branches are predicted taken.
    Static,
    /// Table of two-bit counters, indexed by the program counter.
    TwoBit,
}

/// What a load does that needs the bus while the store buffer holds stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferedLoad {
    /// It waits until the buffer is empty.
    Wait,
    /// It takes bytes that it finds there, and goes before stores to other lines that have not been issued.
    Forward,
}

/// A privilege mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Machine mode.
    Machine,
    /// User mode.
    User,
}

/// How much the costs of a core class can be trusted; every report repeats it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassLabel {
    /// Confirmed against the core's RTL.
    Rtl,
    /// From the named document.
    Documented,
    /// Chosen; no document says so.
    Assumed,
}

/// A timing class: costs in cycles. An instruction completes its slot `cost` after it issues; its result can be used
/// `*_result` later. See `platforms/cores`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CoreClass {
    /// Name of its file.
    pub name: String,
    /// How far to trust it.
    pub label: ClassLabel,
    /// Where the costs come from.
    pub source: String,
    /// Instruction set, such as `rv32imac_zicsr`; anything else traps.
    pub isa: String,
    /// Privilege modes; machine mode is always there.
    pub privilege: Vec<Mode>,
    /// Entries of physical memory protection, at most 16.
    pub pmp_entries: u32,
    /// The smallest region that they protect: a power of two, at least 4.
    pub pmp_granularity_bytes: u32,
    /// Arithmetic and logic.
    pub alu: u32,
    /// Lateness of a plain result.
    pub alu_result: u32,
    /// Loads.
    pub load: u32,
    /// Lateness of a loaded value.
    pub load_result: u32,
    /// Stores.
    pub store: u32,
    /// Branch, not taken and foreseen.
    pub branch_not_taken: u32,
    /// Branch, taken and foreseen.
    pub branch_taken: u32,
    /// Branch that was not foreseen.
    pub branch_mispredicted: u32,
    /// How branches are foreseen.
    pub predictor: Predictor,
    /// Counters of [`Predictor::TwoBit`]: a power of two; else 0.
    pub predictor_entries: u32,
    /// `jal`.
    pub jump: u32,
    /// `jalr`.
    pub jump_indirect: u32,
    /// Shifts.
    pub shift: u32,
    /// Lateness of a shifted value.
    pub shift_result: u32,
    /// Each step of an iterative shifter after the free ones.
    pub shift_per_step: u32,
    /// Bits of its large step.
    pub shift_step_bits: u32,
    /// Steps that `shift` pays for.
    pub shift_free_steps: u32,
    /// Multiplications.
    pub mul: u32,
    /// Multiplications that give the high half; `mul` if absent.
    pub mul_high: Option<u32>,
    /// Lateness of a product.
    pub mul_result: u32,
    /// Division with a quotient of one significant bit or none.
    pub div_base: u32,
    /// Each further significant bit of the quotient.
    pub div_per_bit: u32,
    /// A division by zero; as a quotient of 32 bits if absent.
    pub div_by_zero: Option<u32>,
    /// Lateness of a quotient.
    pub div_result: u32,
    /// Control register accesses.
    pub csr: u32,
    /// Lateness of what is read from a control register.
    pub csr_result: u32,
    /// An instruction that writes `mstatus` or `mie` or sets bits of them; `csr` if absent.
    pub csr_enable: Option<u32>,
    /// From the end of the instruction before to a control register instruction or `mret`, at least.
    pub csr_drain: u32,
    /// Entry into a trap.
    pub trap: u32,
    /// Entry into an interrupt; `trap` if absent.
    pub interrupt: Option<u32>,
    /// Of that, what is hidden where the core fetches anew anyway.
    pub interrupt_overlap: u32,
    /// `wfi`, until the core sleeps; `alu` if absent.
    pub wfi: Option<u32>,
    /// From the line that ends the sleep to the next instruction.
    pub wake: u32,
    /// `mret`.
    pub trap_return: u32,
    /// `fence`.
    pub fence: u32,
    /// `fence.i`, without what it makes miss.
    pub fence_i: u32,
    /// `cbo.*`, without the transfer it causes.
    pub cache_op: u32,
    /// From one load or store to the next, at least.
    pub access_interval: u32,
    /// In addition, where a load or store crosses a word boundary.
    pub access_misaligned: u32,
    /// In addition, for a 32-bit instruction that lies across two words.
    pub fetch_misaligned: u32,
    /// The same, where such an instruction is the target of a jump or trap.
    pub target_misaligned: u32,
    /// In addition, for a taken branch, where such an instruction lies behind it.
    pub branch_misaligned: u32,
    /// In addition, for a taken branch or jump, while an instruction behind it stalls in decode.
    pub jump_stalled: u32,
    /// In addition, for a load of bytes that were stored shortly before.
    pub load_stored: u32,
    /// How long before: cycles from the store's issue to the load's, at most.
    pub load_stored_within: u32,
    /// Stores that the store buffer holds; 0: there is none.
    pub store_buffer: u32,
    /// What a load does while it holds some.
    pub store_buffer_load: Option<BufferedLoad>,
    /// Its stores are done when the memory is granted, not when it answers.
    pub store_buffer_posted: bool,
    /// In addition, for each line of instructions that is waited for.
    pub line_fetch: u32,
    /// In addition, for each line of data that is waited for.
    pub line_load: u32,
    /// Floating-point instructions, when `isa` has `f`.
    pub float: Option<FloatCosts>,
    /// Instructions of its own, in the custom opcodes.
    #[serde(rename = "instruction", default)]
    pub instructions: Vec<Instruction>,
}

impl CoreClass {
    /// Whether the core has the extension M.
    pub fn multiplies(&self) -> bool {
        self.isa.split('_').next().is_some_and(|letters| letters.contains('m'))
    }
}

/// An instruction that a class defines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Instruction {
    /// As the disassembly shows it.
    pub name: String,
    /// `custom-0` to `custom-3`.
    pub opcode: String,
    /// Bits 12 to 14.
    pub funct3: u32,
    /// Bits 25 to 31; without it the upper 12 bits are a signed immediate, and there is no rs2.
    pub funct7: Option<u32>,
    /// An expression over rs1, rs2 or imm.
    pub value: String,
    /// Cycles until the next instruction.
    pub cycles: u32,
    /// How much later the result can be used.
    pub result_cycles: u32,
}

impl Instruction {
    /// In the form that a core executes.
    ///
    /// # Errors
    /// What is wrong with its expression.
    pub fn resolve(&self) -> Result<isa::Custom, String> {
        let value = isa::Expression::parse(&self.value)
            .map_err(|e| format!("instruction {}: {} in `{}`; {}", self.name, e.what, self.value, e.help))?;
        Ok(isa::Custom {
            name: self.name.clone(),
            opcode: self.opcode.bytes().last().map_or(0, |b| b & 3),
            funct3: self.funct3 as u8 & 7,
            funct7: self.funct7.map(|f| f as u8 & 0x7f),
            value,
            cycles: self.cycles.max(1),
            result_cycles: self.result_cycles,
        })
    }
}

/// Costs of floating-point instructions; loads and stores cost what the integer ones do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FloatCosts {
    /// Additions and subtractions.
    pub add: u32,
    /// Lateness of their results.
    pub add_result: u32,
    /// Multiplications.
    pub mul: u32,
    /// Lateness of their results.
    pub mul_result: u32,
    /// Multiply and add with one rounding.
    pub fused: u32,
    /// Lateness of their results.
    pub fused_result: u32,
    /// Divisions.
    pub div: u32,
    /// Lateness of their results.
    pub div_result: u32,
    /// Square roots.
    pub sqrt: u32,
    /// Lateness of their results.
    pub sqrt_result: u32,
    /// Comparisons, minimum, maximum.
    pub compare: u32,
    /// Lateness of their results.
    pub compare_result: u32,
    /// Conversions from and to integers.
    pub convert: u32,
    /// Lateness of their results.
    pub convert_result: u32,
    /// Moves between the register files, signs, fclass.
    pub transfer: u32,
    /// Lateness of their results.
    pub transfer_result: u32,
}
