// SPDX-License-Identifier: Apache-2.0
//! A wormhole network on chip: the Hermes router, cycle by cycle, in a mesh, a torus or a ring.
//!
//! [`Network`] is the hardware: routers, their input buffers, and at each node a local input that is fed from a queue and a
//! local output that ends in a [`Sink`]. One call of [`Network::advance`] executes clock edges; only what can change at an edge
//! is looked at, and edges at which nothing can change are skipped, so an idle network costs nothing.
//!
//! [`Replay`] runs a file of packets ([`traffic`]) and says when each was accepted and delivered; [`measure`] draws one point of a
//! load curve from a [`Pattern`].
//!
//! The rules are those of the RTL `gaph-pucrs/Hermes` (F. Moraes, N. Calazans, A. Mello, L. Möller, L. Ost: HERMES: an
//! infrastructure for low area overhead packet-switching networks on chip, Integration 38(1), 2004), as
//! `experiments/reference/hermes/README.md` states them; `tests/golden.rs` compares with its data.
//!
//! Deliberately lacks: files, threads, wall clocks, what a packet means, and the network interface of a processor.

mod load;
mod network;
mod pattern;
mod replay;
mod stats;
mod step;
mod topology;
pub mod traffic;

pub use load::{measure, LoadPoint, LoadSetup};
pub use network::{ConfigError, Event, EventKind, Flit, InjectError, Network, NetworkConfig, Sink};
pub use pattern::{Pattern, PatternError};
pub use replay::{Packet, Replay, Stuck, Times};
pub use stats::{LinkStats, WAIT_CLASSES};
pub use topology::{Direction, Topology, UnknownTopology};
