// SPDX-License-Identifier: Apache-2.0
//! A tile's network interface: a queue of packets to send and one of received packets, between a processor and its router.

use crate::drive;
use engine::{Cycle, Cycles, DeviceCtx, FromNetwork, Mmio, Offset, Reply, ToNetwork, Width};
use std::collections::VecDeque;
use std::sync::Arc;

const HEAD: u32 = 0x00;
const DATA: u32 = 0x04;
const LAST: u32 = 0x08;
const STATUS: u32 = 0x0c;
const TX_ROOM: u32 = 0x10;
const RX_PACKETS: u32 = 0x14;
const RX_LENGTH: u32 = 0x18;
const RX_FLITS: u32 = 0x1c;
const ENABLE: u32 = 0x20;
const PENDING: u32 = 0x24;
const TX_WANT: u32 = 0x28;
const NODE: u32 = 0x2c;
const SIZE: u32 = 0x30;

const RX: u32 = 1;
const TX: u32 = 2;

const STATUS_TX_EMPTY: u32 = 1;
const STATUS_TX_OPEN: u32 = 2;
const STATUS_RX_READY: u32 = 4;
const STATUS_RX_FULL: u32 = 8;

/// What an interface is built with.
#[derive(Clone, Debug)]
pub struct NiConfig {
    /// Flits that the send queue holds, at least 2.
    pub tx_flits: u32,
    /// Flits that the receive queue holds, at least 1.
    pub rx_flits: u32,
    /// Bits of a flit, 8 to 32: a quarter of them holds a coordinate.
    pub flit_bits: u32,
    /// Routers in x and in y.
    pub size: (u32, u32),
    /// Number of the router that it is at.
    pub router: u32,
    /// Of each router by its number: there is an interface that receives.
    pub receives: Arc<Vec<bool>>,
}

/// Network interface with hardware packet queues.
///
/// The model is the queue-based interface that HellfireOS is written for (status, read and write ports, an interrupt when a packet
/// has come; hellfire IV-B, figure 4). The register map is Signalbox's own: the paper prints none, and packets there have one
/// fixed size. Words only; anything else is refused, as are writes to what is read-only and reads of HEAD and LAST.
///
/// | offset | name | access |
/// |---|---|---|
/// | 0x00 | HEAD | write: begins a packet; the value is its header flit, x in the second quarter of the flit from below, y in the lowest |
/// | 0x04 | DATA | write: the packet's next flit. read: takes the oldest flit received; 0 when there is none |
/// | 0x08 | LAST | write: the packet's last flit |
/// | 0x0c | STATUS | read: bit 0 send queue empty, 1 a packet is begun, 2 receive queue ready, 3 receive queue full |
/// | 0x10 | TX_ROOM | read: flits that the send queue can take |
/// | 0x14 | RX_PACKETS | read: whole packets in the receive queue |
/// | 0x18 | RX_LENGTH | read: flits of the oldest packet from its next one to its last one; 0 when the last one is not there yet |
/// | 0x1c | RX_FLITS | read: flits in the receive queue |
/// | 0x20 | ENABLE | bit 0 lets PENDING bit 0 drive output 0, bit 1 lets bit 1 drive output 1; 0 at reset |
/// | 0x24 | PENDING | bit 0: the receive queue has become ready; bit 1: room to send. A 1 written clears its bit |
/// | 0x28 | TX_WANT | PENDING bit 1 is set when TX_ROOM reaches this; the queue's size at reset |
/// | 0x2c | NODE | read: header flit that leads to this interface |
/// | 0x30 | SIZE | read: routers in x in the upper half, in y in the lower |
///
/// **Sending.** A packet goes to the router when its last flit is written, so a slow processor does not hold links; if the queue is full
/// before, what is there goes ahead. A flit given at cycle t is offered to the router from t + 1 on. A write
/// that finds no room is refused (a bus error): nothing is lost silently, software reads TX_ROOM first. So is a HEAD inside
/// a packet, DATA or LAST outside one, and a header that leads to no interface.
///
/// **Receiving.** The queue is *ready* with a whole packet, or when it is full. A flit that the router delivers at edge c can be read from
/// c + 1 on. When the queue is full the router's local output stalls, and whatever is behind waits in the network; a flit that
/// is read at t makes room for the edge t + 1.
///
/// PENDING bit 0 is set by the flit that makes the queue ready or completes another packet; an interrupt handler clears it first and
/// then takes packets until RX_PACKETS is 0, and misses none.
#[derive(Clone, Debug)]
pub struct NetworkInterface {
    config: NiConfig,
    /// Flits written and not yet given to the router: at most one packet, begun.
    held: Vec<u32>,
    /// Flits given and not yet accepted by the router.
    given: u32,
    /// A packet is begun; its header may be given already.
    open: bool,
    received: VecDeque<(u32, bool)>,
    packets: u32,
    enable: u32,
    pending: u32,
    want: u32,
    levels: [bool; 2],
}

impl NetworkInterface {
    /// An interface at reset: queues empty, interrupts off.
    pub fn new(config: NiConfig) -> NetworkInterface {
        NetworkInterface {
            want: config.tx_flits,
            config,
            held: Vec::new(),
            given: 0,
            open: false,
            received: VecDeque::new(),
            packets: 0,
            enable: 0,
            pending: 0,
            levels: [false; 2],
        }
    }

    fn room(&self) -> u32 {
        self.config.tx_flits - self.given - self.held.len() as u32
    }

    fn full(&self) -> bool {
        self.received.len() as u32 == self.config.rx_flits
    }

    fn header(&self, router: u32) -> u32 {
        let (x, y) = (router % self.config.size.0, router / self.config.size.0);
        (x << (self.config.flit_bits / 4)) | y
    }

    /// The router that a header leads to, if an interface is there.
    fn leads_to(&self, header: u32) -> Option<u32> {
        let quarter = self.config.flit_bits / 4;
        let mask = (1u32 << quarter) - 1;
        let (x, y) = (header >> quarter & mask, header & mask);
        let (width, height) = self.config.size;
        // The upper half of a flit is free for software, but for the bit that would name another port (Hermes: bit 31 of 32).
        let port = header >> (self.config.flit_bits - 1) & 1;
        let router = y * width + x;
        (port == 0 && x < width && y < height && self.config.receives[router as usize]).then_some(router)
    }

    fn put(&mut self, ctx: &mut DeviceCtx, flit: u32, last: bool) -> Reply {
        if self.room() == 0 {
            return Reply::Fault;
        }
        let mask = u32::MAX >> (32 - self.config.flit_bits);
        self.held.push(flit & mask);
        self.open = !last;
        if last || self.room() == 0 {
            let end = self.held.len() - 1;
            let flits = self.held.drain(..).enumerate();
            ctx.network.extend(flits.map(|(i, data)| ToNetwork::Flit { data, last: last && i == end }));
            self.given += end as u32 + 1;
        }
        Reply::Done(0, Cycles(0))
    }

    fn take(&mut self, ctx: &mut DeviceCtx) -> u32 {
        let Some((data, last)) = self.received.pop_front() else { return 0 };
        self.packets -= u32::from(last);
        ctx.network.push(ToNetwork::Room(1));
        data
    }

    fn status(&self) -> u32 {
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        bit(self.given == 0 && self.held.is_empty(), STATUS_TX_EMPTY)
            | bit(self.open, STATUS_TX_OPEN)
            | bit(self.packets > 0 || self.full(), STATUS_RX_READY)
            | bit(self.full(), STATUS_RX_FULL)
    }

    fn drive(&mut self, ctx: &mut DeviceCtx, now: Cycle) {
        let on = self.pending & self.enable;
        drive(ctx, 0, &mut self.levels[0], on & RX != 0, now);
        drive(ctx, 1, &mut self.levels[1], on & TX != 0, now);
    }
}

impl Mmio for NetworkInterface {
    fn read(&mut self, ctx: &mut DeviceCtx, _now: Cycle, off: Offset, width: Width) -> Reply {
        if width != Width::Word {
            return Reply::Fault;
        }
        let value = match off.0 {
            DATA => self.take(ctx),
            STATUS => self.status(),
            TX_ROOM => self.room(),
            RX_PACKETS => self.packets,
            RX_LENGTH => self.received.iter().position(|(_, last)| *last).map_or(0, |i| i as u32 + 1),
            RX_FLITS => self.received.len() as u32,
            ENABLE => self.enable,
            PENDING => self.pending,
            TX_WANT => self.want,
            NODE => self.header(self.config.router),
            SIZE => self.config.size.0 << 16 | self.config.size.1,
            _ => return Reply::Fault,
        };
        Reply::Done(value, Cycles(0))
    }

    fn write(&mut self, ctx: &mut DeviceCtx, now: Cycle, off: Offset, width: Width, value: u32) -> Reply {
        if width != Width::Word {
            return Reply::Fault;
        }
        match off.0 {
            HEAD if !self.open && self.leads_to(value).is_some() => return self.put(ctx, value, false),
            DATA if self.open => return self.put(ctx, value, false),
            LAST if self.open => return self.put(ctx, value, true),
            ENABLE => self.enable = value & (RX | TX),
            PENDING => self.pending &= !value,
            TX_WANT if (1..=self.config.tx_flits).contains(&value) => self.want = value,
            _ => return Reply::Fault,
        }
        self.drive(ctx, now);
        Reply::Done(0, Cycles(0))
    }

    fn network(&mut self, ctx: &mut DeviceCtx, now: Cycle, what: FromNetwork) {
        match what {
            FromNetwork::Accepted => {
                self.given -= 1;
                if self.room() == self.want {
                    self.pending |= TX;
                }
            }
            FromNetwork::Flit { data, last } => {
                self.received.push_back((data, last));
                self.packets += u32::from(last);
                if last || self.full() {
                    self.pending |= RX;
                }
            }
        }
        self.drive(ctx, now);
    }

    fn hash(&self, hash: &mut dyn FnMut(u64)) {
        hash(self.held.len() as u64);
        self.held.iter().for_each(|&flit| hash(u64::from(flit)));
        hash(u64::from(self.given) << 1 | u64::from(self.open));
        hash(self.received.len() as u64);
        self.received.iter().for_each(|&(flit, last)| hash(u64::from(flit) << 1 | u64::from(last)));
        [self.enable, self.pending, self.want].into_iter().for_each(|word| hash(u64::from(word)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use Width::{Byte, Half, Word};

    fn interface(tx_flits: u32, rx_flits: u32) -> Bench<NetworkInterface> {
        let mut receives = vec![true; 12];
        receives[5] = false;
        let receives = Arc::new(receives);
        let config = NiConfig { tx_flits, rx_flits, flit_bits: 32, size: (4, 3), router: 6, receives };
        Bench::new(NetworkInterface::new(config))
    }

    const GIVEN: fn(u32, bool) -> ToNetwork = |data, last| ToNetwork::Flit { data, last };

    #[test]
    fn a_packet_goes_when_its_last_flit_is_written() {
        let mut b = interface(8, 8);
        b.write(10, HEAD, Word, 0x0302);
        b.write(20, DATA, Word, 7);
        assert_eq!(b.network, []);
        assert_eq!((b.read(21, TX_ROOM, Word), b.read(21, STATUS, Word)), (6, STATUS_TX_OPEN));
        b.write(30, LAST, Word, 8);
        assert_eq!(b.network, [GIVEN(0x0302, false), GIVEN(7, false), GIVEN(8, true)]);
        // The flits fill the queue until the router has accepted them.
        assert_eq!((b.read(31, TX_ROOM, Word), b.read(31, STATUS, Word)), (5, 0));
        for at in 31..34 {
            b.network_says(at, FromNetwork::Accepted);
        }
        assert_eq!((b.read(34, TX_ROOM, Word), b.read(34, STATUS, Word)), (8, STATUS_TX_EMPTY));
    }

    #[test]
    fn a_full_queue_goes_ahead_and_takes_no_more() {
        let mut b = interface(3, 8);
        b.write(10, HEAD, Word, 0x0000);
        b.write(11, DATA, Word, 1);
        b.write(12, DATA, Word, 2);
        assert_eq!(b.network, [GIVEN(0, false), GIVEN(1, false), GIVEN(2, false)]);
        assert_eq!(b.try_write(13, DATA, Word, 3), Reply::Fault);
        assert_eq!(b.try_write(13, LAST, Word, 3), Reply::Fault);
        b.network_says(14, FromNetwork::Accepted);
        b.write(14, LAST, Word, 3);
        assert_eq!(b.network[3..], [GIVEN(3, true)]);
    }

    #[test]
    fn packets_are_counted_when_whole() {
        let mut b = interface(8, 4);
        b.write(0, ENABLE, Word, RX);
        b.network_says(10, FromNetwork::Flit { data: 0x0201, last: false });
        assert_eq!((b.read(10, RX_PACKETS, Word), b.read(10, RX_FLITS, Word), b.read(10, RX_LENGTH, Word)), (0, 1, 0));
        assert!(!b.level(0));
        b.network_says(11, FromNetwork::Flit { data: 9, last: true });
        assert_eq!((b.read(11, RX_PACKETS, Word), b.read(11, RX_LENGTH, Word)), (1, 2));
        assert_eq!(b.read(11, STATUS, Word), STATUS_TX_EMPTY | STATUS_RX_READY);
        assert!(b.level(0));
        b.write(20, PENDING, Word, RX);
        assert!(!b.level(0));
        assert_eq!((b.read(21, DATA, Word), b.read(22, DATA, Word), b.read(23, DATA, Word)), (0x0201, 9, 0));
        assert_eq!(b.network, [ToNetwork::Room(1), ToNetwork::Room(1)], "an empty queue gives no room back");
        assert_eq!((b.read(24, RX_PACKETS, Word), b.read(24, STATUS, Word)), (0, STATUS_TX_EMPTY));
        assert_eq!(b.changes, [(11, 0, true), (20, 0, false)]);
    }

    #[test]
    fn a_full_receive_queue_is_ready_without_a_whole_packet() {
        let mut b = interface(8, 2);
        b.write(0, ENABLE, Word, RX);
        b.network_says(10, FromNetwork::Flit { data: 1, last: false });
        b.network_says(11, FromNetwork::Flit { data: 2, last: false });
        assert!(b.level(0));
        assert_eq!(b.read(12, STATUS, Word), STATUS_TX_EMPTY | STATUS_RX_READY | STATUS_RX_FULL);
        assert_eq!((b.read(12, RX_PACKETS, Word), b.read(12, RX_LENGTH, Word)), (0, 0));
    }

    #[test]
    fn room_to_send_interrupts_when_it_is_wanted() {
        let mut b = interface(4, 4);
        b.write(0, ENABLE, Word, TX);
        b.write(0, TX_WANT, Word, 3);
        b.write(1, HEAD, Word, 0);
        b.write(2, DATA, Word, 0);
        b.write(3, LAST, Word, 0);
        b.network_says(5, FromNetwork::Accepted);
        assert!(!b.level(1));
        b.network_says(6, FromNetwork::Accepted);
        assert!(b.level(1));
        b.write(9, PENDING, Word, TX);
        b.network_says(10, FromNetwork::Accepted);
        assert_eq!(b.changes, [(6, 1, true), (9, 1, false)]);
        // Disabling lowers the line and keeps what is pending.
        let mut b = interface(4, 4);
        b.write(0, ENABLE, Word, TX | RX);
        b.network_says(1, FromNetwork::Flit { data: 0, last: true });
        b.write(2, ENABLE, Word, 0);
        assert_eq!((b.level(0), b.read(3, PENDING, Word)), (false, RX));
        b.write(4, ENABLE, Word, RX);
        assert!(b.level(0));
    }

    #[test]
    fn who_and_where() {
        let mut b = interface(4, 4);
        assert_eq!((b.read(0, NODE, Word), b.read(0, SIZE, Word)), (0x0201, 4 << 16 | 3));
        let config = NiConfig { flit_bits: 16, ..b.device.config.clone() };
        let mut b = Bench::new(NetworkInterface::new(config));
        assert_eq!(b.read(0, NODE, Word), 0x21);
        b.write(0, HEAD, Word, 0x1_0000);
        b.write(0, LAST, Word, 0xabcd_ef01);
        assert_eq!(b.network, [GIVEN(0, false), GIVEN(0xef01, true)], "a flit is as wide as the network");
    }

    #[test]
    fn what_is_refused() {
        let mut b = interface(4, 4);
        for (off, width) in [(HEAD, Word), (LAST, Word), (DATA, Byte), (STATUS, Half), (SIZE + 4, Word)] {
            assert_eq!(b.try_read(0, off, width), Reply::Fault);
        }
        let outside = [0x0400, 0x0003, 0x0101, 0x8000_0000];
        for header in outside {
            assert_eq!(b.try_write(0, HEAD, Word, header), Reply::Fault, "{header:#x} leads nowhere");
        }
        for (off, value) in [(DATA, 0), (LAST, 0), (STATUS, 0), (NODE, 0), (TX_WANT, 0), (TX_WANT, 5), (TX_ROOM, 1)] {
            assert_eq!(b.try_write(0, off, Word, value), Reply::Fault);
        }
        b.write(0, HEAD, Word, 0x7fff_0000);
        assert_eq!(b.try_write(0, HEAD, Word, 0), Reply::Fault, "a packet is begun already");
        assert_eq!(b.network, []);
    }
}
