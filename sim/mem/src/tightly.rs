// SPDX-License-Identifier: Apache-2.0
//! Tightly coupled memories: a core's own memories beside its caches, each behind a port for instructions, for data, or for both.
//!
//! They are no slaves: nobody arbitrates, nobody else has a way to them, and an access takes the core's own cycle, as a hit does.
//! So nothing of them is ever cached, and there is one copy of each byte: a store to an instruction is executed when it is
//! fetched next, with or without fence.i. What is stored is private, so it is in an undo log like that of a cache's lines.

use engine::{AccessFault, AmoOp, Width};

/// What reaches a tightly coupled memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TightPorts {
    /// Instructions can be fetched from it.
    pub instruction: bool,
    /// Loads and stores can be made there.
    pub data: bool,
}

/// A tightly coupled memory at reset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TightConfig {
    /// Address of its first byte: a multiple of 64.
    pub base: u32,
    /// What reaches it.
    pub ports: TightPorts,
    /// What it holds: a multiple of 64 bytes.
    pub bytes: Vec<u8>,
}

struct One {
    base: u32,
    ports: TightPorts,
    bytes: Vec<u8>,
    /// Fetch slot of its first line.
    first: u32,
    /// Of each fetch line, a number that changes with the bytes, and whether somebody knows it.
    versions: Vec<(u32, bool)>,
}

/// A store: which memory, index of the word, the word before.
struct Undo {
    memory: usize,
    at: usize,
    old: u32,
}

/// All tightly coupled memories of a core.
pub(crate) struct Tightly {
    all: Vec<One>,
    line_bits: u32,
    slots: u32,
    log: Vec<Undo>,
    last_version: u32,
    /// A line that had been fetched has been stored to; see `HartMemory::code_changed`.
    changed: bool,
}

impl Tightly {
    /// `line_bytes` are those of a fetch line, `slots` those that caches have.
    pub fn new(configs: Vec<TightConfig>, line_bytes: u32, slots: u32) -> Option<Box<Tightly>> {
        if configs.is_empty() {
            return None;
        }
        let mut first = slots;
        let all = configs.into_iter().map(|TightConfig { base, ports, bytes }| {
            let lines = if ports.instruction { bytes.len() as u32 / line_bytes } else { 0 };
            let one = One { base, ports, bytes, first, versions: vec![(1, false); lines as usize] };
            first += lines;
            one
        });
        let all = all.collect();
        let line_bits = line_bytes.trailing_zeros();
        Some(Box::new(Tightly { all, line_bits, slots: first, log: Vec::new(), last_version: 1, changed: false }))
    }

    /// Fetch slots, those of caches included.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    fn at(&self, addr: u32) -> Option<(usize, usize)> {
        let inside = |m: &One| ((addr.wrapping_sub(m.base)) as usize) < m.bytes.len();
        let memory = self.all.iter().position(inside)?;
        Some((memory, (addr - self.all[memory].base) as usize))
    }

    /// Slot and version of the line of an instruction, if the address is here.
    pub fn fetch(&mut self, addr: u32) -> Option<Result<(u32, u32), AccessFault>> {
        let (memory, at) = self.at(addr)?;
        let one = &mut self.all[memory];
        if !one.ports.instruction {
            return Some(Err(AccessFault::Refused));
        }
        let line = at >> self.line_bits;
        let (version, known) = &mut one.versions[line];
        *known = true;
        Some(Ok((one.first + line as u32, *version)))
    }

    /// The bytes of a slot.
    pub fn line(&self, slot: u32) -> &[u8] {
        let Some(one) = self.all.iter().find(|m| slot.wrapping_sub(m.first) < m.versions.len() as u32) else {
            return &[];
        };
        let at = ((slot - one.first) as usize) << self.line_bits;
        &one.bytes[at..at + (1 << self.line_bits)]
    }

    /// The memory and the index of a data access, if the address is here.
    pub fn data(&self, addr: u32) -> Option<Result<(usize, usize), AccessFault>> {
        let (memory, at) = self.at(addr)?;
        Some(if self.all[memory].ports.data { Ok((memory, at)) } else { Err(AccessFault::Refused) })
    }

    /// Load, aligned.
    pub fn load(&self, (memory, at): (usize, usize), width: Width) -> u32 {
        let word = self.word(memory, at & !3) >> ((at & 3) * 8);
        word & (u32::MAX >> (32 - width.bytes() * 8))
    }

    fn word(&self, memory: usize, at: usize) -> u32 {
        self.all[memory].bytes[at..].first_chunk().map_or(0, |b| u32::from_le_bytes(*b))
    }

    /// Store, aligned. Whether a line that had been fetched is another one now.
    pub fn store(&mut self, (memory, at): (usize, usize), width: Width, value: u32) -> bool {
        let word = at & !3;
        let old = self.word(memory, word);
        let shift = (at & 3) * 8;
        let mask = (u32::MAX >> (32 - width.bytes() * 8)) << shift;
        self.log.push(Undo { memory, at: word, old });
        let changed = self.set(memory, word, (old & !mask) | ((value << shift) & mask));
        self.changed |= changed;
        changed
    }

    /// Whether a store there would change a line that has been fetched.
    pub fn is_code(&self, (memory, at): (usize, usize)) -> bool {
        self.all[memory].versions.get(at >> self.line_bits).is_some_and(|(_, known)| *known)
    }

    /// Read-modify-write of an aligned word.
    pub fn amo(&mut self, place: (usize, usize), op: AmoOp, operand: u32) -> (u32, bool) {
        let old = self.load(place, Width::Word);
        (old, self.store(place, Width::Word, op.apply(old, operand)))
    }

    fn set(&mut self, memory: usize, at: usize, word: u32) -> bool {
        let one = &mut self.all[memory];
        if let Some(b) = one.bytes[at..].first_chunk_mut() {
            *b = word.to_le_bytes();
        }
        match one.versions.get_mut(at >> self.line_bits) {
            Some((version, known)) if *known => {
                self.last_version = self.last_version.checked_add(1).unwrap_or(1);
                (*version, *known) = (self.last_version, false);
                true
            }
            _ => false,
        }
    }

    /// Whether code has changed since this was asked last.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// The byte at an address that is here, whatever its ports.
    pub fn peek(&self, addr: u32) -> Option<u8> {
        self.at(addr).map(|(memory, at)| self.all[memory].bytes[at])
    }

    pub fn checkpoint(&mut self) {
        self.log.clear();
    }

    /// Undo what has been stored since the checkpoint. Whether a line that had been fetched is another one now.
    pub fn rewind(&mut self) -> bool {
        let mut changed = false;
        while let Some(Undo { memory, at, old }) = self.log.pop() {
            changed |= self.set(memory, at, old);
        }
        self.changed = false;
        changed
    }

    /// Feed the bytes into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for part in self.all.iter().flat_map(|m| m.bytes.chunks_exact(8)) {
            hash(part.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)));
        }
    }
}
