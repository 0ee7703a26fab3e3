// SPDX-License-Identifier: Apache-2.0
//! What a network costs on the host: `cargo bench -p noc`. Uniform traffic of 16 flits; host nanoseconds for each flit that moves
//! over a link, and simulated cycles per second.

use noc::{Event, Network, NetworkConfig, Topology};
use std::time::Instant;
use units::Cycle;

/// `load` is flits per node and cycle.
fn run(topology: Topology, side: u32, load: f64, cycles: u64) {
    let config = NetworkConfig { topology, ..NetworkConfig::mesh(side, side) };
    let mut network = Network::new(&config).expect("a network");
    let nodes = side * side;
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let chance = (load / 16.0 * (1u64 << 31) as f64) as u64;
    for cycle in 0..cycles {
        for node in 0..nodes {
            if random() < chance {
                let to = (random() % u64::from(nodes)) as u32;
                network.inject_packet(node, to, 16, 0, Cycle(cycle)).expect("a router");
            }
        }
    }
    let mut events: Vec<Event> = Vec::new();
    let start = Instant::now();
    let mut now = 0;
    while now < cycles {
        now += 100;
        network.advance(Cycle(now), &mut events);
        events.clear();
    }
    let seconds = start.elapsed().as_secs_f64();
    let moved = network.moved_flits();
    println!(
        "{:6} {side:3}x{side:<3} load {load:5.3}: {:6.2} ns a flit and link, {:10.0} cycles/s, {:6.1} flits move a cycle",
        format!("{topology:?}").to_lowercase(),
        seconds * 1e9 / moved.max(1) as f64,
        cycles as f64 / seconds,
        moved as f64 / cycles as f64,
    );
}

fn main() {
    for _ in 0..2 {
        run(Topology::Mesh, 4, 0.25, 400_000);
        run(Topology::Mesh, 8, 0.10, 200_000);
        run(Topology::Mesh, 8, 0.30, 200_000);
        run(Topology::Mesh, 32, 0.02, 20_000);
        run(Topology::Mesh, 32, 0.10, 20_000);
        run(Topology::Mesh, 32, 0.0002, 400_000);
        run(Topology::Torus, 8, 0.10, 200_000);
    }
}
