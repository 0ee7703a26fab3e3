// SPDX-License-Identifier: Apache-2.0
//! The reference is right, and the golden files can tell: with each rule broken, as many rows change as the data's README says.

mod common;
mod reference;

use common::golden;
use noc::{Network, NetworkConfig};
use reference::{Choice, Refused, Rules};

const FILES: [(&str, u32); 5] = [
    ("zero_load_8x8.csv", 8),
    ("pair_contention_4x4.csv", 4),
    ("hotspot_4x4.csv", 4),
    ("uniform_4x4_L16_010.csv", 4),
    ("uniform_4x4_L16_025.csv", 4),
];

/// Rows of each file that differ from the RTL's.
fn changed(rules: Rules) -> [usize; 5] {
    FILES.map(|(name, side)| {
        let network = Network::new(&NetworkConfig::mesh(side, side)).expect("a network");
        let (packets, times) = golden(name, &network);
        let ours = reference::run(rules, (side, side), &packets, |_, _, _| true);
        ours.iter().zip(&times).filter(|(a, b)| a != b).count()
    })
}

fn rules(change: impl Fn(&mut Rules)) -> Rules {
    let mut rules = Rules::default();
    change(&mut rules);
    rules
}

#[test]
fn the_reference_equals_the_rtl() {
    assert_eq!(changed(Rules::default()), [0; 5]);
    let network = Network::new(&NetworkConfig::mesh(4, 4)).expect("a network");
    let (packets, times) = golden("stalled_sinks_4x4.csv", &network);
    let accepts = |a: u64| move |x: u32, y: u32, c: u64| (c + 7 * u64::from(x) + 13 * u64::from(y)) % 11 < a;
    assert!(reference::run(Rules::default(), (4, 4), &packets, accepts(6)) == times);
    let wrong = reference::run(Rules::default(), (4, 4), &packets, accepts(7));
    assert_eq!(wrong.iter().zip(&times).filter(|(a, b)| a != b).count(), 1151);
}

#[test]
fn wrong_buffers() {
    assert_eq!(changed(rules(|r| r.buffer = 4)), [179, 1110, 600, 1500, 1500]);
    assert_eq!(changed(rules(|r| r.buffer = 7)), [169, 1001, 594, 1499, 1498]);
    assert_eq!(changed(rules(|r| r.buffer = 16)), [0, 178, 575, 450, 1325]);
}

#[test]
fn wrong_arbitration() {
    assert_eq!(changed(rules(|r| r.pointer_at_local = true)), [0, 4, 300, 0, 11]);
    assert_eq!(changed(rules(|r| r.choice = Choice::Fixed)), [0, 291, 591, 1400, 1409]);
    assert_eq!(changed(rules(|r| r.choice = Choice::Reversed)), [0, 370, 589, 337, 1317]);
    assert_eq!(changed(rules(|r| r.order = [0, 1, 3, 2, 4])), [0, 130, 550, 93, 1272]);
    assert_eq!(changed(rules(|r| r.order = [1, 0, 2, 3, 4])), [0, 194, 567, 128, 1240]);
}

#[test]
fn wrong_control() {
    assert_eq!(changed(rules(|r| r.released_early = true)), [0, 368, 592, 253, 1245]);
    assert_eq!(changed(rules(|r| r.refused = Refused::Wait)), [0, 396, 594, 348, 1318]);
    assert_eq!(changed(rules(|r| r.refused = Refused::Switch)), [0, 352, 594, 1260, 1430]);
    assert_eq!(changed(rules(|r| r.acknowledge_to_arbitrate = true)), [0, 375, 592, 551, 1348]);
}

#[test]
fn wrong_routing() {
    assert_eq!(changed(rules(|r| r.yx = true)), [0, 267, 593, 872, 1397]);
}
