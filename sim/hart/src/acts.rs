// SPDX-License-Identifier: Apache-2.0
//! What each step of a block does: a function for each, which calls that of the step behind it.
//!
//! Optimised, these calls are jumps, from each function to each other one: the host learns which step follows which. Not
//! optimised they nest, no deeper than a block is long. Nothing but the way to the next function is called where a step is done
//! at once, so that all that they share stays in registers of the host.

use crate::blocks::{way, Do, Key, Step};
use crate::lines::Lines;
use crate::timing::History;
use crate::transfers::Transfers;
use engine::{HartMemory, Width};
use units::Cycle;

/// The registers of a hart; any number of eight bits is the index of one.
pub(crate) type Registers = [u32; 256];

/// The function of a step: it is the first of those given, and all that its block has left.
pub(crate) type Act<M> = fn(&mut M, &mut Registers, &[Step], &mut Run<'_>) -> Left;

/// What steps need besides registers and memory.
pub(crate) struct Run<'a> {
    pub history: &'a mut History,
    pub transfers: &'a mut Transfers,
    pub keys: &'a mut [Key],
    pub texts: &'a [u8],
    pub lines: &'a Lines,
    /// When the block began.
    pub now: u64,
    /// The memory's, or a number that it never has.
    pub generation: u64,
    pub misaligned_fetch: u32,
    /// Where an indirect jump leads.
    pub target: u32,
}

impl Run<'_> {
    /// When an access is issued.
    #[inline(always)]
    fn at(&self, step: &Step) -> Cycle {
        Cycle(self.now + u64::from(step.aux))
    }
}

/// How a block was left: [`Why`], and a number below it: of the way out, or how many steps were left.
#[derive(Clone, Copy)]
pub(crate) struct Left(u64);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// By a way out of it.
    Way,
    /// The loop executes the next instruction.
    Loop,
    /// The loop executes on; blocks are not tried again before something happens.
    Bound,
    /// As the two above, and the block is translated anew.
    ForgetLoop,
    ForgetBound,
}

impl Left {
    fn new(why: Why, number: usize) -> Left {
        Left((why as u64) << 32 | number as u64)
    }

    fn way(step: &Step, way: u32) -> Left {
        Left(u64::from(step.aux + way))
    }

    pub fn why(self) -> Why {
        match self.0 >> 32 {
            0 => Why::Way,
            1 => Why::Loop,
            2 => Why::Bound,
            3 => Why::ForgetLoop,
            _ => Why::ForgetBound,
        }
    }

    pub fn number(self) -> u32 {
        self.0 as u32
    }
}

/// The functions for one kind of memory.
pub(crate) struct Acts<M>(std::marker::PhantomData<M>);

/// Split off the step to be done. There is always one: the last one of a block leaves it.
macro_rules! step {
    ($steps:ident) => {{
        let [step, rest @ ..] = $steps else { return Left::new(Why::Loop, 0) };
        (step, rest)
    }};
}

macro_rules! next {
    ($step:ident, $mem:ident, $x:ident, $rest:ident, $run:ident) => {
        Acts::<M>::ALL[usize::from($step.next as u8)]($mem, $x, $rest, $run)
    };
}

/// Steps that write a register and nothing else.
macro_rules! plain {
    ($($name:ident: |$a:ident, $b:ident, $imm:ident| $value:expr;)*) => {$(
        fn $name<M: HartMemory>(mem: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
            let (step, rest) = step!(steps);
            let ($a, $b, $imm) = (x[usize::from(step.rs1)], x[usize::from(step.rs2)], step.imm as u32);
            let _ = ($a, $b, $imm);
            x[usize::from(step.rd)] = $value;
            next!(step, mem, x, rest, run)
        }
    )*};
}

plain! {
    constant: |a, b, imm| imm;
    addi: |a, b, imm| a.wrapping_add(imm);
    slti: |a, b, imm| u32::from((a as i32) < imm as i32);
    sltiu: |a, b, imm| u32::from(a < imm);
    xori: |a, b, imm| a ^ imm;
    ori: |a, b, imm| a | imm;
    andi: |a, b, imm| a & imm;
    slli: |a, b, imm| a << (imm & 31);
    srli: |a, b, imm| a >> (imm & 31);
    srai: |a, b, imm| ((a as i32) >> (imm & 31)) as u32;
    add: |a, b, imm| a.wrapping_add(b);
    sub: |a, b, imm| a.wrapping_sub(b);
    sll: |a, b, imm| a << (b & 31);
    slt: |a, b, imm| u32::from((a as i32) < b as i32);
    sltu: |a, b, imm| u32::from(a < b);
    xor: |a, b, imm| a ^ b;
    srl: |a, b, imm| a >> (b & 31);
    sra: |a, b, imm| ((a as i32) >> (b & 31)) as u32;
    or: |a, b, imm| a | b;
    and: |a, b, imm| a & b;
    mul: |a, b, imm| a.wrapping_mul(b);
    mulh: |a, b, imm| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32;
    mulhsu: |a, b, imm| ((i64::from(a as i32) * i64::from(b)) >> 32) as u32;
    mulhu: |a, b, imm| ((u64::from(a) * u64::from(b)) >> 32) as u32;
}

macro_rules! loads {
    ($($name:ident, $aside:ident: $width:expr, |$v:ident| $value:expr;)*) => {$(
        fn $name<M: HartMemory>(mem: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
            let (step, rest) = step!(steps);
            let addr = x[usize::from(step.rs1)].wrapping_add(step.imm as u32);
            let Some($v) = mem.load_in_front(run.at(step), addr, $width) else { return $aside(mem, x, steps, run) };
            x[usize::from(step.rd)] = $value;
            next!(step, mem, x, rest, run)
        }

        #[cold]
        #[inline(never)]
        fn $aside<M: HartMemory>(mem: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
            let (step, rest) = step!(steps);
            let addr = x[usize::from(step.rs1)].wrapping_add(step.imm as u32);
            let Some($v) = mem.load_at_once(run.at(step), addr, $width) else {
                return Left::new(Why::Loop, steps.len());
            };
            x[usize::from(step.rd)] = $value;
            next!(step, mem, x, rest, run)
        }
    )*};
}

loads! {
    lb, lb_aside: Width::Byte, |v| v as u8 as i8 as u32;
    lh, lh_aside: Width::Half, |v| v as u16 as i16 as u32;
    lw, lw_aside: Width::Word, |v| v;
    lbu, lbu_aside: Width::Byte, |v| v;
    lhu, lhu_aside: Width::Half, |v| v;
}

macro_rules! stores {
    ($($name:ident, $aside:ident: $width:expr;)*) => {$(
        fn $name<M: HartMemory>(mem: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
            let (step, rest) = step!(steps);
            let addr = x[usize::from(step.rs1)].wrapping_add(step.imm as u32);
            if !mem.store_in_front(run.at(step), addr, $width, x[usize::from(step.rs2)]) {
                return $aside(mem, x, steps, run);
            }
            next!(step, mem, x, rest, run)
        }

        #[cold]
        #[inline(never)]
        fn $aside<M: HartMemory>(mem: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
            let (step, rest) = step!(steps);
            let addr = x[usize::from(step.rs1)].wrapping_add(step.imm as u32);
            let value = x[usize::from(step.rs2)];
            if !mem.store_at_once(run.at(step), addr, $width, value) {
                return Left::new(Why::Loop, steps.len());
            }
            if mem.code_changed_at_once() {
                // The block itself may just have been written.
                return Left::new(Why::Bound, rest.len());
            }
            next!(step, mem, x, rest, run)
        }
    )*};
}

stores! {
    sb, sb_aside: Width::Byte;
    sh, sh_aside: Width::Half;
    sw, sw_aside: Width::Word;
}

macro_rules! branches {
    ($($name:ident: |$a:ident, $b:ident| $condition:expr;)*) => {$(
        fn $name<M: HartMemory>(mem: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
            let (step, rest) = step!(steps);
            let ($a, $b) = (x[usize::from(step.rs1)], x[usize::from(step.rs2)]);
            let taken = $condition;
            let foreseen = run.history.foresee(step.imm as u32, step.rd & 1 != 0, taken);
            if taken {
                return Left::way(step, if foreseen { way::TAKEN } else { way::TAKEN_WRONG });
            }
            if foreseen && step.rd & 2 != 0 {
                return Left::way(step, way::ON);
            }
            next!(step, mem, x, rest, run)
        }
    )*};
}

branches! {
    beq: |a, b| a == b;
    bne: |a, b| a != b;
    blt: |a, b| (a as i32) < b as i32;
    bge: |a, b| a as i32 >= b as i32;
    bltu: |a, b| a < b;
    bgeu: |a, b| a >= b;
}

fn jump<M: HartMemory>(mem: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
    let (step, rest) = step!(steps);
    x[usize::from(step.rd)] = step.aux;
    run.transfers.push(step.aux, step.imm as u32);
    next!(step, mem, x, rest, run)
}

fn jalr<M: HartMemory>(_: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
    let (step, rest) = step!(steps);
    let target = x[usize::from(step.rs1)].wrapping_add(step.imm as u32) & !1;
    let [link, ..] = rest else { return Left::new(Why::Loop, steps.len()) };
    if target & run.misaligned_fetch != 0 {
        return Left::new(Why::Loop, steps.len());
    }
    x[usize::from(step.rd)] = link.imm as u32;
    run.target = target;
    Left::way(step, 0)
}

fn line<M: HartMemory>(mem: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
    let (step, rest) = step!(steps);
    if run.keys[step.aux as usize].generation != run.generation {
        return line_aside(mem, x, steps, run);
    }
    next!(step, mem, x, rest, run)
}

#[inline(never)]
fn line_aside<M: HartMemory>(mem: &mut M, x: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
    let (step, rest) = step!(steps);
    let key = &mut run.keys[step.aux as usize];
    let Some((slot, version)) = mem.fetch_at_once(Cycle(run.now), step.imm as u32) else {
        return Left::new(Why::Loop, steps.len());
    };
    if !key.is_seen(slot, version, run.texts, mem.fetch_bytes(slot)) {
        return Left::new(Why::ForgetLoop, steps.len());
    }
    key.generation = mem.fetch_generation();
    next!(step, mem, x, rest, run)
}

fn end<M: HartMemory>(_: &mut M, _: &mut Registers, steps: &[Step], _: &mut Run<'_>) -> Left {
    let (step, _) = step!(steps);
    Left::way(step, 0)
}

fn unknown<M: HartMemory>(_: &mut M, _: &mut Registers, steps: &[Step], run: &mut Run<'_>) -> Left {
    let (step, _) = step!(steps);
    let known = run.lines.half(step.imm as u32).is_some();
    Left::new(if known { Why::ForgetBound } else { Why::Bound }, steps.len())
}

fn to_loop<M: HartMemory>(_: &mut M, _: &mut Registers, steps: &[Step], _: &mut Run<'_>) -> Left {
    Left::new(Why::Loop, steps.len())
}

impl<M: HartMemory> Acts<M> {
    /// By [`Do`]; as many as a byte can name, so that none need be checked.
    pub const ALL: [Act<M>; 256] = {
        let mut all: [Act<M>; 256] = [to_loop::<M>; 256];
        macro_rules! set {
            ($($act:ident: $name:ident,)*) => { $(all[Do::$act as usize] = $name::<M>;)* };
        }
        set! {
            Const: constant, Addi: addi, Slti: slti, Sltiu: sltiu, Xori: xori, Ori: ori, Andi: andi, Slli: slli,
            Srli: srli, Srai: srai, Add: add, Sub: sub, Sll: sll, Slt: slt, Sltu: sltu, Xor: xor, Srl: srl, Sra: sra,
            Or: or, And: and, Mul: mul, Mulh: mulh, Mulhsu: mulhsu, Mulhu: mulhu,
            Lb: lb, Lh: lh, Lw: lw, Lbu: lbu, Lhu: lhu, Sb: sb, Sh: sh, Sw: sw,
            Beq: beq, Bne: bne, Blt: blt, Bge: bge, Bltu: bltu, Bgeu: bgeu,
            Jump: jump, Jalr: jalr, Line: line, End: end, Unknown: unknown, Loop: to_loop,
        }
        all
    };
}
