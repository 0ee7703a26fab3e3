// SPDX-License-Identifier: Apache-2.0
//! The 32-bit encodings.
//!
//! Fields that the manual reserves for later use and tells a core to ignore (all of fence and fence.i except the
//! opcode) are ignored; every other reserved value is illegal.

use crate::{compressed, Code, IsaSet, Op, FLOAT};

/// Decode the instruction whose first two bytes are the low half of `bits`. The upper half is ignored when
/// the lower half is a whole instruction.
pub fn decode(set: IsaSet, bits: u32) -> Op {
    if bits & 3 != 3 {
        let half = bits as u16;
        if !set.has(IsaSet::C) {
            return illegal(u32::from(half), 2);
        }
        return compressed::decode(set, half);
    }
    let op = wide(set, bits);
    if op.code == Code::Illegal {
        illegal(bits, 4)
    } else {
        op
    }
}

/// An encoding that means nothing.
pub(crate) fn illegal(bits: u32, len: u8) -> Op {
    Op { imm: bits as i32, len, ..Op::default() }
}

fn reg(bits: u32, shift: u32) -> u8 {
    ((bits >> shift) & 31) as u8
}

fn i_imm(b: u32) -> i32 {
    (b as i32) >> 20
}

fn s_imm(b: u32) -> i32 {
    ((b as i32) >> 25 << 5) | ((b >> 7) & 31) as i32
}

fn b_imm(b: u32) -> i32 {
    ((b as i32) >> 31 << 12) | (((b >> 7) & 1) << 11 | ((b >> 25) & 63) << 5 | ((b >> 8) & 15) << 1) as i32
}

fn u_imm(b: u32) -> i32 {
    (b & 0xffff_f000) as i32
}

fn j_imm(b: u32) -> i32 {
    ((b as i32) >> 31 << 20) | (b & 0x000f_f000 | ((b >> 20) & 1) << 11 | ((b >> 21) & 0x3ff) << 1) as i32
}

fn wide(set: IsaSet, b: u32) -> Op {
    let (rd, rs1, rs2) = (reg(b, 7), reg(b, 15), reg(b, 20));
    let funct3 = (b >> 12) & 7;
    let none = Op { len: 4, ..Op::default() };
    let itype = |code| Op { code, rd, rs1, imm: i_imm(b), ..none };
    match b & 0x7f {
        0x37 => Op { code: Code::Lui, rd, imm: u_imm(b), ..none },
        0x17 => Op { code: Code::Auipc, rd, imm: u_imm(b), ..none },
        0x6f => Op { code: Code::Jal, rd, imm: j_imm(b), ..none },
        0x67 if funct3 == 0 => itype(Code::Jalr),
        0x63 => {
            let code =
                [Code::Beq, Code::Bne, Code::Illegal, Code::Illegal, Code::Blt, Code::Bge, Code::Bltu, Code::Bgeu]
                    [funct3 as usize];
            Op { code, rs1, rs2, imm: b_imm(b), ..none }
        }
        0x03 => {
            let code = match funct3 {
                0 => Code::Lb,
                1 => Code::Lh,
                2 => Code::Lw,
                4 => Code::Lbu,
                5 => Code::Lhu,
                _ => Code::Illegal,
            };
            itype(code)
        }
        0x23 => {
            let code = match funct3 {
                0 => Code::Sb,
                1 => Code::Sh,
                2 => Code::Sw,
                _ => Code::Illegal,
            };
            Op { code, rs1, rs2, imm: s_imm(b), ..none }
        }
        0x13 => op_imm(set, b, none),
        0x33 => Op { code: op_code(set, b), rd, rs1, rs2, ..none },
        0x0f => misc_mem(set, b, none),
        0x73 => system(set, b, none),
        0x2f if funct3 == 2 && set.has(IsaSet::A) => {
            let code = match b >> 27 {
                0b00010 if rs2 == 0 => Code::LrW,
                0b00011 => Code::ScW,
                0b00001 => Code::AmoSwap,
                0b00000 => Code::AmoAdd,
                0b00100 => Code::AmoXor,
                0b01100 => Code::AmoAnd,
                0b01000 => Code::AmoOr,
                0b10000 => Code::AmoMin,
                0b10100 => Code::AmoMax,
                0b11000 => Code::AmoMinu,
                0b11100 => Code::AmoMaxu,
                _ => Code::Illegal,
            };
            Op { code, rd, rs1, rs2, ..none }
        }
        0x07 | 0x27 | 0x43 | 0x47 | 0x4b | 0x4f | 0x53 if set.has(IsaSet::F) => float(b, none),
        // Which of them exist, and what they read, is known where they are executed.
        0x0b | 0x2b | 0x5b | 0x7b if set.has(IsaSet::CUSTOM) => Op { code: Code::Custom, rd, imm: b as i32, ..none },
        _ => none,
    }
}

/// The encodings of the F extension.
fn float(b: u32, none: Op) -> Op {
    let (rd, rs1, rs2) = (reg(b, 7), reg(b, 15), reg(b, 20));
    let (fd, f1, f2) = (rd | FLOAT, rs1 | FLOAT, rs2 | FLOAT);
    let mode = (b >> 12) & 7;
    match b & 0x7f {
        0x07 if mode == 2 => return Op { code: Code::Flw, rd: fd, rs1, imm: i_imm(b), ..none },
        0x27 if mode == 2 => return Op { code: Code::Fsw, rs1, rs2: f2, imm: s_imm(b), ..none },
        0x07 | 0x27 => return none,
        _ => {}
    }
    let rounds = matches!(mode, 0..=4 | 7);
    let imm = mode as i32;
    let op = b & 0x7f;
    if op != 0x53 {
        // Single precision only.
        if !rounds || (b >> 25) & 3 != 0 {
            return none;
        }
        let code = [Code::FmaddS, Code::FmsubS, Code::FnmsubS, Code::FnmaddS][((op >> 2) & 3) as usize];
        return Op { code, rd: fd, rs1: f1, rs2: f2, imm: imm | i32::from(reg(b, 27)) << 8, ..none };
    }
    let (code, rd, rs1, rs2, legal) = match (b >> 25, rs2) {
        (0x00, _) => (Code::FaddS, fd, f1, f2, rounds),
        (0x04, _) => (Code::FsubS, fd, f1, f2, rounds),
        (0x08, _) => (Code::FmulS, fd, f1, f2, rounds),
        (0x0c, _) => (Code::FdivS, fd, f1, f2, rounds),
        (0x2c, 0) => (Code::FsqrtS, fd, f1, 0, rounds),
        (0x10, _) => {
            let code = [Code::FsgnjS, Code::FsgnjnS, Code::FsgnjxS][mode.min(2) as usize];
            (code, fd, f1, f2, mode < 3)
        }
        (0x14, _) => ([Code::FminS, Code::FmaxS][(mode & 1) as usize], fd, f1, f2, mode < 2),
        (0x50, _) => ([Code::FleS, Code::FltS, Code::FeqS][mode.min(2) as usize], rd, f1, f2, mode < 3),
        (0x60, 0) => (Code::FcvtWS, rd, f1, 0, rounds),
        (0x60, 1) => (Code::FcvtWuS, rd, f1, 0, rounds),
        (0x68, 0) => (Code::FcvtSW, fd, rs1, 0, rounds),
        (0x68, 1) => (Code::FcvtSWu, fd, rs1, 0, rounds),
        (0x70, 0) if mode == 1 => (Code::FclassS, rd, f1, 0, true),
        (0x70, 0) => (Code::FmvXW, rd, f1, 0, mode == 0),
        (0x78, 0) => (Code::FmvWX, fd, rs1, 0, mode == 0),
        _ => return none,
    };
    if legal {
        Op { code, rd, rs1, rs2, imm, ..none }
    } else {
        none
    }
}

fn op_imm(set: IsaSet, b: u32, none: Op) -> Op {
    let (rd, rs1) = (reg(b, 7), reg(b, 15));
    let imm = i_imm(b);
    let shamt = i32::from(reg(b, 20));
    let (code, imm) = match ((b >> 12) & 7, b >> 25) {
        (0, _) => (Code::Addi, imm),
        (1, 0x00) => (Code::Slli, shamt),
        (2, _) => (Code::Slti, imm),
        (3, _) => (Code::Sltiu, imm),
        (4, _) => (Code::Xori, imm),
        (5, 0x00) => (Code::Srli, shamt),
        (5, 0x20) => (Code::Srai, shamt),
        (6, _) => {
            if rd == 0 && set.has(IsaSet::ZICBOP) && matches!(imm & 31, 0 | 1 | 3) {
                return Op { code: Code::Prefetch, rs1, imm, ..none };
            }
            (Code::Ori, imm)
        }
        (7, _) => (Code::Andi, imm),
        _ => (Code::Illegal, 0),
    };
    Op { code, rd, rs1, imm, ..none }
}

fn op_code(set: IsaSet, b: u32) -> Code {
    const PLAIN: [Code; 8] = [Code::Add, Code::Sll, Code::Slt, Code::Sltu, Code::Xor, Code::Srl, Code::Or, Code::And];
    const MULDIV: [Code; 8] =
        [Code::Mul, Code::Mulh, Code::Mulhsu, Code::Mulhu, Code::Div, Code::Divu, Code::Rem, Code::Remu];
    let funct3 = ((b >> 12) & 7) as usize;
    match (b >> 25, funct3) {
        (0x00, _) => PLAIN[funct3],
        (0x20, 0) => Code::Sub,
        (0x20, 5) => Code::Sra,
        (0x01, _) if set.has(IsaSet::M) => MULDIV[funct3],
        _ => Code::Illegal,
    }
}

fn misc_mem(set: IsaSet, b: u32, none: Op) -> Op {
    let (rd, rs1) = (reg(b, 7), reg(b, 15));
    match (b >> 12) & 7 {
        0 if b == 0x0100_000f && set.has(IsaSet::ZIHINTPAUSE) => Op { code: Code::Pause, ..none },
        0 => Op { code: Code::Fence, imm: ((b >> 20) & 0xff) as i32, ..none },
        1 if set.has(IsaSet::ZIFENCEI) => Op { code: Code::FenceI, ..none },
        2 if rd == 0 && set.has(IsaSet::ZICBOM) => {
            let code = match b >> 20 {
                0 => Code::CboInval,
                1 => Code::CboClean,
                2 => Code::CboFlush,
                _ => Code::Illegal,
            };
            Op { code, rs1, ..none }
        }
        _ => none,
    }
}

fn system(set: IsaSet, b: u32, none: Op) -> Op {
    let funct3 = (b >> 12) & 7;
    if funct3 == 0 {
        let code = match b {
            0x0000_0073 => Code::Ecall,
            0x0010_0073 => Code::Ebreak,
            crate::MRET => Code::Mret,
            crate::WFI => Code::Wfi,
            _ => Code::Illegal,
        };
        return Op { code, ..none };
    }
    if !set.has(IsaSet::ZICSR) || funct3 == 4 {
        return none;
    }
    let rd = reg(b, 7);
    let csr = (b >> 20) as i32;
    let code = match funct3 {
        1 => Code::Csrrw,
        2 => Code::Csrrs,
        3 => Code::Csrrc,
        5 => Code::Csrrwi,
        6 => Code::Csrrsi,
        _ => Code::Csrrci,
    };
    if funct3 < 4 {
        Op { code, rd, rs1: reg(b, 15), imm: csr, ..none }
    } else {
        Op { code, rd, imm: csr | i32::from(reg(b, 15)) << 16, ..none }
    }
}
