// SPDX-License-Identifier: Apache-2.0
//! The 16-bit encodings of RV32C, and with F those of Zcf. Each is the 32-bit operation that it abbreviates.
//!
//! Hints (a result in x0, a shift by 0, an addition of 0) are the operation they look like, which changes nothing.

use crate::decode::illegal;
use crate::{Code, IsaSet, Op, FLOAT};

/// One of the eight registers x8 to x15.
fn short(h: u32, shift: u32) -> u8 {
    ((h >> shift) & 7) as u8 + 8
}

/// The bits `hi..=lo` of `h`, placed at `to`.
fn place(h: u32, hi: u32, lo: u32, to: u32) -> u32 {
    ((h >> lo) & ((1 << (hi - lo + 1)) - 1)) << to
}

fn sign(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}

/// The 6-bit immediate of c.addi and its relatives.
fn imm6(h: u32) -> i32 {
    sign(place(h, 12, 12, 5) | place(h, 6, 2, 0), 6)
}

/// The target offset of c.j and c.jal.
fn jump(h: u32) -> i32 {
    let v = place(h, 12, 12, 11)
        | place(h, 11, 11, 4)
        | place(h, 10, 9, 8)
        | place(h, 8, 8, 10)
        | place(h, 7, 7, 6)
        | place(h, 6, 6, 7)
        | place(h, 5, 3, 1)
        | place(h, 2, 2, 5);
    sign(v, 12)
}

/// The target offset of c.beqz and c.bnez.
fn branch(h: u32) -> i32 {
    let v = place(h, 12, 12, 8) | place(h, 11, 10, 3) | place(h, 6, 5, 6) | place(h, 4, 3, 1) | place(h, 2, 2, 5);
    sign(v, 9)
}

/// The offset of c.lw and c.sw.
fn word_offset(h: u32) -> i32 {
    (place(h, 12, 10, 3) | place(h, 6, 6, 2) | place(h, 5, 5, 6)) as i32
}

pub(crate) fn decode(set: IsaSet, half: u16) -> Op {
    let h = u32::from(half);
    let float = set.has(IsaSet::F);
    let op = match h & 3 {
        0 => quadrant0(h, float),
        1 => quadrant1(h),
        _ => quadrant2(h, float),
    };
    match op {
        Some(op) => Op { len: 2, ..op },
        None => illegal(h, 2),
    }
}

fn quadrant0(h: u32, float: bool) -> Option<Op> {
    let (rd, rs1) = (short(h, 2), short(h, 7));
    match h >> 13 {
        0 => {
            let imm = place(h, 12, 11, 4) | place(h, 10, 7, 6) | place(h, 6, 6, 2) | place(h, 5, 5, 3);
            (imm != 0).then(|| Op { code: Code::Addi, rd, rs1: 2, imm: imm as i32, ..Op::default() })
        }
        2 => Some(Op { code: Code::Lw, rd, rs1, imm: word_offset(h), ..Op::default() }),
        3 if float => Some(Op { code: Code::Flw, rd: rd | FLOAT, rs1, imm: word_offset(h), ..Op::default() }),
        6 => Some(Op { code: Code::Sw, rs1, rs2: rd, imm: word_offset(h), ..Op::default() }),
        7 if float => Some(Op { code: Code::Fsw, rs1, rs2: rd | FLOAT, imm: word_offset(h), ..Op::default() }),
        _ => None,
    }
}

fn quadrant1(h: u32) -> Option<Op> {
    let rd = ((h >> 7) & 31) as u8;
    let some = Op::default();
    match h >> 13 {
        0 => Some(Op { code: Code::Addi, rd, rs1: rd, imm: imm6(h), ..some }),
        1 => Some(Op { code: Code::Jal, rd: 1, imm: jump(h), ..some }),
        2 => Some(Op { code: Code::Addi, rd, imm: imm6(h), ..some }),
        3 if imm6(h) == 0 => None,
        3 if rd == 2 => {
            let v = place(h, 12, 12, 9) | place(h, 6, 6, 4) | place(h, 5, 5, 6) | place(h, 4, 3, 7) | place(h, 2, 2, 5);
            Some(Op { code: Code::Addi, rd, rs1: rd, imm: sign(v, 10), ..some })
        }
        3 => Some(Op { code: Code::Lui, rd, imm: imm6(h) << 12, ..some }),
        4 => arithmetic(h),
        5 => Some(Op { code: Code::Jal, imm: jump(h), ..some }),
        6 => Some(Op { code: Code::Beq, rs1: short(h, 7), imm: branch(h), ..some }),
        _ => Some(Op { code: Code::Bne, rs1: short(h, 7), imm: branch(h), ..some }),
    }
}

fn arithmetic(h: u32) -> Option<Op> {
    let rd = short(h, 7);
    let top = h & (1 << 12) != 0;
    let shamt = ((h >> 2) & 31) as i32;
    let some = Op { rd, rs1: rd, ..Op::default() };
    match (h >> 10) & 3 {
        // A sixth bit of the shift amount is for wider registers.
        0 => (!top).then_some(Op { code: Code::Srli, imm: shamt, ..some }),
        1 => (!top).then_some(Op { code: Code::Srai, imm: shamt, ..some }),
        2 => Some(Op { code: Code::Andi, imm: imm6(h), ..some }),
        _ => {
            let code = [Code::Sub, Code::Xor, Code::Or, Code::And][((h >> 5) & 3) as usize];
            (!top).then_some(Op { code, rs2: short(h, 2), ..some })
        }
    }
}

fn quadrant2(h: u32, float: bool) -> Option<Op> {
    let rd = ((h >> 7) & 31) as u8;
    let rs2 = ((h >> 2) & 31) as u8;
    let top = h & (1 << 12) != 0;
    let some = Op::default();
    match h >> 13 {
        0 => (!top).then_some(Op { code: Code::Slli, rd, rs1: rd, imm: i32::from(rs2), ..some }),
        2 | 3 => {
            let imm = (place(h, 12, 12, 5) | place(h, 6, 4, 2) | place(h, 3, 2, 6)) as i32;
            if h >> 13 == 3 {
                return float.then_some(Op { code: Code::Flw, rd: rd | FLOAT, rs1: 2, imm, ..some });
            }
            (rd != 0).then_some(Op { code: Code::Lw, rd, rs1: 2, imm, ..some })
        }
        4 => match (top, rd, rs2) {
            (false, 0, 0) => None,
            (false, _, 0) => Some(Op { code: Code::Jalr, rs1: rd, ..some }),
            (false, _, _) => Some(Op { code: Code::Add, rd, rs2, ..some }),
            (true, 0, 0) => Some(Op { code: Code::Ebreak, ..some }),
            (true, _, 0) => Some(Op { code: Code::Jalr, rd: 1, rs1: rd, ..some }),
            (true, _, _) => Some(Op { code: Code::Add, rd, rs1: rd, rs2, ..some }),
        },
        6 | 7 => {
            let imm = (place(h, 12, 9, 2) | place(h, 8, 7, 6)) as i32;
            if h >> 13 == 7 {
                return float.then_some(Op { code: Code::Fsw, rs1: 2, rs2: rs2 | FLOAT, imm, ..some });
            }
            Some(Op { code: Code::Sw, rs1: 2, rs2, imm, ..some })
        }
        _ => None,
    }
}
