// SPDX-License-Identifier: Apache-2.0
//! Domains of system files, and each way to get one wrong.

mod common;

use common::{change, holds, line_of, platform};
use config::*;

const SYSTEM: &str = r#"schema = 1
name = "apart"
platform = "virt"

[[node]]
name = "n"
core = 0
sources = ["trusted.c"]

[[node.task]]
name = "left"
entry = "left"
priority = 5
stack_bytes = 512

[[node.task]]
name = "right"
entry = "right"
priority = 6
stack_bytes = 512

[[node.task]]
name = "line"
entry = "line"
kind = "interrupt"
priority = 1

[[node.pool]]
name = "system"
block_bytes = [32]
block_count = [4]

[[node.pool]]
name = "own"
block_bytes = [32]
block_count = [4]

[[node.pool]]
name = "both"
block_bytes = [32]
block_count = [4]

[[node.domain]]
name = "a"
tasks = ["left"]
sources = ["a.c"]
memory_bytes = 4096
pools = ["own", "both"]
devices = ["uart0"]

[[node.domain]]
name = "b"
tasks = ["right"]
sources = ["b.c"]
memory_bytes = 2048
pools = ["both"]
"#;

fn resolve_on(text: &str, platform: &Platform) -> Result<System, InputError> {
    system_resolve(text, "s.toml", platform)
}

#[track_caller]
fn wrong(from: &str, to: &str, parts: &[&str]) {
    let changed = change(SYSTEM, from, to);
    let e = resolve_on(&changed, &platform("virt")).expect_err("this must not resolve");
    assert_eq!(e.problems().len(), 1, "{e}");
    holds(&e, &[&format!("s.toml:{}:", line_of(&changed, to))]);
    holds(&e, parts);
}

#[test]
fn resolved() {
    let s = resolve_on(SYSTEM, &platform("virt")).unwrap_or_else(|e| panic!("{e}"));
    let a = &s.nodes[0].domains[0];
    assert_eq!((a.name.as_str(), a.memory_bytes, a.objects), ("a", 4096, 8));
    assert_eq!(
        (&a.tasks[..], &a.pools[..], &a.devices[..]),
        (&["left".to_string()][..], &["own".to_string(), "both".to_string()][..], &["uart0".to_string()][..],)
    );
    assert!(s.nodes[0].domains[1].devices.is_empty());
    let json = serde_json::to_value(&s).unwrap();
    assert_eq!(json["node"][0]["domain"][1]["sources"][0], "b.c");
}

#[test]
fn what_is_named_must_exist_once() {
    wrong("tasks = [\"right\"]", "tasks = [\"rigth\"]", &["`n` has no task `rigth`", "right"]);
    wrong("tasks = [\"right\"]", "tasks = [\"line\"]", &["`line` is an interrupt task", "runs in machine mode"]);
    wrong("tasks = [\"right\"]", "tasks = [\"left\"]", &["`left` is in two domains", "first here"]);
    wrong("name = \"b\"", "name = \"a\"", &["two domains are called `a`"]);
    wrong("pools = [\"both\"]", "pools = [\"bot\"]", &["`n` has no pool `bot`", "both"]);
    wrong("pools = [\"both\"]", "pools = [\"system\"]", &["`system` is the system pool of `n`"]);
    wrong("pools = [\"both\"]", "pools = [\"both\", \"both\"]", &["the pool `both` is named twice"]);
    wrong("devices = [\"uart0\"]", "devices = [\"uart\"]", &["`virt` has no device `uart`", "uart0"]);
}

#[test]
fn memory_is_a_region() {
    wrong("memory_bytes = 2048", "memory_bytes = 3000", &["a region cannot have 3000 bytes", "write 4096"]);
    wrong(
        "memory_bytes = 4096",
        "memory_bytes = 512",
        &["the stacks (512 bytes) and pools (192 bytes) of `a` have no room", "write at least 1024"],
    );
    wrong("memory_bytes = 2048", "memory_bytes = 128", &["memory_bytes"]);
    wrong("devices = [\"uart0\"]", "devices = [\"plic\"]", &["`plic` has 0x600000 bytes", "cannot be protected alone"]);
}

#[test]
fn a_core_must_be_able_to_protect() {
    let text = change(SYSTEM, "platform = \"virt\"", "platform = \"de2-dual\"");
    let e = resolve_on(&text, &platform("de2-dual")).expect_err("nios2f has no user mode");
    holds(&e, &["`cpu0` (class nios2f) has no user mode", "use a platform whose cores have both, such as virt"]);

    let mut few = platform("virt");
    for core in &mut few.cores {
        core.class.pmp_entries = 6;
    }
    let e = resolve_on(SYSTEM, &few).expect_err("seven are needed");
    assert_eq!(e.problems().len(), 1, "{e}");
    holds(&e, &["`a` needs 7 entries of physical memory protection", "the core has 6"]);

    let mut none = platform("virt");
    none.cores[0].class.pmp_entries = 0;
    let e = resolve_on(SYSTEM, &none).expect_err("none");
    holds(&e, &["`hart0` (class ideal) has no physical memory protection"]);

    let mut coarse = platform("virt");
    coarse.cores[0].class.pmp_granularity_bytes = 128;
    let e = resolve_on(SYSTEM, &coarse).expect_err("coarse");
    holds(&e, &["the core protects regions of 128 bytes and more"]);
}
