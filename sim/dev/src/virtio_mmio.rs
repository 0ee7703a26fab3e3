// SPDX-License-Identifier: Apache-2.0
//! A virtio transport with nothing behind it.

use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};

const MAGIC: u32 = 0x000;
const VERSION: u32 = 0x004;
const VENDOR: u32 = 0x00c;
const SIZE: u32 = 0x200;

/// An empty virtio-mmio transport, as QEMU's `virt` has eight of them when no device is given.
///
/// Register map (Virtual I/O Device Version 1.1, 4.2.4 legacy interface; QEMU 7.2 `hw/virtio/virtio-mmio.c`): +0 magic "virt", +4
/// version 1, +8 device id 0, which means that there is none, +12 vendor "QEMU". Everything else reads zero and ignores
/// writes, all widths; beyond 512 bytes accesses are refused. The interrupt never rises.
#[derive(Default)]
pub struct VirtioMmio;

impl VirtioMmio {
    /// An empty transport.
    pub fn new() -> VirtioMmio {
        VirtioMmio
    }
}

impl Mmio for VirtioMmio {
    fn read(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, off: Offset, width: Width) -> Reply {
        let word = match off.0 {
            MAGIC => u32::from_le_bytes(*b"virt"),
            VERSION => 1,
            VENDOR => u32::from_le_bytes(*b"QEMU"),
            SIZE.. => return Reply::Fault,
            _ => 0,
        };
        let value = match width {
            Width::Byte => word & 0xff,
            Width::Half => word & 0xffff,
            Width::Word => word,
        };
        Reply::Done(value, Cycles(0))
    }

    fn write(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, off: Offset, _width: Width, _value: u32) -> Reply {
        if off.0 < SIZE {
            Reply::Done(0, Cycles(0))
        } else {
            Reply::Fault
        }
    }

    fn hash(&self, _hash: &mut dyn FnMut(u64)) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    #[test]
    fn says_that_there_is_no_device() {
        let mut b = Bench::new(VirtioMmio::new());
        for (off, width, value) in [
            (0, Word, 0x7472_6976),
            (4, Word, 1),
            (8, Word, 0),
            (12, Word, 0x554d_4551),
            (0, Half, 0x6976),
            (0, Byte, 0x76),
            (1, Byte, 0),
            (0x70, Word, 0),
            (0x100, Byte, 0),
            (0x1fc, Word, 0),
        ] {
            assert_eq!(b.read(0, off, width), value, "{off:#x}");
        }
        b.write(1, 0x70, Word, 1);
        assert_eq!(b.read(2, 0x70, Word), 0);
        assert_eq!(b.try_read(3, 0x200, Word), Reply::Fault);
        assert_eq!(b.try_write(3, 0x200, Word, 0), Reply::Fault);
        assert!(b.changes.is_empty());
    }
}
