// SPDX-License-Identifier: Apache-2.0
//! Floating-point instructions: which operation, rounding mode and cost each has. The arithmetic is in `float`.

use crate::float::{self, Rounding};
use crate::Hart;
use isa::{Code, Op, FLOAT};

/// Index of a cost in `Costs::float`.
#[derive(Clone, Copy)]
enum Kind {
    Add,
    Mul,
    Fused,
    Div,
    Sqrt,
    Compare,
    Convert,
    Transfer,
}

/// A result, and when it and the next instruction come.
pub(crate) struct Computed {
    pub value: u32,
    pub ready: u64,
    pub now: u64,
}

const SIGN: u32 = 1 << 31;

impl Hart {
    /// Execute an instruction other than loads and stores whose first two sources hold `a` and `b` and could be read at `issue`.
    /// `None` is an illegal instruction: the unit is off, or the mode in `frm` is reserved.
    #[inline(never)]
    pub(crate) fn float_operation(&mut self, op: &Op, a: u32, b: u32, mut issue: u64) -> Option<Computed> {
        use Code::*;
        if !self.s.csrs.float_on() {
            return None;
        }
        let rounds = !matches!(
            op.code,
            FsgnjS | FsgnjnS | FsgnjxS | FminS | FmaxS | FeqS | FltS | FleS | FclassS | FmvXW | FmvWX
        );
        let mode = match op.imm as u32 & 7 {
            _ if !rounds => Rounding::NearestEven,
            7 => Rounding::from_bits(self.s.csrs.rounding.into())?,
            bits => Rounding::from_bits(bits)?,
        };
        let third = (op.imm as usize >> 8 & 31) | usize::from(FLOAT);
        let before = self.s.csrs.flags;
        let flags = &mut self.s.csrs.flags;
        let mut fused = |x: u32, y: u32| {
            issue = issue.max(self.ready[third]);
            float::fused(a ^ x, b, self.x[third] ^ y, mode, flags)
        };
        let (value, kind) = match op.code {
            FaddS => (float::add(a, b, mode, flags), Kind::Add),
            FsubS => (float::sub(a, b, mode, flags), Kind::Add),
            FmulS => (float::mul(a, b, mode, flags), Kind::Mul),
            FdivS => (float::div(a, b, mode, flags), Kind::Div),
            FsqrtS => (float::sqrt(a, mode, flags), Kind::Sqrt),
            FmaddS => (fused(0, 0), Kind::Fused),
            FmsubS => (fused(0, SIGN), Kind::Fused),
            FnmsubS => (fused(SIGN, 0), Kind::Fused),
            FnmaddS => (fused(SIGN, SIGN), Kind::Fused),
            FsgnjS => (a & !SIGN | b & SIGN, Kind::Transfer),
            FsgnjnS => (a & !SIGN | !b & SIGN, Kind::Transfer),
            FsgnjxS => (a ^ b & SIGN, Kind::Transfer),
            FminS => (float::extreme(a, b, false, flags), Kind::Compare),
            FmaxS => (float::extreme(a, b, true, flags), Kind::Compare),
            FeqS => (float::eq(a, b, flags).into(), Kind::Compare),
            FltS => (float::lt(a, b, flags).into(), Kind::Compare),
            FleS => (float::le(a, b, flags).into(), Kind::Compare),
            FcvtWS => (float::to_integer(a, false, mode, flags), Kind::Convert),
            FcvtWuS => (float::to_integer(a, true, mode, flags), Kind::Convert),
            FcvtSW => (float::from_integer(a, false, mode, flags), Kind::Convert),
            FcvtSWu => (float::from_integer(a, true, mode, flags), Kind::Convert),
            FclassS => (float::class(a), Kind::Transfer),
            _ => (a, Kind::Transfer),
        };
        if op.rd & FLOAT != 0 || self.s.csrs.flags != before {
            self.s.csrs.float_dirty();
        }
        let (cost, late) = self.costs.float[kind as usize];
        Some(Computed { value, ready: issue + late, now: issue + cost })
    }
}
