// SPDX-License-Identifier: Apache-2.0
//! Instructions that a user defines: found by their bits, computed by their expression, at their cycles.

use crate::fpu::Computed;
use crate::Hart;
use isa::Custom;

/// A hart's own instructions, with an index by opcode, funct3 and funct7.
#[derive(Clone, Debug)]
pub(crate) struct Customs {
    all: Vec<Custom>,
    /// One more than the position in `all`; 0 is none. Empty when there are none at all.
    index: Vec<u16>,
}

fn place(bits: u32) -> usize {
    // custom-0 to custom-3 are told apart by bits 5 and 6.
    ((bits >> 5 & 3) << 10 | (bits >> 12 & 7) << 7 | bits >> 25) as usize
}

impl Customs {
    pub fn new(all: Vec<Custom>) -> Customs {
        let mut index = Vec::new();
        if !all.is_empty() {
            index = vec![0; 4 << 10];
            for (opcode, low) in [0x0b, 0x2b, 0x5b, 0x7b].into_iter().enumerate() {
                for rest in 0..1 << 10 {
                    let bits = low | (rest >> 7) << 12 | (rest & 0x7f) << 25;
                    let found = all.iter().position(|c| usize::from(c.opcode) == opcode && c.is(bits));
                    index[place(bits)] = found.map_or(0, |i| i as u16 + 1);
                }
            }
        }
        Customs { all, index }
    }

    /// Those that there are.
    pub fn all(&self) -> &[Custom] {
        &self.all
    }

    fn find(&self, bits: u32) -> Option<&Custom> {
        let at = *self.index.get(place(bits))?;
        self.all.get(usize::from(at).checked_sub(1)?)
    }
}

impl Hart {
    /// Execute the instruction with these bits, whose boundary allows it to issue at `issue`. `None` is an illegal instruction.
    #[inline(never)]
    pub(crate) fn custom_operation(&self, bits: u32, issue: u64) -> Option<Computed> {
        let custom = self.customs.find(bits)?;
        let (rs1, rs2) = ((bits >> 15 & 31) as usize, (bits >> 20 & 31) as usize);
        let mut issue = issue;
        if custom.value.first() {
            issue = issue.max(self.ready[rs1]);
        }
        if custom.value.second() {
            issue = issue.max(self.ready[rs2]);
        }
        let value = custom.value.value(self.x[rs1], self.x[rs2], (bits as i32 >> 20) as u32);
        let now = issue + u64::from(custom.cycles);
        Some(Computed { value, ready: now + u64::from(custom.result_cycles), now })
    }
}
