// SPDX-License-Identifier: Apache-2.0
//! From the text of a system file and its platform to a [`System`].

use crate::check::{check, Places};
use crate::nearest::advice;
use crate::platform::{duplicate, is_line};
use crate::problem::{InputError, Problem};
use crate::system_keys::SYSTEM;
use crate::system_types::*;
use crate::types::*;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::ops::Range;

/// Tasks that a link adds to its nodes.
const LINK_TASKS: [&str; 3] = ["rlnh", "cm_rx", "drv"];
/// Links of a system: each rings its own bit of a 32-bit doorbell.
const LINKS: usize = 32;
/// Tasks of a node: an address has 12 bits for the index.
const TASKS: usize = 4095;
/// The smallest stack that the kernel accepts.
const STACK_BYTES: u32 = 256;
/// `mip` bit of the kernel's tick.
const TIMER_BIT: u32 = 7;

/// Resolve the text of a system file, checked against the platform that it is for.
///
/// # Errors
/// All that is wrong with it.
pub fn system_resolve(text: &str, filename: &str, platform: &Platform) -> Result<System, InputError> {
    let (mut values, places) = check(filename, text, &SYSTEM)?;
    let optional = |build: &mut Map<String, Json>, key: &str| {
        let common = build["optimise"].clone();
        build.entry(key).or_insert(common);
    };
    if let Some(Json::Object(build)) = values.get_mut("build") {
        optional(build, "optimise_link");
        optional(build, "optimise_app");
    }
    let mut problems = Vec::new();
    if let Some(Json::Array(nodes)) = values.get_mut("node") {
        for (n, node) in nodes.iter_mut().enumerate() {
            for (t, task) in node["task"].as_array_mut().into_iter().flatten().enumerate() {
                stack(task, &format!("node.{n}.task.{t}"), &places, &mut problems);
            }
        }
    }
    crate::periodic::priorities(&mut values, &places, &mut problems);
    let system: System = serde_json::from_value(Json::Object(values))
        .map_err(|e| InputError::without_place(format!("{filename}: {e}"), ""))?;
    let mut all = Checks { system: &system, platform, places: &places, problems };
    all.platform();
    all.nodes();
    all.links();
    let problems = all.problems;
    places.error(problems)?;
    Ok(system)
}

/// A priority task has a stack of its own, an interrupt task has none.
fn stack(task: &mut Json, path: &str, places: &Places, problems: &mut Vec<Problem>) {
    let span = places.of(&format!("{path}.stack_bytes"));
    let given = task["stack_bytes"].as_u64();
    let name = task["name"].as_str().unwrap_or_default().to_owned();
    let interrupt = task["kind"] == "interrupt";
    let enough = u64::from(STACK_BYTES);
    match given {
        None if !interrupt => problems.push(Problem::at(
            span,
            format!("the task `{name}` needs the key `stack_bytes`"),
            "belongs in this table",
            "add stack_bytes = …; 2048 is a good beginning, the `checked` level watches it",
        )),
        Some(bytes) if !interrupt && bytes < enough => problems.push(Problem::at(
            span,
            format!("the task `{name}` cannot run on a stack of {bytes} bytes"),
            "too small",
            format!("give it at least {enough}; 2048 is a good beginning"),
        )),
        Some(bytes) if interrupt && bytes != 0 => problems.push(Problem::at(
            span,
            format!("the interrupt task `{name}` has no stack of its own"),
            "not used",
            "remove the key: interrupt tasks run on the interrupt stack of their node",
        )),
        _ => {}
    }
    task["stack_bytes"] = given.unwrap_or(0).into();
}

struct Checks<'a> {
    system: &'a System,
    platform: &'a Platform,
    places: &'a Places<'a>,
    problems: Vec<Problem>,
}

impl Checks<'_> {
    fn problem(&mut self, span: Range<usize>, what: String, label: &str, help: impl Into<String>) {
        self.problems.push(Problem::at(span, what, label, help));
    }

    fn platform(&mut self) {
        let name = &self.system.platform;
        let is_path = name.contains('/') || name.ends_with(".toml");
        if !is_path && *name != self.platform.name {
            self.problem(
                self.places.of("platform"),
                format!("this system is for the platform `{name}`, not for `{}`", self.platform.name),
                "another platform",
                format!("write platform = \"{}\", or resolve it with the platform that it names", self.platform.name),
            );
        }
    }

    fn nodes(&mut self) {
        let (system, places) = (self.system, self.places);
        if system.kernel.clock == ClockKind::Tickless && system.kernel.tick_hz == 0 {
            self.problem(
                places.of("kernel.clock"),
                "a tickless kernel counts in ticks, and this one has none".to_owned(),
                "needs a tick",
                "write tick_hz = 1000: the unit of timeouts; nothing interrupts so often",
            );
        }
        let guard = system.kernel.stack_guard_bytes;
        if guard % 16 != 0 {
            self.problem(
                places.of("kernel.stack_guard_bytes"),
                format!("a guard cannot have {guard} bytes"),
                "not a multiple of 16",
                format!("write {}, or 0 for no guard", guard.next_multiple_of(16)),
            );
        }
        let mut first_named: BTreeMap<&str, usize> = BTreeMap::new();
        let mut first_on: BTreeMap<usize, usize> = BTreeMap::new();
        for (n, node) in system.nodes.iter().enumerate() {
            let at = |key: &str| places.of(&format!("node.{n}.{key}"));
            if let Some(first) = first_named.insert(&node.name, n) {
                self.problems.push(duplicate("node", &node.name, at("name"), places.of(&format!("node.{first}.name"))));
            }
            let cores = self.platform.cores.len();
            if node.core >= cores {
                let help = match cores {
                    1 => format!("`{}` has one core, number 0", self.platform.name),
                    _ => format!("`{}` has {cores} cores, 0 to {}", self.platform.name, cores - 1),
                };
                self.problem(at("core"), format!("there is no core {}", node.core), "no such core", help);
            } else if let Some(first) = first_on.insert(node.core, n) {
                let what = format!("two nodes run on core {}", node.core);
                let p = Problem::at(at("core"), what, format!("`{}`", node.name), "give each node its own core");
                self.problems
                    .push(p.and(places.of(&format!("node.{first}.core")), format!("`{}`", system.nodes[first].name)));
            }
            let class = self.platform.cores.get(node.core).map(|core| &core.class);
            if let Some(class) = class.filter(|class| node.multiply == Multiply::Trap && class.multiplies()) {
                self.problem(
                    at("multiply"),
                    format!("`{}` multiplies and divides by itself: nothing would trap", class.name),
                    "contradicts the core",
                    "write \"native\", or \"library\" to do without its instructions",
                );
            }
            self.tasks(n, node);
            crate::domains::check(n, node, self.platform, places, &mut self.problems);
            for (p, pool) in node.pools.iter().enumerate() {
                self.pool(&format!("node.{n}.pool.{p}"), pool);
            }
        }
    }

    fn tasks(&mut self, n: usize, node: &Node) {
        let places = self.places;
        let linked = self.system.links.iter().any(|l| l.nodes.contains(&node.name));
        let mut first_named: BTreeMap<&str, usize> = BTreeMap::new();
        let mut first_irq: BTreeMap<u32, usize> = BTreeMap::new();
        for (t, task) in node.tasks.iter().enumerate() {
            let at = |key: &str| places.of(&format!("node.{n}.task.{t}.{key}"));
            if let Some(first) = first_named.insert(&task.name, t) {
                self.problems.push(duplicate(
                    "task",
                    &task.name,
                    at("name"),
                    places.of(&format!("node.{n}.task.{first}.name")),
                ));
            }
            if linked && LINK_TASKS.contains(&task.name.as_str()) {
                let what = format!("a node with links already has a task `{}`", task.name);
                self.problem(
                    at("name"),
                    what,
                    "taken",
                    format!("choose another name; links add {}", LINK_TASKS.join(", ")),
                );
            }
            self.timing(&format!("node.{n}.task.{t}"), task);
            let Some(irq) = task.irq else { continue };
            if let Some(first) = first_irq.insert(irq, t) {
                let what = format!("two tasks are activated by bit {irq}");
                let p = Problem::at(at("irq"), what, "again here", "an interrupt activates one task");
                self.problems.push(p.and(places.of(&format!("node.{n}.task.{first}.irq")), "first here"));
            }
            self.irq(at("irq"), irq, task, node, linked);
        }
        let tasks = node.tasks.len() + node.spare_tasks as usize;
        if tasks + LINK_TASKS.len() > TASKS {
            let what = format!("`{}` has {tasks} tasks, spare ones included", node.name);
            self.problem(
                places.of(&format!("node.{n}.task")),
                what,
                "too many",
                format!("a node has at most {}", TASKS - LINK_TASKS.len()),
            );
        }
    }

    /// Periods and turns: for the tasks that have them, and only with a tick.
    fn timing(&mut self, path: &str, task: &Task) {
        let places = self.places;
        let at = |key: &str| places.of(&format!("{path}.{key}"));
        let name = &task.name;
        let given = [
            ("period_ticks", task.period_ticks, TaskKind::Periodic, "periodic"),
            ("deadline_ticks", task.deadline_ticks, TaskKind::Periodic, "periodic"),
            ("phase_ticks", task.phase_ticks, TaskKind::Periodic, "periodic"),
            ("slice_ticks", task.slice_ticks, TaskKind::BestEffort, "best_effort"),
        ];
        for (key, value, kind, word) in given {
            if value.is_some() && task.kind != kind {
                let what = format!("`{name}` is no task of the kind `{word}`");
                self.problem(at(key), what, "not used", format!("remove {key}, or write kind = \"{word}\""));
            }
        }
        let timed = task.kind == TaskKind::Periodic || task.slice_ticks.is_some();
        if timed && self.system.kernel.tick_hz == 0 {
            let what = format!("`{name}` counts ticks, and the kernel has none");
            self.problem(at("kind"), what, "needs a tick", "write tick_hz = 1000 in the table `kernel`");
        }
        if task.kind != TaskKind::Periodic {
            return;
        }
        let Some(period) = task.period_ticks else {
            let what = format!("the periodic task `{name}` needs the key `period_ticks`");
            self.problem(at("kind"), what, "periodic", "add period_ticks = …");
            return;
        };
        if task.deadline_ticks.is_some_and(|deadline| deadline > period) {
            let what = format!("the deadline of `{name}` lies behind its next release");
            self.problem(at("deadline_ticks"), what, "later than the period", format!("write at most {period}"));
        }
    }

    fn irq(&mut self, span: Range<usize>, irq: u32, task: &Task, node: &Node, linked: bool) {
        if task.kind != TaskKind::Interrupt {
            let what = format!("`{}` is not an interrupt task", task.name);
            self.problem(span, what, "not used", "remove irq, or write kind = \"interrupt\"");
            return;
        }
        let devices = self.platform.devices.iter();
        let wires = devices.flat_map(|d| d.outputs.iter().filter(|o| o.core == node.core).map(move |o| (o.bit, d)));
        let wires: Vec<(u32, &Device)> = wires.collect();
        let raised_by = wires.iter().find(|(bit, _)| *bit == irq).map(|(_, d)| *d);
        let known: Vec<String> = wires.iter().map(|(bit, d)| format!("{bit} ({})", d.name)).collect();
        let bits = match known.is_empty() {
            true => format!("no device interrupts core {}", node.core),
            false => format!("bits that are driven on core {}: {}", node.core, known.join(", ")),
        };
        if !is_line(irq) {
            self.problem(span, format!("bit {irq} of mip is not an interrupt input"), "not allowed", bits);
        } else if node.core < self.platform.cores.len() && raised_by.is_none() {
            self.problem(
                span,
                format!("nothing on `{}` drives bit {irq} of core {}", self.platform.name, node.core),
                "never raised",
                bits,
            );
        } else if linked && raised_by.is_some_and(|d| d.model == DeviceModel::Pulse) {
            let what = format!("bit {irq} is the doorbell of the links of `{}`", node.name);
            self.problem(span, what, "taken by the driver", bits);
        } else if irq == TIMER_BIT && self.system.kernel.tick_hz != 0 {
            self.problem(
                span,
                format!("bit {irq} is the kernel's tick"),
                "taken by the kernel",
                "write tick_hz = 0, or use the kernel's timeouts",
            );
        }
    }

    fn pool(&mut self, path: &str, pool: &Pool) {
        let places = self.places;
        let at = |key: &str| places.of(&format!("{path}.{key}"));
        if pool.block_bytes.len() != pool.block_count.len() {
            let what = format!("{} block sizes and {} counts", pool.block_bytes.len(), pool.block_count.len());
            let p = Problem::at(at("block_count"), what, "counts", "give one count for each size");
            self.problems.push(p.and(at("block_bytes"), "sizes"));
        }
        for (i, pair) in pool.block_bytes.windows(2).enumerate() {
            if pair[0] >= pair[1] {
                let what = format!("block sizes must ascend: {} follows {}", pair[1], pair[0]);
                self.problem(
                    at(&format!("block_bytes.{}", i + 1)),
                    what,
                    "not larger",
                    "sort the sizes, and the counts with them",
                );
            }
        }
        for (i, bytes) in pool.block_bytes.iter().enumerate() {
            if bytes % 4 != 0 {
                let what = format!("a block cannot have {bytes} bytes");
                self.problem(
                    at(&format!("block_bytes.{i}")),
                    what,
                    "not a multiple of 4",
                    format!("write {}", bytes.next_multiple_of(4)),
                );
            }
        }
    }

    fn links(&mut self) {
        let (system, places) = (self.system, self.places);
        let names: Vec<&str> = system.nodes.iter().map(|n| n.name.as_str()).collect();
        let mut first_of: BTreeMap<[&str; 2], usize> = BTreeMap::new();
        for (l, link) in system.links.iter().enumerate() {
            let at = |key: &str| places.of(&format!("link.{l}.{key}"));
            for (end, name) in link.nodes.iter().enumerate() {
                let span = at(&format!("nodes.{end}"));
                match system.nodes.iter().find(|n| n.name == *name) {
                    None => self.problem(
                        span,
                        format!("there is no node `{name}`"),
                        "not found",
                        advice(name, "nodes", &names),
                    ),
                    Some(node) => self.doorbell(span, node),
                }
            }
            let [a, b] = &link.nodes;
            if a == b {
                self.problem(
                    at("nodes"),
                    format!("a link joins two nodes, not `{a}` with itself"),
                    "the same twice",
                    "name another node",
                );
            }
            let pair = if a < b { [a.as_str(), b] } else { [b, a.as_str()] };
            if let Some(first) = first_of.insert(pair, l) {
                let what = format!("`{a}` and `{b}` are linked twice");
                let p = Problem::at(at("nodes"), what, "again here", "remove one of the links");
                self.problems.push(p.and(places.of(&format!("link.{first}.nodes")), "first here"));
            }
            if link.mtu_bytes % 4 != 0 {
                let what = format!("a frame cannot have {} bytes", link.mtu_bytes);
                let help = format!("write {}", link.mtu_bytes.next_multiple_of(4));
                self.problem(at("mtu_bytes"), what, "not a multiple of 4", help);
            }
        }
        if system.links.len() > LINKS {
            let what = format!("{} links", system.links.len());
            self.problem(
                places.of(&format!("link.{LINKS}")),
                what,
                "too many",
                format!("a system has at most {LINKS}: one doorbell bit each"),
            );
        }
    }

    /// Links ring a pulse interrupt on the core of each end, or its software interrupt where there is a CLINT.
    fn doorbell(&mut self, span: Range<usize>, node: &Node) {
        let rings = |d: &Device| match d.model {
            DeviceModel::Pulse => d.outputs.iter().any(|o| o.core == node.core),
            DeviceModel::Clint { .. } => true,
            _ => false,
        };
        if node.core < self.platform.cores.len() && !self.platform.devices.iter().any(rings) {
            let what = format!("`{}` has no doorbell for core {}", self.platform.name, node.core);
            self.problem(
                span,
                what,
                "its link could not ring here",
                "use a platform with a device of model = \"pulse\" for each linked core, or with a clint",
            );
        }
    }
}
