// SPDX-License-Identifier: Apache-2.0
//! A core's memory as its hart is given it for one run: the port, plus what the hart's recorder needs to look at bytes
//! without touching them.

use engine::{Access, AmoOp, BusReply, BusRequest, CacheOp, Cycle, Fetch, HartMemory, Width};
use hart::Peek;
use mem::{Backing, CachedPort, IdealView, L2};

/// The memories that a core sees, behind their second-level caches.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    memories: &'a [Backing],
    l2s: &'a [Option<L2>],
    owners: &'a [Option<usize>],
    core: usize,
}

impl<'a> Seen<'a> {
    pub fn new(memories: &'a [Backing], l2s: &'a [Option<L2>], owners: &'a [Option<usize>], core: usize) -> Seen<'a> {
        Seen { memories, l2s, owners, core }
    }

    fn find(self, addr: u32) -> Option<usize> {
        let mut all = self.memories.iter().zip(self.owners);
        all.position(|(m, own)| own.is_none_or(|own| own == self.core) && m.contains(addr, 1))
    }
}

pub(crate) fn peek_memories(seen: Seen, addr: u32) -> Option<u8> {
    let index = seen.find(addr)?;
    let mut byte = [0u8];
    match &seen.l2s[index] {
        Some(l2) => l2.read(&seen.memories[index], addr, &mut byte),
        None => seen.memories[index].read(addr, &mut byte),
    }
    Some(byte[0])
}

/// Memories that all cores see: ideal ports have no others.
fn peek_shared(memories: &[Backing], addr: u32) -> Option<u8> {
    let mut byte = [0u8];
    memories.iter().find(|m| m.contains(addr, 1))?.read(addr, &mut byte);
    Some(byte[0])
}

/// What a core with caches sees at `addr`.
pub(crate) fn peek_cached(port: &CachedPort, memories: Seen, addr: u32) -> Option<u8> {
    let physical = port.physical(addr);
    if let Some(byte) = port.peek_tight(physical) {
        return Some(byte);
    }
    if physical == addr {
        if let Some(byte) = port.peek(addr) {
            return Some(byte);
        }
    }
    if let Some(byte) = port.peek_buffered(physical) {
        return Some(byte);
    }
    peek_memories(memories, physical)
}

/// The port of a core with caches.
pub(crate) struct CachedSeen<'a> {
    pub port: &'a mut CachedPort,
    pub memories: Seen<'a>,
}

impl Peek for CachedSeen<'_> {
    fn peek(&self, addr: u32) -> u8 {
        peek_cached(self.port, self.memories, addr).unwrap_or(0)
    }
}

/// The port of a core with caches whose hart writes nothing down, and so looks at nothing.
pub(crate) struct Unseen<'a>(pub &'a mut CachedPort);

impl Peek for Unseen<'_> {
    fn peek(&self, _addr: u32) -> u8 {
        0
    }
}

/// The port of a core without caches, on shared memory.
pub(crate) struct IdealSeen<'a>(pub IdealView<'a>);

impl Peek for IdealSeen<'_> {
    fn peek(&self, addr: u32) -> u8 {
        peek_shared(self.0.memories(), addr).unwrap_or(0)
    }
}

/// Forward every call to the port that is wrapped.
macro_rules! forward {
    ($type:ty, $self:ident => $port:expr) => {
        impl HartMemory for $type {
            #[inline(always)]
            fn fetch_line_bytes(&$self) -> u32 {
                $port.fetch_line_bytes()
            }
            #[inline(always)]
            fn fetch_slots(&$self) -> u32 {
                $port.fetch_slots()
            }
            #[inline(always)]
            fn fetch(&mut $self, now: Cycle, pc: u32) -> Fetch {
                $port.fetch(now, pc)
            }
            #[inline(always)]
            fn fetch_bytes(&$self, slot: u32) -> &[u8] {
                $port.fetch_bytes(slot)
            }
            #[inline(always)]
            fn fetch_at_once(&mut $self, now: Cycle, pc: u32) -> Option<(u32, u32)> {
                $port.fetch_at_once(now, pc)
            }
            #[inline(always)]
            fn fetch_generation(&$self) -> u64 {
                $port.fetch_generation()
            }
            #[inline(always)]
            fn load_in_front(&mut $self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
                $port.load_in_front(now, addr, width)
            }
            #[inline(always)]
            fn store_in_front(&mut $self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
                $port.store_in_front(now, addr, width, value)
            }
            #[inline(always)]
            fn load_at_once(&mut $self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
                $port.load_at_once(now, addr, width)
            }
            #[inline(always)]
            fn store_at_once(&mut $self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
                $port.store_at_once(now, addr, width, value)
            }
            #[inline(always)]
            fn load(&mut $self, now: Cycle, addr: u32, width: Width) -> Access {
                $port.load(now, addr, width)
            }
            #[inline(always)]
            fn store(&mut $self, now: Cycle, addr: u32, width: Width, value: u32) -> Access {
                $port.store(now, addr, width, value)
            }
            fn amo(&mut $self, now: Cycle, addr: u32, op: AmoOp, operand: u32) -> Access {
                $port.amo(now, addr, op, operand)
            }
            fn load_reserved(&mut $self, now: Cycle, addr: u32) -> Access {
                $port.load_reserved(now, addr)
            }
            fn store_conditional(&mut $self, now: Cycle, addr: u32, value: u32) -> Access {
                $port.store_conditional(now, addr, value)
            }
            fn cache_op(&mut $self, now: Cycle, addr: u32, op: CacheOp) -> Access {
                $port.cache_op(now, addr, op)
            }
            fn fence(&mut $self, now: Cycle) -> Access {
                $port.fence(now)
            }
            fn fence_i(&mut $self, now: Cycle) {
                $port.fence_i(now)
            }
            #[inline(always)]
            fn code_changed(&mut $self) -> bool {
                $port.code_changed()
            }
            #[inline(always)]
            fn code_changed_at_once(&mut $self) -> bool {
                $port.code_changed_at_once()
            }
            fn request(&mut $self) -> Option<BusRequest> {
                $port.request()
            }
            fn complete(&mut $self, reply: BusReply) {
                $port.complete(reply)
            }
            fn checkpoint(&mut $self) {
                $port.checkpoint()
            }
            fn rewind(&mut $self) {
                $port.rewind()
            }
        }
    };
}

forward!(CachedSeen<'_>, self => self.port);
forward!(Unseen<'_>, self => self.0);
forward!(IdealSeen<'_>, self => self.0);
