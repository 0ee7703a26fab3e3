// SPDX-License-Identifier: Apache-2.0
//! RV32 instructions: what a pattern of bits means under a set of extensions, and how it is written down.
//!
//! A compressed instruction decodes to the operation that it abbreviates, so whoever executes has one list of
//! operations. What an encoding means depends on the extensions alone; everything they do not define is
//! [`Code::Illegal`], the all-zero halfword included. So is a floating-point operation with a reserved rounding mode.
//!
//! Deliberately lacks: time, memory, registers, privilege, and the meaning of a control register.

mod compressed;
mod custom;
mod decode;
mod expression;
mod set;
mod text;

pub use custom::{text_with, Custom};
pub use decode::decode;
pub use expression::{Expression, ExpressionError};
pub use set::{IsaError, IsaSet};
pub use text::{csr_name, register_name, text};

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug, Default)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Code {
    /// Not an instruction under this set; `imm` holds the bits.
    #[default]
    Illegal,
    Lui,
    Auipc,
    Jal,
    Jalr,
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    Lb,
    Lh,
    Lw,
    Lbu,
    Lhu,
    Sb,
    Sh,
    Sw,
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
    Div,
    Divu,
    Rem,
    Remu,
    LrW,
    ScW,
    AmoSwap,
    AmoAdd,
    AmoXor,
    AmoAnd,
    AmoOr,
    AmoMin,
    AmoMax,
    AmoMinu,
    AmoMaxu,
    /// `imm` is the number of the control register, in all six.
    Csrrw,
    Csrrs,
    Csrrc,
    /// The immediate forms have the 5-bit constant in bits 16 to 20 of `imm`.
    Csrrwi,
    Csrrsi,
    Csrrci,
    Fence,
    FenceI,
    Pause,
    Ecall,
    Ebreak,
    Mret,
    Wfi,
    CboInval,
    CboClean,
    CboFlush,
    /// Zicbop hint; the low five bits of `imm` are 0 for instructions, 1 for reading, 3 for writing, the rest is the offset.
    Prefetch,
    /// Of floating-point operations a register number of 64 and more is one of the floating-point registers, the low three
    /// bits of `imm` are the rounding mode, and bits 8 to 12 the third source.
    FaddS,
    FsubS,
    FmulS,
    FdivS,
    FsqrtS,
    FmaddS,
    FmsubS,
    FnmsubS,
    FnmaddS,
    FsgnjS,
    FsgnjnS,
    FsgnjxS,
    FminS,
    FmaxS,
    FeqS,
    FltS,
    FleS,
    FclassS,
    FcvtWS,
    FcvtWuS,
    FcvtSW,
    FcvtSWu,
    FmvXW,
    FmvWX,
    /// `imm` is the offset, here and in the next.
    Flw,
    Fsw,
    /// An instruction in a custom opcode, which a user may have defined; `imm` holds the bits.
    Custom,
}

/// Added to the number of a floating-point register.
pub const FLOAT: u8 = 64;

/// One decoded instruction. Fields that an operation does not have are zero.
///
/// Registers 0 to 31 are the integer ones, [`FLOAT`] and up the floating-point ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Op {
    /// Immediate, offset, or what [`Code`] says.
    pub imm: i32,
    /// What it does.
    pub code: Code,
    /// Destination register.
    pub rd: u8,
    /// First source register.
    pub rs1: u8,
    /// Second source register.
    pub rs2: u8,
    /// Bytes: 2 or 4.
    pub len: u8,
}

/// Bytes of the instruction that begins with this halfword: 2 or 4.
#[inline]
pub fn length(low: u16) -> u8 {
    if low & 3 == 3 {
        4
    } else {
        2
    }
}

/// The bits of mret.
pub const MRET: u32 = 0x3020_0073;
/// The bits of wfi.
pub const WFI: u32 = 0x1050_0073;

/// The bits of a decoded cbo instruction.
pub fn block_bits(op: &Op) -> u32 {
    let kind = match op.code {
        Code::CboInval => 0,
        Code::CboClean => 1,
        _ => 2,
    };
    kind << 20 | u32::from(op.rs1) << 15 | 2 << 12 | 0x0f
}

/// The bits of a decoded control register instruction.
pub fn csr_bits(op: &Op) -> u32 {
    let funct3 = match op.code {
        Code::Csrrw => 1,
        Code::Csrrs => 2,
        Code::Csrrc => 3,
        Code::Csrrwi => 5,
        Code::Csrrsi => 6,
        _ => 7,
    };
    let source = if funct3 < 4 { u32::from(op.rs1) } else { (op.imm as u32 >> 16) & 31 };
    (op.imm as u32 & 0xfff) << 20 | source << 15 | funct3 << 12 | u32::from(op.rd & 31) << 7 | 0x73
}
