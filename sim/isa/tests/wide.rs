// SPDX-License-Identifier: Apache-2.0
//! The 32-bit encodings, as GNU as 2.40 makes them, and their text.

use isa::{decode, text, Code, IsaSet, Op};

fn set() -> IsaSet {
    "rv32imac_zicsr_zifencei_zicbom_zicbop_zihintpause".parse().unwrap()
}

/// Each operation at address 0.
const TABLE: [(u32, &str); 85] = [
    (0x12345537, "lui a0,0x12345"),
    (0xffffff97, "auipc t6,0xfffff"),
    (0x154000ef, "jal ra,154"),
    (0x8000006f, "j fff00000"),
    (0x7ffff46f, "jal s0,ffffe"),
    (0xffb500e7, "jalr ra,-5(a0)"),
    (0x00008067, "ret"),
    (0x00078067, "jr a5"),
    (0x7eb50fe3, "beq a0,a1,ffe"),
    (0x800f9063, "bne t6,zero,fffff000"),
    (0x2bb54563, "blt a0,s11,2aa"),
    (0xfeb55fe3, "bge a0,a1,fffffffe"),
    (0x00b560e3, "bltu a0,a1,800"),
    (0x02b57063, "bgeu a0,a1,20"),
    (0xfff58503, "lb a0,-1(a1)"),
    (0x7ff59503, "lh a0,2047(a1)"),
    (0x8005a503, "lw a0,-2048(a1)"),
    (0x00014283, "lbu t0,0(sp)"),
    (0x00415283, "lhu t0,4(sp)"),
    (0xfea58fa3, "sb a0,-1(a1)"),
    (0x7fb59fa3, "sh s11,2047(a1)"),
    (0x80afa023, "sw a0,-2048(t6)"),
    (0xffd58513, "addi a0,a1,-3"),
    (0x8005a513, "slti a0,a1,-2048"),
    (0x7ff5b513, "sltiu a0,a1,2047"),
    (0xfff5c513, "xori a0,a1,-1"),
    (0x0015e513, "ori a0,a1,1"),
    (0x0ff5f513, "andi a0,a1,255"),
    (0x01f59513, "slli a0,a1,0x1f"),
    (0x0015d513, "srli a0,a1,0x1"),
    (0x410f5f93, "srai t6,t5,0x10"),
    (0x00c58533, "add a0,a1,a2"),
    (0x40c58533, "sub a0,a1,a2"),
    (0x00c59533, "sll a0,a1,a2"),
    (0x00c5a533, "slt a0,a1,a2"),
    (0x00c5b533, "sltu a0,a1,a2"),
    (0x00c5c533, "xor a0,a1,a2"),
    (0x00c5d533, "srl a0,a1,a2"),
    (0x40c5d533, "sra a0,a1,a2"),
    (0x00c5e533, "or a0,a1,a2"),
    (0x00c5f533, "and a0,a1,a2"),
    (0x02c58533, "mul a0,a1,a2"),
    (0x02c59533, "mulh a0,a1,a2"),
    (0x02c5a533, "mulhsu a0,a1,a2"),
    (0x02c5b533, "mulhu a0,a1,a2"),
    (0x02c5c533, "div a0,a1,a2"),
    (0x02c5d533, "divu a0,a1,a2"),
    (0x02c5e533, "rem a0,a1,a2"),
    (0x02c5f533, "remu a0,a1,a2"),
    (0x1005a52f, "lr.w a0,(a1)"),
    (0x1405a52f, "lr.w a0,(a1)"),
    (0x1ac5a52f, "sc.w a0,a2,(a1)"),
    (0x0ec5a52f, "amoswap.w a0,a2,(a1)"),
    (0x00c5a52f, "amoadd.w a0,a2,(a1)"),
    (0x20c5a52f, "amoxor.w a0,a2,(a1)"),
    (0x60c5a52f, "amoand.w a0,a2,(a1)"),
    (0x40c5a52f, "amoor.w a0,a2,(a1)"),
    (0x80c5a52f, "amomin.w a0,a2,(a1)"),
    (0xa0c5a52f, "amomax.w a0,a2,(a1)"),
    (0xc0c5a52f, "amominu.w a0,a2,(a1)"),
    (0xe0c5a52f, "amomaxu.w a0,a2,(a1)"),
    (0x30059573, "csrrw a0,mstatus,a1"),
    (0xf1402573, "csrrs a0,mhartid,zero"),
    (0x304fb073, "csrrc zero,mie,t6"),
    (0x305fd573, "csrrwi a0,mtvec,31"),
    (0x30046073, "csrrsi zero,mstatus,8"),
    (0x7c00f573, "csrrci a0,0x7c0,1"),
    (0x0ff0000f, "fence iorw,iorw"),
    (0x0310000f, "fence rw,w"),
    (0x0000100f, "fence.i"),
    (0x00000073, "ecall"),
    (0x00100073, "ebreak"),
    (0x30200073, "mret"),
    (0x10500073, "wfi"),
    (0x00000013, "nop"),
    (0xff900513, "li a0,-7"),
    (0x00040513, "mv a0,s0"),
    (0x00008067, "ret"),
    (0x0005200f, "cbo.inval (a0)"),
    (0x0015200f, "cbo.clean (a0)"),
    (0x0025200f, "cbo.flush (a0)"),
    (0x02056013, "prefetch.i 32(a0)"),
    (0x0415e013, "prefetch.r 64(a1)"),
    (0xfe35e013, "prefetch.w -32(a1)"),
    (0x0100000f, "pause"),
];

#[test]
fn each_operation_reads_as_it_was_written() {
    for (bits, expected) in TABLE {
        let op = decode(set(), bits);
        assert_eq!((text(&op, 0).as_str(), op.len), (expected, 4), "{bits:#010x}");
    }
}

#[test]
fn fields_that_an_operation_does_not_have_are_zero() {
    let jal = decode(set(), 0x1540_00ef);
    assert_eq!(jal, Op { code: Code::Jal, rd: 1, imm: 0x154, len: 4, ..Op::default() });
    let store = decode(set(), 0xfea5_8fa3);
    assert_eq!(store, Op { code: Code::Sb, rs1: 11, rs2: 10, imm: -1, len: 4, ..Op::default() });
    let csr = decode(set(), 0x305f_d573);
    assert_eq!(csr, Op { code: Code::Csrrwi, rd: 10, imm: 0x305 | 31 << 16, len: 4, ..Op::default() });
}

#[test]
fn the_bits_of_a_control_register_instruction_come_back() {
    for bits in [0x3005_9573, 0xf140_2573, 0x304f_b073, 0x305f_d573, 0x3004_6073, 0x7c00_f573] {
        assert_eq!(isa::csr_bits(&decode(set(), bits)), bits);
    }
}

#[test]
fn an_absent_extension_is_illegal() {
    let cases = [
        ("m", 0x02c5_8533),
        ("a", 0x1005_a52f),
        ("zicsr", 0x3005_9573),
        ("zifencei", 0x0000_100f),
        ("zicbom", 0x0015_200f),
    ];
    let parts = [IsaSet::M, IsaSet::A, IsaSet::ZICSR, IsaSet::ZIFENCEI, IsaSet::ZICBOM];
    for ((name, bits), part) in cases.into_iter().zip(parts) {
        assert_ne!(decode(set(), bits).code, Code::Illegal, "{name}");
        let op = decode(set().without(part), bits);
        assert_eq!((op.code, op.imm as u32, op.len), (Code::Illegal, bits, 4), "{name}");
    }
    assert_eq!(decode(set().without(IsaSet::ZICBOP), 0x0205_6013).code, Code::Ori, "a hint is what it looks like");
    assert_eq!(decode(set().without(IsaSet::ZIHINTPAUSE), 0x0100_000f).code, Code::Fence);
}

#[test]
fn reserved_encodings_are_illegal() {
    let reserved = [
        (0xffff_ffff, "all ones"),
        (0x0000_1067, "jalr with a function"),
        (0x0000_2063, "branch 2"),
        (0x0000_3063, "branch 3"),
        (0x0000_3003, "load 3"),
        (0x0000_6003, "lwu"),
        (0x0000_3023, "store 3"),
        (0x0205_9513, "slli by 32"),
        (0x8005_d513, "srli with a function"),
        (0x40c5_9533, "sll with a function"),
        (0x0405_8533, "operation 4"),
        (0x1015_a52f, "lr with a second source"),
        (0x0000_b52f, "amo of 8 bytes"),
        (0x2800_252f, "amo 5"),
        (0x0045_200f, "cbo.zero"),
        (0x0005_250f, "cbo with a result"),
        (0x0000_300f, "fence 3"),
        (0x0000_4073, "system 4"),
        (0x0020_0073, "uret"),
        (0x1020_0073, "sret"),
        (0x1200_0073, "sfence.vma"),
        (0x3020_00f3, "mret with a result"),
        (0x0000_007f, "longer than 32 bits"),
        (0x0000_0053, "floating point"),
    ];
    for (bits, what) in reserved {
        let op = decode(set(), bits);
        assert_eq!((op.code, op.imm as u32, op.len), (Code::Illegal, bits, 4), "{what}");
    }
}

#[test]
fn immediates_keep_every_bit() {
    // Walking ones through the immediate of a branch, a jump, a store and a load.
    for bit in 1..12 {
        let v = 1u32 << bit;
        let b = (v >> 5 & 63) << 25 | (v >> 1 & 15) << 8 | (v >> 11 & 1) << 7 | 0x63;
        assert_eq!(decode(set(), b).imm, v as i32, "branch bit {bit}");
    }
    for bit in 1..20 {
        let v = 1u32 << bit;
        let j = (v >> 1 & 0x3ff) << 21 | (v >> 11 & 1) << 20 | (v >> 12 & 0xff) << 12 | 0x6f;
        assert_eq!(decode(set(), j).imm, v as i32, "jump bit {bit}");
    }
    for bit in 0..11 {
        let v = 1u32 << bit;
        assert_eq!(decode(set(), (v >> 5) << 25 | (v & 31) << 7 | 0x2023).imm, v as i32, "store bit {bit}");
        assert_eq!(decode(set(), v << 20 | 0x2003).imm, v as i32, "load bit {bit}");
    }
}

#[test]
fn any_word_decodes() {
    // Every opcode, function and 7-bit function with a few registers.
    let mut legal = 0;
    for opcode in (3..128).step_by(4) {
        for funct3 in 0..8 {
            for funct7 in 0..128 {
                for (rd, rs1, rs2) in [(0, 0, 0), (1, 2, 3), (31, 31, 31)] {
                    let bits = funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
                    let op = decode(set(), bits);
                    assert!(op.len == 4 && op.rd < 32 && op.rs1 < 32 && op.rs2 < 32);
                    assert!(!text(&op, 0).is_empty());
                    legal += u32::from(op.code != Code::Illegal);
                }
            }
        }
    }
    // lui, auipc, jal: all; jalr 1, branches 6, loads 5, stores 3 of 8 functions; immediates 6 of 8 and 3 shifts;
    // 10 + 8 register operations; fence and fence.i, one cbo (rd 0) ; atomics 11 by 4 orderings, lr with rs2 0 only;
    // ecall; control registers 6 of 8.
    let functions = 128 * 3;
    let atomics = 4 * (10 * 3 + 1);
    assert_eq!(
        legal,
        3 * 8 * functions
            + (1 + 6 + 5 + 3 + 6) * functions
            + 3 * 3
            + 18 * 3
            + 2 * functions
            + 1
            + atomics
            + 1
            + 6 * functions
    );
}
