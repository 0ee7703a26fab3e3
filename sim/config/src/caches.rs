// SPDX-License-Identifier: Apache-2.0
//! Caches: what follows from several of their keys together.

use crate::problem::Problem;
use crate::types::{Cache, Refill, Replacement, Victim, Write, L2};
use serde::Deserialize;
use serde_json::Value as Json;
use std::ops::Range;

/// A cache as the file describes it.
#[derive(Deserialize)]
pub(crate) struct Given {
    size_bytes: u32,
    line_bytes: u32,
    /// A number, or "full".
    ways: Json,
    #[serde(default)]
    replacement: Replacement,
    burst_bytes: Option<u32>,
    #[serde(default)]
    write: Write,
    #[serde(default = "yes")]
    allocate: bool,
    #[serde(default)]
    victim: Victim,
    #[serde(default)]
    refill: Refill,
}

fn yes() -> bool {
    true
}

impl Given {
    /// The cache called `name`; `at` says where a key of it is.
    pub fn resolve(&self, name: &str, at: &dyn Fn(&str) -> Range<usize>, problems: &mut Vec<Problem>) -> Cache {
        let lines = self.size_bytes / self.line_bytes;
        let ways = self.ways.as_u64().map_or(lines, |w| w as u32);
        let burst_bytes = self.burst_bytes.unwrap_or(self.line_bytes);
        problems.extend(geometry(name, self.size_bytes, self.line_bytes, ways, at));
        if burst_bytes > self.line_bytes {
            problems.push(Problem::at(
                at("burst_bytes"),
                format!("a transfer of the {name} cannot be longer than its line"),
                format!("{burst_bytes} > {}", self.line_bytes),
                "make burst_bytes smaller, or leave it out: then a line is one transfer",
            ));
        }
        if self.write == Write::Through && self.victim != Victim::First {
            let why = "a line of a write-through cache is never dirty";
            problems.push(
                Problem::at(at("victim"), format!("the {name} has no victims to write"), why, "leave `victim` out")
                    .and(at("write"), "write-through here"),
            );
        }
        let split = burst_bytes < self.line_bytes;
        for (key, wants) in
            [("refill", self.refill == Refill::CriticalWord), ("victim", self.victim == Victim::Buffered)]
        {
            if split && wants {
                problems.push(
                    Problem::at(
                        at(key),
                        format!("the {name} moves its lines in several transfers"),
                        "needs a line to be one transfer",
                        format!("leave burst_bytes out, or choose another `{key}`"),
                    )
                    .and(at("burst_bytes"), "shorter than a line"),
                );
            }
        }
        let Given { size_bytes, line_bytes, replacement, write, allocate, victim, refill, .. } = *self;
        Cache { size_bytes, line_bytes, ways, replacement, burst_bytes, write, allocate, victim, refill }
    }
}

/// All lines of a fully associative cache; filled in when its size is known.
const FULL: u32 = 0;

/// The ways of a resolved cache, or "full".
pub(crate) fn ways<'d, D: serde::Deserializer<'d>>(from: D) -> Result<u32, D::Error> {
    Ok(Json::deserialize(from)?.as_u64().map_or(FULL, |w| w as u32))
}

/// Complete a second-level cache and check it; `at` says where a key of it is.
pub(crate) fn second_level(l2: &mut L2, memory: &str, at: &dyn Fn(&str) -> Range<usize>) -> Option<Problem> {
    if l2.ways == FULL {
        l2.ways = l2.size_bytes / l2.line_bytes;
    }
    geometry(&format!("second-level cache of `{memory}`"), l2.size_bytes, l2.line_bytes, l2.ways, at)
}

fn geometry(name: &str, size: u32, line: u32, ways: u32, at: &dyn Fn(&str) -> Range<usize>) -> Option<Problem> {
    if size < 2 * line {
        return Some(Problem::at(
            at("line_bytes"),
            format!("the {name} must hold two lines at least"),
            format!("2 * {line} > {size}"),
            "make line_bytes smaller, or size_bytes larger",
        ));
    }
    let set = line * ways;
    if size % set == 0 && (size / set).is_power_of_two() {
        return None;
    }
    let sets = (size / set).max(1);
    let below = set << sets.ilog2();
    Some(
        Problem::at(
            at("size_bytes"),
            format!("the {name} cannot be divided into sets of {ways} {}", if ways == 1 { "line" } else { "lines" }),
            format!("{size} is not {ways} * {line} times a power of two"),
            format!("write size_bytes = {below} or {}, or change `ways`", u64::from(below) * 2),
        )
        .and(at("ways"), "so many lines in a set"),
    )
}
