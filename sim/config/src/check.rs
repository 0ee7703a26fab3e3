// SPDX-License-Identifier: Apache-2.0
//! A text against the description of its format: every key known, every value of its kind, every default filled in.
//!
//! All problems of form are found in one pass. What follows from several keys together is checked on the result.

use crate::keys::{Key, Need, Table, Text, Value};
use crate::nearest::advice;
use crate::problem::{InputError, Problem};
use serde_json::{json, Map, Value as Json};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::de::{DeInteger, DeTable, DeValue};
use toml::Spanned;

/// Where things are in a text, by path, such as `device.0.outputs.1.bit`.
pub(crate) struct Places<'t> {
    name: &'t str,
    text: &'t str,
    values: BTreeMap<String, Range<usize>>,
}

impl<'t> Places<'t> {
    /// The place of a value, or of the nearest table around it when the file leaves it out.
    pub fn of(&self, path: &str) -> Range<usize> {
        let mut path = path;
        loop {
            if let Some(span) = self.values.get(path) {
                return span.clone();
            }
            match path.rfind('.') {
                Some(at) => path = &path[..at],
                None => return 0..0,
            }
        }
    }

    /// These problems as the error of this text.
    pub fn error(&self, problems: Vec<Problem>) -> Result<(), InputError> {
        InputError::of(self.name, self.text, problems).map_or(Ok(()), Err)
    }
}

/// Parse a text and check its form. Returns the values with all defaults, and where each is.
pub(crate) fn check<'t>(
    name: &'t str,
    text: &'t str,
    table: &'static Table,
) -> Result<(Map<String, Json>, Places<'t>), InputError> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut pass = Pass { problems: Vec::new(), values: BTreeMap::new() };
    for e in errors {
        pass.problem(
            e.span().unwrap_or(0..0),
            format!("not TOML: {}", e.message()),
            "here",
            "correct the syntax; see https://toml.io",
        );
    }
    let values = if pass.problems.is_empty() { pass.table("", 0..0, root.get_ref(), table) } else { Map::new() };
    let places = Places { name, text, values: pass.values };
    places.error(pass.problems)?;
    Ok((values, places))
}

/// An integer as the file writes it; `None` beyond 64 bits.
fn integer(i: &DeInteger) -> Option<i64> {
    i64::from_str_radix(i.as_str(), i.radix()).ok()
}

fn join(path: &str, key: impl std::fmt::Display) -> String {
    if path.is_empty() {
        key.to_string()
    } else {
        format!("{path}.{key}")
    }
}

/// A number as people write it: addresses and limits of 32 bits in hexadecimal.
fn number(i: i64) -> String {
    if i >= 0x1_0000 && (i & 0xfff == 0 || i & 0xfff == 0xfff) {
        format!("{i:#x}")
    } else {
        i.to_string()
    }
}

struct Pass {
    problems: Vec<Problem>,
    values: BTreeMap<String, Range<usize>>,
}

impl Pass {
    fn problem(&mut self, span: Range<usize>, what: String, label: &str, help: impl Into<String>) {
        self.problems.push(Problem::at(span, what, label, help));
    }

    fn table(&mut self, path: &str, span: Range<usize>, given: &DeTable, table: &'static Table) -> Map<String, Json> {
        let mut out = Map::new();
        let mut word = None;
        if let Some(choice) = &table.choice {
            match given.get(choice.key).map(|v| (v.span(), v.get_ref())) {
                Some((_, DeValue::String(s))) if choice.cases.iter().any(|c| c.word == s.as_ref()) => {
                    word = Some(s.to_string());
                    out.insert(choice.key.into(), json!(s));
                }
                Some((at, other)) => {
                    let words: Vec<&str> = choice.cases.iter().map(|c| c.word).collect();
                    self.not_a_word(at, choice.key, other, &words);
                }
                None => self.missing(path, span.clone(), table, choice.key, choice.doc),
            }
        }
        let known: Vec<&'static Key> = table.keys_of(word.as_deref()).collect();
        for (key, value) in given {
            let name = key.get_ref().as_ref();
            self.values.insert(join(path, name), value.span());
            if known.iter().all(|k| k.name != name) && table.choice.as_ref().is_none_or(|c| c.key != name) {
                self.unknown(key, table, word.as_deref());
            }
        }
        for key in known {
            match (given.get(key.name), &key.need) {
                (Some(value), _) => {
                    if let Some(v) = self.value(&join(path, key.name), key.name, value, &key.value) {
                        out.insert(key.name.into(), v);
                    }
                }
                // Another choice may have the key: then the choice is what is wrong.
                (None, Need::Required) if word.is_some() || table.keys.iter().any(|k| k.name == key.name) => {
                    self.missing(path, span.clone(), table, key.name, key.doc);
                }
                (None, need) => {
                    if let Some(v) = self.absent(&join(path, key.name), need, &key.value) {
                        out.insert(key.name.into(), v);
                    }
                }
            }
        }
        out
    }

    fn absent(&mut self, path: &str, need: &Need, value: &Value) -> Option<Json> {
        match (need, value) {
            (Need::Int(i), _) => Some(json!(i)),
            (Need::Bool(b), _) => Some(json!(b)),
            (Need::Text(s), _) => Some(json!(s)),
            (Need::Empty, Value::Table(t)) => Some(Json::Object(self.table(path, 0..0, &DeTable::new(), t))),
            (Need::Empty, Value::Map(..)) => Some(json!({})),
            (Need::Empty, _) => Some(json!([])),
            (Need::Required | Need::Optional, _) => None,
        }
    }

    fn unknown(&mut self, key: &Spanned<std::borrow::Cow<str>>, table: &'static Table, word: Option<&str>) {
        let name = key.get_ref().as_ref();
        let choice = table.choice.as_ref();
        let elsewhere = choice.and_then(|c| c.cases.iter().find(|case| case.keys.iter().any(|k| k.name == name)));
        let known: Vec<&str> = choice.map(|c| c.key).into_iter().chain(table.keys_of(word).map(|k| k.name)).collect();
        let what = match (elsewhere, choice, word) {
            (Some(case), Some(c), Some(word)) => {
                format!("`{name}` belongs to {} = \"{}\", not to \"{word}\"", c.key, case.word)
            }
            _ => format!("{} has no key `{name}`", table.what),
        };
        self.problem(key.span(), what, "unknown key", advice(name, "its keys", &known));
    }

    fn missing(&mut self, path: &str, span: Range<usize>, table: &Table, key: &str, doc: &str) {
        let label = if path.is_empty() { "the file begins here" } else { "belongs in this table" };
        self.problem(span, format!("{} needs the key `{key}`", table.what), label, format!("add `{key} = …`: {doc}"));
    }

    fn not_a_word(&mut self, span: Range<usize>, name: &str, value: &DeValue, words: &[&str]) {
        match value {
            DeValue::String(s) => {
                self.problem(
                    span,
                    format!("`{name}` cannot be \"{s}\""),
                    "unknown word",
                    advice(s, "it can be", words),
                );
            }
            other => self.wrong(span, name, other, "a string", &format!("it can be {}", words.join(", "))),
        }
    }

    fn wrong(&mut self, span: Range<usize>, name: &str, value: &DeValue, kind: &str, help: &str) {
        let is = match value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a number with a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.problem(span, format!("`{name}` must be {kind}"), &format!("this is {is}"), help);
    }

    fn value(&mut self, path: &str, name: &str, given: &Spanned<DeValue>, value: &'static Value) -> Option<Json> {
        let (span, given) = (given.span(), given.get_ref());
        match (value, given) {
            (Value::Bool, DeValue::Boolean(b)) => Some(json!(b)),
            (Value::Bool, other) => {
                self.refused(span, name, other, "true or false", "write true or false, without quotes")
            }
            (Value::Int(low, high), DeValue::Integer(i)) => match integer(i) {
                Some(v) if (*low..=*high).contains(&v) => Some(json!(v)),
                _ => {
                    let help = format!("write an integer from {} to {}", number(*low), number(*high));
                    self.problem(span, format!("`{name}` is out of range"), &format!("{i} is not allowed"), help);
                    None
                }
            },
            (Value::IntOr(_, _, word), DeValue::String(s)) if s.as_ref() == *word => Some(json!(word)),
            (Value::IntOr(low, high, word), given) => match given {
                DeValue::Integer(i) if integer(i).is_some_and(|v| (*low..=*high).contains(&v)) => {
                    integer(i).map(|v| json!(v))
                }
                _ => {
                    let help = format!("write an integer from {} to {}, or \"{word}\"", number(*low), number(*high));
                    let what = format!(
                        "`{name}` must be an integer from {} to {}, or \"{word}\"",
                        number(*low),
                        number(*high)
                    );
                    self.problem(span, what, "not allowed", help);
                    None
                }
            },
            (Value::Power(low, high), DeValue::Integer(i)) => match integer(i) {
                Some(v) if (*low..=*high).contains(&v) && (v & (v - 1)) == 0 => Some(json!(v)),
                v => {
                    let help = format!("write a power of two from {low} to {high}{}", nearest_power(v, *low, *high));
                    self.problem(
                        span,
                        format!("`{name}` must be a power of two from {low} to {high}"),
                        &format!("this is {i}"),
                        help,
                    );
                    None
                }
            },
            (Value::Int(low, high) | Value::Power(low, high), other) => {
                let help = format!("write an integer from {} to {}, without quotes", number(*low), number(*high));
                self.refused(span, name, other, "an integer", &help)
            }
            (Value::Version(known), DeValue::Integer(i)) if integer(i) == Some(*known) => Some(json!(known)),
            (Value::Version(known), _) => {
                let help = format!(
                    "write {name} = {known}, or read the file with the version of Signalbox that it was written for"
                );
                self.problem(span, format!("this version reads files of {name} {known} only"), "unknown version", help);
                None
            }
            (Value::Text(form), DeValue::String(s)) => match form.refuse(s) {
                None => Some(json!(s)),
                Some(help) => {
                    self.problem(
                        span,
                        format!("`{name}` cannot be \"{}\"", s.escape_debug()),
                        "not allowed here",
                        help,
                    );
                    None
                }
            },
            (Value::Text(_), other) => self.refused(span, name, other, "a string", "write it in double quotes"),
            (Value::Word(words), DeValue::String(s)) if words.iter().any(|(w, _)| *w == s.as_ref()) => Some(json!(s)),
            (Value::Word(words), other) => {
                let words: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
                self.not_a_word(span, name, other, &words);
                None
            }
            (Value::List(of, low, high), DeValue::Array(list)) => {
                if !(*low..=*high).contains(&list.len()) {
                    let help = if low == high {
                        format!("give {low} of them")
                    } else {
                        format!("give {low} to {high} of them")
                    };
                    self.problem(
                        span,
                        format!("`{name}` has the wrong length"),
                        &format!("this has {}", list.len()),
                        help,
                    );
                }
                Some(self.list(path, name, list, of))
            }
            (Value::List(..), other) => self.refused(span, name, other, "a list", "write a list in brackets: [ … ]"),
            (Value::Table(table), DeValue::Table(t)) => Some(Json::Object(self.table(path, span, t, table))),
            (Value::Table(_), other) => {
                self.refused(span, name, other, "a table", "write { key = value, … }, or a section in brackets")
            }
            (Value::Tables(table, _), DeValue::Array(list)) => {
                let tables = list.iter().enumerate().map(|(i, item)| {
                    let at = join(path, i);
                    self.values.insert(at.clone(), item.span());
                    match item.get_ref() {
                        DeValue::Table(t) => Json::Object(self.table(&at, item.span(), t, table)),
                        other => {
                            let help = format!("write each as its own section, [[{name}]]");
                            self.refused(item.span(), name, other, "a list of tables", &help).unwrap_or_default()
                        }
                    }
                });
                let tables: Vec<Json> = tables.collect();
                self.at_least(span, name, tables.len(), value);
                Some(Json::Array(tables))
            }
            (Value::Tables(..), other) => {
                let last = name.rsplit('.').next().unwrap_or(name);
                self.refused(
                    span,
                    name,
                    other,
                    "a list of tables",
                    &format!("write each as its own section, [[{last}]], with two brackets"),
                )
            }
            (Value::Map(form, of), DeValue::Table(t)) => Some(Json::Object(self.map(path, t, *form, of))),
            (Value::Map(..), other) => {
                self.refused(span, name, other, "a table", "write name = value, one in each line of its section")
            }
        }
    }

    fn at_least(&mut self, span: Range<usize>, name: &str, len: usize, value: &Value) {
        if let Value::Tables(_, low) = value {
            if len < *low {
                self.problem(
                    span,
                    format!("there must be at least {low} `{name}`"),
                    "none here",
                    format!("add a section [[{name}]]"),
                );
            }
        }
    }

    fn refused(&mut self, span: Range<usize>, name: &str, value: &DeValue, kind: &str, help: &str) -> Option<Json> {
        self.wrong(span, name, value, kind, help);
        None
    }

    fn list(&mut self, path: &str, name: &str, list: &[Spanned<DeValue>], of: &'static Value) -> Json {
        let items = list.iter().enumerate().filter_map(|(i, item)| {
            let at = join(path, i);
            self.values.insert(at.clone(), item.span());
            self.value(&at, &format!("{name}[{i}]"), item, of)
        });
        Json::Array(items.collect())
    }

    fn map(&mut self, path: &str, given: &DeTable, form: Text, of: &'static Value) -> Map<String, Json> {
        let mut out = Map::new();
        for (key, value) in given {
            let name = key.get_ref().as_ref();
            self.values.insert(join(path, name), value.span());
            if let Some(help) = form.refuse(name) {
                self.problem(key.span(), format!("a key here cannot be `{name}`"), "not allowed here", help);
            } else if let Some(v) = self.value(&join(path, name), name, value, of) {
                out.insert(name.into(), v);
            }
        }
        out
    }
}

fn nearest_power(given: Option<i64>, low: i64, high: i64) -> String {
    match given {
        Some(v) if v > low && v < high => {
            let above = (v as u64).next_power_of_two();
            format!(", such as {} or {above}", above / 2)
        }
        _ => String::new(),
    }
}
