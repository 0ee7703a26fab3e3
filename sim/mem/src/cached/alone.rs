// SPDX-License-Identifier: Apache-2.0
//! The short way of a line between a cache and a memory that nobody else is near: its bytes move in place.
//!
//! It is taken where a miss is a victim first and then a whole line, and nothing else: the other policies go by requests.

use super::CachedPort;
use crate::backing::Backing;
use crate::cache::LineUndo;
use crate::outstanding::Transfer;
use crate::policy::{Policy, Victim};
use engine::{Bytes, Cause, HartMemory, MasterKind};

/// A line on its way between a cache and a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineMove {
    /// First byte.
    pub addr: u32,
    /// Bytes of the line.
    pub bytes: u32,
    /// To memory.
    pub write: bool,
    /// Which account its service is charged to.
    pub cause: Cause,
    /// Which master port of the hart.
    pub master: MasterKind,
}

/// A line moved ahead: what its place held, the bytes that were overwritten (of memory, if it was written back), and how long the
/// other logs were then.
pub(super) struct MoveUndo {
    what: Moved,
    place: LineUndo,
    bytes: Bytes,
    logs: (usize, usize, usize),
}

impl MoveUndo {
    /// Whether this line made room for it in the data cache.
    pub(super) fn replaced(&self, line: u32) -> bool {
        self.what == Moved::Data && self.place.tag == line
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    Written,
    Data,
    Instructions,
}

/// Whether this policy allows it.
pub(super) fn is_simple(policy: &Policy, line_bytes: [u32; 2]) -> bool {
    let whole = |burst: u32, line: u32| burst == 0 || burst == line;
    policy.victim == Victim::First
        && policy.store_buffer.depth == 0
        && policy.restart == [0, 0]
        && !policy.critical_word
        && !policy.write_through
        && whole(policy.instruction_burst, line_bytes[0])
        && whole(policy.data_burst, line_bytes[1])
}

impl CachedPort {
    /// Whether no access is suspended.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.outstanding.is_idle()
    }

    /// The line that has to be moved next for the suspended access, if that is what it waits for. It is served by
    /// [`move_line`](Self::move_line), or as any request by [`request`](HartMemory::request).
    #[inline]
    pub fn next_line(&self) -> Option<LineMove> {
        if !self.simple {
            return None;
        }
        let data = |addr, write| LineMove {
            addr,
            bytes: self.dcache.line_bytes(),
            write,
            cause: Cause::Miss,
            master: MasterKind::Data,
        };
        let (_, transfer, _) = self.outstanding.todo()?;
        let line = match transfer {
            Transfer::WriteBack(place) => data(self.dcache.tag(place as usize), true),
            Transfer::FillData(line) => {
                let place = self.dcache.victim(line);
                if self.dcache.is_dirty(place) {
                    data(self.dcache.tag(place), true)
                } else {
                    data(line, false)
                }
            }
            Transfer::FillInstruction(addr) => LineMove {
                addr,
                bytes: self.icache.line_bytes(),
                write: false,
                cause: Cause::Fetch,
                master: MasterKind::Instruction,
            },
            _ => return None,
        };
        // What others may have as well goes by requests, which are snooped.
        (self.coherent.is_none() || !self.is_snooped(line.addr)).then_some(line)
    }

    /// Move the line that [`next_line`](Self::next_line) says between the cache and the memory that holds it. As others may see it then, this
    /// is a checkpoint.
    pub fn move_line(&mut self, memory: &mut Backing) {
        let Some((_, transfer, _)) = self.outstanding.todo() else { return };
        match transfer {
            Transfer::WriteBack(place) => {
                self.write_victim(place as usize, memory);
                self.outstanding.line_moved();
            }
            Transfer::FillData(line) => {
                let place = self.dcache.victim(line);
                if self.dcache.is_dirty(place) {
                    self.write_victim(place, memory);
                } else {
                    self.unreserve(place);
                    self.dcache.replace(place);
                    memory.read(line, self.dcache.place_for(place, line));
                    self.stats.dcache_misses += 1;
                    self.outstanding.line_moved();
                }
            }
            Transfer::FillInstruction(line) => {
                let place = self.icache.victim(line);
                self.icache.replace(place);
                memory.read(line, self.icache.place_for(place, line));
                self.stats.icache_misses += 1;
                self.outstanding.line_moved();
            }
            _ => return,
        }
        self.checkpoint();
    }

    /// As [`next_line`](Self::next_line), where the move can be undone: not among ways, whose order of use moves with it.
    #[inline]
    pub fn next_line_ahead(&self) -> Option<LineMove> {
        if self.icache.is_direct() && self.dcache.is_direct() {
            return self.next_line();
        }
        None
    }

    /// Move the line that [`next_line_ahead`](Self::next_line_ahead) says. Nobody else sees that memory, and the move is undone by
    /// [`rewind_ahead`](Self::rewind_ahead) with what else has happened since the checkpoint.
    pub fn move_line_ahead(&mut self, memory: &mut Backing) {
        let Some((_, transfer, _)) = self.outstanding.todo() else { return };
        let logs = (self.stores.len(), self.data_drops.len(), self.instruction_drops.len());
        let (what, (place, bytes)) = match transfer {
            Transfer::WriteBack(place) => {
                let kept = self.write_victim_ahead(place as usize, memory);
                self.outstanding.line_moved();
                (Moved::Written, kept)
            }
            Transfer::FillData(line) => {
                let place = self.dcache.victim(line);
                if self.dcache.is_dirty(place) {
                    (Moved::Written, self.write_victim_ahead(place, memory))
                } else {
                    let kept = self.dcache.keep(place);
                    self.unreserve(place);
                    self.dcache.replace(place);
                    memory.read(line, self.dcache.place_for(place, line));
                    self.stats.dcache_misses += 1;
                    self.outstanding.line_moved();
                    (Moved::Data, kept)
                }
            }
            Transfer::FillInstruction(line) => {
                let place = self.icache.victim(line);
                let kept = self.icache.keep(place);
                self.icache.replace(place);
                memory.read(line, self.icache.place_for(place, line));
                self.stats.icache_misses += 1;
                self.outstanding.line_moved();
                (Moved::Instructions, kept)
            }
            _ => return,
        };
        self.moves.push(MoveUndo { what, place, bytes, logs });
    }

    fn write_victim_ahead(&mut self, place: usize, memory: &mut Backing) -> (LineUndo, Bytes) {
        let (kept, mut bytes) = self.dcache.keep(place);
        memory.read(self.dcache.tag(place), &mut bytes);
        self.write_victim(place, memory);
        (kept, bytes)
    }

    /// Undo the lines moved by [`move_line_ahead`](Self::move_line_ahead) since the checkpoint, and what came after the first of them;
    /// before [`rewind`](HartMemory::rewind), which undoes the rest. `write` puts bytes into memory.
    pub fn rewind_ahead(&mut self, mut write: impl FnMut(u32, &[u8])) {
        while let Some(undo) = self.moves.pop() {
            self.undo_logs(undo.logs);
            match undo.what {
                Moved::Written => {
                    write(undo.place.tag, &undo.bytes);
                    self.dcache.set_dirty(undo.place.place as usize);
                    self.stats.write_backs -= 1;
                }
                Moved::Data => {
                    self.dcache.undo_fill(undo.place, &undo.bytes);
                    self.stats.dcache_misses -= 1;
                }
                Moved::Instructions => {
                    self.icache.undo_fill(undo.place, &undo.bytes);
                    self.stats.icache_misses -= 1;
                }
            }
        }
    }

    /// Undo drops and stores down to these lengths of their logs.
    pub(super) fn undo_logs(&mut self, (stores, data_drops, instruction_drops): (usize, usize, usize)) {
        while self.instruction_drops.len() > instruction_drops {
            self.instruction_drops.pop().into_iter().for_each(|undo| self.icache.undo_drop(undo));
        }
        while self.data_drops.len() > data_drops {
            self.data_drops.pop().into_iter().for_each(|undo| self.dcache.undo_drop(undo));
        }
        while self.stores.len() > stores {
            self.stores.pop().into_iter().for_each(|undo| self.dcache.undo_store(undo));
        }
    }

    fn write_victim(&mut self, place: usize, memory: &mut Backing) {
        memory.write(self.dcache.tag(place), self.dcache.line(place));
        self.dcache.set_clean(place);
        self.stats.write_backs += 1;
    }
}
