// SPDX-License-Identifier: Apache-2.0
//! The memory port of a core without caches on a platform whose memory answers in no time (`virt`).
//!
//! Memory is shared and every access reaches it, so only the access of the earliest hart may be answered. The owner
//! of time says until when this hart is the earliest: `ordered_until`. Before it, loads, stores and atomics are done
//! at once on the shared bytes; at or after it they suspend with [`BusOp::Order`], and are done when that is complete.
//!
//! **Why nothing of this needs an undo.** Whatever changes shared bytes, the table of reservations or the fetch
//! buffer's lines happens before `ordered_until`, when no other component can act earlier any more: it is final the
//! moment it is done. The owner therefore checkpoints when the hart reaches `ordered_until` or stops before it, and
//! what the hart does after that, until it suspends, touches its registers alone. One thing cannot suspend:
//! FENCE.I. It only moves the port to a new epoch, which hides all lines of the old one without changing them, and
//! rewinding moves back. A fill after `ordered_until` suspends as a load does, so a line never holds bytes from the wrong
//! instant.
//!
//! **Fetch.** Lines of 32 bytes in a host-side buffer, filled in no time. The hart's own stores empty the lines they
//! touch; stores of other harts are seen after FENCE.I.

use crate::backing::Backing;
use crate::outstanding::{Asked, Kind, Outstanding, Transfer};
use crate::reservations::Reservations;
use engine::{
    Access, AccessFault, AmoOp, BusOp, BusReply, BusRequest, CacheOp, Cause, Cycle, Fetch, HartMemory, MasterKind,
    Width,
};

const LINE: u32 = 32;
const SLOTS: u32 = 4096;

/// A place in the fetch buffer.
#[derive(Clone, Copy)]
struct Slot {
    /// Address of the line; held if the epoch is the port's.
    line: u32,
    version: u32,
    /// 0: empty.
    epoch: u64,
}

/// What a hart owns besides the shared memories: its fetch buffer and its suspended access.
pub struct IdealPort {
    slots: Vec<Slot>,
    bytes: Vec<u8>,
    epoch: u64,
    /// Epochs and versions never come back, so that an undone one cannot be taken for a new one.
    last_epoch: u64,
    last_version: u32,
    outstanding: Outstanding,
    /// The access that [`BusOp::Order`] was asked for, with its instant, and whether it was granted.
    order: Option<(Asked, Cycle, bool)>,
    saved: (u64, Outstanding, Option<(Asked, Cycle, bool)>),
    /// Something final was done since the checkpoint, so there is no way back to it.
    changed: bool,
    /// A store has emptied a line; see [`HartMemory::code_changed`].
    emptied: bool,
}

impl Default for IdealPort {
    fn default() -> Self {
        Self::new()
    }
}

impl IdealPort {
    /// A port with an empty fetch buffer.
    pub fn new() -> IdealPort {
        IdealPort {
            slots: vec![Slot { line: 0, version: 1, epoch: 0 }; SLOTS as usize],
            bytes: vec![0; (SLOTS * LINE) as usize],
            epoch: 1,
            last_epoch: 1,
            last_version: 1,
            outstanding: Outstanding::default(),
            order: None,
            saved: (1, Outstanding::default(), None),
            changed: false,
            emptied: false,
        }
    }

    /// Feed the fetch buffer's lines and the suspended access into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        for (index, slot) in self.slots.iter().enumerate() {
            if slot.epoch == self.epoch {
                hash(u64::from(slot.line) << 32 | index as u64);
                for part in self.line(index).chunks_exact(8) {
                    hash(part.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)));
                }
            }
        }
        self.outstanding.hash(hash);
    }

    #[inline]
    fn slot_of(addr: u32) -> usize {
        ((addr / LINE) & (SLOTS - 1)) as usize
    }

    #[inline]
    fn line(&self, slot: usize) -> &[u8] {
        &self.bytes[slot * LINE as usize..(slot + 1) * LINE as usize]
    }

    fn new_version(&mut self) -> u32 {
        self.last_version = self.last_version.checked_add(1).unwrap_or(1);
        self.last_version
    }

    /// The hart itself stores at `addr`: empty the line there.
    #[inline]
    fn snoop(&mut self, addr: u32) {
        let slot = Self::slot_of(addr);
        let held = &self.slots[slot];
        if held.line == addr & !(LINE - 1) && held.epoch == self.epoch {
            self.empty(slot);
        }
    }

    #[cold]
    fn empty(&mut self, slot: usize) {
        self.emptied = true;
        self.slots[slot] = Slot { line: 0, version: self.new_version(), epoch: 0 };
    }
}

/// An [`IdealPort`] with the shared state that it works on, for as long as the owner lends it.
pub struct IdealView<'a> {
    port: &'a mut IdealPort,
    memories: &'a mut [Backing],
    reservations: &'a mut Reservations,
    hart: usize,
    ordered_until: Cycle,
}

impl<'a> IdealView<'a> {
    /// Hart `hart`'s view. Nobody else acts before `ordered_until`, and the owner checkpoints before it lets the hart
    /// execute at or after that instant, or rewinds it.
    #[inline]
    pub fn new(
        port: &'a mut IdealPort,
        memories: &'a mut [Backing],
        reservations: &'a mut Reservations,
        hart: usize,
        ordered_until: Cycle,
    ) -> IdealView<'a> {
        IdealView { port, memories, reservations, hart, ordered_until }
    }

    /// The shared memories, to look at.
    pub fn memories(&self) -> &[Backing] {
        self.memories
    }

    /// Store bytes for the hart, which stands still. False, and nothing is stored, if they do not all lie in one memory.
    pub fn write(&mut self, addr: u32, bytes: &[u8]) -> bool {
        let inside = u32::try_from(bytes.len()).is_ok_and(|n| n == 0 || self.in_memory(addr, n));
        if inside {
            for (at, byte) in (addr..).zip(bytes) {
                self.perform(at, Kind::Store(Width::Byte, u32::from(*byte)));
            }
        }
        inside
    }

    fn in_memory(&self, addr: u32, bytes: u32) -> bool {
        self.memories.iter().any(|m| m.contains(addr, bytes))
    }

    /// Whether shared state may be touched now for `asked`. If not, the hart is suspended.
    fn ordered(&mut self, now: Cycle, asked: Asked) -> bool {
        if now < self.ordered_until || self.port.order == Some((asked, now, true)) {
            self.port.changed = true;
            return true;
        }
        self.port.order = Some((asked, now, false));
        self.port.outstanding.suspend(asked, Transfer::Order);
        false
    }

    /// An access that the fast path does not answer.
    #[cold]
    fn slow(&mut self, now: Cycle, addr: u32, kind: Kind) -> Access {
        let asked = Asked { addr, kind };
        if let Some(answer) = self.port.outstanding.consume(asked) {
            return answer;
        }
        if self.in_memory(addr, asked.bytes()) {
            let splits = matches!(kind, Kind::Load(_) | Kind::Store(..));
            if !splits && !asked.is_aligned() {
                return Access::Fault(AccessFault::Misaligned);
            }
            if !self.ordered(now, asked) {
                return Access::Pending;
            }
            return self.perform(addr, kind);
        }
        if !asked.is_aligned() {
            return Access::Fault(AccessFault::Misaligned);
        }
        self.port.outstanding.suspend(asked, Transfer::Uncached(addr))
    }

    /// Do an access to memory that is in order.
    fn perform(&mut self, addr: u32, kind: Kind) -> Access {
        let hart = self.hart;
        let Some(memory) = self.memories.iter_mut().find(|m| m.contains(addr, 1)) else {
            return Access::Fault(AccessFault::Unmapped);
        };
        match kind {
            Kind::Load(width) => Access::Done(memory.load(addr, width)),
            Kind::LoadReserved => {
                self.reservations.reserve(hart, addr);
                Access::Done(memory.load(addr, Width::Word))
            }
            Kind::Store(width, value) => {
                memory.store(addr, width, value);
                self.wrote(addr, width)
            }
            Kind::Amo(op, operand) => {
                let old = memory.load(addr, Width::Word);
                memory.store(addr, Width::Word, op.apply(old, operand));
                self.wrote(addr, Width::Word);
                Access::Done(old)
            }
            Kind::StoreConditional(value) => {
                if self.reservations.take(hart, addr) {
                    memory.store(addr, Width::Word, value);
                    self.wrote(addr, Width::Word)
                } else {
                    Access::Done(1)
                }
            }
            Kind::Fetch | Kind::Maintain(_) => Access::Done(0),
        }
    }

    /// Let those know who care for what the hart has written.
    #[inline]
    fn wrote(&mut self, addr: u32, width: Width) -> Access {
        self.reservations.stored(self.hart, addr, width.bytes());
        self.port.snoop(addr);
        if addr & (width.bytes() - 1) != 0 {
            self.port.snoop(addr.wrapping_add(width.bytes() - 1));
        }
        Access::Done(0)
    }

    #[cold]
    fn fetch_miss(&mut self, now: Cycle, pc: u32) -> Fetch {
        let line = pc & !(LINE - 1);
        if !self.in_memory(line, LINE) {
            return Fetch::Fault(AccessFault::Unmapped);
        }
        if !self.ordered(now, Asked { addr: line, kind: Kind::Fetch }) {
            return Fetch::Pending;
        }
        let slot = IdealPort::slot_of(line);
        let version = self.port.new_version();
        self.port.slots[slot] = Slot { line, version, epoch: self.port.epoch };
        let at = slot * LINE as usize;
        if let Some(memory) = self.memories.iter().find(|m| m.contains(line, LINE)) {
            memory.read(line, &mut self.port.bytes[at..at + LINE as usize]);
        }
        Fetch::Line { slot: slot as u32, version }
    }
}

impl HartMemory for IdealView<'_> {
    fn fetch_line_bytes(&self) -> u32 {
        LINE
    }

    fn fetch_slots(&self) -> u32 {
        SLOTS
    }

    #[inline]
    fn fetch(&mut self, now: Cycle, pc: u32) -> Fetch {
        let slot = IdealPort::slot_of(pc);
        let held = self.port.slots[slot];
        if held.line == pc & !(LINE - 1) && held.epoch == self.port.epoch {
            return Fetch::Line { slot: slot as u32, version: held.version };
        }
        self.fetch_miss(now, pc)
    }

    #[inline]
    fn fetch_bytes(&self, slot: u32) -> &[u8] {
        self.port.line(slot as usize)
    }

    #[inline(always)]
    fn fetch_at_once(&mut self, _now: Cycle, pc: u32) -> Option<(u32, u32)> {
        let slot = IdealPort::slot_of(pc);
        let held = self.port.slots[slot];
        let hit = held.line == pc & !(LINE - 1) && held.epoch == self.port.epoch;
        hit.then_some((slot as u32, held.version))
    }

    /// Each change of a line brings a version that was never there, each FENCE.I and its undo an epoch.
    #[inline(always)]
    fn fetch_generation(&self) -> u64 {
        self.port.epoch << 32 | u64::from(self.port.last_version)
    }

    #[inline(always)]
    fn load_in_front(&mut self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
        self.load_at_once(now, addr, width)
    }

    #[inline(always)]
    fn load_at_once(&mut self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
        if now >= self.ordered_until || addr & (width.bytes() - 1) != 0 {
            return None;
        }
        let memory = self.memories.iter().find(|m| m.contains(addr, width.bytes()))?;
        Some(memory.load(addr, width))
    }

    #[inline(always)]
    fn store_at_once(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        if now >= self.ordered_until || addr & (width.bytes() - 1) != 0 {
            return false;
        }
        let Some(memory) = self.memories.iter_mut().find(|m| m.contains(addr, width.bytes())) else { return false };
        memory.store(addr, width, value);
        self.port.changed = true;
        self.wrote(addr, width);
        true
    }

    #[inline]
    fn load(&mut self, now: Cycle, addr: u32, width: Width) -> Access {
        if now < self.ordered_until {
            if let Some(memory) = self.memories.iter().find(|m| m.contains(addr, width.bytes())) {
                return Access::Done(memory.load(addr, width));
            }
        }
        self.slow(now, addr, Kind::Load(width))
    }

    #[inline]
    fn store(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> Access {
        if now < self.ordered_until {
            if let Some(memory) = self.memories.iter_mut().find(|m| m.contains(addr, width.bytes())) {
                memory.store(addr, width, value);
                self.port.changed = true;
                return self.wrote(addr, width);
            }
        }
        self.slow(now, addr, Kind::Store(width, value))
    }

    fn amo(&mut self, now: Cycle, addr: u32, op: AmoOp, operand: u32) -> Access {
        self.slow(now, addr, Kind::Amo(op, operand))
    }

    fn load_reserved(&mut self, now: Cycle, addr: u32) -> Access {
        self.slow(now, addr, Kind::LoadReserved)
    }

    fn store_conditional(&mut self, now: Cycle, addr: u32, value: u32) -> Access {
        self.slow(now, addr, Kind::StoreConditional(value))
    }

    /// There is nothing to maintain, but there must be memory.
    fn cache_op(&mut self, _now: Cycle, addr: u32, _op: CacheOp) -> Access {
        if self.in_memory(addr, 1) {
            Access::Done(0)
        } else {
            Access::Fault(AccessFault::Unmapped)
        }
    }

    fn fence_i(&mut self, _now: Cycle) {
        self.port.last_epoch += 1;
        self.port.epoch = self.port.last_epoch;
    }

    #[inline(always)]
    fn code_changed(&mut self) -> bool {
        std::mem::take(&mut self.port.emptied)
    }

    /// Taking a request shows it to others, so it is a checkpoint.
    fn request(&mut self) -> Option<BusRequest> {
        let (asked, transfer) = self.port.outstanding.take()?;
        self.checkpoint();
        let fetch = asked.kind == Kind::Fetch;
        Some(match transfer {
            Transfer::Uncached(addr) => asked.uncached(addr),
            _ => BusRequest {
                addr: asked.addr,
                op: BusOp::Order,
                cause: if fetch { Cause::Fetch } else { Cause::Uncached },
                master: if fetch { MasterKind::Instruction } else { MasterKind::Data },
            },
        })
    }

    /// What came back is final, so this is a checkpoint, too.
    fn complete(&mut self, reply: BusReply) {
        let Some((_, transfer)) = self.port.outstanding.served() else { return };
        match (transfer, reply) {
            (Transfer::Order, _) => {
                if let Some((_, _, granted)) = &mut self.port.order {
                    *granted = true;
                }
            }
            (_, BusReply::Value(value)) => self.port.outstanding.answer(Access::Done(value)),
            (_, BusReply::Fault(fault)) => self.port.outstanding.fail(fault),
            (_, BusReply::Line(_)) => self.port.outstanding.fail(AccessFault::Refused),
        }
        self.checkpoint();
    }

    fn checkpoint(&mut self) {
        self.port.saved = (self.port.epoch, self.port.outstanding, self.port.order);
        self.port.changed = false;
    }

    fn rewind(&mut self) {
        debug_assert!(!self.port.changed, "rewound past a final access: checkpoint at ordered_until");
        (self.port.epoch, self.port.outstanding, self.port.order) = self.port.saved;
    }
}
