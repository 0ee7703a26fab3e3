// SPDX-License-Identifier: Apache-2.0
//! A bus double for the tests of devices: it wakes the device exactly when asked and remembers its outputs.

use engine::{Cycle, DeviceCtx, Finish, FromNetwork, Mmio, Offset, Reply, ToNetwork, Width};
use std::collections::BTreeMap;

pub struct Bench<D: Mmio> {
    pub device: D,
    pub wake: Cycle,
    /// (when, output, level), in order.
    pub changes: Vec<(u64, u32, bool)>,
    levels: BTreeMap<u32, bool>,
    pub console: Vec<u8>,
    pub finish: Option<Finish>,
    pub network: Vec<ToNetwork>,
}

impl<D: Mmio> Bench<D> {
    pub fn new(device: D) -> Self {
        Bench {
            device,
            wake: Cycle::NEVER,
            changes: Vec::new(),
            levels: BTreeMap::new(),
            console: Vec::new(),
            finish: None,
            network: Vec::new(),
        }
    }

    fn apply(&mut self, ctx: DeviceCtx) {
        for (output, level, at) in ctx.outputs {
            self.changes.push((at.0, output, level));
            self.levels.insert(output, level);
        }
        self.wake = ctx.wake.unwrap_or(self.wake);
        self.console.extend(ctx.console);
        self.finish = self.finish.or(ctx.finish);
        self.network.extend(ctx.network);
    }

    /// Let time come to `now`: all wakes up to it happen at their own instants.
    pub fn at(&mut self, now: u64) -> &mut Self {
        while self.wake.0 <= now {
            let when = std::mem::replace(&mut self.wake, Cycle::NEVER);
            let mut ctx = DeviceCtx::default();
            self.device.wake(&mut ctx, when);
            assert!(ctx.wake.is_none_or(|w| w > when), "a wish for the past");
            self.apply(ctx);
        }
        self
    }

    pub fn level(&self, output: u32) -> bool {
        self.levels.get(&output).copied().unwrap_or(false)
    }

    pub fn try_read(&mut self, now: u64, off: u32, width: Width) -> Reply {
        self.at(now);
        let mut ctx = DeviceCtx::default();
        let reply = self.device.read(&mut ctx, Cycle(now), Offset(off), width);
        self.apply(ctx);
        reply
    }

    pub fn try_write(&mut self, now: u64, off: u32, width: Width, value: u32) -> Reply {
        self.at(now);
        let mut ctx = DeviceCtx::default();
        let reply = self.device.write(&mut ctx, Cycle(now), Offset(off), width, value);
        self.apply(ctx);
        reply
    }

    pub fn read(&mut self, now: u64, off: u32, width: Width) -> u32 {
        match self.try_read(now, off, width) {
            Reply::Done(value, _) => value,
            Reply::Fault => panic!("read of {off:#x} refused"),
        }
    }

    pub fn write(&mut self, now: u64, off: u32, width: Width, value: u32) {
        assert_ne!(self.try_write(now, off, width, value), Reply::Fault, "write of {off:#x} refused");
    }

    pub fn input(&mut self, now: u64, bytes: &[u8]) {
        self.at(now);
        let mut ctx = DeviceCtx::default();
        self.device.input(&mut ctx, Cycle(now), bytes);
        self.apply(ctx);
    }

    pub fn line(&mut self, now: u64, input: u32, level: bool) {
        self.at(now);
        let mut ctx = DeviceCtx::default();
        self.device.line(&mut ctx, Cycle(now), input, level);
        self.apply(ctx);
    }

    pub fn network_says(&mut self, now: u64, what: FromNetwork) {
        self.at(now);
        let mut ctx = DeviceCtx::default();
        self.device.network(&mut ctx, Cycle(now), what);
        self.apply(ctx);
    }

    pub fn digest(&self) -> Vec<u64> {
        let mut v = Vec::new();
        self.device.hash(&mut |w| v.push(w));
        v
    }
}
