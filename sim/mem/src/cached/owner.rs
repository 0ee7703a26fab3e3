// SPDX-License-Identifier: Apache-2.0
//! What the owner of time asks of a [`CachedPort`], besides serving its requests.

use super::{CachedPort, Reservation};
use crate::outstanding::{Kind, Transfer};
use crate::policy::{AskedAccess, CacheStats, Serving, Victim};
use engine::{BusOp, BusRequest, Bytes, Cause, Cycle, Cycles, MasterKind, Width};

impl CachedPort {
    /// The byte at `addr` as the data cache has it; `None` when it is not there and memory is to be asked. Changes
    /// nothing.
    pub fn peek(&self, addr: u32) -> Option<u8> {
        if let Some(place) = self.dcache.place_of(addr) {
            return Some(self.dcache.read(self.dcache.at(place, addr), Width::Byte) as u8);
        }
        // On its way to memory.
        let aside = self.aside.as_ref().filter(|a| a.line == self.dcache.line_of(addr) && !a.taken)?;
        Some(aside.bytes[(addr - aside.line) as usize])
    }

    /// The byte of a tightly coupled memory at a physical address.
    pub fn peek_tight(&self, addr: u32) -> Option<u8> {
        self.tightly.as_ref()?.peek(addr)
    }

    /// The physical address of a data address.
    pub fn physical(&self, addr: u32) -> u32 {
        addr & !self.bypass_mask
    }

    /// Counts since reset. They are final: what is undone is not counted.
    pub fn stats(&self) -> CacheStats {
        self.stats
    }

    /// Feed all state into `hash`.
    pub fn hash(&self, hash: &mut dyn FnMut(u64)) {
        self.icache.hash(hash);
        self.dcache.hash(hash);
        if let Some(tightly) = &self.tightly {
            tightly.hash(hash);
        }
        hash(match self.reservation {
            Reservation::None => 0,
            Reservation::Cached(word) => 1 << 32 | u64::from(word),
            Reservation::Bus(word) => 2 << 32 | u64::from(word),
        });
        self.outstanding.hash(hash);
        if self.outstanding.moved() != 0 {
            self.filling.iter().for_each(|b| hash(u64::from(*b)));
            hash(self.place as u64);
        }
        if let Some(aside) = &self.aside {
            hash(u64::from(aside.line) << 2 | u64::from(aside.taken) << 1 | u64::from(aside.posted));
            aside.bytes.iter().for_each(|b| hash(u64::from(*b)));
        }
        self.buffer.hash(hash);
        if let Some((line, at)) = self.arriving {
            hash(u64::from(line));
            hash(at.0);
        }
    }

    /// What the request being served is for.
    pub fn serving(&self) -> Option<Serving> {
        self.outstanding.taken().map(|(_, transfer)| match transfer {
            Transfer::FillData(_) => Serving::Fill,
            Transfer::FillInstruction(_) => Serving::FillInstruction,
            Transfer::WriteBack(_) | Transfer::WriteAside => Serving::WriteBack,
            Transfer::Through(_) | Transfer::Uncached(_) => Serving::Direct,
            Transfer::Upgrade(_) => Serving::Upgrade,
            Transfer::Maintain(..) => Serving::Maintain,
            Transfer::Order => Serving::Order,
        })
    }

    /// The access that the request being served is for.
    pub fn asked(&self) -> Option<AskedAccess> {
        self.outstanding.taken().map(|(asked, _)| AskedAccess {
            addr: asked.addr,
            bytes: asked.bytes(),
            loads: matches!(asked.kind, Kind::Load(_) | Kind::LoadReserved | Kind::Amo(..)),
            stores: asked.stores(),
        })
    }

    /// Whether the next access is a repetition whose answer has come.
    pub fn is_answered(&self) -> bool {
        self.outstanding.answered().is_some()
    }

    /// The answer that waits for the repetition of the access, if it is a value.
    pub fn answer(&self) -> Option<u32> {
        self.outstanding.answer_value()
    }

    /// Whether the data cache holds the line of an address as the hart uses it.
    pub fn holds(&self, addr: u32) -> bool {
        self.dcache.holds(addr)
    }

    /// The line that holds `addr`, with the bypass bit or without, and its length, if it is dirty.
    pub fn dirty_line(&self, addr: u32) -> Option<(u32, u32)> {
        let place = self.dcache.place_of(self.physical(addr)).filter(|p| self.dcache.is_dirty(*p))?;
        Some((self.dcache.tag(place), self.dcache.line_bytes()))
    }

    /// Whether the suspended hart waits for something that has not been asked for.
    pub fn asks_more(&self) -> bool {
        self.outstanding.todo().is_some()
    }

    /// Whether what the suspended hart waits for needs its data master.
    pub fn needs_data_master(&self) -> bool {
        self.outstanding.todo().is_some_and(|(asked, ..)| asked.kind != Kind::Fetch)
    }

    /// Whether the request being served is all that the hart waits for, and it goes on as soon as its word is there.
    pub fn goes_on_early(&self) -> bool {
        let Some((asked, Transfer::FillData(_))) = self.outstanding.taken() else { return false };
        let more =
            asked.stores() && self.policy.write_through || self.policy.victim == Victim::After && self.aside.is_some();
        self.policy.critical_word && !more
    }

    /// What the core adds when the request being served brings a line that it waits for, from its arrival on.
    pub fn restart(&self) -> Cycles {
        let moved = self.outstanding.moved();
        let cycles = match self.outstanding.taken() {
            Some((_, Transfer::FillData(_))) if moved + self.data_burst() >= self.dcache.line_bytes() => {
                self.policy.restart[1]
            }
            Some((_, Transfer::FillInstruction(_))) if moved + self.instruction_burst() >= self.icache.line_bytes() => {
                self.policy.restart[0]
            }
            _ => 0,
        };
        Cycles(u64::from(cycles))
    }

    /// The line just completed is all there at `at` only; its other words wait until then.
    pub fn arrives(&mut self, at: Cycle) {
        if let Some((_, instant)) = &mut self.arriving {
            *instant = at;
        }
    }

    /// A transfer that the hart does not wait for: to be made when the hart goes on. Asked for after each completed request.
    pub fn posted(&mut self) -> Option<BusRequest> {
        if self.policy.victim == Victim::Buffered && self.aside.as_ref().is_some_and(|a| a.taken && !a.posted) {
            self.aside = None;
        }
        let aside = self.aside.as_mut().filter(|a| !a.posted)?;
        if self.policy.victim != Victim::Buffered || self.outstanding.todo().is_some() {
            return None;
        }
        aside.posted = true;
        let data = Bytes::new(&aside.bytes[..self.dcache.line_bytes() as usize]);
        Some(BusRequest { addr: aside.line, op: BusOp::Write { data }, cause: Cause::Miss, master: MasterKind::Data })
    }

    /// The posted transfer has been served.
    pub fn posted_done(&mut self) {
        let taken = self.aside.take().is_some_and(|a| a.taken);
        self.stats.write_backs += u64::from(!taken);
    }
}
