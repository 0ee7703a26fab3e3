// SPDX-License-Identifier: Apache-2.0
//! The rules of `experiments/reference/hermes/README.md`, transcribed one by one and executed for every port at every cycle.
//! Shares no code with the crate but the types of a packet and its times. Each rule can be broken on purpose: see `Rules`.

use noc::{Packet, Times, Topology};
use std::collections::VecDeque;

/// What to do with a request whose output is taken.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    Arbitrate,
    Wait,
    Switch,
}

/// How the next request is chosen.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    RoundRobin,
    Reversed,
    Fixed,
}

/// The rules, right by default.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub topology: Topology,
    pub buffer: usize,
    pub pointer_at_local: bool,
    pub choice: Choice,
    pub released_early: bool,
    pub refused: Refused,
    pub acknowledge_to_arbitrate: bool,
    pub yx: bool,
    /// Sides in arbitration order.
    pub order: [usize; 5],
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            topology: Topology::Mesh,
            buffer: 8,
            pointer_at_local: false,
            choice: Choice::RoundRobin,
            released_early: false,
            refused: Refused::Arbitrate,
            acknowledge_to_arbitrate: false,
            yx: false,
            order: [EAST, WEST, NORTH, SOUTH, LOCAL],
        }
    }
}

const EAST: usize = 0;
const WEST: usize = 1;
const NORTH: usize = 2;
const SOUTH: usize = 3;
const LOCAL: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Port {
    Idle,
    Requesting,
    Sending { side: usize, lane: usize },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Control {
    Wait,
    Arbitrate,
    Switch,
    Connect,
    Acknowledge,
}

/// A flit: which packet, which of its flits.
type Flit = (usize, u32);
/// A port of a router: side and lane.
type At = (usize, usize);

struct Router {
    control: Control,
    pointer: At,
    /// Of each side and lane: the output is taken.
    taken: [[bool; 2]; 5],
    /// Outputs that end-of-packet left at the edge before.
    leaving: Vec<At>,
    ports: [[Port; 2]; 5],
    buffers: [[VecDeque<Flit>; 2]; 5],
    last_lane: [usize; 5],
}

pub struct Reference<'a> {
    rules: Rules,
    width: u32,
    height: u32,
    lanes: usize,
    routers: Vec<Router>,
    packets: &'a [Packet],
    /// Of each node: its packets that have not been accepted whole, and how many flits of the first have been.
    sources: Vec<(VecDeque<usize>, u32)>,
    accepts: Box<dyn Fn(u32, u32, u64) -> bool>,
    times: Vec<Times>,
    missing: usize,
    moved_at: u64,
}

const UNKNOWN: Times =
    Times { header_accept: u64::MAX, tail_accept: u64::MAX, header_out: u64::MAX, tail_out: u64::MAX };

/// Edges without any flit moving after which a run with a broken rule is given up; the packets on their way stay unknown.
const GIVEN_UP: u64 = 5_000;

/// Run `packets` and give their times. `accepts` says whether the local output of (x, y) accepts at an edge.
pub fn run(
    rules: Rules,
    (width, height): (u32, u32),
    packets: &[Packet],
    accepts: impl Fn(u32, u32, u64) -> bool + 'static,
) -> Vec<Times> {
    let pointer = if rules.pointer_at_local { (LOCAL, 0) } else { (rules.order[0], 0) };
    let router = || Router {
        control: Control::Wait,
        pointer,
        taken: [[false; 2]; 5],
        leaving: Vec::new(),
        ports: [[Port::Idle; 2]; 5],
        buffers: Default::default(),
        last_lane: [0; 5],
    };
    let nodes = (width * height) as usize;
    let mut sources = vec![(VecDeque::new(), 0); nodes];
    for (i, p) in packets.iter().enumerate() {
        sources[p.from as usize].0.push_back(i);
    }
    let mut it = Reference {
        rules,
        width,
        height,
        lanes: if rules.topology == Topology::Mesh { 1 } else { 2 },
        routers: (0..nodes).map(|_| router()).collect(),
        packets,
        sources,
        accepts: Box::new(accepts),
        times: vec![UNKNOWN; packets.len()],
        missing: packets.len(),
        moved_at: 0,
    };
    let mut edge = 0;
    while it.missing > 0 && edge - it.moved_at < GIVEN_UP {
        let changed = it.edge(edge);
        edge += 1;
        if !changed && it.routers.iter().all(|r| r.buffers.iter().flatten().all(VecDeque::is_empty)) {
            // Nothing is on its way: nothing changes before the next packet may be offered.
            let next = it.sources.iter().filter_map(|s| s.0.front().map(|&p| it.packets[p].inject)).min();
            edge = edge.max(next.expect("packets are missing"));
            it.moved_at = edge;
        }
    }
    it.times
}

impl Reference<'_> {
    fn is_local(side: usize) -> bool {
        side == LOCAL
    }

    fn all_ports(&self) -> Vec<At> {
        let order = self.rules.order;
        let lanes = |side| if Self::is_local(side) { 1 } else { self.lanes };
        order.into_iter().flat_map(|side| (0..lanes(side)).map(move |lane| (side, lane))).collect()
    }

    /// The next router on a side, whether the link wraps around, and the side by which it is entered.
    fn beyond(&self, node: usize, side: usize) -> (usize, bool, usize) {
        let (w, h) = (self.width as usize, self.height as usize);
        let (x, y) = (node % w, node / w);
        if self.rules.topology == Topology::Ring {
            let n = w * h;
            return match side {
                EAST => ((node + 1) % n, node == n - 1, WEST),
                _ => ((node + n - 1) % n, node == 0, EAST),
            };
        }
        match side {
            EAST => (y * w + (x + 1) % w, x == w - 1, WEST),
            WEST => (y * w + (x + w - 1) % w, x == 0, EAST),
            NORTH => ((y + 1) % h * w + x, y == h - 1, SOUTH),
            _ => ((y + h - 1) % h * w + x, y == 0, NORTH),
        }
    }

    fn shorter(at: usize, to: usize, size: usize, plus: usize, minus: usize) -> usize {
        let up = if to > at { to - at } else { to + size - at };
        if up <= size - up {
            plus
        } else {
            minus
        }
    }

    /// Side and lane by which the header of `packet` that came in by `from` leaves.
    fn route(&self, node: usize, from: At, packet: usize) -> At {
        let w = self.width as usize;
        let to = self.packets[packet].to as usize;
        let ((x, y), (u, v)) = ((node % w, node / w), (to % w, to / w));
        let along_x = || if u > x { EAST } else { WEST };
        let along_y = || if v > y { NORTH } else { SOUTH };
        let side = match self.rules.topology {
            _ if to == node => LOCAL,
            Topology::Mesh if self.rules.yx => {
                if v != y {
                    along_y()
                } else {
                    along_x()
                }
            }
            Topology::Mesh if u != x => along_x(),
            Topology::Mesh => along_y(),
            Topology::Torus if u != x => Self::shorter(x, u, w, EAST, WEST),
            Topology::Torus => Self::shorter(y, v, self.height as usize, NORTH, SOUTH),
            Topology::Ring => Self::shorter(node, to, w * self.height as usize, EAST, WEST),
        };
        if side == LOCAL || self.lanes == 1 {
            return (side, 0);
        }
        let straight_on = matches!((from.0, side), (EAST, WEST) | (WEST, EAST) | (NORTH, SOUTH) | (SOUTH, NORTH));
        let wraps = self.beyond(node, side).1;
        (side, usize::from(wraps || straight_on && from.1 == 1))
    }

    /// The request that is turned to after the pointer.
    fn next_request(&self, router: &Router) -> Option<At> {
        let ports = self.all_ports();
        let n = ports.len();
        let pointer = ports.iter().position(|&p| p == router.pointer).expect("the pointer is at a port");
        let requesting = |&(side, lane): &At| router.ports[side][lane] == Port::Requesting;
        match self.rules.choice {
            Choice::RoundRobin => (1..=n).map(|i| ports[(pointer + i) % n]).find(requesting),
            Choice::Reversed => (1..=n).map(|i| ports[(pointer + n - i) % n]).find(requesting),
            Choice::Fixed => ports.into_iter().find(requesting),
        }
    }

    /// One edge: everything is decided on the state before it. Says whether anything changed.
    fn edge(&mut self, edge: u64) -> bool {
        let ports = self.all_ports();
        let nodes = self.routers.len();
        let mut changed = false;

        // Which flits leave: (router, port, output side, output lane).
        let mut moves: Vec<(usize, At, At)> = Vec::new();
        for node in 0..nodes {
            let router = &self.routers[node];
            for side in 0..5 {
                let mut ready: Vec<(At, At)> = Vec::new();
                for &(s, l) in &ports {
                    let Port::Sending { side: out, lane } = router.ports[s][l] else { continue };
                    if out != side || router.buffers[s][l].is_empty() {
                        continue;
                    }
                    let credit = if Self::is_local(out) {
                        (self.accepts)(node as u32 % self.width, node as u32 / self.width, edge)
                    } else {
                        let (next, _, entered) = self.beyond(node, out);
                        self.routers[next].buffers[entered][lane].len() < self.rules.buffer
                    };
                    if credit {
                        ready.push(((s, l), (out, lane)));
                    }
                }
                let turn = ready.iter().find(|(_, (_, lane))| ready.len() == 1 || *lane != router.last_lane[side]);
                if let Some(&(from, to)) = turn {
                    moves.push((node, from, to));
                }
            }
        }

        // Which offers are accepted.
        let mut accepted: Vec<usize> = Vec::new();
        for node in 0..nodes {
            let (queue, sent) = &self.sources[node];
            let Some(&packet) = queue.front() else { continue };
            let offered = *sent > 0 || self.packets[packet].inject <= edge;
            if offered && self.routers[node].buffers[LOCAL][0].len() < self.rules.buffer {
                accepted.push(node);
            }
        }

        // Input ports and switch control, on the state before this edge.
        for node in 0..nodes {
            let router = &self.routers[node];
            let mut next_ports = router.ports;
            let (mut control, mut pointer, mut taken) = (router.control, router.pointer, router.taken);
            for &(s, l) in &ports {
                if router.ports[s][l] == Port::Idle && !router.buffers[s][l].is_empty() {
                    next_ports[s][l] = Port::Requesting;
                }
            }
            let header = |(s, l): At| router.buffers[s][l].front().map(|f| self.route(node, (s, l), f.0));
            match router.control {
                Control::Wait => {
                    if ports.iter().any(|&(s, l)| router.ports[s][l] == Port::Requesting) {
                        control = Control::Arbitrate;
                    }
                }
                Control::Arbitrate => {
                    if let Some(chosen) = self.next_request(router) {
                        pointer = chosen;
                        control = Control::Switch;
                    }
                }
                Control::Switch => {
                    let (side, lane) = header(router.pointer).expect("a request has a header");
                    control = if !router.taken[side][lane] {
                        Control::Connect
                    } else {
                        match self.rules.refused {
                            Refused::Arbitrate => Control::Arbitrate,
                            Refused::Wait => Control::Wait,
                            Refused::Switch => Control::Switch,
                        }
                    };
                }
                Control::Connect => {
                    let (side, lane) = header(router.pointer).expect("a request has a header");
                    taken[side][lane] = true;
                    control = Control::Acknowledge;
                }
                Control::Acknowledge => {
                    let (side, lane) = header(router.pointer).expect("a request has a header");
                    next_ports[router.pointer.0][router.pointer.1] = Port::Sending { side, lane };
                    let others =
                        ports.iter().any(|&(s, l)| (s, l) != router.pointer && router.ports[s][l] == Port::Requesting);
                    let arbitrates = self.rules.acknowledge_to_arbitrate && others;
                    control = if arbitrates { Control::Arbitrate } else { Control::Wait };
                }
            }
            for &(side, lane) in &router.leaving {
                taken[side][lane] = false;
            }
            let router = &mut self.routers[node];
            changed |= router.ports != next_ports || router.control != control || !router.leaving.is_empty();
            (router.ports, router.control, router.pointer, router.taken) = (next_ports, control, pointer, taken);
            router.leaving.clear();
        }

        // The flits move.
        if !moves.is_empty() || !accepted.is_empty() {
            self.moved_at = edge;
        }
        for (node, (s, l), (side, lane)) in moves {
            changed = true;
            let router = &mut self.routers[node];
            let flit = router.buffers[s][l].pop_front().expect("it has a flit");
            router.last_lane[side] = lane;
            let (packet, number) = flit;
            let last = number + 1 == self.packets[packet].length;
            if last {
                router.ports[s][l] = Port::Idle;
                if self.rules.released_early {
                    router.taken[side][lane] = false;
                } else {
                    router.leaving.push((side, lane));
                }
            }
            if Self::is_local(side) {
                if number == 0 {
                    self.times[packet].header_out = edge;
                }
                if last {
                    self.times[packet].tail_out = edge;
                    self.missing -= 1;
                }
                assert_eq!(self.packets[packet].to as usize, node);
            } else {
                let (next, _, entered) = self.beyond(node, side);
                self.routers[next].buffers[entered][lane].push_back(flit);
            }
        }
        for node in accepted {
            changed = true;
            let (queue, sent) = &mut self.sources[node];
            let packet = *queue.front().expect("it offers one");
            self.routers[node].buffers[LOCAL][0].push_back((packet, *sent));
            if *sent == 0 {
                self.times[packet].header_accept = edge;
            }
            *sent += 1;
            if *sent == self.packets[packet].length {
                self.times[packet].tail_accept = edge;
                queue.pop_front();
                *sent = 0;
            }
        }
        changed
    }
}
