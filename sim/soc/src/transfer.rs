// SPDX-License-Identifier: Apache-2.0
//! What a transfer does to a memory, and how long it holds it, behind a second-level cache or not.

use crate::fabric::MemoryTiming;
use engine::{BusOp, BusReply, BusRequest, Bytes, Cycle, Cycles};
use mem::{Backing, Reservations, Service, L2};

/// Bytes of a transfer, and whether it writes.
pub(crate) fn extent(op: &BusOp) -> (u32, bool) {
    match op {
        BusOp::Read { bytes } | BusOp::ReadOwn { bytes } | BusOp::Upgrade { bytes } | BusOp::Maintain { bytes, .. } => {
            (*bytes, false)
        }
        BusOp::Write { data } => (data.len() as u32, true),
        BusOp::LoadReserved | BusOp::Amo { .. } => (4, false),
        BusOp::StoreConditional { .. } => (4, true),
        BusOp::Order => (0, false),
    }
}

/// A memory with its timing and what is before it.
pub(crate) struct Reached<'a> {
    pub memory: &'a mut Backing,
    pub l2: Option<&'a mut L2>,
    pub timing: &'a mut MemoryTiming,
    /// Of the memory.
    pub base: u32,
}

impl Reached<'_> {
    /// How long an access at `start` holds the memory.
    pub fn service(&mut self, start: Cycle, addr: u32, bytes: u32, write: bool) -> Service {
        let Reached { memory, l2, timing, base } = self;
        match l2 {
            None => timing.service(start, addr - *base, bytes, write),
            Some(l2) => {
                let mut service = |at, addr: u32, bytes, write| {
                    let Service { held, answered } = timing.service(at, addr - *base, bytes, write);
                    held.max(answered)
                };
                l2.prepare(memory, start, addr, bytes, write, &mut service).into()
            }
        }
    }

    /// How long the beats of a burst take that follow its first word.
    pub fn tail(&self, addr: u32, bytes: u32) -> Cycles {
        match &self.l2 {
            None => self.timing.tail(addr - self.base, bytes),
            Some(l2) => l2.tail(addr, bytes),
        }
    }

    pub fn read(&self, addr: u32, out: &mut [u8]) {
        match &self.l2 {
            None => self.memory.read(addr, out),
            Some(l2) => l2.read(self.memory, addr, out),
        }
    }

    pub fn write(&mut self, addr: u32, data: &[u8]) {
        match &mut self.l2 {
            None => self.memory.write(addr, data),
            Some(l2) => l2.write(self.memory, addr, data),
        }
    }
}

/// A store breaks what others have reserved, in a memory that is `shared`: another core's own has the same addresses.
pub(crate) fn transfer(
    memory: &mut Reached<'_>,
    reservations: &mut Reservations,
    core: usize,
    request: &BusRequest,
    shared: bool,
) -> BusReply {
    let addr = request.addr;
    let stored = |reservations: &mut Reservations, bytes: u32| {
        if shared {
            reservations.stored(core, addr, bytes);
        }
    };
    match &request.op {
        BusOp::Read { bytes } if *bytes <= 4 => {
            let mut b = [0u8; 4];
            memory.read(addr, &mut b[..*bytes as usize]);
            BusReply::Value(u32::from_le_bytes(b))
        }
        BusOp::Read { bytes } | BusOp::ReadOwn { bytes } => {
            if matches!(request.op, BusOp::ReadOwn { .. }) {
                stored(reservations, *bytes);
            }
            let mut line = Bytes::zeros(*bytes as usize);
            memory.read(addr, &mut line);
            BusReply::Line(line)
        }
        BusOp::Upgrade { bytes } => {
            stored(reservations, *bytes);
            BusReply::Value(0)
        }
        BusOp::Write { data } => {
            stored(reservations, data.len() as u32);
            memory.write(addr, data);
            BusReply::Value(0)
        }
        BusOp::Amo { op, operand } => {
            let mut b = [0u8; 4];
            memory.read(addr, &mut b);
            let old = u32::from_le_bytes(b);
            stored(reservations, 4);
            memory.write(addr, &op.apply(old, *operand).to_le_bytes());
            BusReply::Value(old)
        }
        BusOp::LoadReserved => {
            let mut b = [0u8; 4];
            memory.read(addr, &mut b);
            reservations.reserve(core, addr);
            BusReply::Value(u32::from_le_bytes(b))
        }
        BusOp::StoreConditional { value } => {
            if reservations.take(core, addr) {
                stored(reservations, 4);
                memory.write(addr, &value.to_le_bytes());
                BusReply::Value(0)
            } else {
                BusReply::Value(1)
            }
        }
        BusOp::Order | BusOp::Maintain { .. } => BusReply::Value(0),
    }
}
