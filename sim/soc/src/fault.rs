// SPDX-License-Identifier: Apache-2.0
//! What is told about a program that went wrong: where, in which function and line, how it got there, and what
//! ran just before. A guest fault is a value; nothing here stops the simulator.

use crate::symbols::Frame;
use serde::Serialize;

/// One instruction of the last ones executed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Executed {
    /// Address.
    pub pc: u32,
    /// Disassembly.
    pub text: String,
    /// Function with offset.
    pub symbol: Option<String>,
}

/// The stack of one core when the fault happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CoreBacktrace {
    /// Name of the core.
    pub core: String,
    /// Innermost first.
    pub frames: Vec<Frame>,
}

/// A guest fault.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fault {
    /// `bus-error`, `illegal-instruction`, `misaligned-access`, `breakpoint` or `unhandled-trap`.
    pub kind: String,
    /// Name of the core.
    pub core: String,
    /// Cycle at which the exception was taken.
    pub cycle: u64,
    /// Exception cause as in mcause.
    pub cause: u32,
    /// The instruction.
    pub pc: u32,
    /// The address it used (or the instruction's bits), as in mtval.
    pub address: u32,
    /// Function with offset.
    pub symbol: Option<String>,
    /// Source file.
    pub file: Option<String>,
    /// Source line.
    pub line: Option<u32>,
    /// One sentence: what, where, and what to look at.
    pub message: String,
    /// Stacks of all cores, the faulting one first.
    pub backtraces: Vec<CoreBacktrace>,
    /// The last instructions of the faulting core, oldest first.
    pub last: Vec<Executed>,
}

/// The kind and the text of a cause.
pub fn explain(cause: u32, address: u32) -> (&'static str, String) {
    match cause {
        0 => ("misaligned-access", format!("jump to the misaligned address {address:#010x}")),
        1 => ("bus-error", format!("instruction fetch from {address:#010x}, where nothing answers")),
        2 => ("illegal-instruction", format!("illegal instruction {address:#x}")),
        3 => ("breakpoint", "breakpoint (ebreak)".to_string()),
        4 => ("misaligned-access", format!("misaligned load from {address:#010x}")),
        5 => ("bus-error", format!("load from {address:#010x}, where nothing answers")),
        6 => ("misaligned-access", format!("misaligned store or atomic at {address:#010x}")),
        7 => ("bus-error", format!("store to {address:#010x}, where nothing answers")),
        8..=11 => ("unhandled-trap", "environment call (ecall) without a handler".to_string()),
        other => ("unhandled-trap", format!("exception with cause {other}")),
    }
}
