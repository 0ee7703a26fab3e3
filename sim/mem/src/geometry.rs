// SPDX-License-Identifier: Apache-2.0
//! The shape of a cache.

use crate::order::Replacement;

/// Size, line and ways of a cache. Lines have 8 to 64 bytes, a power of two; so is the number of sets; two lines at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheGeometry {
    /// Bytes in all.
    pub size_bytes: u32,
    /// Bytes of a line.
    pub line_bytes: u32,
    /// Lines of a set: 1 is direct mapped, all lines fully associative.
    pub ways: u32,
    /// Who makes room.
    pub replacement: Replacement,
}

impl CacheGeometry {
    /// A direct-mapped cache.
    pub const fn direct(size_bytes: u32, line_bytes: u32) -> CacheGeometry {
        CacheGeometry { size_bytes, line_bytes, ways: 1, replacement: Replacement::Lru }
    }

    /// Number of sets; 0 when the sizes do not fit each other.
    pub fn sets(&self) -> u32 {
        let set = u64::from(self.line_bytes) * u64::from(self.ways);
        match u64::from(self.size_bytes).checked_div(set) {
            Some(sets) if sets * set == u64::from(self.size_bytes) => sets as u32,
            _ => 0,
        }
    }

    /// Whether a [`Cache`](crate::Cache) can have this geometry.
    pub fn is_valid(&self) -> bool {
        self.line_bytes.is_power_of_two()
            && (8..=64).contains(&self.line_bytes)
            && self.sets().is_power_of_two()
            && self.size_bytes >= 2 * self.line_bytes
    }
}
