// SPDX-License-Identifier: Apache-2.0
//! Calls to the host: what its server may do with a machine that came back with [`StopReason::Call`].
//!
//! [`StopReason::Call`]: crate::StopReason::Call

use crate::machine::{Machine, Port, State, WayBack};
use engine::Cycle;
use mem::IdealView;

impl Machine {
    /// Come back from a run whenever a core makes a call to the host (the instruction sequence of the RISC-V semihosting
    /// specification). False if a core has caches: what the host writes must be seen at once.
    pub fn serve_host_calls(&mut self) -> bool {
        let can = self.cores.iter().all(|core| matches!(core.port, Port::Ideal(_)));
        if can {
            self.cores.iter_mut().for_each(|core| core.hart.serve_host_calls());
        }
        can
    }

    /// The number and the parameter of the call that a core waits before; none if it does not.
    pub fn host_call(&self, core: usize) -> Option<(u32, u32)> {
        let core = self.cores.get(core).filter(|core| core.state == State::Calling)?;
        Some(core.hart.host_call())
    }

    /// Write for a core that waits before a call, as if it stored the bytes itself. False, and nothing is written, if the core does
    /// not wait or not all of `addr` to its end is memory.
    pub fn write_for_host_call(&mut self, core: usize, addr: u32, bytes: &[u8]) -> bool {
        if self.host_call(core).is_none() {
            return false;
        }
        let Port::Ideal(port) = &mut self.cores[core].port else { return false };
        let fabric = &mut self.fabric;
        IdealView::new(port, &mut fabric.memories, &mut fabric.reservations, core, Cycle::ZERO).write(addr, bytes)
    }

    /// Let a core go on behind the call that it waits before. False if it does not.
    pub fn answer_host_call(&mut self, core: usize, result: u32) -> bool {
        if self.host_call(core).is_none() {
            return false;
        }
        let caller = &mut self.cores[core];
        caller.hart.answer_host_call(result);
        caller.way_back = WayBack::Gone;
        caller.state = State::Ready;
        self.changed(core);
        true
    }
}
