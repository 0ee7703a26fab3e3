// SPDX-License-Identifier: Apache-2.0
//! Who acts next, among things with a number: a binary heap with the place of each, ordered by instant and then by number.
//!
//! A change costs as many steps as its thing moves in the order. Things that never act stay where they are, at the bottom, so
//! sleepers cost nothing.

use engine::Cycle;

#[derive(Clone, Copy, Debug)]
struct Item {
    at: Cycle,
    index: u32,
}

impl Item {
    /// Those that never come have no order among themselves: they need not be moved past each other.
    #[inline(always)]
    fn before(self, other: Item) -> bool {
        self.at < other.at || (self.at == other.at && self.index < other.index && self.at != Cycle::NEVER)
    }
}

const NOTHING: Item = Item { at: Cycle::NEVER, index: u32::MAX };

/// When each of a fixed number of things acts.
#[derive(Clone, Debug)]
pub(crate) struct Agenda {
    heap: Vec<Item>,
    /// Place in the heap of each thing.
    places: Vec<u32>,
}

impl Agenda {
    /// `count` things that never act.
    pub fn new(count: usize) -> Agenda {
        Agenda {
            heap: (0..count as u32).map(|index| Item { at: Cycle::NEVER, index }).collect(),
            places: (0..count as u32).collect(),
        }
    }

    fn item(&self, place: usize) -> Item {
        self.heap.get(place).copied().unwrap_or(NOTHING)
    }

    /// The first thing that acts, the lowest number among equals; the instant is never when none does.
    #[inline]
    pub fn first(&self) -> (usize, Cycle) {
        let first = self.item(0);
        (first.index as usize, first.at)
    }

    /// When the first thing acts.
    #[inline]
    pub fn next(&self) -> Cycle {
        self.item(0).at
    }

    /// The first instant at which a thing other than `index` may act, as seen from `index`'s place in the order of a cycle: what comes
    /// after it in the same cycle counts as the next cycle.
    #[inline]
    pub fn others(&self, index: usize) -> Cycle {
        let mut other = self.item(0);
        if other.index as usize == index {
            let (left, right) = (self.item(1), self.item(2));
            other = if right.before(left) { right } else { left };
        }
        let later = u64::from(other.index as usize > index && other.at != Cycle::NEVER);
        Cycle(other.at.0 + later)
    }

    /// When `index` acts.
    pub fn at(&self, index: usize) -> Cycle {
        self.heap[self.places[index] as usize].at
    }

    /// `index` acts at `at` and not when it was to act before.
    #[inline]
    pub fn set(&mut self, index: usize, at: Cycle) {
        let place = self.places[index] as usize;
        let item = Item { at, index: index as u32 };
        let was = std::mem::replace(&mut self.heap[place], item);
        if at == was.at {
            return;
        }
        if at < was.at {
            self.rise(place, item);
        } else {
            self.sink(place, item);
        }
    }

    fn put(&mut self, place: usize, item: Item) {
        self.heap[place] = item;
        self.places[item.index as usize] = place as u32;
    }

    fn rise(&mut self, mut place: usize, item: Item) {
        while place > 0 {
            let above = (place - 1) / 2;
            let other = self.heap[above];
            if !item.before(other) {
                break;
            }
            self.put(place, other);
            place = above;
        }
        self.put(place, item);
    }

    fn sink(&mut self, mut place: usize, item: Item) {
        loop {
            let below = 2 * place + 1;
            let (left, right) = (self.item(below), self.item(below + 1));
            let (next, at) = if right.before(left) { (right, below + 1) } else { (left, below) };
            if !next.before(item) {
                break;
            }
            self.put(place, next);
            place = at;
        }
        self.put(place, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(times: &[u64]) -> (usize, u64) {
        let (i, t) = times.iter().enumerate().min_by_key(|(i, t)| (**t, *i)).expect("some");
        (i, *t)
    }

    fn naive_others(times: &[u64], index: usize) -> u64 {
        let seen = times.iter().enumerate().filter(|(i, _)| *i != index);
        seen.map(|(i, t)| if i > index && *t != u64::MAX { t + 1 } else { *t }).min().unwrap_or(u64::MAX)
    }

    #[test]
    fn it_agrees_with_a_scan() {
        let mut state = 7u64;
        let mut draw = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for count in [1usize, 2, 3, 4, 7, 64, 100] {
            let mut agenda = Agenda::new(count);
            let mut times = vec![u64::MAX; count];
            for step in 0..5_000 {
                let index = draw(count as u64) as usize;
                let at = if draw(4) == 0 { u64::MAX } else { step / 8 + draw(20) };
                agenda.set(index, Cycle(at));
                times[index] = at;
                let (first, when) = naive(&times);
                assert_eq!(agenda.next(), Cycle(when));
                if when != u64::MAX {
                    assert_eq!(agenda.first(), (first, Cycle(when)), "{times:?}");
                }
                assert_eq!(agenda.at(index), Cycle(at));
                // Only the first thing asks for the others.
                assert_eq!(agenda.others(first), Cycle(naive_others(&times, first)), "{first} of {times:?}");
            }
        }
    }
}
