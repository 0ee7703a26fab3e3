// SPDX-License-Identifier: Apache-2.0
//! Where links go, which way a header turns, and why that cannot deadlock.
//!
//! **Mesh**: XY routing, x first. No packet turns from y back to x, so no cycle of channels that wait for each other can form
//! (W. Dally, C. Seitz: Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, IEEE Trans. Computers C-36(5), 1987).
//!
//! **Torus**: x first, each dimension the shorter way round, a tie goes east or north. The wrap-around link closes a cycle in
//! each row and column, so each link has two *lanes* (virtual channels): an input buffer each, an output that is taken and
//! freed on its own, one flit per cycle together. A packet enters a dimension in lane 0 and changes to lane 1 on the wrap-around link,
//! the dateline, so lane 0's channels never wait for the dateline's own lane and lane 1's end before it: no cycle (the same
//! paper, section on the k-ary n-cube; W. Dally, B. Towles: Principles and Practices of Interconnection Networks, 14.2.3).
//! Lanes in Hermes are described by A. Mello, L. Tedesco, N. Calazans, F. Moraes: Virtual Channels in Networks on Chip:
//! Implementation and Evaluation on Hermes NoC, SBCCI 2005. Their timing here is the mesh router's, with no RTL to compare with.
//!
//! **Ring**: the same in one dimension over the router numbers: the east of router k is k + 1, of the last one router 0.

use std::fmt;
use std::str::FromStr;

/// How routers are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// Rows and columns with open ends.
    Mesh,
    /// Rows and columns closed to rings.
    Torus,
    /// All routers in one ring, in the order of their numbers.
    Ring,
}

/// A topology that is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownTopology;

impl fmt::Display for UnknownTopology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a topology is mesh, torus or ring")
    }
}

impl FromStr for Topology {
    type Err = UnknownTopology;

    fn from_str(s: &str) -> Result<Topology, UnknownTopology> {
        match s {
            "mesh" => Ok(Topology::Mesh),
            "torus" => Ok(Topology::Torus),
            "ring" => Ok(Topology::Ring),
            _ => Err(UnknownTopology),
        }
    }
}

/// One of the five sides of a router, in arbitration order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Direction {
    /// Towards x + 1.
    East = 0,
    /// Towards x − 1.
    West = 1,
    /// Towards y + 1.
    North = 2,
    /// Towards y − 1.
    South = 3,
    /// The node itself.
    Local = 4,
}

impl Direction {
    /// All five, in arbitration order.
    pub const ALL: [Direction; 5] =
        [Direction::East, Direction::West, Direction::North, Direction::South, Direction::Local];

    /// Lower-case name.
    pub fn name(self) -> &'static str {
        ["east", "west", "north", "south", "local"][self as usize]
    }

    fn opposite(self) -> usize {
        self as usize ^ 1
    }
}

/// No router there.
pub(crate) const NONE: u32 = u32::MAX;

/// The shape of a network: who is beside whom, and the way to a destination.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub topology: Topology,
    pub width: u32,
    pub height: u32,
    /// Lanes of each link between routers; the local port has one.
    pub lanes: usize,
    /// Ports of a router: four times the lanes, and the local one, which is the last.
    pub ports: usize,
}

impl Shape {
    pub fn new(topology: Topology, width: u32, height: u32) -> Shape {
        let lanes = if topology == Topology::Mesh { 1 } else { 2 };
        Shape { topology, width, height, lanes, ports: 4 * lanes + 1 }
    }

    pub fn nodes(&self) -> usize {
        self.width as usize * self.height as usize
    }

    pub fn local(&self) -> usize {
        self.ports - 1
    }

    /// Side of the router that a port is on.
    pub fn side(&self, port: usize) -> usize {
        if self.lanes == 1 {
            port
        } else {
            port / 2
        }
    }

    pub fn node(&self, x: u32, y: u32) -> u32 {
        y * self.width + x
    }

    pub fn place(&self, node: u32) -> (u32, u32) {
        (node % self.width, node / self.width)
    }

    /// The router on the other end of the link that leaves `node` towards `direction`.
    pub fn neighbour(&self, node: u32, direction: Direction) -> u32 {
        let (x, y) = self.place(node);
        let (w, h, n) = (self.width, self.height, self.width * self.height);
        match (self.topology, direction) {
            (_, Direction::Local) => NONE,
            (Topology::Ring, Direction::East) => (node + 1) % n,
            (Topology::Ring, Direction::West) => (node + n - 1) % n,
            (Topology::Ring, _) => NONE,
            (Topology::Torus, Direction::East) => self.node((x + 1) % w, y),
            (Topology::Torus, Direction::West) => self.node((x + w - 1) % w, y),
            (Topology::Torus, Direction::North) => self.node(x, (y + 1) % h),
            (Topology::Torus, Direction::South) => self.node(x, (y + h - 1) % h),
            (Topology::Mesh, Direction::East) if x + 1 < w => node + 1,
            (Topology::Mesh, Direction::West) if x > 0 => node - 1,
            (Topology::Mesh, Direction::North) if y + 1 < h => node + w,
            (Topology::Mesh, Direction::South) if y > 0 => node - w,
            (Topology::Mesh, _) => NONE,
        }
    }

    /// The input port of the neighbour that is fed by output port `port` of a router.
    pub fn fed_by(&self, port: usize) -> usize {
        Direction::ALL[self.side(port)].opposite() * self.lanes + port % self.lanes
    }

    /// The output port by which a header for `to` leaves `node`, when it came in by port `from`.
    pub fn route(&self, node: u32, from: usize, to: (u32, u32)) -> usize {
        let (x, y) = self.place(node);
        match self.topology {
            Topology::Mesh => {
                if to.0 != x {
                    usize::from(to.0 < x)
                } else if to.1 != y {
                    2 + usize::from(to.1 < y)
                } else {
                    4
                }
            }
            Topology::Torus if to.0 != x => self.around(x, to.0, self.width, 0, from),
            Topology::Torus if to.1 != y => self.around(y, to.1, self.height, 2, from),
            Topology::Torus => self.local(),
            Topology::Ring => {
                let to = self.node(to.0, to.1);
                if to == node {
                    self.local()
                } else {
                    self.around(node, to, self.width * self.height, 0, from)
                }
            }
        }
    }

    /// The shorter way round a ring of `size` from `at` to `to`, by side `forward` or the one after it.
    fn around(&self, at: u32, to: u32, size: u32, forward: usize, from: usize) -> usize {
        let ahead = (to + size - at) % size;
        let (side, wraps) = if ahead * 2 <= size { (forward, at == size - 1) } else { (forward + 1, at == 0) };
        let same_dimension = self.side(from) / 2 == side / 2;
        let lane = usize::from(wraps || (same_dimension && from % 2 == 1));
        side * self.lanes + lane
    }

    /// Number of links between routers on the way, by the topology's routing.
    pub fn hops(&self, from: u32, to: u32) -> u32 {
        let ((x, y), (u, v)) = (self.place(from), self.place(to));
        let ring = |a: u32, b: u32, size: u32| {
            let ahead = (b + size - a) % size;
            ahead.min(size - ahead)
        };
        match self.topology {
            Topology::Mesh => x.abs_diff(u) + y.abs_diff(v),
            Topology::Torus => ring(x, u, self.width) + ring(y, v, self.height),
            Topology::Ring => ring(from, to, self.width * self.height),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follow the routing from each node to each other: it arrives, over as many links as `hops` says, and a channel
    /// (link and lane) never waits, however indirectly, for itself.
    fn check(topology: Topology, width: u32, height: u32, lanes_apart: bool) {
        let shape = Shape::new(topology, width, height);
        let channels = shape.nodes() * shape.ports;
        let mut waits_for = vec![std::collections::BTreeSet::new(); channels];
        for source in 0..shape.nodes() as u32 {
            for destination in 0..shape.nodes() as u32 {
                let to = shape.place(destination);
                let (mut node, mut port, mut hops, mut held) = (source, shape.local(), 0, None);
                loop {
                    let out = shape.route(node, port, to);
                    let lane = if lanes_apart { 0 } else { out % shape.lanes };
                    let channel = node as usize * shape.ports + out - lane;
                    if let Some(held) = held.replace(channel) {
                        waits_for[held].insert(channel);
                    }
                    if out == shape.local() {
                        break;
                    }
                    let direction = Direction::ALL[shape.side(out)];
                    assert_ne!(Some(direction as usize), Some(shape.side(port)), "a packet turns back");
                    node = shape.neighbour(node, direction);
                    assert_ne!(
                        node, NONE,
                        "{topology:?} {width}x{height}: {source} to {destination} leaves the network"
                    );
                    port = shape.fed_by(out);
                    hops += 1;
                    assert!(hops <= width + height + width * height);
                }
                assert_eq!((node, hops), (destination, shape.hops(source, destination)), "{topology:?} {source}");
            }
        }
        // Kahn: channels that nobody waits for are taken away until none is left.
        let mut waited = vec![0; channels];
        waits_for.iter().flatten().for_each(|&c| waited[c] += 1);
        let mut free: Vec<usize> = (0..channels).filter(|&c| waited[c] == 0).collect();
        let mut removed = 0;
        while let Some(channel) = free.pop() {
            removed += 1;
            for &next in &waits_for[channel] {
                waited[next] -= 1;
                if waited[next] == 0 {
                    free.push(next);
                }
            }
        }
        assert_eq!(removed, channels, "{topology:?} {width}x{height}: channels wait for each other in a cycle");
    }

    #[test]
    fn every_way_arrives_and_no_channel_waits_for_itself() {
        for (width, height) in [(1, 1), (1, 5), (2, 2), (5, 1), (4, 4), (3, 5), (6, 2), (7, 6)] {
            for topology in [Topology::Mesh, Topology::Torus, Topology::Ring] {
                check(topology, width, height, true);
            }
        }
    }

    #[test]
    #[should_panic(expected = "in a cycle")]
    fn without_the_second_lane_the_check_finds_the_cycle() {
        check(Topology::Ring, 5, 1, false);
    }
}
