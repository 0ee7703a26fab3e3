// SPDX-License-Identifier: Apache-2.0
//! One point of a load curve, measured as `experiments/reference/hermes/README.md` defines it.

use crate::network::{ConfigError, Event, EventKind, Network, NetworkConfig, Sink};
use crate::pattern::{threshold, Pattern, Random};
use units::Cycle;

/// What is offered to the network, and for how long.
#[derive(Clone, Debug)]
pub struct LoadSetup {
    /// Who sends to whom; it must fit the network ([`Pattern::check`]).
    pub pattern: Pattern,
    /// Flits of each packet.
    pub length: u32,
    /// Flits per sending node and cycle asked for: in each cycle each node creates a packet with probability load / length.
    pub load: f64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Cycles before the window.
    pub warmup: u64,
    /// Cycles of the window; sources stop at its end.
    pub window: u64,
    /// Cycles after the window in which its packets may still arrive.
    pub drain: u64,
    /// Of all local outputs: accept a flit at edge c only when (c + 7x + 13y) mod period < accept.
    pub sinks: Option<(u64, u64)>,
}

/// What came of it. Loads are flits per node and cycle, over all nodes; latencies are cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPoint {
    /// Flits of the packets created in the window.
    pub offered: f64,
    /// Flits delivered in the window.
    pub accepted: f64,
    /// Mean of tail delivered − created, over the packets created in the window; `None` if one of them did not arrive.
    pub latency: Option<f64>,
    /// Mean of tail delivered − header accepted, of the same packets.
    pub network_latency: Option<f64>,
    /// The largest latency of them.
    pub latency_max: Option<u64>,
    /// Packets created in the window.
    pub packets: u64,
    /// Edges executed in all.
    pub cycles: u64,
}

struct Born {
    at: u64,
    accepted: u64,
}

/// Run a network under load. `interrupted` is asked every few thousand cycles; when it says yes, the run ends without a result.
/// Cost: what [`Network::advance`] costs, and one random number per node and cycle.
///
/// # Errors
/// [`ConfigError`] when there is no such network.
pub fn measure(
    config: &NetworkConfig,
    setup: &LoadSetup,
    mut interrupted: impl FnMut() -> bool,
) -> Result<Option<LoadPoint>, ConfigError> {
    let mut network = Network::new(config)?;
    let nodes = network.nodes() as u32;
    if let Some((accept, period)) = setup.sinks {
        for node in 0..nodes {
            network.set_sink(node, Sink::staggered(network.place(node), accept, period));
        }
    }
    let mut random: Vec<Random> = (0..nodes).map(|n| Random::new(setup.seed, u64::from(n))).collect();
    let create = threshold(setup.load / f64::from(setup.length));
    let end = setup.warmup + setup.window;
    let mut born: Vec<Born> = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let mut sum = Sum { first: setup.warmup, end, ..Sum::default() };
    const SLICE: u64 = 512;
    let mut now = 0;
    while now < end {
        let until = (now + SLICE).min(end);
        for cycle in now..until {
            for node in 0..nodes {
                let random = &mut random[node as usize];
                if !random.chance(create) {
                    continue;
                }
                if let Some(to) = setup.pattern.destination(config, node, random) {
                    let tag = born.len() as u32;
                    born.push(Born { at: cycle, accepted: 0 });
                    sum.created(cycle);
                    // A pattern names routers that exist, and a length of 0 would have created nothing.
                    let _ = network.inject_packet(node, to, setup.length, tag, Cycle(cycle));
                }
            }
        }
        now = until;
        network.advance(Cycle(now), &mut events);
        sum.take(&mut events, &mut born);
        if interrupted() {
            return Ok(None);
        }
    }
    while sum.missing > 0 && now < end + setup.drain {
        now += SLICE;
        network.advance(Cycle(now), &mut events);
        sum.take(&mut events, &mut born);
        if interrupted() {
            return Ok(None);
        }
    }
    let per_node_cycle = 1.0 / f64::from(nodes) / setup.window as f64;
    let mean = |total: u64| (sum.packets > 0 && sum.missing == 0).then(|| total as f64 / sum.packets as f64);
    Ok(Some(LoadPoint {
        offered: (sum.packets * u64::from(setup.length)) as f64 * per_node_cycle,
        accepted: sum.flits as f64 * per_node_cycle,
        latency: mean(sum.latency),
        network_latency: mean(sum.network_latency),
        latency_max: (sum.packets > 0 && sum.missing == 0).then_some(sum.latency_max),
        packets: sum.packets,
        cycles: now,
    }))
}

#[derive(Default)]
struct Sum {
    first: u64,
    end: u64,
    packets: u64,
    missing: u64,
    flits: u64,
    latency: u64,
    network_latency: u64,
    latency_max: u64,
}

impl Sum {
    fn created(&mut self, at: u64) {
        if at >= self.first {
            self.packets += 1;
            self.missing += 1;
        }
    }

    fn take(&mut self, events: &mut Vec<Event>, born: &mut [Born]) {
        for event in events.drain(..) {
            let packet = &mut born[event.flit.tag as usize];
            match event.kind {
                EventKind::Accepted if event.first => packet.accepted = event.at.0,
                EventKind::Accepted => {}
                EventKind::Delivered => {
                    self.flits += u64::from((self.first..self.end).contains(&event.at.0));
                    if event.flit.last && packet.at >= self.first {
                        let latency = event.at.0 - packet.at;
                        self.missing -= 1;
                        self.latency += latency;
                        self.network_latency += event.at.0 - packet.accepted;
                        self.latency_max = self.latency_max.max(latency);
                    }
                }
            }
        }
    }
}
