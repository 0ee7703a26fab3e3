// SPDX-License-Identifier: Apache-2.0
//! Snooping data caches: what their keys must have in common.

use crate::check::Places;
use crate::keys::{Key, Need, Table, Value};
use crate::platform_keys::CYCLES;
use crate::problem::Problem;
use crate::types::{Platform, Protocol};
use serde_json::Value as Json;

/// The table `coherence` of a platform.
pub(crate) static COHERENCE: Table = Table {
    what: "the table `coherence`",
    keys: &[
        Key::required(
            "protocol",
            "what the data caches do about the memories that several cores see",
            Value::Word(&[
                ("none", "nothing: software maintains them"),
                ("msi", "they snoop; a line is modified, shared or invalid"),
                ("mesi", "they snoop; a line that nobody else has may also be exclusive"),
            ]),
        ),
        Key::default(
            "snoop_cycles",
            "from the grant of a transaction until all data caches have answered",
            Value::Int(1, CYCLES),
            Need::Int(1),
        ),
        Key::default(
            "intervention",
            "where a modified line goes when another cache asks for it",
            Value::Word(&[
                ("cache", "to that cache; memory takes it at the same time, if it is read only"),
                ("memory", "to memory, from which it is read then"),
            ]),
            Need::Text("memory"),
        ),
        Key::default(
            "intervention_cycles",
            "from the caches' answer until the one that has the line modified begins to send it",
            Value::Int(0, CYCLES),
            Need::Int(1),
        ),
        Key::default(
            "width_bits",
            "width of the wires from cache to cache: a beat takes a cycle",
            Value::Power(8, 512),
            Need::Int(32),
        ),
    ],
    choice: None,
};

/// What is wrong with the caches of a platform that are to be kept coherent. `cores` are its `[[core]]` tables.
pub(crate) fn check(platform: &Platform, cores: &[Json], places: &Places) -> Vec<Problem> {
    let Some(coherence) = platform.snooping() else { return Vec::new() };
    let protocol = places.of("coherence.protocol");
    let word = if coherence.protocol == Protocol::Msi { "msi" } else { "mesi" };
    let mut problems = Vec::new();
    let caches: Vec<(usize, &Json)> =
        cores.iter().enumerate().filter_map(|(i, core)| Some((i, core.get("dcache")?))).collect();
    if caches.is_empty() {
        problems.push(Problem::at(
            protocol.clone(),
            format!("protocol = \"{word}\" keeps data caches coherent, and no core has one"),
            "nothing to keep coherent",
            "give a core a dcache, or write protocol = \"none\"",
        ));
    }
    if platform.memories.iter().all(|m| m.per_core) {
        problems.push(Problem::at(
            protocol.clone(),
            format!("protocol = \"{word}\" is about memories that several cores see, and there is none"),
            "each memory is one core's own",
            "add a memory without per_core, or write protocol = \"none\"",
        ));
    }
    let mut first: Option<(usize, u64)> = None;
    for (i, cache) in caches {
        let at = |key: &str| places.of(&format!("core.{i}.dcache.{key}"));
        let line = cache["line_bytes"].as_u64().unwrap_or_default();
        if cache["write"] == "through" {
            problems.push(
                Problem::at(
                    at("write"),
                    format!("a write-through cache has no modified lines, which protocol = \"{word}\" is about"),
                    "never owns a line",
                    "write write = \"back\", or protocol = \"none\"",
                )
                .and(protocol.clone(), "the protocol"),
            );
        }
        if cache["burst_bytes"].as_u64().is_some_and(|bytes| bytes < line) {
            problems.push(
                Problem::at(
                    at("burst_bytes"),
                    "a coherent cache cannot read a line in several transfers",
                    "another core may write to the line between two of them",
                    "leave burst_bytes out: then a line is one transfer",
                )
                .and(protocol.clone(), "the protocol"),
            );
        }
        match first {
            None => first = Some((i, line)),
            Some((other, length)) if length != line => problems.push(
                Problem::at(
                    at("line_bytes"),
                    format!("caches with lines of {length} and of {line} bytes cannot be kept coherent"),
                    "the protocol is about whole lines",
                    "give all data caches the same line_bytes, or write protocol = \"none\"",
                )
                .and(places.of(&format!("core.{other}.dcache.line_bytes")), "another length here"),
            ),
            Some(_) => {}
        }
    }
    problems
}
