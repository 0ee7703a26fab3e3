// SPDX-License-Identifier: Apache-2.0
//! Tightly coupled memories: each is in its core's port, not in the fabric, so the rest of a machine is built as if they were not there.

use config::{MemoryKind, Platform, TightPort};
use mem::{Backing, TightConfig, TightPorts};

/// A tightly coupled memory while images are loaded.
pub(crate) struct Tight {
    pub core: usize,
    pub backing: Backing,
    ports: TightPorts,
}

impl Tight {
    /// What its core's port is made of.
    pub fn config(&self) -> TightConfig {
        let mut bytes = vec![0; self.backing.size() as usize];
        self.backing.read(self.backing.base(), &mut bytes);
        TightConfig { base: self.backing.base(), ports: self.ports, bytes }
    }
}

/// Take the tightly coupled memories out of a platform; `init` says what the n-th of them holds.
pub(crate) fn split(platform: &Platform, init: impl Fn(usize) -> mem::Init) -> (Platform, Vec<Tight>) {
    let mut rest = platform.clone();
    let mut tight = Vec::new();
    rest.memories.retain(|m| {
        let MemoryKind::TightlyCoupled { port } = m.kind else { return true };
        tight.push(Tight {
            core: m.core.unwrap_or_default(),
            backing: Backing::new(m.base, m.size_bytes, init(tight.len())),
            ports: TightPorts { instruction: port != TightPort::Data, data: port != TightPort::Instruction },
        });
        false
    });
    (rest, tight)
}
