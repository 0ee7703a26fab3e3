// SPDX-License-Identifier: Apache-2.0
//! What the front of a cache does not answer and yet is there: a line in another way, a tightly coupled memory.

use super::{CachedPort, Reservation};
use crate::outstanding::Kind;
use engine::{Access, Cycle, Width};

impl CachedPort {
    /// Where an access hits in another way than the front; the short way of translated blocks.
    #[cold]
    #[inline(never)]
    fn look_aside(&mut self, now: Cycle, addr: u32, width: Width) -> Option<usize> {
        let aligned = addr & (width.bytes() - 1) == 0;
        let arrived = self.arriving.is_none_or(|(_, at)| at <= now);
        if !aligned || !arrived || self.is_answered() {
            return None;
        }
        let place = self.dcache.look_aside(addr)?;
        Some(self.dcache.at(place, addr))
    }

    /// The load of translated blocks that the front does not answer.
    #[cold]
    #[inline(never)]
    pub(super) fn load_aside(&mut self, now: Cycle, addr: u32, width: Width) -> Option<u32> {
        if let Some(tightly) = &self.tightly {
            if let Some(found) = tightly.data(self.physical(addr)) {
                let aligned = addr & (width.bytes() - 1) == 0;
                return Some(tightly.load(found.ok().filter(|_| aligned)?, width));
            }
        }
        let at = self.look_aside(now, addr, width)?;
        Some(self.dcache.read(at, width))
    }

    /// The same for a store. One that changes fetched code is left to the long way, where the hart asks about that.
    #[cold]
    #[inline(never)]
    pub(super) fn store_aside(&mut self, now: Cycle, addr: u32, width: Width, value: u32) -> bool {
        let physical = self.physical(addr);
        if let Some(tightly) = &mut self.tightly {
            if let Some(found) = tightly.data(physical) {
                let aligned = addr & (width.bytes() - 1) == 0;
                let Some(place) = found.ok().filter(|place| aligned && !tightly.is_code(*place)) else { return false };
                tightly.store(place, width, value);
                return true;
            }
        }
        if self.look_aside(now, addr, width).is_none() {
            return false;
        }
        let Some(at) = self.dcache.find_store(addr, width.bytes()) else { return false };
        let undo = self.dcache.write(at, width, value);
        self.stores.push(undo);
        true
    }

    /// The fetch of translated blocks that the front does not answer.
    #[cold]
    #[inline(never)]
    pub(super) fn fetch_aside(&mut self, addr: u32) -> Option<(u32, u32)> {
        if let Some(found) = self.tightly.as_mut().and_then(|t| t.fetch(addr)) {
            return found.ok();
        }
        let place = self.icache.look_aside(addr)?;
        Some((place as u32, self.icache.version(place)))
    }

    /// An aligned access in a tightly coupled memory; `None` if the address is elsewhere.
    pub(super) fn tight(&mut self, physical: u32, kind: Kind) -> Option<Access> {
        let tightly = self.tightly.as_mut()?;
        let place = match tightly.data(physical)? {
            Ok(place) => place,
            Err(fault) => return Some(Access::Fault(fault)),
        };
        let (value, changed) = match kind {
            Kind::Load(width) => (tightly.load(place, width), false),
            Kind::LoadReserved => {
                self.reservation = Reservation::Cached(physical);
                (tightly.load(place, Width::Word), false)
            }
            Kind::Store(width, value) => (0, tightly.store(place, width, value)),
            Kind::StoreConditional(value) => {
                let stands = self.reservation == Reservation::Cached(physical);
                self.reservation = Reservation::None;
                (u32::from(!stands), stands && tightly.store(place, Width::Word, value))
            }
            Kind::Amo(op, operand) => tightly.amo(place, op, operand),
            Kind::Fetch | Kind::Maintain(_) => (0, false),
        };
        if changed {
            self.icache.note_change();
        }
        Some(Access::Done(value))
    }
}
