// SPDX-License-Identifier: Apache-2.0
//! The loop over translated blocks: from block to block while each step can be done at once.
//!
//! Nothing is followed inside a block but registers and memory. Time, retired instructions and late results are made up for where it
//! is left. What ends the loop leaves the hart at a boundary; `run.rs` goes on there.

use crate::blocks::{Blocks, Do, Rules};
use crate::lines::{tag, Entry, Lines};
use crate::Hart;
use engine::{HartMemory, Width};
use isa::Code;
use units::Cycle;

/// Where the loops are: the copies of a hart's state that they work on.
pub(crate) struct At {
    pub pc: u32,
    pub now: u64,
    pub retired: u64,
}

impl Hart {
    /// Execute blocks from `at` on. Answers until when `run.rs` has to execute, at most `bound`, before blocks are tried again; it
    /// executes one instruction at least, unless `bound` is reached.
    #[inline(never)]
    pub(crate) fn execute_blocks<M: HartMemory>(
        &mut self,
        lines: &Lines,
        blocks: &mut Blocks,
        mem: &mut M,
        at: &mut At,
        bound: u64,
    ) -> u64 {
        let At { mut pc, mut now, mut retired } = *at;
        // Nothing that is executed here changes which lines are held; 0 says that the memory does not count their changes.
        let generation = match mem.fetch_generation() {
            0 => u64::MAX,
            generation => generation,
        };
        // The exit that led here: an index, and which of its two links.
        let mut from = Blocks::NO_LINK;
        let until = 'blocks: loop {
            if now >= bound {
                break bound;
            }
            let linked = blocks.link(from, pc);
            let index = match linked.or_else(|| blocks.find(pc)) {
                Some(index) => index,
                None if blocks.seen(pc) => match self.translate(lines, blocks, pc) {
                    Some(index) => index,
                    None => break bound,
                },
                None => break bound,
            };
            if linked.is_none() {
                blocks.set_link(from, index);
            }
            let Blocks { blocks: all, steps, leaves, exits, lates, keys, texts, .. } = &mut *blocks;
            let block = &mut all[index];
            if block.era != lines.era() {
                block.era = lines.era();
                keys[block.keys.0 as usize..block.keys.1 as usize].iter_mut().for_each(|k| k.forget());
            }
            if now + u64::from(block.span) >= bound {
                break bound;
            }
            if self.late_until > now {
                // What is late must not be waited for in the block, nor be forgotten by it.
                let left = (self.late_until - now).min(block.early.len() as u64);
                let touched = block.early[left as usize - 1] | block.writes;
                if touched & self.late_set != 0 {
                    break bound.min(self.late_until);
                }
            } else {
                self.late_set = 0;
            }
            let first = block.first as usize;
            let steps = &steps[first..block.last as usize];
            let mut i = usize::from(keys[block.keys.0 as usize].generation == generation);
            macro_rules! late {
                ($exit:expr) => {
                    if $exit.late_set != 0 {
                        for (r, ready) in &lates[$exit.lates.0 as usize..$exit.lates.1 as usize] {
                            self.ready[usize::from(*r) & 63] = now + u64::from(*ready);
                        }
                        self.late_set |= $exit.late_set;
                        self.late_until = self.late_until.max(now + u64::from($exit.late_until));
                    }
                };
            }
            // Leave before the step `i`.
            macro_rules! leave {
                ($until:expr) => {{
                    let e = &leaves[first + i];
                    if e.lates_count != 0 {
                        for (r, ready) in &lates[e.lates as usize..][..usize::from(e.lates_count)] {
                            let ready = now + u64::from(*ready);
                            self.ready[usize::from(*r) & 63] = ready;
                            self.late_set |= 1u32.wrapping_shl(u32::from(*r));
                            self.late_until = self.late_until.max(ready);
                        }
                    }
                    pc = e.pc;
                    retired += u64::from(e.retired);
                    now += u64::from(e.boundary);
                    break 'blocks bound.min($until);
                }};
            }
            macro_rules! exit {
                ($exit:expr, $pc:expr, $cost:expr, $link:expr) => {{
                    let e = $exit;
                    from = $link;
                    late!(e);
                    retired += u64::from(e.retired);
                    pc = $pc;
                    now += u64::from(e.issue) + $cost;
                    continue 'blocks;
                }};
            }
            loop {
                let step = steps[i];
                let imm = step.imm;
                let rd = usize::from(step.rd);
                macro_rules! a {
                    () => {
                        self.x[usize::from(step.rs1)]
                    };
                }
                macro_rules! b {
                    () => {
                        self.x[usize::from(step.rs2)]
                    };
                }
                macro_rules! set {
                    ($value:expr) => {
                        self.x[rd] = $value
                    };
                }
                macro_rules! load {
                    ($width:expr, |$v:ident| $value:expr) => {{
                        let addr = a!().wrapping_add(imm as u32);
                        match mem.load_at_once(Cycle(now + u64::from(step.aux)), addr, $width) {
                            Some($v) => set!($value),
                            None => leave!(now + 1),
                        }
                    }};
                }
                macro_rules! store {
                    ($width:expr) => {{
                        let addr = a!().wrapping_add(imm as u32);
                        if !mem.store_at_once(Cycle(now + u64::from(step.aux)), addr, $width, b!()) {
                            leave!(now + 1);
                        }
                        if mem.code_changed_at_once() {
                            // The block itself may just have been written.
                            i += 1;
                            leave!(bound);
                        }
                    }};
                }
                macro_rules! branch {
                    ($condition:expr) => {{
                        let taken: bool = $condition;
                        let foreseen = self.history.foresee(imm as u32, rd != 0, taken);
                        if taken {
                            let e = &exits[step.aux as usize];
                            self.transfers.push(e.end, e.target);
                            exit!(e, e.target, self.costs.branch[usize::from(foreseen) * 2 + 1], step.aux * 2);
                        }
                        if foreseen && self.costs.branch[2] != self.costs.branch[0] {
                            let e = &exits[step.aux as usize];
                            exit!(e, e.end, self.costs.branch[2], step.aux * 2 + 1);
                        }
                    }};
                }
                match step.act {
                    Do::Const => set!(imm as u32),
                    Do::Addi => set!(a!().wrapping_add(imm as u32)),
                    Do::Slti => set!(u32::from((a!() as i32) < imm)),
                    Do::Sltiu => set!(u32::from(a!() < imm as u32)),
                    Do::Xori => set!(a!() ^ imm as u32),
                    Do::Ori => set!(a!() | imm as u32),
                    Do::Andi => set!(a!() & imm as u32),
                    Do::Slli => set!(a!() << (imm & 31)),
                    Do::Srli => set!(a!() >> (imm & 31)),
                    Do::Srai => set!(((a!() as i32) >> (imm & 31)) as u32),
                    Do::Add => set!(a!().wrapping_add(b!())),
                    Do::Sub => set!(a!().wrapping_sub(b!())),
                    Do::Sll => set!(a!() << (b!() & 31)),
                    Do::Slt => set!(u32::from((a!() as i32) < b!() as i32)),
                    Do::Sltu => set!(u32::from(a!() < b!())),
                    Do::Xor => set!(a!() ^ b!()),
                    Do::Srl => set!(a!() >> (b!() & 31)),
                    Do::Sra => set!(((a!() as i32) >> (b!() & 31)) as u32),
                    Do::Or => set!(a!() | b!()),
                    Do::And => set!(a!() & b!()),
                    Do::Mul => set!(a!().wrapping_mul(b!())),
                    Do::Mulh => set!(((i64::from(a!() as i32) * i64::from(b!() as i32)) >> 32) as u32),
                    Do::Mulhsu => set!(((i64::from(a!() as i32) * i64::from(b!())) >> 32) as u32),
                    Do::Mulhu => set!(((u64::from(a!()) * u64::from(b!())) >> 32) as u32),
                    Do::Lb => load!(Width::Byte, |v| v as u8 as i8 as u32),
                    Do::Lh => load!(Width::Half, |v| v as u16 as i16 as u32),
                    Do::Lw => load!(Width::Word, |v| v),
                    Do::Lbu => load!(Width::Byte, |v| v),
                    Do::Lhu => load!(Width::Half, |v| v),
                    Do::Sb => store!(Width::Byte),
                    Do::Sh => store!(Width::Half),
                    Do::Sw => store!(Width::Word),
                    Do::Beq => branch!(a!() == b!()),
                    Do::Bne => branch!(a!() != b!()),
                    Do::Blt => branch!((a!() as i32) < b!() as i32),
                    Do::Bge => branch!(a!() as i32 >= b!() as i32),
                    Do::Bltu => branch!(a!() < b!()),
                    Do::Bgeu => branch!(a!() >= b!()),
                    Do::Jump => {
                        set!(step.aux);
                        self.transfers.push(step.aux, imm as u32);
                    }
                    Do::Jalr => {
                        let e = &exits[step.aux as usize];
                        let target = a!().wrapping_add(imm as u32) & !1;
                        if target & self.misaligned_fetch != 0 {
                            leave!(now + 1);
                        }
                        set!(e.end);
                        self.transfers.push(e.end, target);
                        exit!(e, target, self.costs.jump_indirect, step.aux * 2);
                    }
                    Do::Line => {
                        let key = &mut keys[step.aux as usize];
                        if key.generation == generation {
                            i += 1;
                            continue;
                        }
                        let Some((slot, version)) = mem.fetch_at_once(Cycle(now), imm as u32) else { leave!(now + 1) };
                        let seen = u64::from(slot) << 32 | u64::from(version);
                        if key.seen != seen && !Blocks::same_text(key, texts, seen, mem.fetch_bytes(slot)) {
                            Blocks::forget(block);
                            leave!(now + 1);
                        }
                        key.generation = mem.fetch_generation();
                    }
                    Do::End => {
                        let e = &exits[step.aux as usize];
                        exit!(e, e.target, 0, step.aux * 2);
                    }
                    Do::Unknown => {
                        if lines.half(imm as u32).is_some() {
                            Blocks::forget(block);
                        }
                        leave!(bound);
                    }
                    Do::Loop => leave!(now + 1),
                }
                i += 1;
            }
        };
        self.in_blocks += retired - at.retired;
        blocks.paid(retired - at.retired);
        *at = At { pc, now, retired };
        until
    }

    #[cold]
    fn translate(&self, lines: &Lines, blocks: &mut Blocks, pc: u32) -> Option<usize> {
        let sites = self.recorder.as_ref().map(|r| &r.sites);
        let rules = Rules { set: self.config.isa, costs: &self.costs, sites, misaligned_fetch: self.misaligned_fetch };
        blocks.translate(lines, rules, pc)
    }

    /// Execute a suspended load or store whose line has come, and say when it completes; `None` leaves it to the loop.
    #[inline]
    pub(crate) fn repeat<M: HartMemory>(&mut self, entry: &Entry, mem: &mut M, issue: u64) -> Option<u64> {
        if entry.tag != tag::PLAIN {
            return None;
        }
        let op = &entry.op;
        let addr = self.x[usize::from(op.rs1)].wrapping_add(op.imm as u32);
        let (width, signed) = match op.code {
            Code::Lw => (Width::Word, false),
            Code::Lhu => (Width::Half, false),
            Code::Lbu => (Width::Byte, false),
            Code::Lh => (Width::Half, true),
            Code::Lb => (Width::Byte, true),
            Code::Sw | Code::Sh | Code::Sb => {
                let width = match op.code {
                    Code::Sw => Width::Word,
                    Code::Sh => Width::Half,
                    _ => Width::Byte,
                };
                let value = self.x[usize::from(op.rs2)];
                // Where the line of the next instruction is looked up anyway, nothing else has to be done about changed code.
                return mem.store_at_once(Cycle(issue), addr, width, value).then(|| {
                    mem.code_changed_at_once();
                    issue + self.costs.store
                });
            }
            _ => return None,
        };
        let value = mem.load_at_once(Cycle(issue), addr, width)?;
        let value = match (signed, width) {
            (true, Width::Half) => value as u16 as i16 as u32,
            (true, Width::Byte) => value as u8 as i8 as u32,
            _ => value,
        };
        let rd = usize::from(op.rd) & 63;
        self.x[rd] = value;
        self.ready[rd] = issue + self.costs.load_ready;
        let end = issue + self.costs.load;
        if self.ready[rd] > end {
            self.late_set |= 1u32.wrapping_shl(rd as u32);
            self.late_until = self.late_until.max(self.ready[rd]);
        }
        Some(end)
    }
}
