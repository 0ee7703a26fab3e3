// SPDX-License-Identifier: Apache-2.0
//! Values given on the command line in place of those in a file: `build.optimise_link=-O0`, `core.0.dcache.size_bytes=65536`.
//!
//! The changed text keeps its comments and lines, so later errors still point at the file's own lines.

use crate::keys::{Key, Table, Value};
use crate::nearest::advice;
use crate::platform_keys::PLATFORM;
use crate::problem::{InputError, Problem};
use crate::system_keys::SYSTEM;
use std::ops::Range;
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value as TomlValue};

/// Put values at dotted keys into the text of a platform or system file. A step of a key is the name of a key, or, in a list, a
/// number or the `name` of an element; where the list has one element only, that step may be left out. A value is TOML; what is not TOML is a string.
///
/// # Errors
/// The text is not TOML, or a key does not exist in the format.
pub fn apply_overrides(text: &str, filename: &str, overrides: &[(&str, &str)]) -> Result<String, InputError> {
    let mut doc: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| {
        let p = Problem::at(
            e.span().unwrap_or(0..0),
            format!("not TOML: {}", e.message()),
            "here",
            "correct the syntax; see https://toml.io",
        );
        InputError::of(filename, text, vec![p]).unwrap_or_else(|| InputError::without_place(e.to_string(), ""))
    })?;
    let root = if doc.contains_key("core") || doc.contains_key("memory") { &PLATFORM } else { &SYSTEM };
    for (key, value) in overrides {
        let given = format!("{key}={value}");
        let steps = steps(key);
        let mut walk = Walk { key, steps: &steps, value: parse(value) };
        if let Some(p) = walk.table(doc.as_table_mut(), root, 0) {
            return Err(
                InputError::of("--set", &given, vec![p]).unwrap_or_else(|| InputError::without_place(given, ""))
            );
        }
    }
    Ok(doc.to_string())
}

/// The steps of a dotted key, with their places.
fn steps(key: &str) -> Vec<(Range<usize>, &str)> {
    let mut at = 0;
    key.split('.')
        .map(|step| {
            let start = at;
            at += step.len() + 1;
            (start..start + step.len(), step)
        })
        .collect()
}

fn parse(value: &str) -> TomlValue {
    // A line break could smuggle in another key.
    if value.contains(['\n', '\r']) {
        return TomlValue::from(value);
    }
    value.trim().parse().unwrap_or_else(|_| TomlValue::from(value))
}

struct Walk<'a> {
    key: &'a str,
    steps: &'a [(Range<usize>, &'a str)],
    value: TomlValue,
}

impl Walk<'_> {
    fn problem(&self, step: usize, what: String, label: &str, help: impl Into<String>) -> Option<Problem> {
        let span = self.steps.get(step).map_or(0..self.key.len(), |(span, _)| span.clone());
        Some(Problem::at(span, what, label, help))
    }

    /// Descend into a table at `step`; the problem when there is one.
    fn table(&mut self, at: &mut dyn TableLike, table: &'static Table, step: usize) -> Option<Problem> {
        let Some((_, name)) = self.steps.get(step) else {
            let keys: Vec<&str> = names(table);
            return self.problem(
                step,
                format!("`{}` is a table", self.key),
                "names no value",
                advice("", "name one of its keys", &keys),
            );
        };
        let choice = table.choice.as_ref().filter(|c| c.key == *name);
        let found = table.keys_of(None).find(|k| k.name == *name);
        match (choice, found) {
            (Some(_), _) => self.leaf(at, step),
            (None, Some(key)) => self.key(at, key, step),
            (None, None) => self.problem(
                step,
                format!("{} has no key `{name}`", table.what),
                "unknown key",
                advice(name, "its keys", &names(table)),
            ),
        }
    }

    fn key(&mut self, at: &mut dyn TableLike, key: &'static Key, step: usize) -> Option<Problem> {
        let last = step + 1 == self.steps.len();
        match &key.value {
            Value::Table(inner) => {
                if last && self.value.is_inline_table() {
                    return self.leaf(at, step);
                }
                if !at.contains_key(key.name) {
                    at.insert(key.name, Item::Value(TomlValue::InlineTable(InlineTable::new())));
                }
                match at.get_mut(key.name).and_then(Item::as_table_like_mut) {
                    Some(below) => self.table(below, inner, step + 1),
                    None => self.problem(
                        step,
                        format!("`{}` is not a table in the file", key.name),
                        "not a table",
                        "correct the file first",
                    ),
                }
            }
            Value::Map(..) if last => {
                self.problem(step, format!("`{}` is a table", key.name), "names no value", "name one of its keys")
            }
            Value::Map(..) => {
                if !at.contains_key(key.name) {
                    at.insert(key.name, Item::Value(TomlValue::InlineTable(InlineTable::new())));
                }
                let Some(map) = at.get_mut(key.name).and_then(Item::as_table_like_mut) else {
                    return self.problem(
                        step,
                        format!("`{}` is not a table in the file", key.name),
                        "not a table",
                        "correct the file first",
                    );
                };
                let name = self.steps[step + 1].1;
                if !map.contains_key(name) {
                    let known: Vec<String> = map.iter().map(|(k, _)| k.to_owned()).collect();
                    let known: Vec<&str> = known.iter().map(String::as_str).collect();
                    return self.problem(
                        step + 1,
                        format!("the file has no `{name}` in `{}`", key.name),
                        "not there",
                        advice(name, key.name, &known),
                    );
                }
                self.leaf(map, step + 1)
            }
            Value::Tables(inner, _) => self.element(at, key.name, inner, step),
            _ => self.leaf(at, step),
        }
    }

    /// Descend into one of the `[[name]]` tables.
    fn element(&mut self, at: &mut dyn TableLike, name: &str, inner: &'static Table, step: usize) -> Option<Problem> {
        let Some(item) = at.get_mut(name) else {
            return self.problem(
                step,
                format!("the file has no [[{name}]]"),
                "not there",
                format!("add a section [[{name}]] to the file"),
            );
        };
        let mut elements: Vec<&mut dyn TableLike> = match item {
            Item::ArrayOfTables(list) => list.iter_mut().map(|t| t as &mut dyn TableLike).collect(),
            Item::Value(TomlValue::Array(list)) => {
                list.iter_mut().filter_map(|v| v.as_inline_table_mut()).map(|t| t as &mut dyn TableLike).collect()
            }
            _ => Vec::new(),
        };
        let name_of = |t: &dyn TableLike| t.get("name").and_then(Item::as_str).map(str::to_owned);
        let names: Vec<String> =
            elements.iter().enumerate().map(|(i, t)| name_of(*t).unwrap_or_else(|| i.to_string())).collect();
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let Some((_, which)) = self.steps.get(step + 1) else {
            return self.problem(
                step,
                format!("`{name}` is a list"),
                "names no element",
                advice("", "add the number or name of an element", &known),
            );
        };
        let by_name = names.iter().position(|n| n == which);
        // A key of the only element needs no number: `core.count`.
        let plain = inner.keys_of(None).any(|k| k.name == *which) && which.parse::<usize>().is_err();
        if let ([only], None, true) = (&mut elements[..], by_name, plain) {
            return self.table(*only, inner, step + 1);
        }
        match by_name.or_else(|| which.parse().ok()).and_then(|i: usize| elements.get_mut(i)) {
            Some(element) => self.table(*element, inner, step + 2),
            None => self.problem(
                step + 1,
                format!("there is no `{which}` in `{name}`"),
                "not there",
                advice(which, "elements", &known),
            ),
        }
    }

    /// Set the value of the last step.
    fn leaf(&mut self, at: &mut dyn TableLike, step: usize) -> Option<Problem> {
        let name = self.steps[step].1;
        if step + 1 != self.steps.len() {
            return self.problem(
                step + 1,
                format!("`{name}` holds a value, not a table"),
                "too far",
                "remove the rest of the key",
            );
        }
        match at.get_mut(name) {
            Some(Item::Value(old)) => {
                let decor = old.decor().clone();
                *old = self.value.clone();
                *old.decor_mut() = decor;
            }
            _ => {
                at.insert(name, Item::Value(self.value.clone()));
            }
        }
        None
    }
}

fn names(table: &'static Table) -> Vec<&'static str> {
    let mut names: Vec<&str> = table.choice.iter().map(|c| c.key).chain(table.keys_of(None).map(|k| k.name)).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|n| seen.insert(*n));
    names
}
