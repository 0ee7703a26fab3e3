// SPDX-License-Identifier: Apache-2.0
//! Compressed instructions against the 32-bit instructions that they abbreviate, both as GNU as 2.40 encodes them.

use isa::{decode, length, Code, IsaSet};

fn set() -> IsaSet {
    "rv32imac_zicsr_zifencei_zicbom_zicbop".parse().unwrap()
}

/// (compressed, the same without compression)
const TABLE: [(u16, u32); 128] = [
    (0x0048, 0x00410513), // c.addi4spn a0,sp,4
    (0x1fe0, 0x3fc10413), // c.addi4spn s0,sp,1020
    (0x009c, 0x04010793), // c.addi4spn a5,sp,64
    (0x0024, 0x00810493), // c.addi4spn s1,sp,8
    (0x040c, 0x20010593), // c.addi4spn a1,sp,512
    (0x01d0, 0x0c410613), // c.addi4spn a2,sp,196
    (0x4188, 0x0005a503), // c.lw a0,0(a1)
    (0xc188, 0x00a5a023), // c.sw a0,0(a1)
    (0x5fe0, 0x07c7a403), // c.lw s0,124(a5)
    (0xdfe0, 0x0687ae23), // c.sw s0,124(a5)
    (0x40b4, 0x0404a683), // c.lw a3,64(s1)
    (0xc0b4, 0x04d4a023), // c.sw a3,64(s1)
    (0x4258, 0x00462703), // c.lw a4,4(a2)
    (0xc258, 0x00e62223), // c.sw a4,4(a2)
    (0x471c, 0x00872783), // c.lw a5,8(a4)
    (0xc71c, 0x00f72423), // c.sw a5,8(a4)
    (0x0001, 0x00000013), // c.nop
    (0x0505, 0x00150513), // c.addi a0,1
    (0x4505, 0x00100513), // c.li a0,1
    (0x0ffd, 0x01ff8f93), // c.addi t6,31
    (0x4ffd, 0x01f00f93), // c.li t6,31
    (0x1081, 0xfe008093), // c.addi ra,-32
    (0x5081, 0xfe000093), // c.li ra,-32
    (0x147d, 0xfff40413), // c.addi s0,-1
    (0x547d, 0xfff00413), // c.li s0,-1
    (0x4e01, 0x00000e13), // c.li t3,0
    (0xa001, 0x0000006f), // c.j .+0
    (0x2001, 0x000000ef), // c.jal .+0
    (0xa009, 0x0020006f), // c.j .+2
    (0x2009, 0x002000ef), // c.jal .+2
    (0xbffd, 0xfffff06f), // c.j .-2
    (0x3ffd, 0xfffff0ef), // c.jal .-2
    (0xaffd, 0x7fe0006f), // c.j .+2046
    (0x2ffd, 0x7fe000ef), // c.jal .+2046
    (0xb001, 0x801ff06f), // c.j .-2048
    (0x3001, 0x801ff0ef), // c.jal .-2048
    (0xaa91, 0x1540006f), // c.j .+340
    (0x2a91, 0x154000ef), // c.jal .+340
    (0xbb91, 0xd55ff06f), // c.j .-684
    (0x3b91, 0xd55ff0ef), // c.jal .-684
    (0xa801, 0x0100006f), // c.j .+16
    (0x2801, 0x010000ef), // c.jal .+16
    (0xa005, 0x0200006f), // c.j .+32
    (0x2005, 0x020000ef), // c.jal .+32
    (0xa081, 0x0400006f), // c.j .+64
    (0x2081, 0x040000ef), // c.jal .+64
    (0xa041, 0x0800006f), // c.j .+128
    (0x2041, 0x080000ef), // c.jal .+128
    (0xa201, 0x1000006f), // c.j .+256
    (0x2201, 0x100000ef), // c.jal .+256
    (0xa401, 0x2000006f), // c.j .+512
    (0x2401, 0x200000ef), // c.jal .+512
    (0xa101, 0x4000006f), // c.j .+1024
    (0x2101, 0x400000ef), // c.jal .+1024
    (0x6141, 0x01010113), // c.addi16sp sp,16
    (0x717d, 0xff010113), // c.addi16sp sp,-16
    (0x7101, 0xe0010113), // c.addi16sp sp,-512
    (0x617d, 0x1f010113), // c.addi16sp sp,496
    (0x6105, 0x02010113), // c.addi16sp sp,32
    (0x6121, 0x04010113), // c.addi16sp sp,64
    (0x6109, 0x08010113), // c.addi16sp sp,128
    (0x6111, 0x10010113), // c.addi16sp sp,256
    (0x6505, 0x00001537), // c.lui a0,1
    (0x6ffd, 0x0001ffb7), // c.lui t6,31
    (0x7081, 0xfffe00b7), // c.lui ra,1048544
    (0x747d, 0xfffff437), // c.lui s0,1048575
    (0x8105, 0x00155513), // c.srli a0,1
    (0x8505, 0x40155513), // c.srai a0,1
    (0x807d, 0x01f45413), // c.srli s0,31
    (0x847d, 0x41f45413), // c.srai s0,31
    (0x83c1, 0x0107d793), // c.srli a5,16
    (0x87c1, 0x4107d793), // c.srai a5,16
    (0x8905, 0x00157513), // c.andi a0,1
    (0x9801, 0xfe047413), // c.andi s0,-32
    (0x8bfd, 0x01f7f793), // c.andi a5,31
    (0x8d1d, 0x40f50533), // c.sub a0,a5
    (0x8d3d, 0x00f54533), // c.xor a0,a5
    (0x8d5d, 0x00f56533), // c.or a0,a5
    (0x8d7d, 0x00f57533), // c.and a0,a5
    (0x8c05, 0x40940433), // c.sub s0,s1
    (0x8c25, 0x00944433), // c.xor s0,s1
    (0x8c45, 0x00946433), // c.or s0,s1
    (0x8c65, 0x00947433), // c.and s0,s1
    (0xc101, 0x00050063), // c.beqz a0,.+0
    (0xe081, 0x00049063), // c.bnez s1,.+0
    (0xc109, 0x00050163), // c.beqz a0,.+2
    (0xe089, 0x00049163), // c.bnez s1,.+2
    (0xdd7d, 0xfe050fe3), // c.beqz a0,.-2
    (0xfcfd, 0xfe049fe3), // c.bnez s1,.-2
    (0xcd7d, 0x0e050f63), // c.beqz a0,.+254
    (0xecfd, 0x0e049f63), // c.bnez s1,.+254
    (0xd101, 0xf00500e3), // c.beqz a0,.-256
    (0xf081, 0xf00490e3), // c.bnez s1,.-256
    (0xc54d, 0x0a050563), // c.beqz a0,.+170
    (0xe4cd, 0x0a049563), // c.bnez s1,.+170
    (0xd54d, 0xfa0505e3), // c.beqz a0,.-86
    (0xf4cd, 0xfa0495e3), // c.bnez s1,.-86
    (0xc501, 0x00050463), // c.beqz a0,.+8
    (0xe481, 0x00049463), // c.bnez s1,.+8
    (0xc901, 0x00050863), // c.beqz a0,.+16
    (0xe881, 0x00049863), // c.bnez s1,.+16
    (0xc105, 0x02050063), // c.beqz a0,.+32
    (0xe085, 0x02049063), // c.bnez s1,.+32
    (0xc121, 0x04050063), // c.beqz a0,.+64
    (0xe0a1, 0x04049063), // c.bnez s1,.+64
    (0xc141, 0x08050063), // c.beqz a0,.+128
    (0xe0c1, 0x08049063), // c.bnez s1,.+128
    (0x0506, 0x00151513), // c.slli a0,1
    (0x0ffe, 0x01ff9f93), // c.slli t6,31
    (0x00c2, 0x01009093), // c.slli ra,16
    (0x4502, 0x00012503), // c.lwsp a0,0(sp)
    (0xc02a, 0x00a12023), // c.swsp a0,0(sp)
    (0x5ffe, 0x0fc12f83), // c.lwsp t6,252(sp)
    (0xdffe, 0x0ff12e23), // c.swsp t6,252(sp)
    (0x408a, 0x08012083), // c.lwsp ra,128(sp)
    (0xc106, 0x08112023), // c.swsp ra,128(sp)
    (0x4a86, 0x04012a83), // c.lwsp s5,64(sp)
    (0xc0d6, 0x05512023), // c.swsp s5,64(sp)
    (0x4b12, 0x00412b03), // c.lwsp s6,4(sp)
    (0xc25a, 0x01612223), // c.swsp s6,4(sp)
    (0x8082, 0x00008067), // c.jr ra
    (0x8f82, 0x000f8067), // c.jr t6
    (0x9782, 0x000780e7), // c.jalr a5
    (0x857e, 0x01f00533), // c.mv a0,t6
    (0x957e, 0x01f50533), // c.add a0,t6
    (0x8f86, 0x00100fb3), // c.mv t6,ra
    (0x9f86, 0x001f8fb3), // c.add t6,ra
    (0x9002, 0x00100073), // c.ebreak
];

#[test]
fn each_form_is_what_it_abbreviates() {
    for (short, long) in TABLE {
        let s = decode(set(), u32::from(short));
        let l = decode(set(), long);
        assert_ne!(s.code, Code::Illegal, "{short:#06x}");
        assert_eq!((s.len, l.len), (2, 4), "{short:#06x}");
        assert_eq!(isa::Op { len: 4, ..s }, l, "{short:#06x}");
    }
}

#[test]
fn every_halfword_has_a_meaning_or_none() {
    let mut legal = [0u32; 3];
    for half in 0..=u16::MAX {
        if half & 3 == 3 {
            assert_eq!(length(half), 4);
            continue;
        }
        assert_eq!(length(half), 2);
        // What follows has no influence.
        let op = decode(set(), u32::from(half) | 0xa5a5_0000);
        assert_eq!(op.len, 2);
        assert!(op.rd < 32 && op.rs1 < 32 && op.rs2 < 32);
        assert!(!isa::text(&op, 0x8000_0000).is_empty());
        if op.code == Code::Illegal {
            assert_eq!(op.imm, i32::from(half));
        } else {
            legal[usize::from(half & 3)] += 1;
        }
        assert_eq!(decode(IsaSet::BASE, u32::from(half)).code, Code::Illegal);
    }
    // Quadrant 0: addi4spn without immediate 0, lw, sw. Quadrant 1: all but 32 of lui (immediate 0) and, of the
    // arithmetic, shifts by 32 and more and the upper half of the register forms. Quadrant 2: slli by less than 32, lwsp
    // not to x0, swsp, and all of jr to ebreak but 0.
    let arithmetic = 2048 - 256 - 256 - 256;
    assert_eq!(legal, [2048 - 8 + 2 * 2048, 7 * 2048 - 32 + arithmetic, 1024 + 2048 - 64 + 2048 - 1 + 2048]);
}

#[test]
fn reserved_encodings_are_illegal() {
    let reserved = [
        (0x0000, "all zero"),
        (0x0004, "c.addi4spn a1 without immediate"),
        (0x2000, "c.fld"),
        (0x6000, "c.flw"),
        (0x8000, "reserved in quadrant 0"),
        (0xa000, "c.fsd"),
        (0xe000, "c.fsw"),
        (0x6101, "c.addi16sp of 0"),
        (0x6501, "c.lui of 0"),
        (0x9101, "c.srli by 32"),
        (0x9501, "c.srai by 32"),
        (0x9c01, "c.subw"),
        (0x9c21, "c.addw"),
        (0x9c41, "reserved"),
        (0x9c61, "reserved"),
        (0x1502, "c.slli by 32"),
        (0x2002, "c.fldsp"),
        (0x4002, "c.lwsp to x0"),
        (0x6002, "c.flwsp"),
        (0x8002, "c.jr x0"),
        (0xa002, "c.fsdsp"),
        (0xe002, "c.fswsp"),
    ];
    for (half, what) in reserved {
        let op = decode(set(), half);
        assert_eq!((op.code, op.imm, op.len), (Code::Illegal, half as i32, 2), "{what}");
    }
}

#[test]
fn hints_change_nothing() {
    for (half, code) in
        [(0x0005, Code::Addi), (0x0501, Code::Addi), (0x4005, Code::Addi), (0x6005, Code::Lui), (0x8101, Code::Srli)]
    {
        assert_eq!(decode(set(), half).code, code, "{half:#06x}");
    }
    let op = decode(set(), 0x800a); // c.mv x0, x2
    assert_eq!((op.code, op.rd, op.rs2), (Code::Add, 0, 2));
}
