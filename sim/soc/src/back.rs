// SPDX-License-Identifier: Apache-2.0
//! How cores that ran ahead come back to an instant: at the end of a run, and when a snoop takes a line from under one.

use crate::ahead::{run_ahead, Whole};
use crate::coherence::CheckedSeen;
use crate::machine::{with_memory, Core, Machine, Port, State, WayBack};
use crate::view::{CachedSeen, IdealSeen};
use engine::Cycle;
use mem::IdealView;

impl Machine {
    /// Bring every core that ran ahead back to the first instruction boundary at or after `at`, so that the state at
    /// the end does not depend on how far each happened to run.
    pub(crate) fn settle(&mut self, at: Cycle) {
        if let Some(network) = &mut self.fabric.network {
            network.settle(at);
        }
        for index in 0..self.cores.len() {
            let core = &mut self.cores[index];
            if let Port::Cached(port) = &mut core.port {
                // Not what a store waits for that was asked for before `at`.
                port.forget_buffered(at.min(core.hart.now()));
            }
            let ahead = core.state.may_be_ahead() && core.hart.now() > at;
            // What has gone on for good began its last instruction before `at`.
            if !ahead || core.way_back != WayBack::Open {
                continue;
            }
            self.go_back_to(index, at);
        }
    }

    /// Bring a core that ran ahead from its checkpoint back to the first instruction boundary at or after `at`.
    pub(crate) fn go_back_to(&mut self, index: usize, at: Cycle) {
        let core = &mut self.cores[index];
        Self::rewind(core, &mut self.fabric, index);
        if core.hart.now() < at && core.state == State::Ready {
            core.way_back = WayBack::Open;
            let delays = (self.fabric.request, self.fabric.response);
            let stop = match core {
                Core { hart, port: Port::Cached(port), marks, watch: None, .. } => {
                    let around = &mut Whole { fabric: &mut self.fabric, core: index };
                    run_ahead(hart, port, marks, around, delays, at)
                }
                _ => with_memory!(core, self.fabric, index, Cycle::ZERO, |hart, mem| hart.run(mem, at)),
            };
            core.state = State::after(stop);
        }
    }
}
