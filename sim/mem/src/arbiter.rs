// SPDX-License-Identifier: Apache-2.0
//! Arbitration at a slave: round robin, as in Altera's System Interconnect Fabric with equal weights.
//!
//! Each slave port has its own arbiter, so two masters that want different slaves do not meet. A transfer, a burst
//! included, holds the slave to its end: the owner asks for the next grant only then (osek-linx 2.3.2).

/// A set of masters, by number.
#[derive(Clone, Debug)]
pub struct Masters(Vec<u64>);

impl Masters {
    /// None of `count` masters.
    pub fn new(count: usize) -> Masters {
        Masters(vec![0; count.div_ceil(64)])
    }

    /// Add one.
    pub fn insert(&mut self, master: usize) {
        self.0[master / 64] |= 1 << (master % 64);
    }

    /// Take one away.
    pub fn remove(&mut self, master: usize) {
        self.0[master / 64] &= !(1 << (master % 64));
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The lowest that is not below `from`.
    pub fn first_from(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = *self.0.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.0.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// All, from the lowest.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        std::iter::successors(self.first_from(0), |m| self.first_from(m + 1))
    }
}

/// Who is served next: the first master that waits, counted from the one after the last served.
pub struct RoundRobin {
    last: usize,
}

impl RoundRobin {
    /// An arbiter among `masters` masters; at reset the first has precedence.
    pub fn new(masters: usize) -> RoundRobin {
        RoundRobin { last: masters.saturating_sub(1) }
    }

    /// The master that is granted now, among those that wait. `None` when nobody waits.
    pub fn grant(&mut self, waiting: &Masters) -> Option<usize> {
        let winner = waiting.first_from(self.last + 1).or_else(|| waiting.first_from(0))?;
        self.last = winner;
        Some(winner)
    }

    /// Who was served last.
    pub fn last(&self) -> usize {
        self.last
    }

    /// `master` is granted, since nobody else waits.
    #[inline]
    pub fn grant_alone(&mut self, master: usize) {
        self.last = master;
    }

    /// Feed the state into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(self.last as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(of: impl IntoIterator<Item = usize>) -> Masters {
        let mut masters = Masters::new(130);
        of.into_iter().for_each(|m| masters.insert(m));
        masters
    }

    /// A slave with `service` cycles per access; each master in `arrivals` has one request at that instant. Returns
    /// (master, granted at) in the order of service.
    fn serve(arbiter: &mut RoundRobin, arrivals: &[u64], service: u64) -> Vec<(usize, u64)> {
        let mut waiting: Vec<Option<u64>> = arrivals.iter().copied().map(Some).collect();
        let mut now = 0;
        let mut served = Vec::new();
        while let Some(first) = waiting.iter().flatten().min() {
            now = now.max(*first);
            let arrived = (0..waiting.len()).filter(|m| waiting[*m].is_some_and(|at| at <= now));
            let m = arbiter.grant(&set(arrived)).expect("one has arrived");
            waiting[m] = None;
            served.push((m, now));
            now += service;
        }
        served
    }

    #[test]
    fn a_set_of_masters_knows_its_next() {
        let mut some = set([3, 64, 129]);
        assert_eq!(some.iter().collect::<Vec<_>>(), [3, 64, 129]);
        assert_eq!([0, 4, 64, 65, 129].map(|from| some.first_from(from)), [3, 64, 64, 129, 129].map(Some));
        assert_eq!([130, 200, 4096].map(|from| some.first_from(from)), [None; 3]);
        [3, 64, 129].into_iter().for_each(|m| some.remove(m));
        assert!(some.is_empty() && some.iter().next().is_none());
    }

    #[test]
    fn grants_are_exact() {
        let mut a = RoundRobin::new(4);
        assert_eq!(serve(&mut a, &[0, 0, 0, 0], 5), [(0, 0), (1, 5), (2, 10), (3, 15)]);
        // 2 arrives while 3 is served; 0 has waited longer, but 2's turn is not before 0's after 3.
        assert_eq!(serve(&mut a, &[9, 9, 12, 9], 5), [(0, 9), (1, 14), (2, 19), (3, 24)]);
        // Nobody may be granted before its arrival: at 0 only 2 waits; at 5 it is 3's turn, then 0, then 1.
        assert_eq!(serve(&mut a, &[1, 1, 0, 5], 5), [(2, 0), (3, 5), (0, 10), (1, 15)]);
        // One cycle later and 3 misses its turn.
        assert_eq!(serve(&mut RoundRobin { last: 3 }, &[1, 1, 0, 6], 5), [(2, 0), (0, 5), (1, 10), (3, 15)]);
        assert_eq!(a.grant(&set([])), None);
    }

    #[test]
    fn all_at_once_wait_half_of_the_others_on_average() {
        for masters in [2u64, 3, 4] {
            let mut a = RoundRobin::new(masters as usize);
            let wait: u64 = serve(&mut a, &vec![0; masters as usize], 1).iter().map(|(_, at)| at).sum();
            // mean = (N-1)/2, so the sum over N masters is N(N-1)/2.
            assert_eq!(wait * 2, masters * (masters - 1));
        }
    }

    #[test]
    fn nobody_starves_in_ten_thousand_contended_accesses() {
        for masters in [2usize, 3, 4, 7] {
            let mut a = RoundRobin::new(masters);
            let mut served = vec![0u32; masters];
            for _ in 0..10_000 {
                served[a.grant(&set(0..masters)).expect("all wait")] += 1;
            }
            let (least, most) = (served.iter().min().copied(), served.iter().max().copied());
            assert!(most.zip(least).is_some_and(|(m, l)| m - l <= 1), "{served:?}");
        }
    }
}
