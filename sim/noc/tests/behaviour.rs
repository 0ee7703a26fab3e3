// SPDX-License-Identifier: Apache-2.0
//! What an owner relies on: exact cycles, credits, hashes and clones that do not depend on how time is cut, counters, errors.

mod common;

use common::{network, replay, seed, Random};
use noc::{
    ConfigError, Direction, Event, EventKind, Flit, InjectError, Network, NetworkConfig, Packet, Replay, Sink, Stuck,
    Topology,
};
use units::{Cycle, Cycles};

fn mesh(width: u32, height: u32) -> Network {
    network(&NetworkConfig::mesh(width, height), None)
}

fn to_end(network: &mut Network) -> Vec<Event> {
    let mut events = Vec::new();
    while network.next_event() != Cycle::NEVER {
        network.advance(network.next_event() + Cycles(1), &mut events);
    }
    events
}

fn packet(from: u32, to: u32, length: u32, inject: u64) -> Packet {
    Packet { id: 0, from, to, length, inject }
}

#[test]
fn an_isolated_packet_takes_seven_cycles_a_router() {
    for topology in [Topology::Mesh, Topology::Torus, Topology::Ring] {
        let config = NetworkConfig { topology, ..NetworkConfig::mesh(6, 5) };
        for (from, to, length) in [(0, 29, 1), (29, 0, 3), (7, 7, 5), (4, 24, 16), (12, 17, 40)] {
            let network = network(&config, None);
            let routers = u64::from(network.hops(from, to)) + 1;
            let t = replay(network, &[packet(from, to, length, 11)]).times()[0];
            let flits = u64::from(length) - 1;
            assert_eq!((t.header_accept, t.tail_accept), (11, 11 + flits), "{topology:?}");
            assert_eq!((t.header_out, t.tail_out), (11 + 7 * routers, 11 + 7 * routers + flits), "{topology:?}");
        }
    }
}

#[test]
fn flits_arrive_in_order_with_their_contents() {
    let mut network = mesh(3, 3);
    let header = network.header(8) | 0x0102_0000;
    let words = [header, 11, 22, 33];
    for (i, &data) in words.iter().enumerate() {
        network.inject(0, Flit { data, tag: 5, last: i == 3 }, Cycle(100)).expect("a router");
    }
    let events = to_end(&mut network);
    let of = |kind| events.iter().filter(|e| e.kind == kind).map(|e| (e.at.0, e.node, e.flit.data)).collect::<Vec<_>>();
    assert_eq!(of(EventKind::Accepted), [(100, 0, header), (101, 0, 11), (102, 0, 22), (103, 0, 33)]);
    assert_eq!(of(EventKind::Delivered), [(135, 8, header), (136, 8, 11), (137, 8, 22), (138, 8, 33)]);
}

#[test]
fn a_sink_without_credit_holds_everything_and_loses_nothing() {
    let mut network = mesh(2, 1);
    network.set_sink(1, Sink::Credits(2));
    network.inject_packet(0, 1, 30, 0, Cycle(0)).expect("a router");
    let mut events = Vec::new();
    network.advance(Cycle(1000), &mut events);
    // Two are delivered; both buffers on the way are full: 8 + 8.
    assert_eq!(events.iter().filter(|e| e.kind == EventKind::Delivered).count(), 2);
    assert_eq!(events.iter().filter(|e| e.kind == EventKind::Accepted).count(), 18);
    assert_eq!(network.next_event(), Cycle::NEVER);
    // A credit at an edge is used at that edge; one at an earlier edge that was executed, at the next.
    network.credit(1, 1, Cycle(1005));
    assert_eq!(network.next_event(), Cycle(1005));
    events.clear();
    network.advance(Cycle(2000), &mut events);
    let seen: Vec<_> = events.iter().map(|e| (e.at.0, e.kind)).collect();
    // Room goes back one buffer a cycle: 1005 the output, 1006 the next router's input, 1007 the source.
    assert_eq!(seen, [(1005, EventKind::Delivered), (1007, EventKind::Accepted)]);
    network.credit(1, 100, Cycle(1700));
    events.clear();
    network.advance(Cycle(2100), &mut events);
    assert_eq!(events[0].at, Cycle(2000));
    let delivered = events.iter().filter(|e| e.kind == EventKind::Delivered).count();
    assert_eq!(delivered, 27, "each flit exactly once");
}

#[test]
fn time_may_be_cut_anywhere() {
    let first = seed(1);
    for seed in first..first + 40 {
        println!("SIGNALBOX_SEED={seed}");
        let mut random = Random(seed);
        let topology = [Topology::Mesh, Topology::Torus, Topology::Ring][random.below(3) as usize];
        let config = NetworkConfig { topology, buffer_flits: 4, ..NetworkConfig::mesh(4, 3) };
        let sinks = [None, Some((2, 7))][random.below(2) as usize];
        let mut whole = network(&config, sinks);
        for tag in 0..60 {
            let (from, to) = (random.below(12) as u32, random.below(12) as u32);
            let at = Cycle(random.below(2) * random.below(700));
            whole.inject_packet(from, to, 1 + random.below(20) as u32, tag, at).expect("a router");
        }
        let mut cut = whole.clone();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let mut now = 0;
        for _ in 0..30 {
            now += random.below(60);
            whole.advance(Cycle(now), &mut a);
            while cut.now().0 < now {
                match random.below(3) {
                    0 => cut.advance(cut.now() + Cycles(1), &mut b),
                    1 => cut.advance_to_event(Cycle(now), &mut b),
                    _ => cut = cut.clone(),
                }
            }
            assert_eq!(whole.state_hash(), cut.state_hash(), "at {now}");
            assert_eq!(whole.next_event(), cut.next_event());
        }
        assert_eq!(a, b);
        // The hash sees a flit.
        whole.inject_packet(0, 1, 1, 0, Cycle(now)).expect("a router");
        assert_ne!(whole.state_hash(), cut.state_hash());
    }
}

#[test]
fn the_hash_sees_the_pointer_and_a_taken_output() {
    // The same flits everywhere, another router control.
    let mut a = mesh(2, 1);
    a.inject_packet(0, 0, 1, 0, Cycle(0)).expect("a router");
    let mut seen = std::collections::BTreeSet::new();
    let mut events = Vec::new();
    for edge in 1..12 {
        a.advance(Cycle(edge), &mut events);
        seen.insert(a.state_hash());
    }
    assert_eq!(seen.len(), 11);
}

#[test]
fn idle_time_is_skipped() {
    let far = 1_000_000_000_000_000_000;
    let replay = replay(mesh(2, 2), &[packet(0, 3, 2, 0), packet(0, 3, 2, far), packet(3, 0, 1, far / 2)]);
    let out: Vec<u64> = replay.times().iter().map(|t| t.tail_out).collect();
    assert_eq!(out, [22, far + 22, far / 2 + 21]);
}

#[test]
fn links_count_waiting() {
    // Two packets of 4 flits want router 1's local output at once: from the west, and from router 1 itself.
    let mut network = mesh(2, 1);
    network.inject_packet(0, 1, 4, 0, Cycle(0)).expect("a router");
    network.inject_packet(1, 1, 4, 1, Cycle(7)).expect("a router");
    let events = to_end(&mut network);
    let out: Vec<_> = events.iter().filter(|e| e.kind == EventKind::Delivered && e.first).map(|e| e.at.0).collect();
    let local = network.link(1, Direction::Local).expect("a local output");
    assert_eq!((local.packets, local.flits), (2, 8));
    // Both headers come to the head of their buffers at 7, could leave at 14; the second one waits for the first.
    assert_eq!(out[0], 14);
    assert_eq!((local.wait_cycles, local.wait_max), (out[1] - 14, out[1] - 14));
    assert_eq!(local.waits[0], 1);
    assert_eq!(local.waits.iter().sum::<u64>(), 2);
    let east = network.link(0, Direction::East).expect("a link");
    assert_eq!((east.packets, east.flits, east.blocked_cycles), (1, 4, 0));
    assert_eq!(network.link(0, Direction::West), None);
    assert_eq!(network.link(0, Direction::North), None);
}

#[test]
fn links_count_blocked_cycles() {
    // One accepting cycle in 5: of a packet of 3 flits, each is ready in the cycle after the one before and waits.
    let network = network(&NetworkConfig::mesh(1, 1), Some((1, 5)));
    let replay = replay(network, &[packet(0, 0, 3, 0)]);
    assert_eq!((replay.times()[0].header_out, replay.times()[0].tail_out), (10, 20));
    let local = replay.network().link(0, Direction::Local).expect("a local output");
    assert_eq!(local.blocked_cycles, 3 + 4 + 4);
}

#[test]
fn both_lanes_of_a_link_share_it() {
    // A ring of 8: 7 to 2 crosses the dateline and runs in lane 1; 0 to 2 runs in lane 0 over the same link from 1 to 2.
    let config = NetworkConfig { topology: Topology::Ring, ..NetworkConfig::mesh(8, 1) };
    let alone = replay(network(&config, None), &[packet(7, 3, 60, 0)]).times()[0].tail_out;
    let both = replay(network(&config, None), &[packet(7, 3, 60, 0), packet(0, 2, 60, 0)]);
    let link = both.network().link(1, Direction::East).expect("a link");
    assert_eq!((link.packets, link.flits), (2, 120));
    // They alternate: neither waits for the other's tail.
    let tails: Vec<u64> = both.times().iter().map(|t| t.tail_out).collect();
    assert!(tails.iter().all(|&t| t > alone && t < alone + 60), "{alone} {tails:?}");
}

#[test]
fn headers_hold_a_coordinate_in_each_quarter() {
    for (flit_bits, side) in [(8, 4), (16, 16), (32, 256)] {
        let config = |side| NetworkConfig { flit_bits, ..NetworkConfig::mesh(side, 2) };
        let network = Network::new(&config(side)).expect("the largest mesh of this flit");
        let last = network.nodes() as u32 - 1;
        assert_eq!(network.destination(network.header(last)), (side - 1, 1));
        assert_eq!(Network::new(&config(side + 1)).err(), Some(ConfigError::TooWide(side)));
    }
    assert_eq!(mesh(16, 16).header(5 * 16 + 9), 9 << 8 | 5);
}

#[test]
fn what_cannot_be_built_or_sent() {
    let refused = |change: &dyn Fn(&mut NetworkConfig)| {
        let mut config = NetworkConfig::mesh(4, 4);
        change(&mut config);
        Network::new(&config).err()
    };
    assert_eq!(refused(&|c| c.width = 0), Some(ConfigError::Empty));
    assert_eq!(refused(&|c| c.flit_bits = 18), Some(ConfigError::FlitBits(18)));
    assert_eq!(refused(&|c| c.flit_bits = 68), Some(ConfigError::FlitBits(68)));
    assert_eq!(refused(&|c| c.buffer_flits = 0), Some(ConfigError::Buffer(0)));
    assert_eq!(refused(&|c| c.buffer_flits = 40_000), Some(ConfigError::Buffer(40_000)));
    let large = refused(&|c| (c.width, c.height, c.buffer_flits) = (256, 256, 1024));
    assert_eq!(large, Some(ConfigError::TooLarge(256 * 256 * 5 * 1024)));

    let mut network = mesh(2, 2);
    let untouched = network.state_hash();
    assert_eq!(network.inject_packet(0, 4, 1, 0, Cycle(0)), Err(InjectError::NoSuchRouter { x: 0, y: 2 }));
    assert_eq!(network.inject_packet(0, 1, 0, 0, Cycle(0)), Err(InjectError::NoFlits));
    let header = Flit { data: 0x0003, tag: 0, last: false };
    assert_eq!(network.inject(0, header, Cycle(0)), Err(InjectError::NoSuchRouter { x: 0, y: 3 }));
    assert_eq!(network.state_hash(), untouched);
    // Inside a packet any value is contents.
    network.inject(0, Flit { data: 1, tag: 0, last: false }, Cycle(0)).expect("a header");
    network.inject(0, header, Cycle(0)).expect("contents");
}

#[test]
fn packets_that_never_arrive_are_said() {
    let mut network = mesh(2, 2);
    network.set_sink(3, Sink::Credits(3));
    let mut replay = Replay::new(network, &[packet(0, 1, 4, 0), packet(0, 3, 4, 0), packet(1, 3, 4, 0)]).expect("fits");
    let stuck = loop {
        match replay.run(Cycles(1000)) {
            Ok(done) => assert!(!done),
            Err(stuck) => break stuck,
        }
    };
    assert_eq!(stuck, Stuck { packets: 2, first: 1 });
}
