// SPDX-License-Identifier: Apache-2.0
//! What holds bytes: memories and their timing, caches, the memory port of a hart, and the arbiter of a slave.
//!
//! A port answers an access at once when nobody else can see it, and else suspends the hart with a request
//! ([`engine::HartMemory`]). Everything that a hart may do between two of its requests is in the port's undo log.
//!
//! Deliberately lacks: a map of the machine, queues of requests, and any decision about who acts when (all of that
//! is the owner of time's, who also passes snoops on), and devices.

// `hash` feeds a state digest, as `engine::Mmio::hash` does; it is not `std::hash::Hash`.
#![allow(clippy::should_implement_trait)]

mod arbiter;
mod avalon_sdram;
mod backing;
mod cache;
mod cached;
mod geometry;
mod ideal;
mod l2;
mod order;
mod outstanding;
mod policy;
mod reservations;
mod sdram;
mod sram;
mod store_buffer;
mod tightly;

pub use arbiter::{Masters, RoundRobin};
pub use avalon_sdram::{AvalonSdram, AvalonSdramTiming};
pub use backing::{Backing, Init};
pub use cache::Cache;
pub use cached::{CachedPort, LineMove};
pub use geometry::CacheGeometry;
pub use ideal::{IdealPort, IdealView};
pub use l2::{L2Config, L2Stats, L2};
pub use order::Replacement;
pub use policy::{AskedAccess, CacheStats, CachedPortConfig, Policy, Protocol, Serving, Snoop, Snooped, Victim};
pub use reservations::Reservations;
pub use sdram::{Sdram, SdramTiming};
pub use sram::{Sram, SramTiming};
pub use store_buffer::StoreBufferConfig;
pub use tightly::{TightConfig, TightPorts};

/// How long a transfer takes at a memory, from its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service {
    /// Until the memory takes the next transfer.
    pub held: engine::Cycles,
    /// Until the data is there, or the write is somebody else's business.
    pub answered: engine::Cycles,
}

impl From<engine::Cycles> for Service {
    fn from(cycles: engine::Cycles) -> Service {
        Service { held: cycles, answered: cycles }
    }
}
