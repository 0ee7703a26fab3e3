// SPDX-License-Identifier: Apache-2.0
//! `--set key=value` on platform and system texts.

mod common;

use common::{holds, platforms, text};
use config::*;

const SYSTEM: &str = "# mine\nschema = 1\nname = \"t\"\nplatform = \"de2-dual\" # board\n\n[params]\nsize_bytes = 32 # bytes\n\n[[node]]\nname = \"left\"\ncore = 0\nsources = []\n\n[[node.task]]\nname = \"ping\"\nentry = \"ping\"\npriority = 12\nstack_bytes = 512\n\n[[node.pool]]\nblock_bytes = [32]\nblock_count = [1]\n";

fn set(key: &str, value: &str) -> Result<String, InputError> {
    apply_overrides(SYSTEM, "s.toml", &[(key, value)])
}

fn resolve(text: &str) -> System {
    let platform = platform_resolve(&common::text("de2-dual"), "p.toml", &[platforms()]).unwrap();
    system_resolve(text, "s.toml", &platform).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn values_take_the_place_of_others() {
    let changed = apply_overrides(
        SYSTEM,
        "s.toml",
        &[
            ("build.optimise_link", "-O0"),
            ("params.size_bytes", "64"),
            ("kernel.level", "release"),
            ("node.left.task.ping.priority", "3"),
        ],
    )
    .unwrap();
    let s = resolve(&changed);
    assert_eq!((s.build.optimise_link.as_str(), s.build.optimise_app.as_str()), ("-O0", "-O2"));
    assert_eq!((s.params["size_bytes"], s.kernel.level, s.nodes[0].tasks[0].priority), (64, Level::Release, 3));
    assert!(changed.starts_with("# mine\n") && changed.contains("size_bytes = 64 # bytes"), "{changed}");
    assert_eq!(resolve(&set("node.0.task.0.priority", "0x1f").unwrap()).nodes[0].tasks[0].priority, 31);
    assert_eq!(resolve(&set("node.0.pool.0.block_count", "[7]").unwrap()).nodes[0].pools[0].block_count, [7]);
    assert_eq!(resolve(&set("name", "other").unwrap()).name, "other");
    assert_eq!(set("params.size_bytes", "32").unwrap(), SYSTEM);
}

#[test]
fn the_only_element_of_a_list_needs_no_number() {
    let harts = |key| {
        let changed = apply_overrides(&text("virt"), "p.toml", &[(key, "8")])?;
        Ok::<_, InputError>(platform_resolve(&changed, "p.toml", &[platforms()])?.cores.len())
    };
    assert_eq!(harts("core.count").unwrap(), 8);
    assert_eq!(harts("core.0.count").unwrap(), 8);
    assert_eq!(harts("core.hart{}.count").unwrap(), 8);
    holds(&harts("core.cuont").unwrap_err(), &["there is no `cuont` in `core`"]);
    holds(&harts("device.base").unwrap_err(), &["there is no `base` in `device`"]);
}

#[test]
fn platforms_too() {
    let changed = apply_overrides(
        &text("de2-dual"),
        "p.toml",
        &[
            ("core.0.dcache.size_bytes", "65536"),
            ("memory.sdram.cas", "2"),
            ("interconnect.response_cycles", "0"),
            ("boot.hartid_in_a0", "true"),
            ("device.uart1.access_cycles", "3"),
        ],
    )
    .unwrap();
    let p = platform_resolve(&changed, "p.toml", &[platforms()]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(p.cores[1].dcache.unwrap().size_bytes, 65536);
    assert_eq!((p.interconnect.response_cycles, p.boot.hartid_in_a0, p.devices[1].access_cycles), (0, true, 3));
    assert!(matches!(p.memories[1].kind, MemoryKind::AvalonSdram { cas: 2, .. }));
    let none = apply_overrides(&text("virt"), "p.toml", &[("core.0.icache", "{ size_bytes = 1024, line_bytes = 16 }")])
        .unwrap();
    let p = platform_resolve(&none, "p.toml", &[platforms()]).unwrap();
    let icache = p.cores[0].icache.expect("there is one");
    assert_eq!((icache.size_bytes, icache.line_bytes, icache.ways), (1024, 16, 1));
}

#[test]
fn unknown_paths() {
    for (key, parts) in [
        (
            "build.optimize_link",
            &["--set:1:7", "build.optimize_link=1", "has no key `optimize_link`", "did you mean `optimise_link`?"][..],
        ),
        ("bild.optimise", &["--set:1:1", "a system has no key `bild`", "did you mean `build`?"]),
        ("params.size", &["the file has no `size` in `params`", "params: size_bytes"]),
        ("params", &["`params` is a table", "name one of its keys"]),
        ("build", &["`build` is a table", "name one of its keys: optimise, optimise_kernel"]),
        ("node.right.core", &["there is no `right` in `node`", "elements: left"]),
        ("node.1.core", &["there is no `1` in `node`"]),
        ("node", &["`node` is a list", "add the number or name of an element: left"]),
        ("node.0", &["names no value"]),
        ("link.0.buffers", &["the file has no [[link]]", "add a section [[link]]"]),
        ("name.first", &["`name` holds a value, not a table", "remove the rest of the key"]),
        ("params.size_bytes.x", &["`size_bytes` holds a value"]),
        ("", &["has no key ``"]),
        ("..", &["has no key ``"]),
    ] {
        holds(&set(key, "1").expect_err(key), parts);
    }
    let e = apply_overrides(&text("de2-dual"), "p.toml", &[("core.0.dcache.siz_bytes", "1")]).unwrap_err();
    holds(&e, &["--set:1:15", "a data cache has no key `siz_bytes`", "did you mean `size_bytes`?"]);
    holds(&apply_overrides("a = = 1", "s.toml", &[]).unwrap_err(), &["s.toml:1:", "not TOML"]);
}

#[test]
fn a_wrong_value_is_found_when_the_text_is_resolved() {
    let changed = set("node.left.core", "9").unwrap();
    let platform = platform_resolve(&text("de2-dual"), "p.toml", &[platforms()]).unwrap();
    holds(&system_resolve(&changed, "s.toml", &platform).unwrap_err(), &["s.toml:11:", "there is no core 9"]);
    // A value cannot bring keys of its own.
    let changed = set("name", "x\"\nplatform = \"virt").unwrap();
    assert!(changed.contains("platform = \"de2-dual\""), "{changed}");
}
