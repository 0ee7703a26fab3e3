// SPDX-License-Identifier: Apache-2.0
//! What a core's data master does while its hart goes on: it writes victims, and stores from a store buffer.
//!
//! A store suspends its hart as any access does, until the core is the earliest. Then it enters the buffer, which is final, and the hart goes on
//! at once; or it waits until there is room. The buffer's stores are issued one by one when the data master is free: that is something the
//! core does at an instant of its own, so it stands in the agenda beside what the hart does, and an interrupt that rewinds the hart takes
//! nothing out of the buffer.

use crate::coherence::Transfer;
use crate::fabric::{Posted, Queued};
use crate::machine::{account, Core, Machine, Port, State, WayBack};
use crate::shadow::Who;
use engine::{BusRequest, Cause, Cycle};
use mem::CachedPort;
use trace::Account;

impl Transfer {
    /// Of a store from the buffer.
    pub fn stored(port: &CachedPort, request: &BusRequest) -> Transfer {
        Transfer::direct(port.holds(request.addr) && request.cause == Cause::Miss)
    }
}

impl Machine {
    /// Make a transfer that the hart does not wait for, when its data master is free at `at`.
    pub(crate) fn post(&mut self, index: usize, at: Cycle, request: BusRequest) {
        let arrival = at + self.fabric.request;
        if let Some(slave) = self.fabric.slave_at(index, request.addr) {
            let queued = Queued {
                core: index,
                master: index * 2 + 1,
                issued: at,
                arrival,
                request,
                posted: Some(Posted::Victim),
            };
            self.fabric.enqueue(slave, queued);
        }
    }

    /// A write that the hart did not wait for has been granted, and is complete at `complete`.
    pub(crate) fn posted_served(
        &mut self,
        index: usize,
        posted: Posted,
        granted: Cycle,
        complete: Cycle,
        request: &BusRequest,
    ) {
        let core = &mut self.cores[index];
        let Port::Cached(port) = &mut core.port else { return };
        core.not_before = complete;
        let (pc, transfer) = match posted {
            Posted::Store(pc) => {
                core.not_before = port.buffered_done(granted, complete);
                (pc, Transfer::stored(port, request))
            }
            Posted::Victim => {
                port.posted_done();
                (core.posted_pc, Transfer::POSTED)
            }
        };
        if let Some(checker) = &mut self.checker {
            checker.served(Who { core: index, pc, cycle: granted.0 }, transfer, request, None);
        }
    }

    /// When a core issues the next store of its buffer; NEVER while its data master is used and it is not known how long.
    #[inline]
    pub(crate) fn drains_at(core: &Core) -> Cycle {
        match &core.port {
            Port::Cached(port) if port.has_store_buffer() => Self::buffer_acts_at(core, port),
            _ => Cycle::NEVER,
        }
    }

    fn buffer_acts_at(core: &Core, port: &CachedPort) -> Cycle {
        let uses_master = matches!(core.state, State::Waiting | State::Next(_)) && port.uses_data_master();
        match port.buffered_at() {
            Some(at) if !uses_master => at.max(core.not_before),
            _ => Cycle::NEVER,
        }
    }

    /// Issue the next store of a core's buffer, if that is what the core does at `now`.
    pub(crate) fn drain(&mut self, index: usize, now: Cycle) -> bool {
        if Self::drains_at(&self.cores[index]) > now {
            return false;
        }
        let core = &mut self.cores[index];
        let Port::Cached(port) = &mut core.port else { return false };
        port.forget_buffered(now);
        let asks = core.state == State::Asking && port.acts_at(core.hart.now(), core.not_before) <= now;
        if asks && port.goes_first(now) {
            return false;
        }
        let Some((request, pc)) = port.issue_buffered() else { return false };
        core.not_before = Cycle::NEVER;
        // It goes to a memory, so there is a slave.
        if let Some(slave) = self.fabric.slave_at(index, request.addr) {
            let (arrival, posted) = (now + self.fabric.request, Some(Posted::Store(pc)));
            let queued = Queued { core: index, master: index * 2 + 1, issued: now, arrival, request, posted };
            self.fabric.enqueue(slave, queued);
        }
        true
    }

    /// Do the access that a core asks for in its store buffer, if it is one that goes there or is answered there. The hart goes on at `now`.
    pub(crate) fn at_buffer(&mut self, index: usize, now: Cycle) {
        let core = &mut self.cores[index];
        let Port::Cached(port) = &mut core.port else { return };
        if !port.has_store_buffer() || core.state != State::Asking {
            return;
        }
        let cause = port.asks_for();
        if !port.at_buffer(now, core.hart.pc()) {
            return;
        }
        core.state = State::Ready;
        core.way_back = WayBack::Gone;
        let waited = now.since(core.hart.now());
        let account = cause.map_or(Account::Miss, account);
        core.hart.resume_at(now, &[(account, waited)]);
        if let Some(watch) = &mut core.watch {
            watch.settle();
        }
    }
}
