// SPDX-License-Identifier: Apache-2.0
//! Lines that are moved in several transfers.

use super::CachedPort;
use crate::outstanding::Transfer;
use engine::{AccessFault, BusReply};

impl CachedPort {
    pub(super) fn data_burst(&self) -> u32 {
        match self.policy.data_burst {
            0 => self.dcache.line_bytes(),
            bytes => bytes,
        }
    }

    pub(super) fn instruction_burst(&self) -> u32 {
        match self.policy.instruction_burst {
            0 => self.icache.line_bytes(),
            bytes => bytes,
        }
    }

    /// Take the bytes of a burst. Whether the transfer of `bytes` bytes is complete.
    pub(super) fn burst(
        &mut self,
        transfer: Transfer,
        reply: &BusReply,
        bytes: u32,
        burst: u32,
    ) -> Result<bool, AccessFault> {
        let moved = self.outstanding.moved() as usize;
        match reply {
            BusReply::Line(line) if line.len() == burst as usize => {
                self.filling[moved..moved + line.len()].copy_from_slice(line);
            }
            BusReply::Value(word) if burst == 4 => {
                self.filling[moved..moved + 4].copy_from_slice(&word.to_le_bytes());
            }
            // Bytes of another shape than asked for: the target does not do such transfers.
            _ => return Err(AccessFault::Refused),
        }
        Ok(self.burst_done(transfer, bytes, burst))
    }

    pub(super) fn burst_done(&mut self, transfer: Transfer, bytes: u32, burst: u32) -> bool {
        let moved = self.outstanding.moved() + burst;
        if moved < bytes {
            self.outstanding.again(transfer, moved);
        } else {
            self.outstanding.finished();
        }
        moved >= bytes
    }
}
