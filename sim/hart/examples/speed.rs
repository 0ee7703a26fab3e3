// SPDX-License-Identifier: Apache-2.0
//! How many million instructions per second the loop executes when every access hits.
//!
//! `speed [CLASS [IMAGE]]`: CLASS is `ideal` or `nios2f` (default both); IMAGE is a raw binary, loaded and started at
//! 0x80000000, instead of the built-in program. The program runs until the instruction budget is used up.

#[path = "../tests/common/asm.rs"]
mod asm;

use asm::*;
use engine::{Access, AccessFault, AmoOp, BusReply, BusRequest, CacheOp, Cycle, Cycles, Fetch, HartMemory, Width};
use hart::{Hart, HartConfig, Misaligned, Peek, Predictor, Privilege, Stop, Timing};
use std::time::Instant;

const BASE: u32 = 0x8000_0000;
const SIZE: u32 = 1 << 20;

/// Memory that answers everything at once.
struct Flat(Vec<u8>);

impl Flat {
    #[inline(always)]
    fn place(&self, addr: u32, width: Width) -> Option<usize> {
        let at = addr.wrapping_sub(BASE) as usize;
        (at + width.bytes() as usize <= self.0.len()).then_some(at)
    }
}

impl Peek for Flat {
    fn peek(&self, addr: u32) -> u8 {
        self.0.get(addr.wrapping_sub(BASE) as usize).copied().unwrap_or(0)
    }
}

impl HartMemory for Flat {
    fn fetch_line_bytes(&self) -> u32 {
        32
    }
    fn fetch_slots(&self) -> u32 {
        SIZE / 32
    }
    #[inline]
    fn fetch(&mut self, _now: Cycle, pc: u32) -> Fetch {
        let at = pc.wrapping_sub(BASE);
        if at < SIZE {
            Fetch::Line { slot: at >> 5, version: 1 }
        } else {
            Fetch::Fault(AccessFault::Unmapped)
        }
    }
    fn fetch_bytes(&self, slot: u32) -> &[u8] {
        &self.0[slot as usize * 32..][..32]
    }
    #[inline(always)]
    fn fetch_at_once(&mut self, _now: Cycle, pc: u32) -> Option<(u32, u32)> {
        let at = pc.wrapping_sub(BASE);
        (at < SIZE).then_some((at >> 5, 1))
    }
    #[inline(always)]
    fn load_in_front(&mut self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
        self.load_at_once(now, addr, width)
    }
    #[inline(always)]
    fn store_in_front(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        self.store_at_once(now, addr, width, value)
    }
    #[inline(always)]
    fn load_at_once(&mut self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
        match self.load(now, addr, width) {
            Access::Done(value) if addr & (width.bytes() - 1) == 0 => Some(value),
            _ => None,
        }
    }
    #[inline(always)]
    fn store_at_once(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        addr & (width.bytes() - 1) == 0 && self.store(now, addr, width, value) == Access::Done(0)
    }
    #[inline]
    fn load(&mut self, _now: Cycle, addr: u32, width: Width) -> Access {
        let Some(at) = self.place(addr, width) else { return Access::Fault(AccessFault::Unmapped) };
        let m = &self.0;
        Access::Done(match width {
            Width::Byte => u32::from(m[at]),
            Width::Half => u32::from(u16::from_le_bytes([m[at], m[at + 1]])),
            Width::Word => u32::from_le_bytes([m[at], m[at + 1], m[at + 2], m[at + 3]]),
        })
    }
    #[inline]
    fn store(&mut self, _now: Cycle, addr: u32, width: Width, value: u32) -> Access {
        let Some(at) = self.place(addr, width) else { return Access::Fault(AccessFault::Unmapped) };
        let n = width.bytes() as usize;
        self.0[at..at + n].copy_from_slice(&value.to_le_bytes()[..n]);
        Access::Done(0)
    }
    fn amo(&mut self, now: Cycle, addr: u32, op: AmoOp, operand: u32) -> Access {
        let old = self.load(now, addr, Width::Word);
        if let Access::Done(v) = old {
            self.store(now, addr, Width::Word, op.apply(v, operand));
        }
        old
    }
    fn load_reserved(&mut self, now: Cycle, addr: u32) -> Access {
        self.load(now, addr, Width::Word)
    }
    fn store_conditional(&mut self, now: Cycle, addr: u32, value: u32) -> Access {
        self.store(now, addr, Width::Word, value)
    }
    fn cache_op(&mut self, _now: Cycle, _addr: u32, _op: CacheOp) -> Access {
        Access::Done(0)
    }
    fn fence_i(&mut self, _now: Cycle) {}
    fn request(&mut self) -> Option<BusRequest> {
        None
    }
    fn complete(&mut self, _reply: BusReply) {}
    fn checkpoint(&mut self) {}
    fn rewind(&mut self) {}
}

/// A checksum over a buffer with a call per word: loads, stores, shifts, a data-dependent branch, a multiplication.
fn mix() -> Vec<u32> {
    let (ra, buf, end, sum, v, t, k) = (1, 10, 11, 12, 13, 14, 15);
    vec![
        lui(k, 0x0103_1000),
        addi(k, k, 0x193),
        // again:
        lui(buf, BASE + 0x1_0000),
        lui(end, BASE + 0x1_1000),
        // word:
        lw(v, buf, 0),
        jal(ra, 24), // step
        sw(sum, buf, 0),
        addi(buf, buf, 4),
        bne(buf, end, -16), // word
        jal(0, -28),        // again
        NOP,
        // step:
        op(0, 4, sum, sum, v),
        srli(t, sum, 3),
        andi(v, sum, 1),
        beq(v, 0, 8),
        mul(sum, sum, k),
        add(sum, sum, t),
        jalr(0, ra, 0),
    ]
}

fn nios2f() -> Timing {
    Timing {
        load_result: 2,
        branch_taken: 2,
        branch_mispredicted: 4,
        predictor: Predictor::TwoBit,
        predictor_entries: 256,
        jump: 2,
        jump_indirect: 3,
        shift_result: 2,
        mul: 5,
        mul_high: 5,
        mul_result: 2,
        div_base: 4,
        div_per_bit: 2,
        div_result: 2,
        csr: 4,
        csr_enable: 4,
        trap: 5,
        interrupt: 5,
        trap_return: 5,
        ..Timing::IDEAL
    }
}

/// Time that this thread has executed where the system says so, else the time on the wall: the host may be shared.
fn seconds(begin: Instant) -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|t| t.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| begin.elapsed().as_secs_f64(), |n| n / 1e9)
}

fn measure(name: &str, timing: Timing, observe: bool, image: &[u8]) {
    let mut memory = Flat(vec![0; SIZE as usize]);
    memory.0[..image.len()].copy_from_slice(image);
    let mut hart = Hart::new(HartConfig {
        core: 0,
        hartid: 0,
        isa: "rv32imac_zicsr_zifencei_zicbom".parse().expect("a known set"),
        timing,
        custom: Vec::new(),
        privilege: Privilege::MACHINE,
        misaligned: Misaligned::Split,
        time_divider: 1,
        reset_pc: BASE,
        observe,
        probes: Vec::new(),
    });
    let begin = Instant::now();
    let before = seconds(begin);
    // In slices with checkpoints, as an owner of time runs it.
    while hart.retired() < 200_000_000 {
        hart.checkpoint();
        let until = hart.now() + Cycles(4096);
        if hart.run(&mut memory, until) != Stop::Limit {
            println!("{name}: stopped at pc {:#x}: {:?}", hart.pc(), hart.fault());
            break;
        }
    }
    let mips = hart.retired() as f64 / (seconds(begin) - before) / 1e6;
    let observed = if observe { "observed" } else { "plain" };
    println!("{name} {observed}: {mips:.1} MIPS, {} instructions, {} cycles", hart.retired(), hart.now().0);
}

fn main() {
    let mut args = std::env::args().skip(1);
    let class = args.next();
    let image = match args.next() {
        Some(path) => std::fs::read(&path).expect("the image can be read"),
        None => mix().iter().flat_map(|w| w.to_le_bytes()).collect(),
    };
    for (name, timing) in [("ideal", Timing::IDEAL), ("nios2f", nios2f())] {
        if class.as_deref().is_none_or(|c| c == name) {
            for observe in [false, true] {
                measure(name, timing.clone(), observe, &image);
            }
        }
    }
}
