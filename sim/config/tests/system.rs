// SPDX-License-Identifier: Apache-2.0
//! System files: what they resolve to, and each way to get one wrong.

mod common;

use common::{change, holds, line_of, platform};
use config::*;

const T0: &str = r#"schema = 1
name = "t0"
platform = "de2-dual"

[build]
optimise = "-Os"
optimise_app = "-O0"

[kernel]
level = "hooks"
tick_hz = 0

[params]
size_bytes = 32
requests = 201

[[node]]
name = "node0"
core = 0
sources = ["src/master.c", "src/./log.c"]

[[node.task]]
name = "master"
entry = "master"
kind = "priority"
priority = 12
stack_bytes = 2048

[[node.task]]
name = "clock"
entry = "clock_tick"
kind = "interrupt"
priority = 5
irq = 7

[[node.pool]]
block_bytes = [64, 256]
block_count = [16, 8]

[[node]]
name = "node1"
core = 1
sources = ["src/slave.c"]

[[node.task]]
name = "slave"
entry = "slave"
priority = 13
stack_bytes = 1024

[[node.pool]]
block_bytes = [128]
block_count = [4]

[[link]]
nodes = ["node0", "node1"]
mtu_bytes = 1024
"#;

fn resolve(text: &str) -> Result<System, InputError> {
    system_resolve(text, "s.toml", &platform("de2-dual"))
}

#[track_caller]
fn error(text: &str) -> InputError {
    resolve(text).expect_err("this must not resolve")
}

/// Change one place of the example; the report must stand at the changed line and hold `parts`.
#[track_caller]
fn wrong(from: &str, to: &str, parts: &[&str]) {
    let changed = change(T0, from, to);
    let e = error(&changed);
    assert_eq!(e.problems().len(), 1, "{e}");
    holds(&e, &[&format!("s.toml:{}:", line_of(&changed, to))]);
    holds(&e, parts);
}

#[test]
fn resolved() {
    let s = resolve(T0).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((s.schema, s.name.as_str(), s.platform.as_str()), (1, "t0", "de2-dual"));
    let b = &s.build;
    assert_eq!([&b.optimise, &b.optimise_kernel, &b.optimise_link, &b.optimise_app], ["-Os", "-O2", "-Os", "-O0"]);
    let (clock, scheduling) = (ClockKind::Tick, Scheduling::Preemptive);
    let (periodic, periodic_priorities) = (PeriodicOrder::RateMonotonic, [11, 30]);
    let kernel = Kernel {
        level: Level::Hooks,
        tick_hz: 0,
        clock,
        scheduling,
        periodic,
        periodic_priorities,
        stack_guard_bytes: 64,
    };
    assert_eq!(s.kernel, kernel);
    assert_eq!(
        s.params.iter().map(|(k, v)| (k.as_str(), *v)).collect::<Vec<_>>(),
        [("requests", 201), ("size_bytes", 32)]
    );
    assert_eq!(s.nodes[0].tasks[0].stack_bytes, 2048);
    let clock = &s.nodes[0].tasks[1];
    assert_eq!((clock.kind, clock.irq, clock.stack_bytes), (TaskKind::Interrupt, Some(7), 0));
    assert_eq!((s.nodes[1].tasks[0].kind, s.nodes[1].tasks[0].irq), (TaskKind::Priority, None));
    assert_eq!(s.nodes[0].pools, [Pool { name: None, block_bytes: vec![64, 256], block_count: vec![16, 8] }]);
    let link = &s.links[0];
    assert_eq!((link.manager.as_str(), link.driver.as_str(), link.buffers), ("cm/ptp", "shm_ack", Buffers::Uncached));
    assert_eq!((link.mtu_bytes, link.dm_buffers, &link.nodes[1]), (1024, 10, &"node1".to_string()));
}

#[test]
fn json_has_the_names_of_the_file_and_comes_back() {
    let s = resolve(T0).unwrap();
    let v = serde_json::to_value(&s).unwrap();
    assert_eq!(v["node"][0]["task"][1]["kind"], "interrupt");
    assert_eq!(v["node"][0]["pool"][0]["block_bytes"][1], 256);
    assert_eq!(v["link"][0]["buffers"], "uncached");
    assert_eq!(v["kernel"]["level"], "hooks");
    assert_eq!(serde_json::from_value::<System>(v).unwrap(), s);
}

#[test]
fn the_least() {
    let s = resolve("schema = 1\nname = \"a\"\nplatform = \"de2-dual\"\n[[node]]\nname = \"n\"\ncore = 1\nsources = []\n[[node.pool]]\nblock_bytes = [32]\nblock_count = [1]\n").unwrap();
    assert_eq!(
        (s.kernel.level, s.build.optimise_link.as_str(), s.params.len(), s.links.len()),
        (Level::Checked, "-O2", 0, 0)
    );
}

#[test]
fn cores() {
    wrong("core = 1", "core = 2", &["there is no core 2", "`de2-dual` has 2 cores, 0 to 1"]);
    wrong(
        "core = 1",
        "core = 0 # both",
        &["two nodes run on core 0", "`node0`", "`node1`", "give each node its own core"],
    );
    wrong("core = 1", "core = -1", &["`core` is out of range"]);
}

#[test]
fn tasks() {
    wrong("priority = 12", "priority = 32", &["`priority` is out of range", "32 is not allowed", "from 0 to 31"]);
    wrong("priority = 12", "priority = -1", &["`priority` is out of range"]);
    wrong("stack_bytes = 2048", "stack_bytes = 0", &["cannot run on a stack of 0 bytes", "give it at least 256"]);
    wrong("stack_bytes = 2048", "stack_bytes = 255", &["cannot run on a stack of 255 bytes"]);
    let e = error(&change(T0, "stack_bytes = 2048\n", ""));
    holds(&e, &["s.toml:22:1", "the task `master` needs the key `stack_bytes`", "[[node.task]]"]);
    wrong(
        "irq = 7",
        "irq = 7\nstack_bytes = 512",
        &["the interrupt task `clock` has no stack of its own", "remove the key"],
    );
    wrong("entry = \"slave\"", "entry = \"2slave\"", &["`entry` cannot be \"2slave\"", "C identifier"]);
    wrong("entry = \"slave\"", "entry = \"void\"", &["`entry` cannot be \"void\"", "no keyword of C"]);
    holds(
        &error(&change(T0, "name = \"clock\"", "name = \"master\"")),
        &["two tasks are called `master`", "first here", "again here"],
    );
    wrong("name = \"slave\"", "name = \"rlnh\"", &["already has a task `rlnh`", "links add rlnh, cm_rx, drv"]);
    wrong(
        "kind = \"interrupt\"",
        "kind = \"interupt\"",
        &["`kind` cannot be \"interupt\"", "did you mean `interrupt`?"],
    );
    wrong("name = \"slave\"", "name = \"a/b\"", &["`name` cannot be \"a/b\""]);
}

#[test]
fn timing() {
    let ticking = T0.replace("tick_hz = 0", "tick_hz = 1000").replace("irq = 7", "irq = 17");
    let with = |keys: &str| change(&ticking, "priority = 13", &format!("priority = 13\n{keys}"));
    let s =
        resolve(&with("kind = \"periodic\"\nperiod_ticks = 10\ndeadline_ticks = 8\nphase_ticks = 1\nstart = false"))
            .unwrap_or_else(|e| panic!("{e}"));
    let task = &s.nodes[1].tasks[0];
    assert_eq!((task.kind, task.start), (TaskKind::Periodic, false));
    assert_eq!((task.period_ticks, task.deadline_ticks, task.phase_ticks), (Some(10), Some(8), Some(1)));
    let s = resolve(&with("kind = \"best_effort\"\nslice_ticks = 5")).unwrap();
    assert_eq!((s.nodes[1].tasks[0].kind, s.nodes[1].tasks[0].slice_ticks), (TaskKind::BestEffort, Some(5)));

    let e = error(&with("kind = \"periodic\""));
    holds(&e, &["the periodic task `slave` needs the key `period_ticks`"]);
    let e = error(&with("kind = \"periodic\"\nperiod_ticks = 4\ndeadline_ticks = 5"));
    holds(&e, &["the deadline of `slave` lies behind its next release", "write at most 4"]);
    let e = error(&with("kind = \"periodic\"\nperiod_ticks = 0"));
    holds(&e, &["`period_ticks` is out of range"]);
    for key in ["period_ticks", "deadline_ticks", "phase_ticks"] {
        let e = error(&with(&format!("{key} = 4")));
        holds(&e, &["`slave` is no task of the kind `periodic`", &format!("remove {key}")]);
    }
    let e = error(&with("slice_ticks = 4"));
    holds(&e, &["`slave` is no task of the kind `best_effort`"]);
    let e = error(&change(T0, "priority = 13", "priority = 13\nkind = \"periodic\"\nperiod_ticks = 4"));
    holds(&e, &["`slave` counts ticks, and the kernel has none", "write tick_hz = 1000"]);
    wrong("tick_hz = 0", "clock = \"tickless\"", &["a tickless kernel counts in ticks", "write tick_hz = 1000"]);
    wrong("tick_hz = 0", "clock = \"tickles\"", &["did you mean `tickless`?"]);
    wrong("tick_hz = 0", "stack_guard_bytes = 40", &["a guard cannot have 40 bytes", "write 48"]);
    wrong("tick_hz = 0", "stack_guard_bytes = 8192", &["stack_guard_bytes"]);
    wrong("tick_hz = 0", "scheduling = \"coperative\"", &["did you mean `cooperative`?"]);
    wrong("core = 1", "core = 1\nspare_tasks = 4095", &["`spare_tasks` is out of range"]);
    let e = error(&change(T0, "core = 1", "core = 1\nspare_tasks = 4094"));
    holds(&e, &["`node1` has 4095 tasks, spare ones included", "at most 4092"]);
}

/// A system whose second node has periodic tasks with these periods, without priorities but the last one, with 29.
fn periodic(kernel: &str, periods: &[u32]) -> String {
    let mut tasks = String::new();
    for (i, period) in periods.iter().enumerate() {
        let priority = if i + 1 == periods.len() { "priority = 29\n" } else { "" };
        tasks += &format!(
            "[[node.task]]\nname = \"p{i}\"\nentry = \"p\"\nkind = \"periodic\"\nperiod_ticks = {period}\nstack_bytes = 512\n{priority}\n"
        );
    }
    let text = T0.replace("tick_hz = 0", &format!("tick_hz = 1000\n{kernel}")).replace("irq = 7\n", "");
    let (head, tail) = text.split_at(text.find("[[node]]\nname = \"node1\"").expect("the second node"));
    let pool = head.len() + tail.find("[[node.pool]]").expect("its pool");
    format!("{}{tasks}{}", &text[..pool], &text[pool..])
}

fn priorities(text: &str) -> Vec<u32> {
    let s = resolve(text).unwrap_or_else(|e| panic!("{e}"));
    s.nodes[1].tasks.iter().filter(|t| t.kind == TaskKind::Periodic).map(|t| t.priority).collect()
}

#[test]
fn periodic_tasks_get_priorities_by_their_periods() {
    assert_eq!(priorities(&periodic("", &[40, 5, 40, 7, 1])), [13, 11, 14, 12, 29], "equal ones in their order");
    assert_eq!(priorities(&periodic("periodic_priorities = [3, 4]", &[9, 8, 7])), [4, 3, 29]);
    let e = error(&periodic("periodic_priorities = [3, 4]", &[9, 8, 7, 6]));
    holds(&e, &["3 periodic tasks have no priority, 3 to 4 are 2", "none is left for this one"]);
    let e = error(&periodic("periodic_priorities = [4, 3]", &[9, 8]));
    holds(&e, &["priorities 4 to 3 are none", "write [3, 4]"]);
    let e = error(&periodic("periodic_priorities = [4, 32]", &[9, 8]));
    holds(&e, &["from 0 to 31"]);
    let e = error(&change(T0, "priority = 13\n", ""));
    holds(&e, &["the task `slave` needs the key `priority`"]);
}

#[test]
fn periodic_tasks_by_deadline_share_a_priority() {
    let edf = "periodic = \"earliest_deadline\"";
    let without = periodic(edf, &[40, 5, 7]).replace("priority = 29\n", "");
    assert_eq!(priorities(&without), [11, 11, 11]);
    let e = error(&periodic(edf, &[40, 5]));
    holds(&e, &["deadlines order `p1`, not priorities", "write periodic = \"rate_monotonic\""]);
    let two = without.replace(edf, &format!("{edf}\nperiodic_priorities = [12, 13]"));
    holds(&error(&two), &["share one priority", "write [12, 12]"]);
    let taken = without.replace(edf, &format!("{edf}\nperiodic_priorities = [13, 13]"));
    holds(&error(&taken), &["priority 13 belongs to tasks that are ordered by their deadlines"]);
    wrong("tick_hz = 0", "periodic = \"earliest_dedline\"", &["did you mean `earliest_deadline`?"]);
}

#[test]
fn interrupts() {
    wrong(
        "irq = 7",
        "irq = 8",
        &[
            "bit 8 of mip is not an interrupt input",
            "bits that are driven on core 0: 17 (uart0), 7 (timer0), 16 (pulse0)",
        ],
    );
    wrong("irq = 7", "irq = 32", &["`irq` is out of range", "from 0 to 31"]);
    wrong("irq = 7", "irq = 20", &["nothing on `de2-dual` drives bit 20 of core 0", "17 (uart0)"]);
    wrong("irq = 7", "irq = 16", &["bit 16 is the doorbell of the links of `node0`", "taken by the driver"]);
    wrong(
        "stack_bytes = 2048",
        "stack_bytes = 2048\nirq = 17",
        &["`master` is not an interrupt task", "kind = \"interrupt\""],
    );
    let e = error(&change(T0, "tick_hz = 0", "tick_hz = 100"));
    holds(&e, &["bit 7 is the kernel's tick", "taken by the kernel"]);
    let two = "irq = 7\n\n[[node.task]]\nname = \"again\"\nentry = \"again\"\nkind = \"interrupt\"\npriority = 1\nirq = 7 # 2";
    holds(&error(&change(T0, "irq = 7", two)), &["two tasks are activated by bit 7", "first here"]);
}

#[test]
fn pools() {
    wrong("block_bytes = [128]", "block_bytes = [0]", &["`block_bytes[0]` is out of range", "0 is not allowed"]);
    wrong("[64, 256]", "[256, 64]", &["block sizes must ascend: 64 follows 256", "sort the sizes"]);
    wrong("[64, 256]", "[64, 64]", &["block sizes must ascend: 64 follows 64"]);
    wrong("[64, 256]", "[62, 256]", &["a block cannot have 62 bytes", "write 64"]);
    holds(
        &error(&change(T0, "[16, 8]", "[16]")),
        &["2 block sizes and 1 counts", "one count for each size", "[64, 256]", "[16]"],
    );
    wrong("[16, 8]", "[16, 0]", &["`block_count[1]` is out of range"]);
    let e = error(
        &T0.replace("[64, 256]", "[4, 8, 12, 16, 20, 24, 28, 32, 36]")
            .replace("[16, 8]", "[1, 1, 1, 1, 1, 1, 1, 1, 1]"),
    );
    holds(&e, &["`block_bytes` has the wrong length", "this has 9", "give 1 to 8 of them"]);
    let e = error(&change(T0, "[[node.pool]]\nblock_bytes = [128]\nblock_count = [4]\n", ""));
    holds(&e, &["a node needs the key `pool`", "the first is the system pool"]);
}

#[test]
fn links() {
    wrong(
        "[\"node0\", \"node1\"]",
        "[\"node0\", \"node2\"]",
        &["there is no node `node2`", "did you mean `node0`? nodes: node0, node1"],
    );
    wrong("[\"node0\", \"node1\"]", "[\"node1\", \"node1\"]", &["a link joins two nodes, not `node1` with itself"]);
    wrong("[\"node0\", \"node1\"]", "[\"node0\"]", &["`nodes` has the wrong length", "give 2 of them"]);
    wrong("mtu_bytes = 1024", "manager = \"cm/direct\"", &["`manager` cannot be \"cm/direct\"", "it can be: cm/ptp"]);
    wrong(
        "mtu_bytes = 1024",
        "driver = \"shm_noack\"",
        &["`driver` cannot be \"shm_noack\"", "did you mean `shm_ack`?"],
    );
    wrong(
        "mtu_bytes = 1024",
        "buffers = \"cashed\"",
        &["`buffers` cannot be \"cashed\"", "did you mean `cached`? it can be: cached, uncached"],
    );
    wrong("mtu_bytes = 1024", "mtu_bytes = 1022", &["a frame cannot have 1022 bytes", "write 1024"]);
    wrong("mtu_bytes = 1024", "dm_buffers = 0", &["`dm_buffers` is out of range"]);
    wrong("mtu_bytes = 1024", "dm_buffers = 17", &["`dm_buffers` is out of range"]);
    let e = error(&(T0.to_owned() + "[[link]]\nnodes = [\"node1\", \"node0\"]\n"));
    holds(&e, &["`node1` and `node0` are linked twice", "first here"]);
    let virt = T0.replace("platform = \"de2-dual\"", "platform = \"virt\"").replace("core = 1", "core = 0");
    let e = system_resolve(&virt, "s.toml", &platform("virt")).unwrap_err();
    holds(&e, &["two nodes run on core 0"]); // a clint rings, too
    let mut silent = platform("de2-dual");
    silent.devices.retain(|d| d.model != config::DeviceModel::Pulse);
    let e = system_resolve(T0, "s.toml", &silent).unwrap_err();
    holds(&e, &["`de2-dual` has no doorbell for core 0", "or with a clint"]);
}

#[test]
fn the_rest() {
    wrong(
        "level = \"hooks\"",
        "level = \"hook\"",
        &["`level` cannot be \"hook\"", "did you mean `hooks`? it can be: release, hooks, checked"],
    );
    wrong("requests = 201", "requests = 4294967296", &["`requests` is out of range", "from 0 to 0xffffffff"]);
    wrong("requests = 201", "requests = -1", &["`requests` is out of range"]);
    wrong("requests = 201", "re-quests = 201", &["a key here cannot be `re-quests`", "C identifier"]);
    wrong("requests = 201", "requests = \"x\"", &["`requests` must be an integer"]);
    wrong(
        "\"src/slave.c\"",
        "\"../slave.c\"",
        &["`sources[0]` cannot be \"../slave.c\"", "in the folder of this file or below it"],
    );
    wrong("\"src/slave.c\"", "\"src/../../slave.c\"", &["in the folder of this file or below it"]);
    wrong("\"src/slave.c\"", "\"/src/slave.c\"", &["a path relative to this file"]);
    wrong("\"src/slave.c\"", "\"src/slave.h\"", &["name a C file (.c)"]);
    wrong("optimise = \"-Os\"", "optimise = \"O2\"", &["`optimise` cannot be \"O2\"", "write one of -O0, -O1"]);
    wrong(
        "optimise = \"-Os\"",
        "optimize = \"-Os\"",
        &["the table `build` has no key `optimize`", "did you mean `optimise`?"],
    );
    wrong(
        "platform = \"de2-dual\"",
        "platform = \"de2-quad\"",
        &["is for the platform `de2-quad`, not for `de2-dual`"],
    );
    holds(
        &error(&change(T0, "name = \"node1\"", "name = \"node0\"")),
        &["two nodes are called `node0`", "first here", "again here"],
    );
    // The path of a file is as good as a name.
    assert!(resolve(&change(T0, "platform = \"de2-dual\"", "platform = \"../x/de2-dual.toml\"")).is_ok());
}

#[test]
fn a_platform_that_does_not_exist() {
    let e = load(Library::Platforms, "de2-duall", &[common::platforms()]).unwrap_err();
    assert_eq!(e.what, "the platform `de2-duall` does not exist");
    assert!(e.help.starts_with("did you mean `de2-dual`? known: de2-dual, "), "{}", e.help);
    assert!(e.help.ends_with(", virt"), "{}", e.help);
    assert!(load(Library::Platforms, "virt", &[common::platforms()]).unwrap().text.contains("name = \"virt\""));
}
