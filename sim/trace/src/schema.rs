// SPDX-License-Identifier: Apache-2.0
//! The schema of records, read from `schema.toml`, the one place that names them.

use serde::Deserialize;
use std::sync::OnceLock;

/// The schema's text.
pub const SCHEMA_TOML: &str = include_str!("../schema.toml");

/// What an argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgType {
    /// A number.
    U32,
    /// An address in the core's memory.
    Ptr,
    /// A C string, read when stamped; the record holds its index in the string table.
    Str,
}

/// One kind of record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordKind {
    /// Number.
    pub kind: u16,
    /// Name.
    pub name: String,
    /// Argument names and types.
    pub args: Vec<(String, ArgType)>,
}

/// All kinds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schema {
    /// Version of the file.
    pub version: u32,
    /// Records by ascending number.
    pub records: Vec<RecordKind>,
}

impl Schema {
    /// The record with this number.
    pub fn by_kind(&self, kind: u16) -> Option<&RecordKind> {
        self.records.iter().find(|r| r.kind == kind)
    }

    /// The record with this name.
    pub fn by_name(&self, name: &str) -> Option<&RecordKind> {
        self.records.iter().find(|r| r.name == name)
    }
}

#[derive(Deserialize)]
struct RawSchema {
    version: u32,
    record: Vec<RawRecord>,
}

#[derive(Deserialize)]
struct RawRecord {
    kind: u16,
    name: String,
    args: Vec<String>,
}

fn parse(text: &str) -> Schema {
    let raw: RawSchema = toml::from_str(text).expect("schema.toml is part of this crate and tested");
    let arg = |a: &String| match a.split_once(':') {
        None => (a.clone(), ArgType::U32),
        Some((n, "ptr")) => (n.to_string(), ArgType::Ptr),
        Some((n, "str")) => (n.to_string(), ArgType::Str),
        Some((_, t)) => panic!("schema.toml: unknown type {t}"),
    };
    let mut records: Vec<RecordKind> = raw
        .record
        .iter()
        .map(|r| RecordKind { kind: r.kind, name: r.name.clone(), args: r.args.iter().map(arg).collect() })
        .collect();
    records.sort_by_key(|r| r.kind);
    Schema { version: raw.version, records }
}

/// The schema, parsed once.
pub fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| parse(SCHEMA_TOML))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique_and_hardware_is_below_32() {
        let s = schema();
        for (i, r) in s.records.iter().enumerate() {
            assert!(r.args.len() <= 5, "{}", r.name);
            assert!(s.records.iter().skip(i + 1).all(|o| o.kind != r.kind && o.name != r.name), "{}", r.name);
        }
        assert_eq!(s.by_name("irq_enter").unwrap().kind, crate::kind::IRQ_ENTER);
        assert_eq!(s.by_name("wake").unwrap().kind, crate::kind::WAKE);
        assert_eq!(s.by_kind(35).unwrap().name, "send_call");
        assert_eq!(s.by_name("task_create").unwrap().args[1].1, ArgType::Str);
    }
}
