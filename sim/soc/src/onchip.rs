// SPDX-License-Identifier: Apache-2.0
//! The network on chip as a component of a machine: it has its own time, and exchanges messages with network interfaces, each a
//! cycle on its way. So it may be ahead of or behind the processors by as much as nobody can notice.
//!
//! ```text
//!   interface at t: ToNetwork  --> seen by the router at edge t + 1
//!   router at edge c: FromNetwork --> seen by the interface, and by an access to it, at c + 1
//! ```

use engine::{Cycle, Cycles, FromNetwork, ToNetwork};
use noc::{Event, EventKind, Flit, LinkStats, Network, Sink};

const DELAY: Cycles = Cycles(1);
const NONE: usize = usize::MAX;

/// A network and who is at its routers.
pub(crate) struct OnChip {
    network: Network,
    /// Of each router, the slave that is its interface.
    interfaces: Vec<usize>,
    /// Of each slave, its router.
    routers: Vec<u32>,
    /// What has happened and the interfaces do not know yet; all at one edge, unless the machine has ended.
    events: Vec<Event>,
    /// An empty vector, to be used again.
    spare: Vec<(usize, FromNetwork)>,
}

impl OnChip {
    /// `interfaces`: slave, router, flits that it can receive.
    pub fn new(mut network: Network, slaves: usize, interfaces: &[(usize, u32, u32)]) -> OnChip {
        let mut of_router = vec![NONE; network.nodes()];
        let mut of_slave = vec![u32::MAX; slaves];
        for node in 0..network.nodes() as u32 {
            network.set_sink(node, Sink::Credits(0));
        }
        for &(slave, router, room) in interfaces {
            of_router[router as usize] = slave;
            of_slave[slave] = router;
            network.set_sink(router, Sink::Credits(u64::from(room)));
        }
        OnChip { network, interfaces: of_router, routers: of_slave, events: Vec::new(), spare: Vec::new() }
    }

    /// When an interface learns something, or may.
    #[inline]
    pub fn acts_at(&self) -> Cycle {
        let edge = self.events.first().map_or_else(|| self.network.next_event(), |e| e.at);
        if edge == Cycle::NEVER {
            edge
        } else {
            edge + DELAY
        }
    }

    /// An interface sends at `now`.
    pub fn send(&mut self, slave: usize, what: ToNetwork, now: Cycle) {
        let router = self.routers[slave];
        debug_assert!(router != u32::MAX && self.network.now() <= now + DELAY);
        match what {
            ToNetwork::Flit { data, last } => {
                // An interface refuses a header that leads nowhere.
                let sent = self.network.inject(router, Flit { data, tag: 0, last }, now + DELAY);
                debug_assert!(sent.is_ok());
            }
            ToNetwork::Room(flits) => self.network.credit(router, u64::from(flits), now + DELAY),
        }
    }

    /// What the interfaces learn at `now`. Executes edges before `limit` until something happens, unless something has already.
    pub fn run(&mut self, now: Cycle, limit: Cycle) -> Vec<(usize, FromNetwork)> {
        if self.events.is_empty() {
            self.network.advance_to_event(limit, &mut self.events);
        }
        let mut happened = std::mem::take(&mut self.spare);
        let due = self.events.iter().take_while(|e| e.at + DELAY <= now).count();
        for event in self.events.drain(..due) {
            let what = match event.kind {
                EventKind::Accepted => FromNetwork::Accepted,
                EventKind::Delivered => FromNetwork::Flit { data: event.flit.data, last: event.flit.last },
            };
            happened.push((self.interfaces[event.node as usize], what));
        }
        happened
    }

    /// Take an emptied vector of [`run`](Self::run) back.
    pub fn give_back(&mut self, spare: Vec<(usize, FromNetwork)>) {
        self.spare = spare;
    }

    /// Execute all edges before `at`, so that the state does not depend on how far it happened to be.
    pub fn settle(&mut self, at: Cycle) {
        self.network.advance(at, &mut self.events);
    }

    /// Counters of all links: router's x, y, direction, counters.
    pub fn links(&self) -> Vec<(u32, u32, &'static str, LinkStats)> {
        let mut links = Vec::new();
        for node in 0..self.network.nodes() as u32 {
            let (x, y) = self.network.place(node);
            for direction in noc::Direction::ALL {
                if let Some(link) = self.network.link(node, direction) {
                    links.push((x, y, direction.name(), link));
                }
            }
        }
        links
    }

    /// Feed all state into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        self.network.hash(hash);
        hash(self.events.len() as u64);
        for e in &self.events {
            let kind = u64::from(e.kind == EventKind::Delivered);
            [e.at.0, u64::from(e.node) << 1 | kind, u64::from(e.flit.data) << 1 | u64::from(e.flit.last)]
                .into_iter()
                .for_each(&mut *hash);
        }
    }
}
