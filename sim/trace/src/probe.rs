// SPDX-License-Identifier: Apache-2.0
//! The `.sb_probes` section: where the probes of an image are and where their operands can be read.
//!
//! Layout of an entry, little endian: address u32, number u16, operand count u16, then that many NUL-terminated
//! operand texts as the compiler printed them (`a0`, `-20(s0)`, `42`), padded with zeros to a multiple of 4 bytes.
//! Address 0 is a probe whose code the linker dropped.

use std::fmt;

/// Where an operand's value is when the probe's instruction retires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A constant.
    Imm(i32),
    /// An integer register.
    Reg(u8),
    /// The word at an offset from a register.
    Mem {
        /// Base register.
        base: u8,
        /// Byte offset.
        offset: i32,
    },
}

/// One probe of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Address of the instruction whose retirement is stamped.
    pub addr: u32,
    /// Number in the schema.
    pub kind: u16,
    /// Operands, at most five.
    pub operands: Vec<Operand>,
}

/// Why a section cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbeError {
    /// Byte offset in the section.
    pub offset: usize,
    /// What is wrong, and what to do.
    pub what: String,
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".sb_probes+{:#x}: {}", self.offset, self.what)
    }
}

impl std::error::Error for ProbeError {}

const ABI: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

fn register(text: &str) -> Option<u8> {
    if text == "fp" {
        return Some(8);
    }
    if let Some(i) = ABI.iter().position(|n| *n == text) {
        return Some(i as u8);
    }
    text.strip_prefix('x').and_then(|n| n.parse::<u8>().ok()).filter(|n| *n < 32)
}

fn integer(text: &str) -> Option<i32> {
    let (neg, digits) = match text.strip_prefix('-') {
        Some(d) => (true, d),
        None => (false, text),
    };
    let v = match digits.strip_prefix("0x") {
        Some(h) => i64::from_str_radix(h, 16).ok()?,
        None => digits.parse::<i64>().ok()?,
    };
    let v = if neg { -v } else { v };
    if v < i64::from(i32::MIN) || v > i64::from(u32::MAX) {
        return None;
    }
    Some(v as i32)
}

fn operand(text: &str) -> Option<Operand> {
    let text = text.trim();
    if let Some(r) = register(text) {
        return Some(Operand::Reg(r));
    }
    if let Some(v) = integer(text) {
        return Some(Operand::Imm(v));
    }
    let (off, rest) = text.split_once('(')?;
    let base = register(rest.strip_suffix(')')?)?;
    let offset = if off.is_empty() { 0 } else { integer(off)? };
    Some(Operand::Mem { base, offset })
}

/// Read all probes of a section.
///
/// # Errors
/// The section is truncated, names an operand form that cannot be read, or has more than five operands.
pub fn parse_section(bytes: &[u8]) -> Result<Vec<Probe>, ProbeError> {
    let mut probes = Vec::new();
    let mut at = 0usize;
    let fail = |offset: usize, what: &str| ProbeError { offset, what: what.to_string() };
    while at < bytes.len() {
        let head = bytes.get(at..at + 8).ok_or_else(|| fail(at, "truncated entry"))?;
        let addr = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let kind = u16::from_le_bytes([head[4], head[5]]);
        let count = u16::from_le_bytes([head[6], head[7]]);
        if count > 5 {
            return Err(fail(at, "a probe has at most five operands"));
        }
        let entry = at;
        at += 8;
        let mut operands = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let rest = bytes.get(at..).unwrap_or_default();
            let len = rest.iter().position(|b| *b == 0).ok_or_else(|| fail(at, "unterminated operand"))?;
            let text = std::str::from_utf8(&rest[..len]).map_err(|_| fail(at, "operand is not text"))?;
            let op = operand(text).ok_or_else(|| {
                fail(at, &format!("operand `{text}` is neither a register, a constant nor offset(register); copy it to a local first"))
            })?;
            operands.push(op);
            at += len + 1;
        }
        at = (at + 3) & !3;
        if addr != 0 {
            probes.push(Probe { addr, kind, operands });
        } else if kind == 0 {
            return Err(fail(entry, "an entry without a number"));
        }
    }
    Ok(probes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(addr: u32, kind: u16, ops: &[&str]) -> Vec<u8> {
        let mut b = addr.to_le_bytes().to_vec();
        b.extend_from_slice(&kind.to_le_bytes());
        b.extend_from_slice(&(ops.len() as u16).to_le_bytes());
        for o in ops {
            b.extend_from_slice(o.as_bytes());
            b.push(0);
        }
        while b.len() % 4 != 0 {
            b.push(0);
        }
        b
    }

    #[test]
    fn reads_every_operand_form() {
        let mut b = entry(0x1000, 35, &["a0", "-20(s0)", "42", "(sp)", "x31"]);
        b.extend(entry(0, 36, &["a0"]));
        b.extend(entry(0x2000, 36, &[]));
        let p = parse_section(&b).unwrap();
        assert_eq!(p.len(), 2);
        assert_eq!(
            p[0].operands,
            vec![
                Operand::Reg(10),
                Operand::Mem { base: 8, offset: -20 },
                Operand::Imm(42),
                Operand::Mem { base: 2, offset: 0 },
                Operand::Reg(31)
            ]
        );
        assert_eq!((p[1].addr, p[1].kind), (0x2000, 36));
    }

    #[test]
    fn says_what_is_wrong() {
        let e = parse_section(&entry(0x1000, 35, &["%lo(x)(a5)"])).unwrap_err();
        assert!(e.to_string().contains("copy it to a local"), "{e}");
        assert!(parse_section(&[1, 2, 3]).unwrap_err().to_string().contains("truncated"));
        let mut cut = entry(0x1000, 35, &["a0"]);
        cut.truncate(10);
        assert!(parse_section(&cut).is_err());
    }
}
