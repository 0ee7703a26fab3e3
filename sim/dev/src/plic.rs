// SPDX-License-Identifier: Apache-2.0
//! Platform-level interrupt controller.

use crate::drive;
use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};

const PENDING: u32 = 0x1000;
const ENABLE: u32 = 0x2000;
const ENABLE_STRIDE: u32 = 0x80;
const CONTEXT: u32 = 0x20_0000;
const CONTEXT_STRIDE: u32 = 0x1000;
const SIZE: u32 = 0x60_0000;

/// Sources whose bits fit the pending area; the specification's limit.
const SOURCES_MAX: u32 = 1023;

/// A source with its gateway, which is level-sensitive: it hands on one request at a time, and the next one only after the
/// completion of the first.
#[derive(Clone, Default)]
struct Source {
    level: bool,
    priority: u32,
    /// The gateway's request has been accepted and not been claimed.
    pending: bool,
    /// Claimed and not completed: the gateway is closed.
    claimed: bool,
}

#[derive(Clone)]
struct Context {
    /// Bit n of word w: source 32 w + n.
    enable: Vec<u32>,
    threshold: u32,
    output: bool,
}

/// SiFive's platform-level interrupt controller, as on QEMU's `virt`.
///
/// Register map (RISC-V Platform-Level Interrupt Controller Specification 1.0.0; sizes as QEMU 7.2 `hw/riscv/virt.c`): `0x0 + 4*s`
/// priority of source s, `0x1000` pending bits, `0x2000 + 0x80*c` enable bits of context c, `0x200000 + 0x1000*c` threshold
/// and, 4 after it, claim and complete. Words. Source 0 does not exist: its bits and its priority read zero. Other words read
/// zero and ignore writes; accesses of other widths are refused.
///
/// A source is pending from the instant its line is high and its gateway open; a line that goes low again does not take the
/// request back. Completion opens the gateway, and a line that is still high makes the source pending again at once. A
/// context's output is high while an enabled source is pending whose priority is above the threshold. A claim gives the
/// pending, enabled source of the highest priority, the lowest number among equals, whatever the threshold is. A completion
/// counts from any context, as in QEMU; the specification ignores it where the source is not enabled.
///
/// Inputs: the number of the source. Outputs: the number of the context.
pub struct Plic {
    sources: Vec<Source>,
    contexts: Vec<Context>,
    priority_mask: u32,
}

impl Plic {
    /// With sources 1 to `sources`, and priorities 0 to `priorities`, which is one below a power of two.
    pub fn new(sources: u32, contexts: usize, priorities: u32) -> Plic {
        let count = sources.min(SOURCES_MAX) as usize + 1;
        let context = Context { enable: vec![0; count.div_ceil(32)], threshold: 0, output: false };
        Plic {
            sources: vec![Source::default(); count],
            contexts: vec![context; contexts],
            priority_mask: (priorities + 1).next_power_of_two() - 1,
        }
    }

    /// Bits of a word of sources that stand for one that exists.
    fn existing(&self, word: usize) -> u32 {
        let count = self.sources.len() - word * 32;
        let mask = if count >= 32 { !0 } else { (1 << count) - 1 };
        if word == 0 {
            mask & !1
        } else {
            mask
        }
    }

    fn pending_word(&self, word: usize) -> u32 {
        let bits = self.sources.iter().skip(word * 32).take(32).enumerate();
        bits.fold(0, |w, (n, s)| w | u32::from(s.pending) << n)
    }

    /// The source that a claim in this context would give, with its priority.
    fn best(&self, context: &Context) -> Option<(usize, u32)> {
        let mut best: Option<(usize, u32)> = None;
        for (number, source) in self.sources.iter().enumerate() {
            let enabled = context.enable[number / 32] >> (number % 32) & 1 != 0;
            if source.pending && enabled && source.priority > best.map_or(0, |b| b.1) {
                best = Some((number, source.priority));
            }
        }
        best
    }

    fn update(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        for index in 0..self.contexts.len() {
            let context = &self.contexts[index];
            let high = self.best(context).is_some_and(|(_, priority)| priority > context.threshold);
            drive(ctx, index as u32, &mut self.contexts[index].output, high, now);
        }
    }

    fn claim(&mut self, context: usize) -> u32 {
        let Some((number, _)) = self.best(&self.contexts[context]) else { return 0 };
        self.sources[number].pending = false;
        self.sources[number].claimed = true;
        number as u32
    }

    fn complete(&mut self, number: u32) {
        if let Some(source) = self.sources.get_mut(number as usize) {
            source.claimed = false;
            source.pending |= source.level;
        }
    }
}

/// The register at an offset.
enum Register {
    Priority(usize),
    /// Number of the word.
    Pending(usize),
    /// Context, and number of the word.
    Enable(usize, usize),
    Threshold(usize),
    Claim(usize),
    Reserved,
}

impl Plic {
    fn register(&self, off: u32, width: Width) -> Option<Register> {
        if width != Width::Word || off % 4 != 0 || off >= SIZE {
            return None;
        }
        let words = self.sources.len().div_ceil(32);
        Some(match off {
            ..PENDING if off != 0 && ((off / 4) as usize) < self.sources.len() => {
                Register::Priority((off / 4) as usize)
            }
            PENDING..ENABLE if (((off - PENDING) / 4) as usize) < words => {
                Register::Pending(((off - PENDING) / 4) as usize)
            }
            ENABLE..CONTEXT => {
                let context = ((off - ENABLE) / ENABLE_STRIDE) as usize;
                let word = ((off - ENABLE) % ENABLE_STRIDE / 4) as usize;
                if context < self.contexts.len() && word < words {
                    Register::Enable(context, word)
                } else {
                    Register::Reserved
                }
            }
            CONTEXT.. => {
                let context = ((off - CONTEXT) / CONTEXT_STRIDE) as usize;
                match (off - CONTEXT) % CONTEXT_STRIDE {
                    0 if context < self.contexts.len() => Register::Threshold(context),
                    4 if context < self.contexts.len() => Register::Claim(context),
                    _ => Register::Reserved,
                }
            }
            _ => Register::Reserved,
        })
    }
}

impl Mmio for Plic {
    fn read(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width) -> Reply {
        let value = match self.register(off.0, width) {
            None => return Reply::Fault,
            Some(Register::Priority(source)) => self.sources[source].priority,
            Some(Register::Pending(word)) => self.pending_word(word),
            Some(Register::Enable(context, word)) => self.contexts[context].enable[word],
            Some(Register::Threshold(context)) => self.contexts[context].threshold,
            Some(Register::Claim(context)) => {
                let claimed = self.claim(context);
                self.update(ctx, now);
                claimed
            }
            Some(Register::Reserved) => 0,
        };
        Reply::Done(value, Cycles(0))
    }

    fn write(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width, value: u32) -> Reply {
        match self.register(off.0, width) {
            None => return Reply::Fault,
            Some(Register::Priority(source)) => self.sources[source].priority = value & self.priority_mask,
            Some(Register::Enable(context, word)) => {
                self.contexts[context].enable[word] = value & self.existing(word);
            }
            Some(Register::Threshold(context)) => self.contexts[context].threshold = value & self.priority_mask,
            Some(Register::Claim(_)) => self.complete(value),
            Some(Register::Pending(_) | Register::Reserved) => {}
        }
        self.update(ctx, now);
        Reply::Done(0, Cycles(0))
    }

    fn line(&mut self, ctx: &mut DeviceCtx, now: Cycle, input: u32, level: bool) {
        let Some(source) = self.sources.get_mut(input as usize).filter(|_| input != 0) else { return };
        source.level = level;
        source.pending |= level && !source.claimed;
        self.update(ctx, now);
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for s in &self.sources {
            let flags = u64::from(s.level) | u64::from(s.pending) << 1 | u64::from(s.claimed) << 2;
            hash(flags | u64::from(s.priority) << 8);
        }
        for c in &self.contexts {
            hash(u64::from(c.threshold) << 1 | u64::from(c.output));
            c.enable.iter().for_each(|w| hash(u64::from(*w)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    const CLAIM: u32 = CONTEXT + 4;

    /// As on `virt` with two harts: contexts 0 and 2 are machine mode.
    fn plic() -> Bench<Plic> {
        Bench::new(Plic::new(95, 4, 7))
    }

    fn enable(b: &mut Bench<Plic>, now: u64, context: u32, source: u32, priority: u32) {
        b.write(now, 4 * source, Word, priority);
        let word = ENABLE + ENABLE_STRIDE * context + source / 32 * 4;
        let bits = b.read(now, word, Word);
        b.write(now, word, Word, bits | 1 << (source % 32));
    }

    fn claim(b: &mut Bench<Plic>, now: u64, context: u32) -> u32 {
        b.read(now, CLAIM + CONTEXT_STRIDE * context, Word)
    }

    fn complete(b: &mut Bench<Plic>, now: u64, context: u32, source: u32) {
        b.write(now, CLAIM + CONTEXT_STRIDE * context, Word, source);
    }

    #[test]
    fn registers_hold_what_exists() {
        let mut b = plic();
        for (off, written, read) in [
            (0, 7, 0),
            (4, 0xff, 7),
            (4 * 95, 5, 5),
            (4 * 96, 5, 0),
            (0xffc, 5, 0),
            (PENDING, !0, 0),
            (PENDING + 12, !0, 0),
            (ENABLE, !0, !1),
            (ENABLE + 8, !0, !0),
            (ENABLE + 12, !0, 0),
            (ENABLE + 3 * ENABLE_STRIDE, !0, !1),
            (ENABLE + 4 * ENABLE_STRIDE, !0, 0),
            (CONTEXT, 0x1a, 2),
            (CONTEXT + 8, 1, 0),
            (CONTEXT + 3 * CONTEXT_STRIDE, 3, 3),
            (CONTEXT + 4 * CONTEXT_STRIDE, 3, 0),
            (SIZE - 4, 1, 0),
        ] {
            b.write(0, off, Word, written);
            assert_eq!(b.read(0, off, Word), read, "{off:#x}");
        }
        assert_eq!(b.try_read(0, 4, Byte), Reply::Fault);
        assert_eq!(b.try_write(0, 4, Half, 1), Reply::Fault);
        assert_eq!(b.try_read(0, 6, Word), Reply::Fault);
        assert_eq!(b.try_read(0, SIZE, Word), Reply::Fault);
        // 33 sources and number 0: the second word has two bits.
        let mut b = Bench::new(Plic::new(33, 1, 7));
        b.write(0, ENABLE + 4, Word, !0);
        assert_eq!(b.read(0, ENABLE + 4, Word), 3);
    }

    #[test]
    fn a_request_reaches_the_contexts_that_enable_it_in_the_same_cycle() {
        let mut b = plic();
        enable(&mut b, 1, 0, 10, 1);
        enable(&mut b, 2, 2, 10, 1);
        b.line(5, 10, true);
        assert_eq!(b.changes, [(5, 0, true), (5, 2, true)]);
        assert_eq!(b.read(6, PENDING, Word), 1 << 10);
        // Who claims first has it; the other finds nothing.
        assert_eq!(claim(&mut b, 7, 2), 10);
        assert_eq!(claim(&mut b, 8, 0), 0);
        assert_eq!(b.read(8, PENDING, Word), 0);
        b.line(9, 10, false);
        complete(&mut b, 10, 2, 10);
        assert_eq!(b.changes[2..], [(7, 0, false), (7, 2, false)]);
    }

    #[test]
    fn the_gateway_is_closed_from_claim_to_completion() {
        let mut b = plic();
        enable(&mut b, 0, 0, 10, 1);
        b.line(1, 10, true);
        assert_eq!(claim(&mut b, 2, 0), 10);
        b.line(3, 10, false);
        b.line(4, 10, true);
        assert_eq!(claim(&mut b, 5, 0), 0);
        // Still high: pending again in the cycle of the completion.
        complete(&mut b, 6, 0, 10);
        assert_eq!(b.changes, [(1, 0, true), (2, 0, false), (6, 0, true)]);
        assert_eq!(claim(&mut b, 7, 0), 10);
        b.line(8, 10, false);
        complete(&mut b, 9, 0, 10);
        assert!(!b.level(0));
        assert_eq!(claim(&mut b, 10, 0), 0);
    }

    #[test]
    fn a_request_is_not_taken_back() {
        let mut b = plic();
        enable(&mut b, 0, 0, 10, 1);
        b.line(1, 10, true);
        b.line(2, 10, false);
        assert!(b.level(0));
        assert_eq!(claim(&mut b, 3, 0), 10);
        complete(&mut b, 4, 0, 10);
        assert!(!b.level(0));
        assert_eq!(claim(&mut b, 5, 0), 0);
    }

    #[test]
    fn priority_decides_and_the_lowest_number_among_equals() {
        let mut b = plic();
        for (source, priority) in [(40, 3), (7, 2), (8, 3), (95, 7), (3, 0)] {
            enable(&mut b, 0, 0, source, priority);
            b.line(0, source, true);
        }
        let order: Vec<u32> = (0..5).map(|_| claim(&mut b, 1, 0)).collect();
        assert_eq!(order, [95, 8, 40, 7, 0]); // priority 0 never interrupts
        assert_eq!(b.read(2, PENDING, Word), 1 << 3);
    }

    #[test]
    fn the_threshold_masks_the_output_and_not_the_claim() {
        let mut b = plic();
        enable(&mut b, 0, 0, 10, 3);
        b.write(1, CONTEXT, Word, 3);
        b.line(2, 10, true);
        assert!(!b.level(0));
        b.write(3, CONTEXT, Word, 2);
        assert!(b.level(0));
        b.write(4, CONTEXT, Word, 7);
        assert_eq!(b.changes, [(3, 0, true), (4, 0, false)]);
        assert_eq!(claim(&mut b, 5, 0), 10);
    }

    #[test]
    fn enable_and_priority_act_at_once() {
        let mut b = plic();
        b.line(1, 33, true);
        assert_eq!(b.read(2, PENDING + 4, Word), 2);
        enable(&mut b, 3, 2, 33, 1);
        b.write(4, 4 * 33, Word, 0);
        b.write(5, 4 * 33, Word, 1);
        b.write(6, ENABLE + 2 * ENABLE_STRIDE + 4, Word, 0);
        assert_eq!(b.changes, [(3, 2, true), (4, 2, false), (5, 2, true), (6, 2, false)]);
    }

    #[test]
    fn completions_of_nothing_and_lines_of_nothing_change_nothing() {
        let mut b = plic();
        enable(&mut b, 0, 0, 10, 1);
        for number in [0, 10, 96, !0] {
            complete(&mut b, 1, 0, number);
        }
        b.line(2, 0, true);
        b.line(2, 96, true);
        assert_eq!((b.read(3, PENDING, Word), b.read(3, PENDING + 8, Word)), (0, 0));
        assert!(b.changes.is_empty());
    }

    #[test]
    fn the_hash_sees_the_gateway() {
        let (mut a, mut b) = (plic(), plic());
        assert_eq!(a.digest(), b.digest());
        a.line(0, 10, true);
        assert_ne!(a.digest(), b.digest());
        b.line(0, 10, true);
        assert_eq!(a.digest(), b.digest());
    }
}
