// SPDX-License-Identifier: Apache-2.0
//! A list of packets through a network: when the first and the last flit of each went in and came out.

use crate::network::{Event, EventKind, InjectError, Network};
use std::fmt;
use units::{Cycle, Cycles};

/// One packet of a traffic file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The file's name for it; any number.
    pub id: u64,
    /// Source router.
    pub from: u32,
    /// Destination router.
    pub to: u32,
    /// All flits, the header included; at least 1.
    pub length: u32,
    /// First cycle in which the header may be offered.
    pub inject: u64,
}

/// What a network does with a packet, in cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// The header enters the source router.
    pub header_accept: u64,
    /// The last flit enters it.
    pub tail_accept: u64,
    /// The header is delivered.
    pub header_out: u64,
    /// The last flit is delivered.
    pub tail_out: u64,
}

const UNKNOWN: Times =
    Times { header_accept: u64::MAX, tail_accept: u64::MAX, header_out: u64::MAX, tail_out: u64::MAX };

/// Packets that never arrive, because nothing can change any more (a sink that no longer accepts).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// How many are not delivered.
    pub packets: usize,
    /// Place in the list of the first of them.
    pub first: usize,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} packets are never delivered, the first is number {}", self.packets, self.first)
    }
}

/// Packets on their way through a network.
pub struct Replay {
    network: Network,
    times: Vec<Times>,
    events: Vec<Event>,
    missing: usize,
}

impl Replay {
    /// All packets wait at their sources; each source sends its own in the order of the list.
    ///
    /// # Errors
    /// [`InjectError`] of the first packet that the network refuses.
    pub fn new(mut network: Network, packets: &[Packet]) -> Result<Replay, InjectError> {
        for (tag, p) in packets.iter().enumerate() {
            network.inject_packet(p.from, p.to, p.length, tag as u32, Cycle(p.inject))?;
        }
        Ok(Replay { network, times: vec![UNKNOWN; packets.len()], events: Vec::new(), missing: packets.len() })
    }

    /// Execute up to `edges` edges from the next one at which something happens. `true` when all packets are delivered.
    ///
    /// # Errors
    /// [`Stuck`] when no edge can change anything and packets are missing.
    pub fn run(&mut self, edges: Cycles) -> Result<bool, Stuck> {
        if self.missing == 0 {
            return Ok(true);
        }
        let next = self.network.next_event();
        if next == Cycle::NEVER {
            let first = self.times.iter().position(|t| t.tail_out == u64::MAX).unwrap_or(0);
            return Err(Stuck { packets: self.missing, first });
        }
        self.network.advance(next + edges, &mut self.events);
        for event in self.events.drain(..) {
            let times = &mut self.times[event.flit.tag as usize];
            let (header, tail) = match event.kind {
                EventKind::Accepted => (&mut times.header_accept, &mut times.tail_accept),
                EventKind::Delivered => (&mut times.header_out, &mut times.tail_out),
            };
            if event.first {
                *header = event.at.0;
            }
            if event.flit.last {
                *tail = event.at.0;
                self.missing -= usize::from(event.kind == EventKind::Delivered);
            }
        }
        Ok(self.missing == 0)
    }

    /// Packets that are not delivered yet.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The cycles of each packet, in the order of the list; complete when [`run`](Self::run) has said `true`.
    pub fn times(&self) -> &[Times] {
        &self.times
    }

    /// The network, for its counters.
    pub fn network(&self) -> &Network {
        &self.network
    }
}
