// SPDX-License-Identifier: Apache-2.0
//! Files with random faults: never a panic, always a report that points into the file, and whatever resolves is sound.
//!
//! The seed is printed when it fails. `SIGNALBOX_SEED=n` repeats a run, `SIGNALBOX_ROUNDS=n` makes it longer.

mod common;
#[path = "common/schema.rs"]
mod validator;

use common::{platform, platforms, text};
use config::*;
use std::panic::{catch_unwind, AssertUnwindSafe};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Values at which something may tip over.
const VALUES: &[&str] = &[
    "0",
    "-1",
    "1",
    "3",
    "31",
    "32",
    "64",
    "4096",
    "0x7fffffff",
    "0x8000_0000",
    "0xffff_ffff",
    "0x1_0000_0000",
    "9223372036854775807",
    "99999999999999999999",
    "1.5",
    "nan",
    "true",
    "\"\"",
    "\"x\"",
    "\"\\u0000\"",
    "\"{}\"",
    "\"ü🦀\"",
    "[]",
    "{}",
    "[[]]",
    "[1, \"a\"]",
    "{ a = 1 }",
    "1979-05-27",
];

fn mutate(text: &str, r: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=r.below(3) {
        let (a, b) = (r.below(lines.len()), r.below(lines.len()));
        match r.below(9) {
            0 => drop(lines.remove(a)),
            1 => lines.insert(a, lines[b].clone()),
            2 => lines.swap(a, b),
            3..=5 => {
                if let Some((key, _)) = lines[a].split_once('=') {
                    lines[a] = format!("{key}= {}", r.pick(VALUES));
                }
            }
            6 => {
                let mut chars: Vec<char> = lines[a].chars().collect();
                let at = r.below(chars.len() + 1);
                chars.insert(
                    at,
                    *r.pick(&[
                        '"', '[', ']', '{', '}', '=', '.', '\u{0}', '\u{1b}', '\u{9b}', 'ß', '🦀', '\t', '#', '\\',
                        'a', '9', '\r',
                    ]),
                );
                lines[a] = chars.into_iter().collect();
            }
            7 => {
                let from = lines[b].split('=').next().unwrap_or_default().trim().to_owned();
                if let Some((_, value)) = lines[a].split_once('=') {
                    lines[a] = format!("{from} ={value}");
                }
            }
            _ => {
                let keep = r.below(lines[a].chars().count() + 1);
                lines[a] = lines[a].chars().take(keep).collect();
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

fn environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// Run `check` on faulty versions of `text`; returns how many resolved and how many did not.
fn run(text: &str, check: impl Fn(&str) -> Result<(), InputError>) -> (u64, u64) {
    let (seed, rounds) = (environment("SIGNALBOX_SEED", 0x5eed), environment("SIGNALBOX_ROUNDS", 600));
    let (mut fine, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut random = Random((seed + round).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let faulty = mutate(text, &mut random);
        let outcome = catch_unwind(AssertUnwindSafe(|| match check(&faulty) {
            Ok(()) => fine += 1,
            Err(e) => {
                refused += 1;
                let report = e.to_string();
                assert!(report.contains("f.toml:"), "no place: {report}");
                assert!(report.contains("help: "), "no advice: {report}");
                assert!(report.chars().all(|c| c == '\n' || !c.is_control()), "a terminal would obey: {report:?}");
                for p in e.problems() {
                    assert!(p.spans().all(|s| s.start <= s.end && s.end <= faulty.len()), "{p:?}");
                    assert!(!p.what().is_empty() && !p.help_text().is_empty(), "{p:?}");
                }
            }
        }));
        if outcome.is_err() {
            panic!("SIGNALBOX_SEED={} SIGNALBOX_ROUNDS=1 repeats it. The text was:\n{faulty}", seed + round);
        }
    }
    (fine, refused)
}

/// What must hold of every platform that resolves.
fn sound(p: &Platform) {
    let json = serde_json::to_string(p).unwrap();
    assert_eq!(&serde_json::from_str::<Platform>(&json).unwrap(), p);
    let map = AddressMap::new(p);
    for pair in map.regions().windows(2) {
        assert!(pair[0].last < pair[1].base, "{pair:x?}");
    }
    for r in map.regions() {
        assert!(r.base <= r.last && (r.base | r.last) & p.bypass_mask == 0, "{r:x?}");
    }
    for o in p.devices.iter().flat_map(|d| &d.outputs) {
        assert!(o.core < p.cores.len() && o.bit < 32);
    }
    assert!(p.memories.iter().any(|m| m.name == p.default_memory));
    assert!(p.cores.iter().enumerate().all(|(i, c)| c.hartid as usize == i));
}

#[test]
fn platforms_with_faults() {
    let schema: serde_json::Value = serde_json::from_str(&platform_schema()).unwrap();
    for name in ["de2-dual", "virt"] {
        let (fine, refused) = run(&text(name), |faulty| {
            let p = platform_resolve(faulty, "f.toml", &[platforms()])?;
            sound(&p);
            // A file that resolves is never marked by an editor.
            let value = serde_json::to_value(toml::from_str::<toml::Table>(faulty).unwrap()).unwrap();
            validator::fit(&schema, &value).unwrap();
            Ok(())
        });
        assert!(fine > 0 && refused > fine, "{name}: {fine} resolved, {refused} did not");
    }
}

#[test]
fn systems_with_faults() {
    let de2 = platform("de2-dual");
    let schema: serde_json::Value = serde_json::from_str(&system_schema()).unwrap();
    let example = "schema = 1\nname = \"t\"\nplatform = \"de2-dual\"\n[build]\noptimise = \"-O2\"\n[kernel]\nlevel = \"hooks\"\ntick_hz = 0\n[params]\nx = 1\ny = 2\n[[node]]\nname = \"n\"\ncore = 0\nsources = [\"a.c\"]\n[[node.task]]\nname = \"a\"\nentry = \"a\"\npriority = 1\nstack_bytes = 512\n[[node.task]]\nname = \"i\"\nentry = \"i\"\nkind = \"interrupt\"\npriority = 1\nirq = 7\n[[node.pool]]\nblock_bytes = [4, 8]\nblock_count = [1, 1]\n[[node]]\nname = \"m\"\ncore = 1\nsources = []\n[[node.pool]]\nblock_bytes = [4]\nblock_count = [1]\n[[link]]\nnodes = [\"n\", \"m\"]\nbuffers = \"cached\"\n";
    let (fine, refused) = run(example, |faulty| {
        let s = system_resolve(faulty, "f.toml", &de2)?;
        assert_eq!(serde_json::from_str::<System>(&serde_json::to_string(&s).unwrap()).unwrap(), s);
        let value = serde_json::to_value(toml::from_str::<toml::Table>(faulty).unwrap()).unwrap();
        validator::fit(&schema, &value).unwrap();
        Ok(())
    });
    assert!(fine > 0 && refused > fine, "{fine} resolved, {refused} did not");
}

#[test]
fn overrides_with_faults() {
    let texts = [text("de2-dual"), text("virt")];
    let mut random = Random(environment("SIGNALBOX_SEED", 0x5eed) | 1);
    let steps = [
        "core",
        "0",
        "1",
        "memory",
        "sdram",
        "kind",
        "cas",
        "device",
        "uart0",
        "outputs",
        "boot",
        "hartid_in_a0",
        "",
        "x",
        "seeded",
        "dcache",
    ];
    for _ in 0..environment("SIGNALBOX_ROUNDS", 600) {
        let key: Vec<&str> = (0..=random.below(5)).map(|_| *random.pick(&steps)).collect();
        let (key, value, text) = (key.join("."), *random.pick(VALUES), random.pick(&texts).clone());
        match apply_overrides(&text, "f.toml", &[(&key, value)]) {
            Ok(changed) => drop(platform_resolve(&changed, "f.toml", &[platforms()]).map(|p| sound(&p))),
            Err(e) => assert!(e.to_string().contains("--set:1:"), "{key}={value}: {e}"),
        }
    }
}

/// The fuzzer itself must notice a panic and print the seed.
#[test]
#[should_panic(expected = "SIGNALBOX_ROUNDS=1 repeats it")]
fn canary() {
    run(&text("virt"), |faulty| {
        assert!(!faulty.contains("99999999999999999999"));
        Ok(())
    });
}

#[test]
fn depth_is_no_danger() {
    let virt = text("virt");
    for deep in [
        format!("x = {}", "[".repeat(20_000)),
        format!("x = {}1{}", "[".repeat(20_000), "]".repeat(20_000)),
        format!("x = {}", "{ a = ".repeat(20_000)),
        format!("[{}]", vec!["a"; 20_000].join(".")),
        format!("{} = 1", vec!["a"; 20_000].join(".")),
    ] {
        let e = platform_resolve(&format!("{deep}\n{virt}"), "f.toml", &[platforms()]).unwrap_err();
        assert!(e.to_string().contains("f.toml:1:"));
        assert!(
            apply_overrides(&deep, "f.toml", &[("name", &deep)]).is_err_and(|e| e.to_string().contains("f.toml:1:"))
        );
    }
    let deep = "[".repeat(20_000);
    let changed = apply_overrides(&virt, "f.toml", &[("name", &deep)]).unwrap();
    assert!(platform_resolve(&changed, "f.toml", &[platforms()]).is_err());
}
