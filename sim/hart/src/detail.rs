// SPDX-License-Identifier: Apache-2.0
//! Costs that depend on more than an instruction, its operands and the registers that it waits for: where it lies, what was
//! executed before it, what lies behind it. Only classes that have such costs ([`Costs::detailed`](crate::timing::Costs::detailed))
//! are executed by the loop that asks for them.

use crate::transfers::bits_at;
use crate::{Hart, Peek};
use isa::{Code, Op};

/// A store: its word, which bytes of it (and of the next word), when it was issued.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Stored {
    word: u32,
    bytes: u32,
    at: u64,
}

impl Stored {
    /// For a digest, as seen at `now`; nothing once nothing depends on it.
    pub fn digest(&self, now: u64, within: u64) -> u64 {
        let age = now.saturating_sub(self.at);
        if self.bytes == 0 || age > within {
            return 0;
        }
        1 + (u64::from(self.word) << 16 | u64::from(self.bytes) << 8 | age)
    }
}

fn length_at(mem: &impl Peek, pc: u32) -> u8 {
    isa::length(bits_at(mem, pc) as u16)
}

impl Hart {
    /// Cycles of a control register instruction. Where writing an interrupt enable empties the pipeline, clearing a bit of it
    /// need not.
    #[inline(never)]
    pub(crate) fn csr_cost(&self, op: &Op) -> u64 {
        let enables = matches!(op.imm & 0xfff, 0x300 | 0x304);
        let sets = match op.code {
            Code::Csrrw | Code::Csrrwi => true,
            Code::Csrrs => op.rs1 != 0,
            Code::Csrrsi => (op.imm >> 16) & 31 != 0,
            _ => false,
        };
        if enables && sets {
            self.costs.csr_enable
        } else {
            self.costs.csr
        }
    }

    /// When an instruction can issue on a core whose fetch and access times depend on more than registers. `at` is where its
    /// boundary lies.
    #[inline(always)]
    pub(crate) fn detailed_issue(&mut self, op: &Op, pc: u32, at: u64, sources: u64) -> u64 {
        let mut start = at;
        if pc & 2 != 0 && op.len == 4 {
            start += self.costs.fetch_misaligned;
            if self.s.jumped {
                start += self.costs.target_misaligned;
            }
        }
        let mut issue = start.max(sources);
        if (Code::Csrrw..=Code::Csrrci).contains(&op.code) || op.code == Code::Mret {
            // What a jump leaves empty behind it counts as time to drain.
            let left = if self.s.jumped { self.s.last_issue + 1 } else { at };
            issue = issue.max(left + self.costs.csr_drain);
        }
        self.s.jumped = false;
        self.s.flushed = false;
        self.s.last_issue = issue;
        let atomic = (Code::LrW..=Code::AmoMaxu).contains(&op.code);
        if (Code::Lb..=Code::Sw).contains(&op.code) || atomic || matches!(op.code, Code::Flw | Code::Fsw) {
            issue = issue.max(self.s.next_access);
            let width = match op.code {
                Code::Lh | Code::Lhu | Code::Sh => 2,
                Code::Lb | Code::Lbu | Code::Sb => 1,
                _ => 4,
            };
            let addr = self.x[usize::from(op.rs1) & 31].wrapping_add(op.imm as u32);
            if (addr & 3) + width > 4 {
                issue += self.costs.access_misaligned;
            }
            if self.costs.load_stored != 0 && !atomic {
                issue = self.meet_store(op, addr, width, issue);
            }
            self.s.next_access = issue + self.costs.access_interval;
        }
        issue
    }

    /// A load of bytes that are still on their way into the cache is made again; answers when it issues. A store is noted.
    #[inline(never)]
    fn meet_store(&mut self, op: &Op, addr: u32, width: u32, issue: u64) -> u64 {
        let bytes = ((1u32 << width) - 1) << (addr & 3);
        if matches!(op.code, Code::Sb | Code::Sh | Code::Sw | Code::Fsw) {
            self.s.stored = [Stored { word: addr & !3, bytes, at: issue }, self.s.stored[0]];
            return issue;
        }
        let meets = |s: &Stored| {
            s.word == addr & !3 && s.bytes & bytes != 0 && issue - s.at.min(issue) <= self.costs.load_stored_within
        };
        issue + if self.s.stored.iter().any(meets) { self.costs.load_stored } else { 0 }
    }

    /// What the instructions behind a jump cost that is taken, though they are not executed: the fetch of the target waits
    /// for them. `branch`: the jump is conditional. `issue` is the jump's.
    #[inline(always)]
    pub(crate) fn behind_jump<M: Peek>(&self, mem: &M, behind: u32, issue: u64, branch: bool) -> u64 {
        let mut extra = 0;
        if branch && self.costs.branch_misaligned != 0 && behind & 2 != 0 && length_at(mem, behind) == 4 {
            extra += self.costs.branch_misaligned;
        }
        if self.costs.jump_stalled != 0 && self.stalls_behind(mem, behind, issue) {
            extra += self.costs.jump_stalled;
        }
        extra
    }

    /// Whether the decode stage is stalled in the second cycle of a jump, by an instruction that follows the jump.
    #[inline(never)]
    fn stalls_behind<M: Peek>(&self, mem: &M, behind: u32, issue: u64) -> bool {
        let op_at = |pc| isa::decode(self.config.isa, bits_at(mem, pc));
        let ready = |op: &Op| self.ready[usize::from(op.rs1) & 127].max(self.ready[usize::from(op.rs2) & 127]);
        let first = op_at(behind);
        if ready(&first) > issue + 1 {
            return ready(&first) > issue + 2;
        }
        let amount = match first.code {
            Code::Slli | Code::Srli | Code::Srai => Some(first.imm as u32),
            Code::Sll | Code::Srl | Code::Sra => Some(self.x[usize::from(first.rs2) & 31]),
            _ => None,
        };
        let drains = (Code::Csrrw..=Code::Csrrci).contains(&first.code) && self.costs.csr_drain != 0;
        if drains || amount.is_some_and(|n| self.costs.shift[(n & 31) as usize] > 1) {
            return true;
        }
        let second = op_at(behind.wrapping_add(u32::from(first.len)));
        let late = match first.code {
            Code::Lb | Code::Lh | Code::Lw | Code::Lbu | Code::Lhu | Code::Flw => {
                self.costs.load_ready > self.costs.load
            }
            _ if amount.is_some() => self.costs.shift_result != 0,
            _ => self.costs.alu_ready > self.costs.alu,
        };
        let uses = first.rd != 0 && (second.rs1 == first.rd || second.rs2 == first.rd);
        late && uses || ready(&second) > issue + 2
    }
}
