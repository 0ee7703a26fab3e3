// SPDX-License-Identifier: Apache-2.0
//! What QEMU's reset code leaves to be read.

use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};

/// The reset vector of QEMU's RISC-V machines, as data.
///
/// Contents (QEMU 7.2 `hw/riscv/boot.c`, `riscv_setup_rom_reset_vec`): six instructions that load the hart number into a0, the
/// address of the device tree into a1 and that of OpenSBI's `fw_dynamic_info` into a2, and jump to where t0 points; both
/// addresses, each of 64 bits; the `fw_dynamic_info`. The rest of its region reads zero. Writes are ignored. All widths.
///
/// Harts do not execute it: they begin where it would jump to, with the registers that it would leave.
pub struct ResetRom {
    words: [u32; 16],
}

/// Offset of the `fw_dynamic_info`.
const INFO: u32 = 0x28;

impl ResetRom {
    /// That jumps to `start` and passes the address `device_tree`, 0 for none.
    pub fn new(start: u32, device_tree: u32) -> ResetRom {
        let code = [
            0x0000_0297,                // auipc t0, 0
            0x0002_8613 | (INFO << 20), // addi a2, t0, INFO
            0xf140_2573,                // csrr a0, mhartid
            0x0202_a583,                // lw a1, 32(t0)
            0x0182_a283,                // lw t0, 24(t0)
            0x0002_8067,                // jr t0
        ];
        let data = [start, 0, device_tree, 0];
        // Magic "OSBI", version 2, next stage in supervisor mode at `start`, no options, any hart boots.
        let info = [0x4942_534f, 2, start, 1, 0, 0];
        let mut words = [0; 16];
        words.iter_mut().zip(code.into_iter().chain(data).chain(info)).for_each(|(to, word)| *to = word);
        ResetRom { words }
    }

    /// Where the `fw_dynamic_info` is, from the beginning.
    pub const INFO: u32 = INFO;
}

impl Mmio for ResetRom {
    fn read(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, off: Offset, width: Width) -> Reply {
        let word = self.words.get((off.0 / 4) as usize).copied().unwrap_or(0) >> (off.0 % 4 * 8);
        let value = match width {
            Width::Byte => word & 0xff,
            Width::Half => word & 0xffff,
            Width::Word => word,
        };
        Reply::Done(value, Cycles(0))
    }

    fn write(&mut self, _ctx: &mut DeviceCtx, _now: Cycle, _off: Offset, _width: Width, _value: u32) -> Reply {
        Reply::Done(0, Cycles(0))
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        self.words.iter().for_each(|w| hash(u64::from(*w)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    #[test]
    fn holds_what_qemu_puts_there() {
        let mut b = Bench::new(ResetRom::new(0x8000_0000, 0x87e0_0000));
        // Read from QEMU 7.2: -M virt -bios none, 128 MiB.
        let dump = [
            0x297,
            0x0282_8613,
            0xf140_2573,
            0x0202_a583,
            0x0182_a283,
            0x28067,
            0x8000_0000,
            0,
            0x87e0_0000,
            0,
            0x4942_534f,
            2,
            0x8000_0000,
            1,
            0,
            0,
            0,
            0,
        ];
        for (n, word) in dump.into_iter().enumerate() {
            assert_eq!(b.read(0, 4 * n as u32, Word), word, "word {n}");
        }
        assert_eq!((b.read(0, 0, Byte), b.read(0, 6, Half), b.read(0, 0xefff, Byte)), (0x97, 0x282, 0));
        b.write(1, 0, Word, 5);
        assert_eq!(b.read(2, 0, Word), 0x297);
    }
}
