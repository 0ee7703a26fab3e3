// SPDX-License-Identifier: Apache-2.0
//! Who makes room in a full set.

use crate::geometry::CacheGeometry;

/// Which line of a full set makes room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Replacement {
    /// The least recently used one.
    #[default]
    Lru,
    /// Each way in turn, counted for each set.
    RoundRobin,
    /// As a linear feedback shift register says.
    Random,
}

/// No place.
const NONE: u32 = u32::MAX;

/// The replacement state of all sets.
pub(crate) struct Order {
    policy: Replacement,
    ways: u32,
    /// LRU: the place used just before and just after each place; the most and the least recent one of each set.
    newer: Vec<u32>,
    older: Vec<u32>,
    newest: Vec<u32>,
    oldest: Vec<u32>,
    /// Each place that a hit made the most recent one, with the one it followed. Undone backwards.
    log: Vec<(u32, u32)>,
    /// Round robin: the next way of each set.
    next: Vec<u32>,
    register: u16,
}

impl Order {
    pub fn new(geometry: CacheGeometry, seed: u16) -> Order {
        let (ways, sets) = (geometry.ways, geometry.sets());
        let lru = geometry.replacement == Replacement::Lru && ways > 1;
        let places = if lru { ways * sets } else { 0 };
        // Way 0 is the oldest.
        let newer = |p: u32| if (p + 1) % ways == 0 { NONE } else { p + 1 };
        let older = |p: u32| if p % ways == 0 { NONE } else { p - 1 };
        let ends = if lru { sets } else { 0 };
        Order {
            policy: geometry.replacement,
            ways,
            newer: (0..places).map(newer).collect(),
            older: (0..places).map(older).collect(),
            newest: (0..ends).map(|s| s * ways + ways - 1).collect(),
            oldest: (0..ends).map(|s| s * ways).collect(),
            log: Vec::new(),
            next: vec![0; if geometry.replacement == Replacement::RoundRobin { sets as usize } else { 0 }],
            // The register never leaves 0.
            register: if seed == 0 { 1 } else { seed },
        }
    }

    fn set_of(&self, place: u32) -> usize {
        (place / self.ways) as usize
    }

    pub fn touch(&mut self, place: u32) {
        if self.newest.is_empty() || self.newest[self.set_of(place)] == place {
            return;
        }
        self.log.push((place, self.newer[place as usize]));
        self.unlink(place);
        self.insert(place, NONE);
    }

    /// Whether a hit changes anything.
    pub fn counts_hits(&self) -> bool {
        !self.newest.is_empty()
    }

    /// What hits changed is final.
    pub fn checkpoint(&mut self) {
        self.log.clear();
    }

    /// Undo what the last hit changed, and say in which set.
    pub fn undo(&mut self) -> Option<usize> {
        let (place, before) = self.log.pop()?;
        self.unlink(place);
        self.insert(place, before);
        Some(self.set_of(place))
    }

    fn unlink(&mut self, place: u32) {
        let set = self.set_of(place);
        let (newer, older) = (self.newer[place as usize], self.older[place as usize]);
        match newer {
            NONE => self.newest[set] = older,
            newer => self.older[newer as usize] = older,
        }
        match older {
            NONE => self.oldest[set] = newer,
            older => self.newer[older as usize] = newer,
        }
    }

    /// Put a place behind one that is newer, or in front of all.
    fn insert(&mut self, place: u32, newer: u32) {
        let set = self.set_of(place);
        let older = match newer {
            NONE => std::mem::replace(&mut self.newest[set], place),
            newer => std::mem::replace(&mut self.older[newer as usize], place),
        };
        self.newer[place as usize] = newer;
        self.older[place as usize] = older;
        match older {
            NONE => self.oldest[set] = place,
            older => self.newer[older as usize] = place,
        }
    }

    /// The place of a full set that makes room.
    pub fn victim(&self, set: usize) -> usize {
        let first = set * self.ways as usize;
        match self.policy {
            _ if self.ways == 1 => first,
            Replacement::Lru => self.oldest[set] as usize,
            Replacement::RoundRobin => first + self.next[set] as usize,
            Replacement::Random => first + ((u32::from(self.register) * self.ways) >> 16) as usize,
        }
    }

    /// A held line was chosen.
    pub fn chosen(&mut self, set: usize, place: u32) {
        match self.policy {
            Replacement::Lru => {}
            Replacement::RoundRobin => self.next[set] = (place % self.ways + 1) % self.ways,
            // x^16 + x^14 + x^13 + x^11 + 1, of maximal length (Xilinx, XAPP 052, table 3 has the same taps mirrored).
            Replacement::Random => {
                let bit = self.register & 1;
                self.register >>= 1;
                if bit != 0 {
                    self.register ^= 0xb400;
                }
            }
        }
    }

    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        self.older.iter().for_each(|p| hash(u64::from(*p)));
        self.next.iter().for_each(|w| hash(u64::from(*w)));
        if self.policy == Replacement::Random && self.ways > 1 {
            hash(u64::from(self.register));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_register_goes_through_all_states() {
        let mut order =
            Order::new(CacheGeometry { ways: 2, replacement: Replacement::Random, ..CacheGeometry::direct(64, 32) }, 0);
        let mut steps = 0u32;
        loop {
            order.chosen(0, 0);
            steps += 1;
            if order.register == 1 {
                break;
            }
        }
        assert_eq!(steps, 65535);
    }
}
