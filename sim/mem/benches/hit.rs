// SPDX-License-Identifier: Apache-2.0
//! What the accesses of the hot step cost on the host, in nanoseconds each: `cargo bench -p mem`.

use engine::{Access, BusReply, Cycle, Fetch, HartMemory, Width};
use mem::{Backing, CacheGeometry, CachedPort, CachedPortConfig, IdealPort, IdealView, Init, Policy, Reservations};
use std::hint::black_box;
use std::time::Instant;

const BASE: u32 = 0x0080_0000;
const ACCESSES: u32 = 40_000_000;

fn measure(name: &str, mut access: impl FnMut(u32) -> u32) {
    let start = Instant::now();
    let mut sum = 0u32;
    for i in 0..ACCESSES {
        sum = sum.wrapping_add(access(black_box(BASE + ((i * 4) & 0x7fc))));
    }
    black_box(sum);
    println!("{name:32} {:6.2} ns", start.elapsed().as_nanos() as f64 / f64::from(ACCESSES));
}

fn value(access: Access) -> u32 {
    match access {
        Access::Done(value) => value,
        Access::Pending | Access::Fault(_) => u32::MAX,
    }
}

fn slot(fetch: Fetch) -> u32 {
    match fetch {
        Fetch::Line { slot, version } => slot ^ version,
        Fetch::Pending | Fetch::Fault(_) => u32::MAX,
    }
}

fn main() {
    let mut port = CachedPort::new(CachedPortConfig {
        icache: Some(CacheGeometry::direct(8192, 32)),
        dcache: Some(CacheGeometry::direct(4096, 32)),
        policy: Policy::default(),
        cacheable: vec![(BASE, 8 << 20)],
        bypass_mask: 0x8000_0000,
        tightly_coupled: Vec::new(),
    });
    let now = Cycle(0);
    for addr in (BASE..BASE + 4096).step_by(32) {
        value(port.load(now, addr, Width::Word));
        slot(port.fetch(now, addr));
        while port.request().is_some() {
            port.complete(BusReply::Line(vec![0; 32].into()));
        }
        if port.fetch(now, addr) == Fetch::Pending {
            let _ = port.request();
            port.complete(BusReply::Line(vec![0; 32].into()));
        }
        value(port.load(now, addr, Width::Word));
        while port.request().is_some() {
            port.complete(BusReply::Line(vec![0; 32].into()));
        }
    }
    measure("nothing", |addr| addr);
    measure("cached load hit", |addr| value(port.load(now, addr, Width::Word)));
    measure("cached store hit, with undo", |addr| {
        if addr == BASE {
            port.checkpoint();
        }
        value(port.store(now, addr, Width::Word, addr))
    });
    measure("cached fetch hit", |addr| slot(port.fetch(now, addr)));

    let mut memories = [Backing::new(BASE, 8 << 20, Init::Zero)];
    let (mut ideal, mut reservations) = (IdealPort::new(), Reservations::new(1));
    let mut view = IdealView::new(&mut ideal, &mut memories, &mut reservations, 0, Cycle::NEVER);
    value(view.store(now, BASE, Width::Word, 1));
    measure("ideal load", |addr| value(view.load(now, addr, Width::Word)));
    measure("ideal store", |addr| value(view.store(now, addr, Width::Word, addr)));
    measure("ideal fetch", |addr| slot(view.fetch(now, addr)));
}
