// SPDX-License-Identifier: Apache-2.0
//! Reservations of words in shared memory: load-reserved makes one, a store by another hart breaks it, and a
//! store-conditional succeeds if it still stands. One reservation a hart, one word wide, as the A extension requires
//! at least; whoever serves shared memory keeps the table.

/// The reservation of each hart.
pub struct Reservations {
    words: Vec<Option<u32>>,
    standing: u32,
}

impl Reservations {
    /// A table for `harts` harts, all without a reservation.
    pub fn new(harts: usize) -> Reservations {
        Reservations { words: vec![None; harts], standing: 0 }
    }

    /// Load-reserved: `hart` reserves the word at `addr`, and forgets any earlier one.
    pub fn reserve(&mut self, hart: usize, addr: u32) {
        self.set(hart, Some(addr & !3));
    }

    /// Store-conditional: whether `hart`'s reservation of the word at `addr` still stands. It does not afterwards.
    pub fn take(&mut self, hart: usize, addr: u32) -> bool {
        let stands = self.words[hart] == Some(addr & !3);
        self.set(hart, None);
        stands
    }

    /// `hart` stores `bytes` bytes at `addr`: breaks what others have reserved there.
    #[inline]
    pub fn stored(&mut self, hart: usize, addr: u32, bytes: u32) {
        if self.standing != 0 {
            self.break_others(hart, addr, bytes);
        }
    }

    /// Whether another hart than `hart` has reserved one of the `bytes` bytes at `addr`.
    pub fn others_in(&self, hart: usize, addr: u32, bytes: u32) -> bool {
        let within = |word: &Option<u32>| word.is_some_and(|w| w.wrapping_sub(addr) < bytes);
        self.standing != 0 && self.words.iter().enumerate().any(|(other, word)| other != hart && within(word))
    }

    fn break_others(&mut self, hart: usize, addr: u32, bytes: u32) {
        let last = addr.wrapping_add(bytes.max(1) - 1) & !3;
        let first = addr & !3;
        for other in 0..self.words.len() {
            let hit = self.words[other].is_some_and(|w| w.wrapping_sub(first) <= last.wrapping_sub(first));
            if other != hart && hit {
                self.set(other, None);
            }
        }
    }

    fn set(&mut self, hart: usize, word: Option<u32>) {
        self.standing -= u32::from(self.words[hart].is_some());
        self.standing += u32::from(word.is_some());
        self.words[hart] = word;
    }

    /// Feed the table into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for word in &self.words {
            hash(word.map_or(u64::MAX, u64::from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_is_used_once() {
        let mut r = Reservations::new(2);
        assert!(!r.take(0, 0x100));
        r.reserve(0, 0x100);
        assert!(!r.take(1, 0x100));
        assert!(r.take(0, 0x100));
        assert!(!r.take(0, 0x100));
    }

    #[test]
    fn a_store_conditional_elsewhere_fails_and_clears() {
        let mut r = Reservations::new(1);
        r.reserve(0, 0x100);
        assert!(!r.take(0, 0x104));
        assert!(!r.take(0, 0x100));
    }

    #[test]
    fn only_another_harts_store_to_the_word_breaks_it() {
        for (hart, addr, bytes, stands) in [
            (0, 0x100, 4, true),
            (1, 0x0fc, 4, true),
            (1, 0x104, 4, true),
            (1, 0x103, 1, false),
            (1, 0x102, 2, false),
            (1, 0x0fe, 4, false),
            (1, 0x0e0, 32, true),
            (1, 0x0e1, 32, false),
            (1, 0x100, 32, false),
        ] {
            let mut r = Reservations::new(2);
            r.reserve(0, 0x100);
            r.stored(hart, addr, bytes);
            assert_eq!(r.take(0, 0x100), stands, "hart {hart} stores {bytes} at {addr:#x}");
        }
    }
}
