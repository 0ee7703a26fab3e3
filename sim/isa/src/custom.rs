// SPDX-License-Identifier: Apache-2.0
//! Instructions that a user defines: in the opcodes that the manual leaves to them, with an expression as their meaning.

use crate::{register_name, Code, Expression, Op};

/// One instruction.
#[derive(Clone, Debug)]
pub struct Custom {
    /// As the disassembly shows it.
    pub name: String,
    /// 0 to 3: custom-0 to custom-3.
    pub opcode: u8,
    /// Bits 12 to 14.
    pub funct3: u8,
    /// Bits 25 to 31 of an instruction with two sources; without it the upper 12 bits are a signed immediate, and there is no rs2.
    pub funct7: Option<u8>,
    /// What goes to rd.
    pub value: Expression,
    /// Cycles until the next instruction.
    pub cycles: u32,
    /// How much later the result can be used.
    pub result_cycles: u32,
}

/// The number of a custom opcode.
pub(crate) fn opcode(bits: u32) -> Option<u8> {
    match bits & 0x7f {
        0x0b => Some(0),
        0x2b => Some(1),
        0x5b => Some(2),
        0x7b => Some(3),
        _ => None,
    }
}

impl Custom {
    /// Whether `bits` are this instruction.
    pub fn is(&self, bits: u32) -> bool {
        opcode(bits) == Some(self.opcode)
            && (bits >> 12 & 7) as u8 == self.funct3
            && self.funct7.is_none_or(|f| (bits >> 25) as u8 == f)
    }

    /// Whether some bits are both this instruction and `other`.
    pub fn meets(&self, other: &Custom) -> bool {
        self.opcode == other.opcode
            && self.funct3 == other.funct3
            && (self.funct7.is_none() || other.funct7.is_none() || self.funct7 == other.funct7)
    }

    /// The instruction as text.
    pub fn text(&self, bits: u32) -> String {
        let register = |shift: u32| register_name((bits >> shift & 31) as u8);
        let (rd, rs1) = (register(7), register(15));
        match self.funct7 {
            Some(_) => format!("{} {rd},{rs1},{}", self.name, register(20)),
            None => format!("{} {rd},{rs1},{}", self.name, bits as i32 >> 20),
        }
    }
}

/// As [`text`](crate::text), with the names of a user's instructions.
pub fn text_with(op: &Op, pc: u32, customs: &[Custom]) -> String {
    let named = (op.code == Code::Custom).then(|| customs.iter().find(|c| c.is(op.imm as u32))).flatten();
    named.map_or_else(|| crate::text(op, pc), |c| c.text(op.imm as u32))
}
