// SPDX-License-Identifier: Apache-2.0
//! Instructions as words, for programs that a test writes down.
#![allow(dead_code)]

fn r(funct7: u32, rs2: u32, rs1: u32, funct3: u32, rd: u32, opcode: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn i(imm: i32, rs1: u32, funct3: u32, rd: u32, opcode: u32) -> u32 {
    (imm as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn s(imm: i32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    let v = imm as u32;
    (v >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (v & 31) << 7 | 0x23
}

pub fn branch(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let v = offset as u32;
    (v >> 12 & 1) << 31
        | (v >> 5 & 63) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | (v >> 1 & 15) << 8
        | (v >> 11 & 1) << 7
        | 0x63
}

pub fn jal(rd: u32, offset: i32) -> u32 {
    let v = offset as u32;
    (v >> 20 & 1) << 31 | (v >> 1 & 0x3ff) << 21 | (v >> 11 & 1) << 20 | (v >> 12 & 0xff) << 12 | rd << 7 | 0x6f
}

pub const NOP: u32 = 0x0000_0013;
pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const MRET: u32 = 0x3020_0073;
pub const WFI: u32 = 0x1050_0073;
pub const FENCE: u32 = 0x0ff0_000f;
pub const FENCE_I: u32 = 0x0000_100f;

pub fn jalr(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(imm, rs1, 0, rd, 0x67)
}
pub fn beq(a: u32, b: u32, offset: i32) -> u32 {
    branch(0, a, b, offset)
}
pub fn bne(a: u32, b: u32, offset: i32) -> u32 {
    branch(1, a, b, offset)
}
pub fn lui(rd: u32, upper: u32) -> u32 {
    upper & 0xffff_f000 | rd << 7 | 0x37
}
pub fn auipc(rd: u32, upper: u32) -> u32 {
    upper & 0xffff_f000 | rd << 7 | 0x17
}
pub fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(imm, rs1, 0, rd, 0x13)
}
pub fn xori(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(imm, rs1, 4, rd, 0x13)
}
pub fn slli(rd: u32, rs1: u32, n: i32) -> u32 {
    i(n, rs1, 1, rd, 0x13)
}
pub fn srli(rd: u32, rs1: u32, n: i32) -> u32 {
    i(n, rs1, 5, rd, 0x13)
}
pub fn andi(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(imm, rs1, 7, rd, 0x13)
}
/// Any register-register operation: funct7 0 plain, 32 alternate, 1 multiply and divide.
pub fn op(funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(funct7, rs2, rs1, funct3, rd, 0x33)
}
pub fn add(rd: u32, rs1: u32, rs2: u32) -> u32 {
    op(0, 0, rd, rs1, rs2)
}
pub fn mul(rd: u32, rs1: u32, rs2: u32) -> u32 {
    op(1, 0, rd, rs1, rs2)
}
pub fn divu(rd: u32, rs1: u32, rs2: u32) -> u32 {
    op(1, 5, rd, rs1, rs2)
}
pub fn load(funct3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    i(imm, rs1, funct3, rd, 0x03)
}
pub fn store(funct3: u32, rs2: u32, rs1: u32, imm: i32) -> u32 {
    s(imm, rs2, rs1, funct3)
}
pub fn lw(rd: u32, rs1: u32, imm: i32) -> u32 {
    load(2, rd, rs1, imm)
}
pub fn sw(rs2: u32, rs1: u32, imm: i32) -> u32 {
    store(2, rs2, rs1, imm)
}
pub fn csrrw(rd: u32, csr: u32, rs1: u32) -> u32 {
    csr << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x73
}
pub fn csrrs(rd: u32, csr: u32, rs1: u32) -> u32 {
    csr << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x73
}
pub fn csrrwi(rd: u32, csr: u32, value: u32) -> u32 {
    csr << 20 | value << 15 | 5 << 12 | rd << 7 | 0x73
}
pub fn csrrsi(rd: u32, csr: u32, value: u32) -> u32 {
    csr << 20 | value << 15 | 6 << 12 | rd << 7 | 0x73
}
pub fn csrrci(rd: u32, csr: u32, value: u32) -> u32 {
    csr << 20 | value << 15 | 7 << 12 | rd << 7 | 0x73
}
pub fn amo(funct5: u32, rd: u32, rs2: u32, rs1: u32) -> u32 {
    r(funct5 << 2, rs2, rs1, 2, rd, 0x2f)
}
/// `kind`: 0 inval, 1 clean, 2 flush.
pub fn cbo(kind: u32, rs1: u32) -> u32 {
    kind << 20 | rs1 << 15 | 2 << 12 | 0x0f
}
/// `kind`: 0 instructions, 1 read, 3 write; the offset is a multiple of 32.
pub fn prefetch(kind: u32, rs1: u32, offset: i32) -> u32 {
    i(offset & !31 | kind as i32, rs1, 6, 0, 0x13)
}
/// A floating-point operation with its rounding mode or function.
pub fn fop(funct7: u32, rm: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(funct7, rs2, rs1, rm, rd, 0x53)
}
/// Multiply and add: 0 fmadd, 1 fmsub, 2 fnmsub, 3 fnmadd.
pub fn fma(kind: u32, rm: u32, rd: u32, rs1: u32, rs2: u32, rs3: u32) -> u32 {
    rs3 << 27 | rs2 << 20 | rs1 << 15 | rm << 12 | rd << 7 | kind << 2 | 0x43
}
pub fn flw(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(imm, rs1, 2, rd, 0x07)
}
pub fn fsw(rs2: u32, rs1: u32, imm: i32) -> u32 {
    s(imm, rs2, rs1, 2) | 0x04
}
/// From an integer register.
pub fn fmv_w_x(rd: u32, rs1: u32) -> u32 {
    fop(0x78, 0, rd, rs1, 0)
}
/// To an integer register.
pub fn fmv_x_w(rd: u32, rs1: u32) -> u32 {
    fop(0x70, 0, rd, rs1, 0)
}
