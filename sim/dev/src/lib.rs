// SPDX-License-Identifier: Apache-2.0
//! Memory-mapped devices. Each file is one device and cites where its register map comes from.
//!
//! A device is a function of its accesses and their instants. What it does to the world goes through
//! [`engine::DeviceCtx`]: interrupt outputs, wishes to be woken, console bytes, the end of the program. Answers cost no
//! cycles of their own; the platform gives each device an access time.
//!
//! An access of a width or at an offset that the hardware (or QEMU's model of it) refuses is [`engine::Reply::Fault`].
//!
//! Deliberately lacks: base addresses, the wiring of outputs to cores, any clock but the instants that it is told.

mod clint;
mod finisher;
mod goldfish_rtc;
mod irq_block;
mod mutex;
mod ni;
mod plic;
mod pulse;
mod reset_rom;
mod timer;
mod uart;
mod virtio_mmio;

pub use clint::Clint;
pub use finisher::Finisher;
pub use goldfish_rtc::GoldfishRtc;
pub use irq_block::IrqBlock;
pub use mutex::HwMutex;
pub use ni::{NetworkInterface, NiConfig};
pub use plic::Plic;
pub use pulse::PulseIrq;
pub use reset_rom::ResetRom;
pub use timer::Timer;
pub use uart::Uart16550;
pub use virtio_mmio::VirtioMmio;

/// One half of a 64-bit register, as a 32-bit bus reads it: 0 is the low one.
fn half(value: u64, index: u32) -> u32 {
    (value >> (32 * index)) as u32
}

/// `value` with one half replaced.
fn with_half(value: u64, index: u32, half: u32) -> u64 {
    let shift = 32 * index;
    value & !(0xffff_ffff << shift) | u64::from(half) << shift
}

/// Tell the world of an output that changed; nothing otherwise.
fn drive(ctx: &mut engine::DeviceCtx, output: u32, level: &mut bool, new: bool, now: engine::Cycle) {
    if *level != new {
        *level = new;
        ctx.outputs.push((output, new, now));
    }
}

#[cfg(test)]
mod bench;
