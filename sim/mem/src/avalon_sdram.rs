// SPDX-License-Identifier: Apache-2.0
//! Timing of a single-data-rate SDRAM behind the controller that Altera's system builder generates
//! (`altera_avalon_new_sdram_controller`), cycle by cycle as its state machine goes.
//!
//! Beats (transfers of the data bus's width) enter a FIFO of two, one a cycle. The state machine keeps **one** row open, for
//! one direction. It *spins* there until a beat is at the head of the FIFO: one of the same row and direction is issued, and those
//! behind it one a cycle; any other closes the row first. In cycles, `v` the first in which the beat is at the head:
//!
//! ```text
//!   same row, same direction    v look   v+1 READ or WRITE
//!   other row or direction      v look   v+1 write recovery   v+2 PRECHARGE   trp   idle, then as below
//!   no row open                 v idle   v+1 ACTIVATE   trcd   READ or WRITE
//!   after the last beat         one cycle to see that none follows (none after a lone beat that opened its row), then spin
//!   refresh, from spin          1 + 1, then as from idle
//!   refresh, from idle          1   PRECHARGE   trp   REFRESH   trfc - 1   idle
//!   read data                   READ in c: on the data bus of the master in cycle c + 2 + cas
//! ```
//!
//! A refresh is asked for at `phase`, `phase + interval`, … and is looked at while spinning, while idle, and after each command; then
//! the burst waits and its row is opened again. Writes are posted: a master is done when its last beat is in the FIFO. Reads are
//! pipelined: the next transfer may enter while the data of one is on its way.
//!
//! Deliberately lacks: initialisation after reset, and more than one chip select.

use crate::sram::beats;
use crate::Service;
use engine::{Cycle, Cycles};

/// Parameters; times in cycles of the controller, which is clocked like the base clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AvalonSdramTiming {
    /// Width of the data bus.
    pub width_bits: u32,
    /// READ command to first data.
    pub cas: u32,
    /// ACTIVATE to READ or WRITE.
    pub trcd: u32,
    /// PRECHARGE to ACTIVATE.
    pub trp: u32,
    /// Length of a refresh.
    pub trfc: u32,
    /// From one refresh to the next; 0 means never.
    pub refresh_interval: u32,
    /// Bytes of a row of one bank.
    pub row_bytes: u32,
}

/// Where the state machine is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// No row is open, from this cycle on.
    Idle(u64),
    /// The row of `open` is, from this cycle on.
    Spin(u64),
    /// It issued a command in this cycle; `popped` if the beat left the FIFO with it and not already with ACTIVATE.
    Issued { at: u64, popped: bool },
}

/// A row and the direction it is used in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Open {
    row: u32,
    write: bool,
}

/// The controller between two beats.
pub struct AvalonSdram {
    timing: AvalonSdramTiming,
    mode: Mode,
    /// What the last command was for.
    open: Open,
    /// When the next refresh is asked for.
    refresh_at: u64,
    /// When the FIFO's two places are free, the earlier one first.
    room: [u64; 2],
}

impl AvalonSdram {
    /// How long the data bus is used for `bytes` bytes at `offset`.
    pub fn beats(&self, offset: u32, bytes: u32) -> Cycles {
        Cycles(crate::sram::beats(self.timing.width_bits, offset, bytes))
    }

    /// A controller with no row open. `phase` (any number, a seed for example) places the first refresh within the interval.
    pub fn new(timing: AvalonSdramTiming, phase: u64) -> AvalonSdram {
        let refresh_at = match timing.refresh_interval {
            0 => u64::MAX,
            interval => phase % u64::from(interval),
        };
        AvalonSdram { timing, mode: Mode::Idle(0), open: Open { row: 0, write: false }, refresh_at, room: [0; 2] }
    }

    /// Transfer `bytes` bytes at `offset`, whose first beat is offered at `start`, not before what the last transfer held.
    pub fn service(&mut self, start: Cycle, offset: u32, bytes: u32, write: bool) -> Service {
        let row_bytes = self.timing.row_bytes.max(1);
        let (mut at, mut left) = (offset, bytes.max(1));
        let (mut offered, mut command) = (start.0, start.0);
        while left > 0 {
            let part = left.min(row_bytes - at % row_bytes);
            let wanted = Open { row: at / row_bytes, write };
            for _ in 0..beats(self.timing.width_bits, at, part) {
                let entered = offered.max(self.room[0]);
                command = self.issue(entered + 1, wanted);
                offered = entered + 1;
            }
            at = at.wrapping_add(part);
            left -= part;
        }
        let held = Cycles(offered - start.0);
        let answered = if write { held } else { Cycles(command + 3 + u64::from(self.timing.cas) - start.0) };
        Service { held, answered }
    }

    /// Issue the beat that is at the head of the FIFO from `visible` on; returns the cycle of its command.
    fn issue(&mut self, visible: u64, wanted: Open) -> u64 {
        let same = self.open == wanted;
        if let Mode::Issued { at, popped } = self.mode {
            // A command whose own beat is still at the head while it is issued finds "one pending": itself.
            let pending = popped || (same && visible <= at);
            if pending && self.refresh_at <= at {
                self.mode = Mode::Idle(at + if self.open.write { 2 } else { 3 });
            } else if same && visible <= at + u64::from(popped) {
                return self.command(at + 1, at + 1);
            } else {
                self.mode = Mode::Spin(at + 1 + u64::from(popped));
            }
        }
        if let Mode::Spin(since) = self.mode {
            let look = since.max(visible);
            if self.refresh_at <= look {
                self.mode = Mode::Idle(self.refresh_at.max(since) + 2);
            } else if same {
                return self.command(look + 1, look + 1);
            } else {
                self.mode = Mode::Idle(look + 3 + u64::from(self.timing.trp));
            }
        }
        let Mode::Idle(mut since) = self.mode else { unreachable!("it spins or is idle") };
        let refresh = 2 + u64::from(self.timing.trp) + u64::from(self.timing.trfc);
        while self.refresh_at <= since.max(visible) {
            // All those that are over before anybody asks leave nothing behind but the time of the last.
            let interval = u64::from(self.timing.refresh_interval);
            let more = visible.saturating_sub(self.refresh_at.max(since)).saturating_sub(2 * refresh) / interval;
            since = since.max(self.refresh_at + more * interval) + refresh;
            self.refresh_at += (more + 1) * interval;
        }
        let look = since.max(visible);
        self.open = wanted;
        self.command(look + 2 + u64::from(self.timing.trcd), look + 1)
    }

    /// The beat at the head is issued in `at` and leaves the FIFO in `leaves`.
    fn command(&mut self, at: u64, leaves: u64) -> u64 {
        self.mode = Mode::Issued { at, popped: leaves == at };
        self.room = [self.room[1], leaves + 1];
        at
    }

    /// Feed the state into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        let (mode, at) = match self.mode {
            Mode::Idle(since) => (0, since),
            Mode::Spin(since) => (1, since),
            Mode::Issued { at, popped } => (2 + u64::from(popped), at),
        };
        for word in [mode, at, u64::from(self.open.row) << 1 | u64::from(self.open.write), self.refresh_at] {
            hash(word);
        }
        self.room.iter().for_each(|&r| hash(r));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The DE2's memory at 50 MHz (reference/core-timing.md).
    const DE2: AvalonSdramTiming =
        AvalonSdramTiming { width_bits: 16, cas: 3, trcd: 1, trp: 1, trfc: 4, refresh_interval: 781, row_bytes: 512 };

    fn without_refresh() -> AvalonSdram {
        AvalonSdram::new(AvalonSdramTiming { refresh_interval: 0, ..DE2 }, 0)
    }

    fn cost(m: &mut AvalonSdram, start: u64, offset: u32, bytes: u32, write: bool) -> (u64, u64) {
        let s = m.service(Cycle(start), offset, bytes, write);
        (s.held.0, s.answered.0)
    }

    #[test]
    fn a_read_waits_for_its_data_and_holds_the_controller_until_its_last_beat_is_in() {
        let mut m = without_refresh();
        // No row open: in the FIFO 1, idle 1, ACTIVATE 1, trcd 1, then READ in cycle 4; 3 + cas more.
        assert_eq!(cost(&mut m, 0, 0, 2, false), (1, 4 + 6));
        // The row is open: in the FIFO 1, look 1, then READ in cycle 2.
        assert_eq!(cost(&mut m, 100, 2, 2, false), (1, 2 + 6));
        assert_eq!(cost(&mut m, 200, 4, 4, false), (2, 3 + 6));
        assert_eq!(cost(&mut m, 300, 0, 32, false), (17, 2 + 15 + 6));
        // Another row: look, recovery, PRECHARGE, trp: six cycles more.
        assert_eq!(cost(&mut m, 400, 512, 4, false), (2, 3 + 6 + 6));
        assert_eq!(cost(&mut m, 500, 0, 32, false), (17 + 6, 2 + 15 + 6 + 6));
    }

    #[test]
    fn a_write_is_done_when_it_is_in_the_queue_and_the_next_read_pays_for_the_turn() {
        let mut m = without_refresh();
        assert_eq!(cost(&mut m, 0, 0, 4, true), (2, 2));
        assert_eq!(cost(&mut m, 100, 0, 4, true), (2, 2));
        assert_eq!(cost(&mut m, 200, 0, 32, true), (17, 17));
        assert_eq!(cost(&mut m, 300, 0, 4, false), (2, 3 + 6 + 6), "the other direction closes the row");
        assert_eq!(cost(&mut m, 400, 0, 4, true), (2, 2), "as many as the FIFO holds are posted");
        // Right behind it: both places are taken until the row is open again.
        assert_eq!(cost(&mut m, 402, 0, 4, true), (9, 9));
    }

    /// The controller as a circuit: registers, and what they become at each clock edge.
    struct Circuit {
        t: AvalonSdramTiming,
        now: u64,
        fifo: Vec<Open>,
        active: Option<Open>,
        f_pop: bool,
        state: State,
        count: u64,
        next: State,
        refresh_at: u64,
        asked: bool,
    }

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum State {
        Idle,
        Activate,
        Wait,
        Command,
        Recover,
        Precharge,
        Refresh,
        Spin,
    }

    impl Circuit {
        fn new(t: AvalonSdramTiming, phase: u64) -> Circuit {
            let refresh_at = if t.refresh_interval == 0 { u64::MAX } else { phase % u64::from(t.refresh_interval) };
            Circuit {
                t,
                now: 0,
                fifo: Vec::new(),
                active: None,
                f_pop: false,
                state: State::Idle,
                count: 0,
                next: State::Idle,
                refresh_at,
                asked: false,
            }
        }

        fn full(&self) -> bool {
            self.fifo.len() == 2
        }

        /// One cycle with this beat offered; returns the cycle's command, if it issues one, and whether the beat was taken.
        fn step(&mut self, offered: Option<Open>) -> (bool, bool) {
            if self.now >= self.refresh_at {
                self.asked = true;
                self.refresh_at += u64::from(self.t.refresh_interval);
            }
            let (asked, head, pop) = (self.asked, self.fifo.first().copied(), self.f_pop);
            let pending = head.is_some() && head == self.active;
            let select = pop && pending;
            let takes = offered.is_some() && !self.full();
            let mut issues = false;
            self.f_pop = false;
            match self.state {
                State::Idle if asked => {
                    (self.state, self.next, self.count) = (State::Precharge, State::Refresh, u64::from(self.t.trp));
                    self.active = None;
                }
                State::Idle => {
                    if head.is_some() {
                        self.f_pop = true;
                        self.active = head;
                        self.state = State::Activate;
                    }
                }
                State::Activate => {
                    (self.state, self.next, self.count) = (State::Wait, State::Command, u64::from(self.t.trcd));
                }
                State::Wait if self.count > 1 => self.count -= 1,
                State::Wait => self.state = self.next,
                State::Command => {
                    // With the head popped and nothing behind it, this cycle issues nothing.
                    issues = pending || !pop;
                    if pending && asked {
                        let write = self.active.is_some_and(|a| a.write);
                        (self.state, self.next, self.count) = (State::Wait, State::Idle, if write { 1 } else { 2 });
                    } else if pending {
                        self.f_pop = true;
                    } else {
                        self.state = State::Spin;
                    }
                }
                State::Recover => {
                    (self.state, self.next, self.count) = (State::Precharge, State::Idle, u64::from(self.t.trp));
                }
                State::Precharge => self.state = State::Wait,
                State::Refresh => {
                    self.asked = false;
                    (self.state, self.next, self.count) = (State::Wait, State::Idle, u64::from(self.t.trfc) - 1);
                }
                State::Spin if asked => (self.state, self.next, self.count) = (State::Wait, State::Idle, 1),
                State::Spin => {
                    if pending {
                        self.f_pop = true;
                        self.state = State::Command;
                    } else if head.is_some() {
                        self.state = State::Recover;
                    }
                }
            }
            if select {
                self.fifo.remove(0);
            }
            if takes {
                self.fifo.extend(offered);
            }
            self.now += 1;
            (issues, takes)
        }
    }

    /// What the circuit does with the same transfers: (held, answered) of each.
    fn circuit(t: AvalonSdramTiming, phase: u64, transfers: &[(u64, u32, u32, bool)]) -> Vec<(u64, u64)> {
        let mut c = Circuit::new(t, phase);
        let mut issued: Vec<u64> = Vec::new();
        let (mut held, mut beats_until, mut ready) = (Vec::new(), Vec::new(), 0);
        let mut entered = 0;
        for &(gap, offset, bytes, write) in transfers {
            let start = ready + gap;
            while c.now < start {
                if c.step(None).0 {
                    issued.push(c.now - 1);
                }
            }
            let (mut at, end) = (offset, offset + bytes);
            while at < end {
                let (issues, takes) = c.step(Some(Open { row: at / t.row_bytes, write }));
                if issues {
                    issued.push(c.now - 1);
                }
                if takes {
                    at = (at + 2) & !1;
                    entered += 1;
                }
            }
            ready = c.now;
            held.push((start, ready - start));
            beats_until.push(entered);
        }
        while issued.len() < entered {
            if c.step(None).0 {
                issued.push(c.now - 1);
            }
        }
        held.iter()
            .zip(&beats_until)
            .zip(transfers)
            .map(|((&(start, held), &beats), &(.., write))| {
                let last = issued[beats - 1];
                (held, if write { held } else { last + 3 + u64::from(t.cas) - start })
            })
            .collect()
    }

    #[test]
    fn it_does_what_the_circuit_does() {
        for seed in 1..=400u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut random = |below: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % below
            };
            let t = AvalonSdramTiming {
                trcd: 1 + random(3) as u32,
                trp: 1 + random(3) as u32,
                trfc: 2 + random(6) as u32,
                refresh_interval: [0, 60, 61, 97, 781][random(5) as usize],
                ..DE2
            };
            let phase = random(1000);
            let sizes = [(1, 1), (2, 2), (4, 4), (32, 32), (16, 16), (64, 64)];
            let transfers: Vec<(u64, u32, u32, bool)> = (0..60)
                .map(|_| {
                    let (bytes, align) = sizes[random(6) as usize];
                    let gap = [0, 0, 1, random(6), random(30), random(2000)][random(6) as usize];
                    (gap, random(4096) as u32 / align * align, bytes, random(2) == 0)
                })
                .collect();
            let mut m = AvalonSdram::new(t, phase);
            let mut ready = 0;
            let model: Vec<(u64, u64)> = transfers
                .iter()
                .map(|&(gap, offset, bytes, write)| {
                    let start = ready + gap;
                    let (held, answered) = cost(&mut m, start, offset, bytes, write);
                    ready = start + held;
                    (held, answered)
                })
                .collect();
            assert_eq!(model, circuit(t, phase, &transfers), "seed {seed}: {t:?}, phase {phase}, {transfers:?}");
        }
    }

    #[test]
    fn the_phase_is_part_of_the_state() {
        let digest = |phase| {
            let mut v = Vec::new();
            AvalonSdram::new(DE2, phase).hash(&mut |w| v.push(w));
            v
        };
        assert_ne!(digest(1), digest(2));
        assert_eq!(digest(1), digest(782));
    }
}
