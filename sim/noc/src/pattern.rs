// SPDX-License-Identifier: Apache-2.0
//! Who sends to whom in a load curve. Names and definitions as in W. Dally, B. Towles: Principles and Practices of
//! Interconnection Networks, table 3.1, on coordinates.

use crate::network::NetworkConfig;
use std::fmt;

/// A traffic pattern. A node whose partner is itself sends nothing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pattern {
    /// Each packet to a random other node.
    Uniform,
    /// Each packet goes with probability `share` to `node`, else to a random other node; `node` itself sends at random.
    Hotspot {
        /// Router number of the hot node.
        node: u32,
        /// Probability, 0 to 1.
        share: f64,
    },
    /// (x, y) sends to (y, x).
    Transpose,
    /// (x, y) sends to (W − 1 − x, H − 1 − y): all bits of the coordinates inverted, where the sides are powers of two.
    BitComplement,
    /// (x, y) sends to (x + 1 mod W, y + 1 mod H).
    Neighbour,
}

/// Why a pattern does not fit a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PatternError {
    /// Transpose on sides that differ.
    NotSquare,
    /// No node has anybody to send to.
    Nobody,
    /// The hot node is outside the network.
    NoHotNode,
    /// A probability outside 0 to 1.
    Share,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PatternError::NotSquare => "transpose needs as many routers in x as in y",
            PatternError::Nobody => "no node has another one to send to: take more routers",
            PatternError::NoHotNode => "the hot node is outside the network",
            PatternError::Share => "a share is between 0 and 1",
        })
    }
}

/// Random numbers of one node: splitmix64, so that nodes do not move each other's.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut start = Random(seed.wrapping_mul(0xd1b5_4a32_d192_ed03) ^ stream.wrapping_mul(0x9e6c_63d0_876a_68b5));
        Random(start.next())
    }

    #[inline(always)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `bound`, without a visible bias for the sizes of a network.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u32
    }

    /// True with the probability that `threshold` stands for.
    #[inline(always)]
    pub fn chance(&mut self, threshold: u64) -> bool {
        self.next() < threshold
    }
}

/// A probability as a threshold of 64-bit random numbers.
pub(crate) fn threshold(probability: f64) -> u64 {
    (probability * 18_446_744_073_709_551_616.0) as u64
}

impl Pattern {
    /// Whether it fits.
    ///
    /// # Errors
    /// [`PatternError`] says why not.
    pub fn check(&self, config: &NetworkConfig) -> Result<(), PatternError> {
        let nodes = config.width * config.height;
        match *self {
            Pattern::Transpose if config.width != config.height => return Err(PatternError::NotSquare),
            Pattern::Hotspot { node, .. } if node >= nodes => return Err(PatternError::NoHotNode),
            Pattern::Hotspot { share, .. } if !(0.0..=1.0).contains(&share) => return Err(PatternError::Share),
            _ => {}
        }
        if nodes < 2 {
            return Err(PatternError::Nobody);
        }
        Ok(())
    }

    /// Where `node` sends its next packet; `None` when it sends none.
    pub(crate) fn destination(&self, config: &NetworkConfig, node: u32, random: &mut Random) -> Option<u32> {
        let (w, h) = (config.width, config.height);
        let (x, y) = (node % w, node / w);
        let to = match *self {
            Pattern::Hotspot { node: hot, share } if node != hot && random.chance(threshold(share)) => hot,
            Pattern::Uniform | Pattern::Hotspot { .. } => {
                let other = random.below(w * h - 1);
                other + u32::from(other >= node)
            }
            Pattern::Transpose => x * w + y,
            Pattern::BitComplement => (h - 1 - y) * w + (w - 1 - x),
            Pattern::Neighbour => (y + 1) % h * w + (x + 1) % w,
        };
        (to != node).then_some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partners(pattern: Pattern, width: u32, height: u32) -> Vec<Option<u32>> {
        let config = NetworkConfig::mesh(width, height);
        (0..width * height).map(|n| pattern.destination(&config, n, &mut Random::new(1, u64::from(n)))).collect()
    }

    #[test]
    fn fixed_partners() {
        let none = None;
        assert_eq!(partners(Pattern::Transpose, 2, 2), [none, Some(2), Some(1), none]);
        assert_eq!(partners(Pattern::BitComplement, 2, 2), [3, 2, 1, 0].map(Some));
        assert_eq!(partners(Pattern::BitComplement, 3, 1), [Some(2), none, Some(0)]);
        assert_eq!(partners(Pattern::Neighbour, 3, 2), [4, 5, 3, 1, 2, 0].map(Some));
    }

    #[test]
    fn uniform_reaches_all_others_alike() {
        let config = NetworkConfig::mesh(4, 2);
        let mut random = Random::new(7, 3);
        let mut seen = [0u32; 8];
        for _ in 0..70_000 {
            seen[Pattern::Uniform.destination(&config, 3, &mut random).expect("another") as usize] += 1;
        }
        assert_eq!(seen[3], 0);
        // 10 000 each; five standard deviations are 463.
        assert!(seen.iter().enumerate().all(|(n, &s)| n == 3 || s.abs_diff(10_000) < 463), "{seen:?}");
    }

    #[test]
    fn a_hot_node_gets_its_share() {
        let config = NetworkConfig::mesh(4, 4);
        let pattern = Pattern::Hotspot { node: 6, share: 0.25 };
        let mut random = Random::new(7, 3);
        let hot = (0..40_000).filter(|_| pattern.destination(&config, 1, &mut random) == Some(6)).count();
        // 1/4 and 1/15 of the rest: 12 000; five standard deviations are 458.
        assert!(hot.abs_diff(12_000) < 458, "{hot}");
        assert!((0..1000).all(|_| pattern.destination(&config, 6, &mut random) != Some(6)));
    }

    #[test]
    fn what_does_not_fit() {
        let mesh = NetworkConfig::mesh;
        assert_eq!(Pattern::Transpose.check(&mesh(4, 3)), Err(PatternError::NotSquare));
        assert_eq!(Pattern::Uniform.check(&mesh(1, 1)), Err(PatternError::Nobody));
        let hotspot = |node, share| Pattern::Hotspot { node, share };
        assert_eq!(hotspot(4, 0.5).check(&mesh(2, 2)), Err(PatternError::NoHotNode));
        assert_eq!(hotspot(0, 1.5).check(&mesh(2, 2)), Err(PatternError::Share));
        assert_eq!(hotspot(0, f64::NAN).check(&mesh(2, 2)), Err(PatternError::Share));
        assert_eq!(hotspot(0, 1.0).check(&mesh(2, 2)), Ok(()));
    }
}
