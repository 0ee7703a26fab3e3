// SPDX-License-Identifier: Apache-2.0
//! How a program ends itself.

use engine::{Cycle, Cycles, DeviceCtx, Finish, Mmio, Offset, Reply, Width};

/// SiFive's test finisher.
///
/// Register map (QEMU `hw/misc/sifive_test.c`): one register at +0; the low half-word is 0x5555 pass, 0x3333 fail with
/// the code in the high one, 0x7777 reset; anything else does nothing. Words or half-words of 4 KB; all reads are zero.
#[derive(Default)]
pub struct Finisher;

impl Finisher {
    /// A finisher.
    pub fn new() -> Finisher {
        Finisher
    }

    fn accepts(off: Offset, width: Width) -> bool {
        width != Width::Byte && off.0 < 0x1000
    }
}

impl Mmio for Finisher {
    fn read(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, off: Offset, width: Width) -> Reply {
        if Self::accepts(off, width) {
            Reply::Done(0, Cycles(0))
        } else {
            Reply::Fault
        }
    }

    fn write(&mut self, ctx: &mut DeviceCtx, _now: Cycle, off: Offset, width: Width, value: u32) -> Reply {
        if !Self::accepts(off, width) {
            return Reply::Fault;
        }
        if off.0 == 0 {
            let code = if width == Width::Word { value >> 16 } else { 0 };
            ctx.finish = match value & 0xffff {
                0x5555 => Some(Finish::Pass),
                0x3333 => Some(Finish::Fail(code)),
                0x7777 => Some(Finish::Reset),
                _ => None,
            };
        }
        Reply::Done(0, Cycles(0))
    }

    fn hash(&self, _hash: &mut dyn FnMut(u64)) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;

    #[test]
    fn what_ends_a_program() {
        for (off, width, value, finish) in [
            (0, Width::Word, 0x5555, Some(Finish::Pass)),
            (0, Width::Half, 0x5555, Some(Finish::Pass)),
            (0, Width::Word, 0x3333, Some(Finish::Fail(0))),
            (0, Width::Word, 0x002a_3333, Some(Finish::Fail(42))),
            (0, Width::Word, 0x7777, Some(Finish::Reset)),
            (0, Width::Word, 1, None),
            (4, Width::Word, 0x5555, None),
        ] {
            let mut b = Bench::new(Finisher::new());
            b.write(9, off, width, value);
            assert_eq!(b.finish, finish, "{value:#x} at {off}");
            assert_eq!(b.read(10, 0, Width::Word), 0);
        }
        let mut b = Bench::new(Finisher::new());
        assert_eq!(b.try_write(0, 0, Width::Byte, 0x55), Reply::Fault);
        assert_eq!(b.try_read(0, 0x1000, Width::Word), Reply::Fault);
    }
}
