// SPDX-License-Identifier: Apache-2.0
//! A flat memory that does what the cores did, in the order of simulated time: on a coherent bus each load must read what it holds.

use super::{Event, What};
use crate::shadow::Who;
use std::collections::BTreeMap;

/// A load that read something else than the last store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wrong {
    pub who: Who,
    pub addr: u32,
    pub read: u32,
    pub holds: u32,
}

#[derive(Default)]
pub(crate) struct Values {
    /// What is known of memory: what was stored, or loaded first.
    bytes: BTreeMap<(Option<usize>, u32), u8>,
    /// From here on each core has a memory of its own.
    pub own: Option<u32>,
    pub wrong: Vec<Wrong>,
    pub loads: u64,
}

impl Values {
    pub fn look(&mut self, event: &Event) {
        let Event { who, what, addr, bytes, value } = *event;
        let own = self.own.filter(|own| addr >= *own).map(|_| who.core);
        let all = (0..bytes.min(4)).map(|i| ((own, addr + i), (value >> (8 * i)) as u8));
        match what {
            What::Store | What::WriteMemory(_) => self.bytes.extend(all),
            What::Load | What::ReadMemory => {
                self.loads += 1;
                let mut holds = 0;
                for (i, (at, byte)) in all.enumerate() {
                    holds |= u32::from(*self.bytes.entry(at).or_insert(byte)) << (8 * i);
                }
                let mask = u32::MAX >> (32 - 8 * bytes);
                if holds != value & mask {
                    self.wrong.push(Wrong { who, addr, read: value, holds });
                }
            }
            _ => {}
        }
    }
}
