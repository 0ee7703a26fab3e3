// SPDX-License-Identifier: Apache-2.0
//! One hardware thread: it executes instructions against a [`HartMemory`], at the cycles that its timing class says.
//!
//! [`Hart::run`] goes on until a cycle is reached, an access must be served by somebody else, or wfi puts the hart to sleep. The
//! owner of time decides how far ahead that may be. What the hart did since [`Hart::checkpoint`] can be taken
//! back by [`Hart::rewind`] (the owner rewinds the memory too), because an interrupt line may turn out to have changed
//! at a cycle that the hart has passed.
//!
//! ```text
//!    boundary          issue                completes = next boundary
//!   ---|----- fetch -----|-- access --|-- cost --|---
//!      ^ interrupts are taken here, and here only; a probe's stamp is this instant
//!        ^ suspended      ^ suspended: repeated without looking at interrupts again
//! ```
//!
//! Deliberately lacks: caches, devices, arbitration, host time, supervisor mode and address translation.

mod access;
mod acts;
mod block_run;
mod blocks;
mod csr;
mod custom;
mod detail;
mod excepted;
mod fetch;
mod float;
mod fpu;
mod host_call;
mod input;
mod lines;
mod masked;
mod observe;
mod pmp;
mod run;
mod timing;
mod transfers;
mod translate;
mod trap;

pub use excepted::Exception;
pub use masked::MaskedStretch;
pub use observe::Peek;
pub use timing::{FloatTiming, Late, Predictor, Timing};

use access::Split;
use blocks::Blocks;
use csr::{Counts, Csrs, Identity};
use custom::Customs;
use engine::HartMemory;
use excepted::Exceptions;
use input::Input;
use isa::{Custom, IsaSet};
use lines::{Entry, Lines};
use masked::MaskWatch;
use observe::Recorder;
use pmp::{Guard, Guarded, Pmp, Regime};
use timing::{Costs, History};
use trace::{Account, Accounts, Probe, Record};
use transfers::Transfers;
use units::{Cycle, Cycles};

/// What happens to a load or store whose address is not a multiple of its width. Atomics always trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Misaligned {
    /// Exception 4 or 6.
    #[default]
    Trap,
    /// Made byte by byte in the time of one access.
    Split,
}

/// Modes besides machine mode, and how memory is protected from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Privilege {
    /// There is a user mode.
    pub user: bool,
    /// Entries of physical memory protection, at most 16; registers of absent ones read 0.
    pub pmp_entries: u8,
    /// The smallest region: a power of two, at least 4.
    pub pmp_granularity_bytes: u32,
}

impl Privilege {
    /// Machine mode, without protection.
    pub const MACHINE: Privilege = Privilege { user: false, pmp_entries: 0, pmp_granularity_bytes: 4 };
}

/// What a hart is.
#[derive(Clone, Debug)]
pub struct HartConfig {
    /// Index of the core, as its records say.
    pub core: u16,
    /// mhartid.
    pub hartid: u32,
    /// Extensions; anything else traps.
    pub isa: IsaSet,
    /// Instructions that a user defines, in the custom opcodes.
    pub custom: Vec<Custom>,
    /// Modes and memory protection.
    pub privilege: Privilege,
    /// Costs.
    pub timing: Timing,
    /// Misaligned loads and stores.
    pub misaligned: Misaligned,
    /// Base cycles per step of the `time` counter.
    pub time_divider: u32,
    /// First instruction.
    pub reset_pc: u32,
    /// Make records: of traps, of sleep, and of `probes`.
    pub observe: bool,
    /// Probes of the hart's image; used only when observed.
    pub probes: Vec<Probe>,
}

/// What is known of the code that a hart executes.
#[derive(Clone, Debug, Default)]
struct Code {
    lines: Lines,
    blocks: Blocks,
}

/// Why [`Hart::run`] came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The limit is reached, at an instruction boundary.
    Limit,
    /// Suspended at an access or a fetch; see [`HartMemory::request`].
    Pending,
    /// In wfi, since [`Hart::now`]. Each further call of [`Hart::run`] looks at the line changes of one instant,
    /// [`Hart::next_line_change`] (or `now` if that is later); the owner calls when that instant has come, and before `limit`.
    Sleep,
    /// Before a call to the host (see [`Hart::serve_host_calls`]). Another run comes back with the same, until
    /// [`Hart::answer_host_call`].
    HostCall,
    /// A trap that cannot be delivered: there is no vector, or its first instruction traps itself. `cause`, `pc` and
    /// `tval` are those of the trap that could not be handled. The hart stays stopped.
    Fault {
        /// As in mcause.
        cause: u32,
        /// Of the instruction that trapped, or was interrupted.
        pc: u32,
        /// As in mtval.
        tval: u32,
    },
}

/// The part of an instruction that has been done when the hart is suspended at it.
#[derive(Clone, Copy, Debug)]
enum Held {
    /// Nothing: its line is fetched.
    Fetch,
    /// Its first half is known, the line of its second half is fetched.
    Tail(u16),
    /// All but its access.
    Access(Entry),
}

/// The instant before an instruction that was suspended.
#[derive(Clone, Copy, Debug)]
struct Boundary {
    now: u64,
    accounts: Accounts,
}

/// Everything that a checkpoint copies, besides the registers: those are apart because only half of their arrays is worth
/// copying.
#[derive(Clone, Copy, Debug)]
struct State {
    pc: u32,
    now: u64,
    retired: u64,
    csrs: Csrs,
    accounts: Accounts,
    held: Option<Held>,
    /// Present while an instruction is suspended or repeated.
    boundary: Option<Boundary>,
    split: Split,
    /// The instruction before was a jump, or none was: what is executed next is a target.
    jumped: bool,
    /// The instruction before has emptied the pipeline, or the core has just woken.
    flushed: bool,
    /// From when on the core can make another access.
    next_access: u64,
    /// When the instruction before was issued.
    last_issue: u64,
    /// The last two stores, where loads that follow them are slower.
    stored: [detail::Stored; 2],
    asleep: bool,
    dead: Option<Stop>,
    /// Retired instructions when a trap was entered last.
    entered: Option<u64>,
    /// The handler of the exception in [`Hart::exception_open`] has not returned.
    in_exception: bool,
    masked: MaskWatch,
    /// Where an interrupt of the vectored line begins; 0: as `mtvec` says.
    vector: u32,
}

/// f0 to f31, with when each can be used.
#[derive(Clone, Debug)]
struct FloatRegisters {
    x: [u32; 32],
    ready: [u64; 32],
}

/// Where the floating-point registers are among all.
const FLOATS: std::ops::Range<usize> = isa::FLOAT as usize..isa::FLOAT as usize + 32;

/// A hardware thread.
#[derive(Clone, Debug)]
pub struct Hart {
    /// x0 to x31; x32 takes results that go nowhere; from 64 on f0 to f31. The rest lets an index of eight bits be used unchecked.
    x: [u32; 256],
    /// From when on each register can be used.
    ready: [u64; 128],
    /// Integer registers that may not be ready yet, and when all of them are: what is not in here can be used at once.
    late_set: u32,
    late_until: u64,
    s: State,
    saved_x: [u32; 32],
    saved_ready: [u64; 32],
    /// Of the floating-point registers, which most cores do not have.
    saved_float: Option<Box<FloatRegisters>>,
    saved: State,
    costs: Costs,
    history: History,
    transfers: Transfers,
    saved_transfers: Transfers,
    input: Input,
    /// Taken out while the hart runs, so that it need not be looked up in the hart for each instruction.
    code: Option<Box<Code>>,
    in_blocks: u64,
    customs: Customs,
    pmp: Pmp,
    /// What accesses are checked, and how: what the running loop was chosen for.
    regime: Regime,
    guard: Guard,
    /// Of the loop that checks; lines may be smaller there.
    guarded_code: Option<Box<Code>>,
    recorder: Option<Recorder>,
    serves_host_calls: bool,
    exceptions: Exceptions,
    /// The line of a vectored interrupt block.
    vectored: Option<u32>,
    /// Bits that the address of an instruction may not have.
    misaligned_fetch: u32,
    config: HartConfig,
}

impl Hart {
    /// A hart at reset.
    ///
    /// # Panics
    /// The timing's predictor is [`Predictor::TwoBit`] and its number of entries is not a power of two, the time divider is 0,
    /// or the memory protection is not what [`Privilege`] says.
    pub fn new(mut config: HartConfig) -> Hart {
        assert!(config.time_divider != 0, "time_divider must not be 0");
        let identity = Identity {
            hartid: config.hartid,
            isa: config.isa,
            user: config.privilege.user,
            time_divider: u64::from(config.time_divider),
        };
        let pmp = Pmp::new(config.privilege.pmp_entries, config.privilege.pmp_granularity_bytes);
        let s = State {
            pc: config.reset_pc,
            now: 0,
            retired: 0,
            csrs: Csrs::new(identity),
            accounts: [0; 6],
            held: None,
            boundary: None,
            split: Split::default(),
            jumped: true,
            flushed: false,
            next_access: 0,
            last_issue: 0,
            stored: Default::default(),
            asleep: false,
            dead: None,
            entered: None,
            in_exception: false,
            vector: 0,
            masked: MaskWatch::new(),
        };
        let transfers = Transfers::new(config.reset_pc);
        let probes = std::mem::take(&mut config.probes);
        let customs = Customs::new(std::mem::take(&mut config.custom));
        if !customs.all().is_empty() {
            config.isa = config.isa.with(IsaSet::CUSTOM);
        }
        Hart {
            x: [0; 256],
            ready: [0; 128],
            late_set: 0,
            late_until: 0,
            saved_x: [0; 32],
            saved_ready: [0; 32],
            saved_float: config.isa.has(IsaSet::F).then(|| Box::new(FloatRegisters { x: [0; 32], ready: [0; 32] })),
            s,
            saved: s,
            costs: Costs::from(&config.timing),
            history: History::new(&config.timing),
            transfers,
            saved_transfers: transfers,
            input: Input::default(),
            code: None,
            in_blocks: 0,
            regime: 0,
            guard: Guard::new(&pmp),
            guarded_code: None,
            pmp,
            customs,
            recorder: config.observe.then(|| Recorder::new(config.core, probes)),
            serves_host_calls: false,
            exceptions: Exceptions::new(transfers),
            vectored: None,
            misaligned_fetch: if config.isa.has(IsaSet::C) { 0 } else { 2 },
            config,
        }
    }

    /// Execute instructions while the hart's time is before `limit`.
    pub fn run<M: HartMemory + Peek>(&mut self, mem: &mut M, limit: Cycle) -> Stop {
        if let Some(stop) = self.s.dead {
            return stop;
        }
        if self.s.asleep && !self.wake(limit.0) {
            return Stop::Sleep;
        }
        if self.s.now >= limit.0 {
            return Stop::Limit;
        }
        loop {
            self.regime = self.wanted_regime();
            let stop = if self.regime != 0 {
                self.execute_guarded(mem, limit.0)
            } else {
                let mut code = self.code.take().unwrap_or_default();
                let stop = if self.costs.detailed {
                    self.execute::<M, true, true>(&mut code, mem, limit.0)
                } else if self.recorder.is_some() {
                    self.execute::<M, true, false>(&mut code, mem, limit.0)
                } else {
                    self.execute::<M, false, false>(&mut code, mem, limit.0)
                };
                self.code = Some(code);
                stop
            };
            // At a limit before the limit the loop for another regime must go on.
            if stop != Stop::Limit || self.s.now >= limit.0 {
                return stop;
            }
        }
    }

    /// What must be checked in the mode that the hart is in.
    pub(crate) fn wanted_regime(&self) -> Regime {
        self.pmp.regime(self.s.csrs.user, self.s.csrs.data_user())
    }

    #[inline(never)]
    fn execute_guarded<M: HartMemory + Peek>(&mut self, mem: &mut M, limit: u64) -> Stop {
        let mut guard = self.guard.clone();
        let mut code = self.guarded_code.take().unwrap_or_default();
        guard.enter(self.regime, &self.pmp, mem.fetch_line_bytes());
        let mut guarded = Guarded { mem, guard: &mut guard, offset: 0 };
        // One loop for observed and plain harts: a plain one decodes no probes.
        let stop = if self.costs.detailed {
            self.execute::<_, true, true>(&mut code, &mut guarded, limit)
        } else {
            self.execute::<_, true, false>(&mut code, &mut guarded, limit)
        };
        self.guarded_code = Some(code);
        self.guard = guard;
        stop
    }

    /// What the suspended hart waited for has been served: it goes on at `end`, and `waited` is charged.
    pub fn resume_at(&mut self, end: Cycle, waited: &[(Account, Cycles)]) {
        debug_assert!(end.0 >= self.s.now, "resumed in the past");
        self.s.now = end.0;
        for (account, cycles) in waited {
            self.s.accounts[*account as usize] += cycles.0;
        }
    }

    /// Everything up to here is final.
    pub fn checkpoint(&mut self) {
        self.saved_x.copy_from_slice(&self.x[..32]);
        self.saved_ready.copy_from_slice(&self.ready[..32]);
        if let Some(saved) = &mut self.saved_float {
            saved.x.copy_from_slice(&self.x[FLOATS]);
            saved.ready.copy_from_slice(&self.ready[FLOATS]);
        }
        self.saved = self.s;
        self.saved_transfers.follow(&self.transfers);
        self.history.checkpoint();
        self.input.checkpoint();
        self.pmp.checkpoint();
        self.exceptions.checkpoint();
        if let Some(r) = &mut self.recorder {
            r.checkpoint();
        }
    }

    /// Go back to the last checkpoint (or reset). Line changes announced since then stay announced.
    pub fn rewind(&mut self) {
        self.x[..32].copy_from_slice(&self.saved_x);
        self.ready[..32].copy_from_slice(&self.saved_ready);
        self.late_until = self.saved_ready.iter().copied().max().unwrap_or(0);
        self.late_set = u32::MAX;
        if let Some(saved) = &self.saved_float {
            self.x[FLOATS].copy_from_slice(&saved.x);
            self.ready[FLOATS].copy_from_slice(&saved.ready);
        }
        self.s = self.saved;
        self.transfers.go_back(&self.saved_transfers);
        self.history.rewind();
        self.input.rewind();
        self.pmp.rewind();
        self.exceptions.rewind();
        for code in [&mut self.code, &mut self.guarded_code].into_iter().flatten() {
            code.lines.distrust();
        }
        if let Some(r) = &mut self.recorder {
            r.rewind();
        }
    }

    /// The hart's time: the boundary before its next instruction, or the instant at which it is suspended or fell asleep.
    #[inline]
    pub fn now(&self) -> Cycle {
        Cycle(self.s.now)
    }

    /// The hart's time at its last checkpoint.
    pub fn checkpointed_at(&self) -> Cycle {
        Cycle(self.saved.now)
    }

    /// Address of the next, or suspended, or undeliverably trapping instruction.
    pub fn pc(&self) -> u32 {
        self.s.pc
    }

    /// Start somewhere else than at the configured reset address; before the first instruction.
    pub fn set_pc(&mut self, pc: u32) {
        self.s.pc = pc;
        self.transfers = Transfers::new(pc);
        self.saved_transfers = self.transfers;
        self.saved = self.s;
    }

    /// A register.
    pub fn reg(&self, index: u8) -> u32 {
        self.x[usize::from(index & 31)]
    }

    /// Give a register its value at reset; before the first instruction.
    pub fn set_reg(&mut self, index: u8, value: u32) {
        if index & 31 != 0 {
            self.x[usize::from(index & 31)] = value;
            self.saved_x[usize::from(index & 31)] = value;
        }
    }

    /// All registers.
    pub fn regs(&self) -> [u32; 32] {
        std::array::from_fn(|i| self.x[i])
    }

    /// A floating-point register; 0 where there are none.
    pub fn float_reg(&self, index: u8) -> u32 {
        self.x[FLOATS][usize::from(index & 31)]
    }

    /// A control register as machine mode would read it now.
    pub fn csr(&self, number: u16) -> Option<u32> {
        if Pmp::has(number) {
            return Some(self.pmp.read(number));
        }
        self.s.csrs.read(number, Counts { now: self.s.now, retired: self.s.retired })
    }

    /// Whether the hart is in user mode.
    pub fn in_user_mode(&self) -> bool {
        self.s.csrs.user
    }

    /// Instructions retired since reset.
    pub fn retired(&self) -> u64 {
        self.s.retired
    }

    /// Execute translated blocks even where they are so short that they do not pay; for tests.
    pub fn insist_on_blocks(&mut self) {
        self.code.get_or_insert_default().blocks.insist = true;
    }

    /// Instructions that translated blocks executed since the hart was made, those that were taken back included. For who measures the
    /// simulator; it says nothing about the program.
    pub fn retired_in_blocks(&self) -> u64 {
        self.in_blocks
    }

    /// Where the time went, besides executing.
    pub fn accounts(&self) -> Accounts {
        self.s.accounts
    }

    /// The longest time that interrupts were masked once they had been on.
    pub fn longest_masked(&self) -> Option<MaskedStretch> {
        self.s.masked.longest()
    }

    /// Whether the hart sleeps in wfi.
    pub fn asleep(&self) -> bool {
        self.s.asleep
    }

    /// Whether the hart makes records.
    pub fn is_observed(&self) -> bool {
        self.recorder.is_some()
    }

    /// Whether the hart is suspended at an instruction.
    pub fn suspended(&self) -> bool {
        self.s.held.is_some()
    }

    /// The trap that could not be delivered.
    pub fn fault(&self) -> Option<Stop> {
        self.s.dead
    }

    /// Take the records up to the last checkpoint, in the order in which they were made.
    pub fn take_records(&mut self) -> Vec<Record> {
        self.recorder.as_mut().map_or_else(Vec::new, Recorder::take)
    }

    /// The records that have not been taken, those behind the checkpoint included.
    pub fn records(&self) -> &[Record] {
        self.recorder.as_ref().map_or(&[], |r| &r.records)
    }

    /// The strings that records of this hart refer to by index.
    pub fn strings(&self) -> &[String] {
        self.recorder.as_ref().map_or(&[], |r| &r.strings)
    }

    /// The instructions that a user has defined.
    pub fn customs(&self) -> &[Custom] {
        self.customs.all()
    }

    /// The extensions that instructions are decoded with.
    pub fn isa(&self) -> IsaSet {
        self.config.isa
    }

    /// Addresses and bits of the last 32 executed instructions, oldest first; the last is the one that could not
    /// be completed if there is one. The bits are what `mem` holds there now.
    pub fn last_instructions(&self, mem: &impl Peek) -> Vec<(u32, u32)> {
        let pc = self.s.pc;
        let end = match self.s.dead {
            Some(Stop::Fault { cause, .. }) => excepted::end_of_trapped(cause, pc, mem),
            _ => pc,
        };
        self.transfers.last(end, mem)
    }

    /// Feed all state that the future depends on into `f`, in a fixed order.
    #[allow(clippy::should_implement_trait)] // The name of this in every component; it is not for hash tables.
    pub fn hash(&self, f: &mut dyn FnMut(u64)) {
        let floats = if self.saved_float.is_some() { FLOATS } else { 0..0 };
        for i in (0..32).chain(floats) {
            let late = self.ready[i].saturating_sub(self.s.now);
            f(u64::from(self.x[i]));
            f(late);
        }
        f(u64::from(self.s.pc));
        f(self.s.now);
        f(self.s.retired);
        f(u64::from(self.s.asleep) | u64::from(self.s.held.is_some()) << 1 | u64::from(self.s.dead.is_some()) << 2);
        if self.costs.detailed {
            f(u64::from(self.s.jumped) | u64::from(self.s.flushed) << 1);
            f(self.s.next_access.saturating_sub(self.s.now));
            f(self.s.now - self.s.last_issue.min(self.s.now));
            let within = self.costs.load_stored_within;
            self.s.stored.iter().for_each(|s| f(s.digest(self.s.now, within)));
        }
        if self.vectored.is_some() {
            f(u64::from(self.s.vector));
        }
        self.s.csrs.hash(f);
        self.pmp.hash(f);
        for a in self.s.accounts {
            f(a);
        }
        self.history.hash(f);
        self.input.hash(f);
    }
}
