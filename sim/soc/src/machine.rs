// SPDX-License-Identifier: Apache-2.0
//! The owner of time. It always advances the component that is earliest, so every access to shared state happens in
//! exact global order, whatever the host does.
//!
//! A hart that is picked at cycle t is final up to t. It is checkpointed and then runs ahead on private work: until
//! its next shared access, its sleep, or the end of its slice. Nothing it does meanwhile can be seen by others. What can
//! reach it earlier than the cycle it ran to is an interrupt line. A line that changes at `at` before the
//! hart's time rewinds the hart to the checkpoint (which is never later than `at`), and it runs again, now with the change
//! in its queue. On a coherent bus a snoop that takes one of its lines can do the same (`snoop.rs`).
//!
//! Order within a cycle: device wake-ups, then what comes from the network on chip, then grants, then harts by index. A
//! request that a hart issues at t arrives at t+1 at the earliest, so a grant at T sees all its competitors.
//!
//! Deliberately lacks: any wall clock. Host threads only run cores ahead (`ahead.rs`): no order depends on them.

use crate::agenda::Agenda;
use crate::ahead::{run_ahead, Whole, PAYS};
use crate::build;
use crate::coherence::{CheckedSeen, Checker, Transfer, Watch};
use crate::fabric::{Effects, Fabric, Queued, Served, SlaveMark};
use crate::fault::Fault;
use crate::image::{Image, ImageError};
use crate::shadow::Who;
use crate::view::{CachedSeen, IdealSeen};
use config::Platform;
use engine::{
    AccessFault, BusOp, BusReply, BusRequest, Cause, Cycle, Cycles, Finish, HartMemory as _, Line, MasterKind,
};
use hart::{Hart, Stop};
use mem::{CachedPort, IdealPort, IdealView};
use serde::Serialize;
use trace::Account;

/// How far a hart may run ahead before it is checkpointed again; bounds the undo log.
pub(crate) const SLICE: Cycles = Cycles(4096);

/// Ticks that find every core asleep before a run comes back with [`StopReason::Idle`].
pub const IDLE_TICKS: u32 = 500;

/// A core's view of memory.
pub(crate) enum Port {
    Cached(Box<CachedPort>),
    Ideal(Box<IdealPort>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Executes when it is the earliest.
    Ready,
    /// Suspended at an access that it will make when it is the earliest.
    Asking,
    /// Suspended at an access, with the next request already taken from the port.
    Next(BusRequest),
    /// Its request is at a slave.
    Waiting,
    /// In wfi; the next line change may wake it.
    Asleep,
    /// Stopped before a call to the host, which is made when the core is the earliest.
    Calling,
    /// Stopped by a fault, which ends the run when the core is the earliest.
    Faulted,
    /// Without an image, or stopped by a fault.
    Off,
}

pub(crate) struct Core {
    pub name: String,
    pub hart: Hart,
    pub port: Port,
    pub state: State,
    /// Index into [`Machine::images`].
    pub image: Option<usize>,
    pub has_icache: bool,
    pub has_dcache: bool,
    pub way_back: WayBack,
    /// When the data master is free again after a transfer that the hart does not wait for; NEVER while that is not known.
    pub not_before: Cycle,
    /// The instruction whose victim is being written in the background.
    pub posted_pc: u32,
    /// What the coherence checker looks at.
    pub watch: Option<Box<Watch>>,
    /// What its own memories' slaves were at the checkpoint, if they have changed since.
    pub marks: Vec<(usize, SlaveMark)>,
}

impl State {
    /// Of a core whose hart has stopped so.
    pub fn after(stop: Stop) -> State {
        match stop {
            Stop::Limit => State::Ready,
            Stop::Pending => State::Asking,
            Stop::Sleep => State::Asleep,
            Stop::HostCall => State::Calling,
            Stop::Fault { .. } => State::Faulted,
        }
    }

    /// Whether the core may have run ahead of what is final.
    pub(crate) fn may_be_ahead(&self) -> bool {
        matches!(self, State::Ready | State::Asking | State::Asleep | State::Calling | State::Faulted)
    }
}

/// What a core's checkpoint is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WayBack {
    /// Nothing has changed since.
    Fresh,
    /// The hart has run ahead since, and may be rewound.
    Open,
    /// The hart has gone on for good: others have seen what it did, or nobody could act before the end of its run. It is
    /// checkpointed before it runs ahead of others.
    Gone,
}

/// Why a run came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// The asked cycle is reached.
    Budget,
    /// The program reported success.
    Pass,
    /// The program reported failure.
    Fail,
    /// The program asked for a reset.
    Reset,
    /// A guest fault; see [`Machine::fault`].
    Fault,
    /// Every core sleeps and nothing can wake one.
    Deadlock,
    /// Every core slept through [`IDLE_TICKS`] more ticks of clocks and nothing else happened. Whether anything ever will,
    /// the program's kernel knows; another run goes on.
    Idle,
    /// The core of this number waits before a call to the host; [`Machine::answer_host_call`] lets another run go on.
    Call,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Outcome {
    /// Why.
    pub stop: StopReason,
    /// The program's own code, for [`StopReason::Fail`]; for [`StopReason::Idle`] how many times in a row; for [`StopReason::Call`]
    /// the core.
    pub code: u32,
    /// Simulated time.
    pub cycle: u64,
}

/// A whole system.
pub struct Machine {
    pub(crate) cores: Vec<Core>,
    /// Host threads that run cores ahead.
    pub(crate) threads: usize,
    /// Those besides the caller's.
    pub(crate) helpers: Option<rayon::ThreadPool>,
    /// Instructions that they executed, those that were taken back included.
    pub(crate) in_batches: u64,
    /// When each core acts next; kept by [`Machine::changed`].
    pub(crate) agenda: Agenda,
    pub(crate) fabric: Fabric,
    pub(crate) images: Vec<Image>,
    pub(crate) ended: Option<Outcome>,
    pub(crate) faulted: Option<Fault>,
    pub(crate) now: Cycle,
    /// Ticks since anything but a tick happened; see [`StopReason::Idle`].
    pub(crate) idle_ticks: u32,
    /// Runs in a row that ended so.
    pub(crate) idle_runs: u32,
    pub(crate) checker: Option<Box<Checker>>,
}

/// Call `$body` with `$mem` bound to the core's memory, whatever its kind.
macro_rules! with_memory {
    ($core:expr, $fabric:expr, $index:expr, $ordered:expr, |$hart:ident, $mem:ident| $body:expr) => {{
        let $hart = &mut $core.hart;
        match &mut $core.port {
            Port::Cached(port) => match &mut $core.watch {
                None => {
                    let mut view = CachedSeen { port, memories: $fabric.seen($index) };
                    let $mem = &mut view;
                    $body
                }
                Some(watch) => {
                    let mut view = CheckedSeen { port, memories: $fabric.seen($index), watch };
                    let $mem = &mut view;
                    $body
                }
            },
            Port::Ideal(port) => {
                let mut view =
                    IdealSeen(IdealView::new(port, &mut $fabric.memories, &mut $fabric.reservations, $index, $ordered));
                let $mem = &mut view;
                $body
            }
        }
    }};
}

pub(crate) use with_memory;

/// What a request's service is charged to.
pub(crate) fn account(cause: Cause) -> Account {
    match cause {
        Cause::Fetch => Account::Fetch,
        Cause::Miss => Account::Miss,
        Cause::Uncached => Account::Uncached,
    }
}

impl Machine {
    /// Put a platform together and load its images: each with the cores that start in it.
    ///
    /// # Errors
    /// An image lies outside the platform's memories, two images are given for one core, or a core does not exist.
    pub fn new(
        platform: &Platform,
        images: Vec<(Image, Vec<usize>)>,
        seed: u64,
        observe: bool,
    ) -> Result<Machine, ImageError> {
        build::machine(platform, images, seed, observe, false)
    }

    /// The same with the coherence checker, which changes no cycle and no state; see [`Machine::coherence`].
    ///
    /// # Errors
    /// As [`Machine::new`].
    pub fn checked(
        platform: &Platform,
        images: Vec<(Image, Vec<usize>)>,
        seed: u64,
        observe: bool,
    ) -> Result<Machine, ImageError> {
        build::machine(platform, images, seed, observe, true)
    }

    /// Run until `until`, or until the program ends. May be called again after [`StopReason::Budget`],
    /// [`StopReason::Idle`] and, when input has been given, after [`StopReason::Deadlock`].
    pub fn run(&mut self, until: Cycle) -> Outcome {
        if let Some(ended) = self.ended {
            return ended;
        }
        let outcome = self.advance(until);
        self.settle(Cycle(outcome.cycle));
        self.now = Cycle(outcome.cycle);
        use StopReason::{Budget, Call, Deadlock, Idle};
        if !matches!(outcome.stop, Budget | Deadlock | Idle | Call) {
            self.ended = Some(outcome);
            // Nothing is undone any more.
            self.cores.iter_mut().flat_map(|c| &mut c.watch).for_each(|w| w.settle());
        }
        self.check(self.now);
        outcome
    }

    fn advance(&mut self, until: Cycle) -> Outcome {
        for core in 0..self.cores.len() {
            self.changed(core);
        }
        // Steps before a batch is tried again, now and after the next failure: looking costs a look at every core.
        let (mut wait, mut patience) = (0, 1);
        loop {
            let (core, core_at) = self.agenda.first();
            let event_at = self.fabric.next_event();
            let at = core_at.min(event_at);
            if at == Cycle::NEVER {
                let cycle = self.cores.iter().map(|c| c.hart.now()).max().unwrap_or(self.now).max(self.now);
                return Outcome { stop: StopReason::Deadlock, code: 0, cycle: cycle.0.min(until.0) };
            }
            if at >= until {
                return Outcome { stop: StopReason::Budget, code: 0, cycle: until.0 };
            }
            if self.threads > 1 && event_at > core_at {
                if wait == 0 {
                    let batch = self.run_batch(core_at, until);
                    if batch.is_some_and(|executed| executed >= PAYS) {
                        patience = 1;
                    } else {
                        (wait, patience) = (patience, (2 * patience).min(self.cores.len()));
                    }
                    if batch.is_some() {
                        continue;
                    }
                } else {
                    wait -= 1;
                }
            }
            let outcome =
                if event_at <= core_at { self.event(event_at, until) } else { self.step(core, core_at, until) };
            if let Some(outcome) = outcome {
                return outcome;
            }
        }
    }

    /// The cycle at which a core acts next: its hart, or its store buffer.
    fn acts_at(core: &Core) -> Cycle {
        let hart = match core.state {
            State::Ready | State::Next(_) | State::Calling | State::Faulted => core.hart.now(),
            State::Asking => match &core.port {
                Port::Cached(port) => port.acts_at(core.hart.now(), core.not_before),
                _ => core.hart.now(),
            },
            State::Asleep => core.hart.next_line_change().map_or(Cycle::NEVER, |at| at.max(core.hart.now())),
            State::Waiting | State::Off => Cycle::NEVER,
        };
        hart.min(Self::drains_at(core))
    }

    /// A core's state, its time or its line changes are others than before.
    #[inline]
    pub(crate) fn changed(&mut self, index: usize) {
        self.agenda.set(index, Self::acts_at(&self.cores[index]));
    }

    /// The first cycle at which somebody other than `index` may act, as seen in `index`'s place in the order of a cycle.
    #[inline]
    fn others_act_at(&self, index: usize) -> Cycle {
        let others = self.fabric.next_event().min(self.agenda.others(index));
        // What its own store buffer does comes from somebody else, as far as its hart is concerned.
        others.min(Self::drains_at(&self.cores[index]))
    }

    fn event(&mut self, now: Cycle, until: Cycle) -> Option<Outcome> {
        let mut effects = Effects::default();
        if self.fabric.next_wake() <= now {
            self.fabric.wake_devices(now, &mut effects);
            self.count_ticks(&effects, now);
            let ended = self.apply(effects, now);
            if ended.is_none() && self.idle_ticks >= IDLE_TICKS && self.all_idle(now) {
                self.idle_ticks = 0;
                self.idle_runs += 1;
                return Some(Outcome { stop: StopReason::Idle, code: self.idle_runs, cycle: now.0 });
            }
            return ended;
        }
        if self.fabric.network_at() <= now {
            // Nobody else acts before this, nor reaches a router before the edge after it.
            let others = self.agenda.first().1.min(self.fabric.grants.next()).min(self.fabric.next_wake());
            let limit = if others < until { others + Cycles(1) } else { until };
            self.fabric.step_network(now, limit, &mut effects);
            return self.apply(effects, now);
        }
        let (slave, _) = self.fabric.grants.first();
        let granted = self.fabric.grant(slave, now);
        let served = granted.map(|mut queued| {
            let found = self.snoop(slave, &mut queued, now);
            self.fabric.serve(slave, queued, found, now, &mut effects)
        });
        self.fabric.next_grant(slave);
        let outcome = self.apply(effects, now);
        if let Some(served) = served {
            self.served(&served);
            self.changed(served.queued.core);
        }
        outcome
    }

    fn sleeps(core: &Core, now: Cycle) -> bool {
        core.state == State::Off || (core.state == State::Asleep && core.hart.now() <= now)
    }

    /// Each core is off, sleeps, or is about to be woken by the tick of this cycle.
    fn all_idle(&self, now: Cycle) -> bool {
        self.cores.iter().all(|core| Self::sleeps(core, now))
    }

    fn stir(&mut self) {
        self.idle_ticks = 0;
        self.idle_runs = 0;
    }

    /// Before the effects of devices that woke at `now` are applied.
    fn count_ticks(&mut self, effects: &Effects, now: Cycle) {
        for (line, _, _) in effects.lines.iter().filter(|(_, level, _)| *level) {
            let idle = self.cores.get(usize::from(line.core)).is_some_and(|core| Self::sleeps(core, now));
            if idle {
                self.idle_ticks = self.idle_ticks.saturating_add(1);
            } else {
                self.stir();
            }
        }
    }

    pub(crate) fn apply(&mut self, effects: Effects, now: Cycle) -> Option<Outcome> {
        if effects.stirred {
            self.stir();
        }
        for (line, address, at) in effects.vectors {
            self.change_line(line, at.max(now), |hart, at| hart.set_vector(line.bit, address, at));
        }
        for (line, level, at) in effects.lines {
            self.change_line(line, at.max(now), |hart, at| hart.set_line(line.bit, level, at));
        }
        let finish = effects.finish?;
        let (stop, code) = match finish {
            Finish::Pass => (StopReason::Pass, 0),
            Finish::Fail(code) => (StopReason::Fail, code),
            Finish::Reset => (StopReason::Reset, 0),
        };
        let stop = if stop == StopReason::Fail && self.note_exception() { StopReason::Fault } else { stop };
        Some(Outcome { stop, code, cycle: now.0 + 1 })
    }

    fn change_line(&mut self, line: Line, at: Cycle, change: impl FnOnce(&mut Hart, Cycle)) {
        let index = usize::from(line.core);
        let Some(core) = self.cores.get_mut(index) else { return };
        let ran_ahead = core.state.may_be_ahead() && core.hart.passed(at);
        if ran_ahead && core.way_back == WayBack::Open {
            Self::rewind(core, &mut self.fabric, index);
        }
        change(&mut core.hart, at);
        self.changed(index);
    }

    pub(crate) fn rewind(core: &mut Core, fabric: &mut Fabric, index: usize) {
        if let Port::Cached(port) = &mut core.port {
            port.rewind_ahead(|addr, bytes| {
                if let Some((_, _, memory)) = fabric.own_memory(index, addr) {
                    memory.write(addr, bytes);
                }
            });
        }
        for (slave, mark) in core.marks.drain(..) {
            fabric.slaves[slave].go_back(mark);
        }
        with_memory!(core, fabric, index, Cycle::ZERO, |hart, mem| {
            hart.rewind();
            mem.rewind();
        });
        core.way_back = WayBack::Fresh;
        core.state = if core.hart.asleep() { State::Asleep } else { State::Ready };
    }

    pub(crate) fn checkpoint(&mut self, index: usize) {
        let core = &mut self.cores[index];
        if core.way_back == WayBack::Fresh {
            return;
        }
        core.way_back = WayBack::Fresh;
        core.marks.clear();
        with_memory!(core, self.fabric, index, Cycle::ZERO, |hart, mem| {
            hart.checkpoint();
            mem.checkpoint();
        });
    }

    /// Let the earliest core act at `now`.
    fn step(&mut self, index: usize, now: Cycle, until: Cycle) -> Option<Outcome> {
        let outcome = self.act(index, now, until);
        self.changed(index);
        outcome
    }

    fn act(&mut self, index: usize, now: Cycle, until: Cycle) -> Option<Outcome> {
        if self.drain(index, now) {
            return None;
        }
        self.at_buffer(index, now);
        let waits_for_own = self.cores[index].state == State::Asking && self.waits_for_own(index);
        match self.cores[index].state {
            State::Faulted => {
                self.cores[index].state = State::Off;
                self.hart_fault(index);
                return Some(Outcome { stop: StopReason::Fault, code: 0, cycle: now.0 });
            }
            State::Calling => {
                self.cores[index].way_back = WayBack::Gone;
                return Some(Outcome { stop: StopReason::Call, code: index as u32, cycle: now.0 });
            }
            // A line of its own memory is moved as part of running ahead.
            State::Asking if waits_for_own => self.cores[index].state = State::Ready,
            State::Asking => {
                let core = &mut self.cores[index];
                core.state = State::Ready;
                let request = with_memory!(core, self.fabric, index, Cycle::ZERO, |_hart, mem| mem.request());
                core.way_back = WayBack::Gone;
                match request {
                    Some(request) if request.op == BusOp::Order => {
                        let waited = now.since(core.hart.now());
                        core.hart.resume_at(now, &[(Account::Miss, waited)]);
                        with_memory!(core, self.fabric, index, Cycle::ZERO, |_hart, mem| mem
                            .complete(BusReply::Value(0)));
                    }
                    Some(request) => return self.issue(index, now, request),
                    None => {}
                }
            }
            State::Next(request) => return self.issue(index, now, request),
            _ => self.cores[index].state = State::Ready,
        }
        // Stays true while only memories answer: they do nothing by themselves.
        let others = self.others_act_at(index);
        let mut now = now;
        loop {
            let stop = self.run_core(index, now, others, until);
            if stop == Stop::Pending && self.serve_alone(index, others.min(until)) {
                now = self.cores[index].hart.now();
                if now < others.min(until) {
                    continue;
                }
                return None;
            }
            self.cores[index].state = State::after(stop);
            return None;
        }
    }

    /// Whether a core is suspended at an access to a memory that is its own, and can go on over it.
    pub(crate) fn waits_for_own(&mut self, index: usize) -> bool {
        // What is watched goes the way on which it is seen.
        let Core { port: Port::Cached(port), watch: None, .. } = &self.cores[index] else { return false };
        let Some(line) = port.next_line_ahead() else { return false };
        let arrival = self.cores[index].hart.now() + self.fabric.request;
        let own = self.fabric.own_memory(index, line.addr);
        own.is_some_and(|(_, slave, memory)| {
            let known = memory.contains(line.addr, line.bytes) && (!line.write || memory.is_written(line.addr));
            known && slave.has_no_past() && slave.is_idle(arrival)
        })
    }

    /// Let a core's hart run from `now`, when nobody else acts before `ordered`.
    fn run_core(&mut self, index: usize, now: Cycle, ordered: Cycle, until: Cycle) -> Stop {
        let mut limit = (now + SLICE).min(until);
        if self.fabric.next_wake() > now {
            limit = limit.min(self.fabric.next_wake());
        }
        // Who cannot be reached before the end of its run needs no way back: all it decides, it decides before `limit`.
        let reachable = ordered < limit;
        if reachable {
            self.checkpoint(index);
        }
        let core = &mut self.cores[index];
        core.way_back = if reachable { WayBack::Open } else { WayBack::Gone };
        let ideal = matches!(core.port, Port::Ideal(_));
        let first_limit = if ideal { limit.min(ordered) } else { limit };
        if let Core { hart, port: Port::Cached(port), marks, watch: None, .. } = core {
            if !reachable {
                port.checkpoint();
                marks.clear();
            }
            let delays = (self.fabric.request, self.fabric.response);
            let around = &mut Whole { fabric: &mut self.fabric, core: index };
            return run_ahead(hart, port, marks, around, delays, limit);
        }
        let mut stop = with_memory!(core, self.fabric, index, ordered, |hart, mem| {
            if !reachable {
                mem.checkpoint();
            }
            hart.run(mem, first_limit)
        });
        if ideal && reachable {
            // What an ideal memory answered at once cannot be taken back, and need not be: nobody acts before
            // `ordered`. From here on the hart runs ahead on its registers alone.
            self.checkpoint(index);
            if stop == Stop::Limit && first_limit < limit {
                let core = &mut self.cores[index];
                core.way_back = WayBack::Open;
                stop = with_memory!(core, self.fabric, index, Cycle::ZERO, |hart, mem| hart.run(mem, limit));
            }
        }
        if self.cores[index].watch.as_ref().is_some_and(|w| w.is_full()) {
            self.check(now);
        }
        stop
    }

    /// Move the lines that the suspended hart of `index` waits for, as long as their memories are idle and nobody else acts before the
    /// request arrives there: then the grant is decided already. True if the hart can go on.
    fn serve_alone(&mut self, index: usize, others: Cycle) -> bool {
        let core = &mut self.cores[index];
        // What is watched goes the way on which it is seen.
        let (Port::Cached(port), None) = (&mut core.port, &core.watch) else { return false };
        let mut moved = false;
        while let Some(line) = port.next_line() {
            let now = core.hart.now();
            let arrival = now + self.fabric.request;
            if now >= others || arrival >= others {
                break;
            }
            let Some(end) = self.fabric.move_alone(index, port, line, arrival) else { break };
            let resume = end + self.fabric.response;
            core.hart.resume_at(resume, &[(account(line.cause), resume - now)]);
            core.way_back = WayBack::Gone;
            moved = true;
        }
        moved && port.is_idle()
    }

    fn issue(&mut self, index: usize, now: Cycle, request: BusRequest) -> Option<Outcome> {
        let master = index * 2 + usize::from(request.master == MasterKind::Data);
        let arrival = now + self.fabric.request;
        // Earlier than now when the data master was not free.
        let issued = self.cores[index].hart.now();
        let mut queued = Queued { core: index, master, issued, arrival, request, posted: None };
        let Some(slave) = self.fabric.slave_at(index, request.addr) else {
            let reply = BusReply::Fault(AccessFault::Unmapped);
            self.served(&Served { queued, granted: arrival, end: arrival, tail: Cycles::ZERO, reply });
            return None;
        };
        self.cores[index].state = State::Waiting;
        // Nobody else can arrive by then, so the grant is decided already.
        let alone = self.fabric.is_idle(slave, arrival) && self.others_act_at(index) > arrival;
        if !alone {
            self.fabric.enqueue(slave, queued);
            return None;
        }
        let mut effects = Effects::default();
        self.fabric.slaves[slave].arbiter.grant_alone(queued.master);
        let found = self.snoop(slave, &mut queued, arrival);
        let served = self.fabric.serve(slave, queued, found, arrival, &mut effects);
        let outcome = self.apply(effects, arrival);
        self.served(&served);
        outcome
    }

    /// The reply of a request goes back to its hart.
    fn served(&mut self, served: &Served) {
        let Served { queued, granted, end, tail, reply } = served;
        let (granted, end, tail) = (*granted, *end, *tail);
        let index = queued.core;
        let complete = end + self.fabric.response;
        if let Some(posted) = queued.posted {
            return self.posted_served(index, posted, granted, complete, &queued.request);
        }
        let core = &mut self.cores[index];
        let watched = match (&self.checker, &core.port, reply) {
            (None, ..) | (_, Port::Ideal(_), _) | (.., BusReply::Fault(_)) => None,
            (_, Port::Cached(port), _) => Some((Transfer::of(port, &queued.request), port.asked())),
        };
        let who = Who { core: index, pc: core.hart.pc(), cycle: granted.0 };
        let resume = match &mut core.port {
            Port::Cached(port) if port.goes_on_early() => Cycle(complete.0 - tail.0) + port.restart(),
            Port::Cached(port) => complete + port.restart(),
            Port::Ideal(_) => complete,
        };
        let waited = granted.since(queued.arrival);
        let service = Cycles((resume - queued.issued).0 - waited.0);
        let account = account(queued.request.cause);
        let core = &mut self.cores[index];
        let value = match reply {
            BusReply::Value(value) => Some(*value),
            _ => None,
        };
        with_memory!(core, self.fabric, index, Cycle::ZERO, |hart, mem| {
            hart.resume_at(resume, &[(Account::BusWait, waited), (account, service)]);
            mem.complete(*reply);
        });
        core.way_back = WayBack::Gone;
        let coherent = self.fabric.coherence.is_some();
        core.state = match &core.port {
            // It goes there when the core is the earliest.
            Port::Cached(port) if port.is_store_to_buffer() => State::Asking,
            // Which line makes room is decided when the next one is asked for: a snoop may empty another place until then.
            Port::Cached(port) if coherent && port.asks_more() => State::Asking,
            _ => with_memory!(core, self.fabric, index, Cycle::ZERO, |_hart, mem| mem.request())
                .map_or(State::Ready, State::Next),
        };
        if let (Some(checker), Some((transfer, asked)), Port::Cached(port)) = (&mut self.checker, watched, &core.port) {
            checker.served(who, transfer, &queued.request, value);
            if let Some(asked) = asked.filter(|_| transfer.ends_access(&queued.request) && port.is_answered()) {
                checker.performed(who, asked, port);
            }
        }
        if let Port::Cached(port) = &mut core.port {
            if let Some(coherence) = &mut self.fabric.coherence {
                coherence.arrives(index, port, &queued.request, complete);
            }
            if port.has_store_buffer() && queued.request.master == MasterKind::Data {
                core.not_before = core.not_before.max(complete);
            }
            if resume < complete {
                core.not_before = complete;
                port.arrives(complete);
            }
            if let Some(request) = port.posted() {
                core.not_before = Cycle::NEVER;
                core.posted_pc = who.pc;
                self.post(index, complete, request);
            }
        }
    }

    /// Let the checker look at what is final before `horizon`.
    fn check(&mut self, horizon: Cycle) {
        if let Some(checker) = &mut self.checker {
            checker.advance(horizon, self.cores.iter_mut().filter_map(|c| c.watch.as_deref_mut()).collect());
        }
    }
}
