// SPDX-License-Identifier: Apache-2.0
//! The loop over translated blocks: from block to block while each step can be done at once.
//!
//! Nothing is followed inside a block but registers and memory. Time, retired instructions and late results are made up for where it
//! is left. What ends the loop leaves the hart at a boundary; `run.rs` goes on there.

use crate::acts::{Acts, Run, Why};
use crate::blocks::{Blocks, Rules, NOWHERE, UNCOUNTED};
use crate::lines::{tag, Entry, Lines};
use crate::{translate, Hart};
use engine::{HartMemory, Width};
use isa::Code;
use units::Cycle;

/// Where the loops are: the copies of a hart's state that they work on.
pub(crate) struct At {
    pub pc: u32,
    pub now: u64,
    pub retired: u64,
}

/// Of what is late where blocks are entered from the loop, at most so much is made part of a block.
const MOST_LATE: usize = 4;
const LATEST: u64 = 16;

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
        let Some(mut late) = self.take_late(blocks, at.now) else { return bound.min(self.late_until) };
        let At { mut pc, mut now, mut retired } = *at;
        // Nothing that is executed here changes which lines are held.
        let generation = match mem.fetch_generation() {
            0 => UNCOUNTED,
            generation => generation,
        };
        let era = lines.era();
        // The way that led here, and the block that it led to last.
        let (mut from, mut index) = (Blocks::NO_WAY, 0);
        let until = 'blocks: loop {
            // Where a block is not the one that was expected.
            if blocks.blocks.get(index).is_none_or(|block| block.pc != pc) {
                if now >= bound {
                    break bound;
                }
                index = match blocks.find(pc, late) {
                    Some(index) => index,
                    None if !blocks.seen(pc) => break bound,
                    None => {
                        if blocks.is_full() {
                            self.put_late(blocks, late, now);
                            late = 0;
                            blocks.clear();
                        }
                        match self.translate(lines, blocks, pc, late) {
                            Some(index) => index,
                            None => break bound,
                        }
                    }
                };
                blocks.set_link(from, index);
            }
            if !blocks.blocks[index].is_chosen(era, generation) {
                blocks.choose(index, mem, now, era, generation);
            }
            let mut run = Run {
                history: &mut self.history,
                transfers: &mut self.transfers,
                keys: &mut blocks.keys,
                texts: &blocks.texts,
                lines,
                now,
                generation,
                misaligned_fetch: self.misaligned_fetch,
                target: 0,
            };
            // From block to block.
            let left = loop {
                let Some(block) = blocks.blocks.get(index).filter(|b| b.pc == pc && b.is_chosen(era, generation))
                else {
                    continue 'blocks;
                };
                if now + u64::from(block.span) >= bound {
                    break 'blocks bound;
                }
                let steps = &blocks.steps[block.first as usize..][..usize::from(block.count)];
                run.now = now;
                let left = Acts::<M>::ALL[usize::from(block.act as u8)](mem, &mut self.x, steps, &mut run);
                if left.why() != Why::Way {
                    break left;
                }
                from = left.number() as usize;
                let way = &blocks.ways[from];
                now += u64::from(way.cycles);
                retired += u64::from(way.retired);
                late = u32::from(way.late);
                index = way.link as usize;
                pc = if way.pc == NOWHERE { run.target } else { way.pc };
                if way.end != NOWHERE {
                    run.transfers.push(way.end, pc);
                }
            };
            let block = &blocks.blocks[index];
            let leave = &blocks.leaves[block.first as usize + usize::from(block.count) - left.number() as usize];
            for (register, ready) in &blocks.lates[leave.lates as usize..][..usize::from(leave.lates_count)] {
                self.set_late(*register, now + u64::from(*ready));
            }
            late = 0;
            pc = leave.pc;
            retired += u64::from(leave.retired);
            now += u64::from(leave.boundary);
            if matches!(left.why(), Why::ForgetLoop | Why::ForgetBound) {
                blocks.forget(index);
            }
            break match left.why() {
                Why::Bound | Why::ForgetBound => bound,
                _ => bound.min(now + 1),
            };
        };
        self.put_late(blocks, late, now);
        self.in_blocks += retired - at.retired;
        blocks.paid(retired - at.retired);
        *at = At { pc, now, retired };
        until
    }

    /// The number of what is late at `now`; nothing is, until it is [put back](Self::put_late). `None` if the loop had better wait for it.
    #[inline]
    fn take_late(&mut self, blocks: &mut Blocks, now: u64) -> Option<u32> {
        if self.late_until <= now {
            self.late_set = 0;
            return Some(0);
        }
        self.take_some(blocks, now)
    }

    #[inline(never)]
    fn take_some(&mut self, blocks: &mut Blocks, now: u64) -> Option<u32> {
        let mut late = [(0, 0); MOST_LATE];
        let mut count = 0;
        let mut left = self.late_set;
        while left != 0 {
            let register = left.trailing_zeros() as u8;
            left &= left - 1;
            let ready = self.ready[usize::from(register)];
            if ready > now {
                let place = late.get_mut(count).filter(|_| ready - now <= LATEST)?;
                *place = (register, (ready - now) as u32);
                count += 1;
            }
        }
        for (register, _) in &late[..count] {
            self.ready[usize::from(*register)] = 0;
        }
        (self.late_set, self.late_until) = (0, 0);
        Some(blocks.late_number(&late[..count]))
    }

    #[inline]
    fn put_late(&mut self, blocks: &Blocks, late: u32, now: u64) {
        if late != 0 {
            blocks.late(late).iter().for_each(|(register, after)| self.set_late(*register, now + u64::from(*after)));
        }
    }

    fn set_late(&mut self, register: u8, ready: u64) {
        self.ready[usize::from(register) & 63] = ready;
        self.late_set |= 1u32.wrapping_shl(u32::from(register));
        self.late_until = self.late_until.max(ready);
    }

    #[cold]
    fn translate(&self, lines: &Lines, blocks: &mut Blocks, pc: u32, late: u32) -> Option<usize> {
        let sites = self.recorder.as_ref().map(|r| &r.sites);
        let rules = Rules { set: self.config.isa, costs: &self.costs, sites, misaligned_fetch: self.misaligned_fetch };
        translate::translate(blocks, lines, rules, pc, late)
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
