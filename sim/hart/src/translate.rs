// SPDX-License-Identifier: Apache-2.0
//! From instructions to the steps of a block.

use crate::blocks::{Block, Blocks, Do, Key, Leave, Piece, Plan, Rules, Step, Way, NOWHERE};
use crate::lines::{self, tag, Lines, SINK};
use isa::Code;

/// Instructions of a block.
const MOST_INSTRUCTIONS: u32 = 32;
/// Cycles of a block.
const MOST_CYCLES: u64 = 1 << 16;

/// Translate the block that begins at `pc` with this late; `None` if its first line is not known.
#[cold]
#[inline(never)]
pub(crate) fn translate(out: &mut Blocks, lines: &Lines, rules: Rules<'_>, pc: u32, late: u32) -> Option<usize> {
    lines.half(pc)?;
    let keys = out.keys.len() as u32;
    let mut t = Translation::new(out, lines, rules, pc, late);
    t.run();
    let (span, steps) = (t.span, t.steps);
    let checked = emit(out, steps.iter());
    let unchecked = emit(out, steps.iter().filter(|s| s.0 != Do::Line));
    let keys = (keys, out.keys.len() as u32);
    let Piece { first, count, act } = checked;
    let block = Block { generation: 0, era: lines.era(), pc, span, first, count, act };
    Some(out.add(block, Plan { late, next: 0, checked, unchecked, keys }))
}

fn emit<'a>(out: &mut Blocks, steps: impl Iterator<Item = &'a (Do, Step, Leave)> + Clone) -> Piece {
    let first = out.steps.len() as u32;
    let behind = steps.clone().skip(1).map(|s| s.0).chain([Do::End]);
    let act = steps.clone().next().map_or(Do::End, |s| s.0);
    for ((_, step, leave), next) in steps.zip(behind) {
        out.steps.push(Step { next, ..*step });
        out.leaves.push(*leave);
    }
    Piece { first, count: (out.steps.len() as u32 - first) as u16, act }
}

/// What registers have been through while a block is translated.
struct Translation<'a> {
    out: &'a mut Blocks,
    lines: &'a Lines,
    rules: Rules<'a>,
    /// What each step does, the step, and the way out before it.
    steps: Vec<(Do, Step, Leave)>,
    begin: u32,
    pc: u32,
    now: u64,
    retired: u32,
    /// When each register can be used.
    ready: [u64; 33],
    /// When all of them can.
    latest: u64,
    /// Those that may be late.
    touched: u32,
    /// The line that was checked last.
    checked: Option<u32>,
    span: u32,
}

impl<'a> Translation<'a> {
    fn new(out: &'a mut Blocks, lines: &'a Lines, rules: Rules<'a>, pc: u32, late: u32) -> Translation<'a> {
        let mut ready = [0; 33];
        let (mut latest, mut touched) = (0, 0);
        for (register, at) in out.late(late) {
            ready[usize::from(*register)] = u64::from(*at);
            latest = latest.max(u64::from(*at));
            touched |= 1 << *register;
        }
        Translation {
            out,
            lines,
            rules,
            steps: Vec::new(),
            begin: pc,
            pc,
            now: 0,
            retired: 0,
            ready,
            latest,
            touched,
            checked: None,
            span: 0,
        }
    }

    fn push(&mut self, act: Do, step: Step) {
        let lates = self.out.lates.len() as u32;
        let late = self.late_at(self.now, 0);
        self.out.lates.extend_from_slice(&late);
        let leave = Leave {
            pc: self.pc,
            boundary: self.now as u32,
            lates,
            lates_count: late.len() as u16,
            retired: self.retired as u16,
        };
        self.steps.push((act, step, leave));
    }

    fn stop(&mut self, act: Do, address: u32) {
        let aux = if act == Do::End { self.way_out(self.now, self.pc, NOWHERE) } else { 0 };
        self.push(act, Step { next: Do::End, rd: SINK, rs1: 0, rs2: 0, imm: address as i32, aux });
    }

    /// What is late at `now`: when each can be used, less `from`.
    fn late_at(&self, now: u64, from: u64) -> Vec<(u8, u32)> {
        let mut late = Vec::new();
        let mut left = if now < self.latest { self.touched } else { 0 };
        while left != 0 {
            let register = left.trailing_zeros() as u8;
            left &= left - 1;
            let ready = self.ready[usize::from(register)];
            if ready > now {
                late.push((register, (ready - from) as u32));
            }
        }
        late
    }

    /// A way out to a block that begins at `now`.
    fn way_out(&mut self, now: u64, pc: u32, end: u32) -> u32 {
        let late = self.late_at(now, now);
        let late = self.out.late_number(&late) as u16;
        self.out.ways.push(Way { pc, end, cycles: now as u32, link: 0, late, retired: self.retired as u16 });
        self.out.ways.len() as u32 - 1
    }

    /// Make sure that the line that holds `pc` is checked by then.
    fn line(&mut self, pc: u32) {
        let base = pc & !(self.lines.line_bytes - 1);
        // Coming back to a line counts as a use of it, so it is asked for again.
        if self.checked == Some(base) {
            return;
        }
        self.checked = Some(base);
        let text = self.out.texts.len() as u32;
        self.out.texts.extend_from_slice(self.lines.text(base));
        self.out.keys.push(Key { seen: 0, generation: 0, text, line: base });
        let aux = self.out.keys.len() as u32 - 1;
        self.push(Do::Line, Step { next: Do::End, rd: SINK, rs1: 0, rs2: 0, imm: base as i32, aux });
    }

    fn run(&mut self) {
        loop {
            let pc = self.pc;
            // Which halves are known?
            let Some(low) = self.lines.half(pc) else { return self.stop(Do::Unknown, pc) };
            let long = isa::length(low) == 4;
            // Each block begins with the check of its first line.
            self.line(pc);
            let behind = pc.wrapping_add(2);
            let high = if long { self.lines.half(behind) } else { Some(0) };
            let Some(high) = high else { return self.stop(Do::Unknown, behind) };
            let entry = lines::entry(self.rules.set, self.rules.sites, pc, low, high);
            if long {
                self.line(behind);
            }
            if entry.tag != tag::PLAIN {
                return self.stop(Do::Loop, 0);
            }
            if self.retired >= MOST_INSTRUCTIONS || self.now >= MOST_CYCLES {
                return self.stop(Do::End, 0);
            }
            if !self.instruction(entry.op) {
                return;
            }
        }
    }

    /// Translate one instruction; false if the block ends with it, or before it.
    fn instruction(&mut self, op: isa::Op) -> bool {
        let costs = self.rules.costs;
        let act = act(op.code);
        let fixed = costs.fixed(op.code);
        let (Some(act), Some((cost, result))) = (act, fixed) else {
            // What has no effect but its time needs no step.
            if let (Code::Pause, Some((cost, _))) = (op.code, fixed) {
                let issue = self.issue(op);
                self.next(op.len, issue + cost);
                return true;
            }
            self.stop(Do::Loop, 0);
            return false;
        };
        let end = self.pc.wrapping_add(u32::from(op.len));
        let target = self.pc.wrapping_add(op.imm as u32);
        let direct = matches!(op.code, Code::Jal) || (Do::Beq as u8..=Do::Bgeu as u8).contains(&(act as u8));
        if direct && target & self.rules.misaligned_fetch != 0 {
            self.stop(Do::Loop, 0);
            return false;
        }
        let issue = self.issue(op);
        let mut step = Step { next: Do::End, rd: op.rd, rs1: op.rs1, rs2: op.rs2, imm: op.imm, aux: issue as u32 };
        match op.code {
            Code::Jal => {
                step = Step { imm: target as i32, aux: end, ..step };
                self.push(act, step);
                self.writes(op.rd, issue + cost);
                self.next(op.len, issue + cost);
                self.pc = target;
                if target == self.begin {
                    self.stop(Do::End, 0);
                }
                target != self.begin
            }
            Code::Jalr => {
                let before = (self.ready, self.touched);
                // The link is not late.
                self.writes(op.rd, 0);
                self.retired += 1;
                let out = self.way_out(issue + cost, NOWHERE, end);
                self.retired -= 1;
                (self.ready, self.touched) = before;
                self.push(act, Step { aux: out, ..step });
                self.stop(Do::Loop, end);
                self.next(op.len, issue + cost);
                false
            }
            Code::Beq | Code::Bne | Code::Blt | Code::Bge | Code::Bltu | Code::Bgeu => {
                self.retired += 1;
                let out = self.way_out(issue + costs.branch[3], target, end);
                self.way_out(issue + costs.branch[1], target, end);
                self.way_out(issue + costs.branch[2], end, NOWHERE);
                self.retired -= 1;
                // Whether it goes backward, and whether a block that goes on behind it would have to know what was foreseen.
                let backward = u8::from(op.imm < 0);
                let differs = u8::from(costs.branch[2] != costs.branch[0]);
                let step = Step { rd: backward | differs << 1, imm: self.pc as i32, aux: out, ..step };
                self.push(act, step);
                self.next(op.len, issue + costs.branch[0]);
                true
            }
            Code::Lui | Code::Auipc => {
                let value = if op.code == Code::Lui { op.imm as u32 } else { target };
                self.push(act, Step { imm: value as i32, ..step });
                self.writes(op.rd, issue + result);
                self.next(op.len, issue + cost);
                true
            }
            _ => {
                let writes = !(Do::Sb as u8..=Do::Sw as u8).contains(&(act as u8));
                if !self.fuse(op, act) {
                    self.push(act, step);
                }
                if writes {
                    self.writes(op.rd, issue + result);
                }
                self.next(op.len, issue + cost);
                true
            }
        }
    }

    /// lui or auipc and then addi make one constant.
    fn fuse(&mut self, op: isa::Op, act: Do) -> bool {
        let Some((Do::Const, last, _)) = self.steps.last_mut() else { return false };
        let fits = act == Do::Addi && last.rd == op.rd && op.rs1 == op.rd && op.rd != SINK;
        if fits {
            last.imm = last.imm.wrapping_add(op.imm);
        }
        fits
    }

    fn issue(&self, op: isa::Op) -> u64 {
        let ready = |r: u8| self.ready[usize::from(r).min(32)];
        self.now.max(ready(op.rs1)).max(ready(op.rs2))
    }

    fn writes(&mut self, rd: u8, ready: u64) {
        if rd < SINK {
            self.ready[usize::from(rd)] = ready;
            self.latest = self.latest.max(ready);
            self.touched |= 1 << rd;
        }
    }

    fn next(&mut self, len: u8, now: u64) {
        self.span = self.span.max(self.now as u32);
        self.now = now;
        self.retired += 1;
        self.pc = self.pc.wrapping_add(u32::from(len));
    }
}

fn act(code: Code) -> Option<Do> {
    Some(match code {
        Code::Lui | Code::Auipc => Do::Const,
        Code::Jal => Do::Jump,
        Code::Jalr => Do::Jalr,
        Code::Beq => Do::Beq,
        Code::Bne => Do::Bne,
        Code::Blt => Do::Blt,
        Code::Bge => Do::Bge,
        Code::Bltu => Do::Bltu,
        Code::Bgeu => Do::Bgeu,
        Code::Lb => Do::Lb,
        Code::Lh => Do::Lh,
        Code::Lw => Do::Lw,
        Code::Lbu => Do::Lbu,
        Code::Lhu => Do::Lhu,
        Code::Sb => Do::Sb,
        Code::Sh => Do::Sh,
        Code::Sw => Do::Sw,
        Code::Addi => Do::Addi,
        Code::Slti => Do::Slti,
        Code::Sltiu => Do::Sltiu,
        Code::Xori => Do::Xori,
        Code::Ori => Do::Ori,
        Code::Andi => Do::Andi,
        Code::Slli => Do::Slli,
        Code::Srli => Do::Srli,
        Code::Srai => Do::Srai,
        Code::Add => Do::Add,
        Code::Sub => Do::Sub,
        Code::Sll => Do::Sll,
        Code::Slt => Do::Slt,
        Code::Sltu => Do::Sltu,
        Code::Xor => Do::Xor,
        Code::Srl => Do::Srl,
        Code::Sra => Do::Sra,
        Code::Or => Do::Or,
        Code::And => Do::And,
        Code::Mul => Do::Mul,
        Code::Mulh => Do::Mulh,
        Code::Mulhsu => Do::Mulhsu,
        Code::Mulhu => Do::Mulhu,
        _ => return None,
    })
}
