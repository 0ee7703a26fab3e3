// SPDX-License-Identifier: Apache-2.0
//! The loop that executes instructions: once for observed harts, once for others, from this one body.
//!
//! It works on copies of the program counter, the time and the number of retired instructions, and writes them back where it
//! leaves or calls something that needs them. One comparison per instruction, of the time with `bound`, stands
//! for everything that can happen between instructions; setting `bound` to 0 asks for a look before the next one.

use crate::block_run::At;
use crate::csr::Block;
use crate::fetch::{line_at, tail_at, Found, Tail};
use crate::lines::{self, tag, Lines};
use crate::transfers::bits_at;
use crate::trap::cause;
use crate::{Boundary, Hart, Held, Peek, Stop};
use engine::{Access, AccessFault, AmoOp, CacheOp, HartMemory, Prefetch, Width};
use isa::Code;
use trace::kind;
use units::Cycle;

/// `bound` of an instruction that is repeated: nothing may come before it.
const HELD: u64 = u64::MAX;

fn load_cause(fault: AccessFault) -> u32 {
    if fault == AccessFault::Misaligned {
        cause::LOAD_MISALIGNED
    } else {
        cause::LOAD_FAULT
    }
}

fn store_cause(fault: AccessFault) -> u32 {
    if fault == AccessFault::Misaligned {
        cause::STORE_MISALIGNED
    } else {
        cause::STORE_FAULT
    }
}

fn magnitude_signed(q: i32) -> u32 {
    q.unsigned_abs()
}

impl Hart {
    fn decode_entry(&self, lines: &mut Lines, pc: u32) {
        let sites = self.recorder.as_ref().map(|r| &r.sites);
        lines.decode(self.config.isa, sites, pc);
    }

    /// Suspend at the boundary or in the instruction at `pc`. `boundary` is kept from the first time on.
    #[inline(never)]
    fn hold(&mut self, held: Held, boundary: u64) -> Stop {
        if self.s.boundary.is_none() {
            self.s.boundary = Some(Boundary { now: boundary, accounts: self.s.accounts });
        }
        self.s.held = Some(held);
        Stop::Pending
    }

    pub(crate) fn execute<M: HartMemory + Peek, const OBSERVED: bool, const DETAILED: bool>(
        &mut self,
        code: &mut crate::Code,
        mem: &mut M,
        limit: u64,
    ) -> Stop {
        let crate::Code { lines, blocks } = code;
        if lines.prepare(mem.fetch_line_bytes(), mem.fetch_slots()) {
            blocks.clear();
        }
        let mut pc = self.s.pc;
        let mut now = self.s.now;
        let mut retired = self.s.retired;
        let mut held = self.s.held.take();
        let mut bound = if held.is_some() { HELD } else { 0 };

        'enter: loop {
            // A line is entered here, and nowhere else: at the start, after a jump out of the line, at its end.
            let mut at;
            // Its time of issue is known: it has been suspended behind it.
            let mut issued = false;
            let straddles;
            // The loop below is left then.
            let mut until = bound;
            match held.take() {
                None if bound == HELD => {
                    // The repeated instruction has been executed.
                    self.s.boundary = None;
                    bound = 0;
                    continue 'enter;
                }
                Some(Held::Access(entry)) => {
                    if let Some(end) = (!DETAILED).then(|| self.repeat(&entry, mem, now)).flatten() {
                        now = end;
                        retired += 1;
                        pc = pc.wrapping_add(u32::from(entry.op.len));
                        self.s.boundary = None;
                        bound = 0;
                        continue 'enter;
                    }
                    lines.set_scratch(entry);
                    straddles = None;
                    at = lines.scratch;
                    issued = true;
                }
                Some(Held::Tail(low)) => {
                    straddles = Some(low);
                    at = lines.scratch;
                }
                fetched => {
                    if now >= bound {
                        self.s.pc = pc;
                        self.s.now = now;
                        self.s.retired = retired;
                        let attended = self.attend(limit);
                        pc = self.s.pc;
                        now = self.s.now;
                        match attended {
                            Ok(next) => (bound, until) = (next, next),
                            Err(stop) => return stop,
                        }
                    }
                    if fetched.is_none() && !DETAILED && !M::WATCHED && blocks.pay() {
                        let mut at = At { pc, now, retired };
                        until = self.execute_blocks(lines, blocks, mem, &mut at, bound);
                        At { pc, now, retired } = at;
                        if now >= bound {
                            continue 'enter;
                        }
                    }
                    match line_at(lines, mem, now, pc) {
                        Found::Line(f) => {
                            let base = pc & !(lines.line_bytes - 1);
                            let a = f + ((pc - base) >> 1) as usize;
                            if lines.entries[a].tag & tag::KIND == tag::RAW {
                                self.decode_entry(lines, pc);
                            }
                            let entry = lines.entries[a];
                            if entry.tag & tag::KIND == tag::STRADDLE {
                                straddles = Some(entry.op.imm as u16);
                                at = lines.scratch;
                            } else if fetched.is_some() {
                                // Repeated on its own: what follows it may be interrupted.
                                lines.set_scratch(entry);
                                straddles = None;
                                at = lines.scratch;
                            } else {
                                straddles = None;
                                at = a;
                            }
                        }
                        Found::Pending => {
                            self.s.pc = pc;
                            self.s.now = now;
                            self.s.retired = retired;
                            return self.hold(Held::Fetch, now);
                        }
                        Found::Fault => {
                            self.s.pc = pc;
                            self.s.now = now;
                            self.s.retired = retired;
                            if let Err(stop) = self.exception(cause::FETCH_FAULT, pc, pc) {
                                return stop;
                            }
                            pc = self.s.pc;
                            now = self.s.now;
                            bound = 0;
                            continue 'enter;
                        }
                    }
                }
            }
            if let Some(low) = straddles {
                match tail_at(mem, now, pc.wrapping_add(2)) {
                    Tail::Half(high) => {
                        let sites = self.recorder.as_ref().map(|r| &r.sites);
                        let entry = lines::entry(self.config.isa, sites, pc, low, high);
                        lines.set_scratch(entry);
                    }
                    Tail::Pending => {
                        self.s.pc = pc;
                        self.s.now = now;
                        self.s.retired = retired;
                        return self.hold(Held::Tail(low), now);
                    }
                    Tail::Fault => {
                        self.s.pc = pc;
                        self.s.now = now;
                        self.s.retired = retired;
                        if let Err(stop) = self.exception(cause::FETCH_FAULT, pc.wrapping_add(2), pc) {
                            return stop;
                        }
                        pc = self.s.pc;
                        now = self.s.now;
                        bound = 0;
                        continue 'enter;
                    }
                }
            }
            // The address of the entry `i` is `bias + 2 * i`. Jumps leave the scratch line always, back to itself too.
            let bias = pc.wrapping_sub((at as u32) << 1);
            let span = if at == lines.scratch { 0 } else { lines.line_bytes };

            loop {
                macro_rules! here {
                    () => {
                        bias.wrapping_add((at as u32) << 1)
                    };
                }
                if now >= until {
                    pc = here!();
                    continue 'enter;
                }
                // Field by field: a copy of the whole would live in memory.
                let e = &lines.entries[at];
                let (code, imm, len, kind_of) = (e.op.code, e.op.imm, e.op.len, e.tag);
                let rd = usize::from(e.op.rd) & 127;
                let rs1 = usize::from(e.op.rs1) & 127;
                let rs2 = usize::from(e.op.rs2) & 127;
                if M::WATCHED && kind_of & tag::KIND == tag::PLAIN {
                    mem.executing(Cycle(now), here!(), u32::from(len));
                }
                if OBSERVED && kind_of & tag::PROBE != 0 {
                    let (stamp, accounts) = match &self.s.boundary {
                        Some(b) => (b.now, &b.accounts),
                        None => (now, &self.s.accounts),
                    };
                    if let Some(r) = &mut self.recorder {
                        r.probe(mem, here!(), &self.x, stamp, accounts);
                    }
                }
                let a = self.x[rs1];
                let b = self.x[rs2];
                let sources = self.ready[rs1].max(self.ready[rs2]);
                let issue = if DETAILED
                    && !std::mem::take(&mut issued)
                    && (code != Code::Illegal || kind_of & tag::KIND == tag::PLAIN)
                {
                    self.detailed_issue(&lines.entries[at].op, here!(), now, sources)
                } else {
                    now.max(sources)
                };

                macro_rules! leave_probe {
                    () => {
                        if OBSERVED && kind_of & tag::PROBE != 0 {
                            if let Some(r) = &mut self.recorder {
                                r.discard();
                            }
                        }
                    };
                }
                // Blocks have to know what they may find late.
                macro_rules! late {
                    () => {
                        if self.ready[rd] > now {
                            self.late_set |= 1u32.wrapping_shl(rd as u32);
                            self.late_until = self.late_until.max(self.ready[rd]);
                        }
                    };
                }
                macro_rules! trap {
                    ($cause:expr, $tval:expr) => {{
                        self.s.pc = here!();
                        self.s.now = issue;
                        self.s.retired = retired;
                        leave_probe!();
                        let end = self.s.pc.wrapping_add(u32::from(len));
                        if let Err(stop) = self.exception($cause, $tval, end) {
                            return stop;
                        }
                        pc = self.s.pc;
                        now = self.s.now;
                        bound = 0;
                        continue 'enter;
                    }};
                }
                macro_rules! suspend {
                    () => {{
                        self.s.pc = here!();
                        self.s.now = issue;
                        self.s.retired = retired;
                        leave_probe!();
                        return self.hold(Held::Access(lines.entries[at]), now);
                    }};
                }
                macro_rules! result {
                    ($value:expr, $cost:ident, $ready:ident) => {{
                        self.x[rd] = $value;
                        self.ready[rd] = issue + self.costs.$ready;
                        now = issue + self.costs.$cost;
                        late!();
                    }};
                }
                macro_rules! alu {
                    ($value:expr) => {{
                        self.x[rd] = $value;
                        now = issue + self.costs.alu;
                        self.ready[rd] = if DETAILED { issue + self.costs.alu_ready } else { now };
                    }};
                }
                macro_rules! shift {
                    ($value:expr, $amount:expr) => {{
                        self.x[rd] = $value;
                        now = issue + self.costs.shift[($amount & 31) as usize];
                        self.ready[rd] = now + self.costs.shift_result;
                        late!();
                    }};
                }
                macro_rules! jump {
                    ($target:expr, $cost:expr, $link:expr) => {{
                        let target: u32 = $target;
                        let cost: u64 = $cost;
                        let end = here!().wrapping_add(u32::from(len));
                        if target & self.misaligned_fetch != 0 {
                            trap!(cause::FETCH_MISALIGNED, target);
                        }
                        now = issue + cost;
                        if $link {
                            self.x[rd] = end;
                            self.ready[rd] = if DETAILED { now.max(issue + self.costs.link_ready) } else { now };
                        }
                        if DETAILED {
                            self.s.jumped = true;
                            now += self.behind_jump(mem, end, issue, !$link);
                        }
                        retired += 1;
                        self.transfers.push(end, target);
                        let from = here!();
                        if (target ^ from) < span {
                            at = at.wrapping_add_signed((target.wrapping_sub(from) as i32 >> 1) as isize);
                            continue;
                        }
                        pc = target;
                        continue 'enter;
                    }};
                }
                macro_rules! branch {
                    ($condition:expr) => {{
                        let taken: bool = $condition;
                        let target = here!().wrapping_add(imm as u32);
                        let foreseen = self.history.foresee(here!(), imm < 0, taken);
                        let cost = self.costs.branch[usize::from(foreseen) * 2 + usize::from(taken)];
                        if taken {
                            jump!(target, cost, false);
                        }
                        now = issue + cost;
                    }};
                }
                macro_rules! load {
                    ($width:expr, |$v:ident| $value:expr) => {{
                        let addr = a.wrapping_add(imm as u32);
                        let answer = if addr & ($width.bytes() - 1) == 0 {
                            mem.load(Cycle(issue), addr, $width)
                        } else {
                            self.odd_load(mem, issue, addr, $width)
                        };
                        match answer {
                            Access::Done($v) => result!($value, load, load_ready),
                            Access::Pending => suspend!(),
                            Access::Fault(fault) => trap!(load_cause(fault), addr),
                        }
                    }};
                }
                // The line being executed may just have been written: look it up again.
                macro_rules! relook {
                    () => {
                        if mem.code_changed() {
                            retired += 1;
                            pc = here!().wrapping_add(u32::from(len));
                            continue 'enter;
                        }
                    };
                }
                macro_rules! store {
                    ($width:expr) => {{
                        let addr = a.wrapping_add(imm as u32);
                        let answer = if addr & ($width.bytes() - 1) == 0 {
                            mem.store(Cycle(issue), addr, $width, b)
                        } else {
                            self.odd_store(mem, issue, addr, $width, b)
                        };
                        match answer {
                            Access::Done(_) => {
                                now = issue + self.costs.store;
                                relook!();
                            }
                            Access::Pending => suspend!(),
                            Access::Fault(fault) => trap!(store_cause(fault), addr),
                        }
                    }};
                }
                macro_rules! atomic {
                    ($answer:expr, $cause:ident, $misaligned:expr, $cost:ident, $ready:ident) => {{
                        if a & 3 != 0 {
                            trap!($misaligned, a);
                        }
                        match $answer {
                            Access::Done(v) => {
                                result!(v, $cost, $ready);
                                relook!();
                            }
                            Access::Pending => suspend!(),
                            Access::Fault(fault) => trap!($cause(fault), a),
                        }
                    }};
                }
                macro_rules! amo {
                    ($amo:expr) => {
                        atomic!(
                            mem.amo(Cycle(issue), a, $amo, b),
                            store_cause,
                            cause::STORE_MISALIGNED,
                            load,
                            load_ready
                        )
                    };
                }
                macro_rules! cache {
                    ($operation:expr) => {
                        match mem.cache_op(Cycle(issue), a, $operation) {
                            Access::Done(_) => now = issue + self.costs.cache_op,
                            Access::Pending => suspend!(),
                            Access::Fault(fault) => trap!(store_cause(fault), a),
                        }
                    };
                }
                macro_rules! divide {
                    ($value:expr, $magnitude:expr) => {{
                        let cost = if b == 0 { self.costs.div_by_zero } else { self.costs.division($magnitude) };
                        self.x[rd] = $value;
                        now = issue + cost;
                        self.ready[rd] = now + self.costs.div_result;
                        late!();
                    }};
                }

                match code {
                    Code::Lui => alu!(imm as u32),
                    Code::Auipc => alu!(here!().wrapping_add(imm as u32)),
                    Code::Jal => jump!(here!().wrapping_add(imm as u32), self.costs.jump, true),
                    Code::Jalr => jump!(a.wrapping_add(imm as u32) & !1, self.costs.jump_indirect, true),
                    Code::Beq => branch!(a == b),
                    Code::Bne => branch!(a != b),
                    Code::Blt => branch!((a as i32) < b as i32),
                    Code::Bge => branch!(a as i32 >= b as i32),
                    Code::Bltu => branch!(a < b),
                    Code::Bgeu => branch!(a >= b),
                    Code::Lb => load!(Width::Byte, |v| v as u8 as i8 as u32),
                    Code::Lh => load!(Width::Half, |v| v as u16 as i16 as u32),
                    Code::Lw => load!(Width::Word, |v| v),
                    Code::Lbu => load!(Width::Byte, |v| v),
                    Code::Lhu => load!(Width::Half, |v| v),
                    Code::Sb => store!(Width::Byte),
                    Code::Sh => store!(Width::Half),
                    Code::Sw => store!(Width::Word),
                    Code::Addi => alu!(a.wrapping_add(imm as u32)),
                    Code::Slti => alu!(u32::from((a as i32) < imm)),
                    Code::Sltiu => alu!(u32::from(a < imm as u32)),
                    Code::Xori => alu!(a ^ imm as u32),
                    Code::Ori => alu!(a | imm as u32),
                    Code::Andi => alu!(a & imm as u32),
                    Code::Slli => shift!(a << (imm & 31), imm),
                    Code::Srli => shift!(a >> (imm & 31), imm),
                    Code::Srai => shift!(((a as i32) >> (imm & 31)) as u32, imm),
                    Code::Add => alu!(a.wrapping_add(b)),
                    Code::Sub => alu!(a.wrapping_sub(b)),
                    Code::Sll => shift!(a << (b & 31), b),
                    Code::Slt => alu!(u32::from((a as i32) < b as i32)),
                    Code::Sltu => alu!(u32::from(a < b)),
                    Code::Xor => alu!(a ^ b),
                    Code::Srl => shift!(a >> (b & 31), b),
                    Code::Sra => shift!(((a as i32) >> (b & 31)) as u32, b),
                    Code::Or => alu!(a | b),
                    Code::And => alu!(a & b),
                    Code::Mul => result!(a.wrapping_mul(b), mul, mul_ready),
                    Code::Mulh => {
                        let v = (i64::from(a as i32) * i64::from(b as i32)) >> 32;
                        result!(v as u32, mul_high, mul_high_ready)
                    }
                    Code::Mulhsu => {
                        let v = (i64::from(a as i32) * i64::from(b)) >> 32;
                        result!(v as u32, mul_high, mul_high_ready)
                    }
                    Code::Mulhu => {
                        let v = (u64::from(a) * u64::from(b)) >> 32;
                        result!(v as u32, mul_high, mul_high_ready)
                    }
                    Code::Div => {
                        let q = if b == 0 { -1 } else { (a as i32).wrapping_div(b as i32) };
                        divide!(q as u32, magnitude_signed(q));
                    }
                    Code::Divu => {
                        let q = a.checked_div(b).unwrap_or(u32::MAX);
                        divide!(q, q);
                    }
                    Code::Rem => {
                        let (q, r) = if b == 0 {
                            (u32::MAX, a)
                        } else {
                            let (n, d) = (a as i32, b as i32);
                            (magnitude_signed(n.wrapping_div(d)), n.wrapping_rem(d) as u32)
                        };
                        divide!(r, q);
                    }
                    Code::Remu => {
                        divide!(a.checked_rem(b).unwrap_or(a), a.checked_div(b).unwrap_or(u32::MAX));
                    }
                    Code::LrW => atomic!(
                        mem.load_reserved(Cycle(issue), a),
                        load_cause,
                        cause::LOAD_MISALIGNED,
                        load,
                        load_ready
                    ),
                    Code::ScW => atomic!(
                        mem.store_conditional(Cycle(issue), a, b),
                        store_cause,
                        cause::STORE_MISALIGNED,
                        store,
                        store_ready
                    ),
                    Code::AmoSwap => amo!(AmoOp::Swap),
                    Code::AmoAdd => amo!(AmoOp::Add),
                    Code::AmoXor => amo!(AmoOp::Xor),
                    Code::AmoAnd => amo!(AmoOp::And),
                    Code::AmoOr => amo!(AmoOp::Or),
                    Code::AmoMin => amo!(AmoOp::Min),
                    Code::AmoMax => amo!(AmoOp::Max),
                    Code::AmoMinu => amo!(AmoOp::MinU),
                    Code::AmoMaxu => amo!(AmoOp::MaxU),
                    Code::Csrrw | Code::Csrrs | Code::Csrrc | Code::Csrrwi | Code::Csrrsi | Code::Csrrci => {
                        match self.csr_access(&lines.entries[at].op, here!(), a, issue, retired) {
                            Some(old) => {
                                let cost = self.csr_cost(&lines.entries[at].op);
                                now = issue + cost;
                                if DETAILED && cost > self.costs.csr {
                                    self.s.flushed = true;
                                }
                                self.x[rd] = old;
                                self.ready[rd] = now + self.costs.csr_result;
                                late!();
                            }
                            None => trap!(cause::ILLEGAL, isa::csr_bits(&lines.entries[at].op)),
                        }
                        // What was written may let an interrupt in.
                        if bound != HELD {
                            bound = 0;
                            until = 0;
                        }
                    }
                    Code::Fence => match mem.fence(Cycle(issue)) {
                        Access::Pending => suspend!(),
                        _ => now = issue + self.costs.fence,
                    },
                    Code::FenceI => {
                        if mem.fence(Cycle(issue)) == Access::Pending {
                            suspend!();
                        }
                        mem.fence_i(Cycle(issue));
                        now = issue + self.costs.fence_i;
                        retired += 1;
                        pc = here!().wrapping_add(u32::from(len));
                        continue 'enter;
                    }
                    Code::Pause => now = issue + self.costs.alu,
                    Code::Prefetch => {
                        let what = match imm & 31 {
                            0 => Prefetch::Fetch,
                            1 => Prefetch::Read,
                            _ => Prefetch::Write,
                        };
                        mem.prefetch(Cycle(issue), a.wrapping_add(imm as u32 & !31), what);
                        now = issue + self.costs.alu;
                    }
                    Code::Ecall if self.s.csrs.user => trap!(cause::ECALL_U, 0),
                    Code::Ecall => trap!(cause::ECALL_M, 0),
                    Code::Ebreak if self.makes_host_call(mem, here!(), len) => {
                        self.s.pc = here!();
                        self.s.now = now;
                        self.s.retired = retired;
                        return Stop::HostCall;
                    }
                    Code::Ebreak => trap!(cause::BREAKPOINT, 0),
                    Code::Mret if self.s.csrs.user => trap!(cause::ILLEGAL, isa::MRET),
                    Code::Mret => {
                        now = issue + self.costs.trap_return;
                        retired += 1;
                        let end = here!().wrapping_add(u32::from(len));
                        pc = self.leave(now, here!());
                        self.transfers.push(end, pc);
                        if DETAILED {
                            self.s.jumped = true;
                        }
                        if OBSERVED {
                            self.s.now = now;
                            self.note(kind::TRAP_RETURN, [pc, 0, 0, 0, 0]);
                        }
                        if bound != HELD {
                            bound = 0;
                        }
                        continue 'enter;
                    }
                    Code::Wfi if self.s.csrs.refuses_wfi() => trap!(cause::ILLEGAL, isa::WFI),
                    Code::Wfi => {
                        retired += 1;
                        pc = here!().wrapping_add(u32::from(len));
                        self.s.pc = pc;
                        self.s.now = issue + self.costs.wfi;
                        self.s.retired = retired;
                        self.s.boundary = None;
                        self.sleep();
                        // Only what is already due: see `wake`.
                        if !self.wake(limit.min(self.s.now + 1)) {
                            return Stop::Sleep;
                        }
                        now = self.s.now;
                        bound = 0;
                        continue 'enter;
                    }
                    Code::CboInval => match self.s.csrs.block_invalidate() {
                        Block::AsWritten => cache!(CacheOp::Invalidate),
                        Block::Flush => cache!(CacheOp::Flush),
                        Block::Illegal => trap!(cause::ILLEGAL, isa::block_bits(&lines.entries[at].op)),
                    },
                    Code::CboClean | Code::CboFlush if self.s.csrs.block_clean() == Block::Illegal => {
                        trap!(cause::ILLEGAL, isa::block_bits(&lines.entries[at].op))
                    }
                    Code::CboClean => cache!(CacheOp::Clean),
                    Code::CboFlush => cache!(CacheOp::Flush),
                    Code::Flw | Code::Fsw if !self.s.csrs.float_on() => {
                        trap!(cause::ILLEGAL, bits_at(mem, here!()))
                    }
                    Code::Flw => {
                        load!(Width::Word, |v| v);
                        self.s.csrs.float_dirty();
                    }
                    Code::Fsw => store!(Width::Word),
                    Code::FaddS
                    | Code::FsubS
                    | Code::FmulS
                    | Code::FdivS
                    | Code::FsqrtS
                    | Code::FmaddS
                    | Code::FmsubS
                    | Code::FnmsubS
                    | Code::FnmaddS
                    | Code::FsgnjS
                    | Code::FsgnjnS
                    | Code::FsgnjxS
                    | Code::FminS
                    | Code::FmaxS
                    | Code::FeqS
                    | Code::FltS
                    | Code::FleS
                    | Code::FclassS
                    | Code::FcvtWS
                    | Code::FcvtWuS
                    | Code::FcvtSW
                    | Code::FcvtSWu
                    | Code::FmvXW
                    | Code::FmvWX => match self.float_operation(&lines.entries[at].op, a, b, issue) {
                        Some(c) => {
                            self.x[rd] = c.value;
                            self.ready[rd] = c.ready;
                            now = c.now;
                            late!();
                        }
                        None => trap!(cause::ILLEGAL, bits_at(mem, here!())),
                    },
                    Code::Custom => match self.custom_operation(imm as u32, issue) {
                        Some(c) => {
                            self.x[rd] = c.value;
                            self.ready[rd] = c.ready;
                            now = c.now;
                            late!();
                        }
                        None => trap!(cause::ILLEGAL, imm as u32),
                    },
                    Code::Illegal => match kind_of & tag::KIND {
                        tag::NEXT => {
                            pc = here!();
                            continue 'enter;
                        }
                        tag::RAW => {
                            self.decode_entry(lines, here!());
                            continue;
                        }
                        tag::STRADDLE => {
                            pc = here!();
                            continue 'enter;
                        }
                        _ => trap!(cause::ILLEGAL, imm as u32),
                    },
                }
                retired += 1;
                at += usize::from(len >> 1);
            }
        }
    }
}
