// SPDX-License-Identifier: Apache-2.0
//! IEEE 754 arithmetic on 32-bit floating-point numbers, as RISC-V has it, in integers.
//!
//! Exact in all five rounding modes with all five flags: results that are not numbers are the canonical one, and tininess
//! is detected after rounding. Each operation finds its exact result, or one of which the bits that are lost are kept
//! as one sticky bit, as sign, exponent and significand; [`round`] does the rest.

/// Rounding modes as instructions and `frm` encode them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven,
    /// Towards zero.
    Zero,
    /// Towards minus infinity.
    Down,
    /// Towards plus infinity.
    Up,
    /// To nearest, ties away from zero.
    NearestMax,
}

impl Rounding {
    /// The mode with this number; 5 and 6 are reserved, 7 is no mode.
    pub fn from_bits(bits: u32) -> Option<Rounding> {
        use Rounding::*;
        [NearestEven, Zero, Down, Up, NearestMax].get(bits as usize).copied()
    }
}

/// Accrued exceptions as `fflags` holds them.
pub mod flag {
    /// Inexact.
    pub const NX: u8 = 1;
    /// Underflow.
    pub const UF: u8 = 2;
    /// Overflow.
    pub const OF: u8 = 4;
    /// Division by zero.
    pub const DZ: u8 = 8;
    /// Invalid operation.
    pub const NV: u8 = 16;
}

const NAN: u32 = 0x7fc0_0000;
const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const LARGEST: u32 = 0x7f7f_ffff;
const QUIET: u32 = 1 << 22;

fn is_nan(a: u32) -> bool {
    a & !SIGN > INFINITY
}

fn is_signaling(a: u32) -> bool {
    is_nan(a) && a & QUIET == 0
}

fn is_infinite(a: u32) -> bool {
    a & !SIGN == INFINITY
}

fn is_zero(a: u32) -> bool {
    a & !SIGN == 0
}

fn is_negative(a: u32) -> bool {
    a & SIGN != 0
}

fn signed(negative: bool, magnitude: u32) -> u32 {
    magnitude | if negative { SIGN } else { 0 }
}

/// A finite number's magnitude is the second times two to the first.
fn parts(a: u32) -> (i32, u32) {
    let exponent = (a >> 23 & 0xff) as i32;
    let fraction = a & 0x7f_ffff;
    if exponent == 0 {
        (-149, fraction)
    } else {
        (exponent - 150, fraction | 1 << 23)
    }
}

/// As [`parts`] of a number other than zero, with 24 significant bits.
fn normal_parts(a: u32) -> (i32, u32) {
    let (exponent, significand) = parts(a);
    let shift = significand.leading_zeros() - 8;
    (exponent - shift as i32, significand << shift)
}

/// Shift right; what falls out remains as the last bit.
fn jam(value: u128, by: u32) -> u128 {
    if by >= 128 {
        u128::from(value != 0)
    } else {
        value >> by | u128::from(value & ((1 << by) - 1) != 0)
    }
}

/// Whether the magnitude becomes one more, when `lost` of `2 * half` is lost behind its last bit.
fn rounds_up(mode: Rounding, negative: bool, odd: bool, lost: u64, half: u64) -> bool {
    match mode {
        Rounding::NearestEven => lost > half || lost == half && odd,
        Rounding::NearestMax => lost >= half,
        Rounding::Zero => false,
        Rounding::Down => negative && lost != 0,
        Rounding::Up => !negative && lost != 0,
    }
}

/// The number nearest to `value * 2^exponent`, which is not zero. Its last bit may stand for lost ones if it has at least 26.
fn round(negative: bool, exponent: i32, value: u128, mode: Rounding, flags: &mut u8) -> u32 {
    // The leading bit goes to bit 62.
    let top = 127 - value.leading_zeros() as i32;
    let value = (if top > 62 { jam(value, (top - 62) as u32) } else { value << (62 - top) }) as u64;
    let biased = exponent + top + 127;
    const LOST: u32 = 62 - 23;
    const HALF: u64 = 1 << (LOST - 1);
    let cut = |v: u64| {
        let lost = v & (2 * HALF - 1);
        let kept = v >> LOST;
        (kept + u64::from(rounds_up(mode, negative, kept & 1 != 0, lost, HALF)), lost != 0)
    };
    if biased >= 1 {
        let (kept, inexact) = cut(value);
        let bits = ((biased as u64 - 1) << 23) + kept;
        if bits >= u64::from(INFINITY) {
            *flags |= flag::OF | flag::NX;
            let infinite = match mode {
                Rounding::NearestEven | Rounding::NearestMax => true,
                Rounding::Zero => false,
                Rounding::Down => negative,
                Rounding::Up => !negative,
            };
            return signed(negative, if infinite { INFINITY } else { LARGEST });
        }
        if inexact {
            *flags |= flag::NX;
        }
        return signed(negative, bits as u32);
    }
    // Below the normal numbers. It is tiny unless it were a normal number if the exponent had no bound.
    let tiny = biased < 0 || cut(value).0 < 1 << 24;
    let (kept, inexact) = cut(jam(u128::from(value), (1 - biased) as u32) as u64);
    if inexact {
        *flags |= flag::NX | if tiny { flag::UF } else { 0 };
    }
    signed(negative, kept as u32)
}

/// The result when an operand is not a number.
fn nan(operands: &[u32], flags: &mut u8) -> Option<u32> {
    if operands.iter().any(|a| is_signaling(*a)) {
        *flags |= flag::NV;
    }
    operands.iter().any(|a| is_nan(*a)).then_some(NAN)
}

fn invalid(flags: &mut u8) -> u32 {
    *flags |= flag::NV;
    NAN
}

/// The zero that a sum is when its parts cancel out, or are zeros.
fn zero_sum(a: bool, b: bool, mode: Rounding) -> u32 {
    signed(if a == b { a } else { mode == Rounding::Down }, 0)
}

/// A term of a sum: sign, exponent and magnitude.
type Term = (bool, i32, u128);

/// The sum of two terms, each of at most 100 bits.
fn sum(a: Term, b: Term, mode: Rounding, flags: &mut u8) -> u32 {
    // Both with their leading bit at 124: then what is lost lies far behind what is rounded.
    let raised = |(sign, exponent, value): Term| {
        let shift = value.leading_zeros() as i32 - 3;
        (sign, exponent - shift, value << shift)
    };
    match (a.2, b.2) {
        (0, 0) => return zero_sum(a.0, b.0, mode),
        (0, _) => return round(b.0, b.1, b.2, mode, flags),
        (_, 0) => return round(a.0, a.1, a.2, mode, flags),
        _ => {}
    }
    let (mut a, mut b) = (raised(a), raised(b));
    if (a.1, a.2) < (b.1, b.2) {
        std::mem::swap(&mut a, &mut b);
    }
    let smaller = jam(b.2, (a.1 - b.1) as u32);
    let value = if a.0 == b.0 { a.2 + smaller } else { a.2 - smaller };
    if value == 0 {
        return zero_sum(a.0, b.0, mode);
    }
    round(a.0, a.1, value, mode, flags)
}

fn term(a: u32) -> Term {
    let (exponent, value) = parts(a);
    (is_negative(a), exponent, u128::from(value))
}

/// a + b.
pub fn add(a: u32, b: u32, mode: Rounding, flags: &mut u8) -> u32 {
    if let Some(n) = nan(&[a, b], flags) {
        return n;
    }
    match (is_infinite(a), is_infinite(b)) {
        (true, true) if a != b => invalid(flags),
        (true, _) => a,
        (_, true) => b,
        _ => sum(term(a), term(b), mode, flags),
    }
}

/// a − b.
pub fn sub(a: u32, b: u32, mode: Rounding, flags: &mut u8) -> u32 {
    // The sign of what is not a number does not matter.
    add(a, b ^ SIGN, mode, flags)
}

/// a × b.
pub fn mul(a: u32, b: u32, mode: Rounding, flags: &mut u8) -> u32 {
    if let Some(n) = nan(&[a, b], flags) {
        return n;
    }
    let negative = is_negative(a) != is_negative(b);
    if is_infinite(a) || is_infinite(b) {
        return if is_zero(a) || is_zero(b) { invalid(flags) } else { signed(negative, INFINITY) };
    }
    if is_zero(a) || is_zero(b) {
        return signed(negative, 0);
    }
    let ((ea, sa), (eb, sb)) = (parts(a), parts(b));
    round(negative, ea + eb, u128::from(sa) * u128::from(sb), mode, flags)
}

/// a × b + c, rounded once.
pub fn fused(a: u32, b: u32, c: u32, mode: Rounding, flags: &mut u8) -> u32 {
    let lost = is_infinite(a) && is_zero(b) || is_zero(a) && is_infinite(b);
    if lost {
        // Also when c is not a number.
        return invalid(flags);
    }
    if let Some(n) = nan(&[a, b, c], flags) {
        return n;
    }
    let negative = is_negative(a) != is_negative(b);
    if is_infinite(a) || is_infinite(b) {
        let product = signed(negative, INFINITY);
        return if is_infinite(c) && c != product { invalid(flags) } else { product };
    }
    if is_infinite(c) {
        return c;
    }
    let ((ea, sa), (eb, sb)) = (parts(a), parts(b));
    sum((negative, ea + eb, u128::from(sa) * u128::from(sb)), term(c), mode, flags)
}

/// a / b.
pub fn div(a: u32, b: u32, mode: Rounding, flags: &mut u8) -> u32 {
    if let Some(n) = nan(&[a, b], flags) {
        return n;
    }
    let negative = is_negative(a) != is_negative(b);
    match (is_infinite(a), is_infinite(b)) {
        (true, true) => return invalid(flags),
        (true, false) => return signed(negative, INFINITY),
        (false, true) => return signed(negative, 0),
        _ => {}
    }
    match (is_zero(a), is_zero(b)) {
        (true, true) => return invalid(flags),
        (true, false) => return signed(negative, 0),
        (false, true) => {
            *flags |= flag::DZ;
            return signed(negative, INFINITY);
        }
        _ => {}
    }
    let ((ea, sa), (eb, sb)) = (normal_parts(a), normal_parts(b));
    let (dividend, divisor) = (u64::from(sa) << 38, u64::from(sb));
    let quotient = (dividend / divisor) | u64::from(dividend % divisor != 0);
    round(negative, ea - eb - 38, u128::from(quotient), mode, flags)
}

/// The square root of a.
pub fn sqrt(a: u32, mode: Rounding, flags: &mut u8) -> u32 {
    if let Some(n) = nan(&[a], flags) {
        return n;
    }
    if is_zero(a) {
        return a;
    }
    if is_negative(a) {
        return invalid(flags);
    }
    if is_infinite(a) {
        return a;
    }
    let (exponent, significand) = normal_parts(a);
    let odd = exponent & 1;
    let radicand = u64::from(significand) << (36 + odd);
    let root = radicand.isqrt();
    let value = root << 1 | u64::from(root * root != radicand);
    round(false, (exponent - odd - 36) / 2 - 1, u128::from(value), mode, flags)
}

/// a = b; a quiet comparison.
pub fn eq(a: u32, b: u32, flags: &mut u8) -> bool {
    nan(&[a, b], flags).is_none() && (a == b || is_zero(a) && is_zero(b))
}

/// An integer that orders as the numbers do, with the two zeros the same.
fn order(a: u32) -> i32 {
    let magnitude = (a & !SIGN) as i32;
    if is_negative(a) {
        -magnitude
    } else {
        magnitude
    }
}

/// a < b; invalid when either is not a number.
pub fn lt(a: u32, b: u32, flags: &mut u8) -> bool {
    if is_nan(a) || is_nan(b) {
        *flags |= flag::NV;
        return false;
    }
    order(a) < order(b)
}

/// a ≤ b; invalid when either is not a number.
pub fn le(a: u32, b: u32, flags: &mut u8) -> bool {
    if is_nan(a) || is_nan(b) {
        *flags |= flag::NV;
        return false;
    }
    order(a) <= order(b)
}

/// The smaller (or larger) number; −0 is less than +0, and what is not a number counts only if both are not.
pub fn extreme(a: u32, b: u32, larger: bool, flags: &mut u8) -> u32 {
    if is_signaling(a) || is_signaling(b) {
        *flags |= flag::NV;
    }
    match (is_nan(a), is_nan(b)) {
        (true, true) => return NAN,
        (true, false) => return b,
        (false, true) => return a,
        _ => {}
    }
    let less = order(a) < order(b) || order(a) == order(b) && is_negative(a);
    if less != larger {
        a
    } else {
        b
    }
}

/// What a is, as one of ten bits.
pub fn class(a: u32) -> u32 {
    let bit = match (is_negative(a), a >> 23 & 0xff, a & 0x7f_ffff) {
        (_, 0xff, f) if f != 0 => 8 + u32::from(!is_signaling(a)),
        (true, 0xff, _) => 0,
        (true, 0, 0) => 3,
        (true, 0, _) => 2,
        (true, ..) => 1,
        (false, 0xff, _) => 7,
        (false, 0, 0) => 4,
        (false, 0, _) => 5,
        (false, ..) => 6,
    };
    1 << bit
}

/// a as an integer, signed or not; saturates, invalid.
pub fn to_integer(a: u32, unsigned: bool, mode: Rounding, flags: &mut u8) -> u32 {
    let (least, most) = if unsigned { (0, u32::MAX) } else { (i32::MIN as u32, i32::MAX as u32) };
    let negative = is_negative(a) && !is_nan(a);
    let outside = |flags: &mut u8| {
        *flags |= flag::NV;
        if negative {
            least
        } else {
            most
        }
    };
    let (exponent, significand) = parts(a);
    if is_nan(a) || is_infinite(a) || exponent > 8 {
        return outside(flags);
    }
    // With 32 bits behind the point.
    let fixed = u128::from(significand) << 40;
    let fixed = jam(fixed, (8 - exponent) as u32) as u64;
    let (whole, lost) = (fixed >> 32, fixed & 0xffff_ffff);
    let whole = whole + u64::from(rounds_up(mode, negative, whole & 1 != 0, lost, 1 << 31));
    let limit = match (unsigned, negative) {
        (true, true) => 0,
        (true, false) => u64::from(u32::MAX),
        (false, true) => 1 << 31,
        (false, false) => (1 << 31) - 1,
    };
    if whole > limit {
        return outside(flags);
    }
    if lost != 0 {
        *flags |= flag::NX;
    }
    if negative {
        (whole as u32).wrapping_neg()
    } else {
        whole as u32
    }
}

/// An integer, signed or not, as a number.
pub fn from_integer(a: u32, unsigned: bool, mode: Rounding, flags: &mut u8) -> u32 {
    let negative = !unsigned && (a as i32) < 0;
    let magnitude = if negative { a.wrapping_neg() } else { a };
    if magnitude == 0 {
        return 0;
    }
    round(negative, 0, u128::from(magnitude), mode, flags)
}

#[cfg(test)]
#[path = "float_tests.rs"]
mod tests;
