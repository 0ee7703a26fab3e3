// SPDX-License-Identifier: Apache-2.0
//! The activity-driven network against the brute-force reference, on random traffic. A failing case prints its seed;
//! `SIGNALBOX_SEED=n cargo test -p noc --test random` runs it alone.

mod common;
mod reference;

use common::{network, replay, seed, Random};
use noc::{NetworkConfig, Packet, Topology};
use reference::Rules;

/// Traffic of one case: some bursts from cycle 0, some back to back, some with gaps, not in the order of time.
fn packets(random: &mut Random, nodes: u64, count: u64) -> Vec<Packet> {
    let spread = [1, 50, 400, 3000][random.below(4) as usize];
    let hot = random.below(nodes);
    let share = random.below(100);
    let lengths = [1, 2, 3, 9, 20, 40][random.below(6) as usize];
    (0..count)
        .map(|id| Packet {
            id,
            from: random.below(nodes) as u32,
            to: if random.below(100) < share { hot } else { random.below(nodes) } as u32,
            length: 1 + random.below(lengths) as u32,
            inject: random.below(spread) + if random.below(20) == 0 { 1_000_000 } else { 0 },
        })
        .collect()
}

fn case(seed: u64, topologies: &[Topology]) {
    let mut random = Random(seed);
    let topology = topologies[random.below(topologies.len() as u64) as usize];
    let (width, height) =
        [(1, 1), (2, 1), (1, 6), (2, 2), (3, 2), (4, 4), (5, 3), (7, 2), (6, 6), (9, 1)][random.below(10) as usize];
    let buffer = [1, 2, 3, 7, 8, 16][random.below(6) as usize];
    let sinks = [None, None, Some((1, 2)), Some((6, 11)), Some((1, 9)), Some((4, 5))][random.below(6) as usize];
    let count = 1 + random.below(160);
    let packets = packets(&mut random, u64::from(width * height), count);
    let config = NetworkConfig { topology, width, height, flit_bits: 32, buffer_flits: buffer as u32 };
    let what = format!("SIGNALBOX_SEED={seed}: {config:?}, sinks {sinks:?}, {count} packets");
    println!("{what}");
    let (accept, period) = sinks.unwrap_or((1, 1));
    let expected =
        reference::run(Rules { topology, buffer, ..Rules::default() }, (width, height), &packets, move |x, y, c| {
            (c + 7 * u64::from(x) + 13 * u64::from(y)) % period < accept
        });
    let replay = replay(network(&config, sinks), &packets);
    for (i, (ours, reference)) in replay.times().iter().zip(&expected).enumerate() {
        assert_eq!(ours, reference, "{what}: packet {i}, {:?}", packets[i]);
    }
}

fn cases(first: u64, count: u64, topologies: &[Topology]) {
    match seed(u64::MAX) {
        u64::MAX => (first..first + count).for_each(|s| case(s, topologies)),
        only => case(only, topologies),
    }
}

#[test]
fn meshes() {
    cases(1_000, 150, &[Topology::Mesh]);
}

#[test]
fn tori_and_rings() {
    cases(2_000, 150, &[Topology::Torus, Topology::Ring]);
}
