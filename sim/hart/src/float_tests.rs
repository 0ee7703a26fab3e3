// SPDX-License-Identifier: Apache-2.0
//! The arithmetic against LLVM's (`rustc_apfloat`) in every mode and flag, against the host's processor, and by definition
//! where neither has the operation. Edge values in all pairs, then random ones from one fixed seed.

use super::*;
use rustc_apfloat::ieee::Single;
use rustc_apfloat::{Float, Round, Status, StatusAnd};

const MODES: [(Rounding, Round); 5] = [
    (Rounding::NearestEven, Round::NearestTiesToEven),
    (Rounding::Zero, Round::TowardZero),
    (Rounding::Down, Round::TowardNegative),
    (Rounding::Up, Round::TowardPositive),
    (Rounding::NearestMax, Round::NearestTiesToAway),
];

fn edges() -> Vec<u32> {
    let mut v = vec![0, 1, 2, 3, 0x7f_fffe, 0x7f_ffff, 0x80_0000, 0x80_0001, 0xff_ffff, 0x100_0000];
    v.extend([0x3eff_ffff, 0x3f00_0000, 0x3f00_0001, 0x3f7f_ffff, 0x3f80_0000, 0x3f80_0001, 0x3fc0_0000, 0x4000_0000]);
    v.extend([0x3380_0000, 0x3380_0001, 0x337f_ffff, 0x3400_0000, 0x4b00_0000, 0x4b7f_ffff, 0x4b80_0000, 0x4b80_0001]);
    v.extend([0x4eff_ffff, 0x4f00_0000, 0x4f00_0001, 0x4f7f_ffff, 0x4f80_0000, 0x1f80_0000, 0x2000_0000, 0x5f00_0000]);
    v.extend([0x7e80_0000, 0x7f00_0000, 0x7f7f_fffe, LARGEST, INFINITY, 0x7f80_0001, 0x7fbf_ffff, NAN, 0x7fff_ffff]);
    let negative: Vec<u32> = v.iter().map(|a| a | SIGN).collect();
    v.extend(negative);
    v
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
    /// Any pattern, or one near another's exponent, or with few bits set, so that cancellations and ties come.
    fn number(&mut self, other: u32) -> u32 {
        let a = self.next();
        match self.next() % 4 {
            0 => a,
            1 => a & 0x807f_ffff | (other & INFINITY).wrapping_add((a % 53) << 23).wrapping_sub(26 << 23) & INFINITY,
            2 => a & 0xff80_0000 | 1 << (a % 23),
            _ => a & 0x81ff_ffff,
        }
    }
}

fn flags(s: Status) -> u8 {
    let pairs = [
        (Status::INEXACT, flag::NX),
        (Status::UNDERFLOW, flag::UF),
        (Status::OVERFLOW, flag::OF),
        (Status::DIV_BY_ZERO, flag::DZ),
        (Status::INVALID_OP, flag::NV),
    ];
    pairs.into_iter().filter(|(status, _)| s.contains(*status)).map(|(_, f)| f).sum()
}

fn single(a: u32) -> Single {
    Single::from_bits(a.into())
}

/// The result and flags as RISC-V has them. LLVM keeps payloads, and finds tininess before it has rounded to the narrower
/// significand: a result that became the least normal number is checked for the rest only. Nor does it call what becomes the largest
/// number an overflow.
#[track_caller]
fn same(what: &str, mine: (u32, u8), theirs: StatusAnd<Single>, signaling: bool) {
    let value = theirs.value.to_bits() as u32;
    let mut expected = (if is_nan(value) { NAN } else { value }, flags(theirs.status));
    let mut got = mine;
    if signaling {
        expected.1 |= flag::NV;
    }
    if value & !SIGN == 0x80_0000 {
        expected.1 &= !flag::UF;
        got.1 &= !flag::UF;
    }
    if value & !SIGN == LARGEST {
        got.1 &= !flag::OF;
    }
    assert_eq!(got, expected, "{what}: {:#010x} {:#04x}", mine.0, mine.1);
}

type Mine = fn(u32, u32, Rounding, &mut u8) -> u32;
type Theirs = fn(Single, Single, Round) -> StatusAnd<Single>;

const BINARY: [(&str, Mine, Theirs); 4] = [
    ("add", add, |a, b, r| a.add_r(b, r)),
    ("sub", sub, |a, b, r| a.sub_r(b, r)),
    ("mul", mul, |a, b, r| a.mul_r(b, r)),
    ("div", div, |a, b, r| a.div_r(b, r)),
];

fn binary(a: u32, b: u32) {
    for (name, mine, theirs) in BINARY {
        for (mode, round) in MODES {
            let mut f = 0;
            let value = mine(a, b, mode, &mut f);
            let what = format!("{name} {a:#010x} {b:#010x} {mode:?}");
            same(&what, (value, f), theirs(single(a), single(b), round), is_signaling(a) || is_signaling(b));
        }
    }
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    for (name, mine, theirs) in [("add", BINARY[0].1, x + y), ("mul", BINARY[2].1, x * y), ("div", BINARY[3].1, x / y)]
    {
        let value = mine(a, b, Rounding::NearestEven, &mut 0);
        assert!(value == theirs.to_bits() || is_nan(value) && theirs.is_nan(), "{name} {a:#x} {b:#x} on the host");
    }
    let mut f = 0;
    assert_eq!(lt(a, b, &mut f), x < y);
    assert_eq!((le(a, b, &mut f), f), (x <= y, if x.is_nan() || y.is_nan() { flag::NV } else { 0 }));
    f = 0;
    assert_eq!((eq(a, b, &mut f), f), (x == y, if is_signaling(a) || is_signaling(b) { flag::NV } else { 0 }));
    for larger in [false, true] {
        f = 0;
        let value = extreme(a, b, larger, &mut f);
        let expected = match (x.is_nan(), y.is_nan()) {
            (true, true) => NAN,
            (true, false) => b,
            (false, true) => a,
            _ if x == y && larger => a & b,
            _ if x == y => a | b,
            _ if (x < y) != larger => a,
            _ => b,
        };
        assert_eq!((value, f != 0), (expected, is_signaling(a) || is_signaling(b)), "{a:#x} {b:#x}");
    }
}

fn ternary(a: u32, b: u32, c: u32) {
    for (mode, round) in MODES {
        let mut f = 0;
        let value = fused(a, b, c, mode, &mut f);
        let what = format!("fused {a:#010x} {b:#010x} {c:#010x} {mode:?}");
        let theirs = single(a).mul_add_r(single(b), single(c), round);
        let signaling = [a, b, c].into_iter().any(is_signaling);
        let lost = is_infinite(a) && is_zero(b) || is_zero(a) && is_infinite(b);
        same(&what, (value, f), theirs, signaling || lost && is_nan(c));
    }
    let host = f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c));
    let value = fused(a, b, c, Rounding::NearestEven, &mut 0);
    assert!(value == host.to_bits() || is_nan(value) && host.is_nan(), "fused {a:#x} {b:#x} {c:#x} on the host");
}

fn unary(a: u32) {
    for (mode, round) in MODES {
        let mut f = 0;
        let value = sqrt(a, mode, &mut f);
        root(a, value, f, mode);
        for unsigned in [false, true] {
            f = 0;
            let value = to_integer(a, unsigned, mode, &mut f);
            let mut exact = false;
            let theirs = if unsigned {
                single(a).to_u128_r(32, round, &mut exact).map(|v| v as u32)
            } else {
                single(a).to_i128_r(32, round, &mut exact).map(|v| v as u32)
            };
            // What is not a number becomes the largest integer here, and 0 there.
            let least = if unsigned { u32::MAX } else { i32::MAX as u32 };
            let expected = (if is_nan(a) { least } else { theirs.value }, flags(theirs.status));
            assert_eq!((value, f), expected, "{a:#x} to integer, unsigned {unsigned}, {mode:?}");

            f = 0;
            let value = from_integer(a, unsigned, mode, &mut f);
            let theirs = if unsigned {
                Single::from_u128_r(a.into(), round)
            } else {
                Single::from_i128_r((a as i32).into(), round)
            };
            same(&format!("{a:#x} from integer {unsigned} {mode:?}"), (value, f), theirs, false);
        }
    }
    let host = f32::from_bits(a).sqrt();
    let value = sqrt(a, Rounding::NearestEven, &mut 0);
    assert!(value == host.to_bits() || is_nan(value) && host.is_nan());
}

/// By definition: squares of 24 bits are exact in 53.
fn root(a: u32, value: u32, f: u8, mode: Rounding) {
    let x = f32::from_bits(a);
    if x.is_nan() || x < 0.0 {
        let expected = if is_signaling(a) || x < 0.0 { flag::NV } else { 0 };
        assert_eq!((value, f), (NAN, expected));
        return;
    }
    if is_zero(a) || is_infinite(a) {
        assert_eq!((value, f), (a, 0));
        return;
    }
    let square = |v: u32| f64::from(f32::from_bits(v)) * f64::from(f32::from_bits(v));
    let x = f64::from(x);
    assert_eq!(f, if square(value) == x { 0 } else { flag::NX }, "root of {a:#x}");
    if square(value) == x {
        return;
    }
    let below = if square(value) < x { value } else { value - 1 };
    assert!(square(below) < x && x < square(below + 1), "root of {a:#x}");
    match mode {
        Rounding::Zero | Rounding::Down => assert_eq!(value, below),
        Rounding::Up => assert_eq!(value, below + 1),
        _ => {
            let middle = (f64::from(f32::from_bits(below)) + f64::from(f32::from_bits(below + 1))) / 2.0;
            assert_eq!(value, if middle * middle < x { below + 1 } else { below }, "root of {a:#x}");
        }
    }
}

#[test]
fn edges_in_all_combinations() {
    let edges = edges();
    for &a in &edges {
        unary(a);
        for &b in &edges {
            binary(a, b);
        }
    }
    // Every fourth of the triples, in another phase for each pair.
    for (i, &a) in edges.iter().enumerate() {
        for (j, &b) in edges.iter().enumerate() {
            for &c in edges.iter().skip((i + j) % 4).step_by(4) {
                ternary(a, b, c);
            }
        }
    }
}

#[test]
fn random_numbers() {
    let mut r = Random(1);
    for _ in 0..60_000 {
        let a = r.next();
        let b = r.number(a);
        unary(a);
        binary(a, b);
        // An addend near the product.
        let near = mul(a, b, Rounding::Zero, &mut 0);
        let c = r.number(near);
        ternary(a, b, c);
    }
}

/// What LLVM does otherwise: tininess is detected after rounding to 24 bits, as if the exponent had no bound.
#[test]
fn tininess_after_rounding() {
    let least = 0x80_0000;
    let product = |a: u32, b: u32, mode| {
        let mut f = 0;
        (mul(a, b, mode, &mut f), f)
    };
    // The largest denormal number and three quarters of its last bit: below the least normal number in 24 bits.
    let (a, b) = (0x3f7f_ffff, 0x80_0001);
    assert_eq!(product(a, b, Rounding::NearestEven), (least, flag::NX));
    let (a, b) = (0x3f7f_fffe, 0x80_0000);
    assert_eq!(product(a, b, Rounding::NearestEven), (0x7f_ffff, 0));
    let (a, b) = (0x3f7f_ffff, 0x80_0000);
    assert_eq!(
        product(a, b, Rounding::NearestEven),
        (least, flag::NX | flag::UF),
        "half a bit below: tiny, and rounded up"
    );
    assert_eq!(product(a, b, Rounding::Zero), (0x7f_ffff, flag::NX | flag::UF));
    assert_eq!(product(a, b, Rounding::Up), (least, flag::NX | flag::UF));
}

#[test]
fn overflow_becomes_the_largest_number_or_infinity() {
    for (mode, up, down) in [
        (Rounding::NearestEven, INFINITY, INFINITY),
        (Rounding::NearestMax, INFINITY, INFINITY),
        (Rounding::Zero, LARGEST, LARGEST),
        (Rounding::Up, INFINITY, LARGEST),
        (Rounding::Down, LARGEST, INFINITY),
    ] {
        let mut f = 0;
        assert_eq!((add(LARGEST, LARGEST, mode, &mut f), f), (up, flag::OF | flag::NX));
        assert_eq!(mul(LARGEST, 0xc000_0000, mode, &mut f), down | SIGN);
    }
}

#[test]
fn classes() {
    for (bit, a) in [
        (0, 0xff80_0000),
        (1, 0xbf80_0000),
        (2, 0x8000_0001),
        (3, 0x8000_0000),
        (4, 0),
        (5, 0x7f_ffff),
        (6, 0x3f80_0000),
        (7, INFINITY),
        (8, 0x7f80_0001),
        (9, NAN),
        (9, 0xffff_ffff),
    ] {
        assert_eq!(class(a), 1 << bit, "{a:#x}");
    }
}
