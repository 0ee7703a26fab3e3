// SPDX-License-Identifier: Apache-2.0
//! Every row of every golden file, all four cycles.

mod common;

use common::{golden, golden_text, network, replay};
use noc::{traffic, NetworkConfig};

fn check(name: &str, side: u32, rows: usize, sinks: Option<(u64, u64)>) {
    let network = network(&NetworkConfig::mesh(side, side), sinks);
    let (packets, times) = golden(name, &network);
    assert_eq!(packets.len(), rows);
    let replay = replay(network, &packets);
    for (i, (ours, golden)) in replay.times().iter().zip(&times).enumerate() {
        assert_eq!(ours, golden, "{name}, packet {i}: {:?}", packets[i]);
    }
    let printed = traffic::print(replay.network(), &packets, replay.times());
    assert_eq!(printed, golden_text(name), "the printed file is the same to the byte");
}

#[test]
fn zero_load() {
    check("zero_load_8x8.csv", 8, 330, None);
}

#[test]
fn pair_contention() {
    check("pair_contention_4x4.csv", 4, 1662, None);
}

#[test]
fn hotspot() {
    check("hotspot_4x4.csv", 4, 600, None);
}

#[test]
fn uniform() {
    check("uniform_4x4_L16_010.csv", 4, 1500, None);
    check("uniform_4x4_L16_025.csv", 4, 1500, None);
}

#[test]
fn stalled_sinks() {
    check("stalled_sinks_4x4.csv", 4, 1200, Some((6, 11)));
}

#[test]
fn one_more_accepting_cycle_in_eleven_is_seen() {
    // The number that the data's own README gives: the sinks are not decoration.
    let network = network(&NetworkConfig::mesh(4, 4), Some((7, 11)));
    let (packets, times) = golden("stalled_sinks_4x4.csv", &network);
    let replay = replay(network, &packets);
    assert_eq!(replay.times().iter().zip(&times).filter(|(a, b)| a != b).count(), 1151);
}
