// SPDX-License-Identifier: Apache-2.0
//! What is counted of a slave.

use serde::Serialize;

/// Histogram classes of bus waiting: 0, 1, 2–3, 4–7, … cycles.
pub const WAIT_CLASSES: usize = 16;

/// Counters of one slave.
#[derive(Clone, Default, Debug, PartialEq, Eq, Serialize)]
pub struct SlaveStats {
    /// Name of the memory or device.
    pub name: String,
    /// Requests served.
    pub accesses: u64,
    /// Cycles of service.
    pub busy_cycles: u64,
    /// Cycles that requests waited for others.
    pub wait_cycles: u64,
    /// Requests by waiting time: 0, 1, 2–3, 4–7, … cycles.
    pub wait_histogram: [u64; WAIT_CLASSES],
    /// Second-level cache, in lines.
    pub l2: Option<L2Stats>,
}

/// Counters of a second-level cache.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize)]
pub struct L2Stats {
    /// Lines that were there.
    pub hits: u64,
    /// Lines that were not.
    pub misses: u64,
    /// Dirty lines written to memory.
    pub write_backs: u64,
}

/// The class of a request that waited so long.
pub(crate) fn wait_class(waited: u64) -> usize {
    ((64 - waited.leading_zeros()) as usize).min(WAIT_CLASSES - 1)
}
