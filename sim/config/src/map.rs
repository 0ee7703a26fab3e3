// SPDX-License-Identifier: Apache-2.0
//! The address map of a platform: its regions by address.

use crate::types::Platform;

/// What answers at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// Index into [`Platform::memories`].
    Memory(usize),
    /// Index into [`Platform::devices`].
    Device(usize),
}

/// A range of physical addresses and what answers there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// First address.
    pub base: u32,
    /// Last address.
    pub last: u32,
    /// What answers.
    pub owner: Owner,
}

/// All regions of a platform, which do not overlap, sorted by address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddressMap {
    regions: Vec<Region>,
}

impl AddressMap {
    /// The map of a resolved platform, as its first core sees it: of what each core has, that core's own.
    pub fn new(platform: &Platform) -> AddressMap {
        let region =
            |base: u32, size: u32, owner| Region { base, last: base.wrapping_add(size.wrapping_sub(1)), owner };
        let seen = |per_core: bool, core: Option<usize>| !per_core || core == Some(0);
        let memories = platform.memories.iter().enumerate().filter(|(_, m)| seen(m.per_core, m.core));
        let memories = memories.map(|(i, m)| region(m.base, m.size_bytes, Owner::Memory(i)));
        let devices = platform.devices.iter().enumerate().filter(|(_, d)| seen(d.per_core, d.core));
        let devices = devices.map(|(i, d)| region(d.base, d.size_bytes, Owner::Device(i)));
        let mut regions: Vec<Region> = memories.chain(devices).collect();
        regions.sort_by_key(|r| r.base);
        AddressMap { regions }
    }

    /// By ascending address.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The region that holds a physical address (the bypass bit already removed).
    pub fn find(&self, address: u32) -> Option<&Region> {
        let after = self.regions.partition_point(|r| r.base <= address);
        self.regions[..after].last().filter(|r| address <= r.last)
    }
}
