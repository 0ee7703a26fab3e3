// SPDX-License-Identifier: Apache-2.0
//! What a hart writes down about itself: records of its traps and sleeps, and of the probes it passes.
//!
//! A probe's record carries the instant at which the instruction before it completed, and the accounts of that instant:
//! what its own instruction waits for belongs to the segment that the probe begins. Its operands are what registers and memory
//! held before the instruction executed. It exists only if the instruction retires.

use trace::{Accounts, ArgType, Operand, Probe, Record};
use units::Cycle;

/// Look at a byte as the hart's own loads would see it, without time passing and without any effect.
pub trait Peek {
    /// The byte at `addr`, 0 where there is nothing.
    fn peek(&self, addr: u32) -> u8;
}

/// A string that does not end is cut here.
const LONGEST_STRING: u32 = 256;

pub(crate) fn peek_word(mem: &impl Peek, addr: u32) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|i| mem.peek(addr.wrapping_add(i))))
}

fn peek_string(mem: &impl Peek, addr: u32) -> String {
    let bytes: Vec<u8> = (0..LONGEST_STRING).map(|i| mem.peek(addr.wrapping_add(i))).take_while(|b| *b != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The probes of an image, by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sites {
    /// By address; probes at one address stay in the order of their section.
    probes: Vec<(Probe, Vec<ArgType>)>,
}

impl Sites {
    pub fn new(mut probes: Vec<Probe>) -> Sites {
        probes.sort_by_key(|p| p.addr);
        let types = |p: &Probe| -> Vec<ArgType> {
            let kind = trace::schema().by_kind(p.kind);
            kind.map_or_else(Vec::new, |k| k.args.iter().map(|a| a.1).collect())
        };
        Sites {
            probes: probes
                .into_iter()
                .map(|p| {
                    let t = types(&p);
                    (p, t)
                })
                .collect(),
        }
    }

    fn first(&self, pc: u32) -> usize {
        self.probes.partition_point(|(p, _)| p.addr < pc)
    }

    /// Whether a probe looks at `pc`.
    pub fn has(&self, pc: u32) -> bool {
        self.probes.get(self.first(pc)).is_some_and(|(p, _)| p.addr == pc)
    }
}

/// What has been written down since the owner last took it.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    core: u16,
    pub sites: Sites,
    pub records: Vec<Record>,
    pub strings: Vec<String>,
    saved_records: usize,
    saved_strings: usize,
    /// Lengths before the probes of the instruction that is being executed.
    before: (usize, usize),
}

impl Recorder {
    pub fn new(core: u16, probes: Vec<Probe>) -> Recorder {
        Recorder {
            core,
            sites: Sites::new(probes),
            records: Vec::new(),
            strings: Vec::new(),
            saved_records: 0,
            saved_strings: 0,
            before: (0, 0),
        }
    }

    pub fn push(&mut self, kind: u16, now: u64, args: [u32; 5], accounts: &Accounts) {
        self.records.push(Record { cycle: Cycle(now), kind, core: self.core, args, accounts: *accounts });
    }

    fn string(&mut self, text: String) -> u32 {
        if let Some(i) = self.strings.iter().position(|s| *s == text) {
            return i as u32;
        }
        self.strings.push(text);
        self.strings.len() as u32 - 1
    }

    /// Record the probes at `pc`, whose instruction is about to execute.
    pub fn probe(&mut self, mem: &impl Peek, pc: u32, x: &[u32], stamp: u64, accounts: &Accounts) {
        self.before = (self.records.len(), self.strings.len());
        let mut i = self.sites.first(pc);
        while let Some((probe, types)) = self.sites.probes.get(i).filter(|(p, _)| p.addr == pc) {
            let mut args = [0u32; 5];
            let mut texts: [Option<String>; 5] = Default::default();
            for (n, operand) in probe.operands.iter().take(5).enumerate() {
                args[n] = match *operand {
                    Operand::Imm(v) => v as u32,
                    Operand::Reg(r) => x[usize::from(r)],
                    Operand::Mem { base, offset } => peek_word(mem, x[usize::from(base)].wrapping_add(offset as u32)),
                };
                if types.get(n) == Some(&ArgType::Str) {
                    texts[n] = Some(peek_string(mem, args[n]));
                }
            }
            let kind = probe.kind;
            for (arg, text) in args.iter_mut().zip(texts) {
                if let Some(text) = text {
                    *arg = self.string(text);
                }
            }
            self.push(kind, stamp, args, accounts);
            i += 1;
        }
    }

    /// The instruction whose probes were recorded last did not retire.
    pub fn discard(&mut self) {
        self.records.truncate(self.before.0);
        self.strings.truncate(self.before.1);
    }

    pub fn checkpoint(&mut self) {
        self.saved_records = self.records.len();
        self.saved_strings = self.strings.len();
    }

    pub fn rewind(&mut self) {
        self.records.truncate(self.saved_records);
        self.strings.truncate(self.saved_strings);
    }

    pub fn take(&mut self) -> Vec<Record> {
        let kept = self.records.split_off(self.saved_records);
        self.saved_records = 0;
        std::mem::replace(&mut self.records, kept)
    }
}
