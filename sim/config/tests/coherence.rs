// SPDX-License-Identifier: Apache-2.0
//! Snooping data caches: what a platform says about them, and each way to get it wrong.

mod common;

use common::{change, holds, line_of, platform, platforms, text};
use config::{platform_resolve, Coherence, Intervention, Platform, Protocol};

const TABLE: &str = "[coherence]\nprotocol = \"mesi\"\n\n[interconnect]";

fn coherent(change_also: &[(&str, &str)]) -> String {
    let with = change(&text("de2-dual"), "[interconnect]", TABLE);
    change_also.iter().fold(with, |text, (from, to)| change(&text, from, to))
}

fn resolve(text: &str) -> Platform {
    platform_resolve(text, "p.toml", &[platforms()]).unwrap_or_else(|e| panic!("{e}"))
}

/// There is one problem with this text. It is about the line of `at`, and its report holds `parts`.
#[track_caller]
fn wrong(text: &str, at: &str, parts: &[&str]) {
    let e = platform_resolve(text, "p.toml", &[platforms()]).expect_err("this must not resolve");
    assert_eq!(e.problems().len(), 1, "{e}");
    let first = e.problems()[0].spans().next().expect("it has a place");
    assert_eq!(text[..first.start].matches('\n').count() + 1, line_of(text, at), "{e}");
    holds(&e, parts);
}

#[test]
fn defaults_and_none() {
    let expected = Coherence {
        protocol: Protocol::Mesi,
        snoop_cycles: 1,
        intervention: Intervention::Memory,
        intervention_cycles: 1,
        width_bits: 32,
    };
    assert_eq!(resolve(&coherent(&[])).snooping(), Some(&expected));
    assert_eq!(platform("de2-dual").snooping(), None);
    let none = resolve(&coherent(&[("\"mesi\"", "\"none\"")]));
    assert!(none.coherence.is_some() && none.snooping().is_none());
    assert_eq!(platform("smp-4").snooping().map(|c| (c.protocol, c.width_bits)), Some((Protocol::Mesi, 64)));
}

#[test]
fn a_protocol_needs_a_name() {
    let text = change(&text("de2-dual"), "[interconnect]", "[coherence]\nsnoop_cycles = 1\n\n[interconnect]");
    wrong(&text, "[coherence]", &["the table `coherence` needs the key `protocol`"]);
    wrong(
        &coherent(&[("\"mesi\"", "\"moesi\"")]),
        "moesi",
        &["`protocol` cannot be \"moesi\"", "it can be: none, msi, mesi"],
    );
    wrong(
        &coherent(&[("protocol = \"mesi\"", "protocol = \"mesi\"\nsnoop_cycles = 0")]),
        "snoop_cycles = 0",
        &["`snoop_cycles`"],
    );
}

#[test]
fn caches_that_cannot_be_kept_coherent() {
    let dcache = "dcache = { size_bytes = 4096, line_bytes = 32, ways = 1 }";
    let with = |key: &str| coherent(&[(dcache, &format!("dcache = {{ size_bytes = 4096, line_bytes = 32, {key} }}"))]);
    wrong(
        &with("write = \"through\""),
        "write = \"through\"",
        &["a write-through cache has no modified lines, which protocol = \"mesi\" is about", "protocol = \"none\""],
    );
    wrong(
        &with("burst_bytes = 8"),
        "burst_bytes = 8",
        &["a coherent cache cannot read a line in several transfers", "leave burst_bytes out"],
    );
    // Without the protocol both are fine.
    resolve(&change(&with("write = \"through\""), "\"mesi\"", "\"none\""));
    let other =
        "[[core]]\nclass = \"nios2f\"\ndcache = { size_bytes = 4096, line_bytes = 16 }\n\n[[memory]]\nname = \"sdram\"";
    wrong(
        &coherent(&[("[[memory]]\nname = \"sdram\"", other)]),
        "line_bytes = 16",
        &["caches with lines of 32 and of 16 bytes cannot be kept coherent", "another length here"],
    );
}

#[test]
fn nothing_to_keep_coherent() {
    let text = coherent(&[("dcache = { size_bytes = 4096, line_bytes = 32, ways = 1 }", "")]);
    wrong(&text, "protocol = \"mesi\"", &["protocol = \"mesi\" keeps data caches coherent, and no core has one"]);
    let own = common::text("mesh-4x4").replace("[interconnect]", TABLE);
    let e = platform_resolve(&own, "p.toml", &[platforms()]).expect_err("each memory is one core's own");
    holds(&e, &["is about memories that several cores see, and there is none", "add a memory without per_core"]);
}
