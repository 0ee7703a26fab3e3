// SPDX-License-Identifier: Apache-2.0
//! A 16550 serial port.

use engine::{Cycle, Cycles, DeviceCtx, Mmio, Offset, Reply, Width};
use std::collections::VecDeque;

const FIFO: usize = 16;

// Registers, by offset.
const RBR_THR_DLL: u32 = 0;
const IER_DLM: u32 = 1;
const IIR_FCR: u32 = 2;
const LCR: u32 = 3;
const MCR: u32 = 4;
const LSR: u32 = 5;
const MSR: u32 = 6;
const SCR: u32 = 7;

const IER_RECEIVED: u8 = 1;
const IER_TRANSMIT_EMPTY: u8 = 2;
const IER_LINE_STATUS: u8 = 4;
const IER_MODEM_STATUS: u8 = 8;

const IIR_MODEM_STATUS: u8 = 0x00;
const IIR_NONE: u8 = 0x01;
const IIR_TRANSMIT_EMPTY: u8 = 0x02;
const IIR_RECEIVED: u8 = 0x04;
const IIR_LINE_STATUS: u8 = 0x06;
const IIR_TIMEOUT: u8 = 0x0c;
const IIR_FIFOS: u8 = 0xc0;

const LCR_DLAB: u8 = 0x80;
const MCR_LOOP: u8 = 0x10;

const LSR_READY: u8 = 0x01;
const LSR_OVERRUN: u8 = 0x02;
const LSR_TRANSMIT_EMPTY: u8 = 0x60;

/// Nobody at the modem lines but a terminal that is always there: DCD, DSR, CTS.
const MSR_TERMINAL: u8 = 0xb0;

/// 16550A UART with 16-byte FIFOs, byte registers at consecutive addresses.
///
/// Register map (National Semiconductor PC16550D data sheet, 1995; widths as QEMU's `hw/char/serial.c`): 0 RBR/THR, 1 IER,
/// 2 IIR/FCR, 3 LCR, 4 MCR, 5 LSR, 6 MSR, 7 SCR; with LCR bit 7 (DLAB) 0 and 1 are the divisor. A half-word or word access
/// reads or writes the byte at its offset. Beyond offset 7 accesses are refused.
///
/// The serial line takes no time: a written byte is on the console in the same cycle, so the transmitter is always empty.
/// Typed bytes wait at the far end of the line while the receive FIFO is full, as with hardware flow control, so
/// none is lost; bytes that software clears from the FIFO unread come again; when no more come, what is below the trigger level is reported as the character timeout at once. Parity,
/// framing and break errors do not occur.
///
/// Output 0: interrupt, high while IIR bit 0 is 0.
pub struct Uart16550 {
    ier: u8,
    fifos: bool,
    trigger: usize,
    lcr: u8,
    mcr: u8,
    scr: u8,
    divisor: u16,
    overrun: bool,
    /// Modem lines that changed since MSR was read.
    modem_changes: u8,
    /// The transmitter became empty and nobody was told by IIR yet.
    transmit_event: bool,
    received: VecDeque<u8>,
    /// Bytes at the far end of the line.
    typed: VecDeque<u8>,
    level: bool,
}

impl Default for Uart16550 {
    fn default() -> Self {
        Self::new()
    }
}

impl Uart16550 {
    /// A UART at reset. The data sheet leaves the divisor open; 12 is 9600 baud from 1.8432 MHz.
    pub fn new() -> Uart16550 {
        Uart16550 {
            ier: 0,
            fifos: false,
            trigger: 1,
            lcr: 0,
            mcr: 0,
            scr: 0,
            divisor: 12,
            overrun: false,
            modem_changes: 0,
            transmit_event: false,
            received: VecDeque::new(),
            typed: VecDeque::new(),
            level: false,
        }
    }

    fn capacity(&self) -> usize {
        if self.fifos {
            FIFO
        } else {
            1
        }
    }

    fn looped(&self) -> bool {
        self.mcr & MCR_LOOP != 0
    }

    /// Typed bytes come over the line as long as there is room; in loop mode the line is cut off.
    fn receive(&mut self) {
        while !self.looped() && self.received.len() < self.capacity() {
            let Some(byte) = self.typed.pop_front() else { break };
            self.received.push_back(byte);
        }
    }

    fn transmit(&mut self, ctx: &mut DeviceCtx, byte: u8) {
        self.transmit_event = true;
        if !self.looped() {
            ctx.console.push(byte);
        } else if self.received.len() < self.capacity() {
            self.received.push_back(byte);
        } else {
            // With FIFOs the new byte is lost, without them the unread one.
            self.overrun = true;
            if !self.fifos {
                self.received[0] = byte;
            }
        }
    }

    /// Modem inputs, bits 7:4 of MSR.
    fn modem(&self) -> u8 {
        if !self.looped() {
            return MSR_TERMINAL;
        }
        // RTS to CTS, DTR to DSR, OUT1 to RI, OUT2 to DCD.
        let m = self.mcr;
        (m & 2) << 3 | (m & 1) << 5 | (m & 4) << 4 | (m & 8) << 4
    }

    fn set_mcr(&mut self, value: u8) {
        let before = self.modem();
        self.mcr = value & 0x1f;
        let after = self.modem();
        let changed = (before ^ after) >> 4;
        // RI is reported by its falling edge alone (TERI).
        let ring = changed & 4 & (before >> 4);
        self.modem_changes |= (changed & !4) | ring;
    }

    fn line_status(&self) -> u8 {
        let ready = if self.received.is_empty() { 0 } else { LSR_READY };
        let overrun = if self.overrun { LSR_OVERRUN } else { 0 };
        LSR_TRANSMIT_EMPTY | ready | overrun
    }

    /// The pending interrupt of the highest priority.
    fn interrupt(&self) -> u8 {
        let enabled = |bit| self.ier & bit != 0;
        if enabled(IER_LINE_STATUS) && self.overrun {
            IIR_LINE_STATUS
        } else if enabled(IER_RECEIVED) && self.received.len() >= self.trigger {
            IIR_RECEIVED
        } else if enabled(IER_RECEIVED) && !self.received.is_empty() {
            IIR_TIMEOUT
        } else if enabled(IER_TRANSMIT_EMPTY) && self.transmit_event {
            IIR_TRANSMIT_EMPTY
        } else if enabled(IER_MODEM_STATUS) && self.modem_changes != 0 {
            IIR_MODEM_STATUS
        } else {
            IIR_NONE
        }
    }

    /// Empty the receive FIFO. What came over the line goes back to its far end: input from a file or a pipe is there before
    /// the first cycle, and software that clears its FIFO when it starts must not lose the beginning.
    fn clear_received(&mut self) {
        if self.looped() {
            self.received.clear();
        }
        while let Some(byte) = self.received.pop_back() {
            self.typed.push_front(byte);
        }
    }

    fn set_fcr(&mut self, value: u8) {
        let fifos = value & 1 != 0;
        if fifos != self.fifos {
            self.fifos = fifos;
            self.clear_received();
        }
        // The other bits count only together with bit 0.
        if fifos {
            if value & 2 != 0 {
                self.clear_received();
            }
            self.trigger = [1, 4, 8, 14][usize::from(value >> 6)];
        } else {
            self.trigger = 1;
        }
    }

    fn settle(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        self.receive();
        let high = self.interrupt() & IIR_NONE == 0;
        crate::drive(ctx, 0, &mut self.level, high, now);
    }
}

impl Mmio for Uart16550 {
    fn read(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, _width: Width) -> Reply {
        let dlab = self.lcr & LCR_DLAB != 0;
        let value = match off.0 {
            RBR_THR_DLL if dlab => self.divisor as u8,
            RBR_THR_DLL => self.received.pop_front().unwrap_or(0),
            IER_DLM if dlab => (self.divisor >> 8) as u8,
            IER_DLM => self.ier,
            IIR_FCR => {
                let pending = self.interrupt();
                if pending == IIR_TRANSMIT_EMPTY {
                    self.transmit_event = false;
                }
                pending | if self.fifos { IIR_FIFOS } else { 0 }
            }
            LCR => self.lcr,
            MCR => self.mcr,
            LSR => {
                let status = self.line_status();
                self.overrun = false;
                status
            }
            MSR => self.modem() | std::mem::take(&mut self.modem_changes),
            SCR => self.scr,
            _ => return Reply::Fault,
        };
        self.settle(ctx, now);
        Reply::Done(u32::from(value), Cycles(0))
    }

    fn write(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, _width: Width, value: u32) -> Reply {
        let dlab = self.lcr & LCR_DLAB != 0;
        let value = value as u8;
        match off.0 {
            RBR_THR_DLL if dlab => self.divisor = self.divisor & 0xff00 | u16::from(value),
            RBR_THR_DLL => self.transmit(ctx, value),
            IER_DLM if dlab => self.divisor = self.divisor & 0x00ff | u16::from(value) << 8,
            IER_DLM => {
                // Enabling it while the transmitter is empty is an event of its own.
                if value & !self.ier & IER_TRANSMIT_EMPTY != 0 {
                    self.transmit_event = true;
                }
                self.ier = value & 0x0f;
            }
            IIR_FCR => self.set_fcr(value),
            LCR => self.lcr = value,
            MCR => self.set_mcr(value),
            // Read-only for software; the data sheet keeps writes for factory tests.
            LSR | MSR => {}
            SCR => self.scr = value,
            _ => return Reply::Fault,
        }
        self.settle(ctx, now);
        Reply::Done(0, Cycles(0))
    }

    fn input(&mut self, ctx: &mut DeviceCtx, now: Cycle, bytes: &[u8]) {
        self.typed.extend(bytes);
        self.settle(ctx, now);
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        let flags = u8::from(self.fifos) | u8::from(self.overrun) << 1 | u8::from(self.transmit_event) << 2;
        hash(u64::from_le_bytes([
            self.ier,
            self.lcr,
            self.mcr,
            self.scr,
            self.modem_changes,
            flags,
            self.trigger as u8,
            0,
        ]));
        hash(u64::from(self.divisor));
        for queue in [&self.received, &self.typed] {
            hash(queue.len() as u64);
            for byte in queue {
                hash(u64::from(*byte));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    fn uart() -> Bench<Uart16550> {
        Bench::new(Uart16550::new())
    }

    #[test]
    fn reset_values() {
        let mut b = uart();
        for (off, value) in [(0, 0), (1, 0), (2, 1), (3, 0), (4, 0), (5, 0x60), (6, 0xb0), (7, 0)] {
            assert_eq!(b.read(0, off, Byte), value, "register {off}");
        }
        assert_eq!(b.try_read(0, 8, Byte), Reply::Fault);
        assert_eq!(b.try_write(0, 8, Byte, 0), Reply::Fault);
    }

    #[test]
    fn a_written_byte_is_on_the_console() {
        let mut b = uart();
        for byte in b"ok\n" {
            b.write(1, 0, Byte, u32::from(*byte));
            assert_eq!(b.read(1, 5, Byte), 0x60);
        }
        assert_eq!(b.console, b"ok\n");
        b.write(1, 0, Word, 0xffff_ff21);
        assert_eq!(b.console, b"ok\n!");
        assert!(b.changes.is_empty());
    }

    #[test]
    fn dlab_shows_the_divisor() {
        let mut b = uart();
        b.write(0, 3, Byte, 0x83);
        b.write(0, 0, Byte, 0x1b);
        b.write(0, 1, Byte, 0x01);
        assert_eq!((b.read(0, 0, Byte), b.read(0, 1, Byte)), (0x1b, 0x01));
        b.write(0, 3, Byte, 0x03);
        assert_eq!((b.read(0, 0, Byte), b.read(0, 1, Byte), b.read(0, 3, Byte)), (0, 0, 3));
        assert!(b.console.is_empty());
        b.write(0, 7, Half, 0x1a5);
        assert_eq!(b.read(0, 7, Byte), 0xa5);
        b.write(0, 1, Byte, 0xff);
        assert_eq!(b.read(0, 1, Byte), 0x0f);
    }

    #[test]
    fn typed_bytes_arrive_in_order_and_none_is_lost() {
        let mut b = uart();
        b.write(0, 2, Byte, 0x01);
        let typed: Vec<u8> = (0..50).collect();
        b.input(5, &typed);
        let mut got = Vec::new();
        while b.read(6, 5, Byte) & 1 != 0 {
            got.push(b.read(6, 0, Byte) as u8);
        }
        assert_eq!(got, typed);
        assert_eq!(b.read(6, 5, Byte), 0x60);
    }

    #[test]
    fn the_trigger_level_and_the_timeout() {
        let mut b = uart();
        b.write(0, 2, Byte, 0x41); // FIFOs, trigger at 4
        b.write(0, 1, Byte, 1);
        b.input(10, b"abc");
        assert_eq!(b.read(11, 2, Byte), 0xcc);
        b.input(12, b"d");
        assert_eq!(b.read(13, 2, Byte), 0xc4);
        b.read(14, 0, Byte);
        assert_eq!(b.read(15, 2, Byte), 0xcc);
        for _ in 0..3 {
            b.read(16, 0, Byte);
        }
        assert_eq!(b.read(17, 2, Byte), 0xc1);
        assert_eq!(b.changes, [(10, 0, true), (16, 0, false)]);
    }

    #[test]
    fn the_transmit_interrupt_is_told_once() {
        let mut b = uart();
        b.write(1, 1, Byte, 2);
        assert_eq!(b.read(2, 2, Byte), 0x02);
        assert_eq!(b.read(3, 2, Byte), 0x01);
        b.write(4, 0, Byte, 65);
        assert_eq!(b.read(5, 2, Byte), 0x02);
        assert_eq!(b.changes, [(1, 0, true), (2, 0, false), (4, 0, true), (5, 0, false)]);
    }

    #[test]
    fn interrupts_have_priorities() {
        let mut b = uart();
        b.write(0, 4, Byte, 0x10); // loop: the modem lines drop
        b.write(0, 1, Byte, 0x0f);
        b.write(0, 0, Byte, 1);
        b.write(0, 0, Byte, 2); // overrun: without FIFOs the unread byte is lost
        assert_eq!(b.read(0, 2, Byte), 0x06);
        assert_eq!(b.read(0, 5, Byte), 0x63);
        assert_eq!(b.read(0, 2, Byte), 0x04);
        assert_eq!(b.read(0, 0, Byte), 2);
        assert_eq!(b.read(0, 2, Byte), 0x02);
        assert_eq!(b.read(0, 2, Byte), 0x00);
        assert_eq!(b.read(0, 6, Byte), 0x0b); // DCD, DSR and CTS went low
        assert_eq!(b.read(0, 2, Byte), 0x01);
        assert!(!b.level(0));
        assert!(b.console.is_empty());
    }

    #[test]
    fn loop_mode_connects_modem_outputs_to_inputs_and_cuts_the_line() {
        let mut b = uart();
        for (mcr, msr) in [(0x11, 0x20), (0x12, 0x10), (0x14, 0x40), (0x18, 0x80), (0x1f, 0xf0), (0x10, 0)] {
            b.write(0, 4, Byte, mcr);
            assert_eq!(b.read(0, 6, Byte) & 0xf0, msr);
        }
        b.read(0, 6, Byte);
        b.write(0, 4, Byte, 0x14);
        assert_eq!(b.read(0, 6, Byte), 0x40); // RI rises: no event
        b.write(0, 4, Byte, 0x10);
        assert_eq!(b.read(0, 6, Byte), 0x04); // and falls: TERI
        b.input(1, b"x");
        assert_eq!(b.read(2, 5, Byte) & 1, 0);
        b.write(3, 4, Byte, 0);
        assert_eq!(b.read(4, 0, Byte), u32::from(b'x'));
    }

    #[test]
    fn fcr_clears_what_was_received() {
        let mut b = uart();
        b.write(0, 2, Byte, 1);
        b.write(0, 4, Byte, 0x10); // loop
        for byte in b"abc" {
            b.write(0, 0, Byte, u32::from(*byte));
        }
        assert_eq!(b.read(0, 5, Byte) & 1, 1);
        b.write(0, 2, Byte, 0xc0); // bit 0 is off: FIFOs off, the rest ignored
        assert_eq!(b.read(0, 2, Byte), 1);
        assert_eq!(b.read(0, 5, Byte) & 1, 0);
        b.write(0, 2, Byte, 1);
        b.write(0, 0, Byte, 1);
        b.write(0, 2, Byte, 3);
        assert_eq!(b.read(0, 5, Byte) & 1, 0);
    }

    #[test]
    fn typed_bytes_that_are_cleared_unread_come_again_in_order() {
        let mut b = uart();
        b.input(0, b"first, and more than one fifo holds");
        b.write(1, 2, Byte, 7); // as drivers do when they start
        assert_eq!(b.read(2, 0, Byte), u32::from(b'f'));
        b.write(3, 2, Byte, 7);
        let mut rest = Vec::new();
        while b.read(4, 5, Byte) & 1 != 0 {
            rest.push(b.read(4, 0, Byte) as u8);
        }
        assert_eq!(rest, b"irst, and more than one fifo holds");
    }

    #[test]
    fn the_hash_sees_what_is_queued() {
        let (mut a, mut b) = (uart(), uart());
        assert_eq!(a.digest(), b.digest());
        a.input(0, b"a");
        assert_ne!(a.digest(), b.digest());
        b.input(0, b"a");
        assert_eq!(a.digest(), b.digest());
    }
}
