// SPDX-License-Identifier: Apache-2.0
//! Tiles and their network: what is right, and each way to get it wrong.

mod common;

use common::{change, holds, line_of, platforms, text};
use config::{platform_resolve, DeviceModel, Platform};

fn resolve(text: &str) -> Platform {
    platform_resolve(text, "p.toml", &[platforms()]).unwrap_or_else(|e| panic!("{e}"))
}

/// Change one place of mesh-4x4; the only problem must stand at the first line that has `place` (of two lines that do not fit, the
/// first one), and hold `parts`.
#[track_caller]
fn wrong(from: &str, to: &str, place: &str, parts: &[&str]) {
    let changed = change(&text("mesh-4x4"), from, to);
    let e = platform_resolve(&changed, "p.toml", &[platforms()]).expect_err("this must not resolve");
    assert_eq!(e.problems().len(), 1, "{e}");
    holds(&e, &[&format!("p.toml:{}:", line_of(&changed, place))]);
    holds(&e, parts);
}

fn routers(p: &Platform) -> Vec<u32> {
    let router = |model: &DeviceModel| match model {
        DeviceModel::Ni { router, .. } => Some(*router),
        _ => None,
    };
    p.devices.iter().filter_map(|d| router(&d.model)).collect()
}

#[test]
fn interfaces_are_where_they_are_said_to_be() {
    let mesh = text("mesh-4x4");
    assert_eq!(routers(&resolve(&mesh)), (0..16).collect::<Vec<u32>>());
    let turned = "routers = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]\ntx_flits = 64";
    assert_eq!(routers(&resolve(&change(&mesh, "tx_flits = 64", turned))), (0..16).rev().collect::<Vec<u32>>());
    // One interface alone, of one core.
    let one = change(&mesh, "per_core = true            # core i", "core = 3\nrouters = [9] # core i");
    let p = resolve(&one);
    assert_eq!(routers(&p), [9]);
    let ni = p.devices.iter().find(|d| d.name == "ni").expect("it is called as in the file");
    assert_eq!((ni.core, ni.per_core, ni.outputs[0].core), (Some(3), false, 3));
}

#[test]
fn networks_that_cannot_be() {
    wrong("flit_bits = 32 ", "flit_bits = 30 ", "flit_bits = 30", &["multiple of 4", "write 28 or 32"]);
    wrong("width = 4\n", "width = 300\n", "width = 300", &["`width` is out of range"]);
    let narrow = change(&text("mesh-4x4"), "flit_bits = 32 ", "flit_bits = 8 ");
    wrong_text(
        &change(&narrow, "width = 4\n", "width = 5\n"),
        "width = 5",
        &["8 bits cannot name 5 routers", "at most 4"],
    );
    wrong("topology = \"mesh\" ", "topology = \"cube\" ", "topology = \"cube\"", &["mesh, torus, ring"]);
    wrong("buffer_flits = 8 ", "buffer_flits = 0 ", "buffer_flits = 0", &["`buffer_flits` is out of range"]);
    let mesh = text("mesh-4x4");
    let from = mesh.find("[noc]").expect("a network");
    let to = mesh.find("[[core]]").expect("cores");
    let without = format!("{}{}", &mesh[..from], &mesh[to..]);
    wrong_text(&without, "model = \"ni\"", &["a network interface needs a network", "add a section [noc]"]);
}

#[track_caller]
fn wrong_text(text: &str, place: &str, parts: &[&str]) {
    let e = platform_resolve(text, "p.toml", &[platforms()]).expect_err("this must not resolve");
    assert_eq!(e.problems().len(), 1, "{e}");
    holds(&e, &[&format!("p.toml:{}:", line_of(text, place))]);
    holds(&e, parts);
}

#[test]
fn interfaces_that_cannot_be() {
    let put = |routers: &str| format!("routers = {routers}\ntx_flits = 64");
    wrong(
        "height = 4\n",
        "height = 3\n",
        "room to send.\n\n[[device]]",
        &["router 12, which does not exist", "0 to 11"],
    );
    let few = put("[1, 2]");
    wrong(
        "tx_flits = 64",
        &few,
        "routers = [1, 2]",
        &["16 instances and 2 routers", "one router number for each core"],
    );
    let twice = put("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 14]");
    wrong("tx_flits = 64", &twice, "routers = [0", &["core 14 and `ni` of core 15 are both at router 14"]);
    wrong("tx_flits = 64 ", "tx_flits = 1 ", "tx_flits = 1", &["`tx_flits` is out of range"]);
    let nobody = "base = 0x1000_4000\n";
    let alone = change(&text("mesh-4x4"), "per_core = true            # core i", "# core i");
    let alone = change(&alone, "outputs = [{ output = 0, bit = 16 }, { output = 1, bit = 18 }]", "");
    wrong_text(&change(&alone, nobody, nobody), "model = \"ni\"", &["`ni` belongs to no core", "per_core = true"]);
}

#[test]
fn what_each_core_has() {
    let own = "per_core = true            # core";
    wrong(own, "per_core = true\ncore = 2   # core", "core = 2", &["does not belong to one of them"]);
    wrong(
        "outputs = [{ bit = 7 }]",
        "outputs = [{ bit = 7, core = 1 }]",
        "outputs = [{ bit = 7, core = 1 }]",
        &["goes to its own core", "remove core from the output"],
    );
    wrong(
        "outputs = [{ bit = 7 }]",
        "outputs = [{ bit = 16 }]",
        "outputs = [{ output = 0, bit = 16 }, { output = 1, bit = 18 }]",
        &["bit 16 of core 0 is driven by `ni` and by `timer`"],
    );
    wrong("name = \"finisher\"", "name = \"uart3\"", "name = \"uart\"", &["also the name of an instance of `uart`"]);
    wrong("base = 0x1000_1000", "base = 0x1000_0080", "base = 0x1000_0000", &["`uart` and `timer` overlap"]);
    wrong("default_memory = \"local\"", "default_memory = \"locla\"", "default_memory", &["did you mean `local`?"]);
    let clint =
        "[[device]]\nname = \"clint\"\nmodel = \"clint\"\nper_core = true\nbase = 0x0200_0000\nhz = 1_000_000\n";
    let several = format!("{}\n{clint}", change(&text("mesh-4x4"), "outputs = [{ bit = 7 }]", ""));
    wrong_text(&several, "model = \"clint\"\nper_core = true", &["cannot be one for each"]);
    let plic = "[[device]]\nname = \"plic\"\nmodel = \"plic\"\nbase = 0x0c00_0000\nsources = 4\ninputs = [{ source = 1, device = \"timer\" }]\n";
    wrong_text(&format!("{}\n{plic}", text("mesh-4x4")), "inputs = [{ source", &["each core has its own `timer`"]);
}

const TIGHT: &str = "[[memory]]\nname = \"fast\"\nbase = 0x3000_0000\nsize_bytes = 4096\nkind = \"tightly_coupled\"\n";

fn with_tight(more: &str) -> String {
    format!("{}\n{TIGHT}{more}\n", text("mesh-4x4"))
}

#[test]
fn tightly_coupled_memories_belong_to_their_cores() {
    use config::{MemoryKind, TightPort};
    let p = resolve(&with_tight("per_core = true"));
    let fast: Vec<_> = p.memories.iter().filter(|m| m.name.starts_with("fast")).collect();
    assert_eq!(fast.len(), 16);
    assert_eq!((fast[7].name.as_str(), fast[7].core), ("fast7", Some(7)));
    assert_eq!(fast[7].kind, MemoryKind::TightlyCoupled { port: TightPort::Both });
    let p = resolve(&with_tight("core = 3\nport = \"data\""));
    let fast = p.memories.iter().find(|m| m.name == "fast").expect("it is called as in the file");
    assert_eq!((fast.core, &fast.kind), (Some(3), &MemoryKind::TightlyCoupled { port: TightPort::Data }));
}

#[test]
fn tightly_coupled_memories_that_cannot_be() {
    let kind = "kind = \"tightly_coupled\"";
    wrong_text(&with_tight(""), kind, &["`fast` belongs to no core", "add per_core = true, or core = …"]);
    wrong_text(&with_tight("core = 2\nper_core = true"), "core = 2", &["does not belong to one of them"]);
    wrong_text(&with_tight("core = 16"), "core = 16", &["there is no core 16", "16 cores, 0 to 15"]);
    wrong_text(&with_tight("core = 1\nport = \"code\""), "port = \"code\"", &["both, instruction, data"]);
    let l2 = "l2 = { size_bytes = 1024, line_bytes = 32, hit_cycles = 2, width_bits = 64 }";
    wrong_text(&with_tight(&format!("core = 1\n{l2}")), l2, &["as fast as a cache could be"]);
    let large = change(&with_tight("core = 1"), "size_bytes = 4096\nkind", "size_bytes = 0x200_0000\nkind");
    wrong_text(&large, "0x200_0000", &["too large to be tightly coupled", "0x1000000 bytes at most"]);
    let first = with_tight("core = 1\nport = \"data\"");
    let default = change(&first, "default_memory = \"local\"", "default_memory = \"fast\"");
    wrong_text(&default, "port = \"data\"", &["programs cannot be linked into `fast`", "port = \"both\""]);
    // Of another kind, the keys are unknown.
    let sram = change(&with_tight("core = 1"), kind, "kind = \"ideal\"");
    wrong_text(&sram, "core = 1", &["`core` belongs to kind = \"tightly_coupled\", not to \"ideal\""]);
}

#[test]
fn a_core_has_one_vectored_line() {
    let block = |name: &str, base: &str, core: u32, bit: u32| {
        format!("[[device]]\nname = \"{name}\"\nmodel = \"irq_block\"\nbase = {base}\nvectored = true # {name}\noutputs = [{{ core = {core}, bit = {bit} }}]\n")
    };
    let first = format!("{}\n{}", text("mesh-4x4"), block("one", "0x6000_0000", 2, 28));
    resolve(&format!("{first}{}", block("two", "0x6001_0000", 3, 28)));
    wrong_text(
        &format!("{first}{}", block("two", "0x6001_0000", 2, 29)),
        "vectored = true # one",
        &["core 2 has two vectored lines: of `one` and of `two`", "leave `vectored` out at one of them"],
    );
}
