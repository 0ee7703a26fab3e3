// SPDX-License-Identifier: Apache-2.0
//! The F extension and its compressed loads and stores, as GNU as 2.40 makes them, and their text.

use isa::{decode, text, Code, IsaSet};

fn set() -> IsaSet {
    "rv32imafc_zicsr".parse().unwrap()
}

const TABLE: [(u32, &str); 30] = [
    (0x00c5f553, "fadd.s fa0,fa1,fa2"),
    (0x01f48053, "fadd.s ft0,fs1,ft11,rne"),
    (0x08c59553, "fsub.s fa0,fa1,fa2,rtz"),
    (0x10c5a553, "fmul.s fa0,fa1,fa2,rdn"),
    (0x18c5b553, "fdiv.s fa0,fa1,fa2,rup"),
    (0x580e4dd3, "fsqrt.s fs11,ft8,rmm"),
    (0x5805f553, "fsqrt.s fa0,fa1"),
    (0x68c5f543, "fmadd.s fa0,fa1,fa2,fa3"),
    (0x18209047, "fmsub.s ft0,ft1,ft2,ft3,rtz"),
    (0xf8c5f54b, "fnmsub.s fa0,fa1,fa2,ft11"),
    (0x40c5f54f, "fnmadd.s fa0,fa1,fa2,fs0"),
    (0x20c58553, "fsgnj.s fa0,fa1,fa2"),
    (0x20c59553, "fsgnjn.s fa0,fa1,fa2"),
    (0x20c5a553, "fsgnjx.s fa0,fa1,fa2"),
    (0x28c58553, "fmin.s fa0,fa1,fa2"),
    (0x28c59553, "fmax.s fa0,fa1,fa2"),
    (0xa0c5a553, "feq.s a0,fa1,fa2"),
    (0xa0c59553, "flt.s a0,fa1,fa2"),
    (0xa0c58fd3, "fle.s t6,fa1,fa2"),
    (0xe0059553, "fclass.s a0,fa1"),
    (0xc0059553, "fcvt.w.s a0,fa1,rtz"),
    (0xc015f553, "fcvt.wu.s a0,fa1"),
    (0xd005f553, "fcvt.s.w fa0,a1"),
    (0xd015b553, "fcvt.s.wu fa0,a1,rup"),
    (0xe0058553, "fmv.x.w a0,fa1"),
    (0xf0058553, "fmv.w.x fa0,a1"),
    (0xffc12007, "flw ft0,-4(sp)"),
    (0x7ff52f87, "flw ft11,2047(a0)"),
    (0x808fa027, "fsw fs0,-2048(t6)"),
    (0x00002027, "fsw ft0,0(zero)"),
];

#[test]
fn each_operation_reads_as_it_was_written() {
    for (bits, expected) in TABLE {
        let op = decode(set(), bits);
        assert_eq!((text(&op, 0).as_str(), op.len), (expected, 4), "{bits:#010x}");
        assert_eq!(decode(set().without(IsaSet::F), bits).code, Code::Illegal);
    }
}

#[test]
fn compressed_loads_and_stores() {
    let long = [0x0004a407, 0x07c42787, 0x0084a027, 0x06f7ae27, 0x00012007, 0x0fc12f87, 0x00012227, 0x0ff12e27];
    let short = [0x6080, 0x7c7c, 0xe080, 0xfffc, 0x6002, 0x7ffe, 0xe202, 0xfffe];
    for (short, long) in short.into_iter().zip(long) {
        let op = decode(set(), short);
        assert_eq!(op.len, 2);
        assert_eq!(isa::Op { len: 4, ..op }, decode(set(), long), "{short:#06x}");
        assert_eq!(decode(set().without(IsaSet::F), short).code, Code::Illegal);
    }
}

#[test]
fn reserved_encodings_are_illegal() {
    for (bits, what) in [
        (0x00c5d553, "rounding mode 5"),
        (0x00c5e553, "rounding mode 6"),
        (0x68c5e543, "fmadd with rounding mode 6"),
        (0x02c5f553, "fadd.d"),
        (0x6ac5f543, "fmadd.d"),
        (0x5815f553, "fsqrt with a second source"),
        (0x20c5b553, "fsgnj 3"),
        (0x28c5a553, "fmin 2"),
        (0xa0c5b553, "fcmp 3"),
        (0xe005a553, "fmv 2"),
        (0xe0159553, "fclass with a second source"),
        (0xc025f553, "fcvt.l.s"),
        (0xf0059553, "fmv.w.x with a function"),
        (0xffc13007, "fld"),
        (0x808fb027, "fsd"),
        (0xff95f553, "function 0x7f"),
    ] {
        let op = decode(set(), bits);
        assert_eq!((op.code, op.imm as u32), (Code::Illegal, bits), "{what}");
    }
}
