// SPDX-License-Identifier: Apache-2.0
//! What several test programs use: golden files, random traffic, a replay to its end.

#![allow(dead_code)]

use noc::{traffic, Network, NetworkConfig, Packet, Replay, Sink, Times};
use std::path::Path;
use units::Cycles;

/// The text of a file of the golden data.
pub fn golden_text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/reference/hermes").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A golden file: its packets, and the cycles that the RTL gave.
pub fn golden(name: &str, network: &Network) -> (Vec<Packet>, Vec<Times>) {
    let text = golden_text(name);
    let packets = traffic::parse(text.as_bytes(), network).expect("a golden file is well formed");
    let times = text
        .lines()
        .skip(1)
        .map(|line| {
            let v: Vec<u64> = line.split(',').map(|f| f.parse().expect("a number")).collect();
            Times { header_accept: v[7], tail_accept: v[8], header_out: v[9], tail_out: v[10] }
        })
        .collect();
    (packets, times)
}

/// A network whose sinks all accept, or those of `--sinks a/m`.
pub fn network(config: &NetworkConfig, sinks: Option<(u64, u64)>) -> Network {
    let mut network = Network::new(config).expect("a network");
    if let Some((accept, period)) = sinks {
        for node in 0..network.nodes() as u32 {
            network.set_sink(node, Sink::staggered(network.place(node), accept, period));
        }
    }
    network
}

/// Run to the end.
pub fn replay(network: Network, packets: &[Packet]) -> Replay {
    let mut replay = Replay::new(network, packets).expect("the packets fit");
    while !replay.run(Cycles(1 << 20)).expect("every packet arrives") {}
    replay
}

/// splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// The seed of a random test: `SIGNALBOX_SEED`, or this one.
pub fn seed(default: u64) -> u64 {
    std::env::var("SIGNALBOX_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}
