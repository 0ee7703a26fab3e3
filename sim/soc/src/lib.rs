// SPDX-License-Identifier: Apache-2.0
//! A whole system: images, cores, interconnect and devices, advanced by one owner of time.
//!
//! Deliberately lacks: files, and any idea of what is worth measuring.

mod agenda;
mod ahead;
mod back;
mod background;
mod build;
mod coherence;
mod device_tree;
mod fabric;
mod fault;
mod host_call;
mod image;
mod machine;
mod onchip;
mod report;
mod shadow;
mod slave_stats;
mod snoop;
mod symbols;
mod tight;
mod transfer;
mod view;

pub use ::noc as network;
pub use coherence::{CoherenceFinding, Place};
pub use engine::{Cycle, Cycles};
pub use fault::{CoreBacktrace, Executed, Fault};
pub use image::{Image, ImageError, Segment, Symbol};
pub use machine::{Machine, Outcome, StopReason};
pub use report::{CacheStats, CoreStats, LinkUse, MaskedTime, SnoopStats, Stats};
pub use slave_stats::{L2Stats, SlaveStats, WAIT_CLASSES};
pub use symbols::Frame;
