// SPDX-License-Identifier: Apache-2.0
//! Calls to the host: the instruction sequence of the RISC-V semihosting specification, version 0.3, chapter 2.
//!
//! The hart stops before the `ebreak` of the sequence. Whoever serves the call reads the arguments in a0 and a1, and lets
//! the hart go on behind it with the result in a0. Without [`Hart::serve_host_calls`] the sequence is what it is without
//! a host: two moves to x0 and a breakpoint.
//!
//! Deliberately lacks: what the calls mean.

use crate::{Hart, Peek};

const A0: usize = 10;
const A1: usize = 11;
/// `slli x0, x0, 0x1f` and `srai x0, x0, 7`: what stands before and after the `ebreak`.
const BEFORE: u32 = 0x01f0_1013;
const AFTER: u32 = 0x4070_5013;

impl Hart {
    /// Stop before calls to the host from now on. For harts whose data memory is also where their code is: the sequence is
    /// recognised there.
    pub fn serve_host_calls(&mut self) {
        self.serves_host_calls = true;
    }

    /// Whether the `ebreak` of `len` bytes at `pc` stands in the sequence, and is served.
    pub(crate) fn makes_host_call(&self, mem: &impl Peek, pc: u32, len: u8) -> bool {
        let word = |at: u32| (0..4).rev().fold(0, |w, i| w << 8 | u32::from(mem.peek(at.wrapping_add(i))));
        let served = self.serves_host_calls && !self.s.csrs.user && len == 4;
        served && word(pc.wrapping_sub(4)) == BEFORE && word(pc.wrapping_add(4)) == AFTER
    }

    /// What the call that the hart stopped before asks: its number and its parameter.
    pub fn host_call(&self) -> (u32, u32) {
        (self.x[A0], self.x[A1])
    }

    /// Go on behind the call with its result. It has taken as long as an instruction without operands.
    pub fn answer_host_call(&mut self, result: u32) {
        self.x[A0] = result;
        self.s.pc = self.s.pc.wrapping_add(4);
        self.s.now += self.costs.alu;
        self.s.retired += 1;
        self.ready[A0] = self.s.now;
    }
}
