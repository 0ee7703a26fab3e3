// SPDX-License-Identifier: Apache-2.0
//! The contracts between what executes (a hart), what holds bytes (its memory port) and what answers (a device).
//!
//! One access is either answered at once, because nobody else can see it (a cache hit), or *pending*: the hart
//! is suspended at the instruction, whoever owns time serves the port's [`BusRequest`], and the hart then executes
//! the instruction again, which is now answered at once. That is what lets an arbiter serve a later request first.
//!
//! ```text
//!   hart            port              owner of time (soc)             slave
//!    | load(a) ------>|  miss                                            |
//!    |<-- Pending ----|                                                  |
//!    |== suspended at t =======>| request() -> fill line, arrives t+r -->| queue, arbitrate
//!    |                          |<------------ served s..e --------------|
//!    |                |<-- complete(data) |  (again while request() is Some: write-back, then fill)
//!    |<===== resume at e+p =====|                                        |
//!    | load(a) ------>|  hit: Done(value)                                |
//! ```
//!
//! Deliberately lacks: any cache, device, instruction or scheduling policy.

pub use units::{Cycle, Cycles, Offset, Width};

/// Why an access cannot be made. A guest fault is a value, never a panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessFault {
    /// Nothing answers at this address.
    Unmapped,
    /// The address is not a multiple of the width and the target does not split accesses.
    Misaligned,
    /// The target exists and refuses (a write to read-only memory, an atomic to a device).
    Refused,
}

/// The answer to one access of a hart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Answered at once; the value is zero-extended, zero for stores.
    Done(u32),
    /// The hart suspends at this instruction; [`HartMemory::request`] says what must be served first.
    Pending,
    /// The access traps.
    Fault(AccessFault),
}

/// Where the instruction bytes of one fetch line are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fetch {
    /// The line is held. `slot` is small and dense (a cache-line index); `version` changes whenever the bytes in
    /// that slot may have changed, so decoded instructions are keyed by `(slot, version)`.
    Line {
        /// Index of the line's place, below [`HartMemory::fetch_slots`].
        slot: u32,
        /// Changes with each refill or invalidation of the slot; never 0.
        version: u32,
    },
    /// The hart suspends at this instruction.
    Pending,
    /// Nothing to fetch there.
    Fault(AccessFault),
}

/// Read-modify-write operations of the A extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum AmoOp {
    Swap,
    Add,
    Xor,
    And,
    Or,
    Min,
    Max,
    MinU,
    MaxU,
}

impl AmoOp {
    /// The value stored when memory holds `old` and the instruction brings `operand`.
    pub fn apply(self, old: u32, operand: u32) -> u32 {
        match self {
            AmoOp::Swap => operand,
            AmoOp::Add => old.wrapping_add(operand),
            AmoOp::Xor => old ^ operand,
            AmoOp::And => old & operand,
            AmoOp::Or => old | operand,
            AmoOp::Min => (old as i32).min(operand as i32) as u32,
            AmoOp::Max => (old as i32).max(operand as i32) as u32,
            AmoOp::MinU => old.min(operand),
            AmoOp::MaxU => old.max(operand),
        }
    }
}

/// Cache maintenance by address (Zicbom).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheOp {
    /// Write a dirty line back, keep it.
    Clean,
    /// Write a dirty line back, drop it.
    Flush,
    /// Drop the line, dirty or not.
    Invalidate,
}

/// What a prefetch prepares for (Zicbop).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefetch {
    /// Executing the line's instructions.
    Fetch,
    /// Reading the line.
    Read,
    /// Writing the line.
    Write,
}

/// The most bytes that one transfer moves: a line.
pub const MOST_BYTES: usize = 64;

/// The bytes of one transfer, held in place: a transfer allocates nothing.
#[derive(Clone, Copy)]
pub struct Bytes {
    len: u8,
    data: [u8; MOST_BYTES],
}

impl Bytes {
    /// `len` zeros.
    ///
    /// # Panics
    /// More than [`MOST_BYTES`].
    #[inline]
    pub fn zeros(len: usize) -> Bytes {
        assert!(len <= MOST_BYTES, "a transfer of {len} bytes");
        Bytes { len: len as u8, data: [0; MOST_BYTES] }
    }

    /// These bytes.
    ///
    /// # Panics
    /// More than [`MOST_BYTES`].
    #[inline]
    pub fn new(from: &[u8]) -> Bytes {
        let mut bytes = Bytes::zeros(from.len());
        // Whole lines, which are most, by a copy of constant length.
        match <&[u8; 32]>::try_from(from) {
            Ok(line) => bytes.data[..32].copy_from_slice(line),
            Err(_) => bytes.data[..from.len()].copy_from_slice(from),
        }
        bytes
    }
}

impl core::ops::Deref for Bytes {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.data[..usize::from(self.len)]
    }
}

impl core::ops::DerefMut for Bytes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.data[..usize::from(self.len)]
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(from: Vec<u8>) -> Bytes {
        Bytes::new(&from)
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl core::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        (**self).fmt(f)
    }
}

/// What a port asks of the interconnect. Addresses are physical: the bypass bit is already removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BusOp {
    /// Read `bytes` (one access or a line burst) from `addr`.
    Read {
        /// Number of bytes: 1, 2, 4 or a line.
        bytes: u32,
    },
    /// Read the line at `addr` to write to it: no other cache keeps a copy. On a coherent bus only.
    ReadOwn {
        /// Number of bytes: a line.
        bytes: u32,
    },
    /// Nothing is read: the other caches' copies of the line at `addr` go, and this one may be written to. On a coherent bus only.
    Upgrade {
        /// Number of bytes: a line.
        bytes: u32,
    },
    /// Maintain the line at `addr` in all caches. On a coherent bus only.
    Maintain {
        /// What becomes of it.
        op: CacheOp,
        /// Number of bytes: a line.
        bytes: u32,
    },
    /// Write these bytes to `addr`.
    Write {
        /// 1, 2, 4 bytes or a line.
        data: Bytes,
    },
    /// Locked read-modify-write of the word at `addr`; answered with the old word.
    Amo {
        /// The operation.
        op: AmoOp,
        /// Its register operand.
        operand: u32,
    },
    /// Read a word and reserve it for this master.
    LoadReserved,
    /// Write a word if the reservation of this master still stands; answered with 0 (stored) or 1 (not).
    StoreConditional {
        /// The word.
        value: u32,
    },
    /// No transfer: the access only has to wait until this hart is the earliest in the system.
    Order,
}

/// Why a bus request is made; the account that its service is charged to (its queueing is bus wait).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Instruction line fill.
    Fetch,
    /// Data line fill or write-back.
    Miss,
    /// Cache bypassed: uncached memory or a device.
    Uncached,
}

/// Which of a hart's two bus masters makes a request (each arbitrates on its own).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MasterKind {
    /// Instruction master.
    Instruction,
    /// Data master.
    Data,
}

/// One transfer that a suspended hart needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusRequest {
    /// Physical byte address.
    pub addr: u32,
    /// What to do there.
    pub op: BusOp,
    /// Which account its service is charged to.
    pub cause: Cause,
    /// Which master port of the hart.
    pub master: MasterKind,
}

/// What came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BusReply {
    /// A single value (reads of up to a word, atomics), zero for writes.
    Value(u32),
    /// The bytes of a burst.
    Line(Bytes),
    /// The target refused or nothing is there.
    Fault(AccessFault),
}

/// A hart's view of memory: its caches, its private memories, and what it may touch at once.
///
/// All methods are called in program order by one hart. `now` is the cycle at which the instruction executes.
/// After `Pending`, the owner calls [`request`](Self::request) and [`complete`](Self::complete) until `request` is
/// `None`; then the hart repeats the same access, which must be answered `Done` or `Fault`.
pub trait HartMemory {
    /// Each instruction is announced with [`executing`](Self::executing), and none is executed in another way than one by one.
    const WATCHED: bool = false;
    /// Bytes in a fetch line: a power of two, 4 to 64. Slots are aligned to it.
    fn fetch_line_bytes(&self) -> u32;
    /// Number of fetch slots.
    fn fetch_slots(&self) -> u32;
    /// Look up the line that holds `pc` (any halfword of it).
    fn fetch(&mut self, now: Cycle, pc: u32) -> Fetch;
    /// The bytes of a slot that [`fetch`](Self::fetch) just answered with.
    fn fetch_bytes(&self, slot: u32) -> &[u8];
    /// As [`fetch`](Self::fetch), (slot, version), if the line is held, and without any effect if it is not.
    #[inline(always)]
    fn fetch_at_once(&mut self, _now: Cycle, _pc: u32) -> Option<(u32, u32)> {
        None
    }
    /// Another number, never 0, whenever a line may be held that was not held before, or no longer; 0 if nobody counts.
    #[inline(always)]
    fn fetch_generation(&self) -> u64 {
        0
    }
    /// As [`load`](Self::load) of an aligned address, if it is answered [`Access::Done`], and without any effect if not: the short
    /// way of translated blocks, which take the long one after `None`.
    #[inline(always)]
    fn load_at_once(&mut self, _now: Cycle, _addr: u32, _width: Width) -> Option<u32> {
        None
    }
    /// As [`store`](Self::store) of an aligned address, if it is answered [`Access::Done`], and without any effect if not.
    #[inline(always)]
    fn store_at_once(&mut self, _now: Cycle, _addr: u32, _width: Width, _value: u32) -> bool {
        false
    }
    /// As [`load_at_once`](Self::load_at_once) where next to nothing has to be looked at, which may say `None` more often. What it
    /// needs beyond a few comparisons belongs there: the short way of a translated block calls nothing.
    #[inline(always)]
    fn load_in_front(&mut self, _now: Cycle, _addr: u32, _width: Width) -> Option<u32> {
        None
    }
    /// As [`store_at_once`](Self::store_at_once) where next to nothing has to be looked at, which may say `false` more often; never
    /// to code.
    #[inline(always)]
    fn store_in_front(&mut self, _now: Cycle, _addr: u32, _width: Width, _value: u32) -> bool {
        false
    }
    /// A hart is about to execute the instruction of `bytes` bytes at `pc`, or to repeat it; told only to a [`WATCHED`](Self::WATCHED)
    /// memory.
    #[inline(always)]
    fn executing(&mut self, _now: Cycle, _pc: u32, _bytes: u32) {}
    /// Load; the value is zero-extended.
    fn load(&mut self, now: Cycle, addr: u32, width: Width) -> Access;
    /// Store the low `width` of `value`.
    fn store(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> Access;
    /// Atomic read-modify-write of a word.
    fn amo(&mut self, now: Cycle, addr: u32, op: AmoOp, operand: u32) -> Access;
    /// Load-reserved of a word.
    fn load_reserved(&mut self, now: Cycle, addr: u32) -> Access;
    /// Store-conditional of a word: `Done(0)` stored, `Done(1)` not.
    fn store_conditional(&mut self, now: Cycle, addr: u32, value: u32) -> Access;
    /// Maintain the data-cache line that holds `addr`.
    fn cache_op(&mut self, now: Cycle, addr: u32, op: CacheOp) -> Access;
    /// A hint that the line of `addr` will be used; the address may be anything. The hart does not wait for it and the
    /// hint cannot fail, so a port that acts on it does so in the background, takes it back in [`rewind`](Self::rewind), and
    /// changes nothing but time. One that has no background transfers does nothing.
    fn prefetch(&mut self, _now: Cycle, _addr: u32, _what: Prefetch) {}
    /// FENCE, and the first part of FENCE.I: suspends while something that the hart stored is on its way to memory.
    #[inline]
    fn fence(&mut self, _now: Cycle) -> Access {
        Access::Done(0)
    }
    /// FENCE.I: drop every instruction line.
    fn fence_i(&mut self, now: Cycle);
    /// Whether a store or atomic of this hart has emptied a fetch line since this was asked last. The hart asks after each, so
    /// that what it executes next does not depend on whether it happens to look its line up again.
    #[inline(always)]
    fn code_changed(&mut self) -> bool {
        false
    }
    /// The same after [`store_at_once`](Self::store_at_once), for a memory whose stores of that way are never to code.
    #[inline(always)]
    fn code_changed_at_once(&mut self) -> bool {
        self.code_changed()
    }
    /// What must be served before the suspended access can be repeated; `None` when it can be repeated now.
    fn request(&mut self) -> Option<BusRequest>;
    /// The answer to the request last taken.
    fn complete(&mut self, reply: BusReply);
    /// Everything up to here is final: forget the undo log.
    fn checkpoint(&mut self);
    /// Undo all private changes since the last checkpoint, a pending request included.
    fn rewind(&mut self);
}

/// An interrupt input of a core, as `mip` bit: 3 software, 7 timer, 11 external, 16–31 direct lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Line {
    /// Index of the core.
    pub core: u16,
    /// Bit in `mip`.
    pub bit: u8,
}

/// How a program ended itself through the test finisher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// Pass.
    Pass,
    /// Fail with a code.
    Fail(u32),
    /// Reset requested.
    Reset,
}

/// What a device may do to the world, besides answering. The owner of time applies it after the call.
#[derive(Default, Debug)]
pub struct DeviceCtx {
    /// Interrupt outputs that change: (output index of the device, level, when).
    pub outputs: Vec<(u32, bool, Cycle)>,
    /// Handler addresses that change, for outputs whose core jumps there itself: (output index of the device, address, when). They are
    /// seen before outputs of the same instant.
    pub vectors: Vec<(u32, u32, Cycle)>,
    /// Call [`Mmio::wake`] at this instant (replaces an earlier wish).
    pub wake: Option<Cycle>,
    /// Bytes for the host console.
    pub console: Vec<u8>,
    /// The program ended itself.
    pub finish: Option<Finish>,
    /// Index of the core whose access this is.
    pub core: u16,
    /// What goes to the network behind a network interface; it is there in the cycle after.
    pub network: Vec<ToNetwork>,
}

/// From a network interface to its network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToNetwork {
    /// The next flit to be offered to the router. The first one, and each one after a last one, is a header.
    Flit {
        /// Contents.
        data: u32,
        /// End of packet.
        last: bool,
    },
    /// So many more flits can be received.
    Room(u32),
}

/// From a network to a network interface; what happened at an edge is there in the cycle after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FromNetwork {
    /// The router has accepted the oldest flit that was sent.
    Accepted,
    /// A flit has arrived.
    Flit {
        /// Contents.
        data: u32,
        /// End of packet.
        last: bool,
    },
}

/// A device's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Value (zero for writes) and how many cycles the device holds its slave port.
    Done(u32, Cycles),
    /// The device refuses: wrong width, no such register.
    Fault,
}

/// A memory-mapped device. It sees offsets, never its base address, and no clock but `now`.
pub trait Mmio {
    /// `now` is when the access reaches the device.
    fn read(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width) -> Reply;
    /// See [`read`](Self::read).
    fn write(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width, value: u32) -> Reply;
    /// The instant asked for with [`DeviceCtx::wake`] has come.
    fn wake(&mut self, _ctx: &mut DeviceCtx, _now: Cycle) {}
    /// Bytes typed at the host console; only consoles take them.
    fn input(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, _bytes: &[u8]) {}
    /// An interrupt input changes: what another device drives and the platform wires here.
    fn line(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, _input: u32, _level: bool) {}
    /// Something comes from the network behind a network interface.
    fn network(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, _what: FromNetwork) {}
    /// Feed all state into `hash`, in a fixed order.
    fn hash(&self, hash: &mut dyn FnMut(u64));
}
