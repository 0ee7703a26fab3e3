// SPDX-License-Identifier: Apache-2.0
//! One clock edge. Everything reads what the edge before has left, so the order within an edge is: decide which flits move and
//! which offers are accepted; switch control; new requests; outputs marked free; and only then move the flits.
//!
//! Five lists hold what can change at the next edge. Whatever is not in a list cannot change until something that it waits for
//! does, and that wakes it: a flit that comes, room behind, an output marked free, a timer. Two things are made up for
//! afterwards instead of being followed cycle by cycle: a router whose requests are all refused polls them one per
//! two edges ([`Router::make_up`]), and a flit that cannot move counts its cycles when it does.

use crate::network::{
    Control, Event, EventKind, Flit, InputState, Item, Network, Router, Sink, Stored, Timer, NOT_BLOCKED, TO_SINK,
};
use crate::topology::NONE;
use std::cmp::Reverse;
use units::Cycle;

/// When a sink takes a flit.
enum Ready {
    Now,
    At(u64),
    /// Not before somebody gives credits.
    Never,
}

impl Sink {
    fn ready(&self, edge: u64) -> Ready {
        match *self {
            Sink::Always => Ready::Now,
            Sink::Pattern { accept, period, offset } => {
                let phase = (edge % period + offset % period) % period;
                if phase < accept {
                    Ready::Now
                } else {
                    Ready::At(edge + period - phase)
                }
            }
            Sink::Credits(0) => Ready::Never,
            Sink::Credits(_) => Ready::Now,
        }
    }
}

impl Router {
    /// The next requesting input after `pointer`; the one under the pointer itself comes last.
    fn next_request(&self) -> u8 {
        let above = self.requests & !((2u16 << self.pointer) - 1);
        (if above != 0 { above } else { self.requests }).trailing_zeros() as u8
    }

    /// Catch up with the polling that a parked router has done at the edges before `edge`: *arbitrate* and *switch* in turn,
    /// each *arbitrate* moving the pointer to the next of the requests, none of which has changed.
    pub(crate) fn make_up(&mut self, edge: u64) {
        let edges = edge - self.parked_at;
        let turns = edges.div_ceil(2);
        if turns > 0 {
            let inputs = u64::from(self.requests.count_ones());
            for _ in 0..=((turns - 1) % inputs) {
                self.pointer = self.next_request();
            }
        }
        self.control = if edges % 2 == 0 { Control::Arbitrate } else { Control::Switch };
        self.parked = false;
    }
}

impl Network {
    /// Whether anything can change at the next edge.
    #[inline]
    pub(crate) fn busy(&self) -> bool {
        !(self.movers.is_empty()
            && self.controls.is_empty()
            && self.requesters.is_empty()
            && self.offers.is_empty()
            && self.releases.is_empty())
    }

    /// Execute the edges before `to`; what happened at the nodes is appended to `events`, in the order of time.
    /// Costs nothing for edges at which nothing can change.
    pub fn advance(&mut self, to: Cycle, events: &mut Vec<Event>) {
        self.advance_until(to, events, false);
    }

    /// Like [`advance`](Self::advance), but stops after the first edge at which something happened at a node.
    pub fn advance_to_event(&mut self, to: Cycle, events: &mut Vec<Event>) {
        self.advance_until(to, events, true);
    }

    fn advance_until(&mut self, to: Cycle, events: &mut Vec<Event>, stop: bool) {
        let before = events.len();
        while self.now < to.0 && !(stop && events.len() > before) {
            if !self.busy() {
                let next = self.timers.peek().map_or(u64::MAX, |Reverse((at, _, _))| *at);
                self.now = self.now.max(next.min(to.0));
                if self.now == to.0 {
                    break;
                }
            }
            self.fire_timers();
            self.edge(events);
            self.now += 1;
        }
    }

    fn fire_timers(&mut self) {
        while let Some(&Reverse((at, node, timer))) = self.timers.peek() {
            if at > self.now {
                break;
            }
            self.timers.pop();
            match timer {
                Timer::Offer => self.wake_source(node),
                Timer::Accept => self.wake_sink(node),
                Timer::Credit(flits) => {
                    if let Sink::Credits(held) = &mut self.sinks[node as usize] {
                        *held += flits;
                    }
                    self.wake_sink(node);
                }
            }
        }
    }

    pub(crate) fn wake_source(&mut self, node: u32) {
        let source = &mut self.sources[node as usize];
        if !source.listed && !source.items.is_empty() {
            source.listed = true;
            self.offers.push(node);
        }
    }

    /// The local output's input may move again, if there is one.
    pub(crate) fn wake_sink(&mut self, node: u32) {
        let output = node as usize * self.shape.ports + self.shape.local();
        self.wake_mover(self.tied[output]);
    }

    #[inline(always)]
    fn wake_mover(&mut self, input: u32) {
        if input == NONE {
            return;
        }
        let it = &mut self.inputs[input as usize];
        if it.state == InputState::Sending && !it.listed {
            it.listed = true;
            self.movers.push(input);
        }
    }

    fn edge(&mut self, events: &mut Vec<Event>) {
        self.decide_moves();
        self.decide_offers();
        let requesters = std::mem::replace(&mut self.requesters, std::mem::take(&mut self.scratch));
        self.control();
        self.begin_requests(&requesters);
        self.scratch = requesters;
        self.scratch.clear();
        self.release();
        self.move_flits(events);
        self.accept_offers(events);
    }

    /// Fill `moves` with the connected inputs whose flit leaves at this edge; take from the list those that must be woken.
    fn decide_moves(&mut self) {
        self.moves.clear();
        let (now, depth, lanes) = (self.now, self.depth, self.shape.lanes);
        let mut kept = 0;
        for k in 0..self.movers.len() {
            let i = self.movers[k];
            let input = &self.inputs[i as usize];
            if input.state != InputState::Sending || input.len == 0 {
                self.inputs[i as usize].listed = false;
                continue;
            }
            let to = input.to;
            let room = if to == TO_SINK {
                let node = input.router;
                match self.sinks[node as usize].ready(now) {
                    Ready::Now => true,
                    Ready::At(at) => {
                        self.timers.push(Reverse((at, node, Timer::Accept)));
                        false
                    }
                    Ready::Never => false,
                }
            } else {
                self.inputs[to as usize].len < depth
            };
            if !room {
                let input = &mut self.inputs[i as usize];
                input.listed = false;
                if input.blocked_since == NOT_BLOCKED {
                    input.blocked_since = now;
                }
                continue;
            }
            // Read here and not where it moves: the host waits for many of them at once.
            let flit = self.flits[self.slot(i, self.inputs[i as usize].head)];
            self.movers[kept] = i;
            kept += 1;
            if lanes > 1 && to != TO_SINK {
                self.claim(i, flit);
            } else {
                self.moves.push((i, flit));
            }
        }
        self.movers.truncate(kept);
    }

    /// Both lanes of a link may have a flit; the one that did not send last goes first.
    fn claim(&mut self, i: u32, flit: Stored) {
        let input = &self.inputs[i as usize];
        let output = usize::from(input.want);
        let side = input.router as usize * 4 + self.shape.side(output);
        let (edge, place) = self.claims[side];
        if edge != self.now {
            self.claims[side] = (self.now, self.moves.len() as u32);
            self.moves.push((i, flit));
        } else if self.last_lane[side] != (output & 1) as u8 {
            self.moves[place as usize] = (i, flit);
        }
    }

    /// Fill `accepts` with the nodes whose offer is accepted at this edge.
    fn decide_offers(&mut self) {
        self.accepts.clear();
        let mut kept = 0;
        for k in 0..self.offers.len() {
            let node = self.offers[k];
            let source = &mut self.sources[node as usize];
            let local = node as usize * self.shape.ports + self.shape.local();
            let at = match source.items.front() {
                None => None,
                Some(Item::Packet { at, .. }) if source.sent == 0 => Some(*at),
                Some(Item::Packet { .. }) => Some(0),
                Some(Item::Flit { at, .. }) => Some(*at),
            };
            match at {
                Some(at) if at > self.now => self.timers.push(Reverse((at, node, Timer::Offer))),
                Some(_) if self.inputs[local].len < self.depth => {
                    self.accepts.push(node);
                    self.offers[kept] = node;
                    kept += 1;
                    continue;
                }
                // No room: woken when the input sends. Nothing to offer: woken by whoever puts something.
                _ => {}
            }
            source.listed = false;
        }
        self.offers.truncate(kept);
    }

    fn control(&mut self) {
        let mut controls = std::mem::take(&mut self.controls);
        controls.retain(|&router| {
            let stays = self.control_of(router);
            self.routers[router as usize].listed = stays;
            stays
        });
        debug_assert!(self.controls.is_empty());
        self.controls = controls;
    }

    /// One edge of a router's switch control; whether the next one has work for it.
    fn control_of(&mut self, router: u32) -> bool {
        let first = router as usize * self.shape.ports;
        let it = &mut self.routers[router as usize];
        let input = first + usize::from(it.pointer);
        match it.control {
            Control::Wait => {
                if it.requests == 0 {
                    return false;
                }
                it.control = Control::Arbitrate;
            }
            Control::Arbitrate => {
                it.pointer = it.next_request();
                it.control = Control::Switch;
            }
            Control::Switch => {
                if it.taken >> self.inputs[input].want & 1 == 0 {
                    it.control = Control::Connect;
                } else {
                    it.control = Control::Arbitrate;
                    if self.all_refused(router) {
                        let it = &mut self.routers[router as usize];
                        it.parked = true;
                        it.parked_at = self.now + 1;
                        return false;
                    }
                }
            }
            Control::Connect => {
                let output = self.inputs[input].want;
                it.taken |= 1 << output;
                it.control = Control::Acknowledge;
                let output = first + usize::from(output);
                let feeds = self.feeds[output];
                self.tied[output] = input as u32;
                self.inputs[input].to = feeds;
                self.inputs[input].output = output as u32;
                if feeds != TO_SINK {
                    self.inputs[feeds as usize].feeder = input as u32;
                }
            }
            Control::Acknowledge => {
                it.control = Control::Wait;
                it.requests &= !(1 << it.pointer);
                let more = it.requests != 0;
                let it = &mut self.inputs[input];
                it.state = InputState::Sending;
                it.first = true;
                it.listed = true;
                self.movers.push(input as u32);
                return more;
            }
        }
        true
    }

    fn all_refused(&self, router: u32) -> bool {
        let it = &self.routers[router as usize];
        let first = router as usize * self.shape.ports;
        let mut requests = it.requests;
        while requests != 0 {
            let input = first + requests.trailing_zeros() as usize;
            if it.taken >> self.inputs[input].want & 1 == 0 {
                return false;
            }
            requests &= requests - 1;
        }
        true
    }

    /// A router's control has something to do from the edge after this one.
    fn wake_control(&mut self, router: u32) {
        let it = &mut self.routers[router as usize];
        if it.parked {
            it.make_up(self.now + 1);
        }
        if !it.listed {
            it.listed = true;
            self.controls.push(router);
        }
    }

    fn begin_requests(&mut self, requesters: &[u32]) {
        for &i in requesters {
            let input = &self.inputs[i as usize];
            let (router, port) = (input.router, input.port);
            debug_assert!(input.state == InputState::Idle && input.len > 0);
            let header = self.flits[self.slot(i, input.head)].data;
            let want = self.shape.route(router, usize::from(port), self.destination(header)) as u8;
            let input = &mut self.inputs[i as usize];
            input.queued = false;
            input.want = want;
            input.state = InputState::Requesting;
            input.requested_at = self.now;
            // The polling before this edge did not see the new request.
            self.wake_control(router);
            self.routers[router as usize].requests |= 1 << port;
        }
    }

    /// Mark free what end-of-packet has left at the edge before.
    fn release(&mut self) {
        let mut releases = std::mem::take(&mut self.releases);
        for &(router, output) in &releases {
            let it = &mut self.routers[router as usize];
            it.taken &= !(1 << output);
            if it.parked && !self.all_refused(router) {
                self.wake_control(router);
            }
        }
        releases.clear();
        self.releases = releases;
    }

    fn move_flits(&mut self, events: &mut Vec<Event>) {
        let (local, lanes) = (self.shape.local() as u8, self.shape.lanes);
        let now = self.now;
        let moves = std::mem::take(&mut self.moves);
        self.moved_flits += moves.len() as u64;
        for &(i, flit) in &moves {
            let input = &mut self.inputs[i as usize];
            input.head = input.head.wrapping_add(1);
            input.len -= 1;
            input.sent += 1;
            let (to, feeder, first, router, port) = (input.to, input.feeder, input.first, input.router, input.port);
            let (output, want) = (input.output as usize, input.want);
            if first {
                input.first = false;
                self.links[output].waited((now - input.requested_at).saturating_sub(6));
            }
            if input.blocked_since != NOT_BLOCKED {
                input.blocked += now - input.blocked_since;
                input.blocked_since = NOT_BLOCKED;
            }
            if flit.last() {
                input.state = InputState::Idle;
                let link = &mut self.links[output];
                link.flits += std::mem::take(&mut input.sent);
                link.blocked_cycles += std::mem::take(&mut input.blocked);
                if input.len > 0 && !input.queued {
                    input.queued = true;
                    self.requesters.push(i);
                }
                self.releases.push((router, want));
                self.tied[output] = NONE;
                if to != TO_SINK {
                    self.inputs[to as usize].feeder = NONE;
                }
            }
            // Room for whoever feeds this input.
            if port == local {
                self.wake_source(router);
            } else {
                self.wake_mover(feeder);
            }
            if to == TO_SINK {
                if let Sink::Credits(held) = &mut self.sinks[router as usize] {
                    *held -= 1;
                }
                events.push(Event {
                    at: Cycle(now),
                    node: router,
                    kind: EventKind::Delivered,
                    flit: flit.flit(),
                    first,
                });
            } else {
                if lanes > 1 {
                    self.last_lane[router as usize * 4 + usize::from(want) / 2] = want & 1;
                }
                self.store(to, flit);
            }
        }
        self.moves = moves;
    }

    fn accept_offers(&mut self, events: &mut Vec<Event>) {
        let accepts = std::mem::take(&mut self.accepts);
        for &node in &accepts {
            let source = &mut self.sources[node as usize];
            let flit = match source.items.front() {
                Some(&Item::Packet { header, length, tag, .. }) => {
                    let data = if source.sent == 0 { header } else { source.sent };
                    source.sent += 1;
                    Flit { data, tag, last: source.sent == length }
                }
                Some(&Item::Flit { flit, .. }) => flit,
                None => continue,
            };
            let first = !source.inside;
            source.inside = !flit.last;
            if flit.last || matches!(source.items.front(), Some(Item::Flit { .. })) {
                source.items.pop_front();
                source.sent = 0;
            }
            events.push(Event { at: Cycle(self.now), node, kind: EventKind::Accepted, flit, first });
            self.store(node * self.shape.ports as u32 + self.shape.local() as u32, Stored::new(flit));
        }
        self.accepts = accepts;
    }

    /// Put a flit into an input's buffer, which has room.
    #[inline(always)]
    fn store(&mut self, i: u32, flit: Stored) {
        let input = &self.inputs[i as usize];
        debug_assert!(input.len < self.stride);
        let slot = self.slot(i, input.head.wrapping_add(input.len));
        self.flits[slot] = flit;
        let input = &mut self.inputs[i as usize];
        input.len += 1;
        match input.state {
            InputState::Idle => {
                if !input.queued {
                    input.queued = true;
                    self.requesters.push(i);
                }
            }
            InputState::Requesting => {}
            InputState::Sending => {
                if !input.listed {
                    input.listed = true;
                    self.movers.push(i);
                }
            }
        }
    }
}
