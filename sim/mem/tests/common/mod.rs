// SPDX-License-Identifier: Apache-2.0
//! What the tests of both ports share: random numbers from a printed seed, the digest, and a bus double.

#![allow(dead_code)]

use engine::{Access, AccessFault, BusOp, BusReply, BusRequest, Fetch, HartMemory};
use mem::{CachedPort, IdealView};

/// splitmix64.
pub struct Random(u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n)) as u32
    }
}

/// Run `body` for each seed: those in SIGNALBOX_SEED (one number) or 1 to `count`. The last printed one failed.
pub fn for_seeds(count: u64, mut body: impl FnMut(&mut Random)) {
    let seeds = match std::env::var("SIGNALBOX_SEED").map(|s| s.parse()) {
        Ok(Ok(seed)) => seed..=seed,
        _ => 1..=count,
    };
    for seed in seeds {
        println!("SIGNALBOX_SEED={seed}");
        body(&mut Random(seed));
    }
}

/// All that a `hash` method feeds.
pub fn digest(feed: impl Fn(&mut dyn FnMut(u64))) -> Vec<u64> {
    let mut v = Vec::new();
    feed(&mut |w| v.push(w));
    v
}

/// What a port does while its hart goes on.
pub trait Background {
    fn posted(&mut self) -> Option<BusRequest> {
        None
    }
    fn posted_done(&mut self) {}
}

impl Background for CachedPort {
    fn posted(&mut self) -> Option<BusRequest> {
        CachedPort::posted(self)
    }
    fn posted_done(&mut self) {
        CachedPort::posted_done(self)
    }
}

impl Background for IdealView<'_> {}

/// Slot, version and bytes.
pub type FetchedLine = (u32, u32, Vec<u8>);

/// Memory at `BASE` and one device at `DEVICE`, answering like the bus, for one master.
pub struct Bus {
    pub memory: Vec<u8>,
    /// The device's word; each read of it adds one.
    pub device: u32,
    pub reserved: Option<u32>,
}

pub const BASE: u32 = 0x0080_0000;
pub const DEVICE: u32 = 0x1000_0000;

impl Bus {
    pub fn new(size: usize) -> Bus {
        Bus { memory: (0..size).map(|i| (i * 7 + i / 256) as u8).collect(), device: 5, reserved: None }
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes([self.memory[at], self.memory[at + 1], self.memory[at + 2], self.memory[at + 3]])
    }

    pub fn serve(&mut self, request: &BusRequest) -> BusReply {
        if request.addr == DEVICE {
            return match &request.op {
                BusOp::Read { bytes: 4 } => {
                    self.device += 1;
                    BusReply::Value(self.device - 1)
                }
                BusOp::Write { data } if data.len() == 4 => {
                    self.device = u32::from_le_bytes([data[0], data[1], data[2], data[3]]);
                    BusReply::Value(0)
                }
                _ => BusReply::Fault(AccessFault::Refused),
            };
        }
        let at = request.addr.wrapping_sub(BASE) as usize;
        if at >= self.memory.len() {
            return BusReply::Fault(AccessFault::Unmapped);
        }
        match &request.op {
            BusOp::Read { bytes } if *bytes <= 4 => {
                let mut b = [0; 4];
                b[..*bytes as usize].copy_from_slice(&self.memory[at..at + *bytes as usize]);
                BusReply::Value(u32::from_le_bytes(b))
            }
            BusOp::Read { bytes } => BusReply::Line(self.memory[at..at + *bytes as usize].to_vec().into()),
            BusOp::Write { data } => {
                self.memory[at..at + data.len()].copy_from_slice(data);
                BusReply::Value(0)
            }
            BusOp::Amo { op, operand } => {
                let old = self.word(at);
                self.memory[at..at + 4].copy_from_slice(&op.apply(old, *operand).to_le_bytes());
                BusReply::Value(old)
            }
            BusOp::LoadReserved => {
                self.reserved = Some(request.addr);
                BusReply::Value(self.word(at))
            }
            BusOp::StoreConditional { value } => {
                if self.reserved.take() == Some(request.addr) {
                    self.memory[at..at + 4].copy_from_slice(&value.to_le_bytes());
                    BusReply::Value(0)
                } else {
                    BusReply::Value(1)
                }
            }
            BusOp::ReadOwn { bytes } => BusReply::Line(self.memory[at..at + *bytes as usize].to_vec().into()),
            BusOp::Order | BusOp::Upgrade { .. } | BusOp::Maintain { .. } => BusReply::Value(0),
        }
    }

    /// Make an access to its end, as the owner of time does; also says what the bus saw.
    pub fn access<M: HartMemory + Background>(
        &mut self,
        port: &mut M,
        mut access: impl FnMut(&mut M) -> Access,
    ) -> (Access, Vec<BusRequest>) {
        let first = access(port);
        if first != Access::Pending {
            assert_eq!(port.request(), None);
            return (first, Vec::new());
        }
        let seen = self.drain(port);
        let second = access(port);
        assert_ne!(second, Access::Pending, "the repetition is answered");
        assert_eq!(port.request(), None);
        (second, seen)
    }

    pub fn drain<M: HartMemory + Background>(&mut self, port: &mut M) -> Vec<BusRequest> {
        let mut seen = Vec::new();
        while let Some(request) = port.request() {
            let reply = self.serve(&request);
            port.complete(reply);
            seen.push(request);
        }
        if let Some(request) = port.posted() {
            self.serve(&request);
            port.posted_done();
            seen.push(request);
        }
        seen
    }

    /// The line that holds `pc`, or the fault; also what the bus saw.
    pub fn fetch<M: HartMemory + Background>(
        &mut self,
        port: &mut M,
        pc: u32,
    ) -> (Result<FetchedLine, AccessFault>, Vec<BusRequest>) {
        let mut seen = Vec::new();
        for _ in 0..2 {
            match port.fetch(engine::Cycle(0), pc) {
                Fetch::Line { slot, version } => return (Ok((slot, version, port.fetch_bytes(slot).to_vec())), seen),
                Fetch::Fault(fault) => return (Err(fault), seen),
                Fetch::Pending => seen.extend(self.drain(port)),
            }
        }
        panic!("the repeated fetch is answered");
    }
}
