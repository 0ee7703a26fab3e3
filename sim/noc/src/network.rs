// SPDX-License-Identifier: Apache-2.0
//! The network as its owner sees it: configuration, what goes in, what comes out, when something can happen next.
//!
//! ```text
//!   owner                        network                                                   owner
//!   inject(node, flit, at) --> queue of the node --> local input ... routers ... local output --> Delivered
//!                                        `-- Accepted (room in the queue)           ^-- Sink: always, pattern, credits
//! ```
//!
//! An owner with a clock of its own advances the network to its time, reads the events, and calls `inject` or `credit`; both are
//! seen by the first edge that has not been executed, or later if `at` says so. Nothing else passes between a node and the
//! network, and nothing passes in less than a cycle, so nodes may be advanced apart from it.

use crate::stats::LinkStats;
use crate::topology::{Direction, Shape, Topology, NONE};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;
use units::Cycle;

/// The parameters of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkConfig {
    /// How routers are joined.
    pub topology: Topology,
    /// Routers in x.
    pub width: u32,
    /// Routers in y.
    pub height: u32,
    /// Bits of a flit, a multiple of 4 from 8 to 64. A quarter of them holds a coordinate, so it limits width and height.
    pub flit_bits: u32,
    /// Flits that each input buffer holds (each lane of it, where there are lanes).
    pub buffer_flits: u32,
}

impl NetworkConfig {
    /// A Hermes mesh as its authors publish it: 32-bit flits, buffers of 8.
    pub fn mesh(width: u32, height: u32) -> NetworkConfig {
        NetworkConfig { topology: Topology::Mesh, width, height, flit_bits: 32, buffer_flits: 8 }
    }
}

/// A configuration that cannot be built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConfigError {
    /// Width or height is 0.
    Empty,
    /// The flit is not 8, 12, … 64 bits wide.
    FlitBits(u32),
    /// A quarter of the flit cannot hold a coordinate of so many routers; the largest side that it can.
    TooWide(u32),
    /// Buffers of 0 flits, or of more than the largest.
    Buffer(u32),
    /// More buffers than a host should be asked for; the number of flits in all.
    TooLarge(u64),
}

/// Largest buffer of one input, in flits.
const BUFFER_MAX: u32 = 32_768;
/// Flits of all buffers together: 4 GiB of host memory.
const FLITS_MAX: u64 = 1 << 28;

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Empty => f.write_str("a network has at least one router in x and in y"),
            ConfigError::FlitBits(bits) => {
                write!(f, "flits of {bits} bits: a flit has 8 to 64 bits, a multiple of 4 (a quarter holds a coordinate)")
            }
            ConfigError::TooWide(side) => write!(
                f,
                "the header cannot name so many routers: a quarter of this flit counts to {side}; take wider flits or fewer routers"
            ),
            ConfigError::Buffer(flits) => write!(f, "buffers of {flits} flits: 1 to {BUFFER_MAX} are possible"),
            ConfigError::TooLarge(flits) => {
                write!(f, "the buffers hold {flits} flits in all; {FLITS_MAX} are possible: take fewer routers or smaller buffers")
            }
        }
    }
}

/// What moves over a link in one cycle.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flit {
    /// Contents; of a header, the destination's coordinates in its lower half. No more than 32 bits are carried, which a header
    /// does not exceed.
    pub data: u32,
    /// The owner's name of the packet, below 2^31; the network only carries it.
    pub tag: u32,
    /// The end-of-packet bit.
    pub last: bool,
}

/// A flit in a buffer: small, because buffers are what a host's caches hold.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Stored {
    pub data: u32,
    tag_and_last: u32,
}

impl Stored {
    pub fn new(flit: Flit) -> Stored {
        debug_assert!(flit.tag >> 31 == 0);
        Stored { data: flit.data, tag_and_last: flit.tag << 1 | u32::from(flit.last) }
    }

    #[inline(always)]
    pub fn last(self) -> bool {
        self.tag_and_last & 1 == 1
    }

    pub fn flit(self) -> Flit {
        Flit { data: self.data, tag: self.tag_and_last >> 1, last: self.last() }
    }
}

/// What a local output does with flits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sink {
    /// Accepts a flit at every edge.
    Always,
    /// Accepts at edge c only when (c + offset) mod period < accept.
    Pattern {
        /// Accepting cycles of a period, at least 1.
        accept: u64,
        /// Length of a period, at least 1.
        period: u64,
        /// Phase.
        offset: u64,
    },
    /// Accepts while it holds credits, one for each flit; [`Network::credit`] gives more.
    Credits(u64),
}

impl Sink {
    /// The sinks of `stalled_sinks_4x4.csv`: the local output of (x, y) accepts at edge c only when
    /// (c + 7x + 13y) mod period < accept.
    pub fn staggered((x, y): (u32, u32), accept: u64, period: u64) -> Sink {
        Sink::Pattern { accept, period, offset: 7 * u64::from(x) + 13 * u64::from(y) }
    }
}

/// What has happened at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The edge at which it happened.
    pub at: Cycle,
    /// Router number.
    pub node: u32,
    /// What.
    pub kind: EventKind,
    /// The flit.
    pub flit: Flit,
    /// Whether it is a header.
    pub first: bool,
}

/// The two things that an owner learns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// The flit has gone from the node's queue into its router.
    Accepted,
    /// The flit has left by the local output.
    Delivered,
}

/// Why a flit cannot be injected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InjectError {
    /// The header names a router that does not exist.
    NoSuchRouter {
        /// Its x.
        x: u32,
        /// Its y.
        y: u32,
    },
    /// A packet has at least one flit.
    NoFlits,
}

impl fmt::Display for InjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InjectError::NoSuchRouter { x, y } => write!(f, "there is no router ({x}, {y})"),
            InjectError::NoFlits => f.write_str("a packet has at least one flit"),
        }
    }
}

/// What waits at a node to be offered: whole packets whose contents nobody reads, or single flits.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Packet { header: u32, length: u32, tag: u32, at: u64 },
    Flit { flit: Flit, at: u64 },
}

/// The queue before a local input.
#[derive(Clone, Default, Debug)]
pub(crate) struct Source {
    pub items: VecDeque<Item>,
    /// Flits of the first item that have been accepted.
    pub sent: u32,
    /// The next flit to be accepted is in a packet that has begun.
    pub inside: bool,
    /// The next flit to be injected is in a packet that has begun.
    pub open: bool,
    pub listed: bool,
}

/// Input port, three states.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum InputState {
    #[default]
    Idle,
    Requesting,
    Sending,
}

/// `Input::to` of a connection to the local output.
pub(crate) const TO_SINK: u32 = u32::MAX - 1;
pub(crate) const NOT_BLOCKED: u64 = u64::MAX;

/// An input port with its buffer's indices: a line of the host's cache. What is not state (lists, statistics) can be derived
/// from the rest.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Input {
    pub len: u32,
    pub head: u32,
    /// Of a connection: the input that it feeds, or `TO_SINK`.
    pub to: u32,
    /// Of a connection: its output, as an index over all routers.
    pub output: u32,
    /// The router that this port belongs to.
    pub router: u32,
    /// The port's number.
    pub port: u8,
    /// The input of the router before that feeds this one, while they are connected.
    pub feeder: u32,
    /// Output that the header at the head asks for, or is connected to.
    pub want: u8,
    pub state: InputState,
    /// Of a connection: the header has not left yet.
    pub first: bool,
    /// In the list of what may move.
    pub listed: bool,
    /// In the list of what may begin to request.
    pub queued: bool,
    /// Edge at which the request began: for statistics.
    pub requested_at: u64,
    /// Edge since which a flit could not move: for statistics.
    pub blocked_since: u64,
    /// Cycles in which a flit of this connection could not move: for statistics.
    pub blocked: u64,
    /// Flits that have left over this connection: for statistics.
    pub sent: u64,
}

/// Switch control, five states, one cycle each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Control {
    #[default]
    Wait,
    Arbitrate,
    Switch,
    Connect,
    Acknowledge,
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Router {
    pub control: Control,
    /// The input chosen last.
    pub pointer: u8,
    /// Inputs that request, as bits.
    pub requests: u16,
    /// Outputs that are taken, as bits.
    pub taken: u16,
    /// In the list of routers whose control can change.
    pub listed: bool,
    /// All requests are refused for the time being: the polling is made up for when that can change, see `unpark`.
    pub parked: bool,
    /// First edge (an *arbitrate*) that has not been made up for.
    pub parked_at: u64,
}

/// What happens at a known later edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Timer {
    /// The first item of a queue may be offered.
    Offer,
    /// The sink accepts again.
    Accept,
    /// The sink is given credits.
    Credit(u64),
}

/// A network on chip.
///
/// `Clone` saves it: a clone goes on exactly as the original does.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) config: NetworkConfig,
    pub(crate) shape: Shape,
    /// The first edge that has not been executed.
    pub(crate) now: u64,
    pub(crate) depth: u32,
    /// Buffer places of an input: a power of two.
    pub(crate) stride: u32,
    pub(crate) flits: Vec<Stored>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) routers: Vec<Router>,
    /// Of each output, the input that it is tied to.
    pub(crate) tied: Vec<u32>,
    /// Of each output, the input of the neighbour that it feeds, `TO_SINK`, or `NONE`.
    pub(crate) feeds: Vec<u32>,
    pub(crate) links: Vec<LinkStats>,
    /// With lanes: of each side of a router, the lane that sent last.
    pub(crate) last_lane: Vec<u8>,
    /// With lanes: of each side, the edge at which a lane has claimed the link, and its place in `moves`.
    pub(crate) claims: Vec<(u64, u32)>,
    pub(crate) sources: Vec<Source>,
    pub(crate) sinks: Vec<Sink>,
    pub(crate) timers: BinaryHeap<Reverse<(u64, u32, Timer)>>,
    /// Connected inputs that may move a flit at the next edge.
    pub(crate) movers: Vec<u32>,
    /// Inputs that may begin to request at the next edge.
    pub(crate) requesters: Vec<u32>,
    /// Routers whose control may change at the next edge.
    pub(crate) controls: Vec<u32>,
    /// Outputs that are marked free at the next edge: router, output.
    pub(crate) releases: Vec<(u32, u8)>,
    /// Nodes that may offer a flit at the next edge.
    pub(crate) offers: Vec<u32>,
    pub(crate) scratch: Vec<u32>,
    pub(crate) moves: Vec<(u32, Stored)>,
    pub(crate) accepts: Vec<u32>,
    pub(crate) moved_flits: u64,
}

impl Network {
    /// A network at reset, cycle 0: buffers empty, outputs free, pointers at port 0, every sink [`Sink::Always`].
    ///
    /// # Errors
    /// [`ConfigError`] says what cannot be built.
    pub fn new(config: &NetworkConfig) -> Result<Network, ConfigError> {
        let NetworkConfig { topology, width, height, flit_bits, buffer_flits } = *config;
        if width == 0 || height == 0 {
            return Err(ConfigError::Empty);
        }
        if !(8..=64).contains(&flit_bits) || flit_bits % 4 != 0 {
            return Err(ConfigError::FlitBits(flit_bits));
        }
        let side = 1u32 << (flit_bits / 4);
        if width > side || height > side {
            return Err(ConfigError::TooWide(side));
        }
        if buffer_flits == 0 || buffer_flits > BUFFER_MAX {
            return Err(ConfigError::Buffer(buffer_flits));
        }
        let shape = Shape::new(topology, width, height);
        let stride = buffer_flits.next_power_of_two();
        let inputs = u64::from(width) * u64::from(height) * shape.ports as u64;
        let flits = inputs * u64::from(stride);
        if flits > FLITS_MAX {
            return Err(ConfigError::TooLarge(flits));
        }
        let (nodes, inputs) = (shape.nodes(), inputs as usize);
        let mut feeds = vec![NONE; inputs];
        for node in 0..nodes as u32 {
            let first = node as usize * shape.ports;
            feeds[first + shape.local()] = TO_SINK;
            for port in 0..shape.local() {
                let neighbour = shape.neighbour(node, Direction::ALL[shape.side(port)]);
                if neighbour != NONE {
                    feeds[first + port] = neighbour * shape.ports as u32 + shape.fed_by(port) as u32;
                }
            }
        }
        let input = Input {
            len: 0,
            head: 0,
            to: NONE,
            output: NONE,
            router: 0,
            port: 0,
            feeder: NONE,
            want: 0,
            state: InputState::Idle,
            first: false,
            listed: false,
            queued: false,
            requested_at: 0,
            blocked_since: NOT_BLOCKED,
            blocked: 0,
            sent: 0,
        };
        let mut inputs = vec![input; inputs];
        for (i, input) in inputs.iter_mut().enumerate() {
            (input.router, input.port) = ((i / shape.ports) as u32, (i % shape.ports) as u8);
        }
        let sides = if shape.lanes > 1 { nodes * 4 } else { 0 };
        Ok(Network {
            config: *config,
            now: 0,
            depth: buffer_flits,
            stride,
            flits: vec![Stored::default(); flits as usize],
            routers: vec![Router::default(); nodes],
            tied: vec![NONE; inputs.len()],
            feeds,
            links: vec![LinkStats::default(); inputs.len()],
            inputs,
            last_lane: vec![0; sides],
            claims: vec![(u64::MAX, 0); sides],
            sources: vec![Source::default(); nodes],
            sinks: vec![Sink::Always; nodes],
            timers: BinaryHeap::new(),
            movers: Vec::new(),
            requesters: Vec::new(),
            controls: Vec::new(),
            releases: Vec::new(),
            offers: Vec::new(),
            scratch: Vec::new(),
            moves: Vec::new(),
            accepts: Vec::new(),
            moved_flits: 0,
            shape,
        })
    }

    /// Its parameters.
    pub fn config(&self) -> &NetworkConfig {
        &self.config
    }

    /// Number of routers.
    pub fn nodes(&self) -> usize {
        self.shape.nodes()
    }

    /// Number of the router at (x, y), if there is one.
    pub fn node(&self, x: u32, y: u32) -> Option<u32> {
        (x < self.shape.width && y < self.shape.height).then(|| self.shape.node(x, y))
    }

    /// Coordinates of a router.
    pub fn place(&self, node: u32) -> (u32, u32) {
        self.shape.place(node)
    }

    /// Links between routers on the way from a node to another.
    pub fn hops(&self, from: u32, to: u32) -> u32 {
        self.shape.hops(from, to)
    }

    /// The header of a packet to a node: x in the second quarter of the flit from the bottom, y in the lowest.
    pub fn header(&self, to: u32) -> u32 {
        let (x, y) = self.shape.place(to);
        (x << (self.config.flit_bits / 4)) | y
    }

    /// The coordinates that a header names.
    pub fn destination(&self, header: u32) -> (u32, u32) {
        let quarter = self.config.flit_bits / 4;
        let mask = (1u32 << quarter) - 1;
        (header >> quarter & mask, header & mask)
    }

    /// The first edge that has not been executed: everything before it is final.
    pub fn now(&self) -> Cycle {
        Cycle(self.now)
    }

    /// Flits that have moved from a buffer over a link, since reset: what a host's time is spent on.
    pub fn moved_flits(&self) -> u64 {
        self.moved_flits
    }

    /// Put a packet of `length` flits behind a node's queue. Its header is offered at `at` at the earliest. The flits after the
    /// header carry their number as contents.
    ///
    /// # Errors
    /// [`InjectError`]; the queue is unchanged.
    pub fn inject_packet(&mut self, from: u32, to: u32, length: u32, tag: u32, at: Cycle) -> Result<(), InjectError> {
        if to as usize >= self.nodes() {
            return Err(InjectError::NoSuchRouter { x: to % self.shape.width, y: to / self.shape.width });
        }
        if length == 0 {
            return Err(InjectError::NoFlits);
        }
        let header = self.header(to);
        self.put(from, Item::Packet { header, length, tag, at: at.0 });
        Ok(())
    }

    /// Put one flit behind a node's queue, to be offered at `at` at the earliest. The first one, and each one after a last
    /// one, is a header.
    ///
    /// # Errors
    /// A header that names no router is refused; the queue is unchanged.
    pub fn inject(&mut self, node: u32, flit: Flit, at: Cycle) -> Result<(), InjectError> {
        if !self.sources[node as usize].open {
            let (x, y) = self.destination(flit.data);
            if self.node(x, y).is_none() {
                return Err(InjectError::NoSuchRouter { x, y });
            }
        }
        self.sources[node as usize].open = !flit.last;
        self.put(node, Item::Flit { flit, at: at.0 });
        Ok(())
    }

    fn put(&mut self, node: u32, item: Item) {
        self.sources[node as usize].items.push_back(item);
        self.wake_source(node);
    }

    /// Items (packets or single flits) that wait in a node's queue.
    pub fn queued(&self, node: u32) -> usize {
        self.sources[node as usize].items.len()
    }

    /// Replace the sink of a node's local output.
    pub fn set_sink(&mut self, node: u32, sink: Sink) {
        self.sinks[node as usize] = sink;
        self.wake_sink(node);
    }

    /// Let a [`Sink::Credits`] accept `flits` more, from edge `at` on.
    pub fn credit(&mut self, node: u32, flits: u64, at: Cycle) {
        if at.0 > self.now {
            self.timers.push(Reverse((at.0, node, Timer::Credit(flits))));
        } else if let Sink::Credits(held) = &mut self.sinks[node as usize] {
            *held += flits;
            self.wake_sink(node);
        }
    }

    /// The first edge at which anything can change, given what is known now; [`Cycle::NEVER`] when nothing can.
    pub fn next_event(&self) -> Cycle {
        if self.busy() {
            return Cycle(self.now);
        }
        self.timers.peek().map_or(Cycle::NEVER, |Reverse((at, _, _))| Cycle(*at.max(&self.now)))
    }

    /// Counters of a router's output. `None` where no link is.
    pub fn link(&self, node: u32, direction: Direction) -> Option<LinkStats> {
        let first = node as usize * self.shape.ports + direction as usize * self.shape.lanes;
        let lanes = if direction == Direction::Local { 1 } else { self.shape.lanes };
        if self.feeds[first] == NONE {
            return None;
        }
        let mut sum = LinkStats::default();
        for link in &self.links[first..first + lanes] {
            sum.packets += link.packets;
            sum.flits += link.flits;
            sum.blocked_cycles += link.blocked_cycles;
            sum.wait_cycles += link.wait_cycles;
            sum.wait_max = sum.wait_max.max(link.wait_max);
            sum.waits.iter_mut().zip(link.waits).for_each(|(a, b)| *a += b);
        }
        // What has left over connections that are still open is counted at their ends.
        let open = self.tied[first..first + lanes].iter().filter(|&&input| input != NONE);
        for input in open.map(|&input| &self.inputs[input as usize]) {
            sum.flits += input.sent;
            sum.blocked_cycles += input.blocked;
        }
        Some(sum)
    }

    /// Feed all state into `hash`, in a fixed order. Two networks that have executed the same edges hash alike, however
    /// their owners cut the time.
    #[allow(clippy::should_implement_trait)] // The name of this in every component; it is not for hash tables.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(self.now);
        for (i, input) in self.inputs.iter().enumerate() {
            hash(u64::from(input.len) << 8 | u64::from(input.want) << 4 | input.state as u64);
            if input.state == InputState::Sending {
                hash(u64::from(input.to));
            }
            for k in 0..input.len {
                let flit = &self.flits[self.slot(i as u32, input.head.wrapping_add(k))];
                hash(u64::from(flit.tag_and_last) << 32 | u64::from(flit.data));
            }
        }
        for (node, router) in self.routers.iter().enumerate() {
            let mut router = router.clone();
            if router.parked {
                router.make_up(self.now);
            }
            hash(u64::from(router.taken) << 32 | u64::from(router.pointer) << 8 | router.control as u64);
            let source = &self.sources[node];
            hash(u64::from(source.sent) << 2 | u64::from(source.inside) << 1 | u64::from(source.open));
            hash(source.items.len() as u64);
            for item in &source.items {
                let words = match *item {
                    Item::Packet { header, length, tag, at } => {
                        [u64::from(header), u64::from(length), u64::from(tag), at]
                    }
                    Item::Flit { flit, at } => [u64::from(flit.data), u64::from(flit.last), u64::from(flit.tag), at],
                };
                words.into_iter().for_each(&mut *hash);
            }
            match self.sinks[node] {
                Sink::Always => hash(0),
                Sink::Pattern { accept, period, offset } => {
                    [1, accept, period, offset].into_iter().for_each(&mut *hash)
                }
                Sink::Credits(held) => [2, held].into_iter().for_each(&mut *hash),
            }
        }
        self.last_lane.iter().for_each(|&lane| hash(u64::from(lane)));
        let mut releases = self.releases.clone();
        releases.sort_unstable();
        for (router, output) in releases {
            hash(u64::from(router) << 8 | u64::from(output));
        }
        let mut credits: Vec<_> = self.timers.iter().filter(|t| matches!(t.0 .2, Timer::Credit(_))).collect();
        credits.sort();
        for Reverse((at, node, timer)) in credits {
            let Timer::Credit(flits) = timer else { continue };
            [*at, u64::from(*node), *flits].into_iter().for_each(&mut *hash);
        }
    }

    /// Hash of the state in one word.
    pub fn state_hash(&self) -> u64 {
        let mut h = 0xcbf2_9ce4_8422_2325u64;
        self.hash(&mut |word| {
            h = (h ^ word).wrapping_mul(0x0000_0100_0000_01b3);
            h ^= h >> 29;
        });
        h
    }

    #[inline(always)]
    pub(crate) fn slot(&self, input: u32, place: u32) -> usize {
        (input * self.stride) as usize + (place & (self.stride - 1)) as usize
    }
}
