// SPDX-License-Identifier: Apache-2.0
//! What is observed: accounts, stamped records, and the probes that an image carries.
//!
//! Deliberately lacks: any effect on what it observes, and any interpretation of a record (that is the reader's).

mod probe;
mod schema;

pub use probe::{parse_section, Operand, Probe, ProbeError};
pub use schema::{schema, ArgType, RecordKind, Schema, SCHEMA_TOML};

use units::Cycle;

/// The accounts of a core besides `execute`: every cycle is in exactly one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Account {
    /// Waiting for instruction line fills.
    Fetch = 0,
    /// Waiting for data line fills and write-backs.
    Miss = 1,
    /// Waiting for uncached memory and devices.
    Uncached = 2,
    /// Queueing for a slave that serves somebody else.
    BusWait = 3,
    /// Interrupt and exception entry.
    Interrupt = 4,
    /// Asleep in wfi, or held before its start.
    Idle = 5,
}

/// Names of the accounts, in the order of their numbers; `execute` is what remains of the elapsed time.
pub const ACCOUNT_NAMES: [&str; 6] = ["fetch", "miss", "uncached", "bus_wait", "interrupt", "idle"];

/// Cycles per [`Account`] since reset.
pub type Accounts = [u64; 6];

/// One stamped record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Stamp.
    pub cycle: Cycle,
    /// Number in the schema.
    pub kind: u16,
    /// Index of the core.
    pub core: u16,
    /// Arguments; strings are indices into the trace's string table.
    pub args: [u32; 5],
    /// The core's accounts at the stamp.
    pub accounts: Accounts,
}

/// Bytes of an encoded record: cycle u64, kind u16, core u16, args 5×u32, accounts 6×u64, little endian.
pub const RECORD_BYTES: usize = 8 + 2 + 2 + 20 + 48;

impl Record {
    /// Append the encoded record to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.cycle.0.to_le_bytes());
        out.extend_from_slice(&self.kind.to_le_bytes());
        out.extend_from_slice(&self.core.to_le_bytes());
        for a in self.args {
            out.extend_from_slice(&a.to_le_bytes());
        }
        for a in self.accounts {
            out.extend_from_slice(&a.to_le_bytes());
        }
    }
}

/// Numbers of the records that the hardware makes; the schema names them.
pub mod kind {
    /// A hart takes an interrupt.
    pub const IRQ_ENTER: u16 = 1;
    /// A hart takes an exception.
    pub const TRAP_ENTER: u16 = 2;
    /// mret.
    pub const TRAP_RETURN: u16 = 3;
    /// wfi stops the hart.
    pub const SLEEP: u16 = 4;
    /// The hart goes on after wfi.
    pub const WAKE: u16 = 5;
}
